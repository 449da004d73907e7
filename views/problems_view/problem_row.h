// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "pipeline/snapshot.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QLabel;
class QMenu;
class QPushButton;

namespace shardscope {

/// One problem: severity by shape, code, cause, place; Show and one button per fix. 28 px high where all stands in one
/// line; in a narrow view the buttons go below the text.
class ProblemRow : public QWidget {
    Q_OBJECT
public:
    struct Buttons {
        bool show = false;
        bool dismiss = false;
        bool findsFixes =
            false; ///< other fixes are to come: those there are, or a button that says so, keep their room
    };
    ProblemRow(
        const Problem& problem, const QString& place, Buttons buttons, bool alternate, QWidget* parent = nullptr);

    [[nodiscard]] QPushButton* showButton() const { return m_show; } ///< null if there is nothing to show
    [[nodiscard]] const std::vector<QPushButton*>& fixButtons() const { return m_fixes; } ///< disabled: to come
    /// Of a row with room beside its words for its buttons.
    [[nodiscard]] static int defaultHeight();
    [[nodiscard]] QString cause() const { return m_cause->text(); }
    /// What its buttons do, and copying what it says. Returns where the row is.
    QRect fillMenu(QMenu& menu) const;
    [[nodiscard]] bool isNarrow() const { return m_narrow; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void showRequested();
    void fixRequested(int fix);
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent*) override { arrange(); }
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] bool narrowFor(int width) const;
    void arrange();
    void applyIcon();

    Severity m_severity;
    bool m_alternate;
    bool m_narrow = false;
    QLabel* m_icon;
    RoleLabel* m_code;
    RoleLabel* m_cause;
    RoleLabel* m_place;
    QPushButton* m_show = nullptr;
    std::vector<QPushButton*> m_fixes;
    std::vector<QPushButton*> m_buttons; ///< all, in order
};

} // namespace shardscope
