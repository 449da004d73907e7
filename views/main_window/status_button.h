// SPDX-License-Identifier: GPL-3.0-or-later
// A figure of the status bar that leads somewhere, with a thin line behind it.
#pragma once

#include <QToolButton>

namespace shardscope {

class StatusButton : public QToolButton {
    Q_OBJECT
public:
    explicit StatusButton(QWidget* parent = nullptr);
    /// `tip` says where a click leads; it is the accessible description, the text the name.
    void setFigure(const QString& text, const QString& tip);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void apply();
    bool m_applying = false;
};

} // namespace shardscope
