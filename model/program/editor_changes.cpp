// SPDX-License-Identifier: GPL-3.0-or-later
// What the editor does with uses: leading them elsewhere, dropping operations, copying them.
// A part of Editor, which is declared in editor.h.
#include <algorithm>
#include <utility>

#include "program/editor.h"

namespace shardscope {

void Editor::unuse(ValueId value, const Use& use)
{
    UseList& list = m_uses[value.index];
    Use* const end = list.m_data + list.m_size;
    if (Use* const found = std::find(list.m_data, end, use); found != end) {
        std::copy(found + 1, end, found);
        --list.m_size;
    }
}

void Editor::setOperand(OperationId id, std::size_t slot, ValueId to)
{
    ValueId& held = m_program.operations[id.index].operands[slot];
    const Use place{ id, {}, static_cast<std::uint32_t>(slot) };
    unuse(held, place);
    held = to;
    use(to, place);
}

void Editor::setReturned(RegionId id, std::size_t slot, ValueId to)
{
    ValueId& held = m_program.regions[id.index].results[slot];
    const Use place{ {}, id, static_cast<std::uint32_t>(slot) };
    unuse(held, place);
    held = to;
    use(to, place);
}

void Editor::replaceUses(ValueId from, ValueId to, OperationId except)
{
    replaceUsesIf(from, to, [&](const Use& use) { return !except.valid() || use.operation != except; });
}

void Editor::replaceUsesIf(ValueId from, ValueId to, const std::function<bool(const Use&)>& predicate)
{
    if (from == to)
        return;
    const UseList all = std::exchange(m_uses[from.index], UseList());
    UseList kept = all; // in the same place
    kept.m_size = 0;
    for (const Use place : all) {
        if (!predicate(place)) {
            kept.m_data[kept.m_size++] = place;
            continue;
        }
        if (place.operation.valid())
            m_program.operations[place.operation.index].operands[place.slot] = to;
        else
            m_program.regions[place.region.index].results[place.slot] = to;
        use(to, place);
    }
    m_uses[from.index] = kept;
}

void Editor::erase(OperationId id)
{
    if (m_regionOf[id.index].valid())
        m_touched[m_regionOf[id.index].index] = 1;
    m_regionOf[id.index] = {};
    m_erased[id.index] = 1;
    const Operation& gone = operation(id);
    for (std::size_t slot = 0; slot < gone.operands.size(); ++slot)
        unuse(gone.operands[slot], { id, {}, static_cast<std::uint32_t>(slot) });
    for (const RegionId inner : gone.regions) {
        for (std::size_t slot = 0; slot < region(inner).results.size(); ++slot)
            unuse(region(inner).results[slot], { {}, inner, static_cast<std::uint32_t>(slot) });
        const std::vector<OperationId> held = region(inner).operations;
        for (const OperationId operationId : held)
            erase(operationId);
    }
}

void Editor::moveOperations(RegionId from, RegionId to, OperationId before)
{
    commit();
    Region& source = m_program.regions[from.index];
    std::vector<OperationId>& target = m_program.regions[to.index].operations;
    const auto position = before.valid() ? std::find(target.begin(), target.end(), before) : target.end();
    for (const OperationId id : source.operations)
        m_regionOf[id.index] = to;
    target.insert(position, source.operations.begin(), source.operations.end());
    source.operations.clear();
}

void Editor::adoptRegion(OperationId owner, RegionId region)
{
    m_program.operations[owner.index].regions = { region };
    m_ownerOf[region.index] = owner;
}

OperationId Editor::copy(OperationId id, ValueMap& map)
{
    const Operation original = operation(id); // the arrays grow
    SmallVector<ValueId, 4> operands;
    for (const ValueId operand : original.operands) {
        const auto found = map.find(operand);
        operands.push_back(found == map.end() ? operand : found->second);
    }
    std::vector<TensorType> types;
    for (const ValueId held : original.results)
        types.push_back(value(held).type);
    const OperationId made =
        add(original.kind, std::span<const ValueId>(operands.data(), operands.size()), types, original.attributes, id);
    m_program.operations[made.index].extra = original.extra;
    for (std::size_t i = 0; i < original.results.size(); ++i) {
        const ValueId from = original.results[i], to = result(made, i);
        Value& target = m_program.values[to.index];
        target.role = value(from).role;
        target.path = value(from).path; // until nameValues() tells them apart
        target.dimNames = value(from).dimNames;
        m_program.valueShardings[to.index] = m_program.valueShardings[from.index];
        map[from] = to;
    }
    for (const RegionId inner : original.regions)
        copyRegion(inner, made, map);
    return made;
}

RegionId Editor::copyRegion(RegionId id, OperationId owner, ValueMap& map)
{
    const RegionId made = addRegion(owner);
    const Region original = region(id);
    for (const ValueId argument : original.arguments) {
        const TensorType type = value(argument).type;
        const ValueId to = addArgument(made, type);
        m_program.values[to.index].role = value(argument).role;
        m_program.values[to.index].path = value(argument).path;
        m_program.values[to.index].dimNames = value(argument).dimNames;
        m_program.valueShardings[to.index] = m_program.valueShardings[argument.index];
        map[argument] = to;
    }
    for (const OperationId held : original.operations) {
        const OperationId to = copy(held, map);
        m_regionOf[to.index] = made;
        m_program.regions[made.index].operations.push_back(to);
    }
    for (std::size_t slot = 0; slot < original.results.size(); ++slot) {
        const auto found = map.find(original.results[slot]);
        const ValueId to = found == map.end() ? original.results[slot] : found->second;
        m_program.regions[made.index].results.push_back(to);
        use(to, { {}, made, static_cast<std::uint32_t>(slot) });
    }
    return made;
}

} // namespace shardscope
