// SPDX-License-Identifier: GPL-3.0-or-later
// chlo.ragged_dot: a product of matrices for every group. What stands outside of a group is not read for it.
// Declared in products.h.
#include <algorithm>
#include <array>

#include "program/ragged_dot.h"
#include "simulate/kernels/element_types.h"
#include "simulate/kernels/position.h"
#include "simulate/kernels/products.h"

namespace shardscope::kernels {

namespace {

struct Part {
    std::int64_t begin = 0, end = 0; ///< along the ragged dimension
};

/// The groups of every place before the ragged dimension, cut off at its end.
class Groups {
public:
    Groups(const Array& sizes, std::int64_t length)
        : m_sizes(converted(sizes, DType::I64))
        , m_length(length)
        , m_count(sizes.type.shape.back())
    {
    }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] std::vector<Part> at(std::int64_t place) const
    {
        const std::int64_t* sizes = m_sizes.as<std::int64_t>() + (m_sizes.type.rank() == 1 ? 0 : place * m_count);
        std::vector<Part> parts;
        std::int64_t begin = 0;
        for (std::int64_t g = 0; g < m_count; ++g) {
            const std::int64_t end = begin + std::clamp<std::int64_t>(sizes[g], 0, m_length - begin);
            parts.push_back({ begin, end });
            begin = end;
        }
        return parts;
    }

private:
    Array m_sizes;
    std::int64_t m_length;
    std::int64_t m_count;
};

std::int64_t elements(const Array& array, std::span<const std::int64_t> dims)
{
    std::int64_t count = 1;
    for (const std::int64_t dim : dims)
        count *= array.type.shape[at(dim)];
    return count;
}

/// Dimensions of the line before and after the ragged one, as numbers of elements.
struct Line {
    std::int64_t before = 1, length = 1, after = 1;

    Line(const Array& array, const Dimensions& dims, std::int64_t ragged)
    {
        const auto place = std::find(dims.begin(), dims.end(), ragged);
        before = elements(array, { dims.begin(), place });
        length = array.type.shape[at(ragged)];
        after = elements(array, { place + 1, dims.end() });
    }
    [[nodiscard]] std::int64_t all() const { return before * length * after; }
};

/// Rows of a group times the matrix of the group.
Array freeRagged(const RaggedDot& dot, const Array& lhs, const Array& rhs, const Array& sizes, const TensorType& type)
{
    const Array a = ordered(lhs, dot.dims.lhsBatch, dot.leftFree, dot.dims.lhsContracting);
    Dimensions first{ dot.group };
    for (const std::int64_t dim : *dot.dims.rhsBatch)
        first.push_back(dim);
    const Array b = ordered(rhs, first, dot.dims.rhsContracting, dot.rightFree);
    const Line rows(lhs, dot.leftFree, dot.ragged);
    const std::int64_t batches = extent(lhs, dot.dims.lhsBatch), n = extent(rhs, dot.rightFree),
                       k = extent(lhs, dot.dims.lhsContracting), bytes = byteSize(type.dtype);
    const Groups groups(sizes, rows.length);
    Array result = Array::make(type);
    std::fill_n(result.data(), result.count() * bytes, std::byte{ 0 });
    for (std::int64_t place = 0; place < batches * rows.before; ++place) {
        const std::int64_t batch = place / rows.before, firstRow = place * rows.length * rows.after;
        const std::vector<Part> parts = groups.at(place);
        for (std::int64_t g = 0; g < groups.count(); ++g) {
            const std::int64_t row = firstRow + parts[at(g)].begin * rows.after,
                               count = (parts[at(g)].end - parts[at(g)].begin) * rows.after;
            multiply(type.dtype, a.data() + row * k * bytes, b.data() + (g * batches + batch) * k * n * bytes,
                result.data() + row * n * bytes, count, n, k);
        }
    }
    return result;
}

/// Sums over each group alone.
Array contractedRagged(
    const RaggedDot& dot, const Array& lhs, const Array& rhs, const Array& sizes, const TensorType& type)
{
    const Array a = ordered(lhs, dot.dims.lhsBatch, dot.dims.lhsContracting, dot.leftFree),
                b = ordered(rhs, dot.dims.rhsBatch, dot.dims.rhsContracting, dot.rightFree);
    const Line line(lhs, dot.dims.lhsContracting, dot.ragged);
    const std::int64_t batches = extent(lhs, dot.dims.lhsBatch), m = extent(lhs, dot.leftFree),
                       n = extent(rhs, dot.rightFree), k = line.all(), bytes = byteSize(type.dtype);
    const Groups groups(sizes, line.length);
    Array result = Array::make(type);
    std::vector<std::byte> left(at(m * k * bytes)), right(at(k * n * bytes));
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        for (std::int64_t g = 0; g < groups.count(); ++g) {
            // The rows of the group, those of the left side turned: [m, count] times [count, n].
            std::int64_t count = 0;
            std::vector<Part> runs; // of rows of a and b
            for (std::int64_t place = 0; place < line.before; ++place) {
                const Part part = groups.at(batch * line.before + place)[at(g)];
                const std::int64_t begin = (place * line.length + part.begin) * line.after,
                                   end = (place * line.length + part.end) * line.after;
                runs.push_back({ begin, end });
                count += end - begin;
            }
            std::int64_t done = 0;
            for (const Part& run : runs) {
                const std::array box{ run.end - run.begin, m };
                const std::array<std::int64_t, 2> to{ 1, count };
                const std::array<std::int64_t, 2> from{ m, 1 };
                if (box[0] == 0)
                    continue;
                copyBox(
                    box, left.data() + done * bytes, to, a.data() + (batch * k + run.begin) * m * bytes, from, bytes);
                std::copy_n(b.data() + (batch * k + run.begin) * n * bytes, box[0] * n * bytes,
                    right.begin() + done * n * bytes);
                done += box[0];
            }
            multiply(type.dtype, left.data(), right.data(), result.data() + (g * batches + batch) * m * n * bytes, m, n,
                count);
        }
    }
    return result;
}

} // namespace

Arrays raggedDot(const Call& call)
{
    const RaggedDot dot = *raggedDotOf(call.program, call.operation); // verify() found it right
    const TensorType& type = call.type();
    const Array lhs = converted(call.operands[0], type.dtype), rhs = converted(call.operands[1], type.dtype);
    switch (dot.mode) {
    case RaggedMode::Free:
        return { freeRagged(dot, lhs, rhs, call.operands[2], type) };
    case RaggedMode::Contracted:
        return { contractedRagged(dot, lhs, rhs, call.operands[2], type) };
    case RaggedMode::Batch:
        break;
    }
    return { contracted(lhs, rhs, dot.dims, type) };
}

} // namespace shardscope::kernels
