// SPDX-License-Identifier: GPL-3.0-or-later
// Examples beside each other: one layer written in three ways, and what each of them sends.
#pragma once

#include <QWidget>
#include <vector>

class QPushButton;

namespace shardscope {

class ExampleColumn;
class RoleLabel;

class SideBySide : public QWidget {
    Q_OBJECT
public:
    explicit SideBySide(QWidget* parent = nullptr);
    [[nodiscard]] const std::vector<ExampleColumn*>& columns() const { return m_columns; }
    [[nodiscard]] QString summary() const; ///< "All of them send 7 B per device and step."
    [[nodiscard]] bool isWorking() const;
    [[nodiscard]] QPushButton* backButton() const { return m_back; }

Q_SIGNALS:
    void left(); ///< back to the collectives of the program that is open

private:
    void summarise();
    std::vector<ExampleColumn*> m_columns;
    RoleLabel* m_summary;
    QPushButton* m_back;
};

} // namespace shardscope
