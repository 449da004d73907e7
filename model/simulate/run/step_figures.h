// SPDX-License-Identifier: GPL-3.0-or-later
// What a step of training gives: its loss, and norms of what it leaves. A norm is the root of the sum of all squared
// elements, of all arrays together: of the parameters [3, 0] and [[4]] it is 5.
//
//     const StepFigureReader reader(*plan->program->program, plan->program->state);
//     run.step();
//     reader.loss(run)           // perhaps 4.85
//     reader.ofParameters(run)   // after the step
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "program/step_state.h"
#include "simulate/run/run.h"

namespace shardscope {

/// Of one step; nothing for what was not asked for, and for what cannot be read.
struct StepFigures {
    std::optional<double> loss = {};
    std::optional<double> parameterNorm = {}, gradientNorm = {}; ///< of all arrays together
    bool operator==(const StepFigures&) const = default;
};

class StepFigureReader {
public:
    /// Of the program that runs take.
    StepFigureReader(const Program& program, const StepState& state);

    /// The first element of lossResult(); nothing where the program gives none.
    [[nodiscard]] std::optional<double> loss(const Run& run) const;
    /// The new parameters after a step; nothing where the program updates none.
    [[nodiscard]] std::optional<double> ofParameters(const Run& run) const;
    /// The gradients of the step, before they are clipped; nothing where they cannot be read any more.
    [[nodiscard]] std::optional<double> ofGradients(const Run& run) const;
    /// All three.
    [[nodiscard]] StepFigures figures(const Run& run) const
    {
        return { loss(run), ofParameters(run), ofGradients(run) };
    }
    /// What the norms take for a moment: the largest of their arrays in full, as doubles.
    [[nodiscard]] double workingBytes() const { return m_workingBytes; }

private:
    std::optional<std::size_t> m_loss; ///< number of a result
    std::vector<std::size_t> m_parameters; ///< numbers of results
    std::vector<ValueId> m_gradients;
    double m_workingBytes = 0;
};

} // namespace shardscope
