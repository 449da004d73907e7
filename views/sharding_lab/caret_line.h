// SPDX-License-Identifier: GPL-3.0-or-later
// Shows where a text cannot be read: the part around the place, with a line under the word that stands there.
#pragma once

#include <QWidget>

namespace shardscope {

class CaretLine : public QWidget {
    Q_OBJECT
public:
    explicit CaretLine(QWidget* parent = nullptr);
    /// Line and column count from 1; 0 hides it.
    void setPlace(const QString& text, int line, int column);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QString m_text;
    int m_line = 0, m_column = 0;
};

} // namespace shardscope
