// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <tuple>

#include "base/codes.h"
#include "simulate/check/array_comparison.h"
#include "simulate/check/check_plan.h"
#include "simulate/check/rounding_bound.h"
#include "simulate/run/memory.h"

namespace shardscope {

namespace {

using Doubles = std::vector<double>;

constexpr double float64Tolerance = 1e-9;
constexpr double float32ChangeTolerance = 1e-5;
constexpr double float32Epsilon = 0x1p-23;
// What underflows in single numbers may be multiplied on: far more than comes of that, far less than means anything.
constexpr double float64Underflow = 0x1p-960;
constexpr double float32StateUnderflow = 0x1p-148;
constexpr double float32ParameterUnderflow = 0x1p-100; // optimizers divide by as little as their epsilon

class Check {
public:
    Check(Run& run, const Program& program, const InitialValues& initial)
        : m_run(run)
        , m_program(program)
        , m_plan(program)
        , m_reference(referenceArguments(
              program, initial, m_plan.single ? ReferencePrecision::Double : ReferencePrecision::AsTyped))
        , m_decides(program.values.size())
        , m_isState(program.values.size())
    {
        for (const ValueId link : m_plan.links)
            m_report.values.push_back(lineFor(link));
        for (const CheckPlan::State& state : m_plan.state) {
            m_report.values.push_back(lineFor(state.result));
            if (state.gradient.valid())
                m_decides[state.gradient.index] = true;
        }
        const std::vector<ValueId>& results = m_program.main().results;
        for (std::size_t r = 0; r < results.size(); ++r)
            m_resultsOf[results[r]].push_back(r);
        for (const StatePair& pair : m_program.state)
            m_isState[results[pair.result].index] = true;
    }

    CheckReport report(std::int64_t steps)
    {
        const std::vector<ValueCheck> wrongAtStart = compareArguments();
        for (std::int64_t step = 0; step < steps; ++step) {
            m_report.endToEnd.parameters = m_report.endToEnd.agree = 0;
            if (m_plan.single)
                compareByLinks(step);
            else
                compareFromEndToEnd();
        }
        m_report.values.insert(m_report.values.begin(), wrongAtStart.begin(), wrongAtStart.end());
        m_report.passed = std::all_of(
            m_report.values.begin(), m_report.values.end(), [](const ValueCheck& line) { return line.passed(); });
        return std::move(m_report);
    }

private:
    [[nodiscard]] ValueCheck lineFor(ValueId value) const
    {
        ValueCheck line;
        line.value = value;
        line.path = m_program.value(value).path;
        if (line.path.empty())
            line.path = '%' + std::to_string(value.index);
        return line;
    }
    [[nodiscard]] Role roleOf(ValueId value) const { return m_program.value(value).role; }
    [[nodiscard]] bool isFloating(ValueId value) const { return isFloat(m_program.value(value).type.dtype); }
    [[nodiscard]] Doubles& referenceOf(ValueId value) { return m_reference.values[value.index]; }

    [[nodiscard]] std::vector<ValueCheck> compareArguments()
    {
        std::vector<ValueCheck> wrong;
        for (const ValueId argument : m_program.main().arguments) {
            ValueCheck line = lineFor(argument);
            compare(
                line, FlatValueId(argument.index), m_run.gather(argument), m_run.replicaDifference(argument), { 0 });
            if (!line.passed())
                wrong.push_back(std::move(line));
        }
        return wrong;
    }

    /// f64: the reference goes its own way.
    void compareFromEndToEnd()
    {
        m_run.step();
        referenceCompute(m_program, m_reference, m_plan.alone);
        noteLossOfReference();
        const auto tolerance = [this](ValueId value) -> Tolerances {
            return { isFloating(value) ? float64Tolerance * largestMagnitude(referenceOf(value)) + float64Underflow
                                       : 0 };
        };
        for (std::size_t link = 0; link < m_plan.links.size(); ++link) {
            const ValueId value = m_plan.links[link];
            noteGradient(value, compareLink(link, tolerance(value)), referenceOf(value));
        }
        for (std::size_t s = 0; s < m_plan.state.size(); ++s) {
            const CheckPlan::State& state = m_plan.state[s];
            noteEndToEnd(state, compareState(s, m_run.gatherResult(state.resultIndex), tolerance(state.result)));
        }
        referenceAdvance(m_program, m_reference);
    }

    /// f32: the reference takes over what has been compared.
    void compareByLinks(std::int64_t step)
    {
        if (step > 0)
            for (const StatePair& pair : m_program.state)
                referenceOf(pair.argument) = m_run.gather(pair.argument);
        m_run.step();
        referenceCompute(m_program, m_reference, m_plan.alone);
        noteLossOfReference();
        std::vector<Doubles> alone; // new parameters of a reference that saw nothing of the devices
        for (const CheckPlan::State& state : m_plan.state) {
            alone.emplace_back();
            if (roleOf(state.argument) == Role::Parameter)
                alone.back() = inSinglePrecision(state.fromGradients, state.result);
        }
        compareLinks();
        compareDecided();
        for (std::size_t s = 0; s < m_plan.state.size(); ++s) {
            const CheckPlan::State& state = m_plan.state[s];
            const Doubles ours = m_run.gatherResult(state.resultIndex);
            referenceOf(state.result) = inSinglePrecision(state.fromLinks, state.result);
            compareState(s, ours, changeTolerances(state, referenceOf(state.result)));
            if (ours.size() == alone[s].size())
                noteEndToEnd(state, countWithin(ours, alone[s], changeTolerances(state, alone[s])));
            alone[s] = Doubles();
            if (m_program.value(state.result).definition.valid())
                referenceOf(state.result) = Doubles();
        }
    }

    void compareLinks()
    {
        RoundingBounds bounds(m_program, m_reference, sumLengths(*m_run.plan().program));
        std::size_t link = 0;
        for (const ReferenceSchedule::Step& step : m_plan.linkByLink.steps) {
            const Operation& operation = m_program.operation(step.operation);
            const ValueId value = operation.results[0];
            const Doubles alone = std::move(referenceOf(value));
            referenceCompute(m_program, m_reference, operation);
            bounds.follow(operation);
            if (link < m_plan.links.size() && m_plan.links[link] == value) {
                Tolerances tolerances{ 0 };
                if (!bounds.isExact(value)) {
                    RoundingBound bound = bounds.of(value);
                    for (std::size_t i = 0; i < bound.magnitude.size(); ++i)
                        bound.magnitude[i] = bound.tolerance(i);
                    tolerances = std::move(bound.magnitude);
                }
                Doubles ours = compareLink(link++, tolerances);
                noteGradient(value, ours, alone);
                if (ours.size() == referenceOf(value).size()) {
                    std::swap(referenceOf(value), ours);
                    if (m_decides[value.index])
                        m_gradients.push_back({ value, std::move(ours), std::move(tolerances) });
                }
                bounds.setExact(value);
            }
            for (const ValueId unread : step.unread) {
                referenceOf(unread) = Doubles();
                bounds.setExact(unread);
            }
        }
    }

    /// f32: new parameters that follow from the reference's own gradients, where those are larger than their bounds.
    void compareDecided()
    {
        const auto exchange = [this] {
            for (LinkGradient& gradient : m_gradients)
                std::swap(referenceOf(gradient.value), gradient.array);
        };
        exchange();
        std::map<ValueId, const LinkGradient*> gradients;
        for (const LinkGradient& gradient : m_gradients)
            gradients.emplace(gradient.value, &gradient);
        for (const CheckPlan::State& state : m_plan.state)
            if (const auto gradient = gradients.find(state.gradient); gradient != gradients.end())
                compareDecided(state, gradient->second->bound);
        exchange();
        m_gradients.clear();
    }

    void compareDecided(const CheckPlan::State& state, const Tolerances& bound)
    {
        const Doubles ours = m_run.gatherResult(state.resultIndex);
        const Doubles next = inSinglePrecision(state.fromGradients, state.result);
        if (ours.size() != next.size())
            return;
        const auto boundOf = [&](std::size_t i) { return bound[bound.size() == 1 ? 0 : i]; };
        Doubles& gradient = referenceOf(state.gradient);
        std::vector<std::size_t> apart;
        for (std::size_t i = 0; i < next.size(); ++i) {
            if (!(std::fabs(gradient[i]) > boundOf(i)))
                continue;
            ++m_report.decided.parameters;
            if (!(difference(ours[i], next[i]) <= float32ChangeTolerance * std::fabs(next[i])))
                apart.push_back(i);
        }
        m_report.decided.apart += static_cast<std::int64_t>(apart.size());
        if (apart.empty())
            return;
        Doubles reach(next.size()); // how far the gradient's rounding can take the new parameter
        for (const double sign : { -1.0, 1.0 }) {
            Doubles moved = gradient;
            for (std::size_t i = 0; i < moved.size(); ++i)
                moved[i] += sign * boundOf(i);
            std::swap(gradient, moved);
            const Doubles end = inSinglePrecision(state.fromGradients, state.result);
            std::swap(gradient, moved);
            for (const std::size_t i : apart)
                reach[i] = std::max(reach[i], difference(end[i], next[i]));
        }
        const Doubles& old = referenceOf(state.argument);
        for (const std::size_t i : apart) {
            const double size = std::max(std::fabs(next[i]), std::fabs(next[i] - old[i]));
            if (!(difference(ours[i], next[i]) <= float32ChangeTolerance * size + reach[i] + float32ParameterUnderflow))
                ++m_report.decided.unexplained;
        }
    }

    /// Repeats what follows from gradients or links; leaves nothing of it behind.
    [[nodiscard]] Doubles inSinglePrecision(const ReferenceSchedule& schedule, ValueId target)
    {
        m_reference.precision = ReferencePrecision::AsTyped;
        referenceCompute(m_program, m_reference, schedule);
        m_reference.precision = ReferencePrecision::Double;
        if (schedule.steps.empty()) // an argument or a link as it is
            return referenceOf(target);
        return std::move(referenceOf(target));
    }

    [[nodiscard]] Tolerances changeTolerances(const CheckPlan::State& state, const Doubles& next)
    {
        if (!isFloating(state.result))
            return { 0 };
        const Doubles& old = referenceOf(state.argument);
        const double underflow =
            roleOf(state.argument) == Role::Parameter ? float32ParameterUnderflow : float32StateUnderflow;
        Tolerances tolerances(next.size());
        for (std::size_t i = 0; i < next.size(); ++i)
            tolerances[i] = float32ChangeTolerance * std::fabs(next[i] - old[i])
                + 4 * float32Epsilon * (std::fabs(next[i]) + std::fabs(old[i])) + underflow;
        return tolerances;
    }

    /// In the form that people see, and in the form that main returns, if it does. Returns the former.
    Doubles compareLink(std::size_t link, const Tolerances& tolerances)
    {
        const ValueId value = m_plan.links[link];
        ValueCheck& line = m_report.values[link];
        Doubles seen;
        const bool isState = m_isState[value.index];
        if (!isState) {
            seen = m_run.gather(value);
            compare(line, FlatValueId(value.index), seen, m_run.replicaDifference(value), tolerances);
        }
        const auto results = m_resultsOf.find(value);
        if (results == m_resultsOf.end())
            return seen;
        for (const std::size_t r : results->second) {
            Doubles returned = m_run.gatherResult(r);
            compare(line, m_run.plan().program->main().results[r], returned, m_run.replicaDifferenceOfResult(r),
                tolerances);
            if (roleOf(value) == Role::Loss && !returned.empty())
                m_report.lossOurs = returned[0];
            if (isState)
                seen = std::move(returned);
        }
        return seen;
    }

    std::int64_t compareState(std::size_t state, const Doubles& ours, const Tolerances& tolerances)
    {
        const std::size_t result = m_plan.state[state].resultIndex;
        return compare(m_report.values[m_plan.links.size() + state], m_run.plan().program->main().results[result], ours,
            m_run.replicaDifferenceOfResult(result), tolerances);
    }

    /// `held` is the form in which the devices hold what is compared.
    std::int64_t compare(ValueCheck& line, FlatValueId held, const Doubles& ours,
        const std::optional<ReplicaDifference>& copies, const Tolerances& tolerances)
    {
        if (!line.copiesDiffer)
            line.copiesDiffer = copies;
        const auto worst = [&line] { return std::tuple(line.worstElement, line.ours, line.reference, line.tolerance); };
        const auto before = worst();
        const std::int64_t within = compareArrays(line, ours, referenceOf(line.value), tolerances);
        if (line.worstElement >= 0 && worst() != before)
            line.worstDevice = firstHolder(held, line.worstElement);
        return within;
    }

    void noteLossOfReference()
    {
        for (const ValueId result : m_program.main().results)
            if (roleOf(result) == Role::Loss && !referenceOf(result).empty())
                m_report.lossReference = referenceOf(result)[0];
    }

    void noteGradient(ValueId value, const Doubles& ours, const Doubles& alone)
    {
        if (roleOf(value) == Role::Gradient && ours.size() == alone.size())
            m_report.endToEnd.gradientDifference =
                std::max(m_report.endToEnd.gradientDifference, relativeDifference(ours, alone));
    }

    void noteEndToEnd(const CheckPlan::State& state, std::int64_t agree)
    {
        if (roleOf(state.argument) != Role::Parameter)
            return;
        m_report.endToEnd.parameters += m_program.value(state.argument).type.elementCount();
        m_report.endToEnd.agree += agree;
    }

    [[nodiscard]] std::int32_t firstHolder(FlatValueId value, std::int64_t element) const
    {
        const Layout layout = m_run.plan().program->layout(value);
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

    /// As the reference computes it from the devices' numbers; while a parameter is compared, the devices' own.
    struct LinkGradient {
        ValueId value;
        Doubles array;
        Tolerances bound; ///< of rounding
    };

    Run& m_run;
    const Program& m_program;
    CheckPlan m_plan;
    ReferenceState m_reference;
    std::vector<bool> m_decides; ///< by value: the gradient of a state that is compared on gradients
    std::vector<bool> m_isState; ///< by value: the new value of a state
    std::map<ValueId, std::vector<std::size_t>> m_resultsOf; ///< main returns a value as these
    std::vector<LinkGradient> m_gradients; ///< f32: of one step
    CheckReport m_report; ///< a line per link, then one per state
};

} // namespace

double ValueCheck::largestError() const
{
    return worstElement < 0 ? 0 : difference(ours, reference);
}

double checkBytes(const Program& program)
{
    return CheckPlan(program).bytes(program);
}

CheckReport checkRun(Run& run, const Program& program, const InitialValues& initial, std::int64_t steps)
{
    return Check(run, program, initial).report(steps);
}

Result<CheckReport> checkAgainstReference(
    std::shared_ptr<const FlatProgram> program, const RunOptions& options, std::int64_t steps)
{
    ScheduleOptions scheduling;
    scheduling.keep = checkedValues(*program->program);
    auto plan = schedule(program, scheduling);
    if (!plan)
        return tl::unexpected(plan.error());
    RunOptions both = options;
    both.memoryLimit = memoryLimit(options); // one number for every decision, and for what is said about it
    both.reservedBytes += checkBytes(*program->program);
    auto run = Run::create(std::make_shared<const Plan>(std::move(*plan)), both);
    if (!run)
        return tl::unexpected(run.error());
    try {
        return checkRun(**run, *program->program, options.initial, steps);
    } catch (const std::bad_alloc&) { // it was there when it was counted
        return fail(Code::OutOfMemory,
            { { "bytes", toBytes(both.reservedBytes + static_cast<double>((*run)->physicalBytes())) },
                { "limit", both.memoryLimit } });
    }
}

} // namespace shardscope
