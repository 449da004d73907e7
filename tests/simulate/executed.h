// SPDX-License-Identifier: GPL-3.0-or-later
// Programs executed as the product executes them, for tests that have no experiment around them. Without Qt.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/codes.h"
#include "partition/unsharded.h"
#include "simulate/run/execute.h"
#include "simulate/run/not_executable.h"

namespace shardscope::test {

/// The reference: in full, on as many devices.
inline Result<Execution> executeInFull(const Program& program, const kernels::Arrays& arguments,
    const ExecuteOptions& options = {}, const DeviceCounts& devices = {})
{
    if (std::vector<Diagnostic> refused = notExecutable(program, devices); !refused.empty())
        return tl::unexpected<Error>(std::move(refused.front()));
    Result<PartitionedProgram> parts = unsharded(program, devices);
    if (!parts)
        return tl::unexpected<Error>(parts.error());
    ExecuteOptions plain = options;
    plain.plainKernels = true;
    return execute(std::make_shared<const Program>(program),
        std::make_shared<const PartitionedProgram>(std::move(*parts)), arguments, plain);
}

/// For one device, with the program's own state.
inline std::shared_ptr<const FlatProgram> flatInFull(const ProgramPtr& program)
{
    auto parts = std::make_shared<const PartitionedProgram>(unsharded(*program).value());
    return std::make_shared<const FlatProgram>(
        flatten(program, std::move(parts), { StateSource::Program, program->state }).value());
}

/// The program that was partitioned, as far as its values are concerned: without the padding of uneven shards.
inline ProgramPtr specifiedOf(const PartitionedProgram& parts)
{
    auto source = std::make_shared<Program>(parts.sharded->program);
    for (std::size_t i = 0; i < parts.device.inputs.size(); ++i)
        source->values[source->main().arguments[i].index].type = parts.device.inputs[i].type;
    return source;
}

/// What the devices of a partitioned program compute.
inline Result<Execution> executeParts(
    const PartitionedProgram& parts, const kernels::Arrays& arguments, const ExecuteOptions& options = {})
{
    return execute(specifiedOf(parts), std::make_shared<const PartitionedProgram>(parts), arguments, options);
}

/// A program of every device on arguments of its own, by device id. They stand one after the other along their first
/// dimension; what has none is the same on all.
inline Result<Execution> executeLocally(
    const Program& program, const std::vector<kernels::Arrays>& arguments, const ExecuteOptions& options = {})
{
    const auto devices = static_cast<std::int64_t>(arguments.size());
    Result<PartitionedProgram> parts = unsharded(program, { 1, devices });
    if (!parts)
        return tl::unexpected<Error>(parts.error());
    kernels::Arrays all;
    for (std::size_t i = 0; i < parts->device.inputs.size(); ++i) {
        ShardedArray& input = parts->device.inputs[i];
        if (input.type.rank() == 0) {
            all.push_back(arguments.front()[i]);
            for (const kernels::Arrays& own : arguments)
                if (std::memcmp(own[i].data(), all.back().data(), static_cast<std::size_t>(input.type.byteCount()))
                    != 0)
                    throw std::logic_error("scalars of devices differ");
            continue;
        }
        input.type.shape[0] *= devices;
        if (devices > 1)
            input.sharding.dims[0].axes = { fullAxis(*parts->device.mesh, 0) };
        kernels::Array& stacked = all.emplace_back(kernels::Array::make(input.type));
        std::byte* target = stacked.data();
        for (const kernels::Arrays& own : arguments) {
            const auto bytes = static_cast<std::size_t>(own[i].type.byteCount());
            if (bytes > 0)
                std::memcpy(target, own[i].data(), bytes);
            target += bytes;
        }
    }
    return execute(std::make_shared<const Program>(program),
        std::make_shared<const PartitionedProgram>(std::move(*parts)), all, options);
}

} // namespace shardscope::test
