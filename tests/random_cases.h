// SPDX-License-Identifier: GPL-3.0-or-later
// How many random cases a test tries, behind one variable: SHARDSCOPE_RANDOM_CASES is a percentage, 100 without it.
// Slow builds (sanitizers) try fewer, a long run at night more.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace shardscope::test {

/// What SHARDSCOPE_RANDOM_CASES says. Ends the process where that is no positive number: a test that silently tries
/// another number of cases than it was asked for would be worse.
[[nodiscard]] inline std::int64_t randomCasesPercent()
{
    const char* const text = std::getenv("SHARDSCOPE_RANDOM_CASES");
    if (text == nullptr || *text == '\0')
        return 100;
    std::int64_t percent = 0;
    const char* const end = text + std::strlen(text);
    if (const auto [stop, error] = std::from_chars(text, end, percent);
        error != std::errc() || stop != end || percent < 1 || percent > 1'000'000) {
        std::fprintf(stderr, "SHARDSCOPE_RANDOM_CASES is \"%s\", which is no percentage from 1 to 1000000.\n", text);
        std::exit(2);
    }
    return percent;
}

/// So many cases are tried in place of `cases`; at least one.
template <std::integral T>
[[nodiscard]] T randomCases(T cases)
{
    return static_cast<T>(std::max<std::int64_t>(1, static_cast<std::int64_t>(cases) * randomCasesPercent() / 100));
}

/// Whether enough cases are tried for a test to demand that rare ones are among them.
[[nodiscard]] inline bool triesAllRandomCases()
{
    return randomCasesPercent() >= 100;
}

} // namespace shardscope::test
