// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/first_difference.h"

#include <algorithm>
#include <unordered_map>

#include "partition/device_values.h"
#include "sharding/layout.h"
#include "simulate/check/compare.h"
#include "simulate/check/reference_values.h"
#include "simulate/check/rounding_noise.h"

namespace shardscope::kernels {

namespace {

using Key = std::uint64_t; ///< value and how often it was computed before
Key keyOf(ValueId value, std::uint32_t occurrence)
{
    return std::uint64_t{ value.index } << 32 | occurrence;
}

struct Kept {
    Array array;
    std::int64_t order = 0; ///< of the reference
    double sensitivity = 0; ///< to roundings
};

/// Values of the reference from the `from`-th on, as many as there is room for.
class Recorder : public Observer {
public:
    Recorder(const ReferenceValues& values, std::int64_t from, double room)
        : m_values(values)
        , m_from(from)
        , m_room(room)
    {
    }
    void computed(OperationId operation, std::int64_t device, std::span<const Array>, std::span<Array> results) override
    {
        if (device != 0)
            return; // all have the same
        const auto& values = m_values.operation(operation).results;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const ValueId value = m_values.of(values[i]);
            if (!value.valid())
                continue;
            const std::uint32_t occurrence = m_seen[value.index]++;
            const std::int64_t order = m_count++;
            if (order < m_from || full)
                continue;
            m_room -= static_cast<double>(results[i].type.byteCount());
            full = m_room < 0 && !kept.empty();
            if (full)
                next = order;
            else
                kept.emplace(keyOf(value, occurrence), Kept{ copied(results[i]), order });
        }
    }

    std::unordered_map<Key, Kept> kept;
    bool full = false;
    std::int64_t next = 0; ///< the first that was not kept

    [[nodiscard]] const Kept* find(ValueId value, std::uint32_t occurrence) const
    {
        const auto found = kept.find(keyOf(m_values.computedFor(value), occurrence));
        return found == kept.end() ? nullptr : &found->second;
    }

private:
    const ReferenceValues& m_values;
    std::int64_t m_from;
    double m_room;
    std::int64_t m_count = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> m_seen;
};

/// What becomes of the kept values when sums are rounded otherwise.
class Sensitivities : public Observer {
public:
    Sensitivities(const ReferenceValues& values, Recorder& reference)
        : m_values(values)
        , m_reference(reference)
    {
    }
    void computed(OperationId operation, std::int64_t device, std::span<const Array>, std::span<Array> results) override
    {
        if (device != 0)
            return;
        const auto& values = m_values.operation(operation).results;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const ValueId value = m_values.of(values[i]);
            if (!value.valid())
                continue;
            const auto kept = m_reference.kept.find(keyOf(value, m_seen[value.index]++));
            if (kept != m_reference.kept.end() && isFloat(results[i].type.dtype))
                kept->second.sensitivity = sensitivityOf(kept->second.array, results[i]);
        }
    }

private:
    const ReferenceValues& m_values;
    Recorder& m_reference;
    std::unordered_map<std::uint32_t, std::uint32_t> m_seen;
};

/// Puts values of the devices together as soon as all have computed them.
class Comparer : public Observer {
public:
    Comparer(const PartitionedProgram& parts, const DeviceValues& shards, const Recorder& reference)
        : m_program(parts.device.program)
        , m_mesh(parts.device.mesh)
        , m_shards(shards)
        , m_reference(reference)
    {
    }
    void computed(OperationId operation, std::int64_t device, std::span<const Array>, std::span<Array> results) override
    {
        const auto& values = m_program.operation(operation).results;
        for (std::size_t i = 0; i < results.size(); ++i)
            if (const DeviceShard* held = m_shards.of(values[i]); held && held->meant.valid() && !held->addends)
                add(values[i], *held, device, results[i]);
    }

    std::optional<FirstDifference> first;

private:
    struct Pending {
        Arrays shards;
        std::vector<std::uint32_t> seen; ///< how often each device has computed it
        std::int64_t there = 0;
    };

    void add(ValueId value, const DeviceShard& held, std::int64_t device, const Array& shard)
    {
        const auto devices = static_cast<std::size_t>(m_mesh->deviceCount());
        Pending& pending = m_pending[value.index];
        pending.shards.resize(devices);
        pending.seen.resize(devices);
        const auto at = static_cast<std::size_t>(device);
        const std::uint32_t occurrence = pending.seen[at]++;
        pending.shards[at] = copied(shard);
        if (++pending.there < m_mesh->deviceCount())
            return;
        pending.there = 0;
        const bool together = std::all_of(pending.seen.begin(), pending.seen.end(),
            [&](std::uint32_t count) { return count == occurrence + 1; }); // not: some left a loop before the others
        const Arrays shards = std::exchange(pending.shards, {});
        const ValueId meant = held.meant;
        const Kept* kept = m_reference.find(meant, occurrence);
        if (together && kept && kept->order < m_order)
            compare(meant, occurrence, held.array, shards, *kept);
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
            const ArrayComparison compared = compareWithReference(made.full, reference.array, reference.sensitivity);
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
            found.found = elementOf(made.full, compared.first);
            found.wanted = elementOf(reference.array, compared.first);
        }
        m_order = reference.order;
        first = std::move(found);
    }

    const Program& m_program;
    MeshPtr m_mesh;
    const DeviceValues& m_shards;
    const Recorder& m_reference;
    std::unordered_map<std::uint32_t, Pending> m_pending;
    std::int64_t m_order = INT64_MAX; ///< of the first one so far, in the reference
};

} // namespace

Result<std::optional<FirstDifference>> firstDifference(const ProgramPtr& program, const Parts& reference,
    const Parts& devices, const Arrays& arguments, const ExecuteOptions& options, double keptBytes, int maxRuns)
{
    const DeviceValues shards(*program, *devices);
    const ReferenceValues values(*program, *reference);
    std::int64_t from = 0;
    for (int run = 0; run < maxRuns; ++run) {
        Recorder recorder(values, from, keptBytes);
        ExecuteOptions own = options;
        own.observers = { &recorder };
        own.plainKernels = true;
        if (const auto done = execute(program, reference, arguments, own); !done)
            return tl::unexpected(done.error());
        RoundingNoise noise(reference->device.program);
        Sensitivities sensitivities(values, recorder);
        own.observers = { &noise, &sensitivities };
        if (const auto done = execute(program, reference, arguments, own); !done)
            return tl::unexpected(done.error());
        Comparer comparer(*devices, shards, recorder);
        own.observers = { &comparer };
        own.plainKernels = false;
        if (const auto done = execute(program, devices, arguments, own); !done)
            return tl::unexpected(done.error());
        if (comparer.first) {
            comparer.first->operation = program->value(comparer.first->value).definition;
            return std::move(comparer.first);
        }
        if (!recorder.full)
            break;
        from = recorder.next;
    }
    return std::optional<FirstDifference>();
}

} // namespace shardscope::kernels
