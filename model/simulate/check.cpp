// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

#include "simulate/memory.h"

namespace shardscope {

namespace {

using Array = std::vector<double>;

constexpr double float64Tolerance = 1e-9;
constexpr double float32StateTolerance = 1e-5;
constexpr double float32Epsilon = 0x1p-23;

double largestMagnitude(const Array& array)
{
    double largest = 0;
    for (const double element : array)
        if (!(std::fabs(element) <= largest)) // NaN, too, which stays
            largest = std::fabs(element);
    return largest;
}

class Check {
public:
    Check(std::shared_ptr<const DeviceProgram> deviceProgram, const RunOptions& options)
        : m_deviceProgram(std::move(deviceProgram))
        , m_program(*m_deviceProgram->program)
        , m_options(options)
    {
        for (std::size_t v = 0; v < m_program.values.size(); ++v) {
            const Value& value = m_program.values[v];
            m_single = m_single || value.type.dtype == DType::F32;
            if (value.role == Role::Gradient)
                m_gradients.emplace_back(v);
        }
        const std::vector<ValueId>& results = m_program.main().results;
        m_argumentOf.resize(results.size());
        for (const StatePair& pair : m_program.state)
            m_argumentOf[pair.result] = pair.argument;
    }

    Result<CheckReport> run(std::int64_t steps)
    {
        ScheduleOptions scheduling;
        scheduling.keep = m_gradients;
        auto plan = schedule(m_deviceProgram, scheduling);
        if (!plan)
            return tl::unexpected(plan.error());
        auto created = Run::create(std::make_shared<const Plan>(std::move(*plan)), m_options);
        if (!created)
            return tl::unexpected(created.error());
        m_run = std::move(*created);
        auto reference = referenceStart(m_program, m_options.initial, std::int64_t{ 8 } << 30,
            m_single ? ReferencePrecision::Double : ReferencePrecision::AsTyped);
        if (!reference)
            return tl::unexpected(reference.error());
        m_reference = std::move(*reference);

        for (const ValueId gradient : m_gradients)
            addLine(gradient);
        for (const ValueId result : m_program.main().results)
            addLine(result);
        for (std::int64_t step = 0; step < steps; ++step)
            compareStep(step);
        for (const ValueCheck& line : m_report.values)
            m_report.passed = m_report.passed && line.passed && line.replicasAgree;
        return std::move(m_report);
    }

private:
    void addLine(ValueId value)
    {
        ValueCheck line;
        line.value = value;
        line.path = m_program.value(value).path;
        m_report.values.push_back(std::move(line));
    }

    void compareStep(std::int64_t step)
    {
        if (m_single && step > 0)
            for (const StatePair& pair : m_program.state)
                m_reference.values[pair.argument.index] = m_run->gather(pair.argument);
        const std::vector<ValueId>& results = m_program.main().results;
        std::vector<Array> before(results.size()); // of state
        for (std::size_t r = 0; r < results.size(); ++r)
            if (m_argumentOf[r].valid())
                before[r] = m_reference.values[m_argumentOf[r].index];
        referenceCompute(m_program, m_reference);
        m_run->step();

        std::vector<RoundingBound> bounds;
        if (m_single) {
            std::vector<ValueId> bounded = m_gradients;
            for (std::size_t r = 0; r < results.size(); ++r)
                if (!m_argumentOf[r].valid())
                    bounded.push_back(results[r]);
            bounds = roundingBounds(m_program, m_reference, bounded);
        }
        std::vector<Array> gradients;
        for (std::size_t g = 0; g < m_gradients.size(); ++g) {
            gradients.push_back(m_run->gather(m_gradients[g]));
            compare(g, gradients[g], byBound(m_gradients[g], m_single ? &bounds[g] : nullptr));
        }
        std::size_t bound = m_gradients.size();
        for (std::size_t r = 0; r < results.size(); ++r) {
            if (m_argumentOf[r].valid())
                continue;
            const Array ours = m_run->gatherResult(r);
            compare(m_gradients.size() + r, ours, byBound(results[r], m_single ? &bounds[bound++] : nullptr));
            if (m_program.value(results[r]).role == Role::Loss && !ours.empty()) {
                m_report.lossOurs = ours[0];
                m_report.lossReference = m_reference.values[results[r].index][0];
            }
        }
        if (m_single && step == 0)
            compareEndToEnd(bounds, before);
        if (m_single) {
            for (std::size_t g = 0; g < m_gradients.size(); ++g)
                m_reference.values[m_gradients[g].index] = std::move(gradients[g]);
            // Corrections such as 1 - beta^t lose most of their digits in f32: the same ones have to be lost here.
            std::vector<ValueId> changed = m_gradients;
            for (const StatePair& pair : m_program.state)
                if (m_program.value(pair.argument).role != Role::Parameter)
                    changed.push_back(pair.argument);
            m_reference.precision = ReferencePrecision::AsTyped;
            referenceRecompute(m_program, m_reference, changed);
            m_reference.precision = ReferencePrecision::Double;
        }
        for (std::size_t r = 0; r < results.size(); ++r)
            if (m_argumentOf[r].valid())
                compare(m_gradients.size() + r, m_run->gatherResult(r), byState(results[r], before[r]));
        referenceAdvance(m_program, m_reference);
    }

    using Tolerances = std::vector<double>; ///< per element, or one for all

    [[nodiscard]] Tolerances byBound(ValueId value, const RoundingBound* bound) const
    {
        const DType dtype = m_program.value(value).type.dtype;
        if (dtype == DType::F32 && bound != nullptr) {
            Tolerances tolerances = bound->magnitude;
            for (double& tolerance : tolerances)
                tolerance *= 2 * std::sqrt(bound->terms) * float32Epsilon;
            return tolerances;
        }
        return { isFloat(dtype) ? float64Tolerance * largestMagnitude(m_reference.values[value.index]) : 0 };
    }

    [[nodiscard]] Tolerances byState(ValueId value, const Array& before) const
    {
        if (m_program.value(value).type.dtype != DType::F32)
            return byBound(value, nullptr);
        Tolerances tolerances = m_reference.values[value.index];
        for (std::size_t i = 0; i < tolerances.size(); ++i)
            tolerances[i] = float32StateTolerance * (std::fabs(tolerances[i]) + std::fabs(before[i]));
        return tolerances;
    }

    void compare(std::size_t lineIndex, const Array& ours, const Tolerances& tolerances,
        const std::vector<bool>& covered = {}, bool endToEnd = false)
    {
        ValueCheck& line = m_report.values[lineIndex];
        const Array& reference = m_reference.values[line.value.index];
        line.largestMagnitude = largestMagnitude({ line.largestMagnitude, largestMagnitude(reference) });
        line.replicasAgree = line.replicasAgree && m_run->replicasAgree(line.value);
        if (ours.size() != reference.size()) { // the devices do not hold it any more
            line.passed = false;
            return;
        }
        std::int64_t compared = 0;
        double worst = line.worstElement < 0 ? -1
            : line.tolerance > 0             ? line.largestError / line.tolerance
                                             : line.largestError;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            if (!covered.empty() && !covered[i])
                continue;
            ++compared;
            const double tolerance = tolerances.size() == 1 ? tolerances[0] : tolerances[i];
            const double error = ours[i] == reference[i] ? 0 : std::fabs(ours[i] - reference[i]); // inf equals inf
            if (!std::isfinite(tolerance) || !(error <= tolerance)) // nothing is near to NaN, nor everything to inf
                line.passed = false;
            const double relative = tolerance > 0 ? error / tolerance : error;
            if (relative > worst || (std::isnan(error) && !std::isnan(worst))) {
                worst = relative;
                line.largestError = error;
                line.tolerance = tolerance;
                line.worstElement = static_cast<std::int64_t>(i);
            }
        }
        (endToEnd ? line.comparedEndToEnd : line.compared) = compared;
        if (line.worstElement >= 0)
            line.worstDevice = firstHolder(line.value, line.worstElement);
    }

    void compareEndToEnd(const std::vector<RoundingBound>& bounds, const std::vector<Array>& before)
    {
        const std::vector<ValueId>& results = m_program.main().results;
        for (std::size_t r = 0; r < results.size(); ++r) {
            if (!m_argumentOf[r].valid() || m_program.value(m_argumentOf[r]).role != Role::Parameter)
                continue;
            const std::string path = "grad(" + m_program.value(m_argumentOf[r]).path + ')';
            for (std::size_t g = 0; g < m_gradients.size(); ++g) {
                if (m_program.value(m_gradients[g]).path != path)
                    continue;
                const Array& gradient = m_reference.values[m_gradients[g].index];
                const Tolerances bound = byBound(m_gradients[g], &bounds[g]);
                std::vector<bool> covered(gradient.size());
                for (std::size_t i = 0; i < gradient.size(); ++i)
                    covered[i] = std::fabs(gradient[i]) > (bound.size() == 1 ? bound[0] : bound[i]);
                compare(m_gradients.size() + r, m_run->gatherResult(r), byState(results[r], before[r]), covered, true);
            }
        }
    }

    [[nodiscard]] std::int64_t firstHolder(ValueId value, std::int64_t element) const
    {
        const Layout layout = m_deviceProgram->layout(DeviceValueId(value.index));
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

    std::shared_ptr<const DeviceProgram> m_deviceProgram;
    const Program& m_program;
    const RunOptions& m_options;
    bool m_single = false; ///< the program has f32 values
    std::vector<ValueId> m_gradients;
    std::vector<ValueId> m_argumentOf; ///< per result of main; invalid if it is not state
    std::unique_ptr<Run> m_run;
    ReferenceState m_reference;
    CheckReport m_report;
};

} // namespace

Result<CheckReport> checkAgainstReference(
    std::shared_ptr<const DeviceProgram> program, const RunOptions& options, std::int64_t steps)
{
    try {
        return Check(program, options).run(steps);
    } catch (const std::bad_alloc&) {
        std::int64_t bytes = 0; // of one copy of everything in double
        for (const Value& value : program->program->values)
            bytes += std::min(value.type.elementCount(), std::int64_t{ 1 } << 40) * 8;
        return fail(Code::OutOfMemory, { { "bytes", bytes }, { "limit", machineMemory() } });
    }
}

} // namespace shardscope
