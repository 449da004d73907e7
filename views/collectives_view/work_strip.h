// SPDX-License-Identifier: GPL-3.0-or-later
// One line over a list that takes a while: what is at work, for how long, and a button to call it off; or that what is
// below is of an earlier state, and a button to make it anew. Nothing is said for the first 300 ms.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QPushButton;

namespace shardscope {

class RoleLabel;

class WorkStrip : public QWidget {
    Q_OBJECT
public:
    explicit WorkStrip(QWidget* parent = nullptr);
    /// "Partitioning 1,234 operations"; after a second with the seconds that it took so far.
    void work(const QString& what);
    /// "stale: …" with a button.
    void offer(const QString& sentence, const QString& button);
    void rest(); ///< hidden
    [[nodiscard]] bool isAtWork() const { return m_working; }
    [[nodiscard]] QString text() const;
    [[nodiscard]] QPushButton* button() const { return m_button; }

Q_SIGNALS:
    void cancelled();
    void accepted();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void tell();
    RoleLabel* m_label;
    QPushButton* m_button;
    QTimer m_timer;
    QElapsedTimer m_since;
    QString m_what;
    bool m_working = false;
};

} // namespace shardscope
