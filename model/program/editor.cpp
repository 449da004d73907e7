// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/editor.h"

#include <algorithm>

namespace shardscope {

Editor::Editor(Program program)
    : m_program(std::move(program))
    , m_uses(m_program.values.size())
    , m_regionOf(m_program.operations.size())
    , m_erased(m_program.operations.size(), 0)
    , m_ownerOf(m_program.regions.size())
    , m_touched(m_program.regions.size(), 0)
{
    m_program.valueShardings.resize(m_program.values.size(), 0);
    // Lists of the right length, one after the other.
    std::size_t uses = 0;
    const auto count = [&](ValueId value) {
        if (value.index >= m_uses.size())
            return; // of what was dropped
        ++m_uses[value.index].m_capacity;
        ++uses;
    };
    for (const Region& region : m_program.regions) {
        for (const OperationId held : region.operations)
            for (const ValueId operand : operation(held).operands)
                count(operand);
        for (const ValueId returned : region.results)
            count(returned);
    }
    Use* next = roomFor(uses);
    for (UseList& list : m_uses) {
        list.m_data = next;
        next += list.m_capacity;
    }
    for (const RegionId body : bodies(m_program))
        index(body, {});
}

void Editor::index(RegionId id, OperationId owner)
{
    const Region& body = region(id);
    m_ownerOf[id.index] = owner;
    for (const OperationId operationId : body.operations) {
        m_regionOf[operationId.index] = id;
        const Operation& held = operation(operationId);
        for (std::size_t slot = 0; slot < held.operands.size(); ++slot)
            use(held.operands[slot], { operationId, {}, static_cast<std::uint32_t>(slot) });
        for (const RegionId inner : held.regions)
            index(inner, operationId);
    }
    for (std::size_t slot = 0; slot < body.results.size(); ++slot)
        use(body.results[slot], { {}, id, static_cast<std::uint32_t>(slot) });
}

void Editor::grow(UseList& list)
{
    const std::uint32_t capacity = std::max<std::uint32_t>(2, 2 * list.m_capacity);
    Use* data = roomFor(capacity);
    std::copy(list.begin(), list.end(), data);
    list.m_data = data;
    list.m_capacity = capacity;
}

Use* Editor::roomFor(std::size_t uses)
{
    constexpr std::size_t perBlock = 1024;
    if (static_cast<std::size_t>(m_roomEnd - m_room) < uses || !m_room) {
        const std::size_t length = std::max(uses, perBlock);
        m_room = m_blocks.emplace_back(std::make_unique_for_overwrite<Use[]>(length)).get();
        m_roomEnd = m_room + length;
    }
    Use* room = m_room;
    m_room += uses;
    return room;
}

ValueId Editor::addValue(const TensorType& type, OperationId definition, std::size_t index)
{
    Value made;
    made.type = type;
    made.definition = definition;
    made.index = static_cast<std::uint32_t>(index);
    m_program.values.push_back(std::move(made));
    m_program.valueShardings.push_back(0);
    m_uses.emplace_back();
    return ValueId(m_program.values.size() - 1);
}

OperationId Editor::add(OpKind kind, std::span<const ValueId> operands, std::span<const TensorType> resultTypes,
    Attributes attributes, OperationId like)
{
    const OperationId id(m_program.operations.size());
    Operation made;
    made.kind = kind;
    made.attributes = std::move(attributes);
    if (like.valid()) {
        made.scope = operation(like).scope;
        made.source = operation(like).source;
    }
    made.operands.assign(operands.begin(), operands.end());
    for (std::size_t i = 0; i < resultTypes.size(); ++i)
        made.results.push_back(addValue(resultTypes[i], id, i));
    m_program.operations.push_back(std::move(made));
    m_regionOf.emplace_back();
    m_erased.push_back(0);
    for (std::size_t slot = 0; slot < operands.size(); ++slot)
        use(operands[slot], { id, {}, static_cast<std::uint32_t>(slot) });
    return id;
}

OperationId Editor::addLike(OpKind kind, std::initializer_list<ValueId> operands, Attributes attributes)
{
    const ValueId first = *operands.begin();
    const TensorType type = value(first).type;
    return add(kind, std::span(operands.begin(), operands.size()), { &type, 1 }, std::move(attributes),
        value(first).definition);
}

ValueId Editor::addArgument(RegionId region, const TensorType& type)
{
    const ValueId id = addValue(type, {}, m_program.regions[region.index].arguments.size());
    m_program.regions[region.index].arguments.push_back(id);
    return id;
}

RegionId Editor::addRegion(OperationId owner)
{
    m_program.regions.emplace_back();
    m_ownerOf.push_back(owner);
    m_touched.push_back(0);
    const RegionId id(m_program.regions.size() - 1);
    if (owner.valid())
        m_program.operations[owner.index].regions.push_back(id);
    return id;
}

void Editor::placeBefore(OperationId anchor, OperationId placed)
{
    m_before[anchor.index].push_back(placed);
    m_regionOf[placed.index] = regionOf(anchor);
    if (regionOf(anchor).valid())
        m_touched[regionOf(anchor).index] = 1;
}

void Editor::placeAfter(OperationId anchor, OperationId placed)
{
    m_after[anchor.index].push_back(placed);
    m_regionOf[placed.index] = regionOf(anchor);
    if (regionOf(anchor).valid())
        m_touched[regionOf(anchor).index] = 1;
}

void Editor::placeFirst(RegionId region, OperationId placed)
{
    m_first[region.index].push_back(placed);
    m_regionOf[placed.index] = region;
    m_touched[region.index] = 1;
}

void Editor::placeLast(RegionId region, OperationId placed)
{
    m_last[region.index].push_back(placed);
    m_regionOf[placed.index] = region;
    m_touched[region.index] = 1;
}

void Editor::placeAfterDefinition(ValueId id, RegionId regionOfArgument, OperationId placed)
{
    if (value(id).definition.valid())
        placeAfter(value(id).definition, placed);
    else
        placeFirst(regionOfArgument, placed);
}

void Editor::detach(OperationId id)
{
    if (!m_regionOf[id.index].valid())
        return;
    std::vector<OperationId>& list = m_program.regions[m_regionOf[id.index].index].operations;
    list.erase(std::remove(list.begin(), list.end(), id), list.end());
    m_touched[m_regionOf[id.index].index] = 1; // what was placed beside it follows it
    m_regionOf[id.index] = {};
}

ShardingIndex Editor::intern(const ProgramSharding& sharding)
{
    std::vector<ProgramSharding>& all = m_program.shardings;
    for (std::size_t i = m_shardings.size(); i < all.size(); ++i)
        m_shardings.emplace(hash(all[i]), static_cast<ShardingIndex>(i + 1));
    const std::uint64_t key = hash(sharding);
    const auto [first, last] = m_shardings.equal_range(key);
    for (auto found = first; found != last; ++found)
        if (all[found->second - 1] == sharding)
            return found->second;
    all.push_back(sharding);
    m_shardings.emplace(key, static_cast<ShardingIndex>(all.size()));
    return static_cast<ShardingIndex>(all.size());
}

void Editor::setSharding(ValueId id, const ProgramSharding& sharding)
{
    const ShardingIndex index = intern(sharding);
    if (m_program.valueShardings.size() <= id.index)
        m_program.valueShardings.resize(m_program.values.size());
    m_program.valueShardings[id.index] = index;
}

void Editor::clearSharding(ValueId id)
{
    if (id.index < m_program.valueShardings.size())
        m_program.valueShardings[id.index] = 0;
}

void Editor::emit(OperationId id, RegionId region, std::vector<OperationId>& to)
{
    if (const auto found = m_before.find(id.index); found != m_before.end())
        for (const OperationId placed : found->second)
            emit(placed, region, to);
    if (m_regionOf[id.index] == region)
        to.push_back(id);
    if (const auto found = m_after.find(id.index); found != m_after.end())
        for (const OperationId placed : found->second)
            emit(placed, region, to);
}

void Editor::commit()
{
    // What was placed beside an operation before that one was placed itself learns its region only now.
    const std::function<void(OperationId, RegionId)> settle = [&](OperationId id, RegionId region) {
        for (const Places* places : { &m_before, &m_after })
            if (const auto found = places->find(id.index); found != places->end())
                for (const OperationId placed : found->second) {
                    if (!m_regionOf[placed.index].valid() && !isErased(placed))
                        m_regionOf[placed.index] = region;
                    settle(placed, region);
                }
    };
    for (std::size_t r = 0; r < m_program.regions.size(); ++r) {
        if (m_touched[r] == 0)
            continue;
        m_touched[r] = 0;
        const RegionId id(r);
        std::vector<OperationId> list;
        const std::vector<OperationId> old = std::move(m_program.regions[r].operations);
        list.reserve(old.size());
        const auto placed = [&](Places& places) {
            if (const auto found = places.find(static_cast<std::uint32_t>(r)); found != places.end())
                for (const OperationId one : found->second) {
                    settle(one, id);
                    emit(one, id, list);
                }
        };
        placed(m_first);
        for (const OperationId one : old) {
            settle(one, id);
            emit(one, id, list);
        }
        placed(m_last);
        m_program.regions[r].operations = std::move(list);
    }
    m_before.clear();
    m_after.clear();
    m_first.clear();
    m_last.clear();
}

Program Editor::finish() &&
{
    commit();
    return std::move(m_program);
}

void walk(const Program& program, RegionId region, const std::function<void(OperationId)>& visit)
{
    for (const OperationId id : program.regions[region.index].operations) {
        visit(id);
        for (const RegionId inner : program.operation(id).regions)
            walk(program, inner, visit);
    }
}

void walkInnerFirst(const Program& program, RegionId region, const std::function<void(OperationId)>& visit)
{
    for (const OperationId id : program.regions[region.index].operations) {
        for (const RegionId inner : program.operation(id).regions)
            walkInnerFirst(program, inner, visit);
        visit(id);
    }
}

std::vector<RegionId> bodies(const Program& program)
{
    std::vector<RegionId> result;
    if (program.functions.empty() && !program.regions.empty())
        result.push_back(RegionId(std::size_t{ 0 }));
    for (const Function& function : program.functions)
        result.push_back(function.body);
    return result;
}

bool isMain(const Program& program, std::size_t function)
{
    return program.functions.size() <= 1 || (function == 0 && program.functions[0].name == "main");
}

} // namespace shardscope
