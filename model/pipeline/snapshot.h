// SPDX-License-Identifier: GPL-3.0-or-later
// The result of analysing one revision of an experiment: immutable, shared, complete. Views draw snapshots.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "experiment/builtin.h"
#include "mesh/device_array.h"
#include "partition/collective.h"
#include "propagation/propagate.h"
#include "sharding/layout.h"
#include "sharding/memory_kind.h"

namespace shardscope {

struct CollectiveList;
struct Plan;
class DeviceStages;

/// What became of one annotation: an argument's, a result's or a constraint's.
struct ResolvedAnnotation {
    ValueId value; ///< the annotated value; for a constraint its result
    OperationId operation; ///< valid for constraints
    Annotation declared;
    std::optional<Resolution> resolution; ///< logical names only
    /// Whose rules those of `resolution` are: an index into RulesSetting::inner, or -1 for the outer ones.
    std::int32_t innerRules = -1;
    /// Absent: nothing applies (no annotation, inactive constraint, error). A spec that splits a dimension into unequal
    /// parts stays: its array can be looked at, padded, though no step can run.
    std::optional<PartitionSpec> spec;
    std::optional<Diagnostic> problem; ///< why not (ConstraintInactive, UnknownAxis, Indivisible, ...)
    std::vector<Diagnostic> alsoIndivisible = {}; ///< further dimensions, when `problem` is Indivisible
    std::vector<DroppedAxes> dropped = {}; ///< axes that rules gave and the dialect left out on this mesh
    bool hasOptimizerRules = false; ///< `innerRules` are for what the optimizer keeps, not those of its parameter

    [[nodiscard]] bool indivisible() const;
};

struct Annotations {
    std::vector<ResolvedAnnotation> arguments; ///< per argument of main
    std::vector<ResolvedAnnotation> results; ///< per result of main
    std::vector<ResolvedAnnotation> constraints; ///< in program order

    /// Arguments are annotated with logical names.
    [[nodiscard]] bool nameArguments() const;
    /// Arguments, results or constraints are annotated with logical names, which rules have to resolve.
    [[nodiscard]] bool nameAnything() const;
};

/// A fix for a problem: an edit of the experiment, made by applyFix() of analysis/fixes.h.
struct Fix {
    enum class Kind : std::uint8_t {
        BindRules, ///< W206
        AssumeTpu, ///< W206
        BindRulesOnTpu, ///< W206, where either alone would change nothing
        EnterMesh, ///< W206: the step is traced inside `with mesh:`
        UseLogicalNames, ///< W210
        DevicesForMesh, ///< E102
        SetDimension, ///< E101, W201: dimension `name` to `number`
        SetAxisSize, ///< E101, E102, W201, W212: axis `name` to `number`
        RemoveRule, ///< W202, W211: rule `number`
        MoveRuleAbove, ///< W203, W204: rule `number` above rule `other`
        AddFallbackRow, ///< W205: the name of rule `number` to `axes`, after that rule
        RenameAxisInRule, ///< W211: in rule `number` to axis `name`
        RenameRule, ///< W202: rule `number` to the logical name `name`
        MapName, ///< W210, W212, W244: logical name `name` to the axes `axes`
        LeaveUnsharded, ///< E111, W206: names without a usable rule stay unsharded
        MoveAxis, ///< W208: mesh axis `name` to place `number`
        RemoveAxis, ///< I301: mesh axis `name`
        SharePhysicalAxes, ///< E151: create_device_mesh may share physical axes between mesh axes
        SetAxisSizes, ///< E150, E151, E173: sizes of all axes, `name` is "4x16"
        OrderAutomatically, ///< whatever automaticOrder() chooses
        OrderById, ///< devices in the order of their ids
        SetSubmesh, ///< E163 to E168: T5X with the submesh `name`, "4x2x1x2", and axes that fit it
        SetDcnShape, ///< E161: slices (hosts) along the axes, `name` is "2x1"
        Rematerialise, ///< W209: layers are worked out again in the backward pass, by the policy "full"
        ScanLayers, ///< W209: layers in a loop, which keeps the gathered weights of one layer
        ParamsOnHost, ///< W209: parameters stay in host memory
        DropShardingRule, ///< E143, E433, E434: the rule of its own that the operation `name` has
        LeaveOutSettings, ///< W243: the settings at the places `axes` of the file (JSON pointers)
    };
    Kind kind = Kind::BindRules;
    std::string name;
    std::int64_t number = 0;
    std::int64_t other = 0;
    std::vector<std::string> axes = {};
    bool operator==(const Fix&) const = default;
};

struct Problem {
    Diagnostic diagnostic;
    std::vector<Fix> fixes;
    std::vector<ValueId> values; ///< tensors concerned ("4 layers")
};

/// How often a rule or a logical name matters.
struct RuleUse {
    int uses = 0; ///< annotations whose resolution the rule decided and that apply
    int inactiveUses = 0; ///< the same in constraints that are not active
};

struct TensorRow {
    ValueId value;
    std::string path;
    Role role = Role::Temporary;
    TensorType type;
    std::vector<std::string> dimNames;
    PartitionSpec spec; ///< closed form of the final sharding
    Layout layout;
    std::int64_t bytesPerDevice = 0;
    std::int64_t bytesInAll = 0; ///< global
    std::int64_t copies = 1;
    AxisList partialBefore; ///< axes over which it was partial before a collective reduced it
    Layout layoutBefore; ///< layout of the partial values; set if `partialBefore` has axes
    /// The memory kind, if it is not the default of the devices.
    std::optional<MemoryKind> memoryKind = {};
    bool indivisible = false; ///< its annotation shards a dimension that does not divide (E101): no step can run
};

struct StageTime {
    std::string stage; ///< "build", "annotate", "propagate", "partition", "schedule", "summarise"
    double seconds = 0;
    bool fromCache = false;
};

struct Snapshot {
    std::uint64_t revision = 0;
    ExperimentPtr experiment;
    std::vector<Problem> problems; ///< errors first, then by code

    // The results of the stages. Those of a stage that failed, and of all later ones, are absent.
    /// The program as it was built, or read from a text, with its names and lines. Later programs keep the ids of its
    /// values and operations, and add further ones after them.
    SourcePtr source;
    /// `source` over the mesh, with all annotations written into it as shardings: as rules resolve them, or as the text
    /// has them after the experiment's changes. A constraint that does not apply has no sharding.
    ProgramPtr annotated;
    /// `annotated` as propagation prepared it: in the full strategy every use of a constant has a copy of its own, and
    /// constraints became shardings of the values that they constrain. Without a layout: the program of `source`.
    ProgramPtr program;
    MeshPtr mesh;
    std::shared_ptr<const MeshReason> orderReason; ///< why the devices have their order in the mesh
    std::shared_ptr<const Annotations> annotations;
    std::shared_ptr<const PropagationResult> propagation;
    /// The stages after propagation, computed on demand. Snapshots with the same layout share the object.
    std::shared_ptr<const DeviceStages> deviceStages;
    // Results of `deviceStages`, as far as LastStage (analysis/analyse.h) goes; absent if their stage failed.
    std::shared_ptr<const CollectiveList> collectives; ///< in order of execution
    SentBytes sent; ///< of `collectives`
    std::shared_ptr<const Plan> plan;
    std::optional<Error> notPlanned; ///< why there is a layout and no plan; also among `problems`

    std::vector<TensorRow> tensors; ///< all values with a path, in display order: params, gradients, mu, nu, ...
    std::vector<int> rowOfValue; ///< per ValueId, -1 if it has no row
    std::vector<RuleUse> ruleUses; ///< per rule
    std::vector<std::vector<RuleUse>> innerRuleUses; ///< per list of RulesSetting::inner, per rule
    /// Logical names in use without a rule, with how many annotations use them.
    std::vector<std::pair<std::string, int>> namesWithoutRule;
    std::vector<StageTime> times;

    /// No stage failed: a step can be run.
    [[nodiscard]] bool ok() const { return plan != nullptr; }
    /// XLA had partitioned the program before it was read: it is the program of one device, and its sharding cannot be
    /// changed. `tensors` are the global arrays of its arguments, as far as the text has their shardings.
    [[nodiscard]] bool isPartitioned() const { return source && source->isPartitioned(); }
    /// Every array has a layout that can be shown, even if a step cannot be run.
    [[nodiscard]] bool laidOut() const { return propagation != nullptr; }
    [[nodiscard]] const TensorRow* row(ValueId value) const;
    [[nodiscard]] const TensorRow* row(std::string_view path) const;
    [[nodiscard]] int errorCount() const;
    [[nodiscard]] int warningCount() const;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

} // namespace shardscope
