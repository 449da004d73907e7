// SPDX-License-Identifier: GPL-3.0-or-later
// Where operations come from: loc(...), whose aliases usually stand at the end of the text.
// A part of Reader, which is declared in reader.h.
#include <unordered_map>

#include "base/trimmed.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

/// Of one location; what would be longer is cut where another alias would begin.
constexpr std::size_t longestLocation = 4096;

bool isBlank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// What an alias stands for: the inside of "loc(...)".
std::string_view meaning(std::string_view text)
{
    return text.starts_with("loc(") && text.ends_with(")") ? trimmed(text.substr(4, text.size() - 5)) : text;
}

/// Whether it is what may stand in "loc(...)". What an alias stands for is not looked at where it is read.
bool isLocation(std::string_view text)
{
    if (text.empty())
        return false;
    FirstError firstError;
    Scanner s(text, 0, text.size(), firstError);
    return s.skipValue(false) && s.atEnd();
}

/// "#loc3" as a whole.
bool isAlias(std::string_view text)
{
    if (text.size() < 2 || text[0] != '#')
        return false;
    for (const char c : text.substr(1))
        if (!isWordCharacter(c) || c == '.')
            return false;
    return true;
}

} // namespace

bool Reader::readLocation(Scanner& s, std::string_view& location)
{
    // After "loc".
    if (!s.require('('))
        return false;
    const std::size_t begin = s.position();
    if (!s.skipValue(false) || s.raw() == ',') {
        if (s.failed())
            return false;
        return s.expected("“)” at the end of the location");
    }
    location = s.since(begin);
    return s.require(')');
}

bool Reader::acceptLocation(Scanner& s, std::string_view& location)
{
    if (s.peek() != 'l' || s.peekWord() != "loc")
        return true;
    (void)s.word();
    return readLocation(s, location);
}

std::uint32_t Reader::addSource(std::size_t begin)
{
    const Places::Place place = m_places.of(begin);
    m_program.sources.push_back({ place.line, place.column, {} });
    return static_cast<std::uint32_t>(m_program.sources.size() - 1);
}

void Reader::setLocation(std::uint32_t source, std::string_view location)
{
    if (location.empty() || location == "unknown")
        return;
    m_locations.push_back({ source, static_cast<std::uint32_t>(location.data() - m_text.data()),
        static_cast<std::uint32_t>(location.size()) });
}

void Reader::expandLocation(std::string_view text, std::string& expanded, int depth)
{
    std::size_t i = 0;
    while (i < text.size()) {
        if (text[i] == '"') {
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != '"')
                end += std::size_t{ text[end] == '\\' ? 2U : 1U };
            end = std::min(end + 1, text.size());
            expanded += text.substr(i, end - i);
            i = end;
            continue;
        }
        if (text.substr(i, 2) == "//") { // a comment, which ends with its line
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if (isBlank(text[i])) {
            if (!expanded.empty() && expanded.back() != ' ')
                expanded += ' ';
            ++i;
            continue;
        }
        if (text[i] != '#') {
            const std::size_t end = std::min(text.find_first_of("\"#/ \t\r\n", i + 1), text.size());
            expanded += text.substr(i, end - i);
            i = end;
            continue;
        }
        std::size_t end = i + 1;
        while (end < text.size() && isWordCharacter(text[end]))
            ++end;
        std::string_view meant = m_aliases.find(text.substr(i, end - i));
        i = end;
        meant = meaning(meant);
        if (!isLocation(meant))
            meant = "unknown";
        constexpr int deepest = 32;
        if (depth >= deepest || expanded.size() > longestLocation || meant.size() > longestLocation)
            meant = "unknown";
        expandLocation(meant, expanded, depth + 1);
    }
}

void Reader::finishLocations()
{
    // Many operations come from the same place; each text is expanded and held once.
    TextPool pool;
    std::unordered_map<std::string_view, Shared<std::string>> known; // by what stands in "loc(...)"
    std::size_t total = 0;
    const std::size_t most = m_text.size() + longestLocation;
    for (const LocationText& place : m_locations) {
        const std::string_view text = m_text.substr(place.begin, place.length);
        Shared<std::string>& location = m_program.sources[place.source].location;
        if (text.find_first_of("#\n\r\t") == std::string_view::npos) {
            location = pool.text(text);
            continue;
        }
        const auto [found, isNew] = known.try_emplace(text);
        if (isNew && total <= most) {
            std::string expanded;
            expandLocation(text, expanded, 0);
            while (!expanded.empty() && expanded.back() == ' ')
                expanded.pop_back(); // before a comment
            total += expanded.size();
            if (total <= most && expanded != "unknown")
                found->second = pool.text(expanded);
        }
        location = found->second;
    }
    for (auto& [value, location] : m_argumentLocations) {
        const std::string_view meant = isAlias(location) ? m_aliases.find(location) : std::string_view();
        if (isLocation(meaning(meant)))
            location = meaning(meant);
    }
}

} // namespace shardscope::mlir
