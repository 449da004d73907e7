// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a view below a head of its own: fold arrow, name, key figure right-aligned, and a close button where the
// part comes only when it is asked for. Where it has nothing to show it is one grey line that says why.
#pragma once

#include <QString>
#include <QWidget>
#include <functional>

#include "views/panel/panel.h"
#include "views/widgets/fold_button.h"

class QHBoxLayout;
class QPushButton;

namespace shardscope {

class Section : public QWidget {
    Q_OBJECT
public:
    enum class Kind { Fixed, OnDemand };
    /// `id` is its object name. One on demand is hidden until somebody shows it, and can be closed.
    Section(const QString& id, const QString& name, QWidget* body, Kind kind = Kind::Fixed, QWidget* parent = nullptr);

    [[nodiscard]] QWidget* body() const { return m_body; }
    [[nodiscard]] FoldButton* fold() const { return m_fold; }
    [[nodiscard]] bool isOnDemand() const { return m_close != nullptr; }
    [[nodiscard]] bool isUnfolded() const { return m_fold->isChecked(); }
    void setUnfolded(bool unfolded) { m_fold->setChecked(unfolded); }
    void setKeyFigure(const QString& text, bool isBad = false);
    /// In the head, right: what leads to something that belongs to this.
    QPushButton* addLink(const QString& text, const QString& tip, const std::function<void()>& run);
    /// In place of the body; "" shows that.
    void setNothing(const QString& why);
    [[nodiscard]] QString nothing() const { return m_nothing->text(); }
    /// Of the head alone, and of head and sentence where there is nothing to show; for the width that it has now.
    [[nodiscard]] int headHeight() const { return headHeight(width()); }
    [[nodiscard]] int headHeight(int width) const;
    [[nodiscard]] bool showsBody() const { return isUnfolded() && m_nothing->text().isEmpty(); }

Q_SIGNALS:
    void changed(); ///< folded, unfolded, shown, closed, or with other contents

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void follow();
    QWidget* m_body;
    FoldButton* m_fold;
    RoleLabel* m_figure;
    RoleLabel* m_nothing;
    QToolButton* m_close = nullptr;
    QWidget* m_head;
    QHBoxLayout* m_row;
};

} // namespace shardscope
