// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/chosen_sharding.h"

#include <algorithm>

#include "base/codes.h"
#include "program/path.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

constexpr std::string_view allLayers = "layers", numberedLayer = "layers.", prefixOfParameters = "params/";

/// The name of a loop over layers.
bool isLoop(std::string_view part)
{
    return part == allLayers || part == "dense_layers" || part == "moe_layers";
}

/// The same place in the other form: "decoder/layers.*/mlp" of "decoder/layers/mlp", and that of
/// "decoder/layers.3/mlp".
/// "" where the path has no layers.
std::string inOtherForm(std::string_view path)
{
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view part = path.substr(begin, end - begin);
        if (isLoop(part) || part.starts_with(numberedLayer)) {
            const std::string_view other = isLoop(part) ? "layers.*" : allLayers;
            return std::string(path.substr(0, begin)).append(other).append(path.substr(end));
        }
        begin = end + 1;
    }
    return {};
}

std::string_view trimmed(std::string_view text)
{
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

} // namespace

bool selects(std::string_view glob, std::string_view path)
{
    for (std::string_view* text : { &glob, &path })
        if (text->starts_with(prefixOfParameters))
            text->remove_prefix(prefixOfParameters.size());
    if (globMatches(glob, path))
        return true;
    const std::string other = inOtherForm(path);
    return !other.empty() && globMatches(glob, other);
}

const ChosenSharding* chosenFor(std::span<const ChosenSharding> chosen, std::string_view path)
{
    const auto found = std::find_if(
        chosen.rbegin(), chosen.rend(), [&](const ChosenSharding& each) { return selects(each.at, path); });
    return found == chosen.rend() ? nullptr : &*found;
}

bool takeOut(std::vector<ChosenSharding>& chosen, std::string_view glob, const std::vector<std::string>& paths,
    const std::function<Annotation(const ChosenSharding& from, std::size_t path)>& entriesAt)
{
    bool any = false;
    std::vector<ChosenSharding> kept;
    for (ChosenSharding& each : chosen) {
        std::vector<ChosenSharding> others;
        bool fits = each.at == glob;
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!selects(each.at, paths[i]))
                continue;
            if (selects(glob, paths[i]))
                fits = true;
            else
                others.push_back({ paths[i], entriesAt ? entriesAt(each, i) : each.axes });
        }
        any = any || fits;
        if (fits)
            std::move(others.begin(), others.end(), std::back_inserter(kept));
        else
            kept.push_back(std::move(each));
    }
    chosen = std::move(kept);
    return any;
}

std::string chosenAxesText(const Annotation& axes)
{
    if (const auto* device = std::get_if<DeviceAxes>(&axes))
        return toJax(device->spec);
    std::string text;
    if (const auto* logical = std::get_if<LogicalAxes>(&axes))
        for (const LogicalName& name : logical->names)
            text.append(text.empty() ? "" : ", ").append(name.kind == LogicalName::Kind::Name ? name.name : "-");
    return text;
}

Result<Annotation> parseChosenAxes(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with("P(") || text.starts_with("PartitionSpec(")) {
        SHARDSCOPE_TRY(spec, parseSpec(text));
        return Annotation(DeviceAxes{ std::move(*spec) });
    }
    LogicalAxes axes;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view name = trimmed(text.substr(0, comma));
        axes.names.push_back(
            name.empty() || name == "-" || name == "None" ? LogicalName::none() : LogicalName::of(std::string(name)));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    if (axes.names.empty())
        return fail(Code::WrongType,
            { { "key", "axes" }, { "expected", "logical names, or P(...) with mesh axes" }, { "found", "nothing" } });
    return Annotation(std::move(axes));
}

} // namespace shardscope
