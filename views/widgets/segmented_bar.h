// SPDX-License-Identifier: GPL-3.0-or-later
// A few choices side by side in one frame, one of them chosen: Tip | Paragraph | Derivation. Arrow keys step.
#pragma once

#include <QStringList>
#include <QWidget>

#include "views/widgets/canvas.h"

namespace shardscope {

class SegmentedBar : public Canvas {
    Q_OBJECT
public:
    explicit SegmentedBar(const QStringList& names, QWidget* parent = nullptr);
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int index);

    // One row per choice.
    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_names.size()); }
    [[nodiscard]] QStringList tableHeads() const override { return { accessibleName() }; }
    [[nodiscard]] QString tableText(int row, int) const override { return m_names[row]; }
    [[nodiscard]] QRect tableRect(int row) const override { return segment(row); }
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override { setCurrent(row); }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QRect segment(int index) const;
    QStringList m_names;
    int m_current = 0;
};

} // namespace shardscope
