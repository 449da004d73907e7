// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/name_words.h"

namespace shardscope {

namespace {

bool isLetterOrDigit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::optional<std::size_t> placeOfWord(std::string_view name, std::string_view word, const auto& isPart)
{
    for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isPart(name[at - 1])) && (end == name.size() || !isPart(name[end])))
            return at;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::size_t> wordIn(std::string_view name, std::string_view word)
{
    return placeOfWord(name, word, [](char c) { return isLetterOrDigit(c) || c == '_'; });
}

std::optional<std::size_t> partIn(std::string_view name, std::string_view part)
{
    return placeOfWord(name, part, isLetterOrDigit);
}

} // namespace shardscope
