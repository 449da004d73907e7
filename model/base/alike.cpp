// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/alike.h"

#include <algorithm>
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
        for (const char* arg : { "wrong", "finding", "reason", "attribute" }) // what is said, not of what
            key += '\x1f' + list[i]->text(arg);
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
    constexpr std::size_t maximumNamed = 4;
    Diagnostic one = *list[group.front()];
    std::vector<std::string> names;
    for (const std::size_t index : group.subspan(1)) {
        if (names.size() == maximumNamed)
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
    return summedUp(
        std::move(list), [](Diagnostic& diagnostic) -> Diagnostic& { return diagnostic; },
        [](Diagnostic&, const Diagnostic&) {});
}

void countMore(std::vector<Diagnostic>& list, Code code, std::size_t more)
{
    const auto last =
        std::find_if(list.rbegin(), list.rend(), [&](const Diagnostic& diagnostic) { return diagnostic.code == code; });
    if (more == 0 || last == list.rend())
        return;
    const auto counted =
        std::find_if(last->args.begin(), last->args.end(), [](const Arg& arg) { return arg.name == "alike"; });
    const auto others = static_cast<std::int64_t>(more);
    if (counted == last->args.end())
        last->args.emplace_back("alike", 1 + others);
    else
        counted->value = last->number("alike") + others;
}

} // namespace shardscope
