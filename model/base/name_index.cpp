// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/name_index.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/letter_case.h"

namespace shardscope {

namespace {

/// A letter or digit, or a part of one beyond ASCII.
bool isOfWord(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

std::vector<std::string_view> wordsOf(std::string_view query)
{
    std::vector<std::string_view> words;
    std::size_t begin = 0;
    while (begin < query.size()) {
        const std::size_t end = std::min(query.find(' ', begin), query.size());
        if (end > begin)
            words.push_back(query.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

constexpr int none = -100;

/// How badly a name fits a word: -3 is it, 0 begins with it, 1 one of its own words does, 3 it is within; `none` is not
/// there.
int distance(std::string_view name, std::string_view word)
{
    if (name == word)
        return -3;
    std::size_t at = name.find(word);
    if (at == std::string_view::npos)
        return none;
    if (at == 0)
        return 0;
    for (; at != std::string_view::npos; at = name.find(word, at + 1))
        if (!isOfWord(name[at - 1]))
            return 1;
    return 3;
}

/// The same for what stands beside the name: 2 at the beginning of one of its words, 8 within one.
int distanceBeside(std::string_view text, std::string_view word)
{
    const int within = distance(text, word);
    return within == none ? none : within < 3 ? 2 : 8;
}

/// All letters in that order, with anything between them.
bool hasLetters(std::string_view name, std::string_view letters)
{
    std::size_t at = 0;
    for (const char c : letters) {
        at = name.find(c, at);
        if (at == std::string_view::npos)
            return false;
        ++at;
    }
    return true;
}

struct FoundName {
    int distance = 0;
    std::size_t size = 0;
    std::uint32_t item = 0;
    bool operator<(const FoundName& other) const
    {
        return std::tie(distance, size, item) < std::tie(other.distance, other.size, other.item);
    }
};

} // namespace

void NameIndex::add(std::string_view name, std::string_view beside)
{
    m_items.push_back({ m_text.size(), static_cast<std::uint32_t>(name.size()) });
    for (const std::string_view part : { name, beside })
        std::transform(part.begin(), part.end(), std::back_inserter(m_text), lowerCase);
}

std::string_view NameIndex::name(std::size_t item) const
{
    return std::string_view(m_text).substr(m_items[item].begin, m_items[item].nameSize);
}

std::string_view NameIndex::beside(std::size_t item) const
{
    const std::size_t begin = m_items[item].begin + m_items[item].nameSize;
    const std::size_t end = item + 1 < m_items.size() ? m_items[item + 1].begin : m_text.size();
    return std::string_view(m_text).substr(begin, end - begin);
}

std::vector<std::uint32_t> NameIndex::find(std::string_view query, std::size_t maximum) const
{
    std::string typed(query);
    std::transform(typed.begin(), typed.end(), typed.begin(), lowerCase);
    const std::vector<std::string_view> words = wordsOf(typed);
    std::vector<FoundName> found;
    if (words.empty()) {
        for (std::size_t i = 0; i < std::min(maximum, size()); ++i)
            found.push_back({ 0, 0, static_cast<std::uint32_t>(i) });
    } else {
        for (std::size_t i = 0; i < size(); ++i) {
            int sum = name(i) == typed ? -1 : 0;
            bool hasAll = true;
            for (const std::string_view word : words) {
                int far = distance(name(i), word);
                if (far == none)
                    far = distanceBeside(beside(i), word);
                hasAll = far != none;
                if (!hasAll)
                    break;
                sum += far;
            }
            if (hasAll)
                found.push_back({ sum, name(i).size(), static_cast<std::uint32_t>(i) });
        }
        if (found.empty()) {
            std::string letters = typed;
            letters.erase(std::remove(letters.begin(), letters.end(), ' '), letters.end());
            for (std::size_t i = 0; i < size(); ++i)
                if (hasLetters(name(i), letters))
                    found.push_back({ 0, name(i).size(), static_cast<std::uint32_t>(i) });
        }
    }
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(std::min(maximum, found.size()));
    std::partial_sort(found.begin(), middle, found.end());
    std::vector<std::uint32_t> items;
    std::transform(found.begin(), middle, std::back_inserter(items), [](const FoundName& f) { return f.item; });
    return items;
}

} // namespace shardscope
