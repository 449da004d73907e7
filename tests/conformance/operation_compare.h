// SPDX-License-Identifier: GPL-3.0-or-later
// Compares one operation of a program with an entry of a case's `expect.functions.*.ops`.
#pragma once

#include <set>
#include <string_view>

#include "conformance/program_compare.h"

namespace shardscope::conformance {

/// A line of a function's text.
struct Place {
    enum class Kind { Operation, Terminator, Close };
    Kind kind = Kind::Operation;
    std::string name; ///< "stablehlo.add", "func.return"
    OperationId operation; ///< invalid for terminators
    RegionId region; ///< that holds it
};

/// What the names of a case stand for in the output.
struct NameTable {
    NameTable(const ProgramCase& caseInput, const FunctionIds& ids, const Program& program, const Function& of)
        : input(&caseInput)
        , inputIds(&ids)
        , output(&program)
        , function(&of)
    {
    }
    const ProgramCase* input;
    const FunctionIds* inputIds;
    const Program* output;
    const Function* function;
    std::set<std::uint32_t> operations, regions; ///< those that stand in the function
    std::map<std::string, ValueId> bound; ///< by the entries so far
    std::map<int, OperationId> matched;
};

/// Begins what is returned instead of a difference where a comparison is not supported.
inline constexpr std::string_view unsupportedMark = "(unsupported) ";

/// "" or the difference. Names are taken to be equal.
[[nodiscard]] std::string operationDifference(
    const Program& program, const Json& entry, const Place& place, const NameTable& names, const CaseExtras& extras);

} // namespace shardscope::conformance
