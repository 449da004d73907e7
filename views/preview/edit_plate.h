// SPDX-License-Identifier: GPL-3.0-or-later
// A plate beside the pointer that says what the edit in somebody's hand changes. It covers no control that is in use,
// takes neither focus nor clicks, and goes when the edit is dropped; StatusMessage says the same afterwards.
#pragma once

#include <QList>
#include <QWidget>

namespace shardscope {

class EditGesture;

class EditPlate : public QWidget {
    Q_OBJECT
public:
    explicit EditPlate(QWidget* window);
    void watch(EditGesture* gesture);
    /// What it says, in one line: "data 2 → 4, 8 weights change, 32 → 64 MiB per device"; empty while it is hidden.
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    void left(); ///< nothing is held any more

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Line {
        enum class Role { Title, Change, Same, Problem, Hint } role;
        QString text;
    };
    void follow(EditGesture* gesture);
    void place();
    void dismiss();
    [[nodiscard]] std::vector<Line> lines() const;
    [[nodiscard]] QFont faceOf(const Line& line) const;
    [[nodiscard]] int widthOf(const Line& line) const;
    QList<EditGesture*> m_gestures;
    EditGesture* m_shown = nullptr;
};

} // namespace shardscope
