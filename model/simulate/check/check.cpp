// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <new>
#include <numeric>
#include <optional>

#include "base/bytes.h"
#include "base/codes.h"
#include "partition/unsharded.h"
#include "program/step_state.h"
#include "simulate/check/compare.h"
#include "simulate/check/rounding_bound.h"
#include "simulate/check/rounding_noise.h"
#include "simulate/run/gather.h"
#include "simulate/run/memory.h"
#include "simulate/run/memory_needed.h"
#include "simulate/run/shards.h"

namespace shardscope {

namespace {

using kernels::Array;
using kernels::Arrays;

Array assembled(Arrays shards, const ShardedArray& how, const MeshPtr& mesh)
{
    if (shards.empty())
        return {};
    clearPadding(shards, how, mesh);
    return assembleShards(shards, how, mesh).full;
}

/// Whether anything is compared that no bound is known for: an accumulated link, or a float that is computed and that
/// main returns without any link, such as the result of a manual computation.
bool needsNoise(const std::vector<LinkStep>& steps, const Program& program)
{
    const std::vector<ValueId>& results = program.main().results;
    std::vector<bool> isLinked(results.size());
    for (const LinkStep& step : steps)
        for (const Link& link : step.links) {
            if (link.kind == LinkKind::Accumulated)
                return true;
            for (const std::size_t r : link.results)
                isLinked[r] = true;
        }
    for (std::size_t r = 0; r < results.size(); ++r) {
        const Value& value = program.value(results[r]);
        if (!isLinked[r] && value.definition.valid() && isFloat(realPart(value.type.dtype)))
            return true;
    }
    return false;
}

/// Told of the operations of a plain run: finds those that have links, and puts the devices' values in their place.
class LinkObserver : public Observer {
public:
    LinkObserver(const std::vector<LinkStep>& steps, std::int64_t devices)
        : m_steps(steps)
        , m_devices(devices)
    {
    }
    void beginStep() { m_at = 0; }
    void computed(OperationId operation, std::int64_t, std::span<const Array> operands, std::span<Array> results) final
    {
        while (m_at < m_steps.size() && m_steps[m_at].operation != operation && !m_steps[m_at].isControl)
            ++m_at; // nothing was to be computed there
        if (m_at == m_steps.size() || m_steps[m_at].operation != operation)
            return; // in a loop or a branch: its own turn comes when it is over
        for (const Link& link : m_steps[m_at].links) {
            if (m_told == 0)
                m_taken.push_back(compare(link, m_steps[m_at].operation, operands, results[link.result]));
            const Array& taken = m_taken[static_cast<std::size_t>(&link - m_steps[m_at].links.data())];
            Array& result = results[link.result];
            if (taken.bytes && result.bytes && taken.type == result.type)
                std::memcpy(result.data(), taken.data(), static_cast<std::size_t>(taken.type.byteCount()));
        }
        if (++m_told < m_devices)
            return;
        m_told = 0;
        m_taken.clear();
        ++m_at;
    }

protected:
    /// What the devices have of it; nothing to leave what has been computed.
    virtual Array compare(const Link& link, OperationId by, std::span<const Array> operands, const Array& computed) = 0;

private:
    const std::vector<LinkStep>& m_steps;
    std::int64_t m_devices;
    std::size_t m_at = 0;
    std::int64_t m_told = 0; ///< devices that have computed it
    Arrays m_taken; ///< per link of the operation at hand
};

/// What the devices have after a step.
class DeviceSide {
public:
    explicit DeviceSide(Run& run)
        : m_run(run)
    {
    }
    [[nodiscard]] const FlatProgram& program() const { return *m_run.plan().program; }
    [[nodiscard]] Run& run() const { return m_run; }
    [[nodiscard]] Array value(ValueId id) const
    {
        return assembled(m_run.shardsOfValue(id), formOf(program(), FlatValueId(id.index)), program().mesh);
    }
    [[nodiscard]] Array result(std::size_t number) const
    {
        return assembled(m_run.shardsOfResult(number), program().outputs[number], program().mesh);
    }
    [[nodiscard]] Array argument(std::size_t number) const
    {
        return assembled(m_run.shardsOfArgument(number), program().inputs[number], program().mesh);
    }
    /// What the reference goes on with.
    [[nodiscard]] Array of(const Link& link) const
    {
        return link.isShown ? value(link.value) : result(link.results.front());
    }

private:
    Run& m_run;
};

/// The reference with sums that are off: what it gives where no bound is known.
class NoisyLinks final : public LinkObserver {
public:
    NoisyLinks(const CheckReference& reference, const DeviceSide& devices)
        : LinkObserver(reference.steps, reference.plan->program->mesh->deviceCount())
        , m_devices(devices)
    {
    }
    std::map<ValueId, Array> source; ///< by value, of the step at hand

private:
    Array compare(const Link& link, OperationId, std::span<const Array>, const Array& computed) override
    {
        if (link.kind == LinkKind::Accumulated)
            source[link.value] = kernels::copied(computed);
        return m_devices.of(link);
    }
    const DeviceSide& m_devices;
};

class Check final : public LinkObserver {
public:
    Check(const CheckReference& reference, const DeviceSide& devices, const NoisyLinks* noisy)
        : LinkObserver(reference.steps, reference.plan->program->mesh->deviceCount())
        , m_flat(*reference.plan->program)
        , m_program(*m_flat.program)
        , m_devices(devices)
        , m_noisy(noisy)
        , m_stateOf(m_program.main().results.size(), -1)
        , m_isSeen(m_program.main().results.size())
        , m_loss(lossResult(m_program, m_flat.state))
    {
        const std::vector<StatePair>& pairs = m_flat.state.pairs;
        for (std::size_t p = 0; p < pairs.size(); ++p)
            m_stateOf[pairs[p].result] = static_cast<std::int32_t>(p);
    }

    void beginStep()
    {
        LinkObserver::beginStep();
        m_line = m_arguments;
        m_old.resize(m_flat.state.pairs.size());
        for (std::size_t p = 0; p < m_old.size(); ++p)
            m_old[p] = m_devices.argument(m_program.value(m_flat.state.pairs[p].argument).index);
        std::fill(m_isSeen.begin(), m_isSeen.end(), false);
    }
    void compareArguments(const Run& reference)
    {
        for (std::size_t a = 0; a < m_program.main().arguments.size(); ++a) {
            ValueCheck line = lineFor(m_program.main().arguments[a]);
            const Arrays right = reference.shardsOfArgument(a);
            if (right.empty())
                continue;
            compareIn(line, m_devices.argument(a), right[0], { 0 }, m_devices.program().inputs[a]);
            line.copiesDiffer = m_devices.run().replicaDifference(line.value);
            if (!line.passed())
                m_report.values.push_back(std::move(line));
        }
        m_arguments = m_report.values.size();
    }
    /// Results that no operation of main computes: arguments, and those of a manual computation.
    void compareOtherResults(const Run& reference, const Run* noisy)
    {
        for (std::size_t r = 0; r < m_isSeen.size(); ++r) {
            const Arrays right = m_isSeen[r] ? Arrays() : reference.shardsOfResult(r);
            if (right.empty() || !isTensor(right[0].type.dtype))
                continue;
            ValueCheck& line = nextLine(m_program.main().results[r]);
            line.results = { r };
            double tolerance = 0;
            if (m_program.value(line.value).definition.valid() && isFloat(realPart(right[0].type.dtype))) {
                const Arrays off = noisy ? noisy->shardsOfResult(r) : Arrays();
                tolerance = roundingShare(right[0].type.dtype) * largestMagnitude(right[0])
                    + (off.empty() ? 0 : sensitivityOf(right[0], off[0]));
            }
            compareResult(line, r, right[0], { tolerance });
        }
    }
    [[nodiscard]] CheckReport take() { return std::move(m_report); }

private:
    [[nodiscard]] ValueCheck lineFor(ValueId value) const
    {
        ValueCheck line;
        line.value = value;
        line.path = m_program.value(value).path;
        if (line.path.empty())
            line.path = std::to_string(value.index);
        if (line.path.front() >= '0' && line.path.front() <= '9')
            line.path.insert(0, 1, '%'); // as a program's text has it
        return line;
    }
    /// The lines of every step are the same.
    ValueCheck& nextLine(ValueId value)
    {
        if (m_line == m_report.values.size())
            m_report.values.push_back(lineFor(value));
        return m_report.values[m_line++];
    }

    Array compare(const Link& link, OperationId by, std::span<const Array> operands, const Array& computed) override
    {
        ValueCheck& line = nextLine(link.value);
        line.results = link.results;
        const std::int32_t state = stateOf(link);
        Array exact = computed;
        const Tolerances tolerances = tolerancesOf(link, by, operands, computed, state, exact);
        Array seen;
        if (link.isShown) {
            seen = m_devices.value(link.value);
            const FlatProgram& program = m_devices.program();
            compareIn(line, seen, exact, tolerances, formOf(program, FlatValueId(link.value.index)));
            note(line, m_devices.run().replicaDifference(link.value));
        }
        for (const std::size_t r : link.results) {
            Array returned = compareResult(line, r, exact, tolerances);
            m_isSeen[r] = true;
            if (!seen.bytes)
                seen = std::move(returned);
        }
        if (m_loss && m_program.main().results[*m_loss] == link.value && seen.bytes && seen.count() == 1) {
            m_report.loss = kernels::numberAt(seen, 0);
            m_report.lossReference = kernels::numberAt(exact, 0);
        }
        return seen;
    }

    Array compareResult(ValueCheck& line, std::size_t result, const Array& wanted, const Tolerances& tolerances)
    {
        Array returned = m_devices.result(result);
        compareIn(line, returned, wanted, tolerances, m_devices.program().outputs[result]);
        note(line, m_devices.run().replicaDifferenceOfResult(result));
        return returned;
    }
    static void note(ValueCheck& line, const std::optional<ReplicaDifference>& copies)
    {
        if (!line.copiesDiffer)
            line.copiesDiffer = copies;
    }

    /// Index among the pairs of state; -1 where it is none.
    [[nodiscard]] std::int32_t stateOf(const Link& link) const
    {
        for (const std::size_t r : link.results)
            if (m_stateOf[r] >= 0)
                return m_stateOf[r];
        return -1;
    }

    [[nodiscard]] Tolerances tolerancesOf(const Link& link, OperationId by, std::span<const Array> operands,
        const Array& computed, std::int32_t state, Array& exact) const
    {
        const DType dtype = computed.type.dtype;
        if (!isFloat(realPart(dtype)) || !computed.bytes)
            return { 0 };
        if (link.kind == LinkKind::Accumulated) {
            const auto noisy = m_noisy->source.find(link.value);
            const double sensitivity = noisy == m_noisy->source.end() ? 0 : sensitivityOf(computed, noisy->second);
            return { roundingShare(dtype) * largestMagnitude(computed) + sensitivity };
        }
        if (link.kind == LinkKind::Bounded) {
            std::optional<RoundedResult> bound = roundedResult(
                *m_flat.local, m_flat.local->operation(by), operands, m_devices.program().mesh->deviceCount());
            exact = std::move(bound->exact);
            return std::move(bound->tolerances);
        }
        if (link.kind == LinkKind::Approximate)
            return approximationTolerances(computed);
        return state < 0 ? Tolerances{ 0 } : changeTolerances(computed, m_old[static_cast<std::size_t>(state)]);
    }
    [[nodiscard]] static Tolerances changeTolerances(const Array& next, const Array& old)
    {
        const double eps = epsilonOf(next.type.dtype), change = realPart(next.type.dtype) == DType::F64 ? 1e-9 : 1e-5;
        if (!old.bytes || old.count() != next.count())
            return { 0 };
        Tolerances tolerances(static_cast<std::size_t>(next.count()));
        for (std::size_t i = 0; i < tolerances.size(); ++i) {
            const double to = kernels::numberAt(next, static_cast<std::int64_t>(i));
            const double from = kernels::numberAt(old, static_cast<std::int64_t>(i));
            // of complex numbers these are magnitudes, and the change is no larger than both
            const double apart = isComplex(next.type.dtype) ? to + from : std::fabs(to - from);
            tolerances[i] = change * apart + 4 * eps * (std::fabs(to) + std::fabs(from));
        }
        return tolerances;
    }

    /// `how`: the form in which the devices hold what is compared.
    void compareIn(ValueCheck& line, const Array& ours, const Array& wanted, const Tolerances& tolerances,
        const ShardedArray& how) const
    {
        line.largestMagnitude = std::max(line.largestMagnitude, wanted.bytes ? largestMagnitude(wanted) : 0);
        if (!ours.bytes || ours.count() != wanted.count()) {
            line.held = line.held && ours.count() == wanted.count() && wanted.count() == 0;
            return;
        }
        const ArrayComparison compared = compareArrays(ours, wanted, tolerances);
        line.compared = compared.compared;
        line.notFinite = compared.notFinite;
        line.beyond = std::max(line.beyond, compared.beyond);
        if (compared.worst < 0 || strain(compared.largestError, compared.tolerance) <= worstOf(line))
            return;
        line.worstElement = compared.worst;
        line.worstDevice = firstHolder(how, line.worstElement);
        line.ours = compared.found;
        line.reference = compared.wanted;
        line.tolerance = compared.tolerance;
        line.largestError = compared.largestError;
    }
    static double strain(double error, double tolerance) { return tolerance > 0 ? error / tolerance : error * 1e300; }
    static double worstOf(const ValueCheck& line)
    {
        return line.worstElement < 0 ? -1 : strain(line.largestError, line.tolerance);
    }
    [[nodiscard]] std::int32_t firstHolder(const ShardedArray& how, std::int64_t element) const
    {
        const Layout layout(how.over(m_devices.program().mesh), how.sharding, how.type.shape);
        const Shape& shape = layout.shape();
        Shape block(shape.size());
        for (std::size_t d = shape.size(); d-- > 0;) {
            block[d] = element % shape[d] / layout.shardShape()[d];
            element /= shape[d];
        }
        std::int64_t shard = 0;
        for (std::size_t d = 0; d < shape.size(); ++d)
            shard = shard * layout.shardGrid()[d] + block[d];
        return layout.holders(shard).front();
    }

    const FlatProgram& m_flat; ///< of the reference
    const Program& m_program;
    const DeviceSide& m_devices;
    const NoisyLinks* m_noisy; ///< null where no value needs it
    std::vector<std::int32_t> m_stateOf; ///< per result
    std::vector<bool> m_isSeen; ///< per result, of the step at hand
    std::optional<std::size_t> m_loss; ///< the result that is the loss
    Arrays m_old; ///< per pair of state: before the step
    CheckReport m_report;
    std::size_t m_arguments = 0; ///< lines of arguments
    std::size_t m_line = 0; ///< the next one
};

RunOptions referenceOptions(const RunOptions& options, std::vector<Observer*> observers)
{
    RunOptions own;
    own.threads = 1;
    own.initial = options.initial;
    own.memoryLimit = memoryLimit(options);
    own.stop = options.stop;
    own.maximumTrips = options.maximumTrips;
    own.plainKernels = true;
    own.observers = std::move(observers);
    return own;
}

} // namespace

CheckVerdict CheckReport::verdict() const
{
    if (firstDifference())
        return CheckVerdict::Differs;
    const bool isUnknown = std::any_of(values.begin(), values.end(),
        [](const ValueCheck& line) { return !line.results.empty() && line.compared == 0 && line.notFinite > 0; });
    return isUnknown ? CheckVerdict::NotCompared : CheckVerdict::Agrees;
}

const ValueCheck* CheckReport::firstDifference() const
{
    const auto found =
        std::find_if(values.begin(), values.end(), [](const ValueCheck& line) { return !line.passed(); });
    return found == values.end() ? nullptr : &*found;
}

std::int64_t CheckReport::compared() const
{
    return std::accumulate(values.begin(), values.end(), std::int64_t{ 0 },
        [](std::int64_t sum, const ValueCheck& line) { return sum + (line.results.empty() ? 0 : line.compared); });
}

std::int64_t CheckReport::notFinite() const
{
    return std::accumulate(values.begin(), values.end(), std::int64_t{ 0 },
        [](std::int64_t sum, const ValueCheck& line) { return sum + (line.results.empty() ? 0 : line.notFinite); });
}

Result<CheckReference> CheckReference::of(ProgramPtr program, const FlatProgram& devices)
{
    SHARDSCOPE_TRY(parts, unsharded(*program));
    Result<FlatProgram> flat =
        flatten(program, std::make_shared<const PartitionedProgram>(std::move(*parts)), devices.state);
    if (!flat)
        return tl::unexpected<Error>(std::move(flat.error()));
    ScheduleOptions scheduling;
    scheduling.plain = true;
    SHARDSCOPE_TRY(plan, schedule(std::make_shared<const FlatProgram>(std::move(*flat)), scheduling));
    CheckReference made;
    made.plan = std::make_shared<const Plan>(std::move(*plan));
    made.steps = linkSteps(*made.plan, devices);
    const auto bytesOf = [](const TensorType& type) { return static_cast<double>(type.byteCount()); };
    const auto held = [&](FlatValueId id) {
        return bytesOf(devices.value(id).localType) * static_cast<double>(devices.mesh->deviceCount());
    };
    for (const StatePair& pair : devices.state.pairs)
        made.m_kept += bytesOf(program->value(pair.argument).type);
    const Program& local = *made.plan->program->local;
    for (const LinkStep& step : made.steps)
        for (const Link& link : step.links) {
            const double bytes = bytesOf(program->value(link.value).type);
            const double count = static_cast<double>(program->value(link.value).type.elementCount());
            double shards = link.isShown ? held(FlatValueId(link.value.index)) : 0;
            for (const std::size_t r : link.results)
                shards = std::max(shards, held(devices.main().results[r]));
            const double bound = link.kind == LinkKind::Equal ? 8 * count
                : link.kind == LinkKind::Accumulated          ? 0
                                                              : bytesOfBound(local, local.operation(step.operation));
            made.m_largest = std::max(made.m_largest, std::max(bound, 16 * count + 2 * bytes + shards));
            if (link.kind == LinkKind::Accumulated)
                made.m_kept += bytes;
        }
    return made;
}

Result<double> CheckReference::bytes(const RunOptions& options) const
{
    const double limit = static_cast<double>(memoryLimit(options));
    SHARDSCOPE_TRY(one, runBytes(*plan, ReplicaMode::Own, 1, limit, options.stop));
    const bool twice = needsNoise(steps, *plan->program->program);
    return *one * (twice ? 2 : 1) + m_largest + m_kept;
}

Result<CheckReport> checkRun(const CheckReference& reference, Run& run, const RunOptions& options, std::int64_t steps)
{
    const DeviceSide devices(run);
    NoisyLinks noisyLinks(reference, devices);
    RoundingNoise noise(*reference.plan->program->local);
    std::unique_ptr<Run> noisy;
    if (needsNoise(reference.steps, *reference.plan->program->program)) {
        SHARDSCOPE_TRY(made, Run::create(reference.plan, referenceOptions(options, { &noise, &noisyLinks })));
        noisy = std::move(*made);
    }
    Check check(reference, devices, &noisyLinks);
    SHARDSCOPE_TRY(plain, Run::create(reference.plan, referenceOptions(options, { &check })));
    if (!*plain)
        return CheckReport();
    check.compareArguments(**plain);
    for (std::int64_t step = 0; step < steps; ++step) {
        check.beginStep();
        noisyLinks.beginStep();
        run.step();
        for (Run* one : { &run, noisy.get(), plain->get() }) {
            if (!one)
                continue;
            if (one != &run)
                one->step();
            if (std::optional<Error> failure = one->failure())
                return tl::unexpected<Error>(std::move(*failure));
            if (one->stopped())
                return CheckReport();
        }
        check.compareOtherResults(**plain, noisy.get());
    }
    return check.take();
}

Result<CheckReport> checkAgainstReference(
    std::shared_ptr<const FlatProgram> program, const RunOptions& options, std::int64_t steps)
{
    RunOptions both = options;
    both.memoryLimit = memoryLimit(options); // one number for every decision, and for what is said about it
    const Result<CheckReference> reference = CheckReference::of(program->program, *program);
    if (!reference && reference.error().code != Code::TooLarge)
        return tl::unexpected<Error>(reference.error());
    // What no plan can hold no machine can.
    SHARDSCOPE_TRY(bytes,
        reference ? reference->bytes(both) : Result<double>(static_cast<double>(reference.error().number("bytes"))));
    both.reservedBytes += *bytes;
    ScheduleOptions scheduling;
    scheduling.keep = checkedValues(*program->program);
    SHARDSCOPE_TRY(plan, schedule(program, scheduling));
    auto run = Run::create(std::make_shared<const Plan>(std::move(*plan)), both);
    if (!run)
        return tl::unexpected<Error>(std::move(run.error()));
    if (!*run)
        return CheckReport();
    if (!reference)
        return tl::unexpected<Error>(reference.error());
    try {
        return checkRun(*reference, **run, options, steps);
    } catch (const std::bad_alloc&) { // it was there when it was counted
        return fail(Code::OutOfMemory,
            { { "bytes", toBytes(both.reservedBytes + static_cast<double>((*run)->physicalBytes())) },
                { "limit", both.memoryLimit } });
    }
}

} // namespace shardscope
