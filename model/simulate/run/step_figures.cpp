// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/step_figures.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

/// Adds the squares to the sum; false where there are none.
bool addSquares(double& sum, const std::vector<double>& numbers)
{
    for (const double number : numbers)
        sum += number * number;
    return !numbers.empty();
}

double bytesAsDoubles(const Program& program, ValueId value)
{
    return static_cast<double>(program.value(value).type.elementCount()) * static_cast<double>(sizeof(double));
}

} // namespace

StepFigureReader::StepFigureReader(const Program& program, const StepState& state)
    : m_loss(lossResult(program, state))
{
    for (const StatePair& pair : state.pairs)
        if (program.value(pair.argument).role == Role::Parameter) {
            m_parameters.push_back(pair.result);
            m_workingBytes = std::max(m_workingBytes, bytesAsDoubles(program, pair.argument));
        }
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (program.values[v].role == Role::Gradient) {
            m_gradients.emplace_back(v);
            m_workingBytes = std::max(m_workingBytes, bytesAsDoubles(program, m_gradients.back()));
        }
}

std::optional<double> StepFigureReader::loss(const Run& run) const
{
    if (!m_loss)
        return std::nullopt;
    const std::vector<double> value = run.gatherResult(*m_loss);
    return value.empty() ? std::nullopt : std::optional(value.front());
}

std::optional<double> StepFigureReader::ofParameters(const Run& run) const
{
    double sum = 0;
    for (const std::size_t result : m_parameters)
        if (!addSquares(sum, run.gatherResult(result)))
            return std::nullopt;
    return m_parameters.empty() ? std::nullopt : std::optional(std::sqrt(sum));
}

std::optional<double> StepFigureReader::ofGradients(const Run& run) const
{
    double sum = 0;
    for (const ValueId gradient : m_gradients)
        if (!addSquares(sum, run.gather(gradient)))
            return std::nullopt;
    return m_gradients.empty() ? std::nullopt : std::optional(std::sqrt(sum));
}

} // namespace shardscope
