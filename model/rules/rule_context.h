// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules are bound where: Flax' logical_axis_rules as a value, and how NNX renames by them.
#pragma once

#include <utility>

#include "sharding/logical_rules.h"

namespace shardscope {

/// The rules that are bound at one place of a program. An inner scope replaces the rules of the outer one, it does not
/// add to them; when it ends, the rules are those from before it began, whatever was set inside.
///
///     RuleContext context;                      // no rules
///     context.set(a);                           // set_logical_axis_rules(a)
///     { RuleContext::Scope inner(context, b);   // with logical_axis_rules(b):
///       context.rules(); }                      //     b alone
///     context.rules();                          // a
class RuleContext {
public:
    [[nodiscard]] const LogicalRules& rules() const { return m_rules; }
    void set(LogicalRules rules) { m_rules = std::move(rules); }

    class Scope {
    public:
        Scope(RuleContext& context, LogicalRules rules)
            : m_context(context)
            , m_outer(std::exchange(context.m_rules, std::move(rules)))
        {
        }
        ~Scope() { m_context.m_rules = std::move(m_outer); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        RuleContext& m_context;
        LogicalRules m_outer;
    };

private:
    LogicalRules m_rules;
};

/// flax.nnx' apply_rules: the rules of the context composed with those of the variable, then a plain renaming. The last
/// rule of a name counts, names without a rule stay as they are (they are mesh axes then), and nothing is ever busy.
/// Errors: those of compositeRules().
[[nodiscard]] Result<PartitionSpec> applyRules(
    const LogicalNames& names, const LogicalRules& context, const LogicalRules& own);

} // namespace shardscope
