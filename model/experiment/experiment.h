// SPDX-License-Identifier: GPL-3.0-or-later
// The Experiment: everything a user edits and saves, as one plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "mesh/device_set.h"
#include "mesh/mesh.h"
#include "networks/arrays.h"
#include "networks/mlp.h"
#include "networks/transformer_training.h"
#include "program/initial_value.h"
#include "program/roles.h"
#include "propagation/setting.h"
#include "rules/dialect.h"
#include "sharding/logical_rules.h"

namespace shardscope {

struct HardwareSetting {
    DeviceSet devices{ "generic-cpu", "cpu", 1, 8 };
    double iciBytesPerSecond = 45e9; ///< between devices of one host; on a grid of TPU chips, of one slice
    double dcnBytesPerSecond = 6e9; ///< between hosts (slices)
    std::int64_t memoryPerDevice = std::int64_t{ 16 } << 30; ///< bytes
    /// The devices stay when the mesh grows or shrinks. Otherwise there are as many as the mesh needs.
    bool pinned = false;
    bool operator==(const HardwareSetting&) const = default;
};

/// Who puts the devices in order.
enum class OrderMethod : std::uint8_t {
    RowMajor, ///< ids 0, 1, 2, ... over the positions of the mesh
    AsListed, ///< as jax.devices() lists them: host after host
    CreateDeviceMesh, ///< jax.experimental.mesh_utils.create_device_mesh
    MakeMesh, ///< jax.make_mesh
    Hybrid, ///< create_hybrid_device_mesh
    T5x, ///< T5X's default_mesh: two axes, the tiles of a submesh and the places in it
};

struct OrderSetting {
    OrderMethod method = OrderMethod::RowMajor;
    bool sharePhysicalAxes = false; ///< create_device_mesh, hybrid: allow_split_physical_axes
    bool contiguousSubmeshes = false; ///< create_device_mesh
    bool byHost = false; ///< hybrid: the parts are hosts, not slices
    std::vector<MeshAxis> dcn = {}; ///< hybrid: slices (hosts) along axes; empty = as the axes can take them
    std::vector<std::int32_t>
        submesh = {}; ///< T5X; empty = that of its table for as many partitions as the last axis has
    bool operator==(const OrderSetting&) const = default;
};

struct MeshSetting {
    std::vector<MeshAxis> axes;
    /// Not empty: one device id per position, whatever `order` says.
    std::vector<std::int32_t> deviceOrder;
    OrderSetting order = {};
    bool operator==(const MeshSetting&) const = default;
};

/// Rules that are bound inside a part of the model (`with logical_axis_rules(...)` around a module): they replace the
/// outer rules, they do not add to them.
struct InnerRules {
    std::string within; ///< for the arrays whose path is this or begins with it and a "/"; the longest that fits counts
    LogicalRules rules;
    bool operator==(const InnerRules&) const = default;
};

/// The mesh that with_logical_constraint finds where the model is traced. Without any it leaves its value alone.
enum class ConstraintMesh : std::uint8_t {
    Context, ///< that of `with mesh:` around the step
    None, ///< the step is traced outside of it, and constraints are handed none
    Own, ///< handed to each constraint (`mesh=mesh`), in a context or not
};

struct RulesSetting {
    Dialect dialect = Dialect::FlaxLinen;
    FlaxVersion version = FlaxVersion::Current;
    RulesFallback fallback = RulesFallback::AxisIsUnsharded;
    /// Whether the rules are bound (set_logical_axis_rules) when the model is traced. In the notebook they are not:
    /// they only resolve the annotations of parameters, and with_logical_constraint finds no rules.
    bool boundWhenTraced = true;
    /// Whichever it is, it is the experiment's. Constraints by mesh axes carry theirs (NamedSharding) and always count.
    ConstraintMesh constraintMesh = ConstraintMesh::Context;
    LogicalRules rules;
    std::vector<InnerRules> inner = {}; ///< each `within` once
    bool operator==(const RulesSetting&) const = default;
};

struct MlpModel {
    MlpSettings settings;
    bool operator==(const MlpModel&) const = default;
};
struct TransformerModel {
    TransformerTraining settings;
    bool operator==(const TransformerModel&) const = default;
};
struct ArraysModel {
    std::vector<NamedArraySetting> arrays;
    bool operator==(const ArraysModel&) const = default;
};
/// A sharding rule in the place of the one that an operation of a program has.
struct RuleOverride {
    std::string path; ///< of the operation's first result
    std::string
        rule; ///< in Shardy's notation, without a frame: "([i, j])->([i, j]) {i=8, j=4} blocked_propagation={j}"
    bool operator==(const RuleOverride&) const = default;
};
/// A sharding that the experiment gives a value of its program, whatever the program's text says of it.
struct ValueSharding {
    /// "arg0": an argument of main; "result0": what main returns; "12", "other/3": any value, by the number that it has
    /// when the text is read (program/name_values.h).
    std::string value;
    std::string sharding; ///< "[{data, ?}, {}]", over the axes of the experiment's mesh (sharding/sharding_text.h)
    bool operator==(const ValueSharding&) const = default;
};
struct SourceProgram; // builtin.h
/// A program in StableHLO's text. What it is laid out over is the experiment's mesh: the axes that its shardings name
/// are found there.
struct ProgramModel {
    /// The file that holds the text, as the experiment names it (relative to its own file); empty: the experiment holds
    /// the text itself.
    std::string file;
    std::shared_ptr<const std::string> text = std::make_shared<const std::string>(); ///< never null
    std::vector<RuleOverride> shardingRules = {}; ///< each path once, in the order in which they were made
    std::vector<ValueSharding> shardings = {}; ///< each value once
    /// What `text` says, where experimentOf() has read it already, so that it is not read again. Says nothing that
    /// `text` does not: it is neither compared nor written.
    std::shared_ptr<const SourceProgram> source = {};
    bool operator==(const ProgramModel& other) const
    {
        return file == other.file && shardingRules == other.shardingRules && shardings == other.shardings
            && (text == other.text || *text == *other.text);
    }
};
/// Where arrays rest between steps.
struct PlacementSetting {
    /// T5X's params_on_devices: false keeps every parameter in pinned host memory, unless it has a memory kind of its
    /// own.
    bool paramsOnDevices = true;
    bool operator==(const PlacementSetting&) const = default;
};

using ModelSetting = std::variant<MlpModel, ArraysModel, ProgramModel, TransformerModel>;

struct RunSetting {
    std::uint64_t seed = 0;
    std::int64_t runs = 7; ///< of %%timeit
    std::int64_t loops = 1;
    bool shareReplicas = false;
    std::vector<ChosenInitial> initial = {}; ///< each name once, in the order in which they were chosen
    /// Of a program in a text: which results are arguments of the next step, "0=1,1=2" or "none"
    /// (program/step_state.h);
    /// "" = as the text says, or as it is guessed.
    std::string state = {};
    std::vector<ChosenRole> roles = {}; ///< each name once, in the order in which they were chosen
    bool operator==(const RunSetting&) const = default;
};

/// A key of the file that this version does not know, kept to be written back.
struct UnknownKey {
    std::string pointer; ///< JSON pointer of the object that has it
    std::string key;
    std::string after; ///< the key before it in that object, "" if it came first; it is written there again
    std::string json; ///< its value, compact and on one line

    /// JSON objects have no order: the same keys and values are the same experiment, wherever they stood.
    friend bool operator==(const UnknownKey& a, const UnknownKey& b)
    {
        return std::tie(a.pointer, a.key, a.json) == std::tie(b.pointer, b.key, b.json);
    }
    friend bool operator<(const UnknownKey& a, const UnknownKey& b)
    {
        return std::tie(a.pointer, a.key) < std::tie(b.pointer, b.key);
    }
};

/// A warning that is known, with the reason why it stays: it is then no more than information.
struct Acknowledgement {
    std::string finding; ///< "W206"
    std::string at; ///< path of a tensor, or JSON pointer of a place; empty: wherever it is found
    std::string reason; ///< in a sentence
    bool operator==(const Acknowledgement&) const = default;
};

/// Another form of the experiment, by what it changes of it: a JSON merge patch (RFC 7396) of the experiment's file.
///
///     { "mesh": { "axes": [["data", 4], ["model", 2]] } }
struct Variant {
    std::string name; ///< each once in an experiment; isValidName()
    std::string patch; ///< an object, compact and on one line; kept as it is where it makes no experiment
    bool operator==(const Variant&) const = default;
};

struct Experiment {
    std::string title;
    std::string notes;
    HardwareSetting hardware;
    MeshSetting mesh;
    RulesSetting rules;
    ModelSetting model;
    PropagationSetting propagation;
    PlacementSetting placement = {};
    RunSetting run;
    std::vector<Acknowledgement> acknowledged = {};
    std::vector<Variant> variants = {}; ///< in the order of the user
    /// `notes` of inner objects, by JSON pointer of the object.
    std::vector<std::pair<std::string, std::string>> innerNotes;
    std::set<UnknownKey> unknownKeys; ///< each key of an object once
    /// Minor version of the file format: that of the file if it is newer than ours, so that saving does not lower it.
    std::int64_t formatMinor = 0;
    bool operator==(const Experiment&) const = default;
};

using ExperimentPtr = std::shared_ptr<const Experiment>;

/// Names of mesh axes, logical axes, arrays and variants: not empty, and no control characters.
[[nodiscard]] bool isValidName(std::string_view name);
/// The axes alone, over devices in the plain order or the explicit one; experiment/mesh_order.h has the mesh of an
/// experiment. Errors as Mesh::create.
[[nodiscard]] Result<Mesh> makeMesh(const MeshSetting& setting);

} // namespace shardscope
