// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot/qcustomplot_include.h"

#include "plot/step_time_plot.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <optional>

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

    void placeBand()
    {
        const bool shown = meanBand.has_value();
        band->setVisible(shown && meanBand->deviation > 0);
        mean->setVisible(shown);
        meanLabel->setVisible(shown);
        if (!shown)
            return;
        const double m = meanBand->mean / axis.secondsPerUnit, s = meanBand->deviation / axis.secondsPerUnit;
        band->topLeft->setCoords(0, m + s);
        band->bottomRight->setCoords(1, m - s);
        mean->start->setCoords(0, m);
        mean->end->setCoords(1, m);
        // Above the band where there is room, else below it.
        const bool above = m + s < axis.top * 0.82;
        meanLabel->position->setCoords(0.995, above ? m + s : m - s);
        meanLabel->setPositionAlignment(Qt::AlignRight | (above ? Qt::AlignBottom : Qt::AlignTop));
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
    setFocusPolicy(Qt::NoFocus);

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
    d->meanLabel->setPadding(QMargins(4, 1, 2, 1));
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
        const double x = d->plot->xAxis->pixelToCoord(event->position().x());
        const auto index = static_cast<std::int64_t>(std::llround(x)) - d->first;
        if (index < 0 || index >= static_cast<std::int64_t>(d->seconds.size())
            || !d->plot->axisRect()->rect().contains(event->position().toPoint())) {
            Q_EMIT hovered(-1, 0);
            return;
        }
        Q_EMIT hovered(d->first + index, d->seconds[static_cast<std::size_t>(index)]);
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
    d->update(true);
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
        Q_EMIT hovered(-1, 0);
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope::plot
