// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/path.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/codes.h"
#include "program/differentiate.h"
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

std::string pathAsShown(std::string_view shown)
{
    const auto trimmed = [](std::string_view text) {
        while (text.starts_with(' '))
            text.remove_prefix(1);
        while (text.ends_with(' '))
            text.remove_suffix(1);
        return text;
    };
    constexpr std::string_view gradient = "Gradient of ", next = "New ", of = " of ", layer = "Layer ";
    shown = trimmed(shown);
    if (shown.starts_with(gradient))
        return "grad(" + pathAsShown(shown.substr(gradient.size())) + ")";
    if (shown.starts_with(next))
        return "next(" + pathAsShown(shown.substr(next.size())) + ")";
    if (const std::size_t end = shown.find(of); end != std::string_view::npos && end == shown.find(' '))
        return "opt/" + std::string(shown.substr(0, end)) + "/" + pathAsShown(shown.substr(end + of.size()));
    std::string path;
    for (std::size_t begin = 0; begin <= shown.size();) {
        const std::size_t end = std::min(shown.find('/', begin), shown.size());
        std::string_view part = trimmed(shown.substr(begin, end - begin));
        if (part.starts_with('%'))
            part.remove_prefix(1);
        path += begin > 0 ? "/" : "";
        path += part.starts_with(layer) ? "layers." + std::string(part.substr(layer.size())) : std::string(part);
        begin = end + 1;
    }
    return path;
}

namespace {

constexpr std::size_t maximumNamed = 5; ///< candidates for an ambiguous name

Result<ValueId> valueOfPath(const Program& program, std::string_view path)
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
    if (!first.empty()) {
        std::vector<std::string> candidates;
        for (std::size_t i = 0; i < std::min(first.size(), maximumNamed); ++i)
            candidates.emplace_back(program.value(first[i]).path);
        return fail(Code::UnknownTensor,
            { { "path", path }, { "nearest", candidates.front() },
                { "several", static_cast<std::int64_t>(endingSo.size()) }, { "known", std::move(candidates) } });
    }
    return fail(Code::UnknownTensor, { { "path", path }, { "nearest", nearestName(path, known) } });
}

/// What the location of an argument calls it.
ValueId argumentLocated(const Program& program, std::string_view name)
{
    if (program.functions.empty() || name.empty())
        return {};
    const std::vector<std::string>& names = program.functions.front().argumentNames;
    const auto found = std::find(names.begin(), names.end(), name);
    const auto number = static_cast<std::size_t>(found - names.begin());
    return found != names.end() && number < program.main().arguments.size() ? program.main().arguments[number]
                                                                            : ValueId();
}

/// "%57" of a network: what has no path is shown by its number.
ValueId valueNumbered(const Program& program, std::string_view name)
{
    if (!program.functions.empty() || program.namedByText || !name.starts_with('%'))
        return {};
    std::size_t number = 0;
    name.remove_prefix(1);
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc() && end == name.data() + name.size() && number < program.values.size()
            && program.values[number].path.empty()
        ? ValueId(number)
        : ValueId();
}

/// "the gradient in layers.3": what the backward pass works out there and has no path for. Sums come first: of these
/// devices may have parts, so that they are spoken of. Nothing where the name is none of this form.
std::optional<Result<ValueId>> gradientIn(const Program& program, std::string_view name)
{
    constexpr std::string_view form = "the gradient in ", other = "The gradient in ";
    if (!name.starts_with(form) && !name.starts_with(other))
        return std::nullopt;
    const std::string_view part = name.substr(form.size());
    std::vector<ValueId> sums, rest;
    for (std::size_t i = 0; i < program.values.size(); ++i) {
        const Value& value = program.values[i];
        if (!value.path.empty() || !value.definition.valid())
            continue;
        const Operation& operation = program.operation(value.definition);
        if (operation.kind == OpKind::ShardingConstraint || operation.kind == OpKind::BroadcastInDim
            || operation.kind == OpKind::Constant || operation.scope >= program.scopes.size())
            continue;
        const std::string_view scope = program.scopes[operation.scope];
        if (!isBackward(scope) || !scope.ends_with(part) || scope.size() <= part.size()
            || scope[scope.size() - part.size() - 1] != '/')
            continue;
        const bool isSum =
            operation.kind == OpKind::DotGeneral || operation.kind == OpKind::Dot || operation.kind == OpKind::Reduce;
        (isSum ? sums : rest).emplace_back(i);
    }
    const std::vector<ValueId>& all = sums.empty() ? rest : sums;
    if (all.empty())
        return std::nullopt;
    if (all.size() == 1)
        return all.front();
    std::vector<std::string> known;
    for (std::size_t i = 0; i < std::min(all.size(), maximumNamed); ++i)
        known.push_back('%' + std::to_string(all[i].index));
    return fail(Code::UnknownTensor,
        { { "path", std::string(name) }, { "nearest", known.front() },
            { "several", static_cast<std::int64_t>(all.size()) }, { "known", known } });
}

} // namespace

Result<ValueId> findValue(const Program& program, std::string_view path)
{
    Result<ValueId> found = valueOfPath(program, path);
    if (found || found.error().arg("several"))
        return found;
    for (const ValueId value : { argumentLocated(program, path), valueNumbered(program, path) })
        if (value.valid())
            return value;
    if (std::optional<Result<ValueId>> gradient = gradientIn(program, path))
        return std::move(*gradient);
    const std::string meant = pathAsShown(path);
    if (meant == path)
        return found;
    if (Result<ValueId> shown = valueOfPath(program, meant); shown || shown.error().arg("several"))
        return shown;
    // "Gradient of Layer 0 / W1" leaves out what the path of a parameter begins with.
    const std::size_t inner = meant.find('(');
    if (inner != std::string::npos)
        if (const ValueId value = program.find(meant.substr(0, inner + 1) + "params/" + meant.substr(inner + 1));
            value.valid())
            return value;
    return found;
}

} // namespace shardscope
