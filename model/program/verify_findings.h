// SPDX-License-Identifier: GPL-3.0-or-later
// What the checks of verify_shardings*.cpp share: where a finding is, and the checks of axes and shardings.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "program/program.h"
#include "program/value_shardings.h"

namespace shardscope::verification {

/// What a finding is about: a part of an operation, or of a function, or a mesh.
struct Place {
    OperationId operation = {}; ///< or
    const Function* function = nullptr; ///< or neither
    const char* role = "";
    std::int64_t index = -1; ///< -1: there is one only
    ValueId value = {}; ///< may be invalid
    std::uint32_t source = 0; ///< where there is neither operation nor function
};

class Findings {
public:
    explicit Findings(const Program& program)
        : m_program(program)
    {
    }
    void add(Code code, std::vector<Arg> args, const Place& place);
    [[nodiscard]] std::size_t count() const { return m_found.size(); }
    [[nodiscard]] std::vector<Diagnostic> take() { return std::move(m_found); }

private:
    const Program& m_program;
    std::vector<Diagnostic> m_found;
};

/// The diagnostic alone.
[[nodiscard]] Diagnostic diagnosticAt(const Program& program, Code code, std::vector<Arg> args, const Place& place);

/// Takes findings without their place.
using Report = std::function<void(Code, std::vector<Arg>)>;

/// One axis reference: that the mesh has it and that a part is one.
/// False where nothing more can be said about it.
bool checkReference(const ProgramMesh& mesh, AxisRef ref, const Report& report);
/// Axes that go together (the lists of a sharding, or of a collective): no axis twice, none overlapping.
void checkDistinct(const ProgramMesh& mesh, std::span<const AxisRef> all, const Report& report);
/// Neighbours that are one part.
void checkMerged(const ProgramMesh& mesh, std::span<const AxisRef> list, const Report& report);
/// In the order of the mesh, major parts first.
void checkOrder(const ProgramMesh& mesh, std::span<const AxisRef> list, const Report& report);
/// All of the above for one list. False where a reference is none.
bool checkSortedList(const ProgramMesh& mesh, std::span<const AxisRef> list, const Report& report);

/// The axes of a sharding, whatever array it is of: references, duplicates, overlaps, order, priorities.
void checkAxes(const ProgramMesh& mesh, const TensorSharding& sharding, const Report& report);
/// Number of dimensions, tokens, tuples, single devices. False where the mesh is none, so that nothing can be said.
bool checkRank(const Program& program, const ProgramSharding& sharding, const TensorType& type, const Report& report);

/// "[{x, y:(1)2}, {?}], unreduced={z}"
[[nodiscard]] std::string shardingText(const ProgramMesh& mesh, const TensorSharding& sharding);
[[nodiscard]] std::string axesText(const ProgramMesh& mesh, std::span<const AxisRef> axes);

/// A mesh that cannot be one: why.
void checkMesh(const ProgramMesh& mesh, Findings& findings);
/// A collective of Shardy. Its out sharding has been checked by itself (and is legal if `outIsLegal`).
void checkCollective(
    const Program& program, const Operation& operation, const ProgramSharding* operand, bool outIsLegal, const Report&);
/// The rule that stands at an operation.
void checkRule(const Program& program, const Operation& operation, const std::string& text, const Report& report);
/// The propagation edges that stand at an operation.
void checkProvenance(const Program& program, const Operation& operation, const std::string& text,
    const ValueShardings& shardings, const Report& report);

} // namespace shardscope::verification
