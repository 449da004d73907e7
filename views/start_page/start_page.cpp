// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/start_page.h"

#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <algorithm>
#include <functional>

#include "networks/presets.h"
#include "views/panel/panel.h"
#include "views/start_page/example_cards.h"
#include "views/start_page/task_list.h"
#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/low_room.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/search_field.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// Published transformers, family by family.
QMenu* presetMenu(QWidget* parent, const std::function<void(const QString&)>& choose)
{
    auto* menu = new QMenu(parent);
    menu->setToolTipsVisible(true);
    QMenu* family = nullptr;
    for (const TransformerPreset& preset : transformerPresets()) {
        if (const QString name = words::fromStd(preset.family); !family || family->title() != name) {
            family = menu->addMenu(name);
            family->setToolTipsVisible(true);
        }
        const QString id = words::fromStd(preset.id);
        QAction* action = family->addAction(words::fromStd(preset.title), menu, [choose, id] { choose(id); });
        action->setObjectName(id);
        action->setToolTip(StartPage::tr("%1 parameters").arg(words::count(static_cast<qint64>(preset.parameters))));
    }
    return menu;
}

int sideWidth()
{
    return Metrics::scaled(230);
}

RoleLabel* sectionTitle(const QString& text, QWidget* parent)
{
    return new RoleLabel(text, RoleLabel::Size::Semibold, &Theme::text, parent);
}

} // namespace

StartPage::StartPage(QMainWindow* window)
    : QWidget(window)
    , m_window(window)
    , m_search(new SearchField(
          QStringLiteral("search"), tr("Search questions, names, notes…"), tr("Search examples and tasks")))
    , m_order(new SegmentedBar({ tr("By document"), tr("By question"), tr("Tasks") }, this))
    , m_stack(new QStackedWidget(this))
    , m_cards(new ExampleCards)
    , m_cardsRoom(makePlain(new QScrollArea, m_cards, true))
    , m_tasks(new TaskList)
    , m_recentRows(vbox({}, 0, {}))
{
    setObjectName(QStringLiteral("startPage"));
    setAccessibleName(tr("Start page"));
    setBackgroundRole(QPalette::Window);
    setAutoFillBackground(true);
    m_order->setAccessibleName(tr("What is listed"));
    m_stack->addWidget(m_cardsRoom);
    m_stack->addWidget(m_tasks);
    auto* column = vbox(this, { 12, 10, 12, 10 }, 8, {});
    makeHead(column);
    column->addLayout(hbox({}, 12, { { m_stack, 1 }, makeSide() }), 1);

    connect(m_search, &QLineEdit::textChanged, this, &StartPage::filter);
    connect(m_search, &SearchField::downRequested, this, [this] {
        (shows() == Shows::Tasks ? static_cast<QWidget*>(m_tasks) : m_cards)->setFocus(Qt::OtherFocusReason);
    });
    connect(m_search, &SearchField::nextRequested, this, [this] {
        if (shows() == Shows::Tasks)
            m_tasks->open();
        else
            m_cards->open();
    });
    connect(m_order, &SegmentedBar::currentChanged, this, [this](int index) { setShows(static_cast<Shows>(index)); });
    connect(m_cards, &ExampleCards::openRequested, this, &StartPage::exampleRequested);
    connect(m_cards, &ExampleCards::revealRequested, this, [this](const QRect& card) {
        const QPoint middle = card.center();
        m_cardsRoom->ensureVisible(middle.x(), middle.y(), card.width() / 2, card.height() / 2 + Metrics::scaled(30));
    });
    connect(m_tasks, &TaskList::openRequested, this, &StartPage::taskRequested);
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
        // Somebody goes on in a dock: by its menu, a link, a key.
        const QWidget* at = isVisible() && now && !isAncestorOf(now) ? now : nullptr;
        while (at && !qobject_cast<const QDockWidget*>(at))
            at = at->parentWidget();
        if (at && m_window->isAncestorOf(at)) {
            m_before = nullptr;
            leave();
        }
    });
    window->installEventFilter(this);
    hide();
}

void StartPage::makeHead(QVBoxLayout* column)
{
    auto* title = new RoleLabel(tr("Start with an example"), RoleLabel::Size::Title, &Theme::text, this);
    auto* what = new RoleLabel(tr("Each one asks a question. What is opened is a copy: change it as you like."),
        RoleLabel::Size::Normal, RoleLabel::Elided, &Theme::secondary, this);
    auto* close = makeFlat(new QToolButton(this), QStringLiteral("close"), tr("Close the start page (Esc)"));
    close->setObjectName(QStringLiteral("closeStartPage"));
    connect(close, &QToolButton::clicked, this, &StartPage::leave);
    m_search->setMinimumWidth(Metrics::scaled(120));
    m_search->setMaximumWidth(Metrics::scaled(280));
    column->addLayout(hbox({}, 8, { title, boxStretch(1), close }));
    column->addLayout(hbox({}, 8, { { what, 3 }, m_order, { m_search, 2 } }));
}

QToolButton* StartPage::makeLine(const QString& picture, const QString& text, const QString& tip)
{
    auto* line = new QToolButton(this);
    line->setIcon(icon(picture));
    line->setText(QString(text).replace(u'&', QStringLiteral("&&"))); // names of files have it, and mean no key
    line->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    line->setAutoRaise(true);
    line->setFocusPolicy(Qt::StrongFocus);
    describe(line, text, plainTip(tip));
    line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // as wide as the side
    return line;
}

QWidget* StartPage::makeSide()
{
    auto* open = new QPushButton(icon(QStringLiteral("open"), IconColor::OnAccent), tr("Open a file…"), this);
    open->setObjectName(QStringLiteral("openYours"));
    setPrimary(open);
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    auto* which = new RoleLabel(
        tr("Experiments, StableHLO and HLO programs, tables of arrays, a model's config.json, rules. Or drop "
           "a file here."),
        RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, this);

    struct Kind {
        const char* picture;
        QString text, tip;
    };
    const Kind kinds[] = {
        { "model", tr("MLP"), tr("The network of the Flax notebook, without rules") },
        { "model", tr("Transformer…"), tr("A published model with a train step and rules") },
        { "names", tr("Table of arrays"), tr("Arrays with named dimensions, to be replaced by yours") },
        { "program", tr("Program"), tr("A product of two matrices in StableHLO's text") },
        { "new", tr("Blank"), tr("A mesh, no array and no rule") },
    };
    auto* news = vbox({}, 0, {});
    for (const Kind& kind : kinds) {
        QToolButton* line = makeLine(QLatin1String(kind.picture), kind.text, kind.tip);
        const auto made = static_cast<NewKind>(m_new.size());
        if (made == NewKind::Transformer) {
            line->setPopupMode(QToolButton::InstantPopup);
            line->setMenu(
                presetMenu(line, [this](const QString& preset) { Q_EMIT newRequested(NewKind::Transformer, preset); }));
        } else {
            connect(line, &QToolButton::clicked, this, [this, made] { Q_EMIT newRequested(made, QString()); });
        }
        m_new << line;
        news->addWidget(line);
    }
    auto* help = makeLine(QStringLiteral("info"), tr("How to make a table…"),
        tr("How the arrays of your model become a table that can be opened"));
    connect(help, &QToolButton::clicked, this, &StartPage::tableHelpRequested);
    news->addWidget(help);

    auto* content = new QWidget;
    vbox(content, { 12, 10, 12, 10 }, 6,
        { sectionTitle(tr("Open yours"), content), open, which, boxSpace(8), sectionTitle(tr("New"), content), news,
            boxSpace(8), sectionTitle(tr("Last files"), content), m_recentRows, boxStretch(1) });
    auto* side = makePlain(new QScrollArea, content, true);
    side->setObjectName(QStringLiteral("startSide"));
    side->setFixedWidth(sideWidth());
    return side;
}

QToolButton* StartPage::addRecent(const QString& picture, const QString& name, const QString& tip)
{
    const int room = sideWidth() - Metrics::scaled(70); // without margins and picture
    QToolButton* line = makeLine(picture, QFontMetrics(font()).elidedText(name, Qt::ElideMiddle, room), tip);
    line->setAccessibleName(name);
    m_recentRows->addWidget(line);
    return line;
}

void StartPage::fillRecent(const QStringList& files, const QStringList& leftChanges)
{
    while (QLayoutItem* item = m_recentRows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_recent.clear();
    m_left.clear();
    for (const QString& title : leftChanges) {
        const int place = static_cast<int>(m_left.size());
        QToolButton* line = addRecent(QStringLiteral("undo"), title, tr("Back to your changes of %1").arg(title));
        connect(line, &QToolButton::clicked, this, [this, place] { Q_EMIT leftRequested(place); });
        m_left << line;
    }
    for (const QString& path : files) {
        QToolButton* line = addRecent(QStringLiteral("open"), QFileInfo(path).fileName(), path);
        line->setEnabled(QFileInfo::exists(path));
        connect(line, &QToolButton::clicked, this, [this, path] { Q_EMIT fileRequested(path); });
        m_recent << line;
    }
    if (files.isEmpty() && leftChanges.isEmpty())
        m_recentRows->addWidget(new RoleLabel(tr("No files yet. They will be listed here."), RoleLabel::Size::Small,
            RoleLabel::Wrapped, &Theme::secondary, this));
    QWidget* before = m_new.back();
    for (QToolButton* line : m_left + m_recent) {
        setTabOrder(before, line);
        before = line;
    }
}

void StartPage::filter(const QString& text)
{
    m_cards->setFilter(text);
    m_tasks->setFilter(text);
    if (text.isEmpty())
        m_cardsRoom->ensureVisible(0, 0);
}

void StartPage::setShows(Shows what)
{
    m_order->setCurrent(static_cast<int>(what));
    m_stack->setCurrentIndex(what == Shows::Tasks ? 1 : 0);
    if (what != Shows::Tasks)
        m_cards->setOrder(
            what == Shows::ByQuestion ? ExampleCards::Order::ByQuestion : ExampleCards::Order::ByDocument);
}

void StartPage::present(const QString& opened, const QStringList& recentFiles, const QStringList& solvedTasks,
    const QStringList& leftChanges)
{
    if (!isVisible()) {
        m_before = QApplication::focusWidget();
        m_search->clear();
    }
    m_cards->setOpened(opened);
    m_cards->select(opened);
    m_tasks->setSolved(solvedTasks);
    fillRecent(recentFiles, leftChanges);
    // What is raised in the window stays below.
    for (QDockWidget* dock : m_window->findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        dock->installEventFilter(this);
    show();
    m_search->setFocus(Qt::OtherFocusReason);
}

void StartPage::leave()
{
    if (isHidden())
        return;
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    hide();
    if (m_before && m_before->isVisible() && hadFocus)
        m_before->setFocus(Qt::OtherFocusReason);
    m_before = nullptr;
}

void StartPage::fit()
{
    // Below whatever stands on top: menu, tools, messages.
    int top = 0, bottom = m_window->height();
    if (const QWidget* menu = m_window->menuWidget(); menu && menu->isVisible())
        top = menu->geometry().bottom() + 1;
    for (const QToolBar* bar : m_window->findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
        if (bar->isVisible() && m_window->toolBarArea(bar) == Qt::TopToolBarArea)
            top = std::max(top, bar->geometry().bottom() + 1);
    if (const auto* status = m_window->findChild<QStatusBar*>(QString(), Qt::FindDirectChildrenOnly);
        status && status->isVisible())
        bottom = status->geometry().top();
    setGeometry(0, top, m_window->width(), std::max(bottom - top, 1));
    raise();
}

bool StartPage::event(QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonRelease
        || event->type() == QEvent::MouseButtonDblClick || event->type() == QEvent::Wheel) {
        event->accept(); // nothing of it is for what is below
        return true;
    }
    return QWidget::event(event);
}

bool StartPage::eventFilter(QObject* watched, QEvent* event)
{
    if (isVisible()) {
        const bool ofWindow = watched == m_window;
        if (ofWindow && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest))
            QMetaObject::invokeMethod(
                this, [this] { fit(); }, Qt::QueuedConnection); // once bars have their places
        else if (!ofWindow && event->type() == QEvent::ZOrderChange)
            raise();
    }
    return QWidget::eventFilter(watched, event);
}

bool StartPage::focusNextPrevChild(bool next)
{
    QWidget* from = QApplication::focusWidget();
    if (!from || !isAncestorOf(from))
        from = this;
    const auto after = [next](const QWidget* widget) {
        return next ? widget->nextInFocusChain() : widget->previousInFocusChain();
    };
    for (QWidget* to = after(from); to != from; to = after(to)) {
        if (!isAncestorOf(to) || !(to->focusPolicy() & Qt::TabFocus) || !to->isEnabled() || !to->isVisible())
            continue;
        to->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
        return true;
    }
    return false;
}

void StartPage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        leave();
    else
        QWidget::keyPressEvent(event);
}

void StartPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    fit();
    Q_EMIT shownChanged();
}

void StartPage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    Q_EMIT shownChanged();
}

} // namespace shardscope
