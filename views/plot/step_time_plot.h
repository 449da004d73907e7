// SPDX-License-Identifier: GPL-3.0-or-later
// Times of steps as a line, as they come, with a band of mean ± standard deviation.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plot/plot_theme.h"

namespace shardscope::plot {

/// Texts in the plot come from its owner, so that numbers are written in one way everywhere.
struct MeanBand {
    double mean = 0; ///< seconds
    double deviation = 0;
    QString label; ///< at the right end, "mean 9.42 ms"
    bool operator==(const MeanBand&) const = default;
};

/// The y axis of times: µs below 10 ms, then ms, then s; from zero, with a little room above the largest value.
struct TimeAxis {
    double secondsPerUnit = 1e-6;
    QString unit; ///< "µs"
    double top = 1; ///< in units
    static TimeAxis forLargest(double seconds);
};

/// Arrow keys walk the steps, plus and minus zoom, Escape follows the newest steps again.
class StepTimePlot : public QWidget {
    Q_OBJECT
public:
    explicit StepTimePlot(QWidget* parent = nullptr);
    ~StepTimePlot() override;

    void setTheme(const PlotTheme& theme);
    void setStepLabel(const QString& label); ///< under the steps; left out where there is little height
    /// Step `first` is the number of seconds.front(); NaN breaks the line. The view follows the newest steps unless it
    /// was dragged or zoomed; a double click makes it follow again.
    void setTimes(std::int64_t first, std::span<const double> seconds);
    void setBand(const std::optional<MeanBand>& band);

    [[nodiscard]] int pointCount() const;
    [[nodiscard]] bool follows() const;
    [[nodiscard]] std::pair<double, double> shownSteps() const;
    /// The step pointed at or walked to, -1 = none.
    [[nodiscard]] qint64 current() const;
    /// Where a step lies, empty if it is not shown; and back.
    [[nodiscard]] QRect stepRect(qint64 step) const;
    [[nodiscard]] qint64 stepAt(const QPoint& point) const;
    [[nodiscard]] QRect meanLabelRect() const; ///< beside the axes; empty where there is no room for it
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    /// The step under the pointer, -1 = none; for a tool tip.
    void hovered(qint64 step, double seconds);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void setCurrent(qint64 step);
    void zoom(double factor);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace shardscope::plot
