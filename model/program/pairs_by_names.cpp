// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/pairs_by_names.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace shardscope {

namespace {

/// "params['layer']['w']" as params, layer, w; "[0].mu" as 0, mu.
std::vector<std::string> partsOfName(std::string_view name)
{
    std::vector<std::string> parts;
    bool begins = true;
    for (const char c : name) {
        if (std::string_view(".[]'\"\\/ ").find(c) != std::string_view::npos) {
            begins = true;
            continue;
        }
        if (std::exchange(begins, false))
            parts.emplace_back();
        parts.back() += c;
    }
    return parts;
}

bool isNumber(const std::string& part)
{
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A result's name: which of several results of the Python function it lies under, and where in it.
struct ResultName {
    std::string group; ///< "0"; "" where the function returns one tree
    std::vector<std::string> rest;
};

class NameMatcher {
public:
    NameMatcher(const MainInterface& main, ElementUpdates& updates, NamedPairs wanted)
        : m_main(main)
        , m_updates(updates)
        , m_wanted(wanted)
        , m_taken(main.results())
    {
        for (std::size_t a = 0; a < main.arguments(); ++a)
            m_arguments.push_back(partsOfName(main.argumentName(a)));
        for (std::size_t r = 0; r < main.results(); ++r) {
            std::vector<std::string> parts = partsOfName(main.resultName(r));
            if (!parts.empty() && parts.front() == "result")
                parts.erase(parts.begin());
            ResultName& name = m_results.emplace_back();
            if (!parts.empty() && isNumber(parts.front())) {
                name.group = parts.front();
                parts.erase(parts.begin());
            }
            name.rest = std::move(parts);
        }
    }

    [[nodiscard]] std::vector<StatePair> pairs() &&
    {
        for (std::size_t a = 0; a < m_arguments.size();) {
            const std::size_t end = endOfRoot(a);
            if (!m_arguments[a].empty() && (m_wanted != NamedPairs::Donated || m_main.isDonated(a)))
                matchRoot(a, end);
            a = end;
        }
        std::vector<StatePair> found;
        for (const auto& [argument, result] : m_pairs)
            if (m_wanted != NamedPairs::Donated || m_main.isDonated(argument))
                found.push_back(m_main.pair(argument, result));
        return found;
    }

private:
    struct Match {
        std::vector<std::pair<std::size_t, std::size_t>> pairs; ///< argument, result
        bool isUpdate = false; ///< at least one result is an update of its argument, or it
        std::size_t sources = 0; ///< arguments that the results are made of, element by element
    };

    /// Arguments from `a` on with the same first part: one argument of the Python function.
    [[nodiscard]] std::size_t endOfRoot(std::size_t a) const
    {
        std::size_t end = a + 1;
        while (end < m_arguments.size() && !m_arguments[a].empty() && !m_arguments[end].empty()
            && m_arguments[end].front() == m_arguments[a].front())
            ++end;
        return end;
    }

    void matchRoot(std::size_t begin, std::size_t end)
    {
        // By their full names first, then all of them under one result.
        if (std::optional<Match> byFullNames = matchAll(begin, end, 0, nullptr);
            byFullNames && (m_wanted != NamedPairs::Others || !byFullNames->isUpdate))
            return take(*byFullNames);
        if (m_arguments[begin].size() < 2)
            return;
        std::optional<Match> best;
        const auto isBefore = [](const Match& a, const Match& b) {
            return a.isUpdate != b.isUpdate ? a.isUpdate : a.sources < b.sources;
        };
        std::vector<std::string> tried;
        for (const ResultName& result : m_results) {
            if (std::find(tried.begin(), tried.end(), result.group) != tried.end())
                continue;
            tried.push_back(result.group);
            std::optional<Match> match = matchAll(begin, end, 1, &tried.back());
            if (!match || (m_wanted == NamedPairs::Updates && !match->isUpdate)
                || (m_wanted == NamedPairs::Others && match->isUpdate))
                continue;
            if (!best || isBefore(*match, *best))
                best = std::move(match);
        }
        if (best)
            take(*best);
    }

    void take(const Match& match)
    {
        for (const auto& pair : match.pairs) {
            m_taken[pair.second] = true;
            m_pairs.push_back(pair);
        }
    }

    /// Pairs of all the arguments or of none. `skipped` parts of an argument's name do not count.
    std::optional<Match> matchAll(std::size_t begin, std::size_t end, std::size_t skipped, const std::string* group)
    {
        Match match;
        std::vector<bool> taken = m_taken;
        for (std::size_t a = begin; a < end; ++a) {
            const std::vector<std::string> wanted(
                m_arguments[a].begin() + static_cast<std::ptrdiff_t>(skipped), m_arguments[a].end());
            std::size_t r = 0;
            while (r < m_results.size()
                && (wanted.empty() || taken[r] || (group && m_results[r].group != *group) || m_results[r].rest != wanted
                    || !fits(a, r)))
                ++r;
            if (r == m_results.size())
                return std::nullopt;
            taken[r] = true;
            match.pairs.emplace_back(a, r);
            match.isUpdate = match.isUpdate || m_updates.updates(a, r) || m_updates.passes(a, r);
            match.sources += m_updates.of(r).arguments.size();
        }
        return match;
    }
    [[nodiscard]] bool fits(std::size_t a, std::size_t r) const
    {
        return m_wanted == NamedPairs::Updates ? m_main.fit(a, r) : m_main.argumentType(a) == m_main.resultType(r);
    }

    const MainInterface& m_main;
    ElementUpdates& m_updates;
    NamedPairs m_wanted;
    std::vector<std::vector<std::string>> m_arguments;
    std::vector<ResultName> m_results;
    std::vector<bool> m_taken; ///< per result
    std::vector<std::pair<std::size_t, std::size_t>> m_pairs;
};

} // namespace

std::vector<StatePair> pairsByNames(const MainInterface& main, ElementUpdates& updates, NamedPairs wanted)
{
    return NameMatcher(main, updates, wanted).pairs();
}

} // namespace shardscope
