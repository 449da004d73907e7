// SPDX-License-Identifier: GPL-3.0-or-later
// Text forms of specs and shardings, as the reference systems print them, and the pictures made of characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sharding/layout.h"
#include "sharding/logical_rules.h"
#include "sharding/partition_spec.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

/// "P('data')", the form for people; without `shortForm` as Python prints the object: "PartitionSpec('data',)".
[[nodiscard]] std::string toJax(const PartitionSpec& spec, bool shortForm = true);
/// The form of narrow columns: "P(data, -)", tuples as "(pod, data)".
[[nodiscard]] std::string toColumn(const PartitionSpec& spec);
/// "Mesh('data': 2, 'model': 4)".
[[nodiscard]] std::string toJax(const Mesh& mesh);

/// Rules as a Python literal, which parseRules() reads back: "(('batch', 'data'), ('embed', None))".
[[nodiscard]] std::string toPython(const LogicalRules& rules);

/// XLA HLO V2: "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "{replicated}". Numbers are mesh positions.
[[nodiscard]] std::string toHlo(const PartitionSpec& spec, const Mesh& mesh, std::size_t rank);

/// Shardy: "<@mesh, [{}, {\"model\"}]>" and "<[\"data\"=2, \"model\"=4]>", with `deviceIds` "<[...], device_ids=[1,
/// 0]>" where the devices are not in plain order.
[[nodiscard]] std::string toShardy(const PartitionSpec& spec, std::size_t rank);
[[nodiscard]] std::string toShardy(const TensorSharding& sharding, const Mesh& mesh);
[[nodiscard]] std::string toShardy(const Mesh& mesh, bool deviceIds = false);

/// "f32[embed 1024, hidden 1024@model]"; `names` may be empty. A dimension cut by more axes: "1024@(pod,data)"; partial
/// sums over an axis: "f32[8, 4]{U:model}".
[[nodiscard]] std::string describeArray(std::string_view dtype, std::span<const std::int64_t> shape,
    const std::vector<std::string>& names, const TensorSharding& sharding, const Mesh& mesh);

/// Readers of what a person types or pastes. Errors: Syntax with line and column.
[[nodiscard]] Result<PartitionSpec> parseSpec(std::string_view text);
/// JSON ([["batch","data"], ...]) or Python literals (rules = (('batch', 'data'), ('embed', None)) and the like).
[[nodiscard]] Result<LogicalRules> parseRules(std::string_view text);
/// Sizes of an array: "8,16", "[8, 16]", "(8,)"; "()" and "" are a scalar. At most 16, each from 0 to 2^60. Errors:
/// also OutOfRange, TooLarge.
[[nodiscard]] Result<Shape> parseShape(std::string_view text);
/// "data=2,model=4", or as JAX prints a mesh, in any of its versions.
[[nodiscard]] Result<Mesh> parseMesh(std::string_view text);

/// The grid that jax.debug.visualize_array_sharding prints, for rank 1 and 2; other ranks get one grid per block of the
/// leading dimensions, each under a line that names their index ranges ("[0:2, 0:8, :, :]"). Lines without line ends.
/// Labels are cut off after the width, and grids after `maximumCells` rows or columns; what is missing is said. JAX
/// leaves the fitting of grids wider than 80 columns to a library; here they are as wide as they are.
struct GridTextOptions {
    std::string platform = "CPU";
    double scale = 1.0;
    int minimumWidth = 9; ///< of a cell, in characters
    int maximumWidth = 80;
    std::int64_t maximumCells = 64; ///< rows, columns and grids that are drawn, each
};
[[nodiscard]] std::vector<std::string> toGridText(const Layout& layout, const GridTextOptions& options = {});
/// What is written into the cells, row by row, in full: "CPU 0,4". Arrays of rank 1 have one row. Error:
/// OnlyRankOneAndTwo.
[[nodiscard]] Result<std::vector<std::vector<std::string>>> gridLabels(
    const Layout& layout, std::string_view platform = "CPU");

} // namespace shardscope
