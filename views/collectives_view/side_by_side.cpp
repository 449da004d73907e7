// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/side_by_side.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QHeaderView>
#include <QPushButton>
#include <QStringList>
#include <QTableView>
#include <algorithm>

#include "analysis/analyse.h"
#include "experiment/model_settings.h"
#include "experiment_file/gallery.h"
#include "pipeline/stage_results.h"
#include "views/span_text/span_text.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/low_room.h"
#include "views/widgets/row_table.h"
#include "words/collective_texts.h"
#include "words/collective_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

ExampleColumn::ExampleColumn(const QString& example, QWidget* parent)
    : QWidget(parent)
    , m_choice(new QComboBox(this))
    , m_title(new OverflowLabel(
          RoleLabel::Size::Semibold, &Theme::text, [this](int width) { return !choiceFits(width); }, this))
    , m_question(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_total(new RoleLabel(RoleLabel::Size::Semibold, RoleLabel::Wrapped, &Theme::text, this))
    , m_result(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, this))
    , m_model(new CollectivesModel(this))
    , m_table(new QTableView(this))
    , m_cause(new SpanLabel(this))
    , m_job(this, [this](const MadePtr& made) { receive(made); })
{
    m_choice->setAccessibleName(tr("Example"));
    fitBox(m_choice, 10);
    for (const QString& id : examples())
        if (const GalleryExample* each = findExample(id.toStdString()))
            m_choice->addItem(words::fromStd(each->experiment.title), id);
    m_choice->setCurrentIndex(std::max(m_choice->findData(example), 0));
    makeRowTable(m_table, m_model, tr("Collectives of the example"));
    m_table->setItemDelegateForColumn(CollectivesModel::Axes, new ChipsDelegate(m_table));
    m_table->horizontalHeader()->setSectionsClickable(false);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_cause->setAccessibleName(tr("Why it is there"));
    vbox(this, { 8, 6, 8, 6 }, 6,
        { m_choice, m_title, m_question, m_total, { m_table, 1 }, m_cause, m_result, boxStretch() });
    connect(m_choice, &QComboBox::currentIndexChanged, this, &ExampleColumn::load);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ExampleColumn::showCause);
}

QStringList ExampleColumn::examples()
{
    QStringList ids;
    for (const GalleryExample& each : gallery())
        if (listedArrays(each.experiment).empty()) // arrays alone exchange nothing
            ids << QString::fromUtf8(each.id.data(), static_cast<qsizetype>(each.id.size()));
    return ids;
}

bool ExampleColumn::choiceFits(int width) const
{
    return m_choice->fontMetrics().horizontalAdvance(m_choice->currentText()) + Metrics::scaled(40) <= width;
}

void ExampleColumn::load()
{
    const QString id = m_choice->currentData().toString();
    const GalleryExample* example = findExample(id.toStdString());
    if (!isVisible() || id == m_loaded || !example)
        return;
    m_loaded = id;
    m_sent.reset();
    m_numbers.reset();
    m_result->hide();
    m_title->setText(m_choice->currentText());
    m_question->setText(QString::fromUtf8(example->question.data(), static_cast<qsizetype>(example->question.size())));
    m_total->setText(tr("Being worked out"));
    m_model->setStale(true);
    m_job.request([example](const std::stop_token& stop) -> MadePtr {
        AnalysisCache cache;
        SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(example->experiment), 0, cache, stop);
        if (!snapshot) // called off; nobody gets it
            return nullptr;
        Result<std::shared_ptr<const CollectiveList>> list = collectivesOf(*snapshot);
        std::optional<words::ExampleNumbers> numbers = words::exampleNumbers(*snapshot, stop);
        return std::make_shared<const Made>(Made{ std::move(snapshot), std::move(list), std::move(numbers) });
    });
}

void ExampleColumn::receive(const MadePtr& made)
{
    if (!made)
        return;
    if (!made->list) {
        m_model->setList(nullptr, nullptr);
        m_total->setText(words::describe(made->list.error()).cause);
    } else {
        m_model->setList(*made->list, made->snapshot);
        const SentBytes sent = sentBytes(**made->list);
        m_sent = sent.step;
        m_total->setText(words::totalText(**made->list, sent.step));
    }
    m_numbers = made->numbers;
    const QString result = m_numbers ? words::numbersText(*m_numbers) : QString();
    showText(m_result, result);
    for (int column = 0; column < CollectivesModel::ColumnCount; ++column) {
        const bool shown = column == CollectivesModel::Kind || column == CollectivesModel::Axes
            || column == CollectivesModel::Tensor || column == CollectivesModel::Sent;
        m_table->setColumnHidden(column, !shown);
        if (shown)
            m_table->horizontalHeader()->setSectionResizeMode(
                column, column == CollectivesModel::Tensor ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
    }
    // As high as there are rows, down to three, where there is less room.
    const auto heightOf = [this](int rows) {
        return m_table->horizontalHeader()->sizeHint().height() + rows * m_table->verticalHeader()->defaultSectionSize()
            + 2 * m_table->frameWidth() + 2;
    };
    m_table->setMinimumHeight(heightOf(std::min(m_model->rowCount(), 3)));
    m_table->setMaximumHeight(heightOf(m_model->rowCount()));
    m_table->setVisible(m_model->rowCount() > 0);
    if (m_model->rowCount() > 0)
        m_table->setCurrentIndex(m_model->index(0, CollectivesModel::Kind));
    showCause();
    Q_EMIT listed();
}

void ExampleColumn::showCause()
{
    const int row = m_table->currentIndex().row();
    words::Text text;
    if (m_model->list() && row >= 0 && row < m_model->rowCount()) {
        text = words::collectiveCause(*m_model->list(), m_model->entry(row));
        for (words::Span& span : text)
            span.link.clear(); // it is of another program than the one that is open
        text.push_back({ QStringLiteral(" "), words::Span::Style::Plain, -1 });
        for (words::Span& span : words::collectiveCost(m_model->entry(row)))
            text.push_back(std::move(span));
    }
    m_cause->setVisible(!text.empty());
    m_cause->setText(std::move(text));
}

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
    std::vector<words::ExampleNumbers> numbers;
    for (const ExampleColumn* each : m_columns)
        if (each->numbers())
            numbers.push_back(*each->numbers());
    if (numbers.size() == m_columns.size())
        sentences << words::agreementText(numbers);
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
