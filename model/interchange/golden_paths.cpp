// SPDX-License-Identifier: GPL-3.0-or-later
// Paths of MaxText's goldens: declared in maxtext_goldens.h, and keys of the files in golden_keys.h.
#include <algorithm>

#include "base/text.h"
#include "interchange/golden_keys.h"
#include "interchange/maxtext_goldens.h"

namespace shardscope {

namespace {

std::vector<std::string> partsOf(std::string_view path)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        parts.emplace_back(path.substr(begin, end - begin));
        if (end == path.size())
            return parts;
        begin = end + 1;
    }
}

bool isNumber(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Layers one by one are "layers_3" in MaxText and "layers.3" here.
std::string withTheirLayers(std::string path)
{
    const std::string sign = "layers.";
    for (std::size_t at = path.find(sign); at != std::string::npos; at = path.find(sign, at + 1)) {
        const std::size_t digit = at + sign.size();
        const bool begins = at == 0 || path[at - 1] == '/';
        if (begins && digit < path.size() && path[digit] >= '0' && path[digit] <= '9')
            path[digit - 1] = '_';
    }
    return path;
}

} // namespace

std::string pathOfKey(std::string_view key)
{
    std::vector<std::string> parts = partsOf(key);
    for (std::string& part : parts) {
        if (part.starts_with('.'))
            part.erase(0, 1);
        else if (part.size() >= 4 && part.starts_with("['") && part.ends_with("']"))
            part = part.substr(2, part.size() - 4);
        else if (part.size() >= 2 && part.starts_with('[') && part.ends_with(']'))
            part = part.substr(1, part.size() - 2);
    }
    return join(parts, "/");
}

std::string keyOfPath(std::string_view path)
{
    std::vector<std::string> parts = partsOf(path);
    const bool isState = parts[0] == "opt_state";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i == 0)
            parts[i].insert(0, 1, '.');
        else if (isNumber(parts[i]))
            parts[i] = '[' + parts[i] + ']';
        else if (isState && i <= 2 && parts[i - 1].starts_with('[')) // a field of the optimizer's state
            parts[i].insert(0, 1, '.');
        else
            parts[i] = "['" + parts[i] + "']";
    }
    return join(parts, "/");
}

std::string maxTextPath(std::string_view ownPath)
{
    constexpr std::string_view parameters = "params/", state = "opt/";
    const std::string path = withTheirLayers(std::string(ownPath));
    const std::string_view view = path;
    if (view.starts_with("params/params/"))
        return path;
    if (view.starts_with(parameters))
        return "params/params/" + path.substr(parameters.size());
    if (!view.starts_with(state))
        return path;
    const std::size_t array = view.find('/', state.size());
    if (array == std::string_view::npos)
        return "opt_state/0/" + path.substr(state.size());
    return "opt_state/0/" + path.substr(state.size(), array - state.size()) + "/params" + path.substr(array);
}

} // namespace shardscope
