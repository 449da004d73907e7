// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/write_support.h"

#include <map>
#include <unordered_set>

#include "base/text.h"
#include "experiment_file/file_words.h"
#include "experiment_file/json_text.h"

namespace shardscope {

std::string truth(bool value)
{
    return value ? "true" : "false";
}

std::string entryText(const SpecEntry& entry)
{
    switch (entry.kind) {
    case SpecEntry::Kind::None:
        return "null";
    case SpecEntry::Kind::Single:
        return quoteJson(entry.axes.front());
    case SpecEntry::Kind::Unconstrained:
        return quoteJson(file_words::unconstrained);
    case SpecEntry::Kind::Tuple:
        break;
    }
    return '[' + join(entry.axes, ", ", quoteJson) + ']';
}

std::string nameJson(const LogicalName& name)
{
    if (name.kind == LogicalName::Kind::None)
        return "null";
    return quoteJson(name.kind == LogicalName::Kind::Unconstrained ? file_words::unconstrained : name.name);
}

ObjectWriter::ObjectWriter(const Experiment& experiment)
{
    for (const auto& [pointer, notes] : experiment.innerNotes)
        m_additions[pointer].notes.push_back(&notes);
    for (const UnknownKey& unknown : experiment.unknownKeys)
        m_additions[unknown.pointer].keys.push_back(&unknown);
}

/// The members with the object's notes and unknown keys in their places: each after the key that it stood after,
/// or last when that one is not written.
Members ObjectWriter::complete(const std::string& pointer, Members members) const
{
    const auto found = m_additions.find(pointer);
    if (found == m_additions.end())
        return members;
    for (const std::string* notes : found->second.notes)
        members.emplace_back("notes", quoteJson(*notes));
    if (found->second.keys.empty())
        return members;
    std::multimap<std::string_view, const UnknownKey*> waiting; // by the key that they stood after
    std::unordered_set<std::string_view> keys;
    for (const UnknownKey* unknown : found->second.keys) {
        waiting.emplace(unknown->after, unknown);
        keys.insert(unknown->key);
    }
    Members ordered;
    ordered.reserve(members.size() + found->second.keys.size());
    const auto addThoseAfter = [&](std::string_view key) {
        std::vector<std::string_view> path{ key }; // no recursion, since any number may follow each other
        while (!path.empty()) {
            const auto next = waiting.lower_bound(path.back());
            if (next == waiting.end() || next->first != path.back()) {
                path.pop_back();
                continue;
            }
            const UnknownKey& unknown = *next->second;
            waiting.erase(next);
            ordered.emplace_back(unknown.key, unknown.json);
            path.push_back(unknown.key);
        }
    };
    addThoseAfter("");
    for (auto& [key, value] : members) {
        ordered.emplace_back(key, std::move(value));
        addThoseAfter(key);
    }
    // Left are those that stood after a key that is not written, with what follows them.
    for (const UnknownKey* unknown : found->second.keys)
        if (!keys.contains(unknown->after))
            addThoseAfter(unknown->after);
    while (!waiting.empty()) // no file has keys that stand after each other
        addThoseAfter(waiting.begin()->first);
    return ordered;
}

std::string ObjectWriter::block(const std::string& pointer, Members members, std::size_t depth) const
{
    const std::string indent((depth + 1) * 2, ' ');
    std::vector<std::string> lines;
    for (const auto& [key, value] : complete(pointer, std::move(members)))
        lines.push_back(indent + quoteJson(key) + ": " + value);
    return "{\n" + join(lines, ",\n") + '\n' + std::string(depth * 2, ' ') + '}';
}

std::string ObjectWriter::line(const std::string& pointer, Members members) const
{
    std::vector<std::string> parts;
    for (const auto& [key, value] : complete(pointer, std::move(members)))
        parts.push_back(quoteJson(key) + ": " + value);
    return parts.empty() ? "{}" : "{ " + join(parts, ", ") + " }";
}

std::string ObjectWriter::list(const std::vector<std::string>& elements, std::size_t depth)
{
    const std::string indent = '\n' + std::string((depth + 1) * 2, ' ');
    return elements.empty() ? "[]"
                            : '[' + indent + join(elements, ',' + indent) + '\n' + std::string(depth * 2, ' ') + ']';
}

} // namespace shardscope
