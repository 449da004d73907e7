// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_norms.h"

#include <cmath>

namespace shardscope::cli {

namespace {

/// Adds the squares to the sum; false where there are none.
bool addSquares(double& sum, const std::vector<double>& numbers)
{
    for (const double number : numbers)
        sum += number * number;
    return !numbers.empty();
}

} // namespace

StepNorms::StepNorms(const Program& program, const StepState& state)
{
    for (const StatePair& pair : state.pairs)
        if (program.value(pair.argument).role == Role::Parameter)
            m_parameters.push_back(pair.result);
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (program.values[v].role == Role::Gradient)
            m_gradients.emplace_back(v);
}

std::optional<double> StepNorms::ofParameters(const Run& run) const
{
    double sum = 0;
    for (const std::size_t result : m_parameters)
        if (!addSquares(sum, run.gatherResult(result)))
            return std::nullopt;
    return m_parameters.empty() ? std::nullopt : std::optional(std::sqrt(sum));
}

std::optional<double> StepNorms::ofGradients(const Run& run) const
{
    double sum = 0;
    for (const ValueId gradient : m_gradients)
        if (!addSquares(sum, run.gather(gradient)))
            return std::nullopt;
    return m_gradients.empty() ? std::nullopt : std::optional(std::sqrt(sum));
}

} // namespace shardscope::cli
