// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/timing_plots.h"

#include <QPainter>
#include <limits>
#include <utility>

#include "words/words.h"

namespace shardscope {

AccessibleStepPlot::AccessibleStepPlot(QString head, QWidget* parent)
    : plot::StepPlot(parent)
    , m_head(std::move(head))
{
    connect(this, &plot::StepPlot::hovered, this, [this] { tableCurrentChanged(this); });
}

void AccessibleStepPlot::setSteps(std::int64_t first, std::vector<double> seconds)
{
    setTimes(first, seconds);
    m_first = first;
    m_areTimes = true;
    m_numbers.assign(seconds.begin(), seconds.end());
    tableChanged(this);
}

void AccessibleStepPlot::setFigures(std::int64_t first, std::vector<std::optional<double>> figures)
{
    std::vector<double> numbers;
    for (const std::optional<double>& figure : figures)
        numbers.push_back(figure.value_or(std::numeric_limits<double>::quiet_NaN()));
    setNumbers(first, numbers);
    m_first = first;
    m_areTimes = false;
    m_numbers = std::move(figures);
    tableChanged(this);
}

QString AccessibleStepPlot::stepText(std::int64_t step) const
{
    return tr("Step %1: %2").arg(words::count(step), tableText(static_cast<int>(step - m_first), 1));
}

QString AccessibleStepPlot::tableText(int row, int column) const
{
    if (column == 0)
        return words::count(m_first + row);
    const std::optional<double>& number = m_numbers[static_cast<std::size_t>(row)];
    return m_areTimes && number ? words::seconds(*number) : words::figureText(number);
}

int AccessibleStepPlot::tableRowAt(QPoint point) const
{
    const qint64 step = stepAt(point);
    return step < 0 ? -1 : static_cast<int>(step - m_first);
}

int AccessibleStepPlot::tableCurrentRow() const
{
    return current() < 0 ? -1 : static_cast<int>(current() - m_first);
}

AccessibleBarsPlot::AccessibleBarsPlot(QWidget* parent)
    : plot::DeviceBarsPlot(parent)
{
    connect(this, &plot::DeviceBarsPlot::hovered, this, [this] { tableCurrentChanged(this); });
}

void AccessibleBarsPlot::setTimes(std::vector<DeviceBar> bars, QStringList names)
{
    m_bars = std::move(bars);
    m_names = std::move(names);
    tableChanged(this);
}

QStringList AccessibleBarsPlot::tableHeads() const
{
    return { tr("Devices"), tr("Compute"), tr("Communication"), tr("Wait") };
}

QString AccessibleBarsPlot::tableText(int row, int column) const
{
    const DeviceTimes& times = m_bars[static_cast<std::size_t>(row)].times;
    const double parts[] = { times.compute, times.communication, times.wait };
    return column == 0 ? m_names.value(row) : words::seconds(parts[column - 1]);
}

DeviceTimesModel::DeviceTimesModel(QObject* parent)
    : ColumnModel(parent)
{
    const auto seconds = [this](auto of) {
        return [this, of](int row) { return words::seconds(of(m_devices[static_cast<std::size_t>(row)])); };
    };
    const auto all = [](const DeviceTimes& times) { return times.compute + times.communication + times.wait; };
    const auto name = [this](int row) {
        const auto place = static_cast<std::size_t>(row);
        return tr("d%1").arg(place < m_ids.size() ? m_ids[place] : row);
    };
    using Look = ModelColumn::Look;
    setColumns({ { tr("Device"), name }, { tr("Compute"), seconds(std::mem_fn(&DeviceTimes::compute)), Look::Number },
        { tr("Communication"), seconds(std::mem_fn(&DeviceTimes::communication)), Look::Number },
        { tr("Wait"), seconds(std::mem_fn(&DeviceTimes::wait)), Look::Number },
        { tr("In all"), seconds(all), Look::Number } });
}

void DeviceTimesModel::setDevices(std::vector<DeviceTimes> devices, std::vector<std::int32_t> ids)
{
    refill(devices.size() == m_devices.size() && ids == m_ids, [&] {
        m_devices = std::move(devices);
        m_ids = std::move(ids);
    });
}

StepTimesModel::StepTimesModel(QObject* parent)
    : ColumnModel(parent)
{
    const auto step = [this](int row) { return m_seconds.size() - 1 - static_cast<std::size_t>(row); };
    const auto figure = [this](std::optional<double> StepFigures::*member) {
        return [this, member](int row) {
            const auto place = static_cast<std::size_t>(row); // newest first
            return words::figureText(
                place < m_figures.size() ? m_figures[m_figures.size() - 1 - place].*member : std::nullopt);
        };
    };
    using Look = ModelColumn::Look;
    setColumns(
        { { tr("Step"), [this, step](int row) { return words::count(m_first + static_cast<std::int64_t>(step(row))); },
              Look::Number },
            { tr("Time"), [this, step](int row) { return words::seconds(m_seconds[step(row)]); }, Look::Number },
            { tr("Loss"), figure(&StepFigures::loss), Look::Number },
            { tr("Parameters"), figure(&StepFigures::parameterNorm), Look::Number,
                tr("Norm of all parameters after the step") },
            { tr("Gradients"), figure(&StepFigures::gradientNorm), Look::Number,
                tr("Norm of all gradients, before they are clipped") } });
}

void StepTimesModel::setTimes(std::int64_t first, std::vector<double> seconds, std::vector<StepFigures> figures)
{
    refill(false, [&] {
        m_first = first;
        m_seconds = std::move(seconds);
        m_figures = std::move(figures);
    });
}

CompiledStagesModel::CompiledStagesModel(QObject* parent)
    : ColumnModel(parent)
{
    const auto at = [this](int row) -> const StageCount& { return m_stages[static_cast<std::size_t>(row)]; };
    const auto title = [at](int row) {
        const std::string& stage = at(row).stage;
        return stage == "build"    ? tr("build")
            : stage == "annotate"  ? tr("annotate")
            : stage == "propagate" ? tr("propagate")
            : stage == "partition" ? tr("partition")
            : stage == "schedule"  ? tr("schedule")
                                   : tr("summarise");
    };
    using Look = ModelColumn::Look;
    setColumns({ { tr("Compiling"), title },
        { tr("Hits"), [at](int row) { return words::count(at(row).hits); }, Look::Number,
            tr("How often the result was in the cache") },
        { tr("Misses"), [at](int row) { return words::count(at(row).misses); }, Look::Number,
            tr("How often it was computed") },
        { tr("Last"), [at](int row) { return words::seconds(at(row).lastSeconds); }, Look::Number },
        { tr("In all"), [at](int row) { return words::seconds(at(row).hitSeconds + at(row).missSeconds); },
            Look::Number } });
}

void CompiledStagesModel::setStages(std::vector<StageCount> stages)
{
    refill(stages.size() == m_stages.size(), [&] { m_stages = std::move(stages); });
}

using namespace Qt::StringLiterals;

namespace {

int swatch()
{
    return Metrics::scaled(9);
}

QFont figureFont()
{
    QFont font = Metrics::small();
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

TimeLegend::TimeLegend(QWidget* parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void TimeLegend::setEntries(std::vector<Entry> entries)
{
    if (entries == m_entries)
        return;
    m_entries = std::move(entries);
    QStringList texts;
    for (const Entry& entry : m_entries)
        texts << entry.name + u' ' + entry.figure;
    setAccessibleName(texts.join(u", "_s));
    updateGeometry();
    update();
}

FlowLayout TimeLegend::flowFor(int width) const
{
    const QFontMetrics name(Metrics::small()), figure(figureFont());
    std::vector<int> widths;
    for (const Entry& entry : m_entries)
        widths.push_back((entry.fill.isValid() ? swatch() + Metrics::scaled(9) : Metrics::scaled(4))
            + name.horizontalAdvance(entry.name) + figure.horizontalAdvance(entry.figure) + 1);
    return FlowLayout::make(widths, width, Metrics::scaled(18), Metrics::scaled(10));
}
void TimeLegend::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const FlowLayout flow = flowFor(width());
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        QRect place = flow.items[i];
        if (m_entries[i].fill.isValid()) {
            painter.fillRect(
                QRect(place.left(), place.center().y() - swatch() / 2, swatch(), swatch()), m_entries[i].fill);
            place.setLeft(place.left() + swatch() + Metrics::scaled(5));
        }
        painter.setFont(Metrics::small());
        painter.setPen(theme.secondary);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, m_entries[i].name);
        place.setLeft(place.left() + painter.fontMetrics().horizontalAdvance(m_entries[i].name) + Metrics::scaled(4));
        painter.setFont(figureFont());
        painter.setPen(theme.text);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, m_entries[i].figure);
    }
}

} // namespace shardscope
