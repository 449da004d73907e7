// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/side_by_side.h"

#include <QPushButton>
#include <algorithm>

#include "views/collectives_view/example_column.h"
#include "views/widgets/boxes.h"
#include "views/widgets/low_room.h"
#include "words/words.h"

namespace shardscope {
SideBySide::SideBySide(QWidget* parent)
    : QWidget(parent)
    , m_summary(new RoleLabel(RoleLabel::Size::Semibold, RoleLabel::Elided, &Theme::text, this))
    , m_note(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, this))
    , m_back(new QPushButton(tr("This program"), this))
{
    m_back->setAccessibleName(tr("Back to the collectives of this program"));
    m_note->setContentsMargins(8, 2, 8, 2);
    auto* head = hbox({ 8, 6, 8, 0 }, styleSpacing, { { m_summary, 1 }, m_back });
    auto* content = new QWidget(this);
    content->setBackgroundRole(QPalette::Base);
    auto* line = new QHBoxLayout(content);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    for (const char* id : { "jax-layer-program", "jax-layer-auto", "jax-layer-manual" }) {
        auto* column = new ExampleColumn(QLatin1String(id), content);
        column->setMinimumWidth(Metrics::scaled(190));
        connect(column, &ExampleColumn::listed, this, &SideBySide::summarise);
        m_columns.push_back(column);
        line->addWidget(column, 1);
    }
    vbox(this, {}, 0, { head, m_note, { makePlain(new QScrollArea(this), content, false), 1 } });
    connect(m_back, &QPushButton::clicked, this, &SideBySide::left);
    summarise();
}

bool SideBySide::isWorking() const
{
    return std::any_of(m_columns.begin(), m_columns.end(), [](const ExampleColumn* each) { return each->isWorking(); });
}

/// Of kinds, axes, groups and bytes.
bool SideBySide::haveSameCollectives() const
{
    const auto isSame = [](const CollectiveEntry& a, const CollectiveEntry& b) {
        return a.kind == b.kind && keyOf(a, CollectiveKey::Axes) == keyOf(b, CollectiveKey::Axes)
            && a.groupSize == b.groupSize && a.sentPerStep() == b.sentPerStep();
    };
    const auto& first = m_columns.front()->model()->list();
    return first && !first->entries.empty()
        && std::all_of(m_columns.begin(), m_columns.end(), [&](const ExampleColumn* each) {
               const auto& list = each->model()->list();
               return list
                   && std::equal(first->entries.begin(), first->entries.end(), list->entries.begin(),
                       list->entries.end(), isSame);
           });
}

void SideBySide::showNote()
{
    QStringList sentences;
    std::vector<ExampleNumbers> numbers;
    for (const ExampleColumn* each : m_columns)
        if (each->numbers())
            numbers.push_back(*each->numbers());
    if (numbers.size() == m_columns.size())
        sentences << agreementText(numbers);
    if (haveSameCollectives())
        sentences << tr(
            "The collectives are the same in all: what is sent follows from how the arrays are sharded, and "
            "not from which way of writing shards them.");
    sentences.removeAll(QString());
    showText(m_note, sentences.join(QLatin1Char(' ')));
}

void SideBySide::summarise()
{
    m_note->hide();
    std::vector<Rational> sent;
    for (const ExampleColumn* each : m_columns)
        if (each->sent())
            sent.push_back(*each->sent());
    if (sent.size() < m_columns.size()) {
        m_summary->setText(tr("What examples send, side by side"));
        return;
    }
    showNote();
    const auto [least, most] = std::minmax_element(
        sent.begin(), sent.end(), [](const Rational& a, const Rational& b) { return a.value() < b.value(); });
    m_summary->setText(*least == *most
            ? tr("All of them send %1 per device and step.").arg(words::bytes(*least))
            : tr("They send from %1 to %2 per device and step.").arg(words::bytes(*least), words::bytes(*most)));
}

} // namespace shardscope
