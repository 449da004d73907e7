// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of a model as the tree of its modules, by the parts of their paths.
//
//     decoder                             16,800 parameters
//       layers.0 … layers.1  × 2          16,640     2 layers that are alike
//         layers.0                         8,320
//           mlp                            8,192
//             wi_0   (64, 128)             8,192     embed, mlp    P(-, model)
//           norm     (128)                   128
//         layers.1 ...
//       decoder_norm (160)                   160
//
// Layers that follow each other by their numbers and hold equal arrays in equal places (names, types, shapes,
// shardings, constraints) stand below one node. Every number of a node is the sum of those below it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

/// What a part of a model is for, as its name says in T5X, MaxText, Hugging Face and Penzai.
enum class ModuleKind : std::uint8_t { Attention, Mlp, Experts, Norm, Embedding, Logits };
inline constexpr std::size_t moduleKindCount = 6;

/// Whether that is the name of such a part: "pre_self_attention_layer_norm" is a Norm and no Attention.
[[nodiscard]] bool isOfKind(std::string_view part, ModuleKind kind);
/// "attention", "mlp", "experts", "norm", "embedding", "logits".
[[nodiscard]] std::string_view moduleKindName(ModuleKind kind);
[[nodiscard]] std::optional<ModuleKind> parseModuleKind(std::string_view name);

/// Whether a filter chooses a parameter: by the name of a kind of which one of its parts is; by a glob (program/path.h)
/// that fits its path or that of a module around it, with or without "params/"; by a part of its path. An empty filter
/// chooses all.
///
///     "attention"  "layers.*/mlp" (nothing: a glob fits a path from its beginning)  "decoder/layers.*/mlp"  "query"
[[nodiscard]] bool choosesParameter(std::string_view filter, std::string_view path);

struct ParameterNode {
    enum class Kind : std::uint8_t { Root, Module, Repeated, Array };
    Kind kind = Kind::Root;
    int parent = -1;
    std::vector<int> children;
    std::string name; ///< the part of the path; of Repeated that of the first layer
    std::string last; ///< of Repeated: the name of the last layer
    std::string path; ///< of an array as in Snapshot::tensors; of a module what comes before; of Repeated with a *
    int row = -1; ///< into Snapshot::tensors, arrays only
    std::int64_t parameters = 0; ///< elements
    std::int64_t bytes = 0; ///< global
    std::int64_t bytesPerDevice = 0;
    bool indivisible = false; ///< of an array, or of any below: no step can run
    /// Of a module: the constraint that is chosen for its output, an index into TransformerSettings::constraints; of
    /// repeated ones that of all. -1 for none.
    int constraint = -1;
    int constrained = -1; ///< its output: into Snapshot::tensors
    int ownSpec = -1; ///< of an array: an index into TransformerSettings::parameterSpecs; -1 = by its logical names
};

struct ParameterTree {
    std::vector<ParameterNode> nodes; ///< [0] is the root

    /// The node of an array; -1 where it is not there, or not chosen.
    [[nodiscard]] int find(const Snapshot& snapshot, std::string_view path) const;
};

/// The network that the snapshot is of; null where it is another model.
[[nodiscard]] const TransformerSettings* transformerOf(const Snapshot& snapshot);
/// A parameter, or the constrained output of a module, and the choice of the network that holds for it, if any.
struct PartByItself {
    std::string_view path; ///< "decoder/layers.0", of a parameter without "params/"; lives as long as the value
    bool isOutput = false;
    const ChosenSharding* chosen = nullptr; ///< one of TransformerSettings::constraints or parameterSpecs
};
/// Nothing for other values.
[[nodiscard]] std::optional<PartByItself> partByItself(const TransformerSettings& network, const Value& value);
[[nodiscard]] ParameterTree parameterTree(const Snapshot& snapshot, std::string_view filter = {});
/// Whether that is a parameter as a step finds it: not what the step makes of one.
[[nodiscard]] bool isParameter(const Snapshot& snapshot, const TensorRow& row);
/// As the rules see the dimensions of an argument; null where it is not annotated by names.
[[nodiscard]] const LogicalNames* logicalNamesOf(const Snapshot& snapshot, const TensorRow& row);
/// Logical names of an argument, one per dimension, "" for none; where it is not annotated by names those that its
/// dimensions have in the network.
[[nodiscard]] std::vector<std::string> namesOfDimensions(const Snapshot& snapshot, const TensorRow& row);

} // namespace shardscope
