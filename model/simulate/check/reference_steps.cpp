// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/reference_steps.h"

#include <utility>

#include "base/bytes.h"
#include "base/codes.h"
#include "partition/unsharded.h"

namespace shardscope {

/// Counts the operations of a call, and stops the run when the caller does.
class ReferenceSteps::Progress final : public Observer {
public:
    void begin(const Limits& limits, std::int64_t all)
    {
        m_limits = limits;
        m_done = 0;
        m_all = all;
    }
    void end() { m_limits = Limits(); }
    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
    void computed(OperationId, std::int64_t, std::span<const kernels::Array>, std::span<kernels::Array>) override
    {
        if (m_limits.progress && m_done < m_all)
            m_limits.progress(++m_done, m_all);
        if (m_limits.stop.stop_requested())
            m_stop.request_stop();
    }

private:
    Limits m_limits;
    std::stop_source m_stop;
    std::int64_t m_done = 0, m_all = 0;
};

ReferenceSteps::ReferenceSteps(ProgramPtr program, InitialValues initial)
    : m_program(std::move(program))
    , m_initial(std::move(initial))
{
}

Result<std::unique_ptr<Run>> ReferenceSteps::runKeeping(std::vector<ValueId> kept, const Limits& limits)
{
    ScheduleOptions scheduling;
    scheduling.plain = true;
    scheduling.keep = std::move(kept);
    Result<Plan> plan = schedule(m_flat, scheduling);
    if (!plan)
        return tl::unexpected<Error>(std::move(plan.error()));
    m_progress = std::make_shared<Progress>();
    RunOptions options;
    options.threads = 1;
    options.initial = m_initial;
    options.memoryLimit = limits.bytes > 0 ? toBytes(limits.bytes) : 0;
    options.stop = m_progress->token();
    options.plainKernels = true;
    options.observers = { m_progress.get() };
    return Run::create(std::make_shared<const Plan>(std::move(*plan)), options);
}

Result<void> ReferenceSteps::begin(ValueId value, const Limits& limits)
{
    m_run.reset();
    if (!m_flat) {
        Result<PartitionedProgram> parts = unsharded(*m_program);
        if (!parts)
            return tl::unexpected<Error>(std::move(parts.error()));
        Result<FlatProgram> flat = flatten(m_program, std::make_shared<const PartitionedProgram>(std::move(*parts)),
            { StateSource::Program, m_program->state });
        if (!flat)
            return tl::unexpected<Error>(std::move(flat.error()));
        m_flat = std::make_shared<const FlatProgram>(std::move(*flat));
    }
    std::vector<ValueId> all;
    for (std::size_t v = 0; v < m_program->values.size(); ++v)
        if (m_flat->value(FlatValueId(v)).isShard && m_program->values[v].definition.valid())
            all.emplace_back(v);
    Result<std::unique_ptr<Run>> run = runKeeping(std::move(all), limits);
    m_kept = {};
    if (!run) {
        run = runKeeping({ value }, limits);
        m_kept = value;
    }
    if (!run)
        return tl::unexpected<Error>(std::move(run.error()));
    m_run = std::move(*run);
    return {};
}

Result<ReferenceSteps::Array> ReferenceSteps::after(ValueId value, std::int64_t steps, const Limits& limits)
{
    for (const StatePair& pair : m_program->state) // new state stands where the old one did
        if (m_program->main().results[pair.result] == value)
            value = pair.argument;
    if (!m_run || m_run->stepsDone() > steps || (m_kept.valid() && m_kept != value))
        if (const Result<void> begun = begin(value, limits); !begun)
            return tl::unexpected<Error>(begun.error());
    m_progress->begin(
        limits, static_cast<std::int64_t>(m_run->plan().instructions.size()) * (steps - m_run->stepsDone()));
    while (m_run->stepsDone() < steps && !m_run->stopped() && !m_run->failure())
        (void)m_run->step();
    m_progress->end();
    if (std::optional<Error> failure = m_run->failure()) {
        m_run.reset();
        return tl::unexpected<Error>(std::move(*failure));
    }
    if (m_run->stopped()) {
        m_run.reset();
        return Array();
    }
    return std::make_shared<const std::vector<double>>(m_run->gather(value));
}

} // namespace shardscope
