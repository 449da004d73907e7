// SPDX-License-Identifier: GPL-3.0-or-later
// jax_visualize_sharding: the grids as `shardscope sharding` prints them, and what stands in their cells.
#include <limits>

#include "conformance/forms.h"
#include "sharding/sharding.h"
#include "sharding/text.h"

namespace shardscope::conformance {

namespace {

Json linesOf(std::string_view text, std::size_t& lineEnds)
{
    lineEnds = text.size() - (text.find_last_not_of('\n') + 1);
    Json lines = Json::array();
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos || end > 0)
            lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end == std::string_view::npos ? end : end + 1));
    }
    return lines;
}

} // namespace

CaseResult checkJaxVisualizeSharding(const Json& oneCase, const Json&)
{
    const std::string kind = oneCase.value("kind", std::string());
    if (!kind.empty())
        return CaseResult::unsupported("colours of a terminal: " + kind);
    Result<Mesh> mesh = toMesh(oneCase);
    Result<PartitionSpec> spec = toSpec(oneCase.at("spec"));
    if (!mesh || !spec)
        return unexpectedError(mesh ? spec.error() : mesh.error());
    const NamedSharding sharding{ std::make_shared<const Mesh>(std::move(*mesh)), std::move(*spec) };
    const Result<Layout> layout = layoutOf(sharding, oneCase.at("shape").get<std::vector<std::int64_t>>());
    if (!layout)
        return compareMembers(oneCase, { { "error", errorLike(oneCase.value("error", Json()), layout.error()) } });

    GridTextOptions options;
    options.platform = oneCase.at("platform");
    const Json specified = oneCase.value("options", Json::object());
    options.scale = specified.value("scale", options.scale);
    options.minimumWidth = specified.value("min_width", options.minimumWidth);
    options.maximumWidth = specified.value("max_width", options.maximumWidth);
    options.maximumCells = std::numeric_limits<std::int64_t>::max();
    const auto labels = gridLabels(*layout, options.platform);
    if (!labels)
        return compareMembers(oneCase, { { "error", errorLike(oneCase.value("error", Json()), labels.error()) } });
    Json actual{ { "rows", labels->size() }, { "cols", labels->front().size() }, { "cells", *labels } };
    if (!oneCase.value("shrunk_by_rich", false)) {
        std::size_t lineEnds = 0;
        std::string text;
        for (const std::string& line : toGridText(*layout, options))
            text += line + "\n";
        actual["lines"] = linesOf(text, lineEnds);
        actual["trailing_newlines"] = lineEnds;
    }
    return compareMembers(oneCase, actual);
}

} // namespace shardscope::conformance
