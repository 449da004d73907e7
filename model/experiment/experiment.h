// SPDX-License-Identifier: GPL-3.0-or-later
// The Experiment: everything a user edits and saves, as one plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mesh/device_set.h"
#include "mesh/mesh.h"
#include "networks/arrays.h"
#include "networks/mlp.h"
#include "rules/dialect.h"
#include "sharding/logical_rules.h"

namespace shardscope {

struct HardwareSetting {
    DeviceSet devices{ "generic-cpu", "cpu", 2, 4 };
    double iciBytesPerSecond = 45e9; ///< between devices of one host
    double dcnBytesPerSecond = 6e9; ///< between hosts
    std::int64_t memoryPerDevice = std::int64_t{ 16 } << 30; ///< bytes
    bool operator==(const HardwareSetting&) const = default;
};

struct MeshSetting {
    std::vector<MeshAxis> axes;
    /// Empty = row-major. Otherwise one device id per position.
    std::vector<std::int32_t> deviceOrder;
    bool operator==(const MeshSetting&) const = default;
};

struct RulesSetting {
    Dialect dialect = Dialect::FlaxLinen;
    FlaxVersion version = FlaxVersion::Current;
    RulesFallback fallback = RulesFallback::AxisIsUnsharded;
    /// Whether the rules are bound (set_logical_axis_rules) when the model is traced. In the notebook they are not:
    /// they only resolve the annotations of parameters, and with_logical_constraint finds no rules.
    bool boundWhenTraced = true;
    LogicalRules rules;
    bool operator==(const RulesSetting&) const = default;
};

struct MlpModel {
    MlpSettings settings;
    bool operator==(const MlpModel&) const = default;
};
struct ArraysModel {
    std::vector<NamedArraySetting> arrays;
    bool operator==(const ArraysModel&) const = default;
};
using ModelSetting = std::variant<MlpModel, ArraysModel>;

struct RunSetting {
    std::uint64_t seed = 0;
    std::int64_t runs = 7; ///< of %%timeit
    std::int64_t loops = 1;
    bool shareReplicas = false;
    bool operator==(const RunSetting&) const = default;
};

/// A key of the file that this version does not know, kept to be written back: the JSON text of its value, and where
/// it stood. `pointer` is that of the object, `after` the key before it there ("" if it came first).
struct UnknownKey {
    std::string pointer;
    std::string key;
    std::string after;
    std::string json; ///< compact, on one line
    bool operator==(const UnknownKey&) const = default;
};

struct Experiment {
    std::string title;
    std::string notes;
    HardwareSetting hardware;
    MeshSetting mesh;
    RulesSetting rules;
    ModelSetting model;
    RunSetting run;
    /// `notes` of inner objects, by JSON pointer of the object.
    std::vector<std::pair<std::string, std::string>> innerNotes;
    std::vector<UnknownKey> unknownKeys;
    /// Minor version of the file format: that of the file if it is newer than ours, so that saving does not lower it.
    std::int64_t formatMinor = 0;
    bool operator==(const Experiment&) const = default;
};

using ExperimentPtr = std::shared_ptr<const Experiment>;

/// Equal experiments have equal hashes. Covers everything, title and notes included.
[[nodiscard]] std::uint64_t hash(const Experiment& experiment);

/// Names of mesh axes, logical axes and arrays: not empty, and no control characters.
[[nodiscard]] bool isValidName(std::string_view name);
/// The mesh of the setting. Errors as Mesh::create.
[[nodiscard]] Result<Mesh> makeMesh(const MeshSetting& setting);

} // namespace shardscope
