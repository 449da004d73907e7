// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/collectives_view.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QSignalBlocker>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "analysis/host_transfers.h"
#include "views/collectives_view/collective_page.h"
#include "views/collectives_view/side_by_side.h"
#include "views/collectives_view/sums_bars.h"
#include "views/panel/follow_link.h"
#include "views/panel/obstacle.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/segmented_bar.h"
#include "words/collective_texts.h"
#include "words/links.h"
#include "words/memory_words.h"

namespace shardscope {

namespace {

constexpr std::array keys{ CollectiveKey::Kind, CollectiveKey::Axes, CollectiveKey::Layer, CollectiveKey::Source };

std::size_t at(CollectiveKey key)
{
    return static_cast<std::size_t>(key);
}

/// Any entry that sums() puts under the key.
const CollectiveEntry* example(const CollectiveList& list, CollectiveKey key, const std::string& name)
{
    const auto found = std::find_if(list.entries.begin(), list.entries.end(),
        [&](const CollectiveEntry& entry) { return keyOf(entry, key) == name; });
    return found == list.entries.end() ? nullptr : &*found;
}

Rational sentInAll(const CollectiveList& list)
{
    return sentBytes(list).step;
}

} // namespace

void CollectivesView::connectAll()
{
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        CollectiveFilter filter = m_filter->filter();
        filter.text = text;
        applyFilter(std::move(filter));
    });
    for (const CollectiveKey key : keys)
        connect(choice(key), &QComboBox::currentIndexChanged, this, [this, key](int chosen) {
            CollectiveFilter filter = m_filter->filter();
            filter.keys[at(key)] =
                chosen <= 0 ? std::nullopt : std::optional(choice(key)->itemData(chosen).toString().toStdString());
            applyFilter(std::move(filter));
        });
    connect(m_sumsBy, &SegmentedBar::currentChanged, this, [this] {
        m_sumsChosen = true;
        showSums();
    });
    connect(m_sums, &SumsBars::toggled, this, [this](const std::string& name, bool chosen) {
        QComboBox* box = choice(keys[static_cast<std::size_t>(m_sumsBy->current())]);
        box->setCurrentIndex(chosen ? box->findData(QString::fromStdString(name)) : 0);
    });
    connect(m_sums, &SumsBars::currentMoved, this,
        [this](const QRect& row) { m_sumsScroll->ensureVisible(row.center().x(), row.center().y(), 0, row.height()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        showCurrent();
        if (!m_following)
            selectCurrent();
    });
    connect(m_table->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] { m_isScrolledByHand = true; });
    connect(m_page, &CollectivePage::dockRequested, this, &CollectivesView::dockRequested);
    connect(m_page, &CollectivePage::previewRequested, this, &CollectivesView::previewRequested);
    connect(m_compare, &QToolButton::clicked, this, [this] {
        showSideBySide(true);
        m_side->backButton()->setFocus();
    });
    connect(m_side, &SideBySide::left, this, [this] {
        showSideBySide(false);
        m_compare->setFocus();
    });
    connect(m_document, &Document::replaced, this, [this] {
        // Another program: nothing of the earlier one is kept.
        m_compares = false;
        showList(nullptr, nullptr);
    });
    connect(m_document, &Document::snapshotChanged, this, &CollectivesView::refresh);
    connect(m_selection, &Selection::changed, this, &CollectivesView::followSelection);
    auto* find = new QShortcut(QKeySequence::Find, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
}

bool CollectivesView::isWorking() const
{
    return isVisible() && (m_page->isWorking() || (m_compares && m_side->isWorking()));
}

/// The list of what the document shows, if that can be seen.
void CollectivesView::refresh()
{
    const SnapshotPtr snapshot = shownSnapshot(*m_document);
    if (!snapshot || !snapshot->collectives) {
        showList(nullptr, snapshot);
        const std::optional<Obstacle> obstacle = obstacleOf(*m_document);
        if (snapshot && snapshot->notPlanned) {
            showEmpty(tr("There is no list of collectives: %1").arg(words::describe(*snapshot->notPlanned).inFull()));
        } else {
            showEmpty(obstacle ? obstacle->stepText() : tr("The experiment is being analysed."));
        }
        return;
    }
    if (!isVisible() || (m_model->list() && m_model->snapshot() == snapshot))
        return;
    showList(snapshot->collectives, snapshot);
    if (!snapshot->collectives->entries.empty())
        return;
    if (const std::optional<Obstacle> obstacle = obstacleOf(*m_document)) {
        showEmpty(obstacle->stepText()); // arrays without a step send nothing, and do nothing
        return;
    }
    QString sentence = snapshot->mesh && snapshot->mesh->deviceCount() == 1
        ? tr("There is one device: nothing is sent.")
        : tr("Nothing is sent: every device has what it needs.");
    if (const HostTransfers transfers = hostTransfers(*snapshot); !transfers.empty()) {
        const QString sum = words::transferSummary(transfers);
        const QString lines = words::transferLines(*snapshot, transfers).join(QLatin1Char('\n'));
        sentence = sum.isEmpty()
            ? tr("%1 Between memories:\n%2", "nothing is sent; one line for each").arg(sentence, lines)
            : tr("%1 Between memories, %2.\n%3", "nothing is sent; sum of transfers; one line for each")
                  .arg(sentence, sum, lines);
    }
    showEmpty(sentence);
}

void CollectivesView::showEmpty(const QString& sentence)
{
    m_emptyText = sentence;
    m_empty->setSentence(sentence);
    m_shown = false;
    showPage();
}

void CollectivesView::showPage()
{
    m_side->setVisible(m_compares);
    m_content->setVisible(!m_compares && m_shown);
    m_empty->setVisible(!m_compares && !m_shown);
}

void CollectivesView::showSideBySide(bool shown)
{
    m_compares = shown;
    showPage();
}

void CollectivesView::showList(CollectiveListPtr list, const SnapshotPtr& snapshot)
{
    const int before = current();
    const QString path =
        before >= 0 ? m_model->index(before, 0).data(CollectivesModel::PathRole).toString() : QString();
    const bool sameProgram = m_model->list() != nullptr;
    m_following = true;
    m_page->show(nullptr, 0, nullptr, {}, {});
    m_model->setList(list, snapshot);
    fillChoices();
    const bool any = m_model->rowCount() > 0;
    m_shown = any;
    showPage();
    if (any) {
        m_emptyText.clear();
        fitColumns();
        // A single sum says nothing: begin with what there are several of.
        if (!m_sumsChosen && !sameProgram)
            for (const CollectiveKey key : keys)
                if (sums(*list, key).size() > 1) {
                    const QSignalBlocker quiet(m_sumsBy);
                    m_sumsBy->setCurrent(static_cast<int>(at(key)));
                    break;
                }
        showSums();
        showTotal();
    }
    const QString figure = list && any ? words::totalText(*list, sentInAll(*list)) : QString();
    // The same collective as before, if there is one; else one of the selected value; else the first.
    m_tensor = m_selection->tensor();
    m_model->setMarked(m_tensor);
    if (any) {
        const bool stays = sameProgram && before >= 0 && before < m_model->rowCount()
            && m_model->index(before, 0).data(CollectivesModel::PathRole).toString() == path;
        if (m_selection->collective() >= 0)
            chooseSelected();
        else if (stays)
            choose(before);
        else
            chooseMarked();
        if (current() < 0)
            m_table->setCurrentIndex(m_filter->index(0, 0));
    }
    m_following = false;
    setKeyFigure(figure);
}

void CollectivesView::fillChoices()
{
    const QString all[] = { tr("All kinds"), tr("All axes"), tr("All layers"), tr("All lines") };
    CollectiveFilter filter = m_filter->filter();
    for (const CollectiveKey key : keys) {
        QComboBox* box = choice(key);
        const QSignalBlocker quiet(box);
        box->clear();
        box->addItem(all[at(key)]);
        auto& chosen = filter.keys[at(key)];
        bool found = false;
        if (const CollectiveListPtr& list = m_model->list())
            for (const CollectiveSum& sum : sums(*list, key))
                if (const CollectiveEntry* entry = example(*list, key, sum.key)) {
                    box->addItem(words::keyName(*entry, key), QString::fromStdString(sum.key));
                    if (chosen == sum.key) {
                        box->setCurrentIndex(box->count() - 1);
                        found = true;
                    }
                }
        if (!found)
            chosen.reset();
        box->setVisible(box->count() > 2); // one alone is no choice
    }
    m_filter->setFilter(std::move(filter));
}

void CollectivesView::applyFilter(CollectiveFilter filter)
{
    const int before = current();
    m_following = true;
    m_filter->setFilter(std::move(filter));
    if (before >= 0)
        choose(before);
    if (current() < 0 && m_filter->rowCount() > 0)
        m_table->setCurrentIndex(m_filter->index(0, 0));
    m_following = false;
    showSums();
    showTotal();
}

void CollectivesView::showSums()
{
    if (!m_model->list())
        return;
    const CollectiveKey key = keys[static_cast<std::size_t>(m_sumsBy->current())];
    const CollectiveList list = m_filter->passing(key);
    const double all = sentInAll(list).value();
    std::vector<SumBar> bars;
    for (const CollectiveSum& sum : sums(list, key)) {
        const CollectiveEntry* entry = example(list, key, sum.key);
        if (!entry)
            continue;
        SumBar bar;
        bar.key = sum.key;
        bar.name = words::keyName(*entry, key);
        if (key == CollectiveKey::Axes && entry->axes.size() == 1)
            bar.axis = entry->axes.front().axis;
        bar.share = all > 0 ? sum.sent.value() / all : 0;
        bar.figure = words::percent(bar.share);
        bar.more = words::totalText(sum.collectives, sum.sent);
        bars.push_back(std::move(bar));
    }
    m_sums->setBars(std::move(bars), m_filter->filter().keys[at(key)]);
}

void CollectivesView::showTotal()
{
    if (!m_model->list())
        return;
    const bool any = m_filter->rowCount() > 0;
    m_table->setVisible(any);
    m_none->setVisible(!any);
    const CollectiveList& list = *m_model->list();
    const SentBytes sent = sentBytes(list);
    QString text;
    if (m_filter->filter().isEmpty())
        text = words::totalText(list, sent.step);
    else
        text = tr("%1 of %2, %3 of %4 per step", "7 of 16 collectives, 168 KiB of 8.16 MiB per step")
                   .arg(words::count(words::exchangesIn(m_filter->passing())),
                       words::counted(words::exchangesIn(list), words::Noun::Collective),
                       words::bytes(sentInAll(m_filter->passing())), words::bytes(sent.step));
    if (!(sent.scalarLoss == Rational(0)))
        text = tr("%1; the loss apart, %2").arg(text, words::bytes(sent.scalarLoss));
    const SnapshotPtr snapshot = m_model->snapshot();
    const HostTransfers transfers = snapshot ? hostTransfers(*snapshot) : HostTransfers();
    const QString moved = words::transferSummary(transfers);
    if (!moved.isEmpty())
        text = tr("%1; between memories, %2", "what is sent, what moves between host and device").arg(text, moved);
    m_total->setText(text);
    m_total->setToolTip(
        moved.isEmpty() ? QString() : plainTip(words::transferLines(*snapshot, transfers).join(QLatin1Char('\n'))));
}

int CollectivesView::current() const
{
    const QModelIndex row = m_table->currentIndex();
    return row.isValid() ? m_filter->mapToSource(row).row() : -1;
}

void CollectivesView::choose(int collective)
{
    if (collective < 0 || collective >= m_model->rowCount())
        return;
    const QModelIndex row = m_filter->mapFromSource(m_model->index(collective, 0));
    if (!row.isValid())
        return;
    m_table->setCurrentIndex(row);
    showChosen();
}

/// The list from its beginning, or where the chosen row is not among those, with what stands around it.
void CollectivesView::showChosen()
{
    const auto isSeen = [this, row = m_table->currentIndex()] {
        const QRect place = m_table->visualRect(row);
        return !row.isValid() || (place.top() >= 0 && place.bottom() < m_table->viewport()->height());
    };
    if (m_isScrolledByHand && isSeen())
        return;
    m_isScrolledByHand = false;
    m_table->scrollToTop();
    if (!isSeen())
        m_table->scrollTo(m_table->currentIndex(), QAbstractItemView::PositionAtCenter);
}

void CollectivesView::showCurrent()
{
    const int row = current();
    if (row < 0 || !m_model->list()) {
        m_page->show(nullptr, 0, nullptr, {}, {});
        return;
    }
    m_page->show(
        m_model->list(), static_cast<std::size_t>(row), m_model->snapshot(), m_model->named(row), m_model->rule(row));
}

/// What is chosen here is chosen everywhere.
void CollectivesView::selectCurrent()
{
    const int row = current();
    if (row < 0)
        return;
    m_following = true;
    const ProgramPtr& program = m_model->snapshot()->program;
    const ValueId value = m_model->named(row);
    // A nameless value stands for the operation that makes it.
    if (const QString path = m_model->index(row, 0).data(CollectivesModel::PathRole).toString(); !path.isEmpty())
        m_selection->setTensor(path);
    else if (value.valid() && value.index < program->values.size())
        followLink(*m_selection, words::valueLink(*program, value));
    m_selection->setCollective(row);
    m_following = false;
}

void CollectivesView::followSelection()
{
    const int collective = m_selection->collective();
    const bool isOther = std::exchange(m_collective, collective) != collective;
    const bool isOtherTensor = std::exchange(m_tensor, m_selection->tensor()) != m_selection->tensor();
    if (isOtherTensor)
        m_model->setMarked(m_tensor);
    if (m_following)
        return;
    if (isOther && collective >= 0)
        chooseSelected();
    else if (isOtherTensor)
        chooseMarked();
}

/// The one that is selected, even though there are others of the same value.
void CollectivesView::chooseSelected()
{
    const bool following = std::exchange(m_following, true);
    choose(m_selection->collective());
    m_following = following;
}

/// Of the collectives of the selected value the first one that is shown, unless one of them is chosen.
void CollectivesView::chooseMarked()
{
    const int row = current();
    if (!m_model->list() || (row >= 0 && m_model->isMarked(row)))
        return;
    const bool following = std::exchange(m_following, true);
    for (int i = 0; i < m_filter->rowCount(); ++i) {
        const int source = m_filter->mapToSource(m_filter->index(i, 0)).row();
        if (m_model->isMarked(source)) {
            choose(source);
            break;
        }
    }
    m_following = following;
}

void CollectivesView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
    fitNames();
}

bool CollectivesView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize) {
        fitNames();
        if (!m_isScrolledByHand) // once the table knows how far it can be scrolled
            QMetaObject::invokeMethod(this, &CollectivesView::showChosen, Qt::QueuedConnection);
    }
    return QWidget::eventFilter(watched, event);
}

void CollectivesView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_compares) {
        showSideBySide(false);
        m_compare->setFocus();
        return;
    }
    if (event->key() == Qt::Key_Escape && !m_filter->filter().isEmpty()) {
        m_search->clear();
        for (QComboBox* box : m_choices)
            box->setCurrentIndex(0);
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace shardscope
