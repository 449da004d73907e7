// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot/qcustomplot_include.h"

#include "plot/device_bars_plot.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "plot/plot_style.h"
#include "plot/step_plot.h"

namespace shardscope::plot {

struct DeviceBarsPlot::Private {
    QCustomPlot* plot = nullptr;
    std::vector<QCPBars*> bars;
    QStringList labels;
    QString unit;
    PlotTheme theme;
    std::vector<double> tops; ///< of the stacks, in units of the axis
    int current = -1;
    QCPItemRect* outline = nullptr; ///< of the current bar
    QCPItemRect* frame = nullptr; ///< while the plot has the focus

    void showCurrent()
    {
        outline->setVisible(current >= 0);
        if (current >= 0) {
            outline->topLeft->setCoords(current - 0.4, tops[static_cast<std::size_t>(current)]);
            outline->bottomRight->setCoords(current + 0.4, 0);
        }
        plot->replot(QCustomPlot::rpQueuedReplot);
    }
    [[nodiscard]] int barAt(const QPointF& position) const
    {
        if (!plot->axisRect()->rect().contains(position.toPoint()))
            return -1;
        const int bar = static_cast<int>(std::lround(plot->xAxis->pixelToCoord(position.x())));
        return bar >= 0 && bar < labels.size() ? bar : -1;
    }
};

DeviceBarsPlot::DeviceBarsPlot(QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>())
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    d->plot = new QCustomPlot;
    layout->addWidget(d->plot);
    d->plot->axisRect()->setMinimumMargins(QMargins(8, 6, 8, 4));
    d->plot->xAxis->grid()->setVisible(false);
    d->plot->xAxis->setTicks(true);
    d->plot->setLocale(locale());
    setFocusPolicy(Qt::StrongFocus);
    d->plot->setFocusPolicy(Qt::NoFocus);
    d->outline = new QCPItemRect(d->plot);
    d->outline->setBrush(Qt::NoBrush);
    d->outline->setClipToAxisRect(false);
    d->frame = addFocusFrame(*d->plot);
    d->showCurrent();
    connect(d->plot, &QCustomPlot::mouseMove, this,
        [this](QMouseEvent* event) { setCurrent(d->barAt(event->position())); });
    connect(d->plot, &QCustomPlot::mousePress, this,
        [this](QMouseEvent* event) { Q_EMIT clicked(d->barAt(event->position())); });
    d->plot->installEventFilter(this);
}

DeviceBarsPlot::~DeviceBarsPlot() = default;

void DeviceBarsPlot::setTheme(const PlotTheme& theme)
{
    d->theme = theme;
    applyTheme(*d->plot, theme);
    d->plot->xAxis->setTickLengthOut(0);
    for (QCPBars* bars : d->bars)
        bars->setPen(QPen(theme.base, 1));
    d->outline->setPen(QPen(theme.text, 2));
    d->frame->setPen(QPen(theme.accent, 2));
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void DeviceBarsPlot::setBars(const QStringList& labels, const std::vector<BarSeries>& series)
{
    while (d->bars.size() > series.size()) {
        d->plot->removePlottable(d->bars.back());
        d->bars.pop_back();
    }
    while (d->bars.size() < series.size()) {
        auto* bars = new QCPBars(d->plot->xAxis, d->plot->yAxis);
        bars->setWidth(0.7);
        bars->setPen(QPen(d->theme.base, 1));
        bars->setAntialiased(false);
        if (!d->bars.empty())
            bars->moveAbove(d->bars.back());
        d->bars.push_back(bars);
    }
    double largest = 0;
    d->tops.assign(static_cast<std::size_t>(labels.size()), 0);
    for (std::size_t bar = 0; bar < d->tops.size(); ++bar) {
        for (const BarSeries& one : series)
            d->tops[bar] += one.seconds[bar];
        largest = std::max(largest, d->tops[bar]);
    }
    const StepAxis axis = StepAxis::ofTimes(largest);
    for (std::size_t s = 0; s < series.size(); ++s) {
        QVector<QCPBarsData> points;
        for (int bar = 0; bar < labels.size(); ++bar)
            points.append(
                { static_cast<double>(bar), series[s].seconds[static_cast<std::size_t>(bar)] / axis.perUnit });
        d->bars[s]->setName(series[s].name);
        d->bars[s]->setBrush(series[s].fill);
        d->bars[s]->data()->set(points, true);
    }
    for (double& top : d->tops)
        top /= axis.perUnit;
    d->labels = labels;
    if (d->current >= labels.size())
        setCurrent(-1);
    d->unit = axis.unit;
    d->plot->yAxis->setRange(0, axis.top);
    d->plot->xAxis->setRange(-0.6, std::max(1.0, static_cast<double>(labels.size())) - 0.4);
    placeTicks();
    d->showCurrent();
}

void DeviceBarsPlot::setCurrent(int bar)
{
    if (std::exchange(d->current, bar) == bar)
        return;
    d->showCurrent();
    Q_EMIT hovered(bar);
}

int DeviceBarsPlot::current() const
{
    return d->current;
}

QRect DeviceBarsPlot::barRect(int bar) const
{
    const QRect axes = d->plot->axisRect()->rect();
    const int left = static_cast<int>(d->plot->xAxis->coordToPixel(bar - 0.5));
    const int right = static_cast<int>(d->plot->xAxis->coordToPixel(bar + 0.5));
    return QRect(QPoint(left, axes.top()), QPoint(right - 1, axes.bottom())).translated(d->plot->pos());
}

int DeviceBarsPlot::barAt(const QPoint& point) const
{
    return d->barAt(point - d->plot->pos());
}

void DeviceBarsPlot::keyPressEvent(QKeyEvent* event)
{
    const int last = barCount() - 1;
    switch (event->key()) {
    case Qt::Key_Left:
        setCurrent(std::max(d->current - 1, std::min(0, last)));
        break;
    case Qt::Key_Right:
        setCurrent(std::min(d->current + 1, last));
        break;
    case Qt::Key_Home:
        setCurrent(std::min(0, last));
        break;
    case Qt::Key_End:
        setCurrent(last);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        Q_EMIT clicked(d->current);
        break;
    case Qt::Key_Escape:
        if (d->current < 0) // the window may have something to take back
            return QWidget::keyPressEvent(event);
        setCurrent(-1);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void DeviceBarsPlot::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    d->frame->setVisible(event->reason() != Qt::MouseFocusReason);
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void DeviceBarsPlot::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    d->frame->setVisible(false);
    setCurrent(-1);
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void DeviceBarsPlot::placeTicks()
{
    setUnit(*d->plot->yAxis, d->unit, height() < 120 ? 2 : 4);
    // As many labels as fit side by side.
    const QFontMetrics metrics(d->theme.small);
    int widest = 1;
    for (const QString& label : d->labels)
        widest = std::max(widest, metrics.horizontalAdvance(label) + 8);
    const int room = std::max(1, width() - 60);
    const auto count = static_cast<int>(d->labels.size());
    const int every = std::max(1, (count * widest + room - 1) / room);
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (int i = 0; i < count; i += every)
        ticker->addTick(i, d->labels[i]);
    d->plot->xAxis->setTicker(ticker);
}

int DeviceBarsPlot::barCount() const
{
    return static_cast<int>(d->labels.size());
}
QSize DeviceBarsPlot::minimumSizeHint() const
{
    return { 120, 70 };
}
bool DeviceBarsPlot::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == d->plot && event->type() == QEvent::Leave)
        setCurrent(-1);
    return QWidget::eventFilter(watched, event);
}

void DeviceBarsPlot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeTicks();
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

} // namespace shardscope::plot
