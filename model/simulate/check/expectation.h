// SPDX-License-Identifier: GPL-3.0-or-later
// What a program expects of its own values: check.expect_eq and its like, as an operation or as the target of a custom
// call. StableHLO's own test programs consist of these.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "program/program.h"
#include "simulate/kernels/array.h"

namespace shardscope {

[[nodiscard]] bool isExpectation(const Operation& operation);

/// What one of them found on a device.
struct ExpectationFinding {
    OperationId operation; ///< of the program that runs
    std::int64_t device = 0;
    std::int64_t element = -1; ///< the first that differs; -1: none, or the shapes do
    std::string value, expected; ///< of that element
    [[nodiscard]] bool passed() const { return element < 0 && value.empty(); }
};

/// Its parameters, read once.
class Expectation {
public:
    /// Nothing for one whose constant cannot be read, or that lacks an operand.
    [[nodiscard]] static std::optional<Expectation> of(const Program& program, OperationId id);
    [[nodiscard]] ExpectationFinding compare(std::span<const kernels::Array> operands, std::int64_t device) const;

private:
    OperationId m_operation;
    std::string m_how; ///< "eq", "almost_eq", "close"
    double m_tolerance = 0; ///< of almost_eq
    double m_steps = 0; ///< of close: numbers of the type in between
    std::optional<kernels::Array> m_expected; ///< a constant of its own
};

} // namespace shardscope
