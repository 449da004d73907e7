// SPDX-License-Identifier: GPL-3.0-or-later
// A few choices side by side in one frame, one of them chosen: Tip | Paragraph | Derivation. Arrow keys step.
#pragma once

#include <QStringList>
#include <QWidget>

namespace shardscope {

class SegmentedBar : public QWidget {
    Q_OBJECT
public:
    explicit SegmentedBar(const QStringList& names, QWidget* parent = nullptr);
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int index);

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
