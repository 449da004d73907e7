// SPDX-License-Identifier: GPL-3.0-or-later
// jax_visualize_sharding: the grids. Colours are the window's affair and are not chosen as JAX chooses them.
#include "conformance/forms.h"
#include "sharding/text.h"

namespace shardscope::conformance {

CaseResult checkJaxVisualizeSharding(const Json& oneCase, const Json&)
{
    if (oneCase.contains("kind"))
        return CaseResult::unsupported("kind " + oneCase.at("kind").get<std::string>());
    if (oneCase.contains("error"))
        return CaseResult::unsupported("grids of rank 3 and more are drawn here, block by block");
    Result<Mesh> mesh = toMesh(oneCase);
    Result<PartitionSpec> spec = toSpec(oneCase.at("spec"));
    if (!mesh || !spec)
        return unexpectedError(mesh ? spec.error() : mesh.error());
    const NamedSharding sharding{ std::make_shared<const Mesh>(std::move(*mesh)), std::move(*spec) };
    const Result<Layout> layout = sharding.layout(oneCase.at("shape").get<std::vector<std::int64_t>>());
    if (!layout)
        return unexpectedError(layout.error());

    GridTextOptions options;
    options.platform = oneCase.at("platform");
    const Json given = oneCase.value("options", Json::object());
    options.scale = given.value("scale", options.scale);
    options.minimumWidth = given.value("min_width", options.minimumWidth);
    options.maximumWidth = given.value("max_width", options.maximumWidth);
    return compareMembers(oneCase, { { "lines", toGridText(*layout, options) } });
}

} // namespace shardscope::conformance
