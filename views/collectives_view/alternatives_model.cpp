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
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({
        { tr("Alternative"), [this](int row) { return title(row); } },
        { tr("Sent"), [this](int row) { return words::bytes(at(row).sentBytes); }, Look::Number,
            tr("What one device sends in a step, of what stands in this place") },
        { tr("Difference"),
            [this](int row) {
                return row == 0 ? tr("now", "no difference: this is what there is") : signedBytes(difference(row));
            },
            Look::Number, tr("Against what there is now") },
        { tr("Whole step"),
            [this](int row) { return at(row).stepBytes ? words::bytes(*at(row).stepBytes) : QString(); }, Look::Number,
            tr("What one device sends in the whole step") },
        { tr("Held more"), [this](int row) { return row == 0 ? QString() : signedBytes(held(at(row))); }, Look::Number,
            tr("What one device holds beyond what it holds now: of all that the step takes where the alternative was "
               "tried out, of the arrays in this place otherwise") },
    });
}

void AlternativesModel::setAlternatives(
    CollectiveListPtr list, std::size_t index, ValueId named, std::vector<CollectiveAlternative> alternatives)
{
    refill(false, [&] {
        m_list = std::move(list);
        m_index = index;
        m_named = named;
        m_alternatives = m_list ? std::move(alternatives) : std::vector<CollectiveAlternative>();
    });
}

bool AlternativesModel::isIdle(int column) const
{
    return column == Step
        && std::none_of(m_alternatives.begin(), m_alternatives.end(),
            [](const CollectiveAlternative& each) { return each.stepBytes.has_value(); });
}

QString AlternativesModel::title(int row) const
{
    return alternativeTitle(*m_list, at(row), m_list->entries[m_index].value, m_named);
}

words::Text AlternativesModel::sentence(int row) const
{
    return words::alternativeText(*m_list, m_list->entries[m_index], at(row));
}

double AlternativesModel::difference(int row) const
{
    return at(row).sentBytes.value() - m_alternatives.front().sentBytes.value();
}

int AlternativesModel::count() const
{
    return static_cast<int>(m_alternatives.size());
}

QVariant AlternativesModel::cell(int row, int column, int role) const
{
    if (role == Qt::ToolTipRole)
        return words::plain(sentence(row));
    if (role != Qt::ForegroundRole || (column != Difference && column != Held))
        return {};
    const Theme& theme = Theme::current();
    const double change = column == Difference ? difference(row) : held(at(row));
    return QBrush(change == 0 ? theme.secondary : change < 0 ? theme.ok : theme.error);
}

} // namespace shardscope
