// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/factor_rule_text.h"

#include <algorithm>

#include "program/declared_rule.h"

namespace shardscope {

namespace {

std::string text(const FactorRule::TensorMapping& mapping)
{
    std::string out = "[";
    for (std::size_t d = 0; d < mapping.size(); ++d) {
        out += d == 0 ? "" : ", ";
        for (const std::int32_t factor : mapping[d])
            out += factorName(factor);
    }
    return out + ']';
}

std::string text(const std::vector<FactorRule::TensorMapping>& mappings)
{
    std::string out = "(";
    for (std::size_t t = 0; t < mappings.size(); ++t)
        out += (t == 0 ? "" : ", ") + text(mappings[t]);
    return out + ')';
}

/// " reduction={i, k}"; "" where no factor is of that kind.
template <class Has>
std::string text(const std::string& list, const FactorRule& rule, Has has)
{
    std::string out;
    for (std::size_t f = 0; f < rule.factors.size(); ++f)
        if (has(rule.factors[f]))
            out += (out.empty() ? "" : ", ") + factorName(static_cast<std::int32_t>(f));
    return out.empty() ? out : ' ' + list + "={" + out + '}';
}

/// Whether the mappings are about values of those ranks, and know their factors.
template <class Values>
bool fits(const std::vector<FactorRule::TensorMapping>& mappings, std::size_t factorCount, const Values& values,
    const Program& program)
{
    return std::equal(mappings.begin(), mappings.end(), values.begin(), values.end(),
        [&](const FactorRule::TensorMapping& mapping, ValueId value) {
            return mapping.size() == program.value(value).type.rank()
                && std::all_of(mapping.begin(), mapping.end(), [&](const FactorRule::DimensionFactors& dimension) {
                       return !dimension.empty() && std::all_of(dimension.begin(), dimension.end(), [&](auto factor) {
                           return static_cast<std::size_t>(factor) < factorCount;
                       });
                   });
        });
}

} // namespace

std::string toString(const FactorRule& rule)
{
    if (!rule.exists())
        return {};
    std::string out = text(rule.operands) + "->" + text(rule.results);
    for (std::size_t f = 0; f < rule.factors.size(); ++f)
        out += (f == 0 ? " {" : ", ") + factorName(static_cast<std::int32_t>(f)) + '='
            + std::to_string(rule.factors[f].size);
    if (!rule.factors.empty())
        out += '}';
    const auto kind = [](FactorKind wanted) {
        return [wanted](const FactorRule::Factor& factor) { return factor.kind == wanted; };
    };
    out += text("reduction", rule, kind(FactorKind::Reduction));
    out += text("need_replication", rule, kind(FactorKind::NeedReplication));
    out += text("permutation", rule, kind(FactorKind::Permutation));
    out += text("blocked_propagation", rule, [](const FactorRule::Factor& factor) { return factor.blocked; });
    return rule.custom ? out + ", custom" : out;
}

std::optional<FactorRule> attachedRule(const Program& program, const Operation& operation)
{
    if (operation.extra == 0)
        return std::nullopt;
    const std::optional<DeclaredRule> declared = declaredRule(program, operation);
    if (!declared)
        return std::nullopt;
    FactorRule rule = toFactorRule(*declared);
    rule.custom = declared->custom;
    if (!fits(rule.operands, rule.factors.size(), operation.operands, program)
        || !fits(rule.results, rule.factors.size(), operation.results, program))
        return std::nullopt;
    return rule;
}

} // namespace shardscope
