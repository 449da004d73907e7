// SPDX-License-Identifier: GPL-3.0-or-later
// Logical axis rules: from the logical names of an array's dimensions to mesh axes, as flax.linen.spmd resolves them.
//
// Rules are walked in order, not dimensions. A rule fires when its name is among the dimensions (the first such one
// counts), that dimension is unset, and none of the rule's mesh axes is in use by another dimension of the array.
// A tuple is all or nothing. A rule to None sets its dimension and so blocks later rules of that name.
//
//     names (batch, length, heads, features); rules batch->X, features->X, heads->Y, batch->Z
//     result P(X, None, Y, None): features found X busy on batch (rule 1), batch was already set when rule 4 came.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "sharding/partition_spec.h"

namespace shardscope {

/// The name of one dimension. Absent = None.
struct LogicalName {
    enum class Kind : std::uint8_t { None, Name, Unconstrained };
    Kind kind = Kind::None;
    std::string name;

    static LogicalName none() { return {}; }
    static LogicalName of(std::string n) { return { Kind::Name, std::move(n) }; }
    static LogicalName unconstrained() { return { Kind::Unconstrained, {} }; }
    bool operator==(const LogicalName&) const = default;
};
using LogicalNames = std::vector<LogicalName>;

/// One rule. `name` may be None (2024 assigns the first unnamed dimension then). A nested tuple keeps its nesting in
/// `nested`, since newer JAX rejects it in the spec; for the busy test it is flattened into target.axes.
struct LogicalRule {
    LogicalName name;
    SpecEntry target;
    bool nested = false;
    /// A rule as it stands in a file may have any number of elements; only 2 is right. It fails when it is reached.
    std::size_t arity = 2;
    bool operator==(const LogicalRule&) const = default;
};

enum class FlaxVersion : std::uint8_t { Year2024, Current };
enum class RulesFallback : std::uint8_t { AxisIsUnsharded, RaiseError, NoConstraint };

struct LogicalRules {
    std::vector<LogicalRule> list;
    bool isSequence = true; ///< false: handed over as a mapping, which Flax refuses
    bool operator==(const LogicalRules&) const = default;
};

/// What became of one rule for one array.
enum class Verdict : std::uint8_t {
    Applied,
    NoSuchDimension, ///< its name is not among the dimensions
    AxisBusy, ///< one of its axes is in use: byDimension, byRule
    DimensionSet, ///< its dimension has a target already: byRule
    BlockedByNull, ///< the same, and that target was None
};

struct RuleTrace {
    std::size_t rule = 0; ///< index into the rules
    Verdict verdict = Verdict::NoSuchDimension;
    int dimension = -1; ///< the dimension it names, -1 if none
    int byDimension = -1;
    int byRule = -1; ///< -1: settled before the first rule (unnamed or unconstrained, in the current version)
    std::string busyAxis; ///< for AxisBusy: the first busy one
    std::vector<std::string> lostAxes; ///< for AxisBusy with a tuple: the axes that were free and got lost with it
    bool operator==(const RuleTrace&) const = default;
};

/// How one dimension came to its entry.
enum class DimensionOutcome : std::uint8_t {
    SetByRule,
    SetToNullByRule,
    NoRule,
    AllRulesSkipped,
    Unnamed,
    Unconstrained
};

struct DimensionTrace {
    DimensionOutcome outcome = DimensionOutcome::NoRule;
    int rule = -1; ///< the rule that set it; for AllRulesSkipped the first one that tried
    bool operator==(const DimensionTrace&) const = default;
};

struct ResolvedEntry {
    bool assigned = false; ///< false: no rule hit ("UNASSIGNED")
    SpecEntry entry;
    bool nested = false;
    bool operator==(const ResolvedEntry&) const = default;
};

struct Resolution {
    std::vector<ResolvedEntry> entries;
    std::vector<RuleTrace> rules; ///< one per rule, in order
    std::vector<DimensionTrace> dims; ///< one per dimension

    /// Unassigned becomes None; entries as the rules wrote them, not canonicalised.
    [[nodiscard]] PartitionSpec spec() const;
};

/// Errors: DuplicateDimension (before anything else), RulesType, RuleArity.
[[nodiscard]] Result<Resolution> resolve(const LogicalNames& names, const LogicalRules& rules, FlaxVersion version);

/// What with_logical_constraint does with names and rules: constrain with a (canonical) spec, leave the value alone, or
/// fail (UnmatchedAxis under RaiseError, or an error of resolve()). `names` absent means None instead of a tuple.
struct ConstraintAction {
    bool constrain = false;
    PartitionSpec spec;
    std::optional<Resolution> resolution; ///< absent when rules were not consulted
};
[[nodiscard]] Result<ConstraintAction> logicalConstraint(
    const std::optional<LogicalNames>& names, const LogicalRules& rules, RulesFallback fallback, FlaxVersion version);

/// Whether a logical constraint takes effect at all where it is traced: the 2024 version does nothing on CPU or without
/// any mesh, the current one only without any mesh.
struct ConstraintGate {
    std::string platform = "cpu";
    bool globalMesh = false; ///< inside `with mesh:`
    bool explicitMesh = false; ///< a mesh handed to the call
};
[[nodiscard]] bool constraintApplies(const ConstraintGate& gate, FlaxVersion version);

/// flax composite_rules: the rules of the context extended by those of a variable. RuleConflict where they disagree.
[[nodiscard]] Result<LogicalRules> compositeRules(const LogicalRules& first, const LogicalRules& second);

/// The T5X standard rules for activation and parameter partitioning over 1 or 2 dimensions, followed by additional
/// ones. UnsupportedDims otherwise.
[[nodiscard]] Result<LogicalRules> t5xStandardRules(
    int activationDims, int parameterDims, const LogicalRules& additional);

} // namespace shardscope
