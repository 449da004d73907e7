// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/import/manual_regions.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "propagation/pass_support.h"

namespace shardscope::passes {

namespace {

bool isCallOf(const Operation& operation, std::string_view target)
{
    const auto* call = attributesAs<CustomCallAttributes>(operation.attributes);
    return operation.kind == OpKind::CustomCall && call && call->target == target && operation.operands.size() == 1
        && operation.results.size() == 1;
}
bool enters(const Operation& operation)
{
    return isCallOf(operation, "SPMDFullToShardShape");
}
bool leaves(const Operation& operation)
{
    return isCallOf(operation, "SPMDShardToFullShape");
}

/// `local` is the shard that the sharding splits `full` into.
bool isShard(const TensorType& full, const TensorType& local, const TensorSharding& sharding)
{
    if (full.dtype != local.dtype || full.rank() != local.rank() || sharding.rank() != full.rank()
        || !sharding.unreduced.empty())
        return false;
    for (std::size_t d = 0; d < full.rank(); ++d)
        if (local.shape[d] * shardCount(sharding.dims[d]) != full.shape[d])
            return false;
    return true;
}

/// One computation on shards; operations in the order of their region.
struct ShardComputation {
    std::vector<OperationId> entering, inside, leaving;
    std::vector<ProgramSharding> in, out; ///< of what enters and leaves
    std::vector<ValueId> captured; ///< of outside, made anew inside
    std::vector<ValueId> taken; ///< of outside, as they are: in full on every device
    OperationId after; ///< where the computation begins: after the last of what it takes
    bool legal = true;
};

class ManualRegions {
public:
    explicit ManualRegions(Program program)
        : m_edit(std::move(program))
    {
    }

    Program run() &&
    {
        std::vector<RegionId> regions;
        for (const RegionId body : bodies(m_edit.program())) {
            regions.push_back(body);
            walk(m_edit.program(), body, [&](OperationId id) {
                for (const RegionId inner : m_edit.operation(id).regions)
                    regions.push_back(inner);
            });
        }
        std::vector<std::pair<RegionId, ShardComputation>> found;
        for (const RegionId region : regions)
            for (ShardComputation& computation : computationsOf(region))
                found.emplace_back(region, std::move(computation));
        for (const auto& [region, computation] : found)
            enclose(computation);
        return std::move(m_edit).finish();
    }

private:
    /// The operation of the region in which a use stands, itself or deeper; invalid for what the region returns.
    [[nodiscard]] OperationId topOf(const Use& use, RegionId region) const
    {
        if (!use.operation.valid() && use.region == region)
            return {};
        OperationId operation = use.operation.valid() ? use.operation : m_edit.ownerOf(use.region);
        while (operation.valid() && m_edit.regionOf(operation) != region)
            operation = m_edit.ownerOf(m_edit.regionOf(operation));
        return operation;
    }

    std::vector<ShardComputation> computationsOf(RegionId region)
    {
        const std::vector<OperationId>& operations = m_edit.region(region).operations;
        std::unordered_map<std::uint32_t, std::size_t> places; // of operations in the region
        std::vector<std::size_t> group(operations.size());
        std::iota(group.begin(), group.end(), std::size_t{ 0 });
        const auto rootOf = [&](std::size_t i) {
            while (group[i] != i)
                i = group[i];
            return i;
        };
        std::vector<char> isInside(operations.size(), 0), isWrong(operations.size(), 0);
        for (std::size_t i = 0; i < operations.size(); ++i)
            places.emplace(operations[i].index, i);
        bool any = false;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const Operation& operation = m_edit.operation(operations[i]);
            if (!enters(operation) && isInside[i] == 0)
                continue;
            if (enters(operation) && isInside[i] != 0)
                isWrong[i] = 1; // shards of shards
            any = true;
            isInside[i] = 1;
            if (leaves(operation))
                continue;
            for (const ValueId result : operation.results)
                for (const Use& use : m_edit.uses(result)) {
                    const OperationId top = topOf(use, region);
                    const auto place = top.valid() ? places.find(top.index) : places.end();
                    if (place == places.end()) {
                        isWrong[i] = 1;
                        continue;
                    }
                    isInside[place->second] = 1;
                    group[rootOf(place->second)] = rootOf(i);
                }
        }
        std::vector<ShardComputation> found;
        if (!any)
            return found;
        std::unordered_map<std::size_t, std::size_t> index; // by root
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (isInside[i] == 0)
                continue;
            const auto [at, isNew] = index.emplace(rootOf(i), found.size());
            if (isNew)
                found.emplace_back();
            ShardComputation& computation = found[at->second];
            const Operation& operation = m_edit.operation(operations[i]);
            (enters(operation)          ? computation.entering
                    : leaves(operation) ? computation.leaving
                                        : computation.inside)
                .push_back(operations[i]);
            computation.legal = computation.legal && isWrong[i] == 0;
        }
        for (ShardComputation& computation : found)
            computation.legal = computation.legal && isLegal(computation, region, places);
        std::erase_if(found, [](const ShardComputation& computation) { return !computation.legal; });
        return found;
    }

    bool isLegal(
        ShardComputation& computation, RegionId region, const std::unordered_map<std::uint32_t, std::size_t>& places)
    {
        if (computation.entering.empty() || computation.leaving.empty())
            return false;
        std::optional<std::uint32_t> mesh;
        const auto fits = [&](OperationId id, ValueId full, ValueId local) {
            const ProgramSharding* sharding = m_edit.sharding(full);
            if (!sharding || (mesh && *mesh != sharding->mesh)
                || !isShard(m_edit.value(full).type, m_edit.value(local).type, sharding->sharding))
                return false;
            mesh = sharding->mesh;
            (enters(m_edit.operation(id)) ? computation.in : computation.out).push_back(*sharding);
            return true;
        };
        for (const OperationId id : computation.entering)
            if (!fits(id, m_edit.operation(id).operands[0], m_edit.result(id)))
                return false;
        for (const OperationId id : computation.leaving)
            if (!fits(id, m_edit.result(id), m_edit.operation(id).operands[0]))
                return false;
        if (!capture(computation))
            return false;
        // The computation stands after the last of what enters it, and before all that reads its results.
        std::size_t last = places.at(computation.entering.back().index);
        for (const ValueId value : computation.taken)
            if (const OperationId definition = m_edit.value(value).definition; definition.valid())
                if (const auto place = places.find(definition.index); place != places.end())
                    last = std::max(last, place->second);
        computation.after = m_edit.region(region).operations[last];
        for (const OperationId id : computation.leaving)
            for (const Use& use : m_edit.uses(m_edit.result(id)))
                if (const OperationId top = topOf(use, region); top.valid() && places.at(top.index) < last)
                    return false;
        return true;
    }

    /// Values of outside that are read inside: constants and what is made of them are made anew, what is not sharded is
    /// taken as it is.
    bool capture(ShardComputation& computation)
    {
        std::unordered_set<std::uint32_t> made; // operations and arguments inside
        std::unordered_set<std::uint32_t> own, seen;
        for (const std::vector<OperationId>* list : { &computation.entering, &computation.inside })
            for (const OperationId id : *list) {
                made.insert(id.index);
                for (const RegionId inner : m_edit.operation(id).regions) {
                    const auto note = [&](RegionId region) {
                        for (const ValueId argument : m_edit.region(region).arguments)
                            own.insert(argument.index);
                    };
                    note(inner);
                    walk(m_edit.program(), inner, [&](OperationId nested) {
                        made.insert(nested.index);
                        for (const RegionId deeper : m_edit.operation(nested).regions)
                            note(deeper);
                    });
                }
            }
        bool possible = true;
        const auto read = [&](ValueId value) {
            const OperationId definition = m_edit.value(value).definition;
            if ((definition.valid() ? made.contains(definition.index) : own.contains(value.index))
                || !seen.insert(value.index).second)
                return;
            const bool isAnywhere = isMadeAnywhere(value);
            possible = possible && (isAnywhere || isInFull(value));
            (isAnywhere ? computation.captured : computation.taken).push_back(value);
        };
        const auto readBy = [&](OperationId id) {
            for (const ValueId operand : m_edit.operation(id).operands)
                read(operand);
            for (const RegionId inner : m_edit.operation(id).regions)
                for (const ValueId result : m_edit.region(inner).results)
                    read(result);
        };
        for (const OperationId id : computation.inside) {
            readBy(id);
            for (const RegionId inner : m_edit.operation(id).regions)
                walk(m_edit.program(), inner, readBy);
        }
        for (const OperationId id : computation.leaving)
            readBy(id);
        return possible;
    }

    [[nodiscard]] bool isMadeAnywhere(ValueId value) const
    {
        const OperationId definition = m_edit.value(value).definition;
        if (!definition.valid())
            return false;
        const Operation& operation = m_edit.operation(definition);
        switch (operation.kind) {
        case OpKind::Constant:
        case OpKind::SdyConstant:
        case OpKind::Iota:
            return true;
        case OpKind::BroadcastInDim:
        case OpKind::Reshape:
        case OpKind::Convert:
            return isMadeAnywhere(operation.operands[0]);
        default:
            return false;
        }
    }

    /// No axis shards the value, as far as the program says.
    [[nodiscard]] bool isInFull(ValueId value) const
    {
        const OperationId definition = m_edit.value(value).definition;
        const ProgramSharding* sharding = m_edit.sharding(value);
        return isTensor(m_edit.value(value).type.dtype) && !(definition.valid() && leaves(m_edit.operation(definition)))
            && (!sharding || sharding->sharding.isFullyReplicated());
    }

    void copyInto(RegionId region, ValueId value, ValueMap& map)
    {
        if (map.contains(value))
            return;
        const OperationId definition = m_edit.value(value).definition;
        for (const ValueId operand : std::vector<ValueId>(
                 m_edit.operation(definition).operands.begin(), m_edit.operation(definition).operands.end()))
            copyInto(region, operand, map);
        m_edit.placeLast(region, m_edit.copy(definition, map));
    }

    void enclose(const ShardComputation& computation)
    {
        ManualComputationAttributes manual;
        std::vector<ValueId> operands;
        std::vector<TensorType> types;
        for (const OperationId id : computation.entering)
            operands.push_back(m_edit.operation(id).operands[0]);
        for (const OperationId id : computation.leaving)
            types.push_back(m_edit.value(m_edit.result(id)).type);
        manual.in = computation.in;
        manual.out = computation.out;
        for (const ValueId value : computation.taken) {
            operands.push_back(value);
            manual.in.push_back(
                { manual.in.front().mesh, TensorSharding::fullyReplicated(m_edit.value(value).type.rank()) });
        }
        manual.manualAxes = m_edit.program().meshes[manual.in.front().mesh].mesh->axisNames();

        const OperationId made = m_edit.add(OpKind::ManualComputation, operands, types,
            otherAttributes(std::move(manual)), computation.entering.front());
        m_edit.placeAfter(computation.after, made);
        const RegionId body = m_edit.addRegion(made);
        ValueMap copies;
        for (const ValueId value : computation.captured)
            copyInto(body, value, copies);
        for (const OperationId id : computation.entering) {
            const ValueId local = m_edit.result(id), argument = m_edit.addArgument(body, m_edit.value(local).type);
            m_edit.replaceUses(local, argument);
            m_edit.erase(id);
        }
        for (const ValueId value : computation.taken)
            copies.emplace(value, m_edit.addArgument(body, m_edit.value(value).type));
        for (const OperationId id : computation.inside) {
            // "Manual" says nothing here any more.
            if (isCallOf(m_edit.operation(id), "Sharding") && !m_edit.sharding(m_edit.result(id))) {
                m_edit.replaceUses(m_edit.result(id), m_edit.operation(id).operands[0]);
                m_edit.erase(id);
                continue;
            }
            m_edit.detach(id);
            m_edit.placeLast(body, id);
        }
        std::unordered_set<std::uint32_t> insiders;
        for (const OperationId id : computation.inside)
            insiders.insert(id.index);
        for (const OperationId id : computation.leaving)
            insiders.insert(id.index);
        const auto useInside = [&](ValueId value) {
            m_edit.replaceUsesIf(value, copies.at(value), [&](const Use& use) {
                OperationId operation = use.operation.valid() ? use.operation : m_edit.ownerOf(use.region);
                while (operation.valid() && !insiders.contains(operation.index)) {
                    const RegionId around = m_edit.regionOf(operation);
                    operation = around.valid() ? m_edit.ownerOf(around) : OperationId();
                }
                return operation.valid();
            });
        };
        std::for_each(computation.captured.begin(), computation.captured.end(), useInside);
        std::for_each(computation.taken.begin(), computation.taken.end(), useInside);
        std::vector<ValueId> returned;
        for (std::size_t i = 0; i < computation.leaving.size(); ++i) {
            const OperationId id = computation.leaving[i];
            returned.push_back(m_edit.operation(id).operands[0]);
            m_edit.replaceUses(m_edit.result(id), m_edit.result(made, i));
            m_edit.erase(id);
        }
        m_edit.raw().regions[body.index].results = std::move(returned); // nobody replaces these any more
    }

    Editor m_edit;
};

} // namespace

bool isShardBoundary(const Operation& operation)
{
    return enters(operation) || leaves(operation);
}

bool hasShardBoundaries(const Program& program)
{
    return std::any_of(program.operations.begin(), program.operations.end(), isShardBoundary);
}

Program importManualRegions(Program program)
{
    if (!hasShardBoundaries(program))
        return program;
    return ManualRegions(std::move(program)).run();
}

} // namespace shardscope::passes
