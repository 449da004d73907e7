// SPDX-License-Identifier: GPL-3.0-or-later
// Per device (or range of devices) one bar of stacked times.
#pragma once

#include <QStringList>
#include <QWidget>
#include <memory>
#include <vector>

#include "plot/plot_theme.h"

namespace shardscope::plot {

struct BarSeries {
    QString name;
    QColor fill;
    std::vector<double> seconds; ///< one per bar
};

/// Arrow keys walk the bars, Return picks one.
class DeviceBarsPlot : public QWidget {
    Q_OBJECT
public:
    explicit DeviceBarsPlot(QWidget* parent = nullptr);
    ~DeviceBarsPlot() override;

    void setTheme(const PlotTheme& theme);
    /// Series are stacked in their order, the first at the axis.
    void setBars(const QStringList& labels, const std::vector<BarSeries>& series);

    [[nodiscard]] int barCount() const;
    /// Where a bar with its label stands.
    [[nodiscard]] QRect barRect(int bar) const;
    [[nodiscard]] int barAt(const QPoint& point) const; ///< -1 = none
    /// The bar pointed at or walked to, -1 = none.
    [[nodiscard]] int current() const;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override { return { 240, 180 }; }

Q_SIGNALS:
    void hovered(int bar); ///< -1 = none
    void clicked(int bar);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void placeTicks();
    void setCurrent(int bar);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace shardscope::plot
