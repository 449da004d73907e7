// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices over a vector wrapper. Part of each instruction set's translation unit.

/// Bytes ahead of the stream that the kernels with few rows ask the memory for.
inline constexpr std::int64_t prefetchBytes = 16384;

constexpr std::size_t count(int n)
{
    return static_cast<std::size_t>(n);
}

inline void prefetchNear(const void* p)
{
    __builtin_prefetch(p, 0, 2);
}

/// What the compiler knows of the pointer is forgotten: it does not work it out from others.
template <class T>
inline void keepApart(T*& pointer)
{
    asm("" : "+r"(pointer));
}

/// What is prefetched while B is read: as much as is read, from there on, but of `every` rows only the last one, and
/// the first time after `skip` rows. Null: nothing.
template <class T>
struct Ahead {
    const T* next = nullptr;
    std::int64_t every = 1, skip = 0;
};

template <class L>
struct Products {
    using T = typename L::Scalar;
    using Register = typename L::Register;
    using Out = MatrixView<T>;
    using In = MatrixView<const T>;

    /// Rows of C and A that stand beside each other; eight rows may be four of one product and four of another.
    using Rows = ProductRows<T>;
    template <int rows> // an entry for every four of them
    using RowGroups = const Rows (&)[count((rows + 3) / 4)];
    static Rows rowsFrom(const Rows& of, std::int64_t i)
    {
        return { { of.c.data + i * of.c.rowStride, of.c.rowStride, 1 },
            { of.a.data + i * of.a.rowStride, of.a.rowStride, of.a.columnStride } };
    }

    /// Adds `terms` neighbouring terms of the contracted index to `rows` rows of C, `registers` registers of each from
    /// column j on; or starts C with them. Moves on what is prefetched.
    template <int rows, int registers>
    [[gnu::always_inline]] static inline void addTerms(
        RowGroups<rows> of, In b, std::int64_t j, std::int64_t term, std::int64_t terms, bool first, Ahead<T>& ahead)
    {
        constexpr auto lineElements = static_cast<std::int64_t>(64 / sizeof(T));
        const T* next = ahead.next;
        std::int64_t skip = ahead.skip;
        const auto target = [&](int r) { return of[r / 4].c.data + r % 4 * of[r / 4].c.rowStride + j; };
        Register sums[count(rows)][count(registers)];
#pragma GCC unroll 16
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
            for (int s = 0; s < registers; ++s)
                sums[r][s] = first ? L::zero() : L::load(target(r) + s * L::width);
        // A pointer for every four rows, so that all of them stay in registers.
        constexpr int fours = (rows + 3) / 4;
        const T* factors[count(fours)];
#pragma GCC unroll 4
        for (int four = 0; four < fours; ++four) {
            factors[four] = of[four].a.data + term * of[four].a.columnStride;
            keepApart(factors[four]);
        }
        const T* row = b.data + term * b.rowStride + j;
        for (std::int64_t t = 0; t < terms; ++t, row += b.rowStride) {
            if (next != nullptr) {
                if (skip-- == 0) {
#pragma GCC unroll 4
                    for (std::int64_t line = 0; line < registers * L::width; line += lineElements)
                        prefetchNear(next + line);
                    skip = ahead.every - 1;
                }
                next += registers * L::width;
            }
            Register x[count(registers)];
#pragma GCC unroll 4
            for (int s = 0; s < registers; ++s)
                x[s] = L::load(row + s * L::width);
#pragma GCC unroll 16
            for (int r = 0; r < rows; ++r) {
                const Register y = L::broadcast(factors[r / 4][r % 4 * of[r / 4].a.rowStride]);
#pragma GCC unroll 4
                for (int s = 0; s < registers; ++s)
                    sums[r][s] = L::multiplyAdd(y, x[s], sums[r][s]);
            }
#pragma GCC unroll 4
            for (int four = 0; four < fours; ++four)
                factors[four] += of[four].a.columnStride;
        }
        ahead.next = next;
        ahead.skip = skip;
#pragma GCC unroll 16
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
            for (int s = 0; s < registers; ++s)
                L::store(target(r) + s * L::width, sums[r][s]);
    }

    /// The same for the last columns, fewer than a register holds.
    template <int rows>
    static void addToLastColumns(RowGroups<rows> of, In b, std::int64_t j, std::int64_t columns, std::int64_t term,
        std::int64_t terms, bool first)
    {
        const auto target = [&](int r) { return of[r / 4].c.data + r % 4 * of[r / 4].c.rowStride + j; };
        const T* row = b.data + term * b.rowStride + j;
        if constexpr (L::hasParts) {
            const auto part = L::firstLanes(columns);
            Register sums[count(rows)];
#pragma GCC unroll 16
            for (int r = 0; r < rows; ++r)
                sums[r] = first ? L::zero() : L::loadPart(target(r), part);
            constexpr int fours = (rows + 3) / 4;
            const T* factors[count(fours)];
#pragma GCC unroll 4
            for (int four = 0; four < fours; ++four) {
                factors[four] = of[four].a.data + term * of[four].a.columnStride;
                keepApart(factors[four]);
            }
            for (std::int64_t t = 0; t < terms; ++t, row += b.rowStride) {
                const Register x = L::loadPart(row, part);
#pragma GCC unroll 16
                for (int r = 0; r < rows; ++r)
                    sums[r] = L::multiplyAdd(L::broadcast(factors[r / 4][r % 4 * of[r / 4].a.rowStride]), x, sums[r]);
#pragma GCC unroll 4
                for (int four = 0; four < fours; ++four)
                    factors[four] += of[four].a.columnStride;
            }
#pragma GCC unroll 16
            for (int r = 0; r < rows; ++r)
                L::storePart(target(r), sums[r], part);
        } else {
            for (int r = 0; r < rows; ++r) {
                const In& a = of[r / 4].a;
                const T* factor = a.data + r % 4 * a.rowStride + term * a.columnStride;
                for (std::int64_t column = 0; column < columns; ++column) {
                    T sum = first ? T(0) : target(r)[column];
                    for (std::int64_t t = 0; t < terms; ++t)
                        sum = L::scalarMultiplyAdd(factor[t * a.columnStride], row[t * b.rowStride + column], sum);
                    target(r)[column] = sum;
                }
            }
        }
    }

    template <int rows>
    static void addToRows(
        RowGroups<rows> of, In b, std::int64_t n, std::int64_t term, std::int64_t terms, bool first, Ahead<T> ahead)
    {
        std::int64_t j = 0;
        if constexpr (rows <= 4 && L::tileRegisters >= 4)
            for (; j + 4 * L::width <= n; j += 4 * L::width)
                addTerms<rows, 4>(of, b, j, term, terms, first, ahead);
        if constexpr (rows <= 8)
            for (; j + 2 * L::width <= n; j += 2 * L::width)
                addTerms<rows, 2>(of, b, j, term, terms, first, ahead);
        if (j + L::width <= n) {
            addTerms<rows, 1>(of, b, j, term, terms, first, ahead);
            j += L::width;
        }
        if constexpr (requires { typename L::Half; })
            if (j + L::Half::width <= n) {
                Products<typename L::Half>::template addTerms<rows, 1>(of, b, j, term, terms, first, ahead);
                j += L::Half::width;
            }
        if (j < n)
            addToLastColumns<rows>(of, b, j, n - j, term, terms, first);
    }

    /// Enough sums at a time to hide how long one takes.
    static constexpr bool takesEightRows = L::tileRows > 4;

    /// Some terms to all of C.
    static void addToAll(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t term, std::int64_t terms,
        bool first, Ahead<T> ahead)
    {
        const Rows all{ c, a };
        std::int64_t i = 0; // the first rows ask for what comes next
        if constexpr (takesEightRows) {
            if (n <= L::width)
                for (; i + 16 <= m; i += 16, ahead = {})
                    addToRows<16>(
                        { rowsFrom(all, i), rowsFrom(all, i + 4), rowsFrom(all, i + 8), rowsFrom(all, i + 12) }, b, n,
                        term, terms, first, ahead);
            for (; i + 8 <= m; i += 8, ahead = {})
                addToRows<8>({ rowsFrom(all, i), rowsFrom(all, i + 4) }, b, n, term, terms, first, ahead);
        }
        for (; i + 4 <= m; i += 4, ahead = {})
            addToRows<4>({ rowsFrom(all, i) }, b, n, term, terms, first, ahead);
        if (i + 2 <= m) {
            addToRows<2>({ rowsFrom(all, i) }, b, n, term, terms, first, ahead);
            i += 2;
            ahead = {};
        }
        if (i < m)
            addToRows<1>({ rowsFrom(all, i) }, b, n, term, terms, first, ahead);
    }

    static void fewRows(
        const ProductRows<T>* of, std::int64_t count, In b, std::int64_t m, std::int64_t n, std::int64_t k,
        std::int64_t following)
    {
        // What stands in memory after some terms is prefetched in its order, where B's rows are neighbours: each pass
        // over them asks for its part of it.
        const auto inBlocks = [&](std::int64_t terms, std::int64_t passes, const auto& add) {
            const std::int64_t distance = larger(terms * n, prefetchBytes / static_cast<std::int64_t>(sizeof(T)));
            std::int64_t term = 0;
            do {
                const bool isInB = b.rowStride == n && (term + terms) * n + distance <= k * n + following;
                for (std::int64_t pass = 0; pass < passes; ++pass)
                    add(pass, term, smaller(terms, k - term),
                        Ahead<T>{ isInB ? b.data + term * n + distance : nullptr, passes, pass });
                term += terms;
            } while (term < k);
        };
        // So many terms that C is seldom read and written, and that their rows of B and the next ones fit the L2 cache.
        const std::int64_t rowBytes = b.rowStride * static_cast<std::int64_t>(sizeof(T));
        const bool hasLongRows = rowBytes >= 512;
        if constexpr (takesEightRows) {
            const std::int64_t fours = m / 4; // of one product
            if (hasLongRows && m % 4 == 0 && count * fours % 2 == 0) {
                const auto four = [&](std::int64_t i) { return rowsFrom(of[i / fours], i % fours * 4); };
                // Of a small B fewer, since as much is read from it before prefetching helps.
                const std::int64_t terms = k >= 128 && rowBytes <= 16384 ? 16 : 8;
                return inBlocks(terms, count * fours / 2,
                    [&](std::int64_t pass, std::int64_t term, std::int64_t some, const Ahead<T>& ahead) {
                        addToRows<8>({ four(2 * pass), four(2 * pass + 1) }, b, n, term, some, term == 0, ahead);
                    });
            }
        }
        inBlocks(hasLongRows ? 8 : 32, count,
            [&](std::int64_t pass, std::int64_t term, std::int64_t some, const Ahead<T>& ahead) {
                addToAll(of[pass].c, of[pass].a, b, m, n, term, some, term == 0, ahead);
            });
    }

    /// A block of C: `rows` of A against `columns` of B, each element by 64 bytes of partial sums. The registers of
    /// these are filled one after the other, so that all of a block's fit.
    template <int rows, int columns>
    static void dotBlock(Out c, In a, In b, std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t ahead)
    {
        constexpr std::int64_t step = L::width * L::registersPerSum;
        const T* const left = a.data + i * a.rowStride;
        const T* const right = b.data + j * b.columnStride;
        const std::int64_t end = k / step * step;
        Register parts[count(rows)][count(columns)][count(L::registersPerSum)];
#pragma GCC unroll 4
        for (int w = 0; w < L::registersPerSum; ++w) {
            Register sums[count(rows)][count(columns)];
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
                for (int s = 0; s < columns; ++s)
                    sums[r][s] = L::zero();
            for (std::int64_t t = w * L::width; t < end; t += step) {
                if (ahead != 0)
#pragma GCC unroll 4
                    for (int s = w; s < columns; s += L::registersPerSum) // each column's once
                        prefetchNear(right + s * b.columnStride + t + ahead);
                Register y[count(columns)];
#pragma GCC unroll 4
                for (int s = 0; s < columns; ++s)
                    y[s] = L::load(right + s * b.columnStride + t);
#pragma GCC unroll 4
                for (int r = 0; r < rows; ++r) {
                    const Register x = L::load(left + r * a.rowStride + t);
#pragma GCC unroll 4
                    for (int s = 0; s < columns; ++s)
                        sums[r][s] = L::multiplyAdd(x, y[s], sums[r][s]);
                }
            }
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
                for (int s = 0; s < columns; ++s)
                    parts[r][s][w] = sums[r][s];
        }
        const auto finish = [&](int r, int s, T sum) {
            for (std::int64_t u = end; u < k; ++u)
                sum = L::scalarMultiplyAdd(left[r * a.rowStride + u], right[s * b.columnStride + u], sum);
            c.data[(i + r) * c.rowStride + j + s] = sum;
        };
        if constexpr (sumsTogether && rows == 4 && columns == 4) {
            Register all[4][4];
            for (int r = 0; r < 4; ++r)
                for (int s = 0; s < 4; ++s)
                    all[r][s] = parts[r][s][0];
            T sums[16];
            L::sumSixteen(sums, all);
            for (int r = 0; r < 4; ++r)
                for (int s = 0; s < 4; ++s)
                    finish(r, s, sums[4 * s + r]);
        } else {
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
                for (int s = 0; s < columns; ++s)
                    finish(r, s, L::sum(parts[r][s]));
        }
    }

    /// Whether the sums of a block of 4 x 4 can be made together.
    static constexpr bool sumsTogether = requires(T* out, const Register (&rows)[4][4]) { L::sumSixteen(out, rows); };

    /// `end`: of the elements that may be prefetched.
    template <int columns>
    static void dotColumns(Out c, In a, In b, std::int64_t m, std::int64_t j, std::int64_t k, std::int64_t end)
    {
        std::int64_t ahead = columns * b.columnStride + prefetchBytes / static_cast<std::int64_t>(sizeof(T));
        if ((j + columns) * b.columnStride + ahead > end)
            ahead = 0;
        std::int64_t i = 0;
        for (; i + 4 <= m; i += 4, ahead = 0)
            dotBlock<4, columns>(c, a, b, i, j, k, ahead);
        if (i + 2 <= m) {
            dotBlock<2, columns>(c, a, b, i, j, k, ahead);
            i += 2;
            ahead = 0;
        }
        if (i < m)
            dotBlock<1, columns>(c, a, b, i, j, k, ahead);
    }

    static void fewRowsTransposed(
        Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t following)
    {
        const std::int64_t end = n * b.columnStride + following;
        std::int64_t j = 0;
        if constexpr (sumsTogether)
            for (; j + 4 <= n && m >= 4; j += 4)
                dotColumns<4>(c, a, b, m, j, k, end);
        for (; j + 3 <= n && j + 4 != n; j += 3) // four are better done as two and two
            dotColumns<3>(c, a, b, m, j, k, end);
        for (; j + 2 <= n; j += 2)
            dotColumns<2>(c, a, b, m, j, k, end);
        if (j < n)
            dotColumns<1>(c, a, b, m, j, k, end);
    }

    static void fewTerms(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t k)
    {
        addToAll(c, a, b, m, n, 0, k, true, {});
    }

    /// `rows` x `registers` of the sum of one or two products, each a chain of multiply-adds. `load` and `store` get a
    /// register and where it stands: `load` in B, `store` by row and column of the sum.
    template <int products, int rows, int registers, class Load, class Store>
    [[gnu::always_inline]] static inline void sumOf(const FewTermsOperands<T>* of, std::int64_t i, std::int64_t j,
        std::int64_t k, const Load& load, const Store& store)
    {
        Register sums[count(products)][count(rows)][count(registers)];
#pragma GCC unroll 2
        for (int p = 0; p < products; ++p)
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
                for (int s = 0; s < registers; ++s)
                    sums[p][r][s] = L::zero();
        for (std::int64_t t = 0; t < k; ++t)
#pragma GCC unroll 2
            for (int p = 0; p < products; ++p) {
                const T* row = of[p].b.data + t * of[p].b.rowStride + j;
                const T* factor = of[p].a.data + i * of[p].a.rowStride + t * of[p].a.columnStride;
                Register terms[count(registers)];
#pragma GCC unroll 4
                for (int s = 0; s < registers; ++s)
                    load(terms[s], row + s * L::width);
#pragma GCC unroll 4
                for (int r = 0; r < rows; ++r) {
                    const Register one = L::broadcast(factor[r * of[p].a.rowStride]);
#pragma GCC unroll 4
                    for (int s = 0; s < registers; ++s)
                        sums[p][r][s] = L::multiplyAdd(one, terms[s], sums[p][r][s]);
                }
            }
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
            for (int s = 0; s < registers; ++s) {
                Register sum = sums[0][r][s];
                if constexpr (products == 2)
                    sum = L::add(sum, sums[1][r][s]);
                store(i + r, j + s * L::width, sum);
            }
    }
    /// `rows` rows of the sum. `target` takes full registers, parts of one, and single elements where the instruction
    /// set has no parts. It is a copy, so that its members can stay in registers.
    template <int products, int rows, class Target>
    static void rowsOf(
        const FewTermsOperands<T>* of, std::int64_t i, std::int64_t n, std::int64_t k, const Target target)
    {
        const auto load = [](Register& to, const T* from) { to = L::load(from); };
        const auto store = [&target](std::int64_t row, std::int64_t column, const Register& sum) {
            target.full(row, column, sum);
        };
        std::int64_t j = 0;
        if constexpr (products == 1 || L::tileRegisters >= 4) // of 8 sums at a time, or 16
            for (; j + 2 * L::width <= n; j += 2 * L::width)
                sumOf<products, rows, 2>(of, i, j, k, load, store);
        for (; j + L::width <= n; j += L::width)
            sumOf<products, rows, 1>(of, i, j, k, load, store);
        if (j == n)
            return;
        if constexpr (L::hasParts) {
            const auto part = L::firstLanes(n - j);
            sumOf<products, rows, 1>(
                of, i, j, k, [part](Register& to, const T* from) { to = L::loadPart(from, part); },
                [&target, part](std::int64_t row, std::int64_t column, const Register& sum) {
                    target.part(row, column, sum, part);
                });
        } else {
            for (int r = 0; r < rows; ++r)
                for (std::int64_t column = j; column < n; ++column) {
                    const auto element = [&](const FewTermsOperands<T>& one) {
                        T sum = 0;
                        for (std::int64_t t = 0; t < k; ++t)
                            sum = L::scalarMultiplyAdd(one.a.data[(i + r) * one.a.rowStride + t * one.a.columnStride],
                                one.b.data[t * one.b.rowStride + column], sum);
                        return sum;
                    };
                    T sum = element(of[0]);
                    if constexpr (products == 2) // 1 x + y is the sum: nothing else is rounded
                        sum = L::scalarMultiplyAdd(T(1), sum, element(of[1]));
                    target.one(i + r, column, sum);
                }
        }
    }
    template <int products, class Target>
    static void allRowsOf(
        const FewTermsOperands<T>* of, std::int64_t m, std::int64_t n, std::int64_t k, const Target& target)
    {
        std::int64_t i = 0;
        for (; i + 4 <= m; i += 4)
            rowsOf<products, 4>(of, i, n, k, target);
        for (; i < m; ++i)
            rowsOf<products, 1>(of, i, n, k, target);
    }

    struct StoreInMatrix {
        Out c;
        [[nodiscard]] T* at(std::int64_t row, std::int64_t column) const { return c.data + row * c.rowStride + column; }
        void full(std::int64_t row, std::int64_t column, const Register& sum) const { L::store(at(row, column), sum); }
        template <class Part>
        void part(std::int64_t row, std::int64_t column, const Register& sum, Part lanes) const
        {
            L::storePart(at(row, column), sum, lanes);
        }
        void one(std::int64_t row, std::int64_t column, T sum) const { *at(row, column) = sum; }
    };
    static void fewTermsOfTwo(Out c, const FewTermsOperands<T>& x, const FewTermsOperands<T>& y, std::int64_t m,
        std::int64_t n, std::int64_t k)
    {
        const FewTermsOperands<T> both[] = { x, y };
        allRowsOf<2>(both, m, n, k, StoreInMatrix{ c });
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

    static std::int64_t smaller(std::int64_t a, std::int64_t b)
    {
        return a < b ? a : b;
    }
    static std::int64_t larger(std::int64_t a, std::int64_t b)
    {
        return a > b ? a : b;
    }

    /// Four by four elements: out[t, lane] = in[lane, t].
    static void transposeFour(T* out, std::int64_t outStride, const T* in, std::int64_t inStride)
    {
        using Four [[gnu::vector_size(4 * sizeof(T))]] = T;
        Four lane[4];
        for (int i = 0; i < 4; ++i)
            __builtin_memcpy(&lane[i], in + i * inStride, sizeof(Four));
        const Four low01 = __builtin_shufflevector(lane[0], lane[1], 0, 4, 1, 5);
        const Four high01 = __builtin_shufflevector(lane[0], lane[1], 2, 6, 3, 7);
        const Four low23 = __builtin_shufflevector(lane[2], lane[3], 0, 4, 1, 5);
        const Four high23 = __builtin_shufflevector(lane[2], lane[3], 2, 6, 3, 7);
        const Four term[4] = { __builtin_shufflevector(low01, low23, 0, 1, 4, 5),
            __builtin_shufflevector(low01, low23, 2, 3, 6, 7), __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
            __builtin_shufflevector(high01, high23, 2, 3, 6, 7) };
        for (int i = 0; i < 4; ++i)
            __builtin_memcpy(out + i * outStride, &term[i], sizeof(Four));
    }
    /// out[t, lane] = in[lane, t]. Both sides' rows are neighbours in memory.
    static void transpose(
        T* out, std::int64_t outStride, const T* in, std::int64_t inStride, std::int64_t lanes, std::int64_t terms)
    {
        std::int64_t lane = 0, fours = 0;
        if constexpr (sizeof(T) == 4) {
            fours = terms / 4 * 4;
            for (; lane + 4 <= lanes; lane += 4)
                for (std::int64_t t = 0; t < fours; t += 4)
                    transposeFour(out + t * outStride + lane, outStride, in + lane * inStride + t, inStride);
        }
        for (std::int64_t rest = 0; rest < lanes; ++rest)
            for (std::int64_t t = rest < lane ? fours : 0; t < terms; ++t)
                out[t * outStride + rest] = in[rest * inStride + t];
    }

    /// Panels of `width` lanes: element (t, lane) of the panel that begins at `lane0` stands at lane0 * terms + t *
    /// width.
    static void pack(T* panels, const T* data, std::int64_t laneStride, std::int64_t termStride, std::int64_t lanes,
        std::int64_t terms, std::int64_t width)
    {
        if (laneStride == 1 && width % L::width == 0) { // rows of the matrix from end to end, as memory likes them
            for (std::int64_t t = 0; t < terms; ++t)
                for (std::int64_t lane0 = 0; lane0 < lanes; lane0 += width) {
                    T* to = panels + lane0 * terms + t * width;
                    const T* from = data + lane0 + t * termStride;
                    const std::int64_t present = smaller(width, lanes - lane0);
                    if (present == width) {
                        for (std::int64_t lane = 0; lane < width; lane += L::width)
                            L::store(to + lane, L::load(from + lane));
                    } else
                        for (std::int64_t lane = 0; lane < width; ++lane)
                            to[lane] = lane < present ? from[lane] : T(0);
                }
            return;
        }
        for (std::int64_t lane0 = 0; lane0 < lanes; lane0 += width) {
            const std::int64_t present = smaller(width, lanes - lane0);
            T* panel = panels + lane0 * terms;
            const T* source = data + lane0 * laneStride;
            if (termStride == 1 && laneStride != 1) {
                transpose(panel, width, source, laneStride, present, terms);
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

    /// Registers that hold so many columns, in columns.
    static std::int64_t padded(std::int64_t n)
    {
        return (n + L::width - 1) / L::width * L::width;
    }

    /// Matrices that the caches hold as they lie: panels would take longer than what they save.
    static bool isSmall(std::int64_t m, std::int64_t n, std::int64_t k)
    {
        constexpr std::int64_t largest = 65536 / static_cast<std::int64_t>(sizeof(T)); // of each operand
        return k * padded(n) <= largest && m * k <= largest && k * padded(n) + m * L::width <= scratchElements;
    }
    /// All terms in one go. B's columns are put beside each other where they are not, with zeros up to full registers
    /// where these cannot be loaded in part.
    static void small(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t k, T* scratch)
    {
        const std::int64_t all = padded(n), full = n / L::width * L::width;
        if (b.columnStride != 1 || (all != n && !L::hasParts)) {
            for (std::int64_t t = 0; t < k && !L::hasParts; ++t)
                for (std::int64_t j = n; j < all; ++j)
                    scratch[t * all + j] = T(0);
            if (b.rowStride == 1)
                transpose(scratch, all, b.data, b.columnStride, n, k);
            else
                for (std::int64_t t = 0; t < k; ++t)
                    for (std::int64_t j = 0; j < n; ++j)
                        scratch[t * all + j] = b.data[t * b.rowStride + j * b.columnStride];
            b = { scratch, all, 1 };
        }
        addToAll(c, a, b, m, L::hasParts ? n : full, 0, k, true, {});
        if (L::hasParts || full == n)
            return;
        T* const edge = scratch + k * all;
        addToAll({ edge, L::width, 1 }, a, { b.data + full, all, 1 }, m, L::width, 0, k, true, {});
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = full; j < n; ++j)
                c.data[i * c.rowStride + j] = edge[i * L::width + j - full];
    }

    static void packed(Out c, In a, In b, std::int64_t m, std::int64_t n, std::int64_t k, std::byte* scratch)
    {
        if (isSmall(m, n, k))
            return small(c, a, b, m, n, k, reinterpret_cast<T*>(scratch));
        T* aPanels = reinterpret_cast<T*>(scratch);
        T* bPanels = aPanels + blockTerms * blockRows;
        T* buffer = bPanels + blockTerms * blockColumns;
        if (k == 0)
            addToAll(c, a, b, m, n, 0, 0, true, {});
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
        return { &fewRows, &fewRowsTransposed, &fewTerms, &fewTermsOfTwo, &packed,
            scratchElements * static_cast<std::int64_t>(sizeof(T)) };
    }
};
