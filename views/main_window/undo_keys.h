// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and Redo belong to the experiment. Fields of text take these keys for what is typed into them; they get them
// only while they hold something typed that nobody has taken over yet.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

class QLineEdit;
class QWidget;

namespace shardscope {

class UndoKeys : public QObject {
    Q_OBJECT
public:
    /// For all controls of the window, those of floating views included.
    explicit UndoKeys(QWidget* window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow(QWidget* focus);
    [[nodiscard]] bool holdsTyped(const QWidget* control) const;
    QWidget* m_window;
    QPointer<QLineEdit> m_field; ///< that has the focus
    QMetaObject::Connection m_finished, m_returned; ///< of that field
    QString m_taken; ///< its text when it got the focus, or when it was taken over last
};

} // namespace shardscope
