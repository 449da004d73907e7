// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology_view/device_list_editor.h"

#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QPushButton>

#include "mesh/device_presets.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "words/topology_words.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// More lines than a person would look through.
constexpr std::int64_t maxListed = 4096;

} // namespace

DeviceListEditor::DeviceListEditor(QWidget* parent)
    : QWidget(parent)
    , m_edit(new QPlainTextEdit(this))
    , m_stated(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_apply(new QPushButton(tr("Use these devices"), this))
{
    m_edit->setFont(Metrics::fixed());
    m_edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_edit->setTabChangesFocus(true);
    m_edit->setAccessibleName(tr("Devices, one a line: id, host, x, y, z, core, slice"));
    m_edit->setMinimumHeight(Metrics::scaled(110));
    m_edit->installEventFilter(this);
    m_stated->setWordWrap(true);
    m_apply->setProperty("small", true);
    m_apply->setToolTip(tr("Ctrl+Return does the same"));
    auto* close = new QPushButton(tr("Close"), this);
    close->setProperty("small", true);
    close->setAccessibleName(tr("Close the list of devices"));
    vbox(this, {}, 4, { { m_edit, 1 }, hbox({}, 8, { { m_stated, 1 }, m_apply, close }) });
    setFocusProxy(m_edit);

    connect(m_edit, &QPlainTextEdit::textChanged, this, &DeviceListEditor::check);
    connect(m_apply, &QPushButton::clicked, this, &DeviceListEditor::apply);
    connect(close, &QPushButton::clicked, this, &DeviceListEditor::closed);
    check();
}

void DeviceListEditor::start(const DeviceSet& devices)
{
    if (devices.count() <= maxListed)
        m_edit->setPlainText(QString::fromStdString(toListText(devices)));
    else
        m_edit->setPlainText(QStringLiteral("platform: tpu\nkind: TPU v4\n# id process x y z core slice\n0 0 0 0 0\n"));
}

QString DeviceListEditor::problem() const
{
    return m_read ? QString() : m_stated->text();
}

void DeviceListEditor::check()
{
    Result<DeviceSet> read = parseDeviceList(m_edit->toPlainText().toStdString());
    m_read = read ? std::optional(std::move(*read)) : std::nullopt;
    if (m_read) {
        m_stated->setText(words::deviceFacts(*m_read));
    } else {
        const words::ProblemText text = words::describe(read.error());
        QString stated = text.cause + QStringLiteral(". ") + text.remedy;
        if (read.error().where.line > 0)
            stated = tr("Line %1: %2").arg(read.error().where.line).arg(stated);
        m_stated->setText(stated.trimmed());
    }
    m_stated->setColour(m_read ? &Theme::secondary : &Theme::error);
    m_apply->setEnabled(m_read.has_value());
}

void DeviceListEditor::apply()
{
    if (m_read)
        Q_EMIT applied(*m_read);
}

bool DeviceListEditor::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape) {
            Q_EMIT closed();
            return true;
        }
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && key->modifiers() & Qt::ControlModifier) {
            apply();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
