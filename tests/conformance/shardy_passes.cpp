// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/shardy_passes.h"

#include <algorithm>

#include "conformance/shardy_reuse.h"
#include "partition/export/canonicalize_collectives.h"
#include "program/editor.h"
#include "propagation/pass_support.h"

namespace shardscope::passes {

namespace {

/// Of manual computations that nothing in their bodies reads.
bool dropUnusedArguments(Program& program)
{
    std::vector<bool> isRead(program.values.size());
    std::vector<OperationId> operations; // that stand somewhere: erased ones keep their ids
    const auto read = [&](const auto& values) {
        for (const ValueId value : values)
            isRead[value.index] = true;
    };
    for (const RegionId body : bodies(program)) {
        read(program.regions[body.index].results);
        walk(program, body, [&](OperationId id) {
            operations.push_back(id);
            read(program.operation(id).operands);
            for (const RegionId inner : program.operation(id).regions)
                read(program.regions[inner.index].results);
        });
    }
    bool changed = false;
    for (const OperationId id : operations) {
        Operation& operation = program.operations[id.index];
        if (operation.kind != OpKind::ManualComputation || operation.regions.size() != 1)
            continue;
        ManualComputationAttributes manual = *attributesAs<ManualComputationAttributes>(operation.attributes);
        std::vector<ValueId>& arguments = program.regions[operation.regions[0].index].arguments;
        for (std::size_t i = std::min(arguments.size(), operation.operands.size()); i-- > 0;) {
            if (isRead[arguments[i].index])
                continue;
            arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
            operation.operands.erase(operation.operands.begin() + i);
            if (i < manual.in.size())
                manual.in.erase(manual.in.begin() + static_cast<std::ptrdiff_t>(i));
            changed = true;
        }
        for (std::size_t i = 0; i < arguments.size(); ++i)
            program.values[arguments[i].index].index = static_cast<std::uint32_t>(i);
        operation.attributes = otherAttributes(std::move(manual));
    }
    return changed;
}

class Canonicalizer {
public:
    explicit Canonicalizer(Program program)
        : m_edit(std::move(program))
    {
    }

    Program run() &&
    {
        bool changed = true;
        while (changed) {
            changed = false;
            for (const RegionId body : bodies(m_edit.program())) {
                std::vector<OperationId> order;
                walkInnerFirst(m_edit.program(), body, [&](OperationId id) { order.push_back(id); });
                std::reverse(order.begin(), order.end()); // users first, so that what they alone need goes with them
                for (const OperationId id : order)
                    changed = (!m_edit.isErased(id) && visit(id)) || changed;
            }
            m_edit.commit();
        }
        return std::move(m_edit).finish();
    }

private:
    bool visit(OperationId id)
    {
        if (isUnused(id)) {
            m_edit.erase(id);
            return true;
        }
        if (m_edit.operation(id).kind != OpKind::ManualComputation || m_edit.operation(id).regions.size() != 1)
            return false;
        return dropEmpty(id) || inlineBody(id);
    }

    [[nodiscard]] bool hasEffect(OperationId id) const
    {
        const Operation& operation = m_edit.operation(id);
        switch (operation.kind) {
        case OpKind::Call:
        case OpKind::Send:
        case OpKind::Recv:
        case OpKind::Infeed:
        case OpKind::Outfeed:
        case OpKind::ShardingGroup:
        case OpKind::Composite:
        case OpKind::Opaque:
            return true;
        case OpKind::CustomCall: {
            const auto* call = attributesAs<CustomCallAttributes>(operation.attributes);
            return !call || call->hasSideEffect;
        }
        default:
            if (isShardyCollective(operation.kind))
                return true; // counts as an exchange that happens
            break;
        }
        return std::any_of(operation.regions.begin(), operation.regions.end(), [&](RegionId region) {
            const std::vector<OperationId>& current = m_edit.region(region).operations;
            return std::any_of(current.begin(), current.end(), [&](OperationId inner) { return hasEffect(inner); });
        });
    }
    [[nodiscard]] bool isUnused(OperationId id) const
    {
        const Operation& operation = m_edit.operation(id);
        return std::all_of(operation.results.begin(), operation.results.end(),
                   [&](ValueId result) { return m_edit.uses(result).empty(); })
            && !hasEffect(id) && (!operation.results.empty() || operation.kind == OpKind::ManualComputation);
    }

    bool dropEmpty(OperationId id)
    {
        const Operation& operation = m_edit.operation(id);
        if (!operation.operands.empty() || !operation.results.empty()
            || !m_edit.region(operation.regions[0]).operations.empty())
            return false;
        m_edit.erase(id);
        return true;
    }

    /// Over a single device there is nothing that the body would see of the values' parts.
    bool inlineBody(OperationId id)
    {
        const ManualComputationAttributes manual =
            *attributesAs<ManualComputationAttributes>(m_edit.operation(id).attributes);
        std::int64_t devices = 1;
        for (const std::string& name : manual.manualAxes) {
            const Mesh* mesh = !manual.in.empty() ? m_edit.program().meshes[manual.in[0].mesh].mesh.get()
                : !manual.out.empty()             ? m_edit.program().meshes[manual.out[0].mesh].mesh.get()
                                                  : nullptr;
            const auto axis = mesh ? mesh->axisIndex(name) : std::nullopt;
            if (!axis)
                return false;
            devices *= mesh->size(*axis);
        }
        if (devices != 1)
            return false;
        const RegionId body = m_edit.operation(id).regions[0];
        const std::vector<ValueId> arguments = m_edit.region(body).arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            m_edit.replaceUses(arguments[i], m_edit.operation(id).operands[i]);
        const std::vector<ValueId> returned = m_edit.region(body).results;
        const SmallVector<ValueId, 2> results = m_edit.operation(id).results;
        for (std::size_t i = 0; i < results.size(); ++i)
            m_edit.replaceUses(results[i], returned[i]);
        m_edit.moveOperations(body, m_edit.regionOf(id), id);
        m_edit.erase(id);
        return true;
    }

    Editor m_edit;
};

} // namespace

Program canonicalize(Program program)
{
    do
        program = Canonicalizer(std::move(program)).run();
    while (dropUnusedArguments(program));
    return program;
}

Program canonicalizeAll(Program program)
{
    using Pass = Canonicalized (*)(Program);
    const Pass collectives = [](Program before) { return canonicalizeCollectives(std::move(before)); };
    for (bool changed = true; changed;) {
        changed = false;
        for (const Pass pass : { Pass(canonicalizeReshards), collectives, Pass(reuseReshards) }) {
            Canonicalized outcome = pass(std::move(program));
            program = std::move(outcome.program);
            changed = changed || outcome.changed;
        }
        program = canonicalize(std::move(program));
    }
    return program;
}

Program leaveCollectivesToProducts(Program program)
{
    Editor edit(std::move(program));
    const auto isA = [&](OperationId id, OpKind kind) { return id.valid() && edit.operation(id).kind == kind; };
    std::vector<OperationId> products;
    for (const RegionId body : bodies(edit.program()))
        walk(edit.program(), body, [&](OperationId id) {
            if (isA(id, OpKind::Dot) || isA(id, OpKind::DotGeneral))
                products.push_back(id);
        });
    for (const OperationId id : products) {
        bool gathered = false;
        for (std::size_t slot = 0; slot < edit.operation(id).operands.size(); ++slot) {
            const OperationId source = edit.value(edit.operation(id).operands[slot]).definition;
            if (!isA(source, OpKind::SdyAllGather) || edit.uses(edit.result(source)).size() != 1)
                continue;
            edit.setOperand(id, slot, edit.operation(source).operands[0]);
            edit.erase(source);
            gathered = true;
        }
        const UseList& uses = edit.uses(edit.result(id));
        if (gathered || uses.size() != 1 || !isA(uses[0].operation, OpKind::SdyReduceScatter))
            continue;
        if (const ProgramSharding* own = edit.sharding(edit.result(id)); own && !own->sharding.unreduced.empty())
            continue;
        const OperationId scatter = uses[0].operation;
        edit.setSharding(
            edit.result(id), attributesAs<SdyCollectiveAttributes>(edit.operation(scatter).attributes)->out);
        edit.replaceUses(edit.result(scatter), edit.result(id));
        edit.erase(scatter);
    }
    return std::move(edit).finish();
}

void inlineMeshes(Program& program)
{
    for (ProgramMesh& mesh : program.meshes) {
        mesh.inlined = true;
        mesh.name.clear();
    }
}

} // namespace shardscope::passes
