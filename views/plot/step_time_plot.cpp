// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot/qcustomplot_include.h"

#include "plot/step_time_plot.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "plot/plot_style.h"

namespace shardscope::plot {

TimeAxis TimeAxis::forLargest(double seconds)
{
    TimeAxis axis;
    if (seconds < 10e-3) {
        axis.unit = QStringLiteral("µs");
        axis.secondsPerUnit = 1e-6;
    } else if (seconds < 10) {
        axis.unit = QStringLiteral("ms");
        axis.secondsPerUnit = 1e-3;
    } else {
        axis.unit = QStringLiteral("s");
        axis.secondsPerUnit = 1;
    }
    axis.top = seconds > 0 ? seconds / axis.secondsPerUnit * 1.12 : 1;
    return axis;
}

struct StepTimePlot::Private {
    QCustomPlot* plot = nullptr;
    QCPGraph* line = nullptr;
    QCPItemRect* band = nullptr;
    QCPItemLine* mean = nullptr;
    QCPItemText* meanLabel = nullptr;
    PlotTheme theme;
    QString stepLabel;
    int tickCount = 4;
    std::vector<double> seconds;
    std::int64_t first = 1;
    std::optional<MeanBand> meanBand;
    TimeAxis axis;
    bool follows = true;
    bool settingRange = false;
    std::int64_t current = -1; ///< step
    QCPItemLine* marker = nullptr; ///< at the current step
    QCPItemRect* frame = nullptr; ///< while the plot has the focus

    [[nodiscard]] std::int64_t last() const { return first + static_cast<std::int64_t>(seconds.size()) - 1; }
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

    void update(bool newPoints)
    {
        double largest = 0;
        for (const double s : seconds)
            if (std::isfinite(s))
                largest = std::max(largest, s);
        if (meanBand)
            largest = std::max(largest, meanBand->mean + meanBand->deviation);
        const double before = axis.secondsPerUnit;
        axis = TimeAxis::forLargest(largest);
        if (newPoints || axis.secondsPerUnit != before) {
            QVector<QCPGraphData> points;
            points.reserve(static_cast<qsizetype>(seconds.size()));
            for (std::size_t i = 0; i < seconds.size(); ++i)
                points.append(
                    { static_cast<double>(first) + static_cast<double>(i), seconds[i] / axis.secondsPerUnit });
            line->data()->set(points, true);
        }
        setUnit(*plot->yAxis, axis.unit, tickCount);
        // One point is a dot, few are dots on a line, many are a line.
        line->setScatterStyle(seconds.size() <= 60
                ? QCPScatterStyle(QCPScatterStyle::ssDisc, theme.accent, theme.accent, seconds.size() <= 20 ? 5 : 3)
                : QCPScatterStyle(QCPScatterStyle::ssNone));
        if (follows) {
            settingRange = true;
            const double last = static_cast<double>(first) + static_cast<double>(seconds.size()) - 1;
            plot->xAxis->setRange(
                static_cast<double>(first) - 0.5, std::max(last, static_cast<double>(first) + 9) + 0.5);
            plot->yAxis->setRange(0, axis.top);
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
        const double m = meanBand->mean / axis.secondsPerUnit, s = meanBand->deviation / axis.secondsPerUnit;
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

StepTimePlot::StepTimePlot(QWidget* parent)
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

StepTimePlot::~StepTimePlot() = default;

void StepTimePlot::setTheme(const PlotTheme& theme)
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

void StepTimePlot::setStepLabel(const QString& label)
{
    d->stepLabel = label;
    d->plot->xAxis->setLabel(label);
    d->update(false);
}

void StepTimePlot::setTimes(std::int64_t first, std::span<const double> seconds)
{
    d->first = first;
    d->seconds.assign(seconds.begin(), seconds.end());
    if (seconds.empty())
        d->follows = true;
    if (d->current > d->last() || (d->current >= 0 && d->current < d->first))
        setCurrent(-1);
    d->update(true);
}

void StepTimePlot::setCurrent(qint64 step)
{
    if (std::exchange(d->current, step) == step)
        return;
    d->showCurrent();
    Q_EMIT hovered(step, step < 0 ? 0 : d->seconds[static_cast<std::size_t>(step - d->first)]);
}

qint64 StepTimePlot::current() const
{
    return d->current;
}

QRect StepTimePlot::stepRect(qint64 step) const
{
    const QRect axes = d->plot->axisRect()->rect();
    const int left = static_cast<int>(d->plot->xAxis->coordToPixel(static_cast<double>(step) - 0.5));
    const int right = static_cast<int>(d->plot->xAxis->coordToPixel(static_cast<double>(step) + 0.5));
    return QRect(QPoint(left, axes.top()), QPoint(std::max(right - 1, left), axes.bottom()))
        .intersected(axes)
        .translated(d->plot->pos());
}

qint64 StepTimePlot::stepAt(const QPoint& point) const
{
    return d->stepAt(point - d->plot->pos());
}

void StepTimePlot::zoom(double factor)
{
    QCPAxis* axis = d->plot->xAxis;
    axis->scaleRange(factor, d->current >= 0 ? static_cast<double>(d->current) : axis->range().center());
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void StepTimePlot::keyPressEvent(QKeyEvent* event)
{
    const bool some = !d->seconds.empty();
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

void StepTimePlot::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    d->frame->setVisible(event->reason() != Qt::MouseFocusReason);
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void StepTimePlot::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    d->frame->setVisible(false);
    setCurrent(-1);
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void StepTimePlot::setBand(const std::optional<MeanBand>& band)
{
    if (d->meanBand == band)
        return;
    d->meanBand = band;
    d->update(false);
}

int StepTimePlot::pointCount() const
{
    return d->line->dataCount();
}
QRect StepTimePlot::meanLabelRect() const
{
    if (!d->meanLabel->visible())
        return {};
    return QRectF(d->meanLabel->topLeft->pixelPosition(), d->meanLabel->bottomRight->pixelPosition())
        .toAlignedRect()
        .translated(d->plot->pos());
}
bool StepTimePlot::follows() const
{
    return d->follows;
}

std::pair<double, double> StepTimePlot::shownSteps() const
{
    const QCPRange range = d->plot->xAxis->range();
    return { range.lower, range.upper };
}

QSize StepTimePlot::minimumSizeHint() const
{
    return { 140, 70 };
}
QSize StepTimePlot::sizeHint() const
{
    return { 360, 180 };
}

void StepTimePlot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // In a flat dock fewer ticks, so that their labels do not touch.
    d->tickCount = height() < 120 ? 2 : 4;
    d->plot->xAxis->setLabel(height() < 120 ? QString() : d->stepLabel);
    d->update(false);
}

bool StepTimePlot::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == d->plot && event->type() == QEvent::Leave)
        setCurrent(-1);
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope::plot
