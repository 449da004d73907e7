// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <new>

#include "simulate/memory.h"
#include "simulate/rounding_bound.h"

namespace shardscope {

namespace {

using Array = std::vector<double>;
using Tolerances = std::vector<double>; ///< per element, or one for all

constexpr double float64Tolerance = 1e-9;
constexpr double float32ChangeTolerance = 1e-5;
constexpr double float32Epsilon = 0x1p-23;
constexpr double float32Unit = float32Epsilon / 2; // largest relative error of one rounding

double largestMagnitude(const Array& array)
{
    double largest = 0;
    for (const double element : array)
        if (!(std::fabs(element) <= largest)) // NaN, too, which stays
            largest = std::fabs(element);
    return largest;
}

double difference(double a, double b)
{
    return a == b ? 0 : std::fabs(a - b); // inf equals inf
}

/// Nothing is near to NaN, nor everything to inf.
bool isWithin(double error, double tolerance)
{
    return std::isfinite(tolerance) && error <= tolerance;
}

/// How much of its tolerance an error takes up: above 1 for all that is not within.
double strain(double error, double tolerance)
{
    if (isWithin(error, tolerance))
        return tolerance > 0 ? error / tolerance : 0;
    const double ratio = error / tolerance;
    return ratio > 1 ? ratio : std::numeric_limits<double>::infinity(); // NaN, or no tolerance
}

class Check {
public:
    Check(Run& run, const Program& program, const InitialValues& initial)
        : m_run(run)
        , m_program(program)
        , m_initial(initial)
        , m_links(checkedValues(program))
        , m_isLink(program.values.size())
        , m_leadsToLink(program.values.size())
    {
        m_single = std::any_of(program.values.begin(), program.values.end(),
            [](const Value& value) { return value.type.dtype == DType::F32; });
        for (const ValueId link : m_links) {
            m_isLink[link.index] = m_leadsToLink[link.index] = true;
            m_report.values.push_back(lineFor(link));
        }
        const std::vector<OperationId>& operations = program.main().operations;
        for (auto id = operations.rbegin(); id != operations.rend(); ++id)
            if (const Operation& operation = program.operation(*id); m_leadsToLink[operation.results[0].index])
                for (const ValueId operand : operation.operands)
                    m_leadsToLink[operand.index] = true;
        for (const StatePair& pair : program.state)
            if (const ValueId result = program.main().results[pair.result]; !m_isLink[result.index]) {
                m_state.push_back({ pair.argument, result, pair.result, m_report.values.size() });
                m_report.values.push_back(lineFor(result));
            }
    }

    Result<CheckReport> run(std::int64_t steps)
    {
        auto reference = referenceStart(m_program, m_initial, std::int64_t{ 8 } << 30,
            m_single ? ReferencePrecision::Double : ReferencePrecision::AsTyped);
        if (!reference)
            return tl::unexpected(reference.error());
        m_reference = std::move(*reference);
        const std::vector<ValueCheck> wrongAtStart = compareArguments();
        for (std::int64_t step = 0; step < steps; ++step) {
            m_report.endToEnd.parameters = m_report.endToEnd.agree = 0;
            if (m_single)
                compareByLinks(step);
            else
                compareFromEndToEnd();
            referenceAdvance(m_program, m_reference);
        }
        m_report.values.insert(m_report.values.begin(), wrongAtStart.begin(), wrongAtStart.end());
        m_report.passed = std::all_of(
            m_report.values.begin(), m_report.values.end(), [](const ValueCheck& line) { return line.passed(); });
        return std::move(m_report);
    }

private:
    /// State that is compared as such: its new value is no link.
    struct State {
        ValueId argument, result;
        std::size_t resultIndex;
        std::size_t line;
    };

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
    [[nodiscard]] const Array& referenceOf(ValueId value) const { return m_reference.values[value.index]; }

    [[nodiscard]] std::vector<ValueCheck> compareArguments()
    {
        std::vector<ValueCheck> wrong;
        for (const ValueId argument : m_program.main().arguments) {
            ValueCheck line = lineFor(argument);
            compare(line, m_run.gather(argument), m_run.replicaDifference(argument), { 0 });
            if (!line.passed())
                wrong.push_back(std::move(line));
        }
        return wrong;
    }

    /// f64: the reference goes its own way.
    void compareFromEndToEnd()
    {
        m_run.step();
        referenceCompute(m_program, m_reference);
        noteLossOfReference();
        const auto tolerance = [this](ValueId value) -> Tolerances {
            return { isFloating(value) ? float64Tolerance * largestMagnitude(referenceOf(value)) : 0 };
        };
        for (std::size_t link = 0; link < m_links.size(); ++link) {
            const Array ours = compareLink(link, tolerance(m_links[link]));
            noteGradient(m_links[link], ours, referenceOf(m_links[link]));
        }
        for (const State& state : m_state)
            noteEndToEnd(state, compareState(state, m_run.gatherResult(state.resultIndex), tolerance(state.result)));
    }

    /// f32: the reference takes over what has been compared.
    void compareByLinks(std::int64_t step)
    {
        if (step > 0)
            for (const StatePair& pair : m_program.state)
                m_reference.values[pair.argument.index] = m_run.gather(pair.argument);
        m_run.step();
        referenceCompute(m_program, m_reference);
        noteLossOfReference();
        repeatOptimizer();
        std::vector<Array> alone; // new parameters of a reference that saw nothing of the devices
        for (const State& state : m_state)
            alone.push_back(roleOf(state.argument) == Role::Parameter ? referenceOf(state.result) : Array());

        RoundingBounds bounds(m_program, m_reference, sumLengths(*m_run.plan().program));
        std::size_t link = 0;
        for (const OperationId id : m_program.main().operations) {
            const Operation& operation = m_program.operation(id);
            const ValueId value = operation.results[0];
            if (!m_leadsToLink[value.index])
                continue;
            const Array before = roleOf(value) == Role::Gradient ? referenceOf(value) : Array();
            referenceCompute(m_program, m_reference, operation);
            bounds.follow(operation);
            if (!m_isLink[value.index])
                continue;
            Tolerances tolerances{ 0 };
            if (!bounds.isExact(value)) {
                auto [magnitude, roundings] = bounds.of(value);
                for (double& element : magnitude) // one more for what is of second order
                    element *= (roundings + 1) * float32Unit;
                tolerances = std::move(magnitude);
            }
            Array ours = compareLink(link++, tolerances);
            noteGradient(value, ours, before);
            if (ours.size() == referenceOf(value).size())
                m_reference.values[value.index] = std::move(ours);
            bounds.setExact(value);
        }

        repeatOptimizer();
        for (std::size_t s = 0; s < m_state.size(); ++s) {
            const State& state = m_state[s];
            const Array ours = m_run.gatherResult(state.resultIndex);
            compareState(state, ours, changeTolerances(state, referenceOf(state.result)));
            if (ours.size() == alone[s].size())
                noteEndToEnd(state, countWithin(ours, alone[s], changeTolerances(state, alone[s])));
        }
    }

    /// In f32, from the links as the reference has them.
    void repeatOptimizer()
    {
        std::vector<ValueId> given = m_links;
        for (const StatePair& pair : m_program.state)
            if (roleOf(pair.argument) != Role::Parameter)
                given.push_back(pair.argument);
        m_reference.precision = ReferencePrecision::AsTyped;
        referenceRecompute(m_program, m_reference, given);
        m_reference.precision = ReferencePrecision::Double;
    }

    [[nodiscard]] Tolerances changeTolerances(const State& state, const Array& next) const
    {
        if (!isFloating(state.result))
            return { 0 };
        const Array& old = referenceOf(state.argument);
        Tolerances tolerances(next.size());
        for (std::size_t i = 0; i < next.size(); ++i)
            tolerances[i] = float32ChangeTolerance * std::fabs(next[i] - old[i])
                + 4 * float32Epsilon * (std::fabs(next[i]) + std::fabs(old[i]));
        return tolerances;
    }

    /// In the form that people see, and in the form that main returns, if it does. Returns the former.
    Array compareLink(std::size_t link, const Tolerances& tolerances)
    {
        const ValueId value = m_links[link];
        ValueCheck& line = m_report.values[link];
        const std::vector<ValueId>& results = m_program.main().results;
        Array seen;
        const bool isState = std::any_of(m_program.state.begin(), m_program.state.end(),
            [&](const StatePair& pair) { return results[pair.result] == value; });
        if (!isState) {
            seen = m_run.gather(value);
            compare(line, seen, m_run.replicaDifference(value), tolerances);
        }
        for (std::size_t r = 0; r < results.size(); ++r) {
            if (results[r] != value)
                continue;
            Array returned = m_run.gatherResult(r);
            compare(line, returned, m_run.replicaDifferenceOfResult(r), tolerances);
            if (roleOf(value) == Role::Loss && !returned.empty())
                m_report.lossOurs = returned[0];
            if (isState)
                seen = std::move(returned);
        }
        return seen;
    }

    std::int64_t compareState(const State& state, const Array& ours, const Tolerances& tolerances)
    {
        return compare(
            m_report.values[state.line], ours, m_run.replicaDifferenceOfResult(state.resultIndex), tolerances);
    }

    /// Elements within their tolerance.
    std::int64_t compare(ValueCheck& line, const Array& ours, const std::optional<ReplicaDifference>& copies,
        const Tolerances& tolerances)
    {
        const Array& reference = referenceOf(line.value);
        line.largestMagnitude = largestMagnitude({ line.largestMagnitude, largestMagnitude(reference) });
        if (!line.copiesDiffer)
            line.copiesDiffer = copies;
        line.compared = 0;
        if (ours.size() != reference.size()) {
            line.held = false;
            return 0;
        }
        std::int64_t within = 0;
        double worst = line.worstElement < 0 ? -1 : strain(line.largestError(), line.tolerance);
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const double tolerance = tolerances.size() == 1 ? tolerances[0] : tolerances[i];
            const double error = difference(ours[i], reference[i]);
            within += isWithin(error, tolerance) ? 1 : 0;
            if (const double now = strain(error, tolerance); now > worst) {
                worst = now;
                line.worstElement = static_cast<std::int64_t>(i);
                line.ours = ours[i];
                line.reference = reference[i];
                line.tolerance = tolerance;
            }
        }
        line.compared = static_cast<std::int64_t>(ours.size());
        line.withinTolerance = line.withinTolerance && within == line.compared;
        if (line.worstElement >= 0)
            line.worstDevice = firstHolder(line.value, line.worstElement);
        return within;
    }

    [[nodiscard]] static std::int64_t countWithin(const Array& a, const Array& b, const Tolerances& tolerances)
    {
        std::int64_t within = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            within += isWithin(difference(a[i], b[i]), tolerances[i]) ? 1 : 0;
        return within;
    }

    void noteLossOfReference()
    {
        for (const ValueId result : m_program.main().results)
            if (roleOf(result) == Role::Loss && !referenceOf(result).empty())
                m_report.lossReference = referenceOf(result)[0];
    }

    void noteGradient(ValueId value, const Array& ours, const Array& reference)
    {
        if (roleOf(value) != Role::Gradient || ours.size() != reference.size())
            return;
        double largest = 0;
        for (std::size_t i = 0; i < ours.size(); ++i)
            if (const double error = difference(ours[i], reference[i]); !(error <= largest))
                largest = error;
        if (const double relative = largest / largestMagnitude(reference);
            largest != 0 && !(relative <= m_report.endToEnd.gradientDifference))
            m_report.endToEnd.gradientDifference = relative;
    }

    void noteEndToEnd(const State& state, std::int64_t agree)
    {
        if (roleOf(state.argument) != Role::Parameter)
            return;
        m_report.endToEnd.parameters += m_program.value(state.argument).type.elementCount();
        m_report.endToEnd.agree += agree;
    }

    [[nodiscard]] std::int32_t firstHolder(ValueId value, std::int64_t element) const
    {
        const Layout layout = m_run.plan().program->layout(DeviceValueId(value.index));
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

    Run& m_run;
    const Program& m_program;
    const InitialValues& m_initial;
    std::vector<ValueId> m_links; ///< checkedValues(), one line each, in that order
    std::vector<bool> m_isLink, m_leadsToLink; ///< per value
    std::vector<State> m_state;
    bool m_single = false; ///< the program has f32 values
    ReferenceState m_reference;
    CheckReport m_report;
};

} // namespace

double ValueCheck::largestError() const
{
    return worstElement < 0 ? 0 : difference(ours, reference);
}

Result<CheckReport> checkRun(Run& run, const Program& program, const InitialValues& initial, std::int64_t steps)
{
    return Check(run, program, initial).run(steps);
}

Result<CheckReport> checkAgainstReference(
    std::shared_ptr<const DeviceProgram> program, const RunOptions& options, std::int64_t steps)
{
    try {
        ScheduleOptions scheduling;
        scheduling.keep = checkedValues(*program->program);
        auto plan = schedule(program, scheduling);
        if (!plan)
            return tl::unexpected(plan.error());
        auto run = Run::create(std::make_shared<const Plan>(std::move(*plan)), options);
        if (!run)
            return tl::unexpected(run.error());
        return checkRun(**run, *program->program, options.initial, steps);
    } catch (const std::bad_alloc&) {
        std::int64_t bytes = 0; // of one copy of everything in double
        for (const Value& value : program->program->values)
            bytes += std::min(value.type.elementCount(), std::int64_t{ 1 } << 40) * 8;
        return fail(Code::OutOfMemory, { { "bytes", bytes }, { "limit", machineMemory() } });
    }
}

} // namespace shardscope
