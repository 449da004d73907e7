// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors of a snapshot as a tree: kind, layer, tensor. Plain data; the item model only hands it out.
//
//     Parameters                            8 MiB  × 2
//       Layer 0                             2 MiB  × 2
//         W1          P(-, model)           1 MiB  × 2
//         W2          P(model, -)           1 MiB  × 2
//       Layers 1–3    same, folded          6 MiB  × 2
//         Layer 1 ...
//
// More than a few names without a layer are nested by what their paths have in common: embedder/embedding beside
// "decoder / layers" with query/kernel in "attention".
//
// Layers that follow each other and look the same in every row (name, shapes, spec, bytes, copies) fold: the first one
// stands for itself, the others share one row. Every row's bytes are the sum of the rows under it; what lies on the
// host is summed apart.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/tree_node.h"
#include "pipeline/snapshot.h"

namespace shardscope {

enum class TensorGroup : std::uint8_t { Parameters, Inputs, Gradients, Moments, Activations, Constants, Counters };
inline constexpr std::size_t tensorGroupCount = 7;

/// Inputs and constants are groups of their own in a program that has no parameters, as those read from a text; a
/// network's few stand with its activations.
[[nodiscard]] TensorGroup groupOf(Role role, bool hasParameters = true);

struct TensorFilter {
    QString text; ///< words that must all occur in path, name, dimension names, axes or spec
    std::optional<TensorGroup> group;
    bool operator==(const TensorFilter&) const = default;
};

struct TensorNode : TreeNode {
    enum class Kind : std::uint8_t { Root, Group, Part, Layer, Folded, Tensor };
    Kind kind = Kind::Root;
    QString key; ///< identity over rebuilds: "Parameters/layers.0/W1"
    QString name;
    QString spec; ///< of a tensor, or common to all tensors below; "P(-, model)"
    int row = -1; ///< into Snapshot::tensors, tensors only
    std::int64_t bytes = 0; ///< per device, in its own memory
    std::int64_t hostBytes = 0; ///< per device, of what lies on the host
    bool onHost = false; ///< all of it lies on the host
    std::int64_t copies = 0; ///< 0: the tensors below differ
    bool everywhere = false; ///< every device holds all of it (and there are several devices)
    bool padded = false; ///< of a tensor: its parts are not equal
    bool indivisible = false; ///< of a tensor, or of any below: sharded so that it does not divide, and no step can run
};

enum class TensorColumn : std::uint8_t { Name, Extent, Spec, Bytes, Copies };

struct TensorTree {
    Q_DECLARE_TR_FUNCTIONS(TensorTree)
public:
    std::vector<TensorNode> nodes; ///< [0] is the root

    static TensorTree build(const Snapshot& snapshot, const TensorFilter& filter = {});
    /// Sorts siblings; equal ones keep the program's order.
    void sort(const Snapshot& snapshot, TensorColumn column, bool descending);
    /// The node of a tensor, -1 if it is not there (or filtered out).
    [[nodiscard]] int find(const Snapshot& snapshot, std::string_view path) const;
    [[nodiscard]] bool sameStructure(const TensorTree& other) const;

    /// The state of an optimizer by what that keeps, where the experiment is known.
    [[nodiscard]] static QString groupName(TensorGroup group, const Experiment* experiment = nullptr);
};

} // namespace shardscope
