// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sharding_lab/result_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFrame>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <algorithm>
#include <limits>

#include "views/shard_grid_view/grid_tray.h"
#include "views/sharding_lab/form_row.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/zoom_trail.h"
#include "words/lab_words.h"
#include "words/words.h"

namespace shardscope {

namespace {
void makePlain(QTableView* table, QAbstractItemModel* model, const QString& name)
{
    makeRowTable(table, model, name);
    table->setAlternatingRowColors(true);
    table->setTextElideMode(Qt::ElideRight);
    table->horizontalHeader()->setStretchLastSection(true);
}

/// Grids of arrays of a high rank are many: each is kept small, then.
GridTextOptions gridOptions(const LabResult& result, const LabDevices& devices)
{
    GridTextOptions options;
    options.platform = devices.platform;
    options.maximumCells = result.shape.size() > 2 ? 12 : 64;
    return options;
}

bool sameShardings(const Layout& a, const Layout& b)
{
    const Shape &first = a.shardGrid(), &second = b.shardGrid();
    return std::ranges::equal(
        first, second, [](std::int64_t one, std::int64_t other) { return (one > 1) == (other > 1); });
}

} // namespace

ResultPanel::ResultPanel(LabState* state, Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_array(new RoleLabel(RoleLabel::Size::Fixed, RoleLabel::Elided, &Theme::text, this))
    , m_bytes(new RoleLabel(RoleLabel::Size::Semibold, RoleLabel::Elided, &Theme::text, this))
    , m_holders(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_uneven(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::warning, this))
    , m_stale(
          new RoleLabel(tr("Of the last sharding that could be used:"), RoleLabel::Size::Small, &Theme::warning, this))
    , m_bar(new SegmentedBar({ tr("Grid"), tr("As text"), tr("Groups"), tr("Compare") }, this))
    , m_line(new QBoxLayout(QBoxLayout::TopToBottom, this))
    , m_pages(new QStackedWidget(this))
    , m_canvas(new GridCanvas(selection, this))
    , m_tray(new GridTray(m_canvas, this))
    , m_trail(new ZoomTrail(this))
    , m_groups(new ReplicaGroupsModel(this))
{
    m_array->setAccessibleName(tr("Array and shape of a shard"));
    m_uneven->hide();
    m_stale->hide();
    m_bar->setAccessibleName(tr("What is shown of the sharding"));
    m_canvas->setAccessibleName(tr("Shards of the laboratory's array"));
    m_canvas->setEmptyText(tr("Write a shape and a sharding that fit each other to see who holds what."));

    m_canvas->setMinimumHeight(Metrics::scaled(120));

    auto* head = vbox({ 8, 6, 8, 4 }, 2, { m_stale, m_array, m_bytes, m_holders, m_uneven });
    auto* bar = hbox({ 8, 2, 8, 4 }, styleSpacing, { m_bar, boxStretch() });

    auto* gridPage = new QWidget(this);
    vbox(gridPage, {}, 0, { m_tray, { m_canvas, 1 }, m_trail });
    m_pages->addWidget(gridPage);
    m_pages->addWidget(makeTextPage());
    m_pages->addWidget(makeGroupsPage());
    m_pages->addWidget(makeComparePage());

    m_line->setContentsMargins(0, 0, 0, 0);
    m_line->setSpacing(0);
    m_line->addLayout(vbox({}, 0, { head, bar, boxStretch() }));
    m_line->addWidget(m_pages, 1);
    connect(m_canvas, &GridCanvas::zoomChanged, this, [this] { m_trail->setPlaces(m_canvas->trail()); });
    connect(m_trail, &ZoomTrail::chosen, m_canvas, &GridCanvas::zoomTo);
    connect(m_bar, &SegmentedBar::currentChanged, this, [this](int page) {
        m_pages->setCurrentIndex(page);
        refreshPage();
    });
}

QWidget* ResultPanel::makeTextPage()
{
    auto* page = new QWidget(this);
    m_text = new QPlainTextEdit(page);
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(Metrics::fixed());
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setTabChangesFocus(true);
    m_text->setAccessibleName(tr("Grid as visualize_array_sharding prints it"));
    auto* copy = new QPushButton(tr("Copy"), page);
    describe(copy, tr("Copy the grid as text"), tr("Copies the grid as text"));
    auto* line = hbox({ 8, 2, 8, 4 }, styleSpacing,
        { new RoleLabel(
              tr("As jax.debug.visualize_array_sharding prints it"), RoleLabel::Size::Small, &Theme::secondary, page),
            boxStretch(), copy });
    vbox(page, {}, 0, { line, { m_text, 1 } });
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_text->toPlainText()); });
    return page;
}

QWidget* ResultPanel::makeGroupsPage()
{
    m_groupsTable = new QTableView(this);
    makePlain(m_groupsTable, m_groups, tr("Shards and the devices that hold them"));
    m_groupsTable->setColumnWidth(ReplicaGroupsModel::Shard, Metrics::scaled(48));
    m_groupsTable->setColumnWidth(ReplicaGroupsModel::Ranges, Metrics::scaled(220));
    return m_groupsTable;
}

QWidget* ResultPanel::makeComparePage()
{
    auto* page = new QWidget(this);
    m_other = new FormRow(
        tr("B"), tr("Another sharding of the same array, in any text form; A is the one of the laboratory"), page);
    m_other->copyButton()->hide();
    auto* take = new QToolButton(page);
    take->setText(tr("B = A"));
    describe(take, tr("Take A as B"), tr("Takes the laboratory's sharding as B, to be compared with what comes next"));
    take->setObjectName(QStringLiteral("takeA"));
    m_verdict = new RoleLabel(RoleLabel::Size::Title, &Theme::text, page);
    m_sentence = new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, page);
    m_facts = new QTableWidget(0, 3, page);
    makePlain(m_facts, m_facts->model(), tr("A and B beside each other"));
    m_facts->setHorizontalHeaderLabels({ QString(), tr("A"), tr("B") });
    for (int section = 0; section < 3; ++section)
        m_facts->horizontalHeaderItem(section)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_facts->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_facts->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    auto* line = hbox({}, 6, { { m_other, 1 }, { take, 0, Qt::AlignTop } });
    auto* words = vbox({ 8, 4, 8, 6 }, 4, { line, m_verdict, m_sentence });
    vbox(page, {}, 0, { words, { m_facts, 1 } });
    const auto compareWith = [this](std::string other) {
        m_state->setOther(std::move(other));
        Q_EMIT changed();
    };
    connect(m_other, &FormRow::edited, this, [=](const QString& typed) { compareWith(typed.toStdString()); });
    connect(m_other, &FormRow::escaped, this, [=] { compareWith({}); });
    connect(take, &QToolButton::clicked, this, [=, this] { compareWith(m_state->shortText()); });
    return page;
}

void ResultPanel::refresh()
{
    const std::optional<LabResult>& result = m_state->result();
    QColor Theme::*colour = m_state->isStale() ? &Theme::hint : &Theme::text;
    m_stale->setVisible(m_state->isStale() && result);
    m_array->setColour(colour);
    m_bytes->setColour(colour);
    m_array->setText(result ? lab::arrayText(*result) : QString());
    m_bytes->setText(result ? lab::bytesText(*result) : QString());
    m_holders->setText(result
            ? QStringList{ lab::holdersText(*result), lab::addressableText(*result, m_state->devices()),
                lab::memoryText(*result, m_state->devices()) }
                  .join(QLatin1Char(' '))
            : QString());
    showText(m_uneven, result ? lab::unevenText(*result) : QString());
    if (result) {
        refreshGrid(*result);
    } else {
        m_canvas->setSubject(std::nullopt);
        m_tray->follow();
    }
    refreshPage();
}

void ResultPanel::refreshGrid(const LabResult& result)
{
    const bool same = m_drawn && sameShardings(*m_drawn, result.layout);
    m_drawn = result.layout;
    const LabDevices& devices = m_state->devices();
    m_canvas->setSubject(
        GridSubject{ result.layout, result.names, byteSize(result.dtype), devices.devicesPerHost, devices.places });
    if (!same) {
        m_canvas->setCurrentCell(std::nullopt);
        m_canvas->setChoice(GridLayout::defaultChoice(result.layout));
    }
    m_tray->follow();
}

void ResultPanel::refreshPage()
{
    const std::optional<LabResult>& result = m_state->result();
    switch (m_pages->currentIndex()) {
    case Text: {
        QStringList lines;
        if (result)
            for (const std::string& line : toGridText(result->layout, gridOptions(*result, m_state->devices())))
                lines << QString::fromStdString(line);
        m_text->setPlainText(lines.join(QLatin1Char('\n')));
        break;
    }
    case Groups:
        m_groups->setResult(result);
        break;
    case Compare:
        refreshComparison();
        break;
    default:
        break;
    }
}

void ResultPanel::refreshComparison()
{
    const std::optional<LabResult>& result = m_state->result();
    const std::optional<ShardingComparison>& comparison = m_state->comparison();
    m_other->setText(QString::fromStdString(m_state->otherText()), tr("P(None, 'x'), or any other form"));
    m_other->setProblem(m_state->otherProblem());
    lab::Verdict verdict;
    if (comparison && m_state->otherResult())
        verdict = lab::verdict(*comparison, *result, *m_state->otherResult());
    else if (m_state->otherText().empty())
        verdict.sentence = tr("Write a second sharding as B to see whether the devices hold the same under both.");
    else if (!m_state->otherProblem())
        verdict.sentence = tr("A and B are compared once A can be used.");
    showText(m_verdict, verdict.title);
    showText(m_sentence, verdict.sentence);
    m_facts->setVisible(result.has_value());
    if (!result)
        return;
    const auto rows = lab::facts(*result, m_state->otherResult() ? &*m_state->otherResult() : nullptr);
    m_facts->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < m_facts->rowCount(); ++row)
        for (int column = 0; column < 3; ++column) {
            if (!m_facts->item(row, column))
                m_facts->setItem(row, column, new QTableWidgetItem);
            const QString& text = rows[static_cast<std::size_t>(row)][column];
            m_facts->item(row, column)->setText(text);
            m_facts->item(row, column)->setToolTip(plainTip(text));
        }
}

void ResultPanel::setFiguresBeside(bool beside)
{
    m_line->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_line->setStretch(0, beside ? 2 : 0);
    m_line->setStretch(1, beside ? 3 : 1);
}

QSize ResultPanel::minimumSizeHint() const
{
    const QSize figures = m_line->itemAt(0)->minimumSize(), pages = m_line->itemAt(1)->minimumSize();
    return { std::max(figures.width(), pages.width()), m_line->minimumSize().height() };
}

void ResultPanel::keyPressEvent(QKeyEvent* event)
{
    if (!m_tray->chooseByKey(event->key(), event->modifiers()))
        QWidget::keyPressEvent(event);
}

namespace {

/// All of them up to a line's worth, then how many there are.
QString devicesText(const std::vector<std::int32_t>& ids)
{
    constexpr std::size_t maxNamed = 16;
    if (ids.size() > maxNamed)
        return ReplicaGroupsModel::tr("d%1 … d%2, %3")
            .arg(ids.front())
            .arg(ids.back())
            .arg(words::counted(static_cast<qint64>(ids.size()), words::Noun::Device));
    QStringList names;
    for (const std::int32_t id : ids)
        names << QStringLiteral("d%1").arg(id);
    return names.join(QStringLiteral(", "));
}

} // namespace

ReplicaGroupsModel::ReplicaGroupsModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({
        { tr("Shard"), [](int row) { return QString::number(row); }, ModelColumn::Look::Number },
        { tr("Index ranges"),
            [this](int row) { return lab::rangesText(m_result->layout.rangesOfShard(row), *m_result); } },
        { {}, [this](int row) { return devicesText(m_result->layout.holders(row)); } },
    });
    setResult({});
}

void ReplicaGroupsModel::setResult(std::optional<LabResult> result)
{
    refill(false, [&] {
        m_result = std::move(result);
        setTitle(Devices,
            m_result && m_result->layout.addends() > 1 ? tr("Devices, each with a partial sum")
                                                       : tr("Devices that hold it"));
    });
}

int ReplicaGroupsModel::count() const
{
    if (!m_result)
        return 0;
    return static_cast<int>(
        std::min<std::int64_t>(m_result->layout.distinctShards(), std::numeric_limits<std::int32_t>::max()));
}

QVariant ReplicaGroupsModel::cell(int row, int column, int role) const
{
    return role == Qt::ToolTipRole ? QVariant(text(row, column)) : QVariant();
}

} // namespace shardscope
