// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/dock_tabs.h"

#include <QMainWindow>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <functional>
#include <utility>

#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/dock_frame.h"

namespace shardscope {

namespace {

constexpr int flashDuration = 700; // ms

/// An outline over a widget's part that goes by itself and lets the pointer through. It follows that part: the title of
/// a tab may become longer meanwhile.
class FlashOutline : public QWidget {
public:
    FlashOutline(std::function<QRect()> place, QWidget* parent)
        : QWidget(parent)
        , m_place(std::move(place))
    {
        setObjectName(QStringLiteral("flash"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setGeometry(parent->rect());
        parent->installEventFilter(this);
        show();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize)
            setGeometry(parentWidget()->rect());
        return QWidget::eventFilter(watched, event);
    }
    void paintEvent(QPaintEvent*) override
    {
        if (!std::exchange(m_seen, true)) // from now on somebody sees it
            QTimer::singleShot(flashDuration, this, &QObject::deleteLater);
        QPainter painter(this);
        painter.setPen(QPen(Theme::current().accent, 2));
        painter.drawRect(m_place().adjusted(1, 1, -1, -1));
    }

private:
    std::function<QRect()> m_place;
    bool m_seen = false;
};

QToolButton* addTabButton(const QString& picture, const char* name, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QLatin1String(name));
    button->setIcon(icon(picture, IconColor::Secondary));
    button->setIconSize(QSize(Metrics::scaled(12), Metrics::scaled(12)));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus); // as those of title bars: menu and shortcuts do the same
    return button;
}

} // namespace

DockTabs::DockTabs(QMainWindow* window, const QList<DockFrame*>* docks)
    : QObject(window)
    , m_window(window)
    , m_docks(docks)
{
    for (DockFrame* dock : *docks) {
        dock->installEventFilter(this);
        connect(dock, &DockFrame::summoned, this, [this, dock] {
            QTimer::singleShot(0, dock, [this, dock] { flash(dock); }); // once it has its tab
        });
        connect(dock, &QDockWidget::topLevelChanged, this, [this] { letTabsBeDraggedOut(false); });
    }
}

QList<QTabBar*> DockTabs::bars() const
{
    return m_window->findChildren<QTabBar*>(Qt::FindDirectChildrenOnly);
}

DockFrame* DockTabs::dockAt(const QTabBar* bar, int tab) const
{
    const auto found = std::find_if(m_docks->begin(), m_docks->end(),
        [&](const DockFrame* dock) { return tab >= 0 && dock->windowTitle() == bar->tabText(tab); });
    return found == m_docks->end() ? nullptr : *found;
}

void DockTabs::follow()
{
    for (QTabBar* bar : bars()) {
        adopt(bar);
        // Bars measure all of their tabs anew whenever something of this is set.
        if (bar->expanding())
            bar->setExpanding(false);
        bar->setDrawBase(false);
        if (bar->elideMode() != Qt::ElideNone)
            bar->setElideMode(Qt::ElideNone);
        bar->setAccessibleName(tr("Views in this place"));
        bar->setFocusPolicy(bar->count() > 1 ? Qt::TabFocus : Qt::NoFocus); // Qt keeps that of one dock, out of sight
        if (const QSize size(Metrics::scaled(14), Metrics::scaled(14)); bar->iconSize() != size)
            bar->setIconSize(size);
        for (int tab = 0; tab < bar->count(); ++tab)
            if (const DockFrame* dock = dockAt(bar, tab)) {
                if (bar->tabIcon(tab).cacheKey() != dock->badge().cacheKey())
                    bar->setTabIcon(tab, dock->badge());
                bar->setTabToolTip(
                    tab, tr("%1: a middle click closes it, a double click maximises it").arg(dock->name()));
            }
        place(bar);
    }
}

/// Qt ties this to the option by which views can also be dropped on one that floats. Windows of several views, which
/// that makes, crash in Qt 6.4: it paints them after they were closed. So the option holds from the press on a tab
/// until the view has left the bar.
void DockTabs::letTabsBeDraggedOut(bool canBe)
{
    m_window->setDockOptions(m_window->dockOptions().setFlag(QMainWindow::GroupedDragging, canBe));
}

void DockTabs::adopt(QTabBar* bar)
{
    if (m_buttons.contains(bar))
        return;
    auto* buttons = new QWidget(m_window);
    buttons->setObjectName(QStringLiteral("dockTabButtons"));
    QToolButton* toFloat = addTabButton(QStringLiteral("float"), "floatTab", buttons);
    QToolButton* toClose = addTabButton(QStringLiteral("close"), "closeTab", buttons);
    const int side = Metrics::scaled(20);
    toFloat->setGeometry(2, 0, side, side);
    toClose->setGeometry(2 + side, 0, side, side);
    buttons->resize(2 * side + 4, side);
    m_buttons.insert(bar, buttons);
    connect(toFloat, &QToolButton::clicked, bar, [this, bar] {
        if (DockFrame* dock = dockAt(bar, bar->currentIndex()))
            dock->toggleFloating();
    });
    connect(toClose, &QToolButton::clicked, bar, [this, bar] {
        if (DockFrame* dock = dockAt(bar, bar->currentIndex()))
            dock->close();
    });
    bar->installEventFilter(this);
    connect(
        bar, &QTabBar::currentChanged, this, [this, bar] { QTimer::singleShot(0, bar, [this, bar] { place(bar); }); });
    connect(bar, &QObject::destroyed, this, [this, bar] {
        if (QWidget* left = m_buttons.take(bar))
            left->deleteLater();
    });
    giveContextMenu(bar, [this, bar](QMenu& menu, std::optional<QPoint> point) -> std::optional<QRect> {
        const int tab = point ? bar->tabAt(*point) : bar->currentIndex();
        DockFrame* dock = dockAt(bar, tab);
        if (!dock)
            return std::nullopt;
        dock->fillMenu(menu);
        return bar->tabRect(tab);
    });
}

/// The bar leaves the end of its place to the buttons.
void DockTabs::place(QTabBar* bar)
{
    QWidget* buttons = m_buttons.value(bar);
    const DockFrame* dock = dockAt(bar, bar->currentIndex());
    if (!buttons)
        return;
    const bool shown = bar->isVisible() && dock && bar->count() > 1;
    buttons->setVisible(shown);
    if (!shown)
        return;
    for (auto* button : buttons->findChildren<QToolButton*>()) {
        const bool closes = button->objectName() == QLatin1String("closeTab");
        const QString name = closes ? tr("Close %1").arg(dock->name()) : tr("Float %1").arg(dock->name());
        button->setAccessibleName(name);
        const QKeySequence keys = closes ? DockFrame::closeKeys() : DockFrame::floatKeys();
        button->setToolTip(
            tr("%1 (%2)", "what a button does, its keys").arg(name, keys.toString(QKeySequence::NativeText)));
    }
    const int room = std::max(dock->width() - buttons->width(), buttons->width());
    bar->setMaximumWidth(room);
    if (bar->width() != room)
        bar->resize(room, bar->height());
    buttons->move(bar->x() + room, bar->y() + (bar->height() - buttons->height()) / 2);
    buttons->raise();
    Q_EMIT placed();
}

void DockTabs::flash(DockFrame* dock)
{
    for (QTabBar* bar : bars())
        for (int tab = 0; tab < bar->count(); ++tab)
            if (bar->isVisible() && dockAt(bar, tab) == dock) {
                new FlashOutline(
                    [this, bar, dock] {
                        int now = 0;
                        while (now < bar->count() && dockAt(bar, now) != dock)
                            ++now;
                        return bar->tabRect(now); // empty of a tab that has gone
                    },
                    bar);
                return;
            }
    if (QWidget* title = dock->titleBarWidget())
        new FlashOutline([title] { return title->rect(); }, title);
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event)
{
    if (auto* dock = qobject_cast<DockFrame*>(watched)) {
        if (event->type() == QEvent::MouseButtonPress) // a menu or a dialog may have taken the release on a tab
            letTabsBeDraggedOut(false);
        if (event->type() == QEvent::Resize || event->type() == QEvent::Move)
            for (QTabBar* bar : m_buttons.keys())
                if (dockAt(bar, bar->currentIndex()) == dock)
                    place(bar);
        return QObject::eventFilter(watched, event);
    }
    auto* bar = qobject_cast<QTabBar*>(watched);
    if (!bar)
        return QObject::eventFilter(watched, event);
    if (event->type() == QEvent::Hide)
        letTabsBeDraggedOut(false);
    switch (event->type()) {
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::Move:
    case QEvent::Resize:
        QTimer::singleShot(0, bar, [this, bar] { place(bar); });
        break;
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonRelease:
    case QEvent::MouseButtonDblClick: {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        DockFrame* dock = dockAt(bar, bar->tabAt(mouse->position().toPoint()));
        letTabsBeDraggedOut(dock && mouse->button() == Qt::LeftButton && event->type() == QEvent::MouseButtonPress);
        if (mouse->button() == Qt::MiddleButton) {
            if (event->type() == QEvent::MouseButtonRelease && dock && m_pressed == dock)
                QTimer::singleShot(0, dock, [dock] { dock->close(); }); // the bar may go with it
            m_pressed = event->type() == QEvent::MouseButtonRelease ? nullptr : dock;
            return true;
        }
        if (mouse->button() == Qt::LeftButton && event->type() == QEvent::MouseButtonDblClick && dock) {
            QTimer::singleShot(0, dock, [dock] { Q_EMIT dock->maximiseRequested(); });
            return true;
        }
        break;
    }
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace shardscope
