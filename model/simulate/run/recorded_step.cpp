// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/recorded_step.h"

#include <algorithm>
#include <limits>

namespace shardscope {

namespace {

std::uint64_t keyOf(ValueId value, std::int64_t occurrence)
{
    return std::uint64_t{ value.index } << 32 | static_cast<std::uint32_t>(occurrence);
}

} // namespace

std::vector<double> RecordedArray::referenceNumbers() const
{
    std::vector<double> numbers(static_cast<std::size_t>(reference.count()));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = kernels::numberAt(reference, static_cast<std::int64_t>(i));
    return numbers;
}

const RecordedArray* RecordedStep::after(std::size_t count, ValueId meant) const
{
    for (const RecordedArray& argument : arguments)
        if (argument.meant == meant)
            return argument.isKept() ? &argument : nullptr;
    for (std::size_t i = std::min(count, operations.size()); i-- > 0;)
        for (const RecordedArray& result : operations[i].results)
            if (result.meant == meant && result.isKept() && !result.own)
                return &result;
    return nullptr;
}

std::optional<std::size_t> RecordedStep::firstOf(ValueId meant) const
{
    for (std::size_t i = 0; i < operations.size(); ++i)
        for (const RecordedArray& result : operations[i].results)
            if (result.meant == meant)
                return i;
    return std::nullopt;
}

Layout RecordedReader::layout(ValueId) const
{
    return { m_array.array.over(m_step->device().mesh), m_array.array.sharding, m_array.array.type.shape };
}

void RecordedReader::readLocal(ValueId, std::int64_t position, const Sample& sample, std::span<double> out) const
{
    const MeshPtr& mesh = m_array.array.over(m_step->device().mesh);
    const kernels::Array& shard = m_array.shards[static_cast<std::size_t>(mesh->deviceAt(position))];
    if (!shard.bytes) {
        std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
        return;
    }
    std::size_t next = 0;
    forEachElement(sample, kernels::stridesOf(shard.type.shape),
        [&](std::int64_t element) { out[next++] = kernels::numberAt(shard, element); });
}

ReferenceRecorder::ReferenceRecorder(const FlatProgram& full, double room)
    : m_values(*full.program, *full.parts)
    , m_allRoom(room)
    , m_room(room)
{
}

void ReferenceRecorder::begin(const Run& run)
{
    m_kept.clear();
    m_seen.clear();
    m_room = m_allRoom;
    m_isOn = true;
    const std::vector<ValueId>& arguments = run.plan().program->program->main().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        for (const kernels::Array& array : run.shardsOfArgument(i)) // one device
            if (array.bytes)
                keep(arguments[i], 0, array);
}

void ReferenceRecorder::keep(ValueId value, std::int64_t occurrence, const kernels::Array& array)
{
    const auto bytes = static_cast<double>(array.type.byteCount());
    if (bytes > m_room)
        return;
    m_room -= bytes;
    m_kept.emplace(keyOf(value, occurrence), copied(array));
}

void ReferenceRecorder::computed(
    OperationId operation, std::int64_t device, std::span<const kernels::Array>, std::span<kernels::Array> results)
{
    if (!m_isOn || device != 0)
        return; // all have the same
    const auto& values = m_values.operation(operation).results;
    for (std::size_t i = 0; i < results.size(); ++i)
        if (const ValueId value = m_values.of(values[i]); value.valid())
            keep(value, ++m_seen[value.index], results[i]);
}

const kernels::Array* ReferenceRecorder::find(ValueId value, std::int64_t occurrence) const
{
    const auto found = m_kept.find(keyOf(m_values.computedFor(value), occurrence));
    return found == m_kept.end() ? nullptr : &found->second;
}

DeviceRecorder::DeviceRecorder(std::shared_ptr<const FlatProgram> program, double room)
    : m_program(std::move(program))
    , m_devices(static_cast<std::size_t>(m_program->mesh->deviceCount()))
    , m_values(*m_program->program, *m_program->parts)
    , m_allRoom(room)
    , m_room(room)
    , m_there(m_devices)
{
}

bool DeviceRecorder::takeRoom(const TensorType& local)
{
    const double bytes = static_cast<double>(local.byteCount()) * static_cast<double>(m_devices);
    if (!isTensor(local.dtype) || bytes > m_room)
        return false;
    m_room -= bytes;
    return true;
}

void DeviceRecorder::begin(const Run& run)
{
    m_out = RecordedStep();
    m_out.program = m_program;
    m_room = m_allRoom;
    m_seen.clear();
    m_full = false;
    m_isOn = true;
    m_watch.emplace(m_program->parts->device);
    m_nonFinite = {};
    const std::vector<ValueId>& arguments = m_program->program->main().arguments;
    const std::vector<ValueId>& local = m_program->local->main().arguments;
    for (std::size_t i = 0; i < std::min(arguments.size(), m_program->inputs.size()); ++i) {
        RecordedArray& argument =
            m_out.arguments.emplace_back(RecordedArray{ local[i], arguments[i], m_program->inputs[i], false, {}, {} });
        if (takeRoom(m_program->local->value(local[i]).type))
            argument.shards = run.shardsOfArgument(i);
    }
}

void DeviceRecorder::beginOperation(OperationId operation, std::span<const kernels::Array> results)
{
    m_full = m_out.operations.size() >= RecordedStep::maxOperations;
    if (m_full)
        return;
    std::fill(m_there.begin(), m_there.end(), false);
    RecordedOperation& recorded = m_out.operations.emplace_back();
    recorded.operation = operation;
    recorded.occurrence = ++m_seen[operation.index];
    const auto& values = m_program->local->operation(operation).results;
    for (std::size_t i = 0; i < results.size(); ++i) {
        RecordedArray& result = recorded.results.emplace_back();
        result.value = values[i];
        if (const DeviceShard* shard = m_values.of(values[i])) {
            result.array = shard->array;
            result.meant = shard->meant;
        } else {
            result.array = { results[i].type, TensorSharding::fullyReplicated(results[i].type.rank()) };
            result.own = true;
        }
        if (takeRoom(results[i].type))
            result.shards.resize(m_devices);
    }
}

void DeviceRecorder::computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
    std::span<kernels::Array> results)
{
    if (!m_isOn)
        return;
    const auto at = static_cast<std::size_t>(device);
    if (m_out.operations.empty() || m_full || m_out.operations.back().operation != operation || m_there[at])
        beginOperation(operation, results);
    if (!m_full) {
        m_there[at] = true;
        RecordedOperation& recorded = m_out.operations.back();
        for (std::size_t i = 0; i < results.size(); ++i)
            if (recorded.results[i].isKept())
                recorded.results[i].shards[at] = copied(results[i]);
    }
    m_watch->computed(operation, device, operands, results);
    for (const NonFiniteKind kind : { NonFiniteKind::NotANumber, NonFiniteKind::Infinity }) {
        std::optional<RecordedStep::FirstNonFinite>& noted = m_nonFinite[static_cast<std::size_t>(kind)];
        const std::optional<NonFinite> first = m_watch->first(kind);
        if (!first || !first->produced)
            noted.reset();
        else if (!noted || noted->found.operation != first->operation || noted->found.device != first->device)
            noted = RecordedStep::FirstNonFinite{ *first, m_out.operations.size() - (m_full ? 0 : 1) };
    }
}

RecordedStep DeviceRecorder::take(const ReferenceRecorder* reference)
{
    for (const auto& noted : m_nonFinite)
        if (noted)
            m_out.nonFinite.push_back(*noted);
    std::stable_sort(m_out.nonFinite.begin(), m_out.nonFinite.end(),
        [](const auto& a, const auto& b) { return a.operation < b.operation; });
    if (!reference)
        return std::move(m_out);
    const auto compareWith = [&](RecordedArray& recorded, std::int64_t occurrence) {
        const kernels::Array* full = reference->find(recorded.meant, occurrence);
        if (full && full->type == recorded.array.type)
            recorded.reference = *full;
    };
    for (RecordedArray& argument : m_out.arguments)
        compareWith(argument, 0);
    std::unordered_map<std::uint32_t, std::int64_t> seen; // by value of the device
    for (RecordedOperation& operation : m_out.operations)
        for (RecordedArray& result : operation.results)
            if (result.meant.valid())
                compareWith(result, ++seen[result.value.index]);
    return std::move(m_out);
}

} // namespace shardscope
