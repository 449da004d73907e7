// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/first_difference.h"

#include <algorithm>
#include <unordered_map>

#include "program/editor.h"
#include "program/value_shardings.h"
#include "program/wide_attributes.h"
#include "sharding/layout.h"
#include "simulate/evaluate/compare.h"

namespace shardscope::evaluate {

namespace {

using Key = std::uint64_t; ///< value and how often it was computed before
Key keyOf(ValueId value, std::uint32_t occurrence)
{
    return std::uint64_t{ value.index } << 32 | occurrence;
}

/// Values whose whole array can be put together of what devices hold, and what tells how.
class Comparable {
public:
    Comparable(const Program& given, const PartitionedProgram& parts)
        : m_sharded(parts.sharded)
        , m_device(parts.device.program)
        , m_shardings(parts.sharded)
        , m_how(given.values.size())
        , m_meant(given.values.size())
    {
        std::vector<bool> addends(m_sharded.values.size()), inManual(m_sharded.operations.size());
        for (const RegionId body : bodies(m_sharded))
            walk(m_sharded, body, [&](OperationId id) {
                const Operation& operation = m_sharded.operation(id);
                if (operation.kind == OpKind::SdyAllReduce || operation.kind == OpKind::SdyReduceScatter)
                    for (const ValueId operand : operation.operands)
                        addends[operand.index] = true;
                if (operation.kind == OpKind::ManualComputation)
                    walk(m_sharded, operation.regions[0], [&](OperationId inner) { inManual[inner.index] = true; });
            });
        for (std::size_t v = 0; v < given.values.size() && v < m_sharded.values.size(); ++v) {
            const ValueId value(v);
            m_meant[v] = value;
            const Value& held = m_sharded.values[v];
            if (held.definition.valid() && given.values[v].definition.valid() && !addends[v]
                && !inManual[held.definition.index] && held.type == given.values[v].type)
                accept(value, value);
        }
        // What the body of a manual computation returns on a device is the device's piece of the computation's result.
        for (const RegionId body : bodies(m_sharded))
            walk(m_sharded, body, [&](OperationId id) {
                const Operation& operation = m_sharded.operation(id);
                if (operation.kind != OpKind::ManualComputation || inManual[id.index])
                    return;
                const std::vector<ValueId>& returned = m_sharded.regions[operation.regions[0].index].results;
                for (std::size_t i = 0; i < std::min<std::size_t>(returned.size(), operation.results.size()); ++i)
                    if (returned[i].index < given.values.size() && operation.results[i].index < given.values.size()
                        && m_sharded.value(returned[i]).definition.valid())
                        accept(returned[i], operation.results[i]);
            });
    }

    /// How the value of a device lies; null for one that is not compared.
    [[nodiscard]] const ShardedArray* how(ValueId value) const
    {
        return value.index < m_how.size() && m_how[value.index] ? &*m_how[value.index] : nullptr;
    }
    /// The value of the given program that a device's one is a piece of.
    [[nodiscard]] ValueId meant(ValueId value) const { return m_meant[value.index]; }

private:
    void accept(ValueId held, ValueId meant)
    {
        const TensorType& type = m_sharded.value(meant).type;
        if (!isTensor(type.dtype) || held.index >= m_device.values.size())
            return;
        const ProgramSharding* found = m_shardings.of(meant);
        TensorSharding sharding = found ? found->sharding : TensorSharding::fullyReplicated(type.rank());
        if (!sharding.unreduced.empty() || sharding.rank() != type.rank())
            return;
        if (m_device.value(held).type != TensorType{ type.dtype, shardShape(sharding, type.shape) })
            return;
        m_how[held.index] = ShardedArray{ type, std::move(sharding) };
        m_meant[held.index] = meant;
    }

    const Program &m_sharded, &m_device;
    ValueShardings m_shardings;
    std::vector<std::optional<ShardedArray>> m_how; ///< by value of the device
    std::vector<ValueId> m_meant;
};

struct Kept {
    Array array;
    std::int64_t order = 0; ///< of the reference
};

/// Values of the reference from the `from`-th on, as many as there is room for.
class Recorder : public Observer {
public:
    Recorder(const Program& program, std::int64_t from, double room)
        : m_program(program)
        , m_from(from)
        , m_room(room)
    {
    }
    void computed(OperationId operation, std::int64_t, std::span<const Array>, std::span<const Array> results) override
    {
        const auto& values = m_program.operation(operation).results;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::uint32_t occurrence = m_seen[values[i].index]++;
            const std::int64_t order = m_count++;
            if (order < m_from || full)
                continue;
            m_room -= static_cast<double>(results[i].type.byteCount());
            full = m_room < 0 && !kept.empty();
            if (full)
                next = order;
            else
                kept.emplace(keyOf(values[i], occurrence), Kept{ results[i], order });
        }
    }

    std::unordered_map<Key, Kept> kept;
    bool full = false;
    std::int64_t next = 0; ///< the first that was not kept

private:
    const Program& m_program;
    std::int64_t m_from;
    double m_room;
    std::int64_t m_count = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> m_seen;
};

/// Puts values of the devices together as soon as all have computed them.
class Comparer : public Observer {
public:
    Comparer(const PartitionedProgram& parts, const Comparable& comparable, const Recorder& reference)
        : m_program(parts.device.program)
        , m_mesh(parts.device.mesh)
        , m_comparable(comparable)
        , m_reference(reference)
    {
    }
    void computed(
        OperationId operation, std::int64_t device, std::span<const Array>, std::span<const Array> results) override
    {
        const auto& values = m_program.operation(operation).results;
        for (std::size_t i = 0; i < results.size(); ++i)
            if (const ShardedArray* how = m_comparable.how(values[i]))
                add(values[i], *how, device, results[i]);
    }

    std::optional<FirstDifference> first;

private:
    struct Pending {
        Arrays shards;
        std::vector<std::uint32_t> seen; ///< how often each device has computed it
        std::int64_t there = 0;
    };

    void add(ValueId value, const ShardedArray& how, std::int64_t device, const Array& shard)
    {
        const auto devices = static_cast<std::size_t>(m_mesh->deviceCount());
        Pending& pending = m_pending[value.index];
        pending.shards.resize(devices);
        pending.seen.resize(devices);
        const auto at = static_cast<std::size_t>(device);
        const std::uint32_t occurrence = pending.seen[at]++;
        pending.shards[at] = shard;
        if (++pending.there < m_mesh->deviceCount())
            return;
        pending.there = 0;
        const bool together = std::all_of(pending.seen.begin(), pending.seen.end(),
            [&](std::uint32_t count) { return count == occurrence + 1; }); // not: some left a loop before the others
        const Arrays shards = std::exchange(pending.shards, {});
        const ValueId meant = m_comparable.meant(value);
        const auto kept = m_reference.kept.find(keyOf(meant, occurrence));
        if (together && kept != m_reference.kept.end() && kept->second.order < m_order)
            compare(meant, occurrence, how, shards, kept->second);
    }

    void compare(
        ValueId value, std::uint32_t occurrence, const ShardedArray& how, const Arrays& shards, const Kept& reference)
    {
        const AssembledArray made = assembleShards(shards, how, m_mesh);
        FirstDifference found;
        found.value = value;
        found.occurrence = std::int64_t{ occurrence } + 1;
        const Layout layout(m_mesh, how.sharding, how.type.shape);
        if (made.differ) {
            const Array &ours = shards[static_cast<std::size_t>(made.differ->device)],
                        &theirs = shards[static_cast<std::size_t>(made.differ->other)];
            found.device = made.differ->device;
            found.other = made.differ->other;
            const std::vector<IndexRange> ranges = layout.rangesAt(m_mesh->positionOf(found.device));
            std::int64_t left = made.differ->element;
            found.index.resize(ranges.size(), 0);
            for (std::size_t d = ranges.size(); d-- > 0;) {
                const std::int64_t extent = layout.shardShape()[d];
                found.index[d] = ranges[d].begin + left % extent;
                left /= extent;
            }
            found.found = elementOf(ours, made.differ->element);
            found.wanted = elementOf(theirs, made.differ->element);
        } else {
            const ArrayComparison compared = compareWithReference(made.whole, reference.array);
            if (compared.passed())
                return;
            std::int64_t left = compared.first;
            found.index.resize(how.type.rank(), 0);
            for (std::size_t d = how.type.rank(); d-- > 0;) {
                found.index[d] = left % how.type.shape[d];
                left /= how.type.shape[d];
            }
            for (std::int64_t position = m_mesh->deviceCount(); position-- > 0;) {
                const std::vector<IndexRange> ranges = layout.rangesAt(position);
                bool holds = true;
                for (std::size_t d = 0; d < ranges.size(); ++d)
                    holds = holds && ranges[d].begin <= found.index[d] && found.index[d] < ranges[d].end;
                if (holds)
                    found.device = m_mesh->deviceAt(position);
            }
            found.found = elementOf(made.whole, compared.first);
            found.wanted = elementOf(reference.array, compared.first);
        }
        m_order = reference.order;
        first = std::move(found);
    }

    const Program& m_program;
    MeshPtr m_mesh;
    const Comparable& m_comparable;
    const Recorder& m_reference;
    std::unordered_map<std::uint32_t, Pending> m_pending;
    std::int64_t m_order = INT64_MAX; ///< of the first one so far, in the reference
};

} // namespace

Result<std::optional<FirstDifference>> firstDifference(const Program& program, const PartitionedProgram& parts,
    const Arrays& arguments, const ExecuteOptions& options, double keptBytes, int mostRuns)
{
    const Comparable comparable(program, parts);
    std::int64_t from = 0;
    for (int run = 0; run < mostRuns; ++run) {
        Recorder reference(program, from, keptBytes);
        ExecuteOptions own = options;
        own.observer = &reference;
        if (const auto done = execute(program, { arguments }, own); !done)
            return tl::unexpected(done.error());
        Comparer devices(parts, comparable, reference);
        own.observer = &devices;
        if (const auto done = executePartitioned(parts.device, arguments, own); !done)
            return tl::unexpected(done.error());
        if (devices.first) {
            devices.first->operation = program.value(devices.first->value).definition;
            return std::move(devices.first);
        }
        if (!reference.full)
            break;
        from = reference.next;
    }
    return std::optional<FirstDifference>();
}

} // namespace shardscope::evaluate
