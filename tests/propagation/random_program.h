// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs with random shardings, for properties.
#pragma once

#include <rapidcheck.h>

#include "program/builder.h"
#include "propagation/annotated_input.h"

namespace random_program {

using namespace shardscope;

inline Mesh anyMesh()
{
    const auto sizes =
        *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 5), rc::gen::element(1, 2, 2, 3, 4, 8));
    std::vector<MeshAxis> axes;
    for (const int size : sizes)
        axes.push_back({ std::string(1, static_cast<char>('a' + axes.size())), size });
    return Mesh::create(axes).value();
}

/// Any valid sharding: the axes, whole or in parts, each used at most once.
inline TensorSharding anySharding(const Mesh& mesh, std::size_t rank)
{
    std::vector<AxisRef> parts;
    for (std::size_t a = 0; a < mesh.rank(); ++a) {
        AxisRef rest = fullAxis(mesh, a);
        while (rest.size > 3 && *rc::gen::inRange(0, 3) == 0) {
            const std::int32_t size = *rc::gen::element(2, 4);
            if (size >= rest.size || rest.size % size != 0)
                break;
            parts.push_back({ rest.axis, rest.pre, size });
            rest = { rest.axis, rest.pre * size, rest.size / size };
        }
        parts.push_back(rest);
    }
    TensorSharding sharding = TensorSharding::open(rank);
    for (DimensionSharding& dim : sharding.dims)
        dim.open = *rc::gen::inRange(0, 4) != 0;
    while (!parts.empty()) {
        const auto pick = *rc::gen::inRange<std::size_t>(0, parts.size());
        const auto place = *rc::gen::inRange<std::size_t>(0, rank + 3);
        if (place < rank)
            appendMerged(sharding.dims[place].axes, parts[pick]);
        else if (place == rank)
            sharding.replicated.push_back(parts[pick]);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    std::sort(sharding.replicated.begin(), sharding.replicated.end());
    AxisList merged;
    for (const AxisRef& axis : sharding.replicated)
        appendMerged(merged, axis);
    sharding.replicated = merged;
    return sharding;
}

inline ValueId anyOperation(Builder& builder, const std::vector<ValueId>& values)
{
    const ValueId a = *rc::gen::elementOf(values);
    const TensorType type = builder.type(a);
    const auto alike = [&] {
        std::vector<ValueId> same;
        for (const ValueId value : values) {
            if (builder.type(value) == type)
                same.push_back(value);
        }
        return *rc::gen::elementOf(same);
    };
    switch (*rc::gen::inRange(0, 8)) {
    case 0:
        return builder.unary(OpKind::Tanh, a);
    case 1:
        return builder.binary(OpKind::Add, a, alike());
    case 2:
        return builder.constrain(a, {});
    case 3: {
        Dimensions permutation;
        for (std::size_t d = type.rank(); d-- > 0;)
            permutation.push_back(static_cast<std::int64_t>(d));
        return builder.transpose(a, permutation);
    }
    case 4: {
        // Contracts the last dimension with an equal one of another value.
        for (const ValueId b : values) {
            const TensorType& other = builder.type(b);
            if (type.rank() == 0 || type.rank() + other.rank() > 5)
                continue;
            for (std::size_t d = 0; d < other.rank(); ++d) {
                if (other.shape[d] != type.shape[type.rank() - 1] || *rc::gen::arbitrary<bool>())
                    continue;
                DotGeneralAttributes attributes;
                attributes.lhsContracting = { static_cast<std::int64_t>(type.rank()) - 1 };
                attributes.rhsContracting = { static_cast<std::int64_t>(d) };
                return builder.dotGeneral(a, b, attributes);
            }
        }
        return builder.unary(OpKind::Negate, a);
    }
    case 5: {
        if (type.rank() == 0)
            return builder.broadcastScalar(a, { 4, 6 });
        return builder.reduce(ReduceKind::Sum, a, { *rc::gen::inRange<std::int64_t>(0, std::int64_t(type.rank())) });
    }
    case 6: {
        Shape shape = type.shape;
        shape.push_back(4);
        Dimensions dimensions;
        for (std::size_t d = 0; d < type.rank(); ++d)
            dimensions.push_back(static_cast<std::int64_t>(d));
        return type.rank() < 3 ? builder.broadcast(a, shape, dimensions) : builder.unary(OpKind::Abs, a);
    }
    default: {
        // Merges all dimensions, or splits the first even one.
        Shape shape;
        if (type.rank() > 1 && *rc::gen::arbitrary<bool>()) {
            shape.push_back(type.elementCount());
        } else {
            bool split = false;
            for (const std::int64_t size : type.shape) {
                if (!split && size % 2 == 0) {
                    shape.push_back(2);
                    shape.push_back(size / 2);
                    split = true;
                } else {
                    shape.push_back(size);
                }
            }
        }
        return builder.reshape(a, shape);
    }
    }
}

inline AnnotatedInput anyInput()
{
    AnnotatedInput input;
    const Mesh mesh = anyMesh();
    Builder builder("random");
    std::vector<ValueId> values;
    const auto maybe = [&](ValueId value) {
        std::optional<TensorSharding> sharding;
        if (*rc::gen::arbitrary<bool>())
            sharding = anySharding(mesh, builder.type(value).rank());
        return sharding;
    };
    const auto argumentCount = *rc::gen::inRange(1, 4);
    for (int i = 0; i < argumentCount; ++i) {
        const auto sizes = *rc::gen::container<std::vector<std::int64_t>>(
            *rc::gen::inRange<std::size_t>(1, 3), rc::gen::element<std::int64_t>(4, 6, 8));
        values.push_back(builder.argument(
            { DType::F32, Shape(sizes.begin(), sizes.end()) }, "argument" + std::to_string(i), Role::Input));
        input.arguments.push_back(maybe(values.back()));
    }
    const auto operationCount = *rc::gen::inRange(1, 9);
    for (int i = 0; i < operationCount; ++i)
        values.push_back(anyOperation(builder, values));
    const auto resultCount = *rc::gen::inRange(1, 3);
    for (int i = 0; i < resultCount; ++i) {
        const ValueId value = *rc::gen::elementOf(values);
        builder.result(value);
        input.results.push_back(maybe(value));
    }
    const Program program = std::move(builder).finish();
    for (const Operation& operation : program.operations) {
        std::optional<TensorSharding> sharding;
        if (operation.kind == OpKind::ShardingConstraint)
            sharding = anySharding(mesh, program.value(operation.results[0]).type.rank());
        input.constraints.push_back(sharding);
    }
    input.program = std::make_shared<const Program>(program);
    input.mesh = std::make_shared<const Mesh>(mesh);
    input.strategy =
        *rc::gen::element(Strategy::Basic, Strategy::Aggressive, Strategy::OperationPriority, Strategy::Full);
    return input;
}

} // namespace random_program
