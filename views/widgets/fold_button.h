// SPDX-License-Identifier: GPL-3.0-or-later
// The head of something that folds: an arrow and a name. Folded it points to the right, unfolded down.
//
//     auto* sizes = new FoldButton(tr("Sizes"));
//     connect(sizes, &QToolButton::toggled, fields, &QWidget::setVisible);
#pragma once

#include <QToolButton>

namespace shardscope {

/// Checked is unfolded. Its accessible name is the name alone; that it is checked says the rest.
class FoldButton : public QToolButton {
    Q_OBJECT
public:
    explicit FoldButton(const QString& name, QWidget* parent = nullptr);

private:
    void showArrow();
};

} // namespace shardscope
