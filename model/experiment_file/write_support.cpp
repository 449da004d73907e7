// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/write_support.h"

#include <iterator>
#include <list>

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
    // A list, since every key may have its place within, and there may be many.
    std::list<Members::value_type> ordered(
        std::make_move_iterator(members.begin()), std::make_move_iterator(members.end()));
    std::unordered_map<std::string_view, decltype(ordered)::iterator> places;
    for (auto member = ordered.begin(); member != ordered.end(); ++member)
        places.emplace(member->first, member);
    for (const UnknownKey* unknown : found->second.keys) {
        // "" is the beginning, unless a key of that name stands there already.
        const auto before = places.find(unknown->after);
        const auto place = before != places.end() ? std::next(before->second)
            : unknown->after.empty()              ? ordered.begin()
                                                  : ordered.end();
        const auto added = ordered.emplace(place, unknown->key, unknown->json);
        places.emplace(added->first, added);
    }
    return { std::make_move_iterator(ordered.begin()), std::make_move_iterator(ordered.end()) };
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
