// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/program_values.h"

#include <algorithm>
#include <limits>
#include <new>

#include "base/bytes.h"
#include "base/codes.h"
#include "partition/unsharded.h"

namespace shardscope {

namespace {

/// Of what is kept: every argument and every result on all devices, and whole.
double keptBytes(const DeviceProgram& device)
{
    double bytes = 0;
    for (const auto* arrays : { &device.inputs, &device.outputs })
        for (const ShardedArray& array : *arrays) {
            const Layout layout(device.mesh, array.sharding, array.type.shape);
            const auto size = [&](const Shape& shape) {
                auto all = static_cast<double>(std::max<std::int64_t>(byteSize(array.type.dtype), 1));
                for (const std::int64_t extent : shape)
                    all *= static_cast<double>(extent);
                return all;
            };
            bytes += size(layout.shape()) + size(layout.shardShape()) * static_cast<double>(device.mesh->deviceCount());
        }
    return bytes;
}

void readShard(const kernels::Array& shard, const Sample& sample, std::span<double> out)
{
    if (!shard.bytes) {
        std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
        return;
    }
    std::size_t next = 0;
    forEachElement(sample, kernels::stridesOf(shard.type.shape),
        [&](std::int64_t element) { out[next++] = kernels::numberAt(shard, element); });
}

std::vector<double> numbersOf(const kernels::Array& whole)
{
    std::vector<double> numbers(static_cast<std::size_t>(whole.count()));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = kernels::numberAt(whole, static_cast<std::int64_t>(i));
    return numbers;
}

} // namespace

Result<ProgramValuesPtr> computeProgramValues(
    const Program& program, const std::shared_ptr<const PartitionedProgram>& parts, const ProgramInputs& inputs)
{
    RunOptions run;
    run.memoryLimit = inputs.memoryLimit;
    const std::int64_t limit = memoryLimit(run);
    try {
        auto values = std::make_shared<ProgramValues>();
        values->device = parts->device;
        const double kept = keptBytes(values->device);
        if (kept > static_cast<double>(limit) / 2)
            return fail(Code::OutOfMemory, { { "bytes", toBytes(kept) }, { "limit", limit / 2 } });
        values->fullInputs = InitialArrays(program, inputs.initial).all();
        for (std::size_t i = 0; i < values->fullInputs.size() && i < values->device.inputs.size(); ++i)
            values->inputs.push_back(shardsOf(values->fullInputs[i], values->device.inputs[i], values->device.mesh));
        ExecuteOptions options;
        options.memoryLimit = limit / 2;
        options.stop = inputs.stop;
        const double room = static_cast<double>(limit) / 16;
        const auto given = std::make_shared<const Program>(program);
        Result<PartitionedProgram> inFull = unsharded(program);
        if (!inFull)
            return tl::unexpected(inFull.error());
        const auto referenceParts = std::make_shared<const PartitionedProgram>(std::move(*inFull));
        ReferenceRecorder reference(program, *referenceParts, room);
        options.observers = { &reference };
        options.plainKernels = true;
        auto full = execute(given, referenceParts, values->fullInputs, options);
        if (inputs.stop.stop_requested())
            return ProgramValuesPtr();
        if (!full)
            return tl::unexpected(full.error());
        StepRecorder steps(program, *parts, room);
        options.observers = { &steps };
        options.plainKernels = false;
        auto done = execute(given, parts, values->fullInputs, options);
        if (inputs.stop.stop_requested())
            return ProgramValuesPtr();
        if (!done)
            return tl::unexpected(done.error());
        values->steps = steps.take(reference);
        values->outputs.resize(values->device.outputs.size());
        for (std::size_t r = 0; r < values->outputs.size(); ++r)
            for (const kernels::Arrays& shards : done->shards)
                values->outputs[r].push_back(shards[r]);
        values->reference = std::move(full->outputs);
        return ProgramValuesPtr(std::move(values));
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory, { { "bytes", limit }, { "limit", limit } });
    }
}

ProgramReader::ProgramReader(ProgramPtr named, ProgramValuesPtr values)
    : m_named(std::move(named))
    , m_values(std::move(values))
{
}

ProgramReader::Place ProgramReader::placeOf(ValueId value) const
{
    const auto& arguments = m_named->main().arguments;
    for (std::size_t i = 0; i < std::min(arguments.size(), m_values->inputs.size()); ++i)
        if (arguments[i] == value)
            return { &m_values->device.inputs[i], &m_values->inputs[i], &m_values->fullInputs[i] };
    const auto& results = m_named->main().results;
    for (std::size_t r = 0; r < std::min(results.size(), m_values->outputs.size()); ++r)
        if (results[r] == value)
            return { &m_values->device.outputs[r], &m_values->outputs[r], &m_values->reference[r] };
    return {};
}

Held ProgramReader::held(ValueId value) const
{
    return placeOf(value).array ? Held::Yes : Held::Overwritten;
}

DType ProgramReader::dtype(ValueId value) const
{
    return placeOf(value).array->type.dtype;
}

Layout ProgramReader::layout(ValueId value) const
{
    const ShardedArray& array = *placeOf(value).array;
    return { array.over(m_values->device.mesh), array.sharding, array.type.shape };
}

void ProgramReader::readLocal(ValueId value, std::int64_t position, const Sample& sample, std::span<double> out) const
{
    const Place place = placeOf(value);
    const std::int32_t device = place.array->over(m_values->device.mesh)->deviceAt(position);
    readShard((*place.shards)[static_cast<std::size_t>(device)], sample, out);
}

std::vector<double> ProgramReader::reference(ValueId value) const
{
    return numbersOf(*placeOf(value).whole);
}

Layout StepReader::layout(ValueId) const
{
    return { m_held.array.over(m_values->device.mesh), m_held.array.sharding, m_held.array.type.shape };
}

void StepReader::readLocal(ValueId, std::int64_t position, const Sample& sample, std::span<double> out) const
{
    const MeshPtr& mesh = m_held.array.over(m_values->device.mesh);
    readShard(m_held.shards[static_cast<std::size_t>(mesh->deviceAt(position))], sample, out);
}

std::vector<double> StepReader::reference(ValueId) const
{
    return numbersOf(m_held.reference);
}

} // namespace shardscope
