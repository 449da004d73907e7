// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/perspectives.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "experiment_file/gallery.h"

namespace shardscope {

namespace {

constexpr std::array perspectiveIds{ "learn", "plan", "program", "debug", "compare" };

/// Examples whose question another perspective answers.
constexpr std::pair<std::string_view, Perspective> ofExamples[] = {
    { "transformer-experts", Perspective::Debug },
};

} // namespace

const PerspectiveViews& viewsOf(Perspective perspective)
{
    static const std::array<PerspectiveViews, perspectives.size()> all{ {
        { { "inputs" }, { "layout", "program", "values" }, {}, { "inspector" }, {}, "explain" },
        { { "inputs" }, { "layout", "program", "values" }, { "timeline" }, { "inspector" }, {}, "explain" },
        { {}, { "program", "values" }, {}, { "layout", "inspector" }, {}, "explain", 34 },
        { {}, { "inspector" }, {}, { "layout" }, { "timeline" }, "collectives", 36 },
        { { "inputs" }, { "compare", "layout" }, {}, { "inspector" }, {}, "explain" },
    } };
    return all[static_cast<std::size_t>(perspective)];
}

QString idOf(Perspective perspective)
{
    return QLatin1String(perspectiveIds[static_cast<std::size_t>(perspective)]);
}

std::optional<Perspective> perspectiveOf(const QString& id)
{
    const auto found = std::find_if(
        perspectives.begin(), perspectives.end(), [&id](Perspective perspective) { return idOf(perspective) == id; });
    return found == perspectives.end() ? std::nullopt : std::optional(*found);
}

Perspective firstPerspective(const Experiment& experiment)
{
    if (const GalleryExample* example = findExample(experiment))
        for (const auto& [id, perspective] : ofExamples)
            if (id == example->id)
                return perspective;
    if (std::holds_alternative<ProgramModel>(experiment.model))
        return Perspective::Program;
    return std::holds_alternative<ArraysModel>(experiment.model) ? Perspective::Learn : Perspective::Plan;
}

} // namespace shardscope
