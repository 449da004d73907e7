// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of random arguments, at least one for every operation with a derivative.
#pragma once

#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "program/builder.h"
#include "program/other_attributes.h"

namespace shardscope::test {

struct PullbackCase {
    std::string name;
    std::vector<TensorType> types; ///< of the arguments
    double low = -2, high = 2; ///< where they lie
    std::function<std::vector<ValueId>(Builder&, const std::vector<ValueId>&, std::mt19937&)> make;
};

inline TensorType doubles(Shape shape)
{
    return { DType::F64, std::move(shape) };
}

/// Random integers from low to high.
inline ValueId integers(Builder& b, Shape shape, int low, int high, std::mt19937& random)
{
    TensorType type{ DType::I32, std::move(shape) };
    std::vector<double> values(static_cast<std::size_t>(type.elementCount()));
    for (double& value : values)
        value = std::uniform_int_distribution<int>(low, high)(random);
    return b.constant(type, values);
}

class PullbackCases {
public:
    std::vector<PullbackCase> list;

    PullbackCases()
    {
        addUnary();
        addBinary();
        addShapes();
        addMovement();
        addGather();
        addScatter();
        addWindows();
        addOrder();
    }

private:
    using Values = std::vector<ValueId>;

    template <class Make>
    void add(std::string name, std::vector<TensorType> types, Make make, double low = -2, double high = 2)
    {
        list.push_back(
            { std::move(name), std::move(types), low, high, [make](Builder& b, const Values& a, std::mt19937& random) {
                 if constexpr (std::is_invocable_v<Make, Builder&, const Values&>)
                     return Values{ make(b, a) };
                 else
                     return Values{ make(b, a, random) };
             } });
    }

    void addUnary()
    {
        using enum OpKind;
        struct Range {
            OpKind kind;
            double low, high;
        };
        for (const auto [kind, low, high] : std::vector<Range>{ { Abs, -2, 2 }, { Negate, -2, 2 },
                 { Exponential, -1, 1 }, { Log, 0.3, 3 }, { Logistic, -2, 2 }, { Tanh, -2, 2 }, { Sqrt, 0.3, 3 },
                 { Rsqrt, 0.3, 3 }, { Sign, -2, 2 }, { Sine, -2, 2 }, { Cosine, -2, 2 }, { Cbrt, 0.3, 3 },
                 { Ceil, -2, 2 }, { Floor, -2, 2 }, { ExponentialMinusOne, -1, 1 }, { LogPlusOne, -0.5, 2 },
                 { RoundNearestAfz, -2, 2 }, { RoundNearestEven, -2, 2 }, { Tan, -1, 1 }, { ChloTan, -1, 1 },
                 { ChloAcos, -0.9, 0.9 }, { ChloAcosh, 1.2, 3 }, { ChloAsin, -0.9, 0.9 }, { ChloAsinh, -2, 2 },
                 { ChloAtan, -2, 2 }, { ChloAtanh, -0.9, 0.9 }, { ChloCosh, -1, 1 }, { ChloSinh, -1, 1 },
                 { ChloDigamma, 0.5, 3 }, { ChloErf, -2, 2 }, { ChloErfc, -2, 2 }, { ChloErfInv, -0.8, 0.8 },
                 { ChloLgamma, 0.5, 3 }, { ChloSquare, -2, 2 } })
            add(
                "unary " + std::to_string(int(kind)), { doubles({ 2, 3 }) },
                [k = kind](Builder& b, const Values& a) { return b.unary(k, a[0]); }, low, high);
        add("convert", { doubles({ 4 }) },
            [](Builder& b, const Values& a) { return b.convert(b.convert(a[0], DType::F32), DType::F64); });
        add("constrain", { doubles({ 4 }) },
            [](Builder& b, const Values& a) { return b.constrain(a[0], DeviceAxes{}); });
        add("reduce_precision", { doubles({ 4 }) }, [](Builder& b, const Values& a) {
            return b.add(OpKind::ReducePrecision, a, otherAttributes(ReducePrecisionAttributes{ 11, 52 }));
        });
        add("constant_like", { doubles({ 4 }) }, [](Builder& b, const Values& a) {
            return b.binary(OpKind::Multiply, a[0],
                b.add(OpKind::ChloConstantLike, a, ConstantAttributes{ std::vector<double>{ 3 } }));
        });
    }

    void addBinary()
    {
        using enum OpKind;
        for (const OpKind kind : { Add, Subtract, Multiply, Maximum, Minimum, Atan2 })
            add("binary " + std::to_string(int(kind)), { doubles({ 2, 3 }), doubles({ 2, 3 }) },
                [kind](Builder& b, const Values& a) { return b.binary(kind, a[0], a[1]); });
        for (const OpKind kind : { Divide, Power, Remainder })
            add(
                "binary " + std::to_string(int(kind)), { doubles({ 2, 3 }), doubles({ 2, 3 }) },
                [kind](Builder& b, const Values& a) { return b.binary(kind, a[0], a[1]); }, 0.4, 2);
        add("remainder of negative numbers", { doubles({ 5 }), doubles({ 5 }) }, [](Builder& b, const Values& a) {
            const ValueId two = b.constant(doubles({ 5 }), 2);
            return b.binary(Remainder, b.binary(Multiply, two, a[0]),
                b.binary(Add, b.binary(Multiply, a[1], a[1]), b.constant(doubles({ 5 }), 0.3)));
        });
        add("select", { doubles({ 6 }), doubles({ 6 }) }, [](Builder& b, const Values& a, std::mt19937& random) {
            const ValueId bits = integers(b, { 6 }, 0, 1, random);
            return b.select(b.compare(Comparison::Equal, bits, b.constant({ DType::I32, { 6 } }, 0)), a[0], a[1]);
        });
        add("clamp", { doubles({}), doubles({ 6 }), doubles({ 6 }) }, [](Builder& b, const Values& a) {
            const ValueId zero = b.constant(doubles({}), 0);
            return b.clamp(b.binary(Minimum, a[0], zero), a[1], b.unary(Exponential, a[2]));
        });
    }

    void addShapes()
    {
        add("broadcast", { doubles({ 2, 1 }) }, [](Builder& b, const Values& a) {
            return b.broadcast(a[0], { 3, 4, 2 }, { 2, 1 });
        });
        add("reshape", { doubles({ 2, 3 }) }, [](Builder& b, const Values& a) { return b.reshape(a[0], { 3, 1, 2 }); });
        add("transpose", { doubles({ 2, 3, 4 }) }, [](Builder& b, const Values& a) {
            return b.transpose(a[0], { 2, 0, 1 });
        });
        add("dot_general", { doubles({ 2, 3, 4 }), doubles({ 4, 2, 5 }) }, [](Builder& b, const Values& a) {
            return b.dotGeneral(a[0], a[1], { { 0 }, { 1 }, { 2 }, { 0 } });
        });
        for (const bool rows : { true, false })
            for (const bool columns : { true, false })
                add("dot",
                    { doubles(rows ? Shape{ 2, 3 } : Shape{ 3 }), doubles(columns ? Shape{ 3, 4 } : Shape{ 3 }) },
                    [=](Builder& b, const Values& a) {
                        Shape shape;
                        if (rows)
                            shape.push_back(2);
                        if (columns)
                            shape.push_back(4);
                        return b.add(OpKind::Dot, a, otherAttributes(DotAttributes{}), doubles(shape));
                    });
        for (const ReduceKind kind : { ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min, ReduceKind::Product })
            add("reduce " + std::to_string(int(kind)), { doubles({ 2, 3, 2 }) }, [kind](Builder& b, const Values& a) {
                return b.reduce(kind, a[0], { 0, 2 });
            });
    }

    void addMovement()
    {
        add("slice", { doubles({ 3, 8 }) }, [](Builder& b, const Values& a) {
            return b.slice(a[0], { 1, 1 }, { 3, 8 }, { 1, 3 });
        });
        add("slice, no strides", { doubles({ 3, 4 }) }, [](Builder& b, const Values& a) {
            return b.slice(a[0], { 0, 2 }, { 2, 4 });
        });
        add("pad", { doubles({ 3, 4 }), doubles({}) }, [](Builder& b, const Values& a) {
            return b.pad(a[0], a[1], { 2, -1 }, { 0, 3 }, { 1, 2 });
        });
        add("pad, taken off", { doubles({ 5, 4 }), doubles({}) }, [](Builder& b, const Values& a) {
            return b.pad(a[0], a[1], { -1, 0 }, { -2, -1 });
        });
        add("concatenate", { doubles({ 2, 3 }), doubles({ 2, 1 }), doubles({ 2, 2 }) },
            [](Builder& b, const Values& a) {
                return b.concatenate(std::array{ a[0], a[1], a[2], a[0] }, 1);
            });
        add("reverse", { doubles({ 2, 3, 2 }) }, [](Builder& b, const Values& a) { return b.reverse(a[0], { 0, 1 }); });
        add("dynamic_slice", { doubles({ 4, 5 }) }, [](Builder& b, const Values& a, std::mt19937& random) {
            const Values starts{ integers(b, {}, -1, 4, random), integers(b, {}, 0, 4, random) };
            return b.dynamicSlice(a[0], starts, { 2, 3 });
        });
        add("dynamic_update_slice", { doubles({ 4, 5 }), doubles({ 2, 3 }) },
            [](Builder& b, const Values& a, std::mt19937& random) {
                const Values starts{ integers(b, {}, -1, 4, random), integers(b, {}, 0, 4, random) };
                return b.dynamicUpdateSlice(a[0], a[1], starts);
            });
        list.push_back({ "optimization_barrier", { doubles({ 2 }), doubles({ 3 }) }, -2, 2,
            [](Builder& b, const Values& a, std::mt19937&) {
                const std::vector<TensorType> types{ b.type(a[0]), b.type(a[1]) };
                const Values held = b.addSeveral(OpKind::OptimizationBarrier, a, types);
                return Values{ b.unary(OpKind::Sine, held[0]) }; // the other one goes no further
            } });
    }

    void addGather()
    {
        const auto gather = [this](const char* name, Shape operand, Shape indices, const GatherAttributes& own) {
            add(name, { doubles(std::move(operand)) }, [=](Builder& b, const Values& a, std::mt19937& random) {
                return b.gather(a[0], integers(b, indices, -1, 6, random), own); // some beyond the edges
            });
        };
        gather("gather rows", { 5, 3 }, { 2, 4 }, { { 2 }, { 0 }, {}, {}, { 0 }, 2, { 1, 3 } });
        gather("gather pairs", { 3, 5, 2 }, { 2, 3, 2 }, { { 2, 3 }, { 0 }, {}, {}, { 1, 0 }, 2, { 1, 2, 2 } });
        gather("gather in batches", { 2, 3, 2, 4 }, { 2, 2, 2, 3 },
            { { 3 }, { 1 }, { 0, 2 }, { 2, 0 }, { 1, 3 }, 1, { 1, 1, 1, 2 } });
        gather("gather columns", { 5, 6 }, { 7 }, { { 0, 2 }, {}, {}, {}, { 1 }, 1, { 5, 1 } });
    }

    void addScatter()
    {
        const auto scatter = [this](const char* name, Shape operand, Shape indices, Shape updates,
                                 const ScatterAttributes& own) {
            add(name, { doubles(std::move(operand)), doubles(std::move(updates)) },
                [=](Builder& b, const Values& a, std::mt19937& random) {
                    const ValueId places = integers(b, indices, -1, 6, random);
                    return b.scatter(ReduceKind::Sum, a[0], places, a[1], own);
                });
        };
        scatter("scatter rows", { 5, 3 }, { 6 }, { 6, 3 }, { { 1 }, { 0 }, {}, {}, { 0 }, 1 });
        scatter("scatter pairs", { 4, 5, 2 }, { 8, 2 }, { 8, 2 }, { { 1 }, { 0, 1 }, {}, {}, { 1, 0 }, 1 });
        scatter("scatter in batches", { 2, 4 }, { 2, 5 }, { 2, 5 }, { {}, { 1 }, { 0 }, { 0 }, { 1 }, 2 });
        scatter("scatter columns", { 3, 6 }, { 5 }, { 3, 5, 1 }, { { 0, 2 }, {}, {}, {}, { 1 }, 1 });
        add("scatter in place of", { doubles({ 6, 2 }), doubles({ 3, 2 }) },
            [](Builder& b, const Values& a, std::mt19937& random) {
                std::vector<double> places{ -1, 0, 1, 2, 3, 4, 5, 6 };
                std::shuffle(places.begin(), places.end(), random);
                places.resize(3);
                const TensorType type = b.type(a[0]);
                const std::vector<TensorType> pair(2, doubles({}));
                const RegionId second =
                    b.body(pair, [](Builder&, std::span<const ValueId> both) { return Values{ both[1] }; });
                return b.addSeveral(OpKind::Scatter,
                    std::array{ a[0], b.constant({ DType::I32, { 3 } }, places), a[1] }, std::span(&type, 1),
                    otherAttributes(ScatterAttributes{ { 1 }, { 0 }, {}, {}, { 0 }, 1, false, true }),
                    std::span(&second, 1))[0];
            });
    }

    void addWindows()
    {
        const auto window = [this](const char* name, ReduceKind kind, Shape shape, const WindowAttributes& own) {
            add(name, { doubles(std::move(shape)) },
                [=](Builder& b, const Values& a) { return b.reduceWindow(kind, a[0], own); });
        };
        window("running sums", ReduceKind::Sum, { 2, 5 }, { { 1, 5 }, {}, {}, {}, { { 0, 0 }, { 4, 0 } } });
        window("sums of windows", ReduceKind::Sum, { 7, 5 },
            { { 2, 3 }, { 2, 1 }, { 1, 2 }, { 3, 1 }, { { 1, 0 }, { 0, 2 } } });
        window("largest of windows", ReduceKind::Max, { 7, 4 }, { { 3, 2 }, { 2, 1 }, {}, {}, { { 1, 1 }, { 0, 0 } } });
        window("smallest of windows", ReduceKind::Min, { 6 }, { { 3 }, { 1 }, {}, {}, {} });
    }

    void addOrder()
    {
        for (const std::int64_t dimension : { 0, 1 })
            list.push_back({ "sort", { doubles({ 4, 3 }), doubles({ 4, 3 }) }, -2, 2,
                [dimension](Builder& b, const Values& a, std::mt19937&) {
                    return b.sort(a, dimension, [](Builder& inner, std::span<const ValueId> pairs) {
                        return Values{ inner.compare(Comparison::Greater, pairs[0], pairs[1]) };
                    });
                } });
        list.push_back({ "top_k", { doubles({ 2, 3, 5 }) }, -2, 2, [](Builder& b, const Values& a, std::mt19937&) {
                            const std::vector<TensorType> types{ doubles({ 2, 3, 2 }), { DType::I32, { 2, 3, 2 } } };
                            return b.addSeveral(OpKind::ChloTopK, a, types, otherAttributes(TopKAttributes{ 2 }));
                        } });
    }
};

} // namespace shardscope::test
