// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/program_steps.h"

#include <algorithm>

namespace shardscope {

namespace {

std::uint64_t keyOf(ValueId value, std::int64_t occurrence)
{
    return std::uint64_t{ value.index } << 32 | static_cast<std::uint32_t>(occurrence);
}

} // namespace

const HeldValue* ProgramSteps::lastOf(ValueId meant, std::size_t end) const
{
    for (std::size_t i = std::min(end, steps.size()); i-- > 0;)
        for (const HeldValue& held : steps[i].results)
            if (held.meant == meant && held.isKept() && !held.own)
                return &held;
    return nullptr;
}

std::optional<std::size_t> ProgramSteps::firstOf(ValueId meant) const
{
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const HeldValue& held : steps[i].results)
            if (held.meant == meant)
                return i;
    return std::nullopt;
}

void ReferenceRecorder::computed(
    OperationId operation, std::int64_t device, std::span<const kernels::Array>, std::span<kernels::Array> results)
{
    if (device != 0)
        return; // all have the same
    const auto& values = m_values.operation(operation).results;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const ValueId value = m_values.of(values[i]);
        if (!value.valid())
            continue;
        const std::uint32_t occurrence = ++m_seen[value.index];
        const auto bytes = static_cast<double>(results[i].type.byteCount());
        if (bytes > m_room)
            continue;
        m_room -= bytes;
        m_kept.emplace(keyOf(value, occurrence), kernels::copied(results[i]));
    }
}

const kernels::Array* ReferenceRecorder::find(ValueId value, std::int64_t occurrence) const
{
    const auto found = m_kept.find(keyOf(m_values.computedFor(value), occurrence));
    return found == m_kept.end() ? nullptr : &found->second;
}

StepRecorder::StepRecorder(const Program& given, const PartitionedProgram& parts, double room)
    : m_program(parts.device.program)
    , m_devices(static_cast<std::size_t>(parts.device.mesh->deviceCount()))
    , m_values(given, parts)
    , m_watch(parts.device)
    , m_room(room)
    , m_there(m_devices)
{
}

void StepRecorder::begin(OperationId operation, std::span<const kernels::Array> results)
{
    m_full = m_out.steps.size() >= ProgramSteps::maxSteps;
    if (m_full)
        return;
    std::fill(m_there.begin(), m_there.end(), false);
    ProgramStep& step = m_out.steps.emplace_back();
    step.operation = operation;
    step.occurrence = ++m_seen[operation.index];
    const auto& values = m_program.operation(operation).results;
    for (std::size_t i = 0; i < results.size(); ++i) {
        HeldValue& held = step.results.emplace_back();
        held.value = values[i];
        if (const DeviceShard* shard = m_values.of(values[i])) {
            held.array = shard->array;
            held.meant = shard->meant;
        } else {
            held.array = { results[i].type, TensorSharding::fullyReplicated(results[i].type.rank()) };
            held.own = true;
        }
        const double bytes = static_cast<double>(results[i].type.byteCount()) * static_cast<double>(m_devices);
        if (!isTensor(results[i].type.dtype) || bytes > m_room)
            continue;
        m_room -= bytes;
        held.shards.resize(m_devices);
    }
}

void StepRecorder::computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
    std::span<kernels::Array> results)
{
    const auto at = static_cast<std::size_t>(device);
    if (m_out.steps.empty() || m_full || m_out.steps.back().operation != operation || m_there[at])
        begin(operation, results);
    if (m_full)
        return;
    m_there[at] = true;
    ProgramStep& step = m_out.steps.back();
    for (std::size_t i = 0; i < results.size(); ++i)
        if (step.results[i].isKept())
            step.results[i].shards[at] = kernels::copied(results[i]);
    std::array<bool, 2> before{};
    constexpr std::array kinds{ NonFiniteKind::NotANumber, NonFiniteKind::Infinity };
    const auto produced = [&](NonFiniteKind kind) { return m_watch.first(kind) && m_watch.first(kind)->produced; };
    for (std::size_t k = 0; k < kinds.size(); ++k)
        before[k] = produced(kinds[k]);
    m_watch.computed(operation, device, operands, results);
    for (std::size_t k = 0; k < kinds.size(); ++k)
        if (!before[k] && produced(kinds[k]))
            m_out.nonFinite.push_back({ *m_watch.first(kinds[k]), m_out.steps.size() - 1 });
}

ProgramSteps StepRecorder::take(const ReferenceRecorder& reference)
{
    std::unordered_map<std::uint32_t, std::int64_t> seen; // by value of the device
    for (ProgramStep& step : m_out.steps)
        for (HeldValue& held : step.results)
            if (held.meant.valid())
                if (const kernels::Array* full = reference.find(held.meant, ++seen[held.value.index]);
                    full && full->type == held.array.type)
                    held.reference = *full;
    return std::move(m_out);
}

} // namespace shardscope
