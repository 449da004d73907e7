// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of rules: combining two of them, and the ones that T5X brings along.
// Declared in logical_rules.h.
#include <algorithm>
#include <iterator>

#include "base/codes.h"
#include "sharding/logical_rules.h"

namespace shardscope {

namespace {

LogicalRule rule(const char* name, const char* axis)
{
    LogicalRule result;
    result.name = LogicalName::of(name);
    result.target = axis ? SpecEntry::axis(axis) : SpecEntry::none();
    return result;
}

bool sameTarget(const LogicalRule& a, const LogicalRule& b)
{
    return a.target == b.target && a.nested == b.nested;
}

LogicalRule* findAlias(std::vector<LogicalRule>& rules, const LogicalName& alias)
{
    const auto found =
        std::find_if(rules.begin(), rules.end(), [&](const LogicalRule& known) { return known.name == alias; });
    return found == rules.end() ? nullptr : &*found;
}

Result<void> checkPairs(const LogicalRules& rules)
{
    if (!rules.isSequence)
        return fail(Code::RulesType);
    for (std::size_t i = 0; i < rules.list.size(); ++i)
        if (rules.list[i].arity != 2)
            return fail(Code::RuleArity, { { "rule", i }, { "length", rules.list[i].arity } });
    return {};
}

} // namespace

Result<LogicalRules> compositeRules(const LogicalRules& first, const LogicalRules& second)
{
    if (second.list.empty())
        return first;
    if (first.list.empty())
        return second;
    for (const LogicalRules* rules : { &first, &second })
        SHARDSCOPE_CHECK(checkPairs(*rules));

    LogicalRules combined;
    for (const LogicalRule& next : first.list) {
        if (LogicalRule* known = findAlias(combined.list, next.name))
            *known = next; // inside one list the last target of a name counts, at the place of the first
        else
            combined.list.push_back(next);
    }
    for (std::size_t i = 0; i < second.list.size(); ++i) {
        const LogicalRule& next = second.list[i];
        const LogicalRule* known = findAlias(combined.list, next.name);
        if (!known)
            combined.list.push_back(next);
        else if (!sameTarget(*known, next))
            return fail(Code::RuleConflict,
                { { "alias", next.name.name }, { "rule1", known - combined.list.data() }, { "rule2", i } });
    }
    return combined;
}

Result<LogicalRules> t5xStandardRules(int activationDims, int parameterDims, const LogicalRules& additional)
{
    const auto supported = [](int dims) { return dims == 1 || dims == 2; };
    if (!supported(activationDims) || !supported(parameterDims))
        return fail(Code::UnsupportedDims, { { "activation", activationDims }, { "parameter", parameterDims } });
    LogicalRules rules;
    std::vector<LogicalRule>& list = rules.list;
    const bool flat = activationDims == 1 && parameterDims == 1;
    list = { rule("batch", "data"), rule("vocab", "model") };
    if (flat)
        list.push_back(rule("embed", nullptr));
    for (const LogicalRule& r :
        { rule("mlp", "model"), rule("heads", "model"), rule("kv", nullptr), rule("joined_kv", "model") })
        list.push_back(r);
    if (activationDims == 2)
        list.push_back(rule("embed", "model"));
    if (parameterDims == 2)
        list.push_back(rule("embed", "data"));
    for (const char* name : { "relpos_buckets", "abspos_buckets", "length", "layers", "stack", "mlp_activations" })
        list.push_back(rule(name, nullptr));
    std::copy(additional.list.begin(), additional.list.end(), std::back_inserter(list));
    return rules;
}

} // namespace shardscope
