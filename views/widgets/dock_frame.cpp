// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/dock_frame.h"

#include <QApplication>
#include <QEvent>
#include <QMainWindow>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPointer>
#include <QTimer>
#include <QToolButton>

#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/context_menu.h"

namespace shardscope {

namespace {

QToolButton* titleButton(const QString& icon, const QString& name, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(shardscope::icon(icon, IconColor::Secondary));
    button->setIconSize(QSize(Metrics::scaled(12), Metrics::scaled(12)));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus); // reached by menu and shortcut; keeps Tab within the content
    button->setAccessibleName(name);
    button->setToolTip(name);
    return button;
}

} // namespace

DockTitleBar::DockTitleBar(QDockWidget* dock)
    : QWidget(dock)
    , m_dock(dock)
    , m_maximise(titleButton(QStringLiteral("fit"), tr("Maximise %1").arg(dock->windowTitle()), this))
    , m_float(titleButton(QStringLiteral("float"), tr("Float %1").arg(dock->windowTitle()), this))
    , m_close(titleButton(QStringLiteral("close"), tr("Close %1").arg(dock->windowTitle()), this))
{
    connect(m_maximise, &QToolButton::clicked, dock, [dock] {
        if (auto* frame = qobject_cast<DockFrame*>(dock))
            Q_EMIT frame->maximiseRequested();
    });
    connect(m_float, &QToolButton::clicked, dock, [dock] {
        if (auto* frame = qobject_cast<DockFrame*>(dock))
            frame->toggleFloating();
    });
    giveContextMenu(this, [dock](QMenu& menu, std::optional<QPoint> place) -> std::optional<QRect> {
        if (auto* frame = qobject_cast<DockFrame*>(dock))
            frame->fillMenu(menu);
        return QRect(place.value_or(QPoint()), QSize());
    });
    connect(m_close, &QToolButton::clicked, dock, &QDockWidget::close);
    connect(dock, &QDockWidget::windowTitleChanged, this, [this] { update(); });
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void DockTitleBar::setIcon(const QIcon& icon)
{
    m_icon = icon;
    update();
}

void DockTitleBar::setKeyFigure(const QString& text, bool isBad)
{
    if (m_keyFigure == text && m_isFigureBad == isBad)
        return;
    m_keyFigure = text;
    m_isFigureBad = isBad;
    update();
}

void DockTitleBar::setActive(bool active)
{
    if (m_active == active)
        return;
    m_active = active;
    update();
}

void DockTitleBar::setTabbed(bool tabbed)
{
    if (m_tabbed == tabbed)
        return;
    m_tabbed = tabbed;
    showButtons();
    updateGeometry();
}

void DockTitleBar::setClosesOnly(bool only)
{
    m_closesOnly = only;
    showButtons();
}

void DockTitleBar::showButtons()
{
    m_close->setVisible(!m_tabbed);
    for (QToolButton* button : { m_maximise, m_float })
        button->setVisible(!m_tabbed && !m_closesOnly);
    update();
}

QSize DockTitleBar::sizeHint() const
{
    return { Metrics::scaled(120), m_tabbed ? 0 : Metrics::scaled(24) };
}

QSize DockTitleBar::minimumSizeHint() const
{
    return { Metrics::scaled(60), m_tabbed ? 0 : Metrics::scaled(24) };
}

void DockTitleBar::layOut()
{
    const int side = Metrics::scaled(20);
    const int y = (height() - side) / 2;
    m_close->setGeometry(width() - side - 2, y, side, side);
    m_float->setGeometry(width() - 2 * side - 2, y, side, side);
    m_maximise->setGeometry(width() - 3 * side - 2, y, side, side);
}

void DockTitleBar::mouseDoubleClickEvent(QMouseEvent* event)
{
    auto* frame = qobject_cast<DockFrame*>(m_dock);
    if (!frame || event->button() != Qt::LeftButton)
        return;
    event->accept(); // Qt's own would let it float
    Q_EMIT frame->maximiseRequested();
}

void DockTitleBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange) {
        updateGeometry();
        layOut();
    }
    QWidget::changeEvent(event);
}

void DockTitleBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.dockTitle);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.border);
    if (m_active)
        painter.fillRect(QRect(0, 0, width(), 2), theme.accent);
    const int side = Metrics::scaled(14);
    int x = Metrics::scaled(8);
    m_icon.paint(&painter, QRect(x, (height() - side) / 2, side, side));
    x += side + Metrics::scaled(6);

    const QFont bold = Metrics::semibold();
    const QToolButton* first = m_maximise->isVisible() ? m_maximise : m_close;
    const int right = first->isVisible() ? first->x() - Metrics::scaled(6) : width() - Metrics::scaled(8);
    // The key figure says what a badge would.
    const auto* frame = qobject_cast<const DockFrame*>(m_dock);
    const QString name = frame ? frame->name() : m_dock->windowTitle();
    const int nameWidth = QFontMetrics(bold).horizontalAdvance(name);
    const QFont small = Metrics::small();
    const int figureWidth = QFontMetrics(small).horizontalAdvance(m_keyFigure);
    // The name comes first; a key figure that does not fit beside it whole is left out.
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QRect(x, 0, right - x, height()), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(bold).elidedText(name, Qt::ElideRight, right - x));
    if (!m_keyFigure.isEmpty() && x + nameWidth + Metrics::scaled(8) + figureWidth <= right) {
        painter.setFont(small);
        painter.setPen(m_isFigureBad ? theme.error : theme.secondary);
        painter.drawText(QRect(x, 0, right - x, height()), Qt::AlignRight | Qt::AlignVCenter, m_keyFigure);
    }
}

DockFrame::DockFrame(const QString& id, const QString& icon, const QString& title, QWidget* content, QWidget* parent)
    : QDockWidget(title, parent)
    , m_iconName(icon)
    , m_name(title)
    , m_titleBar(nullptr)
{
    setObjectName(id);
    setWindowIcon(shardscope::icon(icon));
    m_titleBar = new DockTitleBar(this);
    m_titleBar->setIcon(shardscope::icon(icon));
    setTitleBarWidget(m_titleBar);
    setWidget(content);
    setAccessibleName(title);
    if (content->accessibleName().isEmpty())
        content->setAccessibleName(title);
    // Hidden while nobody can see it, it keeps the room that it needs.
    QSizePolicy policy = content->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    content->setSizePolicy(policy);
    content->hide();
    m_moved.setSingleShot(true);
    connect(&m_moved, &QTimer::timeout, this, &DockFrame::followPlace);
    toggleViewAction()->setIcon(shardscope::icon(icon));
    setFeatures(DockWidgetClosable | DockWidgetMovable | DockWidgetFloatable);
    // Qt's own would close what lies behind others, which looks like nothing.
    disconnect(toggleViewAction(), &QAction::triggered, this, nullptr);
    connect(toggleViewAction(), &QAction::triggered, this, [this] {
        if (isInFront())
            close();
        else
            summon();
        toggleViewAction()->setChecked(!isHidden());
    });
    connect(this, &QDockWidget::visibilityChanged, toggleViewAction(), &QAction::setChecked);
}

void DockFrame::setBadge(const QString& figure, const QIcon& icon)
{
    m_badge = icon;
    m_titleBar->setIcon(icon.isNull() ? shardscope::icon(m_iconName) : icon);
    const QString title = figure.isEmpty() ? m_name : QStringLiteral("%1 %2").arg(m_name, figure);
    if (windowTitle() != title)
        setWindowTitle(title);
}

void DockFrame::changeEvent(QEvent* event)
{
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::WindowTitleChange)
        toggleViewAction()->setText(m_name); // in the menu the dock has its name
}

void DockFrame::followPlace()
{
    const bool front = isInFront();
    widget()->setVisible(front);
    toggleViewAction()->setChecked(front);
}

bool DockFrame::event(QEvent* event)
{
    const bool taken = QDockWidget::event(event);
    switch (event->type()) {
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::ParentChange:
        m_moved.start();
        break;
    default:
        break;
    }
    return taken;
}

void DockFrame::present(QWidget* target, Qt::FocusReason reason)
{
    show();
    raise();
    widget()->show();
    if (QApplication::activeWindow() != window()) // one that floats is a window of its own
        activateWindow();
    if (!target && m_focusTarget)
        target = m_focusTarget();
    (target ? target : widget())->setFocus(reason);
}

void DockFrame::summon(QWidget* target, Qt::FocusReason reason)
{
    const bool wasInFront = isInFront();
    present(target, reason);
    if (!wasInFront)
        Q_EMIT summoned();
}

bool DockFrame::isInFront() const
{
    // Those behind a tab are kept outside of the window.
    return isVisible() && (isFloating() || window()->rect().intersects(QRect(mapTo(window(), QPoint()), size())));
}

void DockFrame::setOverEdge(bool over)
{
    setFeatures(over ? DockWidgetClosable : DockWidgetClosable | DockWidgetMovable | DockWidgetFloatable);
    m_titleBar->setClosesOnly(over);
}

void DockFrame::toggleFloating()
{
    if (isOverEdge())
        return;
    setFloating(!isFloating());
    present();
}

void DockFrame::fillMenu(QMenu& menu)
{
    if (!isOverEdge()) {
        addMenuAction(
            menu, "maximiseDock", tr("Maximise or put back"), [this] { Q_EMIT maximiseRequested(); },
            maximiseKeys().toString(QKeySequence::NativeText));
        addMenuAction(
            menu, "floatDock", isFloating() ? tr("Put back") : tr("Float"), [this] { toggleFloating(); },
            floatKeys().toString(QKeySequence::NativeText));
    }
    addMenuAction(menu, "copyDock", tr("Copy picture"), [this] { Q_EMIT copyRequested(); });
    addMenuAction(menu, "exportDock", tr("Export picture…"), [this] { Q_EMIT exportRequested(); });
    addMenuAction(menu, "helpDock", tr("Help"), [this] { Q_EMIT helpRequested(); });
    addMenuAction(
        menu, "closeDock", tr("Close"), [this] { close(); }, closeKeys().toString(QKeySequence::NativeText));
}

void DockFrame::closeEvent(QCloseEvent* event)
{
    // The keyboard goes on in the dock that comes to the front there. A closed dock shares its place with none.
    if (const auto* window = qobject_cast<const QMainWindow*>(parentWidget());
        window && isAncestorOf(QApplication::focusWidget())) {
        QList<QPointer<DockFrame>> others;
        for (QDockWidget* beside : window->tabifiedDockWidgets(this))
            if (auto* frame = qobject_cast<DockFrame*>(beside); frame && !frame->isHidden() && !frame->isFloating())
                others << frame;
        QTimer::singleShot(0, this, [others] {
            DockFrame* next = nullptr;
            for (DockFrame* other : others)
                if (other && !other->isHidden() && (!next || other->isInFront()))
                    next = other;
            if (next)
                next->present();
        });
    }
    QDockWidget::closeEvent(event);
    Q_EMIT closed();
}

void DockFrame::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.base);
    painter.setPen(theme.border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

} // namespace shardscope
