// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/status_message.h"

#include <QToolButton>

#include "views/panel/panel.h"
#include "views/preview/edit_plate.h"
#include "views/widgets/boxes.h"

namespace shardscope {

namespace {

constexpr int messageTime = 5000; ///< milliseconds

} // namespace

StatusMessage::StatusMessage(Document* document, const EditPlate* plate, QWidget* parent)
    : QWidget(parent)
    , m_told(document)
    , m_plate(plate)
    , m_text(new RoleLabel(RoleLabel::Size::Small, &Theme::text, this))
    , m_undo(new QToolButton(this))
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // it takes what figures leave
    m_text->setObjectName(QStringLiteral("statusMessage"));
    m_text->setContentsMargins(8, 0, 8, 0);
    m_text->setElided(true);
    m_undo->setObjectName(QStringLiteral("statusUndo"));
    m_undo->setText(tr("Undo"));
    m_undo->setAutoRaise(true);
    m_undo->hide();
    hbox(this, {}, 0, { m_text, m_undo, boxStretch() });
    m_time.setSingleShot(true);
    m_time.setInterval(messageTime);
    connect(&m_time, &QTimer::timeout, this, [this] {
        put({}, false);
        m_told.forget();
    });
    connect(m_undo, &QToolButton::clicked, document->undoStack(), &QUndoStack::undo);
    connect(&m_told, &ToldEdit::changed, this, &StatusMessage::tell);
    connect(m_plate, &EditPlate::left, this, &StatusMessage::tell);
}

QString StatusMessage::text() const
{
    return m_text->text();
}

void StatusMessage::say(const QString& text)
{
    put(text, false);
    m_time.start();
}

void StatusMessage::put(const QString& text, bool isEdit)
{
    m_text->setText(text);
    if (m_undo->hasFocus() && !isEdit)
        window()->setFocus(Qt::OtherFocusReason); // rather than what happens to be next
    m_undo->setVisible(isEdit);
    m_undo->setAccessibleName(tr("Undo %1").arg(m_told.title()));
    m_undo->setToolTip(m_undo->accessibleName());
}

void StatusMessage::tell()
{
    if (!m_plate->text().isEmpty()) // said there
        return;
    if (!m_told.text().isEmpty()) {
        put(m_told.text(), true);
        m_time.start();
    } else if (m_undo->isVisibleTo(this)) { // another message stays
        put({}, false);
    }
}

} // namespace shardscope
