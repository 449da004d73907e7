// SPDX-License-Identifier: GPL-3.0-or-later
// Times of steps as a line, with a band of mean ± standard deviation; or other numbers of them, as a loss.
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

/// The y axis. Of times: µs below 1 ms, then ms, then s; from zero, with a little room above the largest value. Of
/// other numbers: from the least to the largest one, with a little room on both sides.
///
///     StepAxis::ofTimes(0.5)        500 ms: from 0 to 560 ms
///     StepAxis::ofNumbers(4, 5)     from 3.94 to 5.06
struct StepAxis {
    double perUnit = 1e-6; ///< seconds; 1 for numbers
    QString unit; ///< "µs"; empty for numbers
    double bottom = 0, top = 1; ///< in units
    static StepAxis ofTimes(double largest);
    static StepAxis ofNumbers(double least, double largest);
};

/// Arrow keys walk the steps, plus and minus zoom, Escape follows the newest steps again.
class StepPlot : public QWidget {
    Q_OBJECT
public:
    explicit StepPlot(QWidget* parent = nullptr);
    ~StepPlot() override;

    void setTheme(const PlotTheme& theme);
    void setStepLabel(const QString& label); ///< under the steps; left out where there is little height
    /// Step `first` is the number of seconds.front(); NaN breaks the line. The view follows the newest steps unless it
    /// was dragged or zoomed; a double click makes it follow again.
    void setTimes(std::int64_t first, std::span<const double> seconds) { setValues(first, seconds, true); }
    /// The same of numbers without a unit; infinity breaks the line as NaN does.
    void setNumbers(std::int64_t first, std::span<const double> numbers) { setValues(first, numbers, false); }
    void setBand(const std::optional<MeanBand>& band);

    [[nodiscard]] int pointCount() const;
    [[nodiscard]] bool follows() const;
    [[nodiscard]] std::pair<double, double> shownSteps() const;
    /// The step pointed at or walked to, -1 = none.
    [[nodiscard]] qint64 current() const;
    /// Where a step lies, empty if it is not shown; and back.
    [[nodiscard]] QRect stepRect(qint64 step) const;
    [[nodiscard]] qint64 stepAt(const QPoint& point) const;
    [[nodiscard]] std::pair<double, double> shownValues() const; ///< in the units of the axis
    [[nodiscard]] QRect meanLabelRect() const; ///< beside the axes; empty where there is no room for it
    [[nodiscard]] QSize minimumSizeHint() const override { return { 140, 70 }; }
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    /// The step under the pointer, -1 = none; for a tool tip.
    void hovered(qint64 step, double value);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void setValues(std::int64_t first, std::span<const double> values, bool areTimes);
    void setCurrent(qint64 step);
    void zoom(double factor);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace shardscope::plot
