// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the resolve command: what it is asked, and what it says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "networks/lifted_axis.h"
#include "report.h"
#include "rules/t5x_partitioner.h"
#include "rules_input.h"

namespace shardscope::cli {

struct ResolveOptions {
    std::string rules;
    std::string additional;
    std::string inner; ///< rules of a context inside that of `rules`
    std::string within; ///< path inside the experiment of `rules` whose rules are meant
    std::string own; ///< rules of the variable itself
    std::string ownAs; ///< linen or nnx; empty: nnx
    std::string unbox; ///< what unbox() of the variable's box does: constraint or value; empty: not asked
    std::string names;
    std::vector<std::string> addedAxes; ///< dimensions that transforms add to them, INDEX=NAME
    std::string table;
    std::string shape;
    MeshOptions mesh;
    std::int64_t hosts = 0;
    std::string dialect; ///< empty: that of the rules, or flax
    std::string version; ///< empty: that of the experiment, or current
    std::string fallback; ///< empty: that of the experiment, or axis_is_unsharded
    std::string constraintMesh; ///< empty: that of the experiment, or context
    std::string platform; ///< of the devices, for the Flax of 2024; empty: not cpu
    bool hybrid = false;
    std::int64_t partitions = 0; ///< of T5X' partitioner, 0 = not given
    std::string submesh; ///< its model-parallel submesh: 2,2,1,1
    std::string iciShape; ///< its shape inside a slice: 1,4,2
    std::string dcnShape; ///< and across slices: 2,1,1
    bool rulesSpecified = false; ///< "" are none
    bool namesSpecified = false; ///< "" are the names of a scalar
    bool trace = false;
    JsonTarget json;
};

/// What is to be resolved under, once it has been read.
struct Ruling {
    std::string name; ///< of the rules
    LogicalRules rules; ///< no sequence: a mapping, Penzai's, unless Flax is asked for it
    std::vector<InnerRules> inner; ///< of an experiment's parts; for the arrays of a table that lie there
    std::string within; ///< the part that `rules` are of, "" for the outer ones
    bool mapping = false; ///< read as Penzai reads them
    std::optional<LogicalRules> own; ///< of the variable, as NNX joins them with those of the context
    /// Of the variable, as Linen's box hands them to the constraint of unbox(): in the place of those of the context.
    std::optional<LogicalRules> boxed;
    std::optional<bool> unboxes; ///< unbox() is asked about, and this is its apply_constraint
    Dialect dialect = Dialect::FlaxLinen;
    FlaxVersion version = FlaxVersion::Current;
    RulesFallback fallback = RulesFallback::AxisIsUnsharded;
    ConstraintMesh constraintMesh = ConstraintMesh::Context; ///< that with_logical_constraint finds
    std::string platform;
    std::optional<Mesh> mesh;
    std::optional<Partitioner> partitioner; ///< T5X', whose rules these are
    std::vector<Diagnostic> warnings; ///< of reading the rules
};

/// "flax-linen", "penzai".
[[nodiscard]] std::string dialectName(const Ruling& ruling);

/// T5X' partitioner over the rules, where the dialect is T5X': its rules take the place of those there are, and without
/// a mesh of its own the shapes make one of replica, data and model. Errors: those of makePartitioner(), WrongType for
/// shapes that are none.
[[nodiscard]] Result<void> readPartitioner(const ResolveOptions& options, Ruling& ruling);
/// "batch over replica and data: P((replica, data)), 8 parts".
[[nodiscard]] QString partitionerText(const Ruling& ruling);
[[nodiscard]] Json partitionerJson(const Ruling& ruling);

/// Resolves every row of options.table. Returns the exit code.
[[nodiscard]] int resolveTable(const ResolveOptions& options, const Ruling& ruling);

/// Whether a mesh and the platform let a logical constraint count.
[[nodiscard]] bool passesGate(const Ruling& ruling);
/// The rules that a constraint of the value reads.
[[nodiscard]] const LogicalRules& constraintRules(const Ruling& ruling);
/// What becomes of the value: what with_logical_constraint does, or unbox() where that is asked.
[[nodiscard]] QString constraintText(const Ruling& ruling, const Result<ConstraintAction>& action);

/// "embed", "(1)" for a dimension without a name.
[[nodiscard]] QString nameText(const LogicalName& name, int dimension);
/// The rules against the dimensions: what each did, and why; on the mesh, if one is given.
[[nodiscard]] Table traceTable(const LogicalNames& names, const Ruling& ruling, const Resolution& resolution);
[[nodiscard]] Json traceJson(const Resolution& resolution, const LogicalNames& names, const Ruling& ruling);
/// "tensor has size 1 and is left out of dimension 0 (embed)".
[[nodiscard]] QString droppedText(const DroppedAxes& dropped, const LogicalNames& names);
[[nodiscard]] Json droppedJson(const std::vector<DroppedAxes>& dropped);
/// An entry per dimension: a list of mesh axes.
[[nodiscard]] Json axesJson(const PartitionSpec& spec, std::size_t rank);

/// The warnings of reading the rules before the problems. On a mesh, rules with unknown axes are problems already; they
/// get the line that reading them has found.
[[nodiscard]] std::vector<Diagnostic> withWarnings(const Ruling& ruling, std::vector<Diagnostic> problems);

// resolve --add-axis: the dimensions that nn.scan and nn.vmap give an array, with the names in its box (Linen) or its
// metadata (NNX) before and after.

struct LiftedNames {
    LiftedAxis axis;
    LogicalNames inside, outside;
};

/// "0=layers", or "0=None" for a dimension without a name; the transform nearest to the module first. Errors: WrongType
/// for what is none of these, OutOfRange for a place beyond 15.
[[nodiscard]] Result<std::vector<LiftedNames>> liftedNames(
    const std::vector<std::string>& axes, const LogicalNames& names);
/// "add_axis(0, 'layers'): ('embed', 'hidden') → ('layers', 'embed', 'hidden')".
[[nodiscard]] QString liftedText(const LiftedNames& lifted);
[[nodiscard]] Json liftedJson(const std::vector<LiftedNames>& lifted);

} // namespace shardscope::cli
