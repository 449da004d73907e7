// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/command_palette/command_palette.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <utility>

#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"
#include "views/widgets/search_field.h"

namespace shardscope {

namespace {

/// As NameIndex compares them.
std::string searchedForm(const QString& text)
{
    return text.toLower().toStdString();
}

} // namespace

PaletteModel::PaletteModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({
        { tr("Name"), [this](int row) { return sourceOf(row).name(at(row).number); } },
        { tr("More"), [this](int row) { return sourceOf(row).beside(at(row).number); } },
        { tr("Kind"), [this](int row) { return sourceOf(row).kind; } },
    });
}

void PaletteModel::setSources(std::vector<PaletteSource> sources)
{
    refill(false, [&] {
        m_sources = std::move(sources);
        m_items.clear();
        m_found.clear();
        m_index = {};
        for (std::size_t s = 0; s < m_sources.size(); ++s)
            for (int i = 0; i < m_sources[s].count; ++i) {
                m_items.push_back({ static_cast<std::uint32_t>(s), i });
                m_index.add(searchedForm(m_sources[s].name(i)),
                    searchedForm(m_sources[s].kind + QLatin1Char(' ') + m_sources[s].beside(i)));
            }
    });
}

void PaletteModel::find(const QString& query)
{
    refill(false, [&] { m_found = m_index.find(searchedForm(query), maximumRows); });
}

void PaletteModel::choose(int row) const
{
    if (row < 0 || row >= count())
        return;
    const auto chosen = sourceOf(row).choose; // what it does may fill this list anew
    chosen(at(row).number);
}

QVariant PaletteModel::cell(int item, int column, int role) const
{
    if (role == Qt::ForegroundRole && column != Name)
        return Theme::current().secondary;
    if (role == Qt::ToolTipRole)
        return plainTip(text(item, column));
    return ColumnModel::cell(item, column, role);
}

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window)
    , m_window(window)
    , m_field(new SearchField(
          QStringLiteral("search"), tr("Commands, views, tensors, rules, examples…"), tr("Find anything by its name")))
    , m_list(new QTableView(this))
    , m_none(new RoleLabel(tr("Nothing has that name."), RoleLabel::Size::Normal, &Theme::secondary, this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(tr("Command palette"));
    setFrameShape(QFrame::Box);
    setAutoFillBackground(true);
    makeRowTable(m_list, &m_model, tr("What was found"));
    m_list->horizontalHeader()->hide();
    m_list->setFocusPolicy(Qt::NoFocus); // the field keeps the keyboard and hands on the arrows
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_none->setAlignment(Qt::AlignCenter);
    vbox(this, { 8, 8, 8, 8 }, 8, { m_field, { m_list, 1 }, m_none });
    hide();
    m_field->installEventFilter(this);
    m_window->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::find);
    connect(m_list, &QTableView::clicked, this, &CommandPalette::choose);
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
        if (isVisible() && now && now != m_field && !isAncestorOf(now))
            hide();
    });
}

void CommandPalette::open(std::vector<PaletteSource> sources)
{
    if (!isVisible())
        m_before = QApplication::focusWidget();
    m_model.setSources(std::move(sources));
    m_field->clear();
    find({});
    place();
    show();
    raise();
    m_field->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::find(const QString& query)
{
    m_model.find(query);
    m_list->setVisible(m_model.count() > 0);
    m_none->setVisible(m_model.count() == 0);
    m_list->selectRow(0);
    m_list->scrollToTop();
}

void CommandPalette::choose(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    leave();
    m_model.choose(index.row());
}

void CommandPalette::leave()
{
    hide();
    if (m_before && m_before->isVisible())
        m_before->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::place()
{
    const int width = std::min(Metrics::scaled(680), m_window->width() - Metrics::scaled(32));
    const int height = std::min(Metrics::scaled(420), m_window->height() - Metrics::scaled(96));
    setGeometry((m_window->width() - width) / 2, Metrics::scaled(64), width, height);
    const int inside = width - Metrics::scaled(36);
    m_list->setColumnWidth(PaletteModel::Name, inside * 54 / 100);
    m_list->setColumnWidth(PaletteModel::Beside, inside * 31 / 100);
    m_list->setColumnWidth(PaletteModel::Kind, inside * 15 / 100);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_window) {
        if (event->type() == QEvent::Resize && isVisible())
            place();
        return false;
    }
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return false;
    auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        if (event->type() == QEvent::KeyPress)
            QApplication::sendEvent(m_list, event);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (event->type() == QEvent::KeyPress)
            choose(m_list->currentIndex());
        break;
    case Qt::Key_Escape:
        if (event->type() == QEvent::KeyPress)
            leave();
        break;
    default:
        return false;
    }
    event->accept(); // no shortcut of the window takes it
    return true;
}

} // namespace shardscope
