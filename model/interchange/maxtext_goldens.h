// SPDX-License-Identifier: GPL-3.0-or-later
// MaxText's goldens: what its tests keep of the shardings of one model on one mesh, as a folder of three files.
//
//     named_shardings.json     { ".params/['params']/['decoder']/['logits_dense']/['kernel']": {
//                                  "mesh": { "axis_names": ["data", "fsdp"], "shape": { "data": 1, "fsdp": 8 } },
//                                  "partition_spec": ["fsdp", null], "shape": [4096, 128256] } }
//     logical_shardings.json   the same keys, where partition_spec has the logical names: ["embed", "vocab"]
//     input_shardings.json     { "Activation Sharding Dump": [ { "attention/query: bfloat16[8,2048,32,128]": {
//                                  "logic_axes": "('activation_batch', 'activation_length', ...)",
//                                  "PartitionSpec": "P('fsdp', None, None, None)" } } ] }
//
// Specs of the state keep mesh axes of size 1, those of activations do not (Dialect::MaxTextState, Dialect::MaxText).
// Only the first file is needed: without the second nothing is known of names, without the third of activations.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/parameter_table.h"
#include "mesh/mesh.h"
#include "sharding/partition_spec.h"

namespace shardscope {

struct GoldenArray {
    /// "params/params/decoder/logits_dense/kernel", "opt_state/0/mu/params/..."; of activations where it is
    /// constrained, "attention/query", with "#2" after it where one stands there again.
    std::string path;
    TensorType type; ///< f32 where nothing says it, as of the state
    bool shapeKnown = true;
    std::optional<LogicalNames> names; ///< one per dimension; absent: the dump does not say
    PartitionSpec spec; ///< in its closed form
    Where where; ///< where it stands in its file; not compared
    bool operator==(const GoldenArray& other) const
    {
        return path == other.path && type == other.type && shapeKnown == other.shapeKnown && names == other.names
            && spec == other.spec;
    }
};

struct MaxTextGoldens {
    std::vector<MeshAxis> mesh;
    std::vector<GoldenArray> state, activations;
    bool operator==(const MaxTextGoldens&) const = default;
};

/// Names of the files, in the order of GoldenTexts.
inline constexpr std::array<std::string_view, 3> goldenFiles{ "named_shardings.json", "logical_shardings.json",
    "input_shardings.json" };
struct GoldenTexts {
    std::string named;
    std::optional<std::string> logical, inputs; ///< absent: there is no such file
};

/// All errors are collected, 50 of each file at most; each names the file (one of goldenFiles), line and column.
/// Errors: those of readJsonTable(), AxisUsedTwice and UnknownAxis of a spec, WrongType for two meshes.
using ReadGoldens = tl::expected<MaxTextGoldens, std::vector<Diagnostic>>;
[[nodiscard]] ReadGoldens readMaxTextGoldens(const GoldenTexts& texts);
/// What readMaxTextGoldens() reads back, laid out as Python's json.dump(indent=2) does it. All three, so that none of a
/// folder is left from before.
[[nodiscard]] GoldenTexts writeMaxTextGoldens(const MaxTextGoldens& goldens);

/// The path that MaxText has for an array of a network's state: "params/params/decoder/..." for "params/decoder/...",
/// "opt_state/0/mu/params/..." for "opt/mu/...".
[[nodiscard]] std::string maxTextPath(std::string_view ownPath);

/// Arrays with known names and shapes as a table.
[[nodiscard]] std::vector<ParameterRow> toRows(const MaxTextGoldens& goldens);

} // namespace shardscope
