// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/fill_arguments.h"

#include <algorithm>
#include <cstring>

#include "simulate/kernels/element.h"
#include "simulate/run/positions.h"
#include "simulate/run/shard_rows.h"
#include "simulate/run/shards.h"

namespace shardscope {

namespace {

struct Filling {
    const Plan& plan;
    const DeviceMemory& memory;
    const InitialArrays& initial;
    const std::stop_token& stop;
};

/// `layout` in plain order.
void fillArgument(const Filling& filling, ValueId argument, SlotId slot, const Layout& layout, std::int64_t shard)
{
    const FlatValue& value = filling.plan.program->value(FlatValueId(argument.index));
    const std::vector<std::int32_t> positions = layout.holders(shard);
    std::byte* first = filling.memory.address(static_cast<std::size_t>(positions[0]), slot);
    // Part of a row at a time, so that long rows need no memory; the others copy the first holder's shard.
    constexpr std::int64_t maxElements = 4096;
    std::vector<double> part;
    const Shape strides = rowMajorStrides(layout.shape());
    forEachRow(
        layout, positions[0], value.localType.shape, [&](std::int64_t local, std::int64_t global, std::int64_t length) {
            if (filling.stop.stop_requested())
                return;
            std::vector<IndexRange> ranges;
            for (std::size_t d = 0; d < strides.size(); ++d) {
                const std::int64_t index = global / strides[d] % layout.shape()[d];
                ranges.push_back({ index, index + 1 });
            }
            for (std::int64_t done = 0; done < length && !filling.stop.stop_requested(); done += maxElements) {
                const std::int64_t count = std::min(maxElements, length - done);
                part.resize(static_cast<std::size_t>(count));
                if (!ranges.empty())
                    ranges.back().end = ranges.back().begin + count;
                filling.initial.fill(argument, ranges, part);
                for (std::int64_t i = 0; i < count; ++i)
                    storeElement(value.localType.dtype, first, local + done + i, part[static_cast<std::size_t>(i)]);
                if (!ranges.empty())
                    ranges.back().begin += count;
            }
        });
    for (const std::int32_t position : positions) {
        std::byte* copy = filling.memory.address(static_cast<std::size_t>(position), slot);
        if (copy != first && !filling.stop.stop_requested())
            std::memcpy(copy, first, static_cast<std::size_t>(value.localType.byteCount()));
    }
}

/// Element types, and ways to lie, that arrays are made in full for.
bool needsFullArray(const FlatValue& value)
{
    const DType dtype = value.localType.dtype;
    return (dtype != DType::Pred && dtype != DType::I32 && dtype != DType::F32 && dtype != DType::F64)
        || value.otherMesh || !value.sharding.unreduced.empty();
}

void fillFromFullArray(const Filling& filling, std::size_t argument)
{
    const FlatProgram& program = *filling.plan.program;
    const kernels::Arrays shards = shardsOf(filling.initial.array(argument), program.inputs[argument], program.mesh);
    for (std::int64_t position = 0; position < program.mesh->deviceCount(); ++position) {
        const kernels::Array& shard = shards[static_cast<std::size_t>(program.mesh->deviceAt(position))];
        if (shard.bytes && !filling.stop.stop_requested())
            std::memcpy(filling.memory.address(static_cast<std::size_t>(position), filling.plan.arguments[argument]),
                shard.data(), static_cast<std::size_t>(shard.type.byteCount()));
    }
}

} // namespace

void fillArguments(const Plan& plan, const DeviceMemory& memory, const InitialArrays& initial, ThreadPool& pool,
    const std::stop_token& stop, std::optional<std::span<const std::size_t>> only)
{
    const Filling filling{ plan, memory, initial, stop };
    const Program& program = *plan.program->program;
    struct Part {
        std::size_t argument;
        std::int64_t shard; ///< -1: all of them
        std::size_t layout;
    };
    std::vector<Part> parts;
    std::vector<Layout> layouts;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const FlatValueId argument(arguments[a].index);
        if (!plan.arguments[a].valid() || (only && std::find(only->begin(), only->end(), a) == only->end()))
            continue;
        if (needsFullArray(plan.program->value(argument))) {
            parts.push_back({ a, -1, 0 });
            continue;
        }
        layouts.push_back(inPlainOrder(plan.program->layout(argument)));
        for (std::int64_t shard = 0; shard < layouts.back().distinctShards(); ++shard)
            parts.push_back({ a, shard, layouts.size() - 1 });
    }
    pool.run(static_cast<std::int64_t>(parts.size()), [&](std::int64_t task, int) {
        if (stop.stop_requested())
            return;
        const Part& part = parts[static_cast<std::size_t>(task)];
        if (part.shard < 0)
            return fillFromFullArray(filling, part.argument);
        fillArgument(
            filling, arguments[part.argument], plan.arguments[part.argument], layouts[part.layout], part.shard);
    });
}

} // namespace shardscope
