// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/rules_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QRegularExpression>
#include <algorithm>

#include "analysis/problems.h"
#include "base/codes.h"
#include "document/document.h"
#include "experiment/reserved_names.h"
#include "experiment/rule_edits.h"
#include "views/theme/theme.h"
#include "words/rule_names.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

QString unconstrainedText()
{
    return words::fromStd(unconstrainedWord);
}

LogicalName parseName(const QString& text)
{
    if (text == unconstrainedText())
        return LogicalName::unconstrained();
    return text == QLatin1String("None") ? LogicalName::none() : LogicalName::of(text.toStdString());
}

QString nameText(const LogicalName& name)
{
    switch (name.kind) {
    case LogicalName::Kind::None:
        return QStringLiteral("None");
    case LogicalName::Kind::Unconstrained:
        return unconstrainedText();
    case LogicalName::Kind::Name:
        break;
    }
    return QString::fromStdString(name.name);
}

} // namespace

SpecEntry parseTarget(const QString& text)
{
    QString inner = text.trimmed();
    const bool tuple = inner.startsWith(QLatin1Char('(')) || inner.contains(QLatin1Char(','));
    inner.remove(QRegularExpression(QStringLiteral("[()'\"]")));
    std::vector<std::string> axes;
    for (const QString& part : inner.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!part.trimmed().isEmpty())
            axes.push_back(part.trimmed().toStdString());
    if (text.trimmed() == QLatin1String("?") || (!tuple && axes.size() == 1 && axes[0] == unconstrainedWord))
        return SpecEntry::unconstrained();
    if (text.trimmed() == QLatin1String("()"))
        return SpecEntry::tuple({});
    if (axes.empty() || (axes.size() == 1 && (axes[0] == "None" || axes[0] == "-" || axes[0] == "none")))
        return SpecEntry::none();
    return tuple ? SpecEntry::tuple(std::move(axes)) : SpecEntry::axis(std::move(axes[0]));
}

Result<SpecEntry> readTarget(const QString& text)
{
    QString inner = text.trimmed();
    if (inner.startsWith(QLatin1Char('(')) && inner.endsWith(QLatin1Char(')')))
        inner = inner.mid(1, inner.size() - 2);
    QStringList parts = inner.split(QLatin1Char(','));
    if (parts.size() > 1 && parts.last().trimmed().isEmpty())
        parts.removeLast(); // as Python writes a tuple of one
    static const QRegularExpression axis(QStringLiteral(R"(^\s*(?:'[^'"]+'|"[^'"]+"|[^'"()\[\]{}]+)\s*$)"));
    const bool several = parts.size() > 1;
    for (const QString& part : std::as_const(parts))
        if (part.trimmed().isEmpty() ? several : !axis.match(part).hasMatch())
            return fail(Code::Syntax,
                { { "expected", "mesh axes, as data, or data, model, or None" },
                    { "found", text.trimmed().left(40).toStdString() } });
    return parseTarget(text);
}

QString targetText(const SpecEntry& entry)
{
    if (entry.kind == SpecEntry::Kind::Unconstrained)
        return QStringLiteral("?");
    if (entry.kind == SpecEntry::Kind::None)
        return QStringLiteral("None");
    QStringList names;
    for (const std::string& axis : entry.axes)
        names << QString::fromStdString(axis);
    return entry.kind == SpecEntry::Kind::Tuple ? QStringLiteral("(%1)").arg(names.join(QStringLiteral(", ")))
                                                : names.join(QString());
}

RulesModel::RulesModel(Document* document, QObject* parent)
    : QAbstractTableModel(parent)
    , m_document(document)
{
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
        Row row{ nameText(rule.name), rule.target, -1, 0 };
        if (rules.size() < ruleUses.size()) {
            row.uses = ruleUses[rules.size()].uses;
            row.inactive = ruleUses[rules.size()].inactiveUses;
        }
        rules.push_back(std::move(row));
    }
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
    const bool sameRows = rules.size() == m_rules.size() && unruled.size() == m_unruled.size();
    if (!sameRows)
        beginResetModel();
    m_rules = std::move(rules);
    m_unruled = std::move(unruled);
    m_meshAxes = std::move(axes);
    if (!sameRows)
        endResetModel();
    else if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
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
    beginResetModel();
    m_list = list;
    m_within = withinOf(m_document->experiment()->rules, list);
    m_rules.clear();
    m_unruled.clear();
    endResetModel();
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
            const bool inherited = value.role == shardscope::Role::Mu || value.role == shardscope::Role::Nu;
            if (annotation.innerRules == list.inner && std::holds_alternative<LogicalAxes>(annotation.written)
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

QString RulesModel::nameAt(int row) const
{
    return row >= 0 && row < rowCount() ? at(row).name : QString();
}

int RulesModel::warningCount() const
{
    return static_cast<int>(
        std::count_if(m_rules.begin(), m_rules.end(), [this](const Row& row) { return isIdle(row); }));
}

int RulesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rules.size() + m_unruled.size());
}

int RulesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RulesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row& row = at(index.row());
    const bool rule = index.row() < ruleCount();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        switch (index.column()) {
        case Number:
            return rule ? QString::number(index.row() + 1) : QStringLiteral("–");
        case Name:
            return row.name;
        case Axes:
            return rule ? targetText(row.target) : role == Qt::EditRole ? QString() : tr("no rule");
        case Uses:
            if (row.uses < 0)
                return QString();
            if (!rule)
                return QString::number(row.uses);
            if (row.uses == 0 && row.inactive == 0)
                return tr("never used");
            if (row.uses == 0)
                return tr("%1, none active").arg(row.inactive);
            return row.inactive > 0 ? tr("%1, %2 inactive").arg(row.uses).arg(row.inactive) : QString::number(row.uses);
        default:
            return {};
        }
    case Qt::ToolTipRole:
        if (index.column() == Uses && rule && row.uses >= 0)
            return isIdle(row) ? tr("This rule decides nothing that takes effect.")
                               : tr("Annotations that this rule decides: %1, in constraints that are not active: %2")
                                     .arg(row.uses)
                                     .arg(row.inactive);
        if (index.column() == Axes && index.data(AxesRole).toStringList().size() > 1)
            return index.data(AxesRole).toStringList().join(QStringLiteral(", ")); // chips may not all have room
        if (index.column() == Number && rule)
            return tr("Drag, or Alt+Up and Alt+Down, to change the priority; Delete removes the rule");
        return index.column() == Name && rule ? tr("Drag it onto a mesh axis below; Delete removes the rule")
                                              : QVariant();
    case Qt::TextAlignmentRole:
        return index.column() == Number ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                        : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::FontRole: {
        if (rule)
            return {};
        QFont font = QGuiApplication::font();
        font.setItalic(true);
        return font;
    }
    case Qt::ForegroundRole:
        return rule ? QVariant() : QVariant(Theme::current().secondary);
    case Qt::AccessibleTextRole:
        if (index.column() == Number && rule)
            return tr("rule %1: %2 to %3").arg(index.row() + 1).arg(row.name, targetText(row.target));
        return {};
    case IsRuleRole:
        return rule;
    case AxesRole: {
        QStringList names;
        for (const std::string& axis : row.target.axes)
            names << QString::fromStdString(axis);
        return names;
    }
    case AxisIndicesRole: {
        QVariantList indices;
        for (const std::string& axis : row.target.axes) {
            const auto found = std::find(m_meshAxes.begin(), m_meshAxes.end(), axis);
            indices << (found == m_meshAxes.end() ? -1 : static_cast<int>(found - m_meshAxes.begin()));
        }
        return indices;
    }
    case WarningRole:
        return rule && isIdle(row);
    default:
        return {};
    }
}

QVariant RulesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == Number ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                 : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Number:
        return QStringLiteral("#");
    case Name:
        return tr("Logical axis");
    case Axes:
        return tr("Mesh axes");
    case Uses:
        return tr("Uses");
    default:
        return {};
    }
}

Qt::ItemFlags RulesModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    const bool rule = index.row() < ruleCount();
    if (index.column() == Axes || (index.column() == Name && rule))
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool RulesModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole)
        return false;
    // An editor left as it was opened changes nothing, also where what it shows has more than one meaning.
    if (value.toString() == data(index, Qt::EditRole).toString())
        return false;
    const Experiment& now = *m_document->experiment();
    const auto row = static_cast<std::size_t>(index.row());
    const QString text = value.toString().trimmed();
    if (row >= m_rules.size()) {
        const Result<SpecEntry> target = readTarget(text);
        if (text.isEmpty())
            return false;
        if (!target)
            return m_document->edit(tl::unexpected(target.error()), {});
        const QString name = at(index.row()).name;
        return m_document->edit(withNameMapped(now, m_list, name.toStdString(), *target),
            inList(QStringLiteral("%1 → %2").arg(name, targetText(*target))));
    }
    LogicalRule rule = rulesIn(now.rules, m_list)[row];
    if (index.column() == Name) {
        if (text.isEmpty())
            return false;
        rule.name = parseName(text);
    } else if (index.column() == Axes) {
        Result<SpecEntry> target = readTarget(text);
        if (!target)
            return m_document->edit(tl::unexpected(target.error()), {});
        rule.target = std::move(*target);
        rule.nested = false;
    } else {
        return false;
    }
    const QString change = tr("rule %1: %2 → %3")
                               .arg(row + 1)
                               .arg(index.column() == Name ? text : at(index.row()).name, targetText(rule.target));
    return m_document->edit(withRuleReplaced(now, m_list, row, rule), inList(change));
}

} // namespace shardscope
