// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with bodies, functions and meshes, put together by hand: what the builder of networks does not make.
#pragma once

#include "program/other_attributes.h"
#include "propagation/notation.h"

namespace full_programs {

using namespace shardscope;

class Maker {
public:
    explicit Maker(const std::string& mesh)
    {
        program.regions.resize(1);
        program.scopes.emplace_back();
        addMesh("mesh", mesh);
    }
    std::uint32_t addMesh(const std::string& name, const std::string& text, std::optional<std::int64_t> device = {})
    {
        ProgramMesh mesh;
        mesh.name = name;
        mesh.mesh = std::make_shared<const Mesh>(text.empty() ? Mesh() : notation::parseMesh(text));
        mesh.onlyDevice = device;
        program.meshes.push_back(mesh);
        return static_cast<std::uint32_t>(program.meshes.size() - 1);
    }
    [[nodiscard]] ProgramSharding sharding(const std::string& text, std::uint32_t mesh = 0) const
    {
        return { mesh, notation::parseSharding(*program.meshes[mesh].mesh, text), ReduceKind::Sum };
    }
    void give(ValueId value, const std::string& text, std::uint32_t mesh = 0)
    {
        program.valueShardings.resize(program.values.size(), 0);
        program.shardings.push_back(sharding(text, mesh));
        program.valueShardings[value.index] = static_cast<ShardingIndex>(program.shardings.size());
    }

    ValueId argument(const Shape& shape, const std::string& specified = "", std::uint32_t region = 0)
    {
        const ValueId made = value(shape);
        program.values[made.index].index = static_cast<std::uint32_t>(program.regions[region].arguments.size());
        program.regions[region].arguments.push_back(made);
        if (!specified.empty())
            give(made, specified);
        return made;
    }
    RegionId region()
    {
        program.regions.emplace_back();
        return RegionId(program.regions.size() - 1);
    }
    /// Results of the shape of the first operand, unless another is given.
    OperationId operation(OpKind kind, std::vector<ValueId> operands, std::uint32_t region = 0,
        Attributes attributes = {}, std::vector<Shape> shapes = {})
    {
        const OperationId id(program.operations.size());
        if (shapes.empty())
            shapes = { program.value(operands.front()).type.shape };
        Operation made;
        made.kind = kind;
        for (const ValueId operand : operands)
            made.operands.push_back(operand);
        made.attributes = std::move(attributes);
        program.operations.push_back(made);
        for (std::size_t r = 0; r < shapes.size(); ++r) {
            const ValueId result = value(shapes[r]);
            program.values[result.index].definition = id;
            program.values[result.index].index = static_cast<std::uint32_t>(r);
            program.operations[id.index].results.push_back(result);
        }
        program.regions[region].operations.push_back(id);
        return id;
    }
    ValueId result(OperationId id, std::size_t index = 0) { return program.operation(id).results[index]; }
    ValueId unary(ValueId operand, std::uint32_t region = 0, OpKind kind = OpKind::Tanh)
    {
        return result(operation(kind, { operand }, region));
    }
    ValueId binary(ValueId a, ValueId b, std::uint32_t region = 0)
    {
        return result(operation(OpKind::Add, { a, b }, region));
    }
    void attach(OperationId id, std::initializer_list<RegionId> regions)
    {
        for (const RegionId region : regions)
            program.operations[id.index].regions.push_back(region);
    }

    /// Carries one value; the body is tanh.
    ValueId loop(ValueId initial, std::uint32_t region = 0)
    {
        const Shape shape = program.value(initial).type.shape;
        const OperationId id = operation(OpKind::While, { initial }, region);
        const RegionId condition = this->region();
        const RegionId body = this->region();
        argument(shape, "", condition.index);
        const ValueId carried = argument(shape, "", body.index);
        const ValueId next = unary(carried, body.index);
        program.regions[body.index].results = { next };
        attach(id, { condition, body });
        return result(id);
    }
    ValueId branch(ValueId first, ValueId second, std::uint32_t region = 0)
    {
        const OperationId id = operation(OpKind::Case, {}, region, {}, { program.value(first).type.shape });
        const RegionId left = this->region();
        const RegionId right = this->region();
        program.regions[left.index].results = { first };
        program.regions[right.index].results = { second };
        attach(id, { left, right });
        return result(id);
    }
    /// tanh of one value in a body that has taken over some axes; `local` is the shape inside.
    ValueId manual(ValueId operand, const Shape& local, const std::string& in, const std::string& out,
        std::vector<std::string> axes)
    {
        const OperationId id = operation(OpKind::ManualComputation, { operand }, 0,
            otherAttributes(ManualComputationAttributes{ { sharding(in) }, { sharding(out) }, std::move(axes) }));
        const RegionId body = region();
        const ValueId inside = unary(argument(local, "", body.index), body.index);
        program.regions[body.index].results = { inside };
        attach(id, { body });
        return result(id);
    }
    ValueId named(ValueId operand)
    {
        const OperationId id = operation(
            OpKind::NamedComputation, { operand }, 0, otherAttributes(NamedComputationAttributes{ "inner", {}, {} }));
        const RegionId body = region();
        const ValueId inside = unary(argument(program.value(operand).type.shape, "", body.index), body.index);
        program.regions[body.index].results = { inside };
        attach(id, { body });
        return result(id);
    }
    /// A function with one argument that returns its tanh; `main` is made on the way.
    void function(const std::string& name, const Shape& shape)
    {
        if (program.functions.empty()) {
            program.functions.emplace_back();
            program.functions.back().name = "main";
            program.functions.back().body = RegionId(0);
        }
        const RegionId body = region();
        const ValueId inside = unary(argument(shape, "", body.index), body.index);
        program.regions[body.index].results = { inside };
        Function made;
        made.name = name;
        made.isPublic = false;
        made.body = body;
        program.functions.push_back(made);
    }
    ValueId call(const std::string& name, ValueId operand)
    {
        return result(operation(OpKind::Call, { operand }, 0, otherAttributes(CallAttributes{ name })));
    }
    ValueId constrain(ValueId operand, const std::string& text, std::uint32_t region = 0)
    {
        return result(operation(OpKind::ShardingConstraint, { operand }, region,
            ConstraintAttributes{ ExplicitSharding{ std::make_shared<const ProgramSharding>(sharding(text)) } }));
    }
    void group(std::int64_t number, ValueId member)
    {
        const OperationId id(program.operations.size());
        Operation made;
        made.kind = OpKind::ShardingGroup;
        made.operands.push_back(member);
        made.attributes = otherAttributes(ShardingGroupAttributes{ number });
        program.operations.push_back(made);
        program.regions[0].operations.push_back(id);
    }
    void returns(ValueId value, const std::string& declared = "")
    {
        program.regions[0].results.push_back(value);
        if (program.functions.empty()) {
            program.functions.emplace_back();
            program.functions.back().name = "main";
            program.functions.back().body = RegionId(0);
        }
        ShardingIndex index = 0;
        if (!declared.empty()) {
            program.shardings.push_back(sharding(declared));
            index = static_cast<ShardingIndex>(program.shardings.size());
        }
        program.functions.front().resultShardings.push_back(index);
    }

    [[nodiscard]] PropagationInput input(Strategy strategy = Strategy::Full) const
    {
        PropagationInput made;
        made.program = std::make_shared<const Program>(program);
        made.strategy = strategy;
        return made;
    }
    [[nodiscard]] std::string text(const PropagationResult& result, ValueId value) const
    {
        if (result.meshes[value.index] == 0)
            return "none";
        return notation::print(*program.meshes[result.meshes[value.index] - 1].mesh, result.shardings[value.index]);
    }

    Program program;

private:
    ValueId value(const Shape& shape)
    {
        Value made;
        made.type = { DType::F32, shape };
        program.values.push_back(made);
        return ValueId(program.values.size() - 1);
    }
};

} // namespace full_programs
