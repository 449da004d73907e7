// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes and shardings as the files about partitioning write them: [["x", 2], ["y", 4]], and per dimension a list of
// axes ("z:(2)2" is a part of z), null or one axis.
#pragma once

#include "base/quantity.h"
#include "conformance/checker.h"
#include "sharding/tensor_sharding.h"

namespace shardscope::conformance {

/// Throws what Json throws for something that is no mesh.
[[nodiscard]] MeshPtr plainMesh(const Json& axes, const Json& deviceIds = {});
[[nodiscard]] AxisList plainAxes(const Mesh& mesh, const Json& list);
/// Missing dimensions are not cut.
[[nodiscard]] TensorSharding plainSharding(const Mesh& mesh, const Json& spec, std::size_t rank);
[[nodiscard]] Shape plainShape(const Json& sizes);
[[nodiscard]] DType plainType(const Json& oneCase); ///< of its `dtype`

[[nodiscard]] Json axesJson(const Mesh& mesh, const AxisList& axes);
/// A list per dimension.
[[nodiscard]] Json listsJson(const Mesh& mesh, const TensorSharding& sharding);
/// null | axis | list of axes per dimension.
[[nodiscard]] Json specJson(const Mesh& mesh, const TensorSharding& sharding);
/// A whole number, or a fraction that Json compares with.
[[nodiscard]] Json numberJson(Rational number);
/// Both are equal within 1e-6.
[[nodiscard]] bool isNumber(const Json& expected, Rational number);
/// a <= b + 1e-6
[[nodiscard]] bool isAtMost(Rational a, const Json& b);

} // namespace shardscope::conformance
