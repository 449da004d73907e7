// SPDX-License-Identifier: GPL-3.0-or-later
// axis_algebra: relations between (parts of) mesh axes.
#include <map>
#include <numeric>

#include "conformance/checker.h"
#include "mesh/axis_ref.h"

namespace shardscope::conformance {

namespace {

/// Axes get numbers in the order of their names, which is the order the reference compares them in. Without a mesh the
/// size of a full axis is open: any common multiple of what its parts need will do.
struct Axes {
    std::map<std::string, std::int64_t> sizes;

    explicit Axes(const Json& oneCase)
    {
        if (oneCase.at("mesh").is_object()) {
            sizes = oneCase.at("mesh").get<std::map<std::string, std::int64_t>>();
            return;
        }
        for (const Json& ref : { oneCase.at("a"), oneCase.at("b"), oneCase.at("expected") }) {
            if (!ref.is_object())
                continue;
            std::int64_t& size = sizes.try_emplace(ref.at("name").get<std::string>(), 2).first->second;
            if (!ref.at("pre").is_null())
                size = std::lcm(size, 2 * ref.at("pre").get<std::int64_t>() * ref.at("size").get<std::int64_t>());
        }
    }
    [[nodiscard]] AxisRef ref(const Json& json) const
    {
        const auto axis = sizes.find(json.at("name").get<std::string>());
        AxisRef result;
        result.axis = static_cast<std::int32_t>(std::distance(sizes.begin(), axis));
        result.pre = json.at("pre").is_null() ? 1 : json.at("pre").get<std::int32_t>();
        result.size =
            json.at("size").is_null() ? static_cast<std::int32_t>(axis->second) : json.at("size").get<std::int32_t>();
        return result;
    }
};

using Maybe = std::optional<AxisRef>;

} // namespace

CaseResult checkAxisAlgebra(const Json& oneCase, const Json&)
{
    const Axes axes(oneCase);
    const AxisRef a = axes.ref(oneCase.at("a"));
    const AxisRef b = axes.ref(oneCase.at("b"));
    const Json& value = oneCase.at("expected");
    const Maybe expected = value.is_object() ? Maybe(axes.ref(value)) : std::nullopt;
    const std::string relation = oneCase.at("relation");

    const auto noneWithout = [&](auto without) { return !without(a, b) && !without(b, a); };
    const bool same = a == b;
    const bool symmetricOverlap = overlap(a, b) == overlap(b, a) && overlaps(a, b) == overlaps(b, a);
    bool holds = symmetricOverlap && canCoexist(a, b) == canCoexist(b, a);
    if (relation == "contained")
        holds = holds && contains(b, a) && overlap(a, b) == Maybe(a);
    else if (relation == "strictlyContains")
        holds = holds && contains(a, b) && !same && !contains(b, a);
    else if (relation == "doesNotContain")
        holds = holds && !contains(a, b);
    else if (relation == "canCoexist")
        holds = holds && canCoexist(a, b) == value.get<bool>();
    else if (relation == "checkOverlaps")
        holds = holds && overlaps(a, b) == value.get<bool>();
    else if (relation == "overlaps")
        holds = holds && overlap(a, b) == expected;
    else if (relation == "checkNoOverlap")
        holds = holds && !overlaps(a, b) && !overlap(a, b) && prefixWithoutOverlap(a, b) == Maybe(a)
            && prefixWithoutOverlap(b, a) == Maybe(b) && suffixWithoutOverlap(a, b) == Maybe(a)
            && suffixWithoutOverlap(b, a) == Maybe(b);
    else if (relation == "checkCannotCoexist")
        holds = holds && !canCoexist(a, b) && !overlap(a, b) && noneWithout(prefixWithoutOverlap)
            && noneWithout(suffixWithoutOverlap);
    else if (relation == "samePrefix")
        holds = holds && noneWithout(prefixWithoutOverlap);
    else if (relation == "sameSuffix")
        holds = holds && noneWithout(suffixWithoutOverlap);
    else if (relation == "compare")
        holds = holds && a < b;
    else if (relation == "strictPrefixOf")
        holds = holds && isPrefixOf(a, b) && !same && !isPrefixOf(b, a);
    else if (relation == "strictSuffixOf")
        holds = holds && isSuffixOf(a, b) && !same && !isSuffixOf(b, a);
    else if (relation == "isNotPrefix")
        holds = holds && !isPrefixOf(a, b) && !isPrefixOf(b, a) && !greatestCommonPrefix(a, b);
    else if (relation == "isNotSuffix")
        holds = holds && !isSuffixOf(a, b) && !isSuffixOf(b, a);
    else if (relation == "equals")
        holds = holds && same && isPrefixOf(a, b) && isPrefixOf(b, a) && isSuffixOf(a, b) && isSuffixOf(b, a);
    else if (relation == "checkCanMerge")
        holds = holds && canMerge(a, b) && !canMerge(b, a);
    else if (relation == "merge")
        holds = holds && canMerge(a, b) && Maybe(merge(a, b)) == expected;
    else if (relation == "prefix")
        holds = holds && greatestCommonPrefix(a, b) == Maybe(a) && greatestCommonPrefix(b, a) == Maybe(a);
    else if (relation == "getPrefixWithoutOverlap")
        holds = holds && prefixWithoutOverlap(a, b) == expected;
    else if (relation == "getSuffixWithoutOverlap")
        holds = holds && suffixWithoutOverlap(a, b) == expected;
    else
        return CaseResult::unsupported("relation " + relation);
    return holds ? CaseResult::passed() : CaseResult::failed("the relation " + relation + " does not hold");
}

} // namespace shardscope::conformance
