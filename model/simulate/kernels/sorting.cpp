// SPDX-License-Identifier: GPL-3.0-or-later
// sort by a comparator, and the largest k numbers.
// Declared in call.h.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "simulate/kernels/body.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/position.h"

namespace shardscope::kernels {

namespace {

/// Whether an element comes before another one, as the body says: its arguments are pairs (a0, b0, a1, b1, ...).
class Before {
public:
    Before(BodyRun& body, std::span<const Array> lines)
        : m_body(&body)
        , m_lines(lines)
        , m_specified(2 * lines.size())
    {
    }
    bool operator()(std::int64_t a, std::int64_t b)
    {
        for (std::size_t i = 0; i < m_lines.size(); ++i) {
            m_specified[2 * i] = m_lines[i].data() + a * m_lines[i].elementBytes();
            m_specified[2 * i + 1] = m_lines[i].data() + b * m_lines[i].elementBytes();
        }
        std::byte result{ 0 };
        const std::array<std::byte*, 1> put{ &result };
        m_body->run(m_specified, put, 1);
        return result != std::byte{ 0 };
    }

private:
    BodyRun* m_body;
    std::span<const Array> m_lines;
    std::vector<const std::byte*> m_specified;
};

/// Always stable: where the order is free this is one of the right ones, the same everywhere.
Arrays sort(const Call& call)
{
    const auto& own = call.own<SortAttributes>();
    const Shape& shape = call.operands[0].type.shape;
    Arrays results;
    for (std::size_t i = 0; i < call.operands.size(); ++i)
        results.push_back(Array::make(call.type(i)));
    if (results[0].count() == 0)
        return results;
    if (shape.empty())
        return { call.operands.begin(), call.operands.end() };
    const std::size_t dim =
        at(own.dimension < 0 ? own.dimension + static_cast<std::int64_t>(shape.size()) : own.dimension);
    const std::int64_t length = shape[dim];
    const Shape strides = stridesOf(shape);
    BodyRun body(call, call.operation.regions[0]);
    Arrays lines;
    for (const Array& operand : call.operands)
        lines.push_back(Array::make({ operand.type.dtype, { length } }));
    std::vector<std::int64_t> order(at(length));
    Shape outer = shape, index;
    outer[dim] = 1;
    index.resize(shape.size(), 0);
    const std::array line{ length };
    const std::array step{ strides[dim] };
    const std::array<std::int64_t, 1> one{ 1 };
    do {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < shape.size(); ++d)
            offset += index[d] * strides[d];
        for (std::size_t i = 0; i < lines.size(); ++i)
            copyBox(line, lines[i].data(), one, call.operands[i].data() + offset * lines[i].elementBytes(), step,
                lines[i].elementBytes());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), Before(body, lines));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::int64_t bytes = lines[i].elementBytes();
            for (std::int64_t k = 0; k < length; ++k)
                std::memcpy(results[i].data() + (offset + k * strides[dim]) * bytes,
                    lines[i].data() + order[at(k)] * bytes, at(bytes));
        }
    } while (advance(index, outer));
    return results;
}

/// The largest first, the smaller place first among equals; NaN is above all numbers.
Arrays topK(const Call& call)
{
    const Array& operand = call.operands[0];
    const std::int64_t k = call.own<TopKAttributes>().k, length = operand.type.shape.back();
    Array values = Array::make(call.type(0)), places = Array::make(call.type(1));
    if (values.count() == 0)
        return { values, places };
    Attributes greater = CompareAttributes{ Comparison::Greater, CompareType::TotalOrder };
    const std::array pair{ operand.type.dtype, operand.type.dtype };
    const ElementKernel kernel = *elementKernel(OpKind::Compare, greater, pair, DType::Pred);
    const std::int64_t bytes = operand.elementBytes();
    std::vector<std::int64_t> order(at(length));
    for (std::int64_t row = 0; row < operand.count() / length; ++row) {
        const std::byte* line = operand.data() + row * length * bytes;
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            const std::array<const std::byte*, 2> operands{ line + a * bytes, line + b * bytes };
            std::byte result{ 0 };
            kernel.run(operands.data(), &result, 1);
            return result != std::byte{ 0 };
        });
        for (std::int64_t i = 0; i < k; ++i) {
            std::memcpy(values.data() + (row * k + i) * bytes, line + order[at(i)] * bytes, at(bytes));
            setInteger(places, row * k + i, order[at(i)]);
        }
    }
    return { values, places };
}

} // namespace

Evaluate sortEvaluator(OpKind kind)
{
    switch (kind) {
    case OpKind::Sort:
        return sort;
    case OpKind::ChloTopK:
        return topK;
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
