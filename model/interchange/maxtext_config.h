// SPDX-License-Identifier: GPL-3.0-or-later
// What a MaxText configuration says about sharding: mesh axes, their parallelism inside a slice (ici_) and between
// slices (dcn_), logical axis rules, and how input data is sharded. All other keys are passed over and listed.
//
//     mesh_axes: ['data', 'fsdp']
//     logical_axis_rules: [['activation_batch', ['data', 'fsdp']], ['embed', 'fsdp']]
//     dcn_data_parallelism: -1        # worked out from the number of slices
//     ici_fsdp_parallelism: -1        # worked out from the devices of a slice
//     on 2 slices of 4 devices: data 2 (between slices), fsdp 4
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"
#include "sharding/logical_rules.h"

namespace shardscope {

/// -1 is left open. An axis of the mesh is as large as the product of the two.
struct MaxTextAxis {
    std::string name;
    std::int64_t ici = 1;
    std::int64_t dcn = 1;
    bool operator==(const MaxTextAxis&) const = default;
};

struct MaxTextConfig {
    std::vector<MaxTextAxis> axes; ///< in the order of mesh_axes
    LogicalRules rules;
    PartitionSpec dataSharding;
    std::vector<std::string> inputNames; ///< input_data_sharding_logical_axes
    bool operator==(const MaxTextConfig&) const = default;
};

struct ReadMaxText {
    MaxTextConfig config;
    struct PassedOver {
        std::string key;
        int line = 0;
    };
    std::vector<PassedOver> passedOver; ///< keys that say nothing about sharding
    std::vector<Diagnostic> warnings; ///< ParallelismWithoutAxis, RulesElsewhere, RuleUnknownAxis; many are summed up
};

/// Where there are sizes alone, axes, rules and open sizes are those of base.yml, and RulesElsewhere says so. Errors:
/// Syntax, DuplicateKey, TooLarge, WrongType, OutOfRange, RuleArity, DuplicateAxis, and MissingKey when there are
/// neither rules nor mesh axes nor sizes; with line and column.
[[nodiscard]] Result<ReadMaxText> readMaxText(std::string_view text);
/// The keys of above, in their order. readMaxText() reads them back, but for two axes whose sizes have one key (see
/// parallelismKey()): the first one's are written. Errors: RulesType, RuleArity, NestedTuple, and
/// WrongType for what MaxText has no word for: a rule for None, an unconstrained target. `otherAxes`: whether the sizes
/// of axes are written for which base.yml has no key.
[[nodiscard]] Result<std::string> writeMaxText(const MaxTextConfig& config, bool otherAxes = true);

/// The key of an axis between "ici_" and "_parallelism": "pipeline" for stage, "tensor" for model, else its name.
[[nodiscard]] std::string parallelismKey(std::string_view axis);

/// A machine of equal slices. `devices` absent: as many as the sizes ask for.
struct MaxTextMachine {
    std::optional<std::int64_t> devices; ///< of all slices
    std::optional<std::int64_t> slices; ///< absent: the product of the dcn_ sizes, 1 if one of them is open
};

struct MaxTextMesh {
    std::vector<MaxTextAxis> axes; ///< nothing is open
    std::int64_t slices = 1;
    std::int64_t devicesPerSlice = 1;
    /// Position by position; empty for the plain order. Devices count through slice after slice, and slices are major
    /// along every axis.
    std::vector<std::int32_t> deviceOrder;

    [[nodiscard]] std::vector<MeshAxis> meshAxes() const;
};

/// Works out what is left open. With one slice the dcn_ sizes do not count, as in MaxText. Errors: UnresolvedAxisSize
/// (more than one size of a kind is open, or one is and the devices are not known), DevicesMismatch (the product does
/// not fit the devices or slices), TooLarge.
[[nodiscard]] Result<MaxTextMesh> resolveMesh(const MaxTextConfig& config, const MaxTextMachine& machine);

/// The way back: sizes inside slices and between them that make this order of devices. `deviceOrder` empty: the plain
/// one. Nothing where no sizes do.
///
///     data=2, fsdp=4 in plain order on 2 slices: data is between slices, fsdp inside
[[nodiscard]] std::optional<std::vector<MaxTextAxis>> splitOverSlices(
    const std::vector<MeshAxis>& axes, const std::vector<std::int32_t>& deviceOrder, std::int64_t slices);

} // namespace shardscope
