// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/rule_findings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/codes.h"
#include "rules/published_rules.h"
#include "rules/rule_lint.h"
#include "rules/t5x_partitioner.h"

namespace shardscope {

namespace {

/// A rule that an earlier one of its name comes before, with other mesh axes: what the list falls back to where those
/// are in use. It is none that nobody needs.
bool isFallback(const std::vector<LogicalRule>& rules, std::size_t rule, int shadowedBy)
{
    return shadowedBy >= 0 && rules[static_cast<std::size_t>(shadowedBy)].target.axes != rules[rule].target.axes;
}

/// Marks the rules that make up the set, if all of it is there, in its order.
void markSet(const std::vector<LogicalRule>& rules, const LogicalRules& set, std::vector<bool>& found)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rules.size() && places.size() < set.list.size(); ++i) {
        const LogicalRule& wanted = set.list[places.size()];
        if (rules[i].name == wanted.name && rules[i].target.axes == wanted.target.axes)
            places.push_back(i);
    }
    if (places.size() == set.list.size())
        for (const std::size_t place : places)
            found[place] = true;
}

/// The rules that belong to a set which some project has published; T5X' sets also as they are over several slices.
/// Such a set serves many models; that one has no array for some of its rules is no fault.
std::vector<bool> publishedRulesIn(const std::vector<LogicalRule>& rules)
{
    std::vector<bool> found(rules.size(), false);
    for (const PublishedRules& set : publishedRules()) {
        if (!set.overrides.empty()) // a few rules, to be put before those of another set
            continue;
        markSet(rules, set.rules, found);
        if (set.dialect != Dialect::T5x)
            continue;
        if (const Result<LogicalRules> hybrid = hybridRules(set.rules))
            markSet(rules, *hybrid, found);
    }
    return found;
}

class RuleFindings {
public:
    RuleFindings(const Program& program, const Mesh& mesh, const RuleCensus& census, const Experiment& experiment,
        RuleList list, ProblemCollector& collector)
        : m_program(program)
        , m_mesh(mesh)
        , m_all(census)
        , m_census(census.of(list))
        , m_experiment(experiment)
        , m_list(list)
        , m_rules(rulesIn(experiment.rules, list))
        , m_published(publishedRulesIn(m_rules))
        // An initializer has no argument: its arrays are its results.
        , m_hasLogical(areNamed(program.argumentAnnotations) || areNamed(program.resultAnnotations))
        , m_isRead(list.isOuter() || m_census.arrays > 0)
        , m_collector(collector)
    {
    }

    void add()
    {
        addUnread();
        for (std::size_t rule = 0; rule < m_rules.size(); ++rule) {
            addUnknownAxes(rule);
            if (!addBlocked(rule))
                addUnused(rule);
        }
    }

private:
    static bool areNamed(const std::vector<Annotation>& annotations)
    {
        return std::any_of(annotations.begin(), annotations.end(),
            [](const Annotation& a) { return std::holds_alternative<LogicalAxes>(a); });
    }
    [[nodiscard]] RulePlace placeOf(std::size_t rule) const { return { m_list, static_cast<int>(rule) }; }
    /// At that rule; at the list itself for none.
    [[nodiscard]] Diagnostic placed(Diagnostic diagnostic, std::optional<std::size_t> rule) const
    {
        diagnostic.where.pointer = rulePointer(rule ? placeOf(*rule) : RulePlace{ m_list, -1 });
        sayList(diagnostic, m_experiment.rules, m_list);
        return diagnostic;
    }
    /// Arrays that other lists resolve have the name.
    [[nodiscard]] bool isElsewhere(const std::string& name) const
    {
        return m_all.outer.names.contains(name)
            || std::any_of(m_all.inner.begin(), m_all.inner.end(),
                [&](const RuleCensus::List& each) { return each.names.contains(name); });
    }

    /// Where no array reads the list, that is the finding, and not one more for each of its rules.
    void addUnread()
    {
        if (m_hasLogical && !m_isRead) {
            Diagnostic diagnostic = placed({ Code::RuleUnused, {}, {} }, std::nullopt);
            // The parts of a network are called otherwise than its arrays.
            const std::string& within = withinOf(m_experiment.rules, m_list);
            std::string part = partPath(m_experiment, within);
            if (part == within)
                part = nearestName(within, modelParts(m_experiment, m_program));
            if (!part.empty())
                diagnostic.args.emplace_back("nearest", std::move(part));
            const std::string pointer = diagnostic.where.pointer;
            m_collector.add(std::move(diagnostic), pointer, {},
                { { Fix::Kind::RemoveRule, within, ruleNumber({ m_list, -1 }), 0 } });
        }
        // A program in a text, and arrays without names. An MLP has both forms: its rules are those of the other one.
        if (!m_hasLogical && m_list.isOuter() && m_census.arrays == 0 && !m_rules.empty()
            && !std::holds_alternative<MlpModel>(m_experiment.model))
            m_collector.add(
                placed({ Code::RuleUnused, { { "rules", m_rules.size() } }, {} }, std::nullopt), "rules", {}, {});
    }

    void addUnknownAxes(std::size_t rule)
    {
        const std::vector<std::string> names = m_mesh.axisNames();
        const std::int64_t number = ruleNumber(placeOf(rule));
        for (const std::string& axis : m_rules[rule].target.axes) {
            if (m_mesh.axisIndex(axis))
                continue;
            std::vector<Fix> fixes;
            if (const std::string nearest = nearestName(axis, names); !nearest.empty())
                fixes.push_back({ Fix::Kind::RenameAxisInRule, nearest, number, 0 });
            fixes.push_back({ Fix::Kind::RemoveRule, {}, number, 0 });
            m_collector.add(placed(unknownAxis(rule, m_rules[rule], axis, names), rule),
                rulePointer(placeOf(rule)) + axis, {}, std::move(fixes));
        }
    }

    /// An earlier rule leaves the name unsharded, so that this one is never asked.
    bool addBlocked(std::size_t rule)
    {
        const LogicalRule& blocked = m_rules[rule];
        const auto end = m_rules.begin() + static_cast<std::ptrdiff_t>(rule);
        const auto by = std::find_if(m_rules.begin(), end, [&](const LogicalRule& earlier) {
            return earlier.name == blocked.name && earlier.target.axes.empty()
                && earlier.target.kind != SpecEntry::Kind::Unconstrained;
        });
        if (by == end || blocked.target.axes.empty())
            return false;
        const auto blocking = static_cast<std::size_t>(by - m_rules.begin());
        m_collector.add(
            placed({ Code::NullBlocksRule,
                       { { "rule", blocking + 1 }, { "blocked", rule + 1 }, { "name", blocked.name.name } }, {} },
                blocking),
            rulePointer(placeOf(rule)), {},
            { { Fix::Kind::MoveRuleAbove, {}, ruleNumber(placeOf(rule)), static_cast<std::int64_t>(blocking) } });
        return true;
    }

    /// A rule that found its axis busy has a finding of its own (AxisBusy); of one whose arrays cannot be resolved
    /// nobody knows yet.
    void addUnused(std::size_t rule)
    {
        const RuleCensus::Misses& misses = m_census.misses[rule];
        const RuleUse& use = m_census.rules[rule];
        if (!m_hasLogical || !m_isRead || use.uses > 0 || use.inactiveUses > 0 || misses.busy || misses.undecided
            || m_published[rule] || isFallback(m_rules, rule, misses.shadowedBy))
            return;
        const std::string& name = m_rules[rule].name.name;
        const std::int64_t number = ruleNumber(placeOf(rule));
        std::vector<Fix> fixes;
        Diagnostic diagnostic{ Code::RuleUnused, { { "rule", rule + 1 }, { "name", name } }, {} };
        if (misses.shadowedBy >= 0)
            diagnostic.args.emplace_back("by_rule", misses.shadowedBy + 1);
        else if (!m_census.names.contains(name) && isElsewhere(name))
            diagnostic.args.emplace_back("elsewhere", std::int64_t{ 1 });
        else {
            std::vector<std::string> withoutRule;
            for (const auto& [known, uses] : m_census.namesWithoutRule)
                withoutRule.push_back(known);
            if (std::string nearest = nearestName(name, withoutRule); !nearest.empty()) {
                fixes.push_back({ Fix::Kind::RenameRule, nearest, number, 0 });
                diagnostic.args.emplace_back("nearest", std::move(nearest));
            }
        }
        fixes.push_back({ Fix::Kind::RemoveRule, {}, number, 0 });
        m_collector.add(placed(std::move(diagnostic), rule), rulePointer(placeOf(rule)), {}, std::move(fixes));
    }

    const Program& m_program;
    const Mesh& m_mesh;
    const RuleCensus& m_all;
    const RuleCensus::List& m_census;
    const Experiment& m_experiment;
    const RuleList m_list;
    const std::vector<LogicalRule>& m_rules;
    const std::vector<bool> m_published;
    const bool m_hasLogical, m_isRead;
    ProblemCollector& m_collector;
};

} // namespace

void addRuleFindings(const Program& program, const Mesh& mesh, const RuleCensus& census, const Experiment& experiment,
    RuleList list, ProblemCollector& collector)
{
    RuleFindings(program, mesh, census, experiment, list, collector).add();
}

} // namespace shardscope
