// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/fuzz.h"

#include <algorithm>
#include <array>

#include "base/codes.h"
#include "split_mix.h"

namespace shardscope::fuzz {

namespace {

using Random = test::SplitMix;

constexpr std::array<std::string_view, 26> parts{ "(", ")", "[", "]", "{", "}", ",", ":", "=", "'", "\"", "#", "\\",
    "\n", "None", "null", "-1", "99999999999999999999", "1e999", "\\u0000", "\\ud800", "\xff", "\xc3\xa9",
    "\xf0\x9f\x98", "true", "/*" };
constexpr std::size_t maximumSize = 16384;

/// A range of the text: often short, sometimes anything.
std::pair<std::size_t, std::size_t> someRange(Random& random, const std::string& text)
{
    const std::size_t begin = random.below(text.size() + 1);
    const std::size_t rest = text.size() - begin;
    const std::size_t length =
        random.below(4) == 0 ? random.below(rest + 1) : std::min<std::size_t>(rest, random.below(9));
    return { begin, length };
}

void mutateOnce(Random& random, const Target& target, std::string& text)
{
    const auto [begin, length] = someRange(random, text);
    switch (random.below(9)) {
    case 0:
        text.erase(begin, length);
        break;
    case 1: // say it again
        text.insert(begin, text.substr(begin, length));
        break;
    case 2:
        text.insert(begin, parts[random.below(parts.size())]);
        break;
    case 3:
        text.replace(begin, length, parts[random.below(parts.size())]);
        break;
    case 4:
        if (begin < text.size())
            text[begin] = static_cast<char>(random.below(256));
        break;
    case 5:
        if (begin < text.size())
            text[begin] = static_cast<char>(static_cast<unsigned char>(text[begin]) ^ (1U << random.below(8)));
        break;
    case 6: // a part of another seed
    {
        const std::string& other = target.seeds[random.below(target.seeds.size())];
        const auto [from, count] = someRange(random, other);
        text.replace(begin, length, other.substr(from, count));
        break;
    }
    case 7:
        text.resize(begin);
        break;
    case 8: // brackets in brackets
    {
        const std::string_view open = parts[random.below(6)];
        std::string many;
        for (std::size_t i = random.below(200); i > 0; --i)
            many += open;
        text.insert(begin, many);
        break;
    }
    }
    if (text.size() > maximumSize)
        text.resize(maximumSize);
}

} // namespace

std::string mutated(const Target& target, std::uint64_t round)
{
    Random random(round);
    std::string text = target.seeds[random.below(target.seeds.size())];
    for (std::size_t i = random.below(6); i > 0; --i)
        mutateOnce(random, target, text);
    return text;
}

std::string checkError(const Error& error, std::string_view text)
{
    const auto known = std::find_if(
        codeRegistry().begin(), codeRegistry().end(), [&](const CodeRow& row) { return row.code == error.code; });
    if (known == codeRegistry().end())
        return "unregistered code";
    if (known->severity != Severity::Error)
        return "not an error: " + std::string(known->id);
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    if (error.where.line < 0 || error.where.line > lines)
        return "line " + std::to_string(error.where.line) + " of " + std::to_string(lines);
    if (error.where.column < 0 || error.where.column > static_cast<int>(text.size()) + 1)
        return "column " + std::to_string(error.where.column);
    if (error.code == Code::Syntax && (error.where.line == 0 || error.where.column == 0))
        return "a syntax error without a place";
    if (error.code == Code::Syntax
        && (error.text("expected").empty() || (!error.arg("found") && !error.arg("problem"))))
        return "a syntax error that does not say what was expected and found";
    return {};
}

} // namespace shardscope::fuzz
