// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/undo_keys.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTextDocument>

namespace shardscope {

namespace {

/// The line that is written into where this control has the focus.
QLineEdit* lineOf(QWidget* control)
{
    if (auto* combo = qobject_cast<QComboBox*>(control))
        return combo->lineEdit();
    if (qobject_cast<QAbstractSpinBox*>(control))
        return control->findChild<QLineEdit*>();
    return qobject_cast<QLineEdit*>(control);
}

/// What stands in a spin box is not its value yet.
template <typename Box, typename Read>
bool holdsOtherNumber(const Box& box, Read read)
{
    if (!box.text().isEmpty() && box.text() == box.specialValueText())
        return box.value() != box.minimum(); // words that stand for the least number
    bool readable = false;
    const auto typed = read(box.cleanText(), &readable);
    return !readable || typed != box.value();
}

} // namespace

UndoKeys::UndoKeys(QWidget* window)
    : QObject(window)
    , m_window(window)
{
    qApp->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

void UndoKeys::follow(QWidget* focus)
{
    // By its connections: a field that is being destroyed tells of the lost focus when it is a field no more.
    disconnect(m_finished);
    disconnect(m_returned);
    m_field = focus ? lineOf(focus) : nullptr;
    if (!m_field)
        return;
    const auto take = [this] { m_taken = m_field ? m_field->text() : QString(); };
    take();
    m_finished = connect(m_field, &QLineEdit::editingFinished, this, take);
    m_returned = connect(m_field, &QLineEdit::returnPressed, this, take);
}

bool UndoKeys::holdsTyped(const QWidget* control) const
{
    if (const auto* text = qobject_cast<const QPlainTextEdit*>(control))
        return !text->isReadOnly() && text->document()->isModified() && text->document()->isUndoAvailable();
    const QLineEdit* line = lineOf(const_cast<QWidget*>(control));
    if (!line || line->isReadOnly())
        return false;
    if (const auto* number = qobject_cast<const QSpinBox*>(control))
        return holdsOtherNumber(
            *number, [&](const QString& text, bool* readable) { return number->locale().toInt(text, readable); });
    if (const auto* number = qobject_cast<const QDoubleSpinBox*>(control))
        return holdsOtherNumber(
            *number, [&](const QString& text, bool* readable) { return number->locale().toDouble(text, readable); });
    // What a program wrote there is not typed.
    return line->isModified() && (line != m_field || line->text() != m_taken);
}

bool UndoKeys::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride)
        return QObject::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (!key->matches(QKeySequence::Undo) && !key->matches(QKeySequence::Redo))
        return QObject::eventFilter(watched, event);
    auto* control = qobject_cast<QWidget*>(watched);
    bool inside = false;
    for (const QWidget* at = control; at && !inside; at = at->parentWidget())
        inside = at == m_window;
    if (!inside || holdsTyped(control))
        return QObject::eventFilter(watched, event);
    event->ignore(); // so that the shortcut of the window counts
    return true;
}

} // namespace shardscope
