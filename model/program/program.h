// SPDX-License-Identifier: GPL-3.0-or-later
// The tensor IR: StableHLO's operations over static shapes, as one immutable value.
//
// A Program holds flat arrays of values, operations and regions. Ids are dense indices and never change; later stages
// keep their results in arrays beside the program, indexed by ValueId or OperationId. The body of `main` is region 0;
// other functions and operations with bodies (loops, branches, manual computations) own further regions. What a region
// returns is a list of values, not an operation.
//
//     %0 = dot_general x, W1, contracting [1] x [0]     // layers.0/h   : tensor<8x1024xf32>
//     %1 = maximum %0, %zero                            // layers.0/y
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/attributes.h"
#include "program/op_kind.h"
#include "program/types.h"

namespace shardscope {

/// What a value is for the person who looks at it.
enum class Role : std::uint8_t {
    Parameter,
    Gradient,
    Mu, ///< first moment of an optimizer: Adam's mu, the trace of momentum
    Nu, ///< second moment: Adam's nu, Adafactor's rows and columns
    Master, ///< a float32 copy of a parameter that is stored in a lower dtype; the optimizer updates it
    Count,
    Step,
    Input,
    Activation,
    Loss,
    Constant,
    Temporary
};
/// Whether the optimizer keeps one such array per parameter. It has its parameter's annotation unless the program gives
/// it another.
[[nodiscard]] constexpr bool isOptimizerArray(Role role)
{
    return role == Role::Mu || role == Role::Nu || role == Role::Master;
}

// Texts of hundreds of megabytes become millions of operations and values, so both are kept small.

struct Operation {
    OpKind kind = OpKind::Constant;
    SmallVector<ValueId, 4> operands;
    SmallVector<ValueId, 2> results;
    Attributes attributes;
    SmallVector<RegionId, 2> regions;
    std::uint32_t scope = 0; ///< index into Program::scopes: "layers.0", "backward/layers.0", "optimizer"
    std::uint32_t extra = 0; ///< index into Program::dictionaries: attributes that are only printed again
    std::uint32_t source = 0; ///< index into Program::sources
};
static_assert(sizeof(Operation) <= 120);

struct Value {
    TensorType type;
    OperationId definition; ///< invalid for arguments
    std::uint32_t index = 0; ///< which result of its operation, or which argument of its region
    Role role = Role::Temporary;
    Shared<std::string> path; ///< "params/layers.0/W1", "layers.0/y"; empty for nameless values
    Shared<std::vector<std::string>> dimNames; ///< "embed", "hidden"; one per dimension, or empty
};
static_assert(sizeof(Value) <= 48);

struct Region {
    std::vector<ValueId> arguments;
    std::vector<OperationId> operations; ///< in program order; definitions stand before uses
    std::vector<ValueId> results;
};

/// An attribute as it stands in the text: `mhlo.layout_mode`, `"default"`.
struct NamedText {
    std::string name, text; ///< text empty for a unit attribute
    bool operator==(const NamedText&) const = default;
};
using Dictionary = std::vector<NamedText>;

/// Where an operation comes from. Line and column count from 1; 0 = not read from a text.
struct SourcePlace {
    std::uint32_t line = 0, column = 0;
    Shared<std::string> location; ///< the text's own location: `"layers.0"("model.py":12:4)`; may be empty
    bool operator==(const SourcePlace&) const = default;
};

/// A reference to an axis that AxisRef cannot hold: the mesh has no axis of that name, or the sub-axis is impossible
/// ("x:(1)8" of 8 devices, numbers beyond 32 bits). Only illegal programs have them.
struct InvalidAxis {
    std::string name;
    std::int64_t pre = 0, size = 0; ///< size 0: written without a part
    bool isPart = false;
    bool operator==(const InvalidAxis&) const = default;
};

/// An illegal declaration of a mesh, as the text has it.
struct DeclaredMesh {
    std::vector<MeshAxis> axes;
    std::vector<std::int64_t> deviceIds;
    bool hasIds = false; ///< ids are listed
    bool operator==(const DeclaredMesh&) const = default;
};

/// A mesh that the program declares, or that stands inside a sharding (then without a name of its own). Made by the
/// functions of program/program_mesh.h.
struct ProgramMesh {
    std::string name;
    MeshPtr mesh; ///< never null
    /// The single device of a mesh without axes ("maximal"); nothing propagates to or from it.
    std::optional<std::int64_t> onlyDevice = {};
    bool inlined = false;
    // Only in illegal programs; verifyShardings() reports all of them.
    bool undeclared = false; ///< a sharding names it, and nothing declares it; `mesh` has no axes
    std::shared_ptr<const DeclaredMesh> illegal = {}; ///< set where the declaration is wrong; `mesh` has no axes
    std::vector<InvalidAxis> invalidAxes = {}; ///< an AxisRef of axis rank() + i means invalidAxes[i]
    std::uint32_t source = 0; ///< index into Program::sources

    [[nodiscard]] bool isMaximal() const { return onlyDevice.has_value(); }
    /// Compares name and content, not the place in the text.
    bool operator==(const ProgramMesh& other) const
    {
        return name == other.name && *mesh == *other.mesh && onlyDevice == other.onlyDevice && inlined == other.inlined
            && undeclared == other.undeclared && invalidAxes == other.invalidAxes
            && (illegal == other.illegal || (illegal && other.illegal && *illegal == *other.illegal));
    }
};

/// Index into Program::shardings, plus one; 0 = no sharding.
using ShardingIndex = std::uint32_t;

/// A function. Its arguments and returned values are those of its body; shardings of arguments are kept like those of
/// all other values.
struct Function {
    std::string name;
    bool isPublic = true;
    RegionId body;
    std::vector<ShardingIndex> resultShardings; ///< per result, or empty
    std::vector<std::uint32_t> argumentExtras, resultExtras; ///< indices into Program::dictionaries, or empty
    std::uint32_t extra = 0; ///< index into Program::dictionaries
    std::string originalName; ///< of a copy: the function that it was copied from
    std::uint32_t source = 0; ///< index into Program::sources
    /// What named locations call the arguments, "params['w']"; per argument, "" without such a name, or empty.
    std::vector<std::string> argumentNames;
    /// What the text calls those of main that go by such a name (program/name_values.h): "arg0"; or empty.
    std::vector<std::string> argumentTexts = {};
};

/// Shardings of an operation whose number differs from the number of its results. Legal only for one sharding of an
/// operation without results: on a single device, or without dimensions.
struct UnmatchedShardings {
    OperationId operation;
    std::vector<ShardingIndex> shardings;
    bool operator==(const UnmatchedShardings&) const = default;
};

/// An argument that a step replaces: the train state. `result` is an index into the results of main.
struct StatePair {
    ValueId argument;
    std::uint32_t result = 0;
    bool operator==(const StatePair&) const = default;
};

struct Program {
    std::string name;
    std::vector<Value> values;
    std::vector<Operation> operations;
    std::vector<Region> regions; ///< [0] is the body of main
    std::vector<std::string> scopes;

    std::vector<Annotation> argumentAnnotations; ///< in_shardings: one per argument of main
    std::vector<Annotation> resultAnnotations; ///< out_shardings: one per result of main
    std::vector<StatePair> state;
    bool namedByText = false; ///< paths are SSA names, "0" for %0, instead of "params/W1" (program/name_values.h)

    // Only in programs that were read from a text, or whose annotations are inside. `functions` is empty if there is
    // only main; otherwise [0] is main, whose body is regions[0].
    std::vector<Function> functions;
    std::vector<ProgramMesh> meshes;
    std::vector<ProgramSharding> shardings; ///< each once
    std::vector<ShardingIndex> valueShardings; ///< per ValueId, or empty: the shardings that the text gives
    std::vector<UnmatchedShardings> unmatchedShardings; ///< by operation, ascending; few or none
    std::vector<Dictionary> dictionaries{ 1 }; ///< [0] is empty
    std::vector<SourcePlace> sources{ 1 }; ///< [0] is no place
    std::vector<std::string> otherTypes; ///< texts of all types but tensors of a known element type
    std::uint32_t extra = 0; ///< attributes of the module

    /// The sharding that the text gives a value; null for none.
    [[nodiscard]] const ProgramSharding* shardingOf(ValueId id) const
    {
        const ShardingIndex index = id.index < valueShardings.size() ? valueShardings[id.index] : 0;
        return index == 0 ? nullptr : &shardings[index - 1];
    }
    [[nodiscard]] const Function* function(std::string_view functionName) const;

    [[nodiscard]] const Region& main() const { return regions.front(); }
    [[nodiscard]] const Value& value(ValueId id) const { return values[id.index]; }
    [[nodiscard]] const Operation& operation(OperationId id) const { return operations[id.index]; }
    /// The value of that path; invalid if there is none.
    [[nodiscard]] ValueId find(std::string_view path) const;
};

using ProgramPtr = std::shared_ptr<const Program>;

/// users[value] = operations that read the value, in program order, one entry per operand slot. Index by ValueId.
[[nodiscard]] std::vector<std::vector<OperationId>> usersOf(const Program& program);
/// Number of operations in the bodies of all functions, without operations that an edit has removed.
[[nodiscard]] std::size_t operationCount(const Program& program);
/// All violations of types, operands, attributes and order, empty for a legal program.
[[nodiscard]] std::vector<Diagnostic> verify(const Program& program);
/// Line and column of an operation in its text; none where it has no text.
[[nodiscard]] Where placeOf(const Program& program, const Operation& operation);
/// A hash of everything that later stages read.
[[nodiscard]] std::uint64_t hash(const Program& program);

} // namespace shardscope
