// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/collective_page.h"

#include <QBrush>
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <algorithm>
#include <cmath>

#include "views/collectives_view/exchange_view.h"
#include "views/panel/follow_link.h"
#include "views/panel/panel.h"
#include "views/span_text/span_text.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/low_room.h"
#include "views/widgets/row_table.h"
#include "words/collective_texts.h"
#include "words/collective_words.h"
#include "words/links.h"

namespace shardscope {

namespace {
/// Where the operation of a collective is found in the snapshot's program; "" where it is not in there.
QString operationLinkOf(const CollectiveList& list, const CollectiveEntry& entry, const Snapshot& snapshot)
{
    if (!snapshot.program)
        return {};
    const Program& program = *snapshot.program;
    OperationId operation = entry.reason ? entry.reason->operation : OperationId();
    if (list.program != snapshot.program && operation.valid()) {
        // After partitioning, operations have other numbers; the names of values are the same.
        const auto& results = list.program->operation(operation).results;
        operation = results.empty() || results[0].index >= program.values.size() ? OperationId()
                                                                                 : program.value(results[0]).definition;
    }
    if (!operation.valid() && entry.value.valid() && entry.value.index < program.values.size())
        operation = program.value(entry.value).definition;
    return operation.valid() ? words::operationLink(program, operation) : QString();
}

} // namespace

CollectivePage::CollectivePage(Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_title(new RoleLabel(RoleLabel::Size::Title, &Theme::text, this))
    , m_why(new SpanLabel(this))
    , m_exchange(new ExchangeView(selection, this))
    , m_alternativesTitle(
          new RoleLabel(tr("What could stand in its place"), RoleLabel::Size::Semibold, &Theme::text, this))
    , m_alternativesNote(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_table(new QTableView(this))
    , m_model(new AlternativesModel(this))
    , m_sentence(new SpanLabel(this))
    , m_preview(new QPushButton(tr("Preview"), this))
    , m_job(this, [this](std::vector<CollectiveAlternative> list) { showAlternatives(std::move(list)); })
{
    setBackgroundRole(QPalette::Base);
    m_title->setElided(true, Qt::ElideMiddle);
    m_why->setMarks(AxisMarks::Coloured);
    m_why->setAccessibleName(tr("Why it is there"));
    m_sentence->setAccessibleName(tr("The alternative that is chosen"));
    m_preview->setAccessibleName(tr("Look at this sharding before it counts"));
    m_preview->setToolTip(tr("Shows every value that would be sharded otherwise, before it counts"));

    makeRowTable(m_table, m_model, tr("What could stand in its place"));
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->horizontalHeader()->setSectionsClickable(false);
    m_table->setWordWrap(true);

    auto* content = new QWidget(this);
    content->setBackgroundRole(QPalette::Base);
    auto* chosen = hbox({}, 8, { { m_sentence, 1 }, { m_preview, 0, Qt::AlignTop } });
    vbox(content, { 8, 6, 8, 8 }, 6,
        { m_title, m_why, { m_exchange, 1 }, boxSpace(4), m_alternativesTitle, m_alternativesNote, m_table, chosen,
            boxStretch() });

    vbox(this, {}, styleSpacing, { makePlain(new QScrollArea(this), content, true) });

    for (SpanLabel* label : { m_why, m_sentence })
        connect(label, &SpanLabel::linkActivated, this, &CollectivePage::follow);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CollectivePage::showAlternative);
    connect(m_preview, &QPushButton::clicked, this, [this] {
        const auto row = static_cast<std::size_t>(m_table->currentIndex().row());
        if (row >= m_model->alternatives().size() || !m_model->alternatives()[row].after)
            return;
        const Experiment after = *m_model->alternatives()[row].after;
        Q_EMIT previewRequested(after, m_model->title(static_cast<int>(row)));
    });
}

void CollectivePage::follow(const QString& link)
{
    if (const QString dock = followLink(*m_selection, link); !dock.isEmpty())
        Q_EMIT dockRequested(dock);
}

QString CollectivePage::why() const
{
    return words::plain(m_why->text());
}

void CollectivePage::show(
    CollectiveListPtr list, std::size_t index, SnapshotPtr snapshot, ValueId named, const words::Text& rule)
{
    if (list == m_list && index == m_index && snapshot == m_snapshot)
        return;
    m_list = std::move(list);
    m_index = index;
    m_snapshot = std::move(snapshot);
    m_named = named;
    if (!m_list) {
        m_job.cancel();
        m_exchange->clear();
        m_model->setAlternatives(nullptr, 0, {}, {});
        return;
    }
    const CollectiveEntry& entry = m_list->entries[m_index];
    m_title->setText(named.valid()
            ? tr("%1 for %2", "all-reduce for Layer 2 / z")
                  .arg(words::collective(entry.kind), words::exchangedName(*m_list, entry, named))
            : words::collective(entry.kind));
    words::Text why = words::collectiveCause(*m_list, entry);
    m_exchange->show(*m_list, entry, named, *m_snapshot);

    // Where the operation is not named among the reasons, a way to it; and who decided it.
    using Style = words::Span::Style;
    const auto leads = [](const words::Span& span) {
        const auto link = words::readLink(span.link);
        return link && link->kind == words::Link::Kind::Operation;
    };
    if (const QString link = operationLinkOf(*m_list, entry, *m_snapshot);
        !link.isEmpty() && std::none_of(why.begin(), why.end(), leads)) {
        why.push_back({ QStringLiteral(" "), Style::Plain, -1 });
        why.push_back({ tr("See the operation"), Style::Plain, -1, link });
        why.push_back({ tr("."), Style::Plain, -1 });
    }
    if (!rule.empty()) {
        why.push_back({ tr(" Decided by "), Style::Plain, -1 });
        why.insert(why.end(), rule.begin(), rule.end());
        why.push_back({ tr("."), Style::Plain, -1 });
    }
    m_why->setText(std::move(why));

    m_model->setAlternatives(nullptr, 0, {}, {});
    m_table->hide();
    showAlternative();
    m_alternativesNote->setText(tr("The prices are being worked out."));
    m_alternativesNote->show();
    m_job.request([list = m_list, index, at = m_snapshot](
                      const std::stop_token& stop) { return shardscope::alternatives(*at, *list, index, stop); });
}

void CollectivePage::showAlternatives(std::vector<CollectiveAlternative> alternatives)
{
    const bool any = alternatives.size() > 1;
    m_model->setAlternatives(m_list, m_index, m_named, std::move(alternatives));
    m_table->setVisible(any);
    m_alternativesNote->setVisible(!any);
    m_alternativesNote->setText(words::noAlternative());
    fitTable();
    showAlternative();
}

void CollectivePage::showAlternative()
{
    const int row = m_table->currentIndex().row();
    const bool any = m_list && row >= 0 && row < m_model->rowCount();
    m_sentence->setText(any ? m_model->sentence(row) : words::Text());
    m_sentence->setVisible(any);
    m_preview->setVisible(any && m_model->alternatives()[static_cast<std::size_t>(row)].after.has_value());
}

void CollectivePage::fitTable()
{
    QHeaderView* header = m_table->horizontalHeader();
    int rest = width() - 16 - Metrics::scaled(12);
    for (int column = 0; column < AlternativesModel::ColumnCount; ++column) {
        m_table->setColumnHidden(column, m_model->isIdle(column));
        if (column == AlternativesModel::Name || m_model->isIdle(column))
            continue;
        m_table->resizeColumnToContents(column);
        m_table->setColumnWidth(column, m_table->columnWidth(column) + Metrics::scaled(8));
        rest -= m_table->columnWidth(column);
    }
    // Names first: what the whole step sends, and then what is held more, can be read in the sentence as well.
    m_table->resizeColumnToContents(AlternativesModel::Name);
    const int wanted = std::min(m_table->columnWidth(AlternativesModel::Name), Metrics::scaled(220));
    for (const int column : { AlternativesModel::Step, AlternativesModel::Held })
        if (rest < wanted && !m_table->isColumnHidden(column)) {
            rest += m_table->columnWidth(column);
            m_table->setColumnHidden(column, true);
        }
    m_table->setColumnWidth(AlternativesModel::Name, std::max(rest, Metrics::scaled(120)));
    // A name that is longer than its column goes on in a second line.
    const QFontMetrics names(m_table->font());
    const int room = m_table->columnWidth(AlternativesModel::Name) - Metrics::scaled(8);
    int height = header->sizeHint().height() + 2;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const bool isLong = names.horizontalAdvance(m_model->title(row)) > room;
        m_table->setRowHeight(row, Metrics::scaled(22) + (isLong ? names.lineSpacing() : 0));
        height += m_table->rowHeight(row);
    }
    m_table->setFixedHeight(height);
}

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
        { tr("Computes"),
            [this](int row) {
                const bool isKnown = row > 0 && at(row).kind != CollectiveAlternative::Kind::ChangeSharding;
                return !isKnown ? QString()
                    : at(row).timesWork == 1
                    ? tr("same", "as much is computed")
                    : tr("%1 ×", "times as much is computed").arg(words::count(at(row).timesWork));
            },
            Look::Number,
            tr("How much more one device computes of the operation in this place; of another sharding it is not "
               "worked out") },
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
    const auto none = [this](const auto& says) {
        return std::none_of(m_alternatives.begin(), m_alternatives.end(), says);
    };
    return (column == Step && none([](const CollectiveAlternative& each) { return each.stepBytes.has_value(); }))
        || (column == Work && none([](const CollectiveAlternative& each) { return each.timesWork != 1; }));
}

QString AlternativesModel::title(int row) const
{
    return words::alternativeTitle(*m_list, at(row), m_list->entries[m_index].value, m_named);
}

words::Text AlternativesModel::sentence(int row) const
{
    return words::alternativeText(*m_list, m_list->entries[m_index], at(row));
}

double AlternativesModel::difference(int row) const
{
    return at(row).sentBytes.value() - m_alternatives.front().sentBytes.value();
}

QVariant AlternativesModel::cell(int row, int column, int role) const
{
    if (role == Qt::ToolTipRole)
        return words::plain(sentence(row));
    const Theme& theme = Theme::current();
    if (role == Qt::ForegroundRole && column == Work)
        return QBrush(at(row).timesWork == 1 ? theme.secondary : theme.error);
    if (role != Qt::ForegroundRole || (column != Difference && column != Held))
        return {};
    const double change = column == Difference ? difference(row) : held(at(row));
    return QBrush(change == 0 ? theme.secondary : change < 0 ? theme.ok : theme.error);
}

} // namespace shardscope
