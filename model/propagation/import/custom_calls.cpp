// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>
#include <charconv>

#include "program/over_mesh.h"
#include "propagation/import/manual_regions.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

namespace {

/// The integers after `key` in a text: "unspecified_dims=[0,2]", "xla.sdy.sharding_group_id = \"21 : i64\"".
std::vector<std::int64_t> integersAfter(std::string_view text, std::string_view key)
{
    std::vector<std::int64_t> numbers;
    const std::size_t found = text.find(key);
    if (found == std::string_view::npos)
        return numbers;
    text.remove_prefix(found + key.size());
    text.remove_prefix(std::min(text.find_first_not_of(" =[\""), text.size()));
    while (true) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc())
            return numbers;
        numbers.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        if (!text.starts_with(','))
            return numbers;
        text.remove_prefix(1);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
}

class CustomCalls {
public:
    explicit CustomCalls(Program program)
        : m_edit(std::move(program))
    {
    }

    Program run() &&
    {
        std::vector<OperationId> order;
        for (const RegionId body : bodies(m_edit.program()))
            walk(m_edit.program(), body, [&](OperationId id) {
                if (m_edit.operation(id).kind == OpKind::CustomCall)
                    order.push_back(id);
            });
        for (const OperationId id : order) {
            const Operation& call = m_edit.operation(id);
            const std::string& target = attributesAs<CustomCallAttributes>(call.attributes)->target;
            const bool isIdentity = call.operands.size() == 1 && call.results.size() == 1
                && m_edit.value(call.operands[0]).type == m_edit.value(call.results[0]).type;
            if (target == "xla.sdy.FuncResultSharding" && isIdentity)
                declareResults(id);
            else if (target == "Sharding" && isIdentity)
                constrain(id);
            else if (target == "xla.sdy.ShardingGroup" && call.operands.size() == 1)
                group(id);
        }
        return std::move(m_edit).finish();
    }

private:
    /// The call holds what a function declares for a result.
    void declareResults(OperationId id)
    {
        const ValueId result = m_edit.result(id);
        const ProgramSharding* specified = m_edit.sharding(result);
        if (specified) {
            const ShardingIndex index = m_edit.intern(ProgramSharding(*specified));
            const UseList& uses = m_edit.uses(result);
            for (const Use& use : std::vector<Use>(uses.begin(), uses.end()))
                for (Function& function : m_edit.raw().functions) {
                    if (use.operation.valid() || use.region != function.body)
                        continue;
                    const std::size_t count = m_edit.region(function.body).results.size();
                    function.resultShardings.resize(std::max(count, function.resultShardings.size()), 0);
                    function.resultShardings[use.slot] = index;
                }
            if (m_edit.program().functions.empty())
                return; // nothing could hold it
        }
        const ValueId operand = m_edit.operation(id).operands[0];
        m_edit.replaceUses(result, operand);
        m_edit.erase(id);
    }

    void constrain(OperationId id)
    {
        const ProgramSharding* specified = m_edit.sharding(m_edit.result(id));
        const std::optional<std::uint32_t> mesh = mainMesh(m_edit.program());
        if (!specified && !mesh)
            return;
        auto sharding = std::make_shared<ProgramSharding>(
            specified ? *specified : openSharding(*mesh, m_edit.value(m_edit.result(id)).type.rank()));
        const auto& call = *attributesAs<CustomCallAttributes>(m_edit.operation(id).attributes);
        for (const std::int64_t dim : integersAfter(call.backendConfig, "unspecified_dims"))
            if (dim >= 0 && static_cast<std::size_t>(dim) < sharding->sharding.dims.size())
                sharding->sharding.dims[static_cast<std::size_t>(dim)].open = true;
        m_edit.clearSharding(m_edit.result(id));
        Operation& operation = m_edit.raw().operations[id.index];
        operation.kind = OpKind::ShardingConstraint;
        operation.attributes = ConstraintAttributes{ ExplicitSharding{ std::move(sharding) } };
    }

    void group(OperationId id)
    {
        for (const ValueId result : m_edit.operation(id).results)
            if (!m_edit.uses(result).empty())
                return;
        for (const NamedText& entry : m_edit.program().dictionaries[m_edit.operation(id).extra]) {
            const std::vector<std::int64_t> number = integersAfter(entry.text, "xla.sdy.sharding_group_id");
            if (number.size() != 1 || entry.name != "mhlo.frontend_attributes")
                continue;
            const ValueId member = m_edit.operation(id).operands[0];
            const OperationId made = m_edit.add(OpKind::ShardingGroup, std::span(&member, 1), {},
                otherAttributes(ShardingGroupAttributes{ number.front() }), id);
            m_edit.placeBefore(id, made);
            m_edit.erase(id);
            return;
        }
    }

    Editor m_edit;
};

} // namespace

Program importCustomCalls(Program program)
{
    const bool any = std::any_of(program.operations.begin(), program.operations.end(),
        [](const Operation& operation) { return operation.kind == OpKind::CustomCall; });
    if (!any)
        return program;
    return CustomCalls(importManualRegions(std::move(program))).run();
}

} // namespace shardscope::passes
