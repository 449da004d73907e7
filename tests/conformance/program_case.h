// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of reference cases: a case lists meshes and functions, an operation per JSON object. The names that a case
// gives to values and operations are kept beside the program.
//
//     "a0"      argument 0 of the function       "v3.1"    result 1 of the operation with id 3
//     "b3.0.1"  argument 1 of region 0 of it
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/checker.h"
#include "program/op_row.h"
#include "program/other_attributes.h"

namespace shardscope::conformance {

struct FunctionIds {
    std::map<std::string, ValueId> values;
    std::map<int, OperationId> operations;
    std::map<int, RegionId> terminators; ///< by id: the region that one ends
};

struct ProgramCase {
    Program program; ///< functions[0] is the main one; the others stand in the order of the case
    std::map<std::string, FunctionIds> functions; ///< by name
};

/// The input of a case. Attributes without a meaning of their own go to Program::dictionaries: a rule given by the
/// user as "sdy.sharding_rule" with its text "#sdy.op_sharding_rule<...>", recorded edges as "sdy.propagation_edges"
/// with
/// "#sdy.propagation_edges<[...]>", others with their JSON. What is illegal is built as program/program_mesh.h has it.
/// The error is why the case cannot be built.
[[nodiscard]] tl::expected<ProgramCase, std::string> buildProgram(const Json& oneCase);

/// One line per sharding, the same for equal ones: "@mesh [{a,b:(1)2,?}p1,{}] replicated={c} unreduced=max{d}".
[[nodiscard]] std::string shardingText(const Program& program, const ProgramSharding& sharding);
/// The same of a sharding of a case. Whole axes are written without a part, where `program` knows the mesh.
[[nodiscard]] std::string shardingText(const Program& program, const Json& sharding);
/// "a" or "b:(1)2", of a program's axis and of a case's.
[[nodiscard]] std::string axisText(const Program& program, std::uint32_t mesh, AxisRef axis);
[[nodiscard]] std::string axisText(const Program& program, const Json& mesh, const Json& axis);
[[nodiscard]] std::string axesText(const Program& program, std::uint32_t mesh, std::span<const AxisRef> axes);
[[nodiscard]] std::string axesText(const Program& program, const Json& mesh, const Json& axes);

/// A rule as `sharding_rule` of a case has it, without `custom` and `string`.
[[nodiscard]] Json ruleJson(const FactorRule& rule);

} // namespace shardscope::conformance
