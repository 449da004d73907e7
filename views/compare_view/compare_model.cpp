// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/compare_model.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "program/op_row.h"
#include "sharding/text.h"
#include "views/compare_view/figure_text.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/comparison_words.h"
#include "words/utf8.h"

namespace shardscope {

DifferenceBar DifferenceBar::make(const QRect& cell, double share)
{
    constexpr int margin = 4, least = 2;
    const QRect room = cell.adjusted(margin, margin, -margin, -margin);
    DifferenceBar made;
    made.zero = room.left() + room.width() / 2;
    if (share == 0 || room.isEmpty())
        return made;
    const int half = room.width() / 2;
    const int length = std::max(least, static_cast<int>(std::lround(std::abs(share) * half)));
    made.bar = share > 0 ? QRect(made.zero, room.top(), length, room.height())
                         : QRect(made.zero - length, room.top(), length, room.height());
    return made;
}

void DifferenceBars::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const double share = index.data(CompareModel::ShareRole).toDouble();
    if (!index.parent().isValid())
        return; // a section
    const Theme& theme = Theme::current();
    const DifferenceBar at = DifferenceBar::make(option.rect, share);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->fillRect(QRect(at.zero, option.rect.top(), 1, option.rect.height()), theme.border);
    if (share > 0) {
        painter->fillRect(at.bar, theme.secondary);
    } else if (share < 0) {
        painter->setPen(theme.secondary);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(at.bar.adjusted(0, 0, -1, -1));
    }
    painter->restore();
}

namespace {

/// Builds the rows section by section.
class RowBuilder {
    Q_DECLARE_TR_FUNCTIONS(shardscope::CompareRow)
public:
    explicit RowBuilder(const SnapshotComparison& comparison)
        : m_comparison(comparison)
    {
        m_rows.emplace_back();
    }

    std::vector<CompareRow> rows() &&
    {
        addInputs();
        addMemory();
        addSent();
        addCollectives();
        addArrays();
        addProgram();
        addProblems();
        addTime();
        return std::move(m_rows);
    }

private:
    int addRow(int parent, CompareRow row)
    {
        const int item = static_cast<int>(m_rows.size());
        std::vector<int>& siblings = m_rows[static_cast<std::size_t>(parent)].children;
        row.parent = parent;
        row.position = static_cast<int>(siblings.size());
        siblings.push_back(item);
        m_rows.push_back(std::move(row));
        return item;
    }
    int addSection(const QString& name)
    {
        CompareRow row;
        row.name = name;
        row.isSection = true;
        return addRow(0, std::move(row));
    }
    int addTexts(int section, const QString& name, const QString& before, const QString& after)
    {
        CompareRow row;
        row.name = name;
        row.before = before;
        row.after = after;
        return addRow(section, std::move(row));
    }
    CompareRow& at(int item) { return m_rows[static_cast<std::size_t>(item)]; }

    int addBytes(int section, const QString& name, std::optional<double> before, std::optional<double> after)
    {
        const int item = addTexts(section, name, bytesOrDash(before), bytesOrDash(after));
        if (before && after) {
            at(item).bytes = *after - *before;
            at(item).difference = words::signedBytes(*after - *before);
        }
        return item;
    }
    template <class Bytes>
    static std::optional<double> amountOf(const std::optional<Bytes>& bytes)
    {
        if (!bytes)
            return std::nullopt;
        if constexpr (std::is_same_v<Bytes, Rational>)
            return bytes->value();
        else
            return static_cast<double>(*bytes);
    }

    void addInputs()
    {
        if (m_comparison.inputs.empty())
            return;
        const int section = addSection(tr("Inputs"));
        for (const SettingDifference& each : m_comparison.inputs)
            at(addTexts(section, words::settingName(each, m_comparison), words::settingValue(each.before, each.pointer),
                   words::settingValue(each.after, each.pointer)))
                .about = words::fromStd(each.pointer);
    }

    void addMemory()
    {
        const int section = addSection(tr("Memory per device"));
        for (const ComparedRole& held : m_comparison.held)
            addBytes(section, words::role(held.role).toLower(), static_cast<double>(held.bytesBefore),
                static_cast<double>(held.bytesAfter));
        CompareRow& state = at(addBytes(section, tr("state and gradients"),
            static_cast<double>(m_comparison.stateBefore), static_cast<double>(m_comparison.stateAfter)));
        state.isStrong = true;
        state.about = tr("Parameters, gradients and moments per device");
        for (const ComparedOwner& held : m_comparison.peak)
            if (held.owner == Owner::Activations || held.owner == Owner::Buffers)
                addBytes(section,
                    tr("%1 at the peak", "activations").arg(words::owner(held.owner, *m_comparison.after->program)),
                    static_cast<double>(held.bytesBefore), static_cast<double>(held.bytesAfter));
        at(addBytes(section, tr("peak"), amountOf(m_comparison.peakBefore), amountOf(m_comparison.peakAfter)))
            .isStrong = true;
    }

    void addSent()
    {
        const int section = addSection(tr("Sent per device and step"));
        for (const ComparedAxes& along : m_comparison.sent)
            addBytes(section,
                along.axes.empty() ? tr("between single devices") : tr("along %1").arg(words::fromStd(along.axes)),
                along.sentBefore.value(), along.sentAfter.value());
        at(addBytes(section, tr("in all"), amountOf(m_comparison.sentBefore), amountOf(m_comparison.sentAfter)))
            .isStrong = true;
    }

    void addCollectives()
    {
        int section = -1;
        for (const ComparedCollectives& each : m_comparison.collectives) {
            if (!each.isChanged())
                continue;
            if (section < 0)
                section = addSection(tr("Collectives in a step"));
            CompareRow& row = at(addTexts(section, words::collectivesName(each, m_comparison),
                words::collectivesAmount(each.timesBefore, each.sentBefore),
                words::collectivesAmount(each.timesAfter, each.sentAfter)));
            row.bytes = each.sentAfter.value() - each.sentBefore.value();
            row.difference = each.isAdded() ? tr("added") : each.isGone() ? tr("gone") : words::signedBytes(row.bytes);
            row.about =
                tr("%1 instead of %2, and %3", "number of collectives, bytes")
                    .arg(words::count(each.timesAfter), words::count(each.timesBefore), words::signedBytes(row.bytes));
        }
    }

    void addArrays()
    {
        if (m_comparison.arrays.empty())
            return;
        const int section = addSection(tr("Arrays"));
        for (const ComparedArray& array : m_comparison.arrays) {
            const auto text = [](const Snapshot& snapshot, std::optional<std::size_t> row) {
                return row ? words::fromStd(toColumn(snapshot.tensors[*row].spec)) : QString(noFigure);
            };
            CompareRow& row = at(addTexts(section, words::tensorName(array.path),
                text(*m_comparison.before, array.before), text(*m_comparison.after, array.after)));
            row.bytes = static_cast<double>(array.bytesAfter - array.bytesBefore);
            row.difference = !array.before ? tr("added") : !array.after ? tr("gone") : words::signedBytes(row.bytes);
            row.path = array.after ? words::fromStd(array.path) : QString();
            row.about = tr("%1\n%2 per device in A, %3 in B", "path, bytes")
                            .arg(words::fromStd(array.path), words::bytes(static_cast<double>(array.bytesBefore)),
                                words::bytes(static_cast<double>(array.bytesAfter)));
        }
    }

    void addProgram()
    {
        const ComparedProgram& program = m_comparison.program;
        if (program.kinds.empty())
            return;
        const int section = addSection(tr("Operations of the program"));
        CompareRow& all = at(addTexts(
            section, tr("in all"), words::count(program.operationsBefore), words::count(program.operationsAfter)));
        all.difference = words::operationCounts(program.added(), program.removed(), program.changed());
        all.isStrong = true;
        for (const ComparedProgram::Kind& kind : program.kinds)
            at(addTexts(section, words::fromStd(name(kind.kind)), {}, {})).difference =
                words::operationCounts(kind.added, kind.removed, kind.changed);
    }

    void addProblems()
    {
        if (m_comparison.problems.empty())
            return;
        const int section = addSection(tr("Problems"));
        for (const ComparedProblem& each : m_comparison.problems) {
            const words::ProblemText text = words::describe(each.problem);
            const QString id = words::fromStd(each.problem.id());
            CompareRow& row = at(addTexts(section, tr("%1: %2", "code of a problem, cause").arg(id, text.cause),
                each.isGone ? id : QString(noFigure), each.isGone ? QString(noFigure) : id));
            row.difference = each.isGone ? tr("gone") : tr("new");
            row.about = (text.cause + QLatin1Char('\n') + text.remedy).trimmed();
        }
    }

    void addTime()
    {
        const auto &before = m_comparison.timeBefore, &after = m_comparison.timeAfter;
        if (!before && !after)
            return;
        const auto text = [](const std::optional<StepTime>& time) {
            return time ? words::meanAndDeviation(time->mean, time->deviation) : tr("not run");
        };
        CompareRow& row = at(addTexts(addSection(tr("Measured")), tr("time of a step"), text(before), text(after)));
        if (before && after)
            row.difference = words::signedSeconds(after->mean - before->mean);
    }

    const SnapshotComparison& m_comparison;
    std::vector<CompareRow> m_rows;
};

} // namespace

std::vector<CompareRow> compareRows(const SnapshotComparison& comparison)
{
    return RowBuilder(comparison).rows();
}

CompareModel::CompareModel(QObject* parent)
    : ColumnTreeModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({ { tr("What"), [this](int item) { return at(item).name; } },
        { tr("A"), [this](int item) { return at(item).before; }, Look::Number, tr("What is compared with") },
        { tr("B"), [this](int item) { return at(item).after; }, Look::Number, tr("What is open now") },
        { tr("B − A"), [this](int item) { return at(item).difference; }, Look::Number },
        { {}, [](int) { return QString(); }, Look::Plain,
            tr("Filled: B has more bytes. Hollow: fewer. All bars have one scale.") } });
}

void CompareModel::setRows(std::vector<CompareRow> rows, bool dragging)
{
    double largest = 0;
    for (const CompareRow& row : rows)
        largest = std::max(largest, std::abs(row.bytes));
    m_scale.update(largest, dragging);
    const bool same = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
        [](const CompareRow& a, const CompareRow& b) { return a.parent == b.parent && a.name == b.name; });
    refill(same, [&] { m_rows = std::move(rows); });
}

const CompareRow& CompareModel::row(const QModelIndex& index) const
{
    return at(index.isValid() ? itemOf(index) : 0);
}

QVariant CompareModel::cell(int item, int column, int role) const
{
    const CompareRow& row = at(item);
    switch (role) {
    case ShareRole:
        return column == Bar ? QVariant(m_scale.share(row.bytes)) : QVariant();
    case PathRole:
        return row.path;
    case Qt::FontRole:
        return row.isSection || row.isStrong ? QVariant(Metrics::semibold()) : QVariant();
    case Qt::ForegroundRole:
        return !row.isSection && !row.isStrong && column != Name && row.before == row.after
            ? QVariant(Theme::current().secondary)
            : QVariant();
    case Qt::ToolTipRole:
        if (column == Name) // may not have room for all of it
            return plainTip(row.about.isEmpty() ? row.name : row.name + u'\n' + row.about);
        return row.about.isEmpty() ? QVariant() : QVariant(plainTip(row.about));
    case Qt::AccessibleTextRole:
        return column == Bar ? QVariant(row.difference) : QVariant();
    default:
        return {};
    }
}

} // namespace shardscope
