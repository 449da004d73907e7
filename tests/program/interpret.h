// SPDX-License-Identifier: GPL-3.0-or-later
// A program executed in double by plain loops, for tests: values[id] is row-major. Written for shortness, not for
// speed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "program/interpret_more.h"
#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope::test {

using Array = std::vector<double>;
using Index = std::vector<std::int64_t>;

inline Index unravel(std::int64_t flat, const Shape& shape)
{
    Index index(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; flat /= shape[d])
        index[d] = flat % shape[d];
    return index;
}

inline std::size_t ravel(const Index& index, const Shape& shape)
{
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        flat = flat * shape[d] + index[d];
    return static_cast<std::size_t>(flat);
}

inline double applyElementwise(OpKind kind, Comparison direction, double a, double b, double c)
{
    switch (kind) {
    // clang-format off
    case OpKind::Abs: return std::abs(a);
    case OpKind::Negate: return -a;
    case OpKind::Exponential: return std::exp(a);
    case OpKind::Log: return std::log(a);
    case OpKind::Logistic: return 1 / (1 + std::exp(-a));
    case OpKind::Tanh: return std::tanh(a);
    case OpKind::Sqrt: return std::sqrt(a);
    case OpKind::Rsqrt: return 1 / std::sqrt(a);
    case OpKind::Sign: return a > 0 ? 1 : a < 0 ? -1 : a;
    case OpKind::Sine: return std::sin(a);
    case OpKind::Cosine: return std::cos(a);
    case OpKind::Not: return a == 0 ? 1 : 0;
    case OpKind::Convert: case OpKind::ShardingConstraint: return a;
    case OpKind::Add: return a + b;
    case OpKind::Subtract: return a - b;
    case OpKind::Multiply: return a * b;
    case OpKind::Divide: return a / b;
    case OpKind::Maximum: return std::max(a, b);
    case OpKind::Minimum: return std::min(a, b);
    case OpKind::Power: return std::pow(a, b);
    case OpKind::And: return a != 0 && b != 0 ? 1 : 0;
    case OpKind::Or: return a != 0 || b != 0 ? 1 : 0;
    case OpKind::Select: return a != 0 ? b : c;
    case OpKind::Clamp: return std::min(std::max(a, b), c);
    case OpKind::Compare:
        switch (direction) {
        case Comparison::Equal: return a == b;
        case Comparison::NotEqual: return a != b;
        case Comparison::Less: return a < b;
        case Comparison::LessEqual: return a <= b;
        case Comparison::Greater: return a > b;
        case Comparison::GreaterEqual: return a >= b;
        }
        [[fallthrough]];
    default: return std::numeric_limits<double>::quiet_NaN();
        // clang-format on
    }
}

/// Every value of the program; `arguments` in the order of main.
inline std::vector<Array> interpret(const Program& program, const std::vector<Array>& arguments)
{
    std::vector<Array> values(program.values.size());
    for (std::size_t i = 0; i < arguments.size(); ++i)
        values[program.main().arguments[i].index] = arguments[i];

    for (const OperationId id : program.main().operations) {
        const Operation& op = program.operation(id);
        const Shape& shape = program.value(op.results[0]).type.shape;
        const auto in = [&](std::size_t i) -> const Array& { return values[op.operands[i].index]; };
        const auto inShape = [&](std::size_t i) -> const Shape& { return program.value(op.operands[i]).type.shape; };
        Array out(static_cast<std::size_t>(program.value(op.results[0]).type.elementCount()));
        const auto forEach = [&](auto function) {
            for (std::size_t e = 0; e < out.size(); ++e)
                out[e] = function(e, unravel(static_cast<std::int64_t>(e), shape));
        };

        if (const auto* constant = std::get_if<ConstantAttributes>(&op.attributes)) {
            forEach(
                [&](std::size_t e, const Index&) { return constant->values[constant->values.size() == 1 ? 0 : e]; });
        } else if (const auto* iota = std::get_if<IotaAttributes>(&op.attributes)) {
            forEach([&](std::size_t, const Index& i) { return static_cast<double>(i[std::size_t(iota->dimension)]); });
        } else if (op.kind == OpKind::Reshape) {
            out = in(0);
        } else if (const auto* slice = attributesAs<SliceAttributes>(op.attributes)) {
            forEach([&](std::size_t, Index index) {
                for (std::size_t d = 0; d < index.size(); ++d)
                    index[d] = slice->starts[d] + index[d] * entryOr(slice->strides, d, 1);
                return in(0)[ravel(index, inShape(0))];
            });
        } else if (op.kind == OpKind::Concatenate) {
            const auto along = std::size_t(attributesAs<DimensionAttributes>(op.attributes)->dimension);
            std::int64_t begin = 0;
            for (std::size_t i = 0; i < op.operands.size(); begin += inShape(i++)[along])
                for (std::size_t e = 0; e < in(i).size(); ++e) {
                    Index index = unravel(static_cast<std::int64_t>(e), inShape(i));
                    index[along] += begin;
                    out[ravel(index, shape)] = in(i)[e];
                }
        } else if (const auto* broadcast = std::get_if<BroadcastAttributes>(&op.attributes)) {
            forEach([&](std::size_t, const Index& index) {
                Index from;
                for (std::size_t d = 0; d < inShape(0).size(); ++d)
                    from.push_back(inShape(0)[d] == 1 ? 0 : index[std::size_t(broadcast->dimensions[d])]);
                return in(0)[ravel(from, inShape(0))];
            });
        } else if (const auto* transpose = std::get_if<TransposeAttributes>(&op.attributes)) {
            forEach([&](std::size_t, const Index& index) {
                Index from(index.size());
                for (std::size_t d = 0; d < index.size(); ++d)
                    from[std::size_t(transpose->permutation[d])] = index[d];
                return in(0)[ravel(from, inShape(0))];
            });
        } else if (const auto* reduce = std::get_if<ReduceAttributes>(&op.attributes)) {
            const double infinity = std::numeric_limits<double>::infinity();
            const std::map<ReduceKind, std::pair<OpKind, double>> bodies{ { ReduceKind::Sum, { OpKind::Add, 0 } },
                { ReduceKind::Max, { OpKind::Maximum, -infinity } }, { ReduceKind::Min, { OpKind::Minimum, infinity } },
                { ReduceKind::Product, { OpKind::Multiply, 1 } }, { ReduceKind::And, { OpKind::And, 1 } },
                { ReduceKind::Or, { OpKind::Or, 0 } } };
            const auto [body, identity] = bodies.at(reduce->kind);
            std::fill(out.begin(), out.end(), identity);
            for (std::size_t e = 0; e < in(0).size(); ++e) {
                const Index from = unravel(static_cast<std::int64_t>(e), inShape(0));
                Index to;
                for (std::size_t d = 0; d < from.size(); ++d)
                    if (std::find(reduce->dimensions.begin(), reduce->dimensions.end(), d) == reduce->dimensions.end())
                        to.push_back(from[d]);
                double& element = out[ravel(to, shape)];
                element = applyElementwise(body, {}, element, in(0)[e], 0);
            }
        } else if (const auto* dot = std::get_if<DotGeneralAttributes>(&op.attributes)) {
            // Every pair of elements that agree in batch and contracting dimensions adds to one element of the result.
            for (std::size_t l = 0; l < in(0).size(); ++l)
                for (std::size_t r = 0; r < in(1).size(); ++r) {
                    Index left = unravel(static_cast<std::int64_t>(l), inShape(0)), to;
                    Index right = unravel(static_cast<std::int64_t>(r), inShape(1));
                    bool agree = true;
                    const auto match = [&](const Dimensions& a, const Dimensions& b, bool keep) {
                        for (std::size_t i = 0; i < a.size(); ++i) {
                            std::int64_t &x = left[std::size_t(a[i])], &y = right[std::size_t(b[i])];
                            agree = agree && x == y;
                            if (keep)
                                to.push_back(x);
                            x = y = -1; // taken
                        }
                    };
                    match(dot->lhsBatch, dot->rhsBatch, true);
                    match(dot->lhsContracting, dot->rhsContracting, false);
                    for (const Index* free : { &left, &right })
                        std::copy_if(free->begin(), free->end(), std::back_inserter(to), [](auto i) { return i >= 0; });
                    if (agree)
                        out[ravel(to, shape)] += in(0)[l] * in(1)[r];
                }
        } else if (const OriginOf origins = originsOf(
                       op, [&](std::size_t i) { return inShape(i); },
                       [&](std::int64_t e) { return static_cast<std::int64_t>(in(1)[static_cast<std::size_t>(e)]); })) {
            forEach([&](std::size_t, const Index& index) {
                const ElementOrigin from = origins(index);
                return in(from.operand)[ravel(from.index, inShape(from.operand))];
            });
        } else {
            const auto* compare = std::get_if<CompareAttributes>(&op.attributes);
            const auto operand = [&](std::size_t i, std::size_t e) {
                return i < op.operands.size() ? in(i)[in(i).size() == 1 ? 0 : e] : 0;
            };
            forEach([&](std::size_t e, const Index&) {
                return applyElementwise(op.kind, compare ? compare->direction : Comparison::Equal, operand(0, e),
                    operand(1, e), operand(2, e));
            });
        }
        values[op.results[0].index] = std::move(out);
    }
    return values;
}

} // namespace shardscope::test
