// SPDX-License-Identifier: GPL-3.0-or-later
// Which theme is in force: the user's choice, or the system's.
#pragma once

#include <QObject>

namespace shardscope {

enum class ThemeChoice : std::uint8_t { System, Light, Dark };

/// Puts style and palette on the application and follows the system while the choice says so. One per application.
class Appearance : public QObject {
    Q_OBJECT
public:
    explicit Appearance(ThemeChoice choice = ThemeChoice::System, QObject* parent = nullptr);

    [[nodiscard]] ThemeChoice choice() const { return m_choice; }
    void setChoice(ThemeChoice choice);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void apply();
    ThemeChoice m_choice;
    bool m_applying = false;
};

} // namespace shardscope
