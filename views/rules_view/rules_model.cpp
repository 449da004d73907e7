// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/rules_model.h"

#include <QFont>
#include <QGuiApplication>
#include <algorithm>

#include "analysis/problems.h"
#include "document/document.h"
#include "experiment/rule_edits.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/rule_names.h"
#include "words/rule_text.h"
#include "words/utf8.h"

namespace shardscope {

RulesModel::RulesModel(Document* document, QObject* parent)
    : ColumnModel(parent)
    , m_document(document)
{
    setColumns({
        { QStringLiteral("#"),
            [this](int row) { return row < ruleCount() ? QString::number(row + 1) : QStringLiteral("–"); },
            ModelColumn::Look::Number },
        { tr("Logical axis"), [this](int row) { return at(row).name; } },
        { tr("Mesh axes"),
            [this](int row) { return row < ruleCount() ? words::targetText(at(row).target) : tr("no rule"); } },
        { tr("Uses"), [this](int row) { return usesText(row); } },
    });
    connect(document, &Document::experimentChanged, this, &RulesModel::refresh);
    connect(document, &Document::snapshotChanged, this, &RulesModel::refresh);
    refresh();
}

void RulesModel::refresh()
{
    const Experiment& now = *m_document->experiment();
    const SnapshotPtr snapshot = m_document->snapshot();
    const bool fresh = snapshot && !m_document->isStale();
    if (withinOf(now.rules, m_list) != m_within || !hasList(now.rules, m_list)) { // others went or came before it
        const auto found = std::find_if(now.rules.inner.begin(), now.rules.inner.end(),
            [this](const InnerRules& each) { return each.within == m_within; });
        const bool renamed = now.rules.inner.size() == m_listCount && hasList(now.rules, m_list);
        if (found != now.rules.inner.end())
            m_list.inner = static_cast<std::int32_t>(found - now.rules.inner.begin());
        else if (!renamed)
            m_list = {};
        m_within = withinOf(now.rules, m_list);
    }
    m_listCount = now.rules.inner.size();
    static const std::vector<RuleUse> none;
    const auto inner = static_cast<std::size_t>(m_list.inner);
    const std::vector<RuleUse>& ruleUses = !fresh ? none
        : m_list.isOuter()                        ? snapshot->ruleUses
        : inner < snapshot->innerRuleUses.size()  ? snapshot->innerRuleUses[inner]
                                                  : none;
    std::vector<Row> rules, unruled;
    for (const LogicalRule& rule : rulesIn(now.rules, m_list)) {
        Row row{ words::logicalNameText(rule.name), rule.target, -1, 0 };
        if (rules.size() < ruleUses.size()) {
            row.uses = ruleUses[rules.size()].uses;
            row.inactive = ruleUses[rules.size()].inactiveUses;
        }
        rules.push_back(std::move(row));
    }
    if (fresh)
        for (const Problem& problem : snapshot->problems)
            if (const auto place = rulePlaceOf(problem.diagnostic.where.pointer); place && place->list == m_list
                && problem.diagnostic.severity() == Severity::Warning && place->rule >= 0
                && static_cast<std::size_t>(place->rule) < rules.size())
                rules[static_cast<std::size_t>(place->rule)].warned = true;
    if (snapshot && snapshot->annotations) {
        // Names that have got a rule since the last analysis are not among those without one.
        for (const auto& [name, uses] : namesWithoutRule(*snapshot)) {
            const QString text = QString::fromStdString(name);
            if (std::none_of(rules.begin(), rules.end(), [&text](const Row& row) { return row.name == text; }))
                unruled.push_back({ text, SpecEntry::none(), uses, 0 });
        }
    }
    std::vector<std::string> axes;
    for (const MeshAxis& axis : now.mesh.axes)
        axes.push_back(axis.name);
    if (rules == m_rules && unruled == m_unruled && axes == m_meshAxes)
        return;
    refill(rules.size() == m_rules.size() && unruled.size() == m_unruled.size(), [&] {
        m_rules = std::move(rules);
        m_unruled = std::move(unruled);
        m_meshAxes = std::move(axes);
    });
}

std::vector<std::pair<std::string, int>> RulesModel::namesWithoutRule(const Snapshot& snapshot) const
{
    if (m_list.isOuter())
        return snapshot.namesWithoutRule;
    const RulesSetting& analysed = snapshot.experiment->rules;
    if (!snapshot.program || !hasList(analysed, m_list)
        || withinOf(analysed, m_list) != withinOf(m_document->experiment()->rules, m_list))
        return {};
    return countRules(*snapshot.program, *snapshot.annotations, analysed).of(m_list).namesWithoutRule;
}

void RulesModel::setList(RuleList list)
{
    if (list == m_list || !hasList(m_document->experiment()->rules, list))
        return;
    refill(false, [&] {
        m_list = list;
        m_within = withinOf(m_document->experiment()->rules, list);
        m_rules.clear();
        m_unruled.clear();
    });
    refresh();
}

QString RulesModel::inList(const QString& edit) const
{
    const QString within = words::withinText(m_document->experiment()->rules, m_list);
    return within.isEmpty() || edit.isEmpty() ? edit
                                              : tr("%1 %2", "edit, within a part of the model").arg(edit, within);
}

QStringList RulesModel::arraysOf(RuleList list) const
{
    QStringList paths;
    const SnapshotPtr snapshot = m_document->snapshot();
    if (!snapshot || !snapshot->annotations || !snapshot->program)
        return paths;
    for (const auto* annotations : { &snapshot->annotations->arguments, &snapshot->annotations->constraints })
        for (const ResolvedAnnotation& annotation : *annotations) {
            const Value& value = snapshot->program->value(annotation.value);
            const bool inherited = isOptimizerArray(value.role) && !annotation.hasOptimizerRules;
            if (annotation.innerRules == list.inner && std::holds_alternative<LogicalAxes>(annotation.declared)
                && !inherited && value.type.rank() > 0 && !value.path->empty())
                paths << QString::fromStdString(*value.path);
        }
    paths.removeDuplicates();
    return paths;
}

const RulesModel::Row& RulesModel::at(int row) const
{
    const auto i = static_cast<std::size_t>(row);
    return i < m_rules.size() ? m_rules[i] : m_unruled[i - m_rules.size()];
}

QString RulesModel::usesOf(int row) const
{
    if (row < 0 || row >= rowCount())
        return {};
    const Row& shown = at(row);
    return row < ruleCount() ? tr("rule %1 comes first").arg(row + 1)
        : shown.uses == 1    ? tr("1 use, no rule")
        : shown.uses >= 0    ? tr("%1 uses, no rule").arg(shown.uses)
                             : tr("no rule");
}

int RulesModel::warningCount() const
{
    return static_cast<int>(std::count_if(m_rules.begin(), m_rules.end(), [](const Row& row) { return row.warned; }));
}

QString RulesModel::usesText(int row) const
{
    const Row& at = this->at(row);
    if (at.uses < 0)
        return {};
    if (row >= ruleCount())
        return QString::number(at.uses);
    if (at.uses == 0)
        return at.inactive == 0 ? QString::number(0) : tr("0, %1 inactive").arg(at.inactive);
    return at.inactive > 0 ? tr("%1, %2 inactive").arg(at.uses).arg(at.inactive) : QString::number(at.uses);
}

QString RulesModel::tip(int row, int column) const
{
    const Row& at = this->at(row);
    if (column == Axes && at.target.axes.size() > 1) // chips may not all have room
        return index(row, column).data(AxesRole).toStringList().join(QStringLiteral(", "));
    const auto withName = [&](const QString& what) { // which may not have room for all of it
        return column == Name ? plainTip(at.name + u'\n' + what) : what;
    };
    if (row >= ruleCount())
        return withName(tr("No rule has this name. Drag it onto a mesh axis below, or add a rule"));
    switch (column) {
    case Axes:
        return tr("The mesh axes that the name is mapped to; a double click or F2 changes them");
    case Number:
        return tr("Drag, or Alt+Up and Alt+Down, to change the priority; Delete removes the rule");
    case Name:
        return withName(tr("Drag it onto a mesh axis below; Delete removes the rule"));
    case Uses:
        return at.uses < 0 ? QString()
            : isIdle(at)   ? tr("This rule decides nothing that takes effect.")
                           : tr("Annotations that this rule decides: %1, in constraints that are not active: %2")
                               .arg(at.uses)
                               .arg(at.inactive);
    default:
        return {};
    }
}

QVariant RulesModel::cell(int row, int column, int role) const
{
    const bool rule = row < ruleCount();
    switch (role) {
    case Qt::EditRole:
        return column == Axes && !rule ? QVariant(QString()) : QVariant();
    case Qt::ToolTipRole: {
        const QString about = tip(row, column);
        return about.isEmpty() ? QVariant() : QVariant(about);
    }
    case Qt::FontRole: {
        if (rule)
            return {};
        QFont font = QGuiApplication::font();
        font.setItalic(true);
        return font;
    }
    case Qt::ForegroundRole:
        return rule && !(column == Uses && isIdle(at(row))) ? QVariant() : QVariant(Theme::current().secondary);
    case Qt::AccessibleTextRole:
        if (column == Number && rule)
            return tr("rule %1: %2 to %3").arg(row + 1).arg(at(row).name, words::targetText(at(row).target));
        return {};
    case IsRuleRole:
        return rule;
    case AxesRole:
        return words::texts(at(row).target.axes, words::fromStd);
    case AxisIndicesRole: {
        QVariantList indices;
        for (const std::string& axis : at(row).target.axes) {
            const auto found = std::find(m_meshAxes.begin(), m_meshAxes.end(), axis);
            indices << (found == m_meshAxes.end() ? -1 : static_cast<int>(found - m_meshAxes.begin()));
        }
        return indices;
    }
    case WarningRole:
        return rule && at(row).warned;
    default:
        return {};
    }
}

bool RulesModel::canEdit(int row, int column) const
{
    return column == Axes || (column == Name && row < ruleCount());
}

bool RulesModel::edit(int item, int column, const QString& text)
{
    // An editor left as it was opened changes nothing, also where what it shows has more than one meaning.
    if (text == editText(item, column))
        return false;
    const Experiment& now = *m_document->experiment();
    const auto row = static_cast<std::size_t>(item);
    if (row >= m_rules.size()) {
        const Result<SpecEntry> target = words::readTarget(text);
        if (text.isEmpty())
            return false;
        if (!target)
            return m_document->edit(tl::unexpected(target.error()), {});
        const QString name = at(item).name;
        return m_document->edit(withNameMapped(now, m_list, name.toStdString(), *target),
            inList(QStringLiteral("%1 → %2").arg(name, words::targetText(*target))));
    }
    LogicalRule rule = rulesIn(now.rules, m_list)[row];
    if (column == Name) {
        if (text.isEmpty())
            return false;
        rule.name = words::parseLogicalName(text);
    } else {
        Result<SpecEntry> target = words::readTarget(text);
        if (!target)
            return m_document->edit(tl::unexpected(target.error()), {});
        rule.target = std::move(*target);
        rule.nested = false;
    }
    const QString change =
        tr("rule %1: %2 → %3").arg(row + 1).arg(column == Name ? text : at(item).name, words::targetText(rule.target));
    return m_document->edit(withRuleReplaced(now, m_list, row, rule), inList(change));
}

} // namespace shardscope
