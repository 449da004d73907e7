// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot/qcustomplot_include.h"

#include "plot/step_plot.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plot/plot_style.h"

namespace shardscope::plot {

StepAxis StepAxis::ofTimes(double largest)
{
    StepAxis axis;
    if (largest < 1e-3) {
        axis.unit = QStringLiteral("µs");
        axis.perUnit = 1e-6;
    } else if (largest < 10) {
        axis.unit = QStringLiteral("ms");
        axis.perUnit = 1e-3;
    } else {
        axis.unit = QStringLiteral("s");
        axis.perUnit = 1;
    }
    axis.top = largest > 0 ? largest / axis.perUnit * 1.12 : 1;
    return axis;
}

StepAxis StepAxis::ofNumbers(double least, double largest)
{
    StepAxis axis;
    axis.perUnit = 1;
    const double spread = largest - least;
    const double room = spread > 0 ? spread * 0.06 : std::max(std::abs(largest) * 0.06, 1e-9);
    axis.bottom = least - room;
    axis.top = largest + room;
    return axis;
}

struct StepPlot::Private {
    QCustomPlot* plot = nullptr;
    QCPGraph* line = nullptr;
    QCPItemRect* band = nullptr;
    QCPItemLine* mean = nullptr;
    QCPItemText* meanLabel = nullptr;
    PlotTheme theme;
    QString stepLabel;
    int tickCount = 4;
    std::vector<double> values; ///< seconds, or numbers without a unit
    bool areTimes = true;
    std::int64_t first = 1;
    std::optional<MeanBand> meanBand;
    StepAxis axis;
    bool follows = true;
    bool settingRange = false;
    std::int64_t current = -1; ///< step
    QCPItemLine* marker = nullptr; ///< at the current step
    QCPItemRect* frame = nullptr; ///< while the plot has the focus

    [[nodiscard]] std::int64_t last() const { return first + static_cast<std::int64_t>(values.size()) - 1; }
    [[nodiscard]] std::int64_t stepAt(const QPointF& position) const
    {
        const auto step = static_cast<std::int64_t>(std::llround(plot->xAxis->pixelToCoord(position.x())));
        return step >= first && step <= last() && plot->axisRect()->rect().contains(position.toPoint()) ? step : -1;
    }
    void showCurrent()
    {
        marker->setVisible(current >= 0);
        if (current >= 0) {
            marker->start->setCoords(static_cast<double>(current), 0);
            marker->end->setCoords(static_cast<double>(current), 1);
        }
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    [[nodiscard]] StepAxis neededAxis() const
    {
        double least = std::numeric_limits<double>::infinity(), largest = -least;
        for (const double value : values)
            if (std::isfinite(value)) {
                least = std::min(least, value);
                largest = std::max(largest, value);
            }
        if (!areTimes)
            return least <= largest ? StepAxis::ofNumbers(least, largest) : StepAxis::ofNumbers(0, 1);
        largest = std::max(largest, 0.0);
        return StepAxis::ofTimes(meanBand ? std::max(largest, meanBand->mean + meanBand->deviation) : largest);
    }

    void update(bool newPoints)
    {
        const double before = axis.perUnit;
        axis = neededAxis();
        if (newPoints || axis.perUnit != before) {
            QVector<QCPGraphData> points;
            points.reserve(static_cast<qsizetype>(values.size()));
            for (std::size_t i = 0; i < values.size(); ++i)
                points.append({ static_cast<double>(first) + static_cast<double>(i),
                    std::isfinite(values[i]) ? values[i] / axis.perUnit : std::numeric_limits<double>::quiet_NaN() });
            line->data()->set(points, true);
        }
        if (areTimes) {
            setUnit(*plot->yAxis, axis.unit, tickCount);
        } else {
            QSharedPointer<QCPAxisTicker> ticker(new QCPAxisTicker);
            ticker->setTickCount(tickCount);
            plot->yAxis->setTicker(ticker);
        }
        // One point is a dot, few are dots on a line, many are a line. As one outline Qt would take seconds to paint a
        // line that goes up and down thousands of times.
        const bool areFew = values.size() <= 60;
        plot->setPlottingHint(QCP::phFastPolylines, !areFew);
        line->setScatterStyle(areFew
                ? QCPScatterStyle(QCPScatterStyle::ssDisc, theme.accent, theme.accent, values.size() <= 20 ? 5 : 3)
                : QCPScatterStyle(QCPScatterStyle::ssNone));
        if (follows) {
            settingRange = true;
            const double last = static_cast<double>(first) + static_cast<double>(values.size()) - 1;
            plot->xAxis->setRange(
                static_cast<double>(first) - 0.5, std::max(last, static_cast<double>(first) + 9) + 0.5);
            plot->yAxis->setRange(axis.bottom, axis.top);
            settingRange = false;
        }
        placeBand();
        plot->replot(QCustomPlot::rpQueuedReplot);
    }

    /// Room to the right of the axes for the mean's label; none where the plot itself would get too narrow.
    [[nodiscard]] int labelRoom() const
    {
        if (!meanBand)
            return 0;
        const int wanted = QFontMetrics(theme.small).horizontalAdvance(meanBand->label) + 8;
        return plot->width() >= 3 * wanted ? wanted : 0;
    }

    void placeBand()
    {
        const bool shown = meanBand.has_value();
        band->setVisible(shown && meanBand->deviation > 0);
        mean->setVisible(shown);
        plot->axisRect()->setMinimumMargins(QMargins(8, 6, std::max(8, labelRoom()), 4));
        meanLabel->setVisible(labelRoom() > 0);
        if (!shown)
            return;
        const double m = meanBand->mean / axis.perUnit, s = meanBand->deviation / axis.perUnit;
        band->topLeft->setCoords(0, m + s);
        band->bottomRight->setCoords(1, m - s);
        mean->start->setCoords(0, m);
        mean->end->setCoords(1, m);
        // At the right end of its line, outside: nothing is drawn over the curve.
        meanLabel->position->setCoords(1, m);
        meanLabel->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        meanLabel->setText(meanBand->label);
    }
};

StepPlot::StepPlot(QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>())
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    d->plot = new QCustomPlot;
    layout->addWidget(d->plot);
    setFocusPolicy(Qt::StrongFocus);
    d->plot->setFocusPolicy(Qt::NoFocus);

    d->plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    d->plot->axisRect()->setRangeZoom(Qt::Horizontal);
    d->plot->axisRect()->setRangeDrag(Qt::Horizontal);
    d->plot->setNoAntialiasingOnDrag(true);
    d->plot->addLayer(QStringLiteral("behind"), d->plot->layer(QStringLiteral("grid")), QCustomPlot::limBelow);
    d->line = d->plot->addGraph();
    d->line->setAdaptiveSampling(true);
    d->line->setLineStyle(QCPGraph::lsLine);

    const auto horizontalByRect = [this](QCPItemPosition* position) {
        position->setTypeX(QCPItemPosition::ptAxisRectRatio);
        position->setTypeY(QCPItemPosition::ptPlotCoords);
        position->setAxisRect(d->plot->axisRect());
        position->setAxes(d->plot->xAxis, d->plot->yAxis);
    };
    d->band = new QCPItemRect(d->plot);
    horizontalByRect(d->band->topLeft);
    horizontalByRect(d->band->bottomRight);
    d->band->setLayer(QStringLiteral("behind"));
    d->mean = new QCPItemLine(d->plot);
    horizontalByRect(d->mean->start);
    horizontalByRect(d->mean->end);
    d->mean->setLayer(QStringLiteral("grid"));
    d->meanLabel = new QCPItemText(d->plot);
    horizontalByRect(d->meanLabel->position);
    d->marker = new QCPItemLine(d->plot);
    for (QCPItemPosition* end : { d->marker->start, d->marker->end }) {
        end->setTypeX(QCPItemPosition::ptPlotCoords);
        end->setTypeY(QCPItemPosition::ptAxisRectRatio);
        end->setAxisRect(d->plot->axisRect());
        end->setAxes(d->plot->xAxis, d->plot->yAxis);
    }
    d->marker->setVisible(false);
    d->frame = addFocusFrame(*d->plot);
    d->meanLabel->setPadding(QMargins(4, 1, 2, 1));
    d->meanLabel->setClipToAxisRect(false);
    d->plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTickerFixed));
    if (auto ticker = d->plot->xAxis->ticker().dynamicCast<QCPAxisTickerFixed>()) {
        ticker->setTickStep(1);
        ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
        ticker->setTickCount(6);
    }
    d->plot->xAxis->setNumberFormat(QStringLiteral("gb"));
    d->plot->xAxis->setNumberPrecision(9);
    d->plot->yAxis->setNumberFormat(QStringLiteral("gb"));
    d->plot->yAxis->setNumberPrecision(4);
    d->plot->axisRect()->setupFullAxesBox(false);
    d->plot->xAxis2->setVisible(false);
    d->plot->yAxis2->setVisible(false);
    d->plot->axisRect()->setMinimumMargins(QMargins(8, 6, 8, 4));
    d->plot->setLocale(locale());

    connect(d->plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
        if (!d->settingRange)
            d->follows = false;
    });
    connect(d->plot, &QCustomPlot::mouseDoubleClick, this, [this] {
        d->follows = true;
        d->update(false);
    });
    connect(d->plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        if (event->buttons() != Qt::NoButton)
            return;
        setCurrent(d->stepAt(event->position()));
    });
    d->plot->installEventFilter(this);
    d->update(true);
}

StepPlot::~StepPlot() = default;

void StepPlot::setTheme(const PlotTheme& theme)
{
    d->theme = theme;
    applyTheme(*d->plot, theme);
    d->line->setPen(QPen(theme.accent, 1.5));
    d->band->setPen(Qt::NoPen);
    d->band->setBrush(theme.band);
    d->mean->setPen(QPen(theme.secondary, 1, Qt::DashLine));
    d->marker->setPen(QPen(theme.text, 1));
    d->frame->setPen(QPen(theme.accent, 2));
    d->meanLabel->setFont(theme.small);
    d->meanLabel->setColor(theme.text);
    d->update(false);
}

void StepPlot::setStepLabel(const QString& label)
{
    d->stepLabel = label;
    d->plot->xAxis->setLabel(label);
    d->update(false);
}

void StepPlot::setValues(std::int64_t first, std::span<const double> values, bool areTimes)
{
    d->first = first;
    d->areTimes = areTimes;
    d->values.assign(values.begin(), values.end());
    if (values.empty())
        d->follows = true;
    if (d->current > d->last() || (d->current >= 0 && d->current < d->first))
        setCurrent(-1);
    d->update(true);
}

void StepPlot::setCurrent(qint64 step)
{
    if (std::exchange(d->current, step) == step)
        return;
    d->showCurrent();
    Q_EMIT hovered(step, step < 0 ? 0 : d->values[static_cast<std::size_t>(step - d->first)]);
}

qint64 StepPlot::current() const
{
    return d->current;
}

QRect StepPlot::stepRect(qint64 step) const
{
    const QRect axes = d->plot->axisRect()->rect();
    const int left = static_cast<int>(d->plot->xAxis->coordToPixel(static_cast<double>(step) - 0.5));
    const int right = static_cast<int>(d->plot->xAxis->coordToPixel(static_cast<double>(step) + 0.5));
    return QRect(QPoint(left, axes.top()), QPoint(std::max(right - 1, left), axes.bottom()))
        .intersected(axes)
        .translated(d->plot->pos());
}

qint64 StepPlot::stepAt(const QPoint& point) const
{
    return d->stepAt(point - d->plot->pos());
}

void StepPlot::zoom(double factor)
{
    QCPAxis* axis = d->plot->xAxis;
    axis->scaleRange(factor, d->current >= 0 ? static_cast<double>(d->current) : axis->range().center());
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void StepPlot::keyPressEvent(QKeyEvent* event)
{
    const bool some = !d->values.empty();
    std::int64_t step = d->current;
    switch (event->key()) {
    case Qt::Key_Left:
        step = step < 0 ? d->last() : std::max(step - 1, d->first);
        break;
    case Qt::Key_Right:
        step = step < 0 ? d->last() : std::min(step + 1, d->last());
        break;
    case Qt::Key_Home:
        step = d->first;
        break;
    case Qt::Key_End:
        step = d->last();
        break;
    case Qt::Key_Plus:
        zoom(0.8);
        return;
    case Qt::Key_Minus:
        zoom(1.25);
        return;
    case Qt::Key_Escape:
        step = -1;
        d->follows = true;
        d->update(false);
        break;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    if (!some)
        return;
    setCurrent(step);
    const QCPRange range = d->plot->xAxis->range();
    const auto at = static_cast<double>(step);
    if (step >= 0 && !range.contains(at)) {
        d->plot->xAxis->moveRange(at < range.lower ? at - 0.5 - range.lower : at + 0.5 - range.upper);
        d->plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

void StepPlot::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    d->frame->setVisible(event->reason() != Qt::MouseFocusReason);
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void StepPlot::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    d->frame->setVisible(false);
    setCurrent(-1);
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void StepPlot::setBand(const std::optional<MeanBand>& band)
{
    if (d->meanBand == band)
        return;
    d->meanBand = band;
    d->update(false);
}

int StepPlot::pointCount() const
{
    return d->line->dataCount();
}
QRect StepPlot::meanLabelRect() const
{
    if (!d->meanLabel->visible())
        return {};
    return QRectF(d->meanLabel->topLeft->pixelPosition(), d->meanLabel->bottomRight->pixelPosition())
        .toAlignedRect()
        .translated(d->plot->pos());
}
bool StepPlot::follows() const
{
    return d->follows;
}

std::pair<double, double> StepPlot::shownSteps() const
{
    const QCPRange range = d->plot->xAxis->range();
    return { range.lower, range.upper };
}

std::pair<double, double> StepPlot::shownValues() const
{
    const QCPRange range = d->plot->yAxis->range();
    return { range.lower, range.upper };
}
QSize StepPlot::sizeHint() const
{
    return { 360, 180 };
}

void StepPlot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // In a flat dock fewer ticks, so that their labels do not touch.
    d->tickCount = height() < 120 ? 2 : 4;
    d->plot->xAxis->setLabel(height() < 120 ? QString() : d->stepLabel);
    d->update(false);
}

bool StepPlot::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == d->plot && event->type() == QEvent::Leave)
        setCurrent(-1);
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope::plot
