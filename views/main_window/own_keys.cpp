// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/own_keys.h"

#include <QAction>
#include <QDialog>
#include <QDialogButtonBox>
#include <QKeyCombination>
#include <QKeySequenceEdit>
#include <QPushButton>
#include <QStringList>
#include <algorithm>
#include <iterator>
#include <utility>

#include "views/main_window/settings.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"

namespace shardscope {

namespace {

const QString ownKeysName = QStringLiteral("keys");

QString commandText(const QAction& command)
{
    return command.text().remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

/// Letters, digits, Space and the like: views and fields take them by themselves.
bool isOfViews(const QKeySequence& key)
{
    if (key.count() != 1)
        return false;
    const QKeyCombination first = key[0];
    const bool isPlain = !(first.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    return isPlain && (first.key() < Qt::Key_F1 || first.key() > Qt::Key_F35);
}

/// As tips end with it.
QString inTipOf(const QKeySequence& key)
{
    return key.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText));
}

} // namespace

OwnKeys::OwnKeys(Settings* settings, QWidget* window)
    : QObject(window)
    , m_settings(settings)
    , m_window(window)
{
    // A line for each: "save=Ctrl+L".
    QList<std::pair<QAction*, QKeySequence>> changed;
    for (const QString& line : QString::fromUtf8(settings->state(ownKeysName)).split(u'\n', Qt::SkipEmptyParts))
        for (QAction* command : commands())
            if (command->objectName() == line.section(u'=', 0, 0))
                changed.emplace_back(command, QKeySequence(line.section(u'=', 1), QKeySequence::PortableText));
    for (const auto& [command, key] : changed) // first: they may have each other's keys
        apply(command, {});
    for (const auto& [command, key] : changed)
        if (!ownerOf(key, command))
            apply(command, { key });
}

QList<QAction*> OwnKeys::commands() const
{
    QList<QAction*> found = m_window->findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly);
    found.removeIf([](const QAction* action) { return !canChange(*action); });
    return found;
}

bool OwnKeys::canChange(const QAction& command)
{
    // Menus of titles, tips and controls name them, too.
    constexpr const char* told[] = { "floatDock", "maximiseDock", "closeDock", "runStep", "runTimeit",
        "runContinuously", "undo", "redo", "pinA" };
    const QString name = command.objectName();
    return !name.isEmpty() && !command.text().isEmpty() && !name.startsWith(QStringLiteral("perspective-"))
        && std::none_of(
            std::begin(told), std::end(told), [&name](const char* each) { return name == QLatin1String(each); });
}

QAction* OwnKeys::ownerOf(const QKeySequence& key, const QAction* except) const
{
    const QList<QAction*> all = m_window->findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly);
    const auto found = std::find_if(all.begin(), all.end(),
        [&](const QAction* other) { return other != except && !key.isEmpty() && other->shortcuts().contains(key); });
    return found == all.end() ? nullptr : *found;
}

QAction* OwnKeys::ownerOfAny(const QList<QKeySequence>& keys, const QAction* except) const
{
    QAction* owner = nullptr;
    for (const QKeySequence& key : keys)
        owner = owner ? owner : ownerOf(key, except);
    return owner;
}

void OwnKeys::apply(QAction* command, const QList<QKeySequence>& keys)
{
    const QKeySequence before = command->shortcut(), after = keys.value(0);
    if (!m_first.contains(command->objectName()))
        m_first.insert(command->objectName(), command->shortcuts());
    QString tip = command->toolTip();
    if (const QString told = inTipOf(before); told.isEmpty() || !tip.contains(told))
        tip += inTipOf(after);
    else
        tip.replace(told, inTipOf(after));
    command->setShortcuts(keys);
    command->setToolTip(tip);
}

bool OwnKeys::setKey(QAction* command, const QKeySequence& key)
{
    if (!canChange(*command) || ownerOf(key, command))
        return false;
    apply(command, { key });
    store();
    return true;
}

bool OwnKeys::putBack(QAction* command)
{
    const QList<QKeySequence> first = m_first.value(command->objectName());
    if (!m_first.contains(command->objectName()) || ownerOfAny(first, command))
        return false;
    apply(command, first);
    m_first.remove(command->objectName());
    store();
    return true;
}

void OwnKeys::store()
{
    QStringList lines;
    for (const QAction* command : commands())
        if (m_first.contains(command->objectName()))
            lines << QStringLiteral("%1=%2").arg(
                command->objectName(), command->shortcut().toString(QKeySequence::PortableText));
    m_settings->setState(ownKeysName, lines.join(u'\n').toUtf8());
    Q_EMIT changed();
}

void OwnKeys::ask(QAction* command)
{
    if (!command || !canChange(*command))
        return;
    auto* dialog = new QDialog(m_window);
    dialog->setObjectName(QStringLiteral("ownKey"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Key of %1").arg(commandText(*command)));
    auto* edit = new QKeySequenceEdit(command->shortcut(), dialog);
    edit->setAccessibleName(tr("Key of %1").arg(commandText(*command)));
    edit->setClearButtonEnabled(true);
    auto* why = new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::error, dialog);
    auto* buttons = new QDialogButtonBox(
        QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults, dialog);
    QPushButton* first = buttons->button(QDialogButtonBox::RestoreDefaults);
    const QAction* holder = ownerOfAny(m_first.value(command->objectName()), command);
    first->setEnabled(m_first.contains(command->objectName()) && !holder);
    first->setToolTip(holder ? tr("That is the key of %1.").arg(commandText(*holder)) : QString());
    vbox(dialog, { 12, 12, 12, 12 }, 8, { edit, why, buttons });
    dialog->setMinimumWidth(Metrics::scaled(400)); // the title names the command
    connect(
        edit, &QKeySequenceEdit::keySequenceChanged, dialog, [this, command, why, buttons](const QKeySequence& key) {
            const QAction* owner = ownerOf(key, command);
            why->setText(owner       ? tr("That is the key of %1.").arg(commandText(*owner))
                    : isOfViews(key) ? tr("Fields and views use this key themselves; they would lose it to %1.")
                                           .arg(commandText(*command))
                                     : QString());
            why->setColour(owner ? &Theme::error : &Theme::warning);
            buttons->button(QDialogButtonBox::Ok)->setEnabled(!owner);
        });
    connect(buttons, &QDialogButtonBox::accepted, dialog, [this, command, edit, dialog] {
        setKey(command, edit->keySequence());
        dialog->accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    connect(first, &QPushButton::clicked, dialog, [this, command, dialog] {
        putBack(command);
        dialog->accept();
    });
    dialog->open();
    edit->setFocus(Qt::OtherFocusReason);
}

} // namespace shardscope
