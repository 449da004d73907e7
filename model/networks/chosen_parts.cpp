// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/chosen_parts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/codes.h"
#include "networks/annotation_dimensions.h"

namespace shardscope {

namespace {

constexpr std::size_t outputRank = 3;

/// Of an array for all layers of a loop: "decoder/layers/...", "decoder/moe_layers/...".
bool isStackedPath(std::string_view path)
{
    return path.find("layers/") != std::string_view::npos;
}

bool isOfLayer(std::string_view path)
{
    return isStackedPath(path) || path.find("/layers.") != std::string_view::npos;
}

/// Where "layers" stands among the dimensions of an array that has so many without it.
std::size_t placeOfLayers(const TransformerSettings& settings, std::size_t rank)
{
    return std::min(static_cast<std::size_t>(settings.layersAxis), rank);
}

/// The entries of a chosen sharding for the parameter's own dimensions.
Annotation entriesFor(
    const TransformerSettings& settings, const TransformerParameter& parameter, const ChosenSharding& chosen)
{
    const std::size_t rank = parameter.axes.size();
    const bool stacked = isStackedPath(parameter.path), meansStacked = isStackedPath(chosen.at);
    if (stacked == meansStacked || !isOfLayer(parameter.path))
        return chosen.axes;
    Dimensions from;
    const std::size_t place = placeOfLayers(settings, stacked ? rank - 1 : rank);
    for (std::size_t d = 0; d < rank; ++d) {
        const auto own = static_cast<std::int64_t>(d);
        if (stacked)
            from.push_back(d == place ? -1 : own - (d > place ? 1 : 0));
        else
            from.push_back(own + (d >= place ? 1 : 0));
    }
    return withDimensions(chosen.axes, from);
}

/// Logical names for every dimension: a shorter list leaves the others without one.
Annotation filledUp(Annotation annotation, std::size_t rank)
{
    if (auto* logical = std::get_if<LogicalAxes>(&annotation))
        logical->names.resize(std::max(rank, logical->names.size()), LogicalName::none());
    return annotation;
}

tl::unexpected<Error> nothingFits(const char* key, const std::string& at, const std::vector<std::string>& paths)
{
    // Repeated layers once.
    std::set<std::string> known;
    for (const std::string& path : paths) {
        std::string one = path;
        if (const std::size_t layer = one.find("/layers."); layer != std::string::npos) {
            const std::size_t begin = layer + std::string_view("/layers.").size();
            one.replace(begin, std::min(one.find('/', begin), one.size()) - begin, "*");
        }
        known.insert(std::move(one));
    }
    std::vector<std::string> list(known.begin(), known.end());
    std::string nearest = nearestName(at, list);
    return fail(Code::UnknownValue,
        { { "key", key }, { "value", at }, { "known", std::move(list) }, { "nearest", std::move(nearest) } });
}

tl::unexpected<Error> tooLong(const char* key, const std::string& at, std::size_t entries, std::size_t rank)
{
    return fail(Code::SpecTooLong, { { "key", key }, { "at", at }, { "spec_len", entries }, { "rank", rank } });
}

Result<void> checkConstraint(const ChosenSharding& constraint, const std::vector<std::string>& modules)
{
    if (std::none_of(
            modules.begin(), modules.end(), [&](const std::string& path) { return selects(constraint.at, path); }))
        return nothingFits("constraints", constraint.at, modules);
    if (const std::size_t entries = annotationRank(constraint.axes); entries > outputRank)
        return tooLong("constraints", constraint.at, entries, outputRank);
    return {};
}

Result<void> checkParameterSpec(const TransformerSettings& settings, const ChosenSharding& spec,
    const std::vector<TransformerParameter>& parameters)
{
    bool any = false;
    for (const TransformerParameter& parameter : parameters) {
        if (!selects(spec.at, parameter.path))
            continue;
        any = true;
        const std::size_t entries = annotationRank(spec.axes);
        const bool dropsLayers = isStackedPath(spec.at) && !isStackedPath(parameter.path) && isOfLayer(parameter.path);
        const bool addsLayers = !isStackedPath(spec.at) && isStackedPath(parameter.path);
        const std::size_t rank = parameter.axes.size() + (dropsLayers ? 1 : 0) - (addsLayers ? 1 : 0);
        if (entries > rank)
            return tooLong("parameter_specs", spec.at, entries, rank);
    }
    if (any)
        return {};
    return nothingFits("parameter_specs", spec.at, parameterPaths(settings));
}

} // namespace

std::vector<std::string> constrainableModules(const TransformerSettings& settings)
{
    std::vector<std::string> modules;
    std::set<std::string, std::less<>> known;
    const auto add = [&](std::string_view path) {
        if (!known.contains(path))
            known.insert(modules.emplace_back(path));
    };
    for (const TransformerParameter& parameter : parametersOf(settings)) {
        const std::string_view path = parameter.path;
        const std::size_t stack = path.find('/');
        const std::string_view name = path.substr(0, stack);
        if (name != "decoder" && name != "encoder")
            continue;
        add(name);
        const std::size_t second = path.find('/', stack + 1);
        if (!isOfLayer(path)) {
            if (path.substr(stack + 1, second - stack - 1) == std::string(name) + "_norm")
                add(path.substr(0, second));
            continue;
        }
        add(path.substr(0, second));
        add(path.substr(0, path.find('/', second + 1)));
    }
    return modules;
}

std::vector<std::string> parameterPaths(const TransformerSettings& settings)
{
    std::vector<std::string> paths;
    for (TransformerParameter& parameter : parametersOf(settings))
        paths.push_back(std::move(parameter.path));
    return paths;
}

ValueId constrainedOutput(const NetworkPart& part, ValueId x)
{
    const std::string& path = part.path();
    constexpr std::ptrdiff_t ofALayer = 2; // deeper ones are parts of attention and of an MLP
    const ChosenSharding* chosen =
        std::count(path.begin(), path.end(), '/') <= ofALayer ? chosenFor(part.settings().constraints, path) : nullptr;
    if (!chosen)
        return x;
    const ValueId y = part.builder().constrain(x, filledUp(chosen->axes, outputRank));
    return part.named(y, "constraint", { Axis::Batch, Axis::ResidualLength, Axis::ResidualEmbed });
}

Annotation annotationOf(const TransformerSettings& settings, const TransformerParameter& parameter)
{
    const ChosenSharding* chosen = chosenFor(settings.parameterSpecs, parameter.path);
    if (!chosen)
        return LogicalAxes{ logicalNames(settings, parameter.axes) };
    return filledUp(entriesFor(settings, parameter, *chosen), parameter.axes.size());
}

Result<void> checkChosenShardings(const TransformerSettings& settings)
{
    if (!settings.constraints.empty()) {
        const std::vector<std::string> modules = constrainableModules(settings);
        for (const ChosenSharding& constraint : settings.constraints)
            SHARDSCOPE_CHECK(checkConstraint(constraint, modules));
    }
    if (!settings.parameterSpecs.empty()) {
        const std::vector<TransformerParameter> parameters = parametersOf(settings);
        for (const ChosenSharding& spec : settings.parameterSpecs)
            SHARDSCOPE_CHECK(checkParameterSpec(settings, spec, parameters));
    }
    return {};
}

bool takeOutSpecs(TransformerSettings& settings, std::string_view glob)
{
    const std::vector<TransformerParameter> parameters = parametersOf(settings);
    return takeOut(settings.parameterSpecs, glob, parameterPaths(settings),
        [&](const ChosenSharding& from, std::size_t i) { return entriesFor(settings, parameters[i], from); });
}

void keepFittingShardings(TransformerSettings& settings)
{
    const std::vector<std::string> modules = constrainableModules(settings);
    std::erase_if(settings.constraints,
        [&](const ChosenSharding& constraint) { return !checkConstraint(constraint, modules).has_value(); });
    const std::vector<TransformerParameter> parameters = parametersOf(settings);
    std::erase_if(settings.parameterSpecs,
        [&](const ChosenSharding& spec) { return !checkParameterSpec(settings, spec, parameters).has_value(); });
}

} // namespace shardscope
