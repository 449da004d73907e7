// SPDX-License-Identifier: GPL-3.0-or-later
// Examples beside each other: one layer written in three ways, and what each of them sends.
#pragma once

#include <QWidget>
#include <vector>

#include "views/panel/panel.h"

class QPushButton;

namespace shardscope {

class ExampleColumn;

class SideBySide : public QWidget {
    Q_OBJECT
public:
    explicit SideBySide(QWidget* parent = nullptr);
    [[nodiscard]] const std::vector<ExampleColumn*>& columns() const { return m_columns; }
    [[nodiscard]] QString summary() const { return m_summary->text(); } ///< "All of them send 7 B per device and step."
    /// Whether they compute the same numbers, and why their collectives are the same, if they are.
    [[nodiscard]] QString note() const { return m_note->text(); }
    [[nodiscard]] bool isWorking() const;
    [[nodiscard]] QPushButton* backButton() const { return m_back; }

Q_SIGNALS:
    void left(); ///< back to the collectives of the program that is open

private:
    void summarise();
    void showNote();
    [[nodiscard]] bool haveSameCollectives() const;
    std::vector<ExampleColumn*> m_columns;
    RoleLabel *m_summary, *m_note;
    QPushButton* m_back;
};

} // namespace shardscope
