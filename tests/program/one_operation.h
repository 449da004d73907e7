// SPDX-License-Identifier: GPL-3.0-or-later
// A program of one operation of any kind, with bodies.
#pragma once

#include "program/op_row.h"
#include "program/other_attributes.h"

namespace shardscope {

struct OneOperation {
    Program program;

    OneOperation(OpKind kind, const std::vector<TensorType>& operands, const std::vector<TensorType>& results,
        Attributes attributes = {})
    {
        program.scopes = { "" };
        program.functions.push_back({ "main", true, RegionId(std::size_t{ 0 }), {}, {}, {}, 0, {}, 0, {} });
        program.regions.emplace_back();
        program.operations.emplace_back();
        Operation operation;
        operation.kind = kind;
        operation.attributes = std::move(attributes);
        for (const TensorType& type : operands) {
            operation.operands.push_back(addValue(type, {}, operation.operands.size()));
            program.regions[0].arguments.push_back(operation.operands.back());
        }
        for (const TensorType& type : results) {
            operation.results.push_back(addValue(type, OperationId(std::size_t{ 0 }), operation.results.size()));
            program.regions[0].results.push_back(operation.results.back());
        }
        program.operations[0] = std::move(operation);
        program.regions[0].operations = { OperationId(std::size_t{ 0 }) };
    }

    [[nodiscard]] Operation& operation() { return program.operations[0]; }
    [[nodiscard]] FactorRule rule(RuleOptions options = {}) const
    {
        return factorRule(program, program.operations[0], options);
    }

    /// Another operation before it, on arguments or on results of others so added; its only result.
    ValueId addBefore(OpKind kind, const std::vector<ValueId>& operands, const TensorType& type, Attributes attributes)
    {
        const ValueId result = addOperation(kind, operands, type, std::move(attributes));
        auto& list = program.regions[0].operations;
        list.insert(list.end() - 1, program.value(result).definition);
        return result;
    }

    /// A body with these arguments that returns `results(arguments)`.
    template <class MakeResults>
    OneOperation& body(const std::vector<TensorType>& arguments, MakeResults results)
    {
        const RegionId id(program.regions.size());
        program.regions.emplace_back();
        m_inner.clear();
        std::vector<ValueId> own;
        for (const TensorType& type : arguments)
            own.push_back(addValue(type, {}, own.size()));
        program.regions[id.index].arguments = own;
        program.regions[id.index].results = results(*this, own);
        program.regions[id.index].operations = m_inner;
        program.operations[0].regions.push_back(id);
        return *this;
    }
    /// To be used by `results`: an operation in the body.
    ValueId inner(OpKind kind, const std::vector<ValueId>& operands, const TensorType& type, Attributes attributes = {})
    {
        const ValueId result = addOperation(kind, operands, type, std::move(attributes));
        m_inner.push_back(program.value(result).definition);
        return result;
    }
    /// A body that puts two scalars of each type together by the operation.
    OneOperation& reducer(OpKind combine, const std::vector<DType>& types)
    {
        std::vector<TensorType> arguments;
        for (int half = 0; half < 2; ++half)
            for (const DType type : types)
                arguments.push_back({ type, {} });
        return body(arguments, [&](OneOperation& one, const std::vector<ValueId>& own) {
            std::vector<ValueId> results;
            for (std::size_t i = 0; i < types.size(); ++i)
                results.push_back(one.inner(combine, { own[i], own[types.size() + i] }, { types[i], {} }));
            return results;
        });
    }
    /// A body that compares the first two of 2 n scalars.
    OneOperation& comparator(const std::vector<DType>& types)
    {
        std::vector<TensorType> arguments;
        for (const DType type : types)
            arguments.insert(arguments.end(), 2, { type, {} });
        return body(arguments, [](OneOperation& one, const std::vector<ValueId>& own) {
            return std::vector{ one.inner(OpKind::Compare, { own[0], own[1] }, { DType::Pred, {} },
                CompareAttributes{ Comparison::Less, CompareType::None }) };
        });
    }

private:
    ValueId addValue(const TensorType& type, OperationId definition, std::size_t index)
    {
        Value value;
        value.type = type;
        value.definition = definition;
        value.index = static_cast<std::uint32_t>(index);
        program.values.push_back(std::move(value));
        return ValueId(program.values.size() - 1);
    }
    ValueId addOperation(
        OpKind kind, const std::vector<ValueId>& operands, const TensorType& type, Attributes attributes)
    {
        const OperationId id(program.operations.size());
        const ValueId result = addValue(type, id, 0);
        Operation& added = program.operations.emplace_back();
        added.kind = kind;
        added.operands.assign(operands.begin(), operands.end());
        added.results = { result };
        added.attributes = std::move(attributes);
        return result;
    }

    std::vector<OperationId> m_inner; ///< operations of the body that is being made
};

} // namespace shardscope
