// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in parse_names.h.
#include "base/codes.h"
#include "sharding/literal.h"
#include "sharding/parse_names.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// Adds the axes of a target; a sequence inside a sequence is flattened, and marked.
Result<void> addAxes(const Literal& sequence, bool inner, LogicalRule& rule)
{
    for (const Literal& item : sequence.items) {
        if (item.kind == Literal::Kind::String) {
            if (rule.target.axes.size() == maximumMeshAxes)
                return fail(
                    Code::TooLarge, { { "what", "mesh axes of a rule" }, { "limit", maximumMeshAxes } }, item.where());
            rule.target.axes.push_back(item.text);
        } else if (item.isSequence()) {
            rule.nested = true;
            SHARDSCOPE_CHECK(addAxes(item, true, rule));
        } else {
            return unexpectedLiteral(
                item, inner ? "a mesh axis in quotes" : "a mesh axis in quotes or a tuple of them");
        }
    }
    return {};
}

Result<LogicalName> toName(const Literal& literal)
{
    switch (literal.kind) {
    case Literal::Kind::String:
        return LogicalName::of(literal.text);
    case Literal::Kind::None:
        return LogicalName::none();
    case Literal::Kind::Unconstrained:
        return LogicalName::unconstrained();
    default:
        return unexpectedLiteral(literal, "a dimension name in quotes");
    }
}

Result<void> setTarget(const Literal& literal, LogicalRule& rule)
{
    switch (literal.kind) {
    case Literal::Kind::String:
        rule.target = SpecEntry::axis(literal.text);
        return {};
    case Literal::Kind::None:
        return {};
    case Literal::Kind::Unconstrained:
        rule.target = SpecEntry::unconstrained();
        return {};
    case Literal::Kind::List:
    case Literal::Kind::Tuple:
        rule.target = SpecEntry::tuple({});
        return addAxes(literal, false, rule);
    default:
        return unexpectedLiteral(literal, "a mesh axis in quotes, a tuple of them or None");
    }
}

Result<LogicalRule> toRule(const Literal& name, const Literal& target)
{
    LogicalRule rule;
    SHARDSCOPE_TRY(named, toName(name));
    rule.name = std::move(*named);
    SHARDSCOPE_CHECK(setTarget(target, rule));
    return rule;
}

} // namespace

Result<LogicalRules> toLogicalRules(const Literal& literal)
{
    LogicalRules rules;
    const auto add = [&](const Literal& name, const Literal& target) -> Result<void> {
        SHARDSCOPE_TRY(rule, toRule(name, target));
        rules.list.push_back(std::move(*rule));
        return {};
    };
    if (literal.kind == Literal::Kind::Mapping) {
        rules.isSequence = false;
        for (std::size_t i = 0; i + 1 < literal.items.size(); i += 2)
            SHARDSCOPE_CHECK(add(literal.items[i], literal.items[i + 1]));
        return rules;
    }
    if (!literal.isSequence())
        return unexpectedLiteral(literal, "a list of rules");
    for (const Literal& item : literal.items) {
        if (!item.isSequence())
            return unexpectedLiteral(item, "a rule ('name', 'axis')");
        if (item.items.size() == 2) {
            SHARDSCOPE_CHECK(add(item.items[0], item.items[1]));
            continue;
        }
        LogicalRule wrong; // stays in the list: it fails where the rules are walked, as in Flax
        wrong.arity = item.items.size();
        if (wrong.arity > 0)
            if (Result<LogicalName> named = toName(item.items[0]))
                wrong.name = std::move(*named);
        rules.list.push_back(std::move(wrong));
    }
    return rules;
}

Result<LogicalRules> parseRules(std::string_view text)
{
    Tokens tokens(text);
    SHARDSCOPE_TRY(first, tokens.readLiteral());
    // "rules = ...", "rules: LogicalRules = ..." and "logical_axis_rules: [...]" are no literals but common enough.
    const bool named = first->kind == Literal::Kind::Name || first->kind == Literal::Kind::String;
    if (named && (tokens.at('=') || tokens.at(':'))) {
        const bool annotated = tokens.take().text == ":" && tokens.peek().kind == Tokens::Kind::Name;
        while (annotated && !tokens.accept('=')) {
            if (tokens.peek().kind == Tokens::Kind::End || tokens.peek().kind == Tokens::Kind::Bad)
                return tokens.unexpected("'='");
            tokens.take();
        }
        first = tokens.readLiteral();
        SHARDSCOPE_CHECK(first);
    }
    if (tokens.at(',')) { // a tuple without parentheses
        Literal all;
        all.kind = Literal::Kind::Tuple;
        all.line = first->line;
        all.column = first->column;
        all.items.push_back(std::move(*first));
        while (tokens.accept(',') && tokens.peek().kind != Tokens::Kind::End) {
            SHARDSCOPE_TRY(next, tokens.readLiteral());
            all.items.push_back(std::move(*next));
        }
        first = std::move(all);
    }
    if (tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("end of text");
    return toLogicalRules(*first);
}

} // namespace shardscope
