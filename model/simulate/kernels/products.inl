// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices over a vector wrapper. Part of each instruction set's translation unit.

/// Bytes ahead of the stream that the kernels with few rows ask the memory for.
inline constexpr std::int64_t prefetchBytes = 8192;

constexpr std::size_t count(int n)
{
    return static_cast<std::size_t>(n);
}

inline void prefetchNear(const void* p)
{
    __builtin_prefetch(p, 0, 2);
}

template <class L>
struct Products {
    using T = typename L::Scalar;
    using Register = typename L::Register;
    using Out = MatrixView<T>;
    using In = MatrixView<const T>;

    /// Adds `terms` (1 or 8) neighbouring terms of the contracted index to all of C, or starts C with them.
    template <int terms, bool first>
    static void addTerms(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t term, std::int64_t ahead)
    {
        const T* rows[count(terms)];
        for (int t = 0; t < terms; ++t)
            rows[t] = b.data + (term + t) * b.rowStride;
        std::int64_t j = 0;
        for (; j + L::width <= n; j += L::width) {
            Register column[count(terms)];
            for (int t = 0; t < terms; ++t) {
                column[t] = L::load(rows[t] + j);
                prefetchNear(rows[t] + j + ahead);
            }
            for (std::int64_t i = 0; i < m; ++i) {
                const T* factor = a.data + i * a.rowStride + term * a.columnStride;
                T* target = c.data + i * c.rowStride + j;
                Register sum = first ? L::zero() : L::load(target);
                for (int t = 0; t < terms; ++t)
                    sum = L::multiplyAdd(L::broadcast(factor[t * a.columnStride]), column[t], sum);
                L::store(target, sum);
            }
        }
        for (; j < n; ++j) {
            for (std::int64_t i = 0; i < m; ++i) {
                const T* factor = a.data + i * a.rowStride + term * a.columnStride;
                T* target = c.data + i * c.rowStride + j;
                T sum = first ? T(0) : *target;
                for (int t = 0; t < terms; ++t)
                    sum = L::scalarMultiplyAdd(factor[t * a.columnStride], rows[t][j], sum);
                *target = sum;
            }
        }
    }

    static void fewRows(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t k)
    {
        if (k == 0) {
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j)
                    c.data[i * c.rowStride + j] = T(0);
            return;
        }
        // In whole rows: what lies about prefetchBytes behind the row that is being read.
        const std::int64_t rowBytes = b.rowStride * static_cast<std::int64_t>(sizeof(T));
        const std::int64_t ahead = b.rowStride * (8 + (rowBytes > 0 ? prefetchBytes / rowBytes : 0));
        std::int64_t term = 0;
        if (k >= 8) {
            addTerms<8, true>(c, a, b, m, n, 0, ahead);
            term = 8;
        } else {
            addTerms<1, true>(c, a, b, m, n, 0, ahead);
            term = 1;
        }
        for (; term + 8 <= k; term += 8)
            addTerms<8, false>(c, a, b, m, n, term, ahead);
        for (; term < k; ++term)
            addTerms<1, false>(c, a, b, m, n, term, ahead);
    }

    /// A block of C: `rows` of A against `columns` of B, each element by 64 bytes of partial sums.
    template <int rows, int columns>
    static void dotBlock(Out c, In a, In b, std::int64_t i, std::int64_t j, std::int64_t k)
    {
        constexpr std::int64_t step = L::width * L::registersPerSum;
        const T* left[count(rows)];
        const T* right[count(columns)];
        for (int r = 0; r < rows; ++r)
            left[r] = a.data + (i + r) * a.rowStride;
        for (int s = 0; s < columns; ++s)
            right[s] = b.data + (j + s) * b.columnStride;
        Register sums[count(rows)][count(columns)][count(L::registersPerSum)];
        for (int r = 0; r < rows; ++r)
            for (int s = 0; s < columns; ++s)
                for (int w = 0; w < L::registersPerSum; ++w)
                    sums[r][s][w] = L::zero();
        const std::int64_t ahead = columns * b.columnStride + prefetchBytes / static_cast<std::int64_t>(sizeof(T));
        std::int64_t t = 0;
        for (; t + step <= k; t += step) {
            for (int s = 0; s < columns; ++s)
                prefetchNear(right[s] + t + ahead);
            for (int w = 0; w < L::registersPerSum; ++w) {
                Register x[count(rows)];
                for (int r = 0; r < rows; ++r)
                    x[r] = L::load(left[r] + t + w * L::width);
                for (int s = 0; s < columns; ++s) {
                    const Register y = L::load(right[s] + t + w * L::width);
                    for (int r = 0; r < rows; ++r)
                        sums[r][s][w] = L::multiplyAdd(x[r], y, sums[r][s][w]);
                }
            }
        }
        for (int r = 0; r < rows; ++r) {
            for (int s = 0; s < columns; ++s) {
                T sum = L::sum(sums[r][s]);
                for (std::int64_t u = t; u < k; ++u)
                    sum = L::scalarMultiplyAdd(left[r][u], right[s][u], sum);
                c.data[(i + r) * c.rowStride + j + s] = sum;
            }
        }
    }

    template <int columns>
    static void dotColumns(Out c, In a, In b, std::int64_t m, std::int64_t j, std::int64_t k)
    {
        std::int64_t i = 0;
        for (; i + L::dotRows <= m; i += L::dotRows)
            dotBlock<L::dotRows, columns>(c, a, b, i, j, k);
        for (; i < m; ++i)
            dotBlock<1, columns>(c, a, b, i, j, k);
    }

    static void fewRowsTransposed(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t k)
    {
        std::int64_t j = 0;
        for (; j + L::dotColumns <= n; j += L::dotColumns)
            dotColumns<L::dotColumns>(c, a, b, m, j, k);
        for (; j < n; ++j)
            dotColumns<1>(c, a, b, m, j, k);
    }

    template <int rows>
    static void outerRows(Out c, In a, In b, std::int64_t i, std::int64_t n, std::int64_t k)
    {
        const T* factor = a.data + i * a.rowStride;
        T* target = c.data + i * c.rowStride;
        std::int64_t j = 0;
        for (; j + L::width <= n; j += L::width) {
            Register sums[count(rows)];
            for (int r = 0; r < rows; ++r)
                sums[r] = L::zero();
            for (std::int64_t t = 0; t < k; ++t) {
                const Register x = L::load(b.data + t * b.rowStride + j);
                for (int r = 0; r < rows; ++r)
                    sums[r] = L::multiplyAdd(L::broadcast(factor[r * a.rowStride + t * a.columnStride]), x, sums[r]);
            }
            for (int r = 0; r < rows; ++r)
                L::store(target + r * c.rowStride + j, sums[r]);
        }
        for (; j < n; ++j) {
            for (int r = 0; r < rows; ++r) {
                T sum = T(0);
                for (std::int64_t t = 0; t < k; ++t)
                    sum = L::scalarMultiplyAdd(
                        factor[r * a.rowStride + t * a.columnStride], b.data[t * b.rowStride + j], sum);
                target[r * c.rowStride + j] = sum;
            }
        }
    }

    static void fewTerms(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t k)
    {
        std::int64_t i = 0;
        for (; i + 4 <= m; i += 4)
            outerRows<4>(c, a, b, i, n, k);
        for (; i < m; ++i)
            outerRows<1>(c, a, b, i, n, k);
    }

    // The packed product: blocks of B [blockTerms, blockColumns] and of A [blockRows, blockTerms] are copied into
    // panels that the tile kernel reads from end to end (Goto and van de Geijn, 2008). Every element of C is still one
    // chain over the contracted index: a later block continues with the value in C.
    static constexpr std::int64_t tileRows = L::tileRows;
    static constexpr std::int64_t tileColumns = L::tileRegisters * L::width;
    static constexpr std::int64_t blockTerms = 256;
    static constexpr std::int64_t blockRows = 96 / tileRows * tileRows;
    static constexpr std::int64_t blockColumns = (480 + tileColumns - 1) / tileColumns * tileColumns;
    static constexpr std::int64_t scratchElements =
        blockTerms * blockRows + blockTerms * blockColumns + tileRows * tileColumns;

    static std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

    /// Panels of `width` lanes: element (t, lane) of the panel that begins at `lane0` stands at lane0 * terms + t *
    /// width.
    static void pack(T* panels, const T* data, std::int64_t laneStride, std::int64_t termStride, std::int64_t lanes,
        std::int64_t terms, std::int64_t width)
    {
        for (std::int64_t lane0 = 0; lane0 < lanes; lane0 += width) {
            const std::int64_t present = smaller(width, lanes - lane0);
            T* panel = panels + lane0 * terms;
            const T* source = data + lane0 * laneStride;
            if (termStride == 1 && laneStride != 1) { // walk memory in its own order
                for (std::int64_t lane = 0; lane < present; ++lane)
                    for (std::int64_t t = 0; t < terms; ++t)
                        panel[t * width + lane] = source[lane * laneStride + t];
            } else {
                for (std::int64_t t = 0; t < terms; ++t)
                    for (std::int64_t lane = 0; lane < present; ++lane)
                        panel[t * width + lane] = source[lane * laneStride + t * termStride];
            }
            for (std::int64_t t = 0; t < terms; ++t)
                for (std::int64_t lane = present; lane < width; ++lane)
                    panel[t * width + lane] = T(0);
        }
    }

    /// A whole tile at `c`, continued or begun.
    static void tile(T* c, std::int64_t stride, const T* aPanel, const T* bPanel, std::int64_t terms, bool first)
    {
        Register sums[count(L::tileRows)][count(L::tileRegisters)];
        for (int r = 0; r < L::tileRows; ++r)
            for (int s = 0; s < L::tileRegisters; ++s)
                sums[r][s] = first ? L::zero() : L::load(c + r * stride + s * L::width);
        for (std::int64_t t = 0; t < terms; ++t) {
            Register x[count(L::tileRegisters)];
            for (int s = 0; s < L::tileRegisters; ++s)
                x[s] = L::load(bPanel + t * tileColumns + s * L::width);
            for (int r = 0; r < L::tileRows; ++r) {
                const Register y = L::broadcast(aPanel[t * tileRows + r]);
                for (int s = 0; s < L::tileRegisters; ++s)
                    sums[r][s] = L::multiplyAdd(y, x[s], sums[r][s]);
            }
        }
        for (int r = 0; r < L::tileRows; ++r)
            for (int s = 0; s < L::tileRegisters; ++s)
                L::store(c + r * stride + s * L::width, sums[r][s]);
    }

    static void partialTile(T* c, std::int64_t stride, std::int64_t rows, std::int64_t columns, const T* aPanel,
        const T* bPanel, std::int64_t terms, bool first, T* buffer)
    {
        for (std::int64_t r = 0; r < tileRows; ++r)
            for (std::int64_t s = 0; s < tileColumns; ++s)
                buffer[r * tileColumns + s] = !first && r < rows && s < columns ? c[r * stride + s] : T(0);
        tile(buffer, tileColumns, aPanel, bPanel, terms, false);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t s = 0; s < columns; ++s)
                c[r * stride + s] = buffer[r * tileColumns + s];
    }

    static void packed(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t k, std::byte* scratch)
    {
        T* aPanels = reinterpret_cast<T*>(scratch);
        T* bPanels = aPanels + blockTerms * blockRows;
        T* buffer = bPanels + blockTerms * blockColumns;
        if (k == 0)
            fewRows(c, a, b, m, n, 0);
        for (std::int64_t j0 = 0; j0 < n; j0 += blockColumns) {
            const std::int64_t columns = smaller(blockColumns, n - j0);
            for (std::int64_t t0 = 0; t0 < k; t0 += blockTerms) {
                const std::int64_t terms = smaller(blockTerms, k - t0);
                pack(bPanels, b.data + t0 * b.rowStride + j0 * b.columnStride, b.columnStride, b.rowStride, columns,
                    terms, tileColumns);
                for (std::int64_t i0 = 0; i0 < m; i0 += blockRows) {
                    const std::int64_t rows = smaller(blockRows, m - i0);
                    pack(aPanels, a.data + i0 * a.rowStride + t0 * a.columnStride, a.rowStride, a.columnStride, rows,
                        terms, tileRows);
                    for (std::int64_t j = 0; j < columns; j += tileColumns) {
                        for (std::int64_t i = 0; i < rows; i += tileRows) {
                            T* target = c.data + (i0 + i) * c.rowStride + j0 + j;
                            const T* aPanel = aPanels + i * terms;
                            const T* bPanel = bPanels + j * terms;
                            if (i + tileRows <= rows && j + tileColumns <= columns)
                                tile(target, c.rowStride, aPanel, bPanel, terms, t0 == 0);
                            else
                                partialTile(target, c.rowStride, smaller(tileRows, rows - i),
                                    smaller(tileColumns, columns - j), aPanel, bPanel, terms, t0 == 0, buffer);
                        }
                    }
                }
            }
        }
    }

    static ProductFunctions<T> functions()
    {
        return { &fewRows, &fewRowsTransposed, &fewTerms, &packed,
            scratchElements * static_cast<std::int64_t>(sizeof(T)) };
    }
};
