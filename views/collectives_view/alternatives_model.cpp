// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/alternatives_model.h"

#include <QBrush>
#include <algorithm>
#include <cmath>

#include "views/collectives_view/collective_texts.h"
#include "views/theme/theme.h"
#include "words/collective_words.h"

namespace shardscope {

namespace {

/// "+3 MiB", "−12 KiB" with a minus sign, "same".
QString signedBytes(double bytes)
{
    if (bytes == 0)
        return AlternativesModel::tr("same");
    return (bytes > 0 ? QStringLiteral("+") : QString(QChar(0x2212))) + words::bytes(std::abs(bytes));
}

/// Of the whole step, as the bytes beside it, where that is known.
double held(const CollectiveAlternative& alternative)
{
    return static_cast<double>(alternative.stepMoreBytesHeld.value_or(alternative.moreBytesHeld));
}

} // namespace

AlternativesModel::AlternativesModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void AlternativesModel::setAlternatives(
    CollectiveListPtr list, std::size_t index, ValueId named, std::vector<CollectiveAlternative> alternatives)
{
    beginResetModel();
    m_list = std::move(list);
    m_index = index;
    m_named = named;
    m_alternatives = m_list ? std::move(alternatives) : std::vector<CollectiveAlternative>();
    endResetModel();
}

bool AlternativesModel::isIdle(int column) const
{
    return column == Step
        && std::none_of(m_alternatives.begin(), m_alternatives.end(),
            [](const CollectiveAlternative& each) { return each.stepBytes.has_value(); });
}

QString AlternativesModel::title(int row) const
{
    return alternativeTitle(
        *m_list, m_alternatives[static_cast<std::size_t>(row)], m_list->entries[m_index].value, m_named);
}

words::Text AlternativesModel::sentence(int row) const
{
    return words::alternativeText(*m_list, m_list->entries[m_index], m_alternatives[static_cast<std::size_t>(row)]);
}

double AlternativesModel::difference(int row) const
{
    return m_alternatives[static_cast<std::size_t>(row)].sentBytes.value() - m_alternatives.front().sentBytes.value();
}

int AlternativesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_alternatives.size());
}

int AlternativesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant AlternativesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_list)
        return {};
    const int row = index.row(), column = index.column();
    const CollectiveAlternative& each = m_alternatives[static_cast<std::size_t>(row)];
    const bool present = row == 0;
    switch (role) {
    case Qt::DisplayRole:
        break;
    case Qt::ToolTipRole:
        return words::plain(sentence(row));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue<int>(
            static_cast<int>((column == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::ForegroundRole: {
        const Theme& theme = Theme::current();
        const double change = column == Difference ? difference(row) : column == Held ? held(each) : 0.0;
        if (column != Difference && column != Held)
            return {};
        return QBrush(change == 0 ? theme.secondary : change < 0 ? theme.ok : theme.error);
    }
    default:
        return {};
    }
    switch (column) {
    case Name:
        return title(row);
    case Sent:
        return words::bytes(each.sentBytes);
    case Difference:
        return present ? tr("now", "no difference: this is what there is") : signedBytes(difference(row));
    case Step:
        return each.stepBytes ? words::bytes(*each.stepBytes) : QString();
    case Held:
        return present ? QString() : signedBytes(held(each));
    default:
        return {};
    }
}

QVariant AlternativesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue<int>(
            static_cast<int>((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role == Qt::ToolTipRole)
        switch (section) {
        case Sent:
            return tr("What one device sends in a step, of what stands in this place");
        case Difference:
            return tr("Against what there is now");
        case Step:
            return tr("What one device sends in the whole step");
        case Held:
            return tr(
                "What one device holds beyond what it holds now: of all that the step takes where the alternative was "
                "tried out, of the arrays in this place otherwise");
        default:
            return {};
        }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Alternative");
    case Sent:
        return tr("Sent");
    case Difference:
        return tr("Difference");
    case Step:
        return tr("Whole step");
    case Held:
        return tr("Held more");
    default:
        return {};
    }
}

} // namespace shardscope
