// SPDX-License-Identifier: GPL-3.0-or-later
// Norms of what a step leaves: the root of the sum of all squared elements, of all arrays together.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "program/step_state.h"
#include "simulate/run/run.h"

namespace shardscope::cli {

class StepNorms {
public:
    /// Of the program that runs take.
    StepNorms(const Program& program, const StepState& state);

    /// The new parameters after a step; nothing where the program updates none.
    [[nodiscard]] std::optional<double> ofParameters(const Run& run) const;
    /// The gradients of the step, before they are clipped; nothing where they cannot be read any more.
    [[nodiscard]] std::optional<double> ofGradients(const Run& run) const;

private:
    std::vector<std::size_t> m_parameters; ///< numbers of results
    std::vector<ValueId> m_gradients;
};

} // namespace shardscope::cli
