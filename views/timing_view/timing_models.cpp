// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/timing_models.h"

#include "views/timing_view/timing_summary.h"
#include "words/words.h"

namespace shardscope {

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
            return figureText(
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

} // namespace shardscope
