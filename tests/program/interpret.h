// SPDX-License-Identifier: GPL-3.0-or-later
// A program executed in double by plain loops, for tests: values[id] is row-major. Written for shortness, not for
// speed.
#pragma once

#include <limits>
#include <map>
#include <numbers>

#include "program/interpret_bodies.h"

namespace shardscope::test {

/// The m-th derivative of log gamma, m = 1 or 2, by the recurrence up to 12 and the asymptotic series from there.
inline double polygamma(int m, double x)
{
    double sum = 0;
    for (; x < 12; x += 1)
        sum += m == 1 ? -1 / x : 1 / (x * x);
    const double r = 1 / (x * x);
    return m == 1 ? sum + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r / 252))
                  : sum + 1 / x + r / 2 + r / x * (1.0 / 6 - r * (1.0 / 30 - r / 42));
}

/// Newton's method on erf.
inline double inverseErf(double y)
{
    double x = 0;
    for (int i = 0; i < 60; ++i)
        x -= (std::erf(x) - y) / (2 * std::numbers::inv_sqrtpi * std::exp(-x * x));
    return x;
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
    case OpKind::Convert: case OpKind::ShardingConstraint: case OpKind::ReducePrecision: return a;
    case OpKind::Cbrt: return std::cbrt(a);
    case OpKind::Ceil: return std::ceil(a);
    case OpKind::Floor: return std::floor(a);
    case OpKind::RoundNearestAfz: return std::round(a);
    case OpKind::RoundNearestEven: return std::nearbyint(a);
    case OpKind::ExponentialMinusOne: return std::expm1(a);
    case OpKind::LogPlusOne: return std::log1p(a);
    case OpKind::Tan: case OpKind::ChloTan: return std::tan(a);
    case OpKind::ChloAcos: return std::acos(a);
    case OpKind::ChloAcosh: return std::acosh(a);
    case OpKind::ChloAsin: return std::asin(a);
    case OpKind::ChloAsinh: return std::asinh(a);
    case OpKind::ChloAtan: return std::atan(a);
    case OpKind::ChloAtanh: return std::atanh(a);
    case OpKind::ChloCosh: return std::cosh(a);
    case OpKind::ChloSinh: return std::sinh(a);
    case OpKind::ChloDigamma: return polygamma(1, a);
    case OpKind::ChloPolygamma: return polygamma(static_cast<int>(a) + 1, b);
    case OpKind::ChloErf: return std::erf(a);
    case OpKind::ChloErfc: return std::erfc(a);
    case OpKind::ChloErfInv: return inverseErf(a);
    case OpKind::ChloLgamma: return std::lgamma(a);
    case OpKind::ChloSquare: return a * a;
    case OpKind::Atan2: return std::atan2(a, b);
    case OpKind::Remainder: return std::fmod(a, b);
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

/// Of 32-bit words, which wrap around.
inline double applyToWords(OpKind kind, double a, double b)
{
    const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
    switch (kind) {
    case OpKind::Add:
        return x + y;
    case OpKind::Multiply:
        return x * y;
    case OpKind::And:
        return x & y;
    case OpKind::Or:
        return x | y;
    case OpKind::Xor:
        return x ^ y;
    case OpKind::ShiftLeft:
        return y < 32 ? x << y : 0;
    case OpKind::ShiftRightLogical:
        return y < 32 ? x >> y : 0;
    default:
        return applyElementwise(kind, {}, a, b, 0);
    }
}

/// Operations of the common kinds, of one result.
inline Array evaluateCommon(const Evaluation& e)
{
    const Operation& op = e.operation;
    const Shape& shape = e.shape();
    const auto in = [&](std::size_t i) -> const Array& { return e.in(i); };
    const auto inShape = [&](std::size_t i) -> const Shape& { return e.inShape(i); };
    Array out = e.zeros();
    const auto forEach = [&](auto function) {
        for (std::size_t at = 0; at < out.size(); ++at)
            out[at] = function(at, unravel(static_cast<std::int64_t>(at), shape));
    };

    if (const auto* constant = std::get_if<ConstantAttributes>(&op.attributes)) {
        forEach([&](std::size_t at, const Index&) { return constant->values[constant->values.size() == 1 ? 0 : at]; });
    } else if (const auto* iota = std::get_if<IotaAttributes>(&op.attributes)) {
        forEach([&](std::size_t, const Index& i) { return static_cast<double>(i[std::size_t(iota->dimension)]); });
    } else if (op.kind == OpKind::Reshape) {
        out = in(0);
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
        for (std::size_t at = 0; at < in(0).size(); ++at) {
            const Index from = unravel(static_cast<std::int64_t>(at), inShape(0));
            Index to;
            for (std::size_t d = 0; d < from.size(); ++d)
                if (std::find(reduce->dimensions.begin(), reduce->dimensions.end(), d) == reduce->dimensions.end())
                    to.push_back(from[d]);
            double& element = out[ravel(to, shape)];
            element = applyElementwise(body, {}, element, in(0)[at], 0);
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
    } else {
        const auto* compare = std::get_if<CompareAttributes>(&op.attributes);
        const auto operand = [&](std::size_t i, std::size_t at) {
            return i < op.operands.size() ? in(i)[in(i).size() == 1 ? 0 : at] : 0;
        };
        const bool isWord = e.program.value(op.results[0]).type.dtype == DType::U32;
        forEach([&](std::size_t at, const Index&) {
            if (isWord && op.operands.size() == 2)
                return applyToWords(op.kind, operand(0, at), operand(1, at));
            return applyElementwise(op.kind, compare ? compare->direction : Comparison::Equal, operand(0, at),
                operand(1, at), operand(2, at));
        });
    }
    return out;
}

/// Of vectors and matrices: a vector is a row on the left, a column on the right.
inline Array evaluateDot(const Evaluation& e)
{
    Array out = e.zeros();
    const std::size_t inner = std::size_t(e.inShape(0).back());
    const std::size_t rows = e.in(0).size() / inner, columns = e.in(1).size() / inner;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            for (std::size_t k = 0; k < inner; ++k)
                out[r * columns + c] += e.in(0)[r * inner + k] * e.in(1)[k * columns + c];
    return out;
}

inline std::vector<Array> evaluate(const Evaluation& e)
{
    const Attributes& attributes = e.operation.attributes;
    const auto* window = attributesAs<WindowAttributes>(attributes);
    switch (e.operation.kind) {
    case OpKind::Dot:
        return { evaluateDot(e) };
    case OpKind::Slice:
        return { evaluateSlice(e, *attributesAs<SliceAttributes>(attributes)) };
    case OpKind::Pad:
        return { evaluatePad(e, *attributesAs<PadAttributes>(attributes)) };
    case OpKind::Concatenate:
        return { evaluateConcatenate(e, std::size_t(attributesAs<DimensionAttributes>(attributes)->dimension)) };
    case OpKind::Reverse:
        return { evaluateReverse(e, attributesAs<DimensionsAttributes>(attributes)->dimensions) };
    case OpKind::DynamicSlice:
        return { evaluateDynamicSlice(e) };
    case OpKind::DynamicUpdateSlice:
        return { evaluateDynamicUpdateSlice(e) };
    case OpKind::Gather:
        return { evaluateGather(e, *attributesAs<GatherAttributes>(attributes)) };
    case OpKind::Scatter:
        return { evaluateScatter(e, *attributesAs<ScatterAttributes>(attributes)) };
    case OpKind::ReduceWindow:
        return { evaluateReduceWindow(e, *window) };
    case OpKind::SelectAndScatter:
        return { evaluateSelectAndScatter(e, *window) };
    case OpKind::Sort:
        return evaluateSort(e, std::size_t(attributesAs<SortAttributes>(attributes)->dimension));
    case OpKind::ChloTopK:
        return evaluateTopK(e);
    case OpKind::OptimizationBarrier: {
        std::vector<Array> out;
        for (std::size_t i = 0; i < e.operation.operands.size(); ++i)
            out.push_back(e.in(i));
        return out;
    }
    default:
        return { evaluateCommon(e) };
    }
}

/// Runs regions; of a value in a body the last number is kept.
struct Interpreter {
    const Program& program;
    std::vector<Array> values;

    std::vector<Array> run(RegionId id, const std::vector<Array>& arguments)
    {
        const Region& region = program.regions[id.index];
        for (std::size_t i = 0; i < arguments.size(); ++i)
            values[region.arguments[i].index] = arguments[i];
        for (const OperationId held : region.operations)
            run(program.operation(held));
        std::vector<Array> results;
        for (const ValueId result : region.results)
            results.push_back(values[result.index]);
        return results;
    }

    void run(const Operation& op)
    {
        std::vector<Array> out;
        if (op.kind == OpKind::While) {
            for (const ValueId operand : op.operands)
                out.push_back(values[operand.index]);
            while (run(op.regions[0], out)[0][0] != 0)
                out = run(op.regions[1], out);
        } else {
            out = evaluate({ program, op, values, [this](RegionId body, const std::vector<double>& numbers) {
                                std::vector<Array> scalars;
                                for (const double number : numbers)
                                    scalars.push_back({ number });
                                std::vector<double> results;
                                for (const Array& result : run(body, scalars))
                                    results.push_back(result[0]);
                                return results;
                            } });
        }
        for (std::size_t i = 0; i < out.size(); ++i)
            values[op.results[i].index] = std::move(out[i]);
    }
};

/// Every value of the program; `arguments` in the order of main.
inline std::vector<Array> interpret(const Program& program, const std::vector<Array>& arguments)
{
    Interpreter interpreter{ program, std::vector<Array>(program.values.size()) };
    interpreter.run(RegionId(std::size_t{ 0 }), arguments);
    return std::move(interpreter.values);
}

} // namespace shardscope::test
