// SPDX-License-Identifier: GPL-3.0-or-later
// Compares a program with what a reference case expects of it.
#pragma once

#include <functional>
#include <string>

#include "conformance/program_case.h"

namespace shardscope::conformance {

/// What is compared beside the program itself. Each returns the difference, "" where there is none; where one is
/// missing, a case that needs it is unsupported.
struct CaseExtras {
    /// Provenance of an operation; of the terminator of a region where the operation is invalid.
    std::function<std::string(const Json& attrs, OperationId operation, RegionId region)> operation;
    std::function<std::string(const Json& attrs, const Function& function, std::size_t argument)> argument;
    std::function<std::string(const Json& attrs, const Function& function, std::size_t result)> result;
    /// The rule of an operation. Without it: that of the operation's row.
    std::function<FactorRule(OperationId operation)> rule;
};

/// "" or the function of which the case expects another number of arguments or results than its input has: no pass adds
/// or removes one. Asserted as well where the passes end with an error, and nothing else can be compared.
[[nodiscard]] std::string signatureSizeDifference(const Json& oneCase, const ProgramCase& input);

/// Everything that `expect` asserts of the functions: their signatures, shardings of arguments, results and operations,
/// the sequence of operations, operands, new operations, what may not occur. Not the diagnostics. Fails as well when it
/// finds fewer facts than the case has (`num_checked`).
[[nodiscard]] CaseResult compareProgram(
    const Json& oneCase, const ProgramCase& input, const Program& output, const CaseExtras& extras = {});

/// The severities that the case expects, of all its functions.
[[nodiscard]] bool expectsError(const Json& oneCase);
[[nodiscard]] bool expectsWarning(const Json& oneCase);

} // namespace shardscope::conformance
