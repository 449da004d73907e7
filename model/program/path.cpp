// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/path.h"

#include "base/codes.h"
#include "program/name_values.h"

namespace shardscope {

bool globMatches(std::string_view glob, std::string_view path)
{
    // Two resumption points instead of recursion: a mismatch extends the innermost `*`, and when that may not grow
    // (it would swallow a slash) the latest `**`. An earlier star never needs to be taken up again.
    constexpr std::size_t none = std::string_view::npos;
    std::size_t g = 0, p = 0;
    std::size_t starGlob = none, starPath = 0; // `*`: where to go on in the glob, and how far it reaches
    std::size_t deepGlob = none, deepPath = 0; // the same for `**`
    while (true) {
        if (g < glob.size() && glob[g] == '*') {
            const bool deep = g + 1 < glob.size() && glob[g + 1] == '*';
            g += deep ? 2 : 1;
            if (deep) {
                deepGlob = g;
                deepPath = p;
                starGlob = none;
            } else {
                starGlob = g;
                starPath = p;
            }
            continue;
        }
        if (p == path.size() && g == glob.size())
            return true;
        if (p < path.size() && g < glob.size() && (glob[g] == path[p] || (glob[g] == '?' && path[p] != '/'))) {
            ++g;
            ++p;
            continue;
        }
        if (starGlob != none && starPath < path.size() && path[starPath] != '/') {
            g = starGlob;
            p = ++starPath;
        } else if (deepGlob != none && deepPath < path.size()) {
            g = deepGlob;
            p = ++deepPath;
            starGlob = none;
        } else {
            return false;
        }
    }
}

std::vector<ValueId> select(const Program& program, std::string_view glob)
{
    std::vector<ValueId> found;
    for (std::size_t i = 0; i < program.values.size(); ++i)
        if (const std::string& path = program.values[i].path; !path.empty() && globMatches(glob, path))
            found.emplace_back(i);
    return found;
}

Result<ValueId> findValue(const Program& program, std::string_view path)
{
    if (const ValueId id = valueNamed(program, path); id.valid())
        return id;
    std::vector<std::string> known;
    std::vector<ValueId> endingSo, parameters;
    for (std::size_t i = 0; i < program.values.size(); ++i) {
        const std::string& each = program.values[i].path;
        if (each.empty())
            continue;
        known.push_back(each);
        if (!path.empty() && each.size() > path.size() && each.ends_with(path)
            && each[each.size() - path.size() - 1] == '/') {
            endingSo.emplace_back(i);
            if (program.values[i].role == Role::Parameter && !program.values[i].definition.valid())
                parameters.emplace_back(i);
        }
    }
    if (endingSo.size() == 1)
        return endingSo.front();
    // The states of the optimizer are called as their parameter is: "layers.0/W1" ends "opt/mu/layers.0/W1" too.
    if (parameters.size() == 1)
        return parameters.front();
    const std::vector<ValueId>& first = parameters.empty() ? endingSo : parameters;
    if (!first.empty())
        return fail(Code::UnknownTensor,
            { { "path", path }, { "nearest", std::string(program.value(first.front()).path) },
                { "several", static_cast<std::int64_t>(endingSo.size()) } });
    return fail(Code::UnknownTensor, { { "path", path }, { "nearest", nearestName(path, known) } });
}

} // namespace shardscope
