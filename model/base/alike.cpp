// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/alike.h"

#include <map>
#include <string>

namespace shardscope {

namespace {

std::string subject(const Diagnostic& diagnostic)
{
    for (const char* arg : { "name", "tensor", "key", "axis" })
        if (std::string text = diagnostic.text(arg); !text.empty())
            return text;
    const Where& where = diagnostic.where;
    return !where.path.empty() ? where.path : where.line > 0 ? "line " + std::to_string(where.line) : where.pointer;
}

} // namespace

std::vector<std::vector<std::size_t>> alike(std::span<const Diagnostic* const> list)
{
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i]->severity() == Severity::Error || list[i]->arg("alike"))
            continue;
        std::string key = std::string(list[i]->id()) + '\x1f' + list[i]->where.file;
        for (const Arg& arg : list[i]->args)
            key += '\x1f' + arg.name;
        groups[key].push_back(i);
    }
    std::vector<std::vector<std::size_t>> many;
    for (auto& [key, group] : groups)
        if (group.size() > maximumAlike)
            many.push_back(std::move(group));
    return many;
}

Diagnostic forAll(std::span<const Diagnostic* const> list, std::span<const std::size_t> group)
{
    constexpr std::size_t mostNamed = 4;
    Diagnostic one = *list[group.front()];
    std::vector<std::string> names;
    for (const std::size_t index : group.subspan(1)) {
        if (names.size() == mostNamed)
            break;
        if (std::string name = subject(*list[index]); !name.empty())
            names.push_back(std::move(name));
    }
    one.args.emplace_back("alike", group.size());
    one.args.emplace_back("alike_names", std::move(names));
    return one;
}

std::vector<Diagnostic> summedUp(std::vector<Diagnostic> list)
{
    std::vector<const Diagnostic*> all;
    for (const Diagnostic& diagnostic : list)
        all.push_back(&diagnostic);
    std::vector<bool> superfluous(list.size(), false);
    std::vector<std::pair<std::size_t, Diagnostic>> sums;
    for (const std::vector<std::size_t>& group : alike(all)) {
        sums.emplace_back(group.front(), forAll(all, group));
        for (const std::size_t index : std::span(group).subspan(1))
            superfluous[index] = true;
    }
    for (auto& [index, sum] : sums)
        list[index] = std::move(sum);
    std::vector<Diagnostic> rest;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (!superfluous[i])
            rest.push_back(std::move(list[i]));
    return rest;
}

} // namespace shardscope
