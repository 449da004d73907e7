// SPDX-License-Identifier: GPL-3.0-or-later
// The timing plots as tables.
#pragma once

#include <vector>

#include "pipeline/analysis_cache.h"
#include "simulate/run/run.h"
#include "simulate/run/step_figures.h"
#include "views/widgets/column_model.h"

namespace shardscope {

/// One row per device: compute, communication, wait, in all.
class DeviceTimesModel : public ColumnModel {
    Q_OBJECT
public:
    explicit DeviceTimesModel(QObject* parent = nullptr);
    void setDevices(std::vector<DeviceTimes> devices, std::vector<std::int32_t> ids);

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_devices.size()); }

private:
    std::vector<DeviceTimes> m_devices;
    std::vector<std::int32_t> m_ids;
};

/// One row per step, newest first: number, time, loss, norms of parameters and gradients.
class StepTimesModel : public ColumnModel {
    Q_OBJECT
public:
    explicit StepTimesModel(QObject* parent = nullptr);
    /// `figures`: of the newest ones of these steps, perhaps of all.
    void setTimes(std::int64_t first, std::vector<double> seconds, std::vector<StepFigures> figures = {});

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_seconds.size()); }

private:
    std::int64_t m_first = 1;
    std::vector<double> m_seconds;
    std::vector<StepFigures> m_figures;
};

/// One row per stage of compiling: how often its result was in the cache, and how long it took.
class CompiledStagesModel : public ColumnModel {
    Q_OBJECT
public:
    explicit CompiledStagesModel(QObject* parent = nullptr);
    void setStages(std::vector<StageCount> stages);

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_stages.size()); }

private:
    std::vector<StageCount> m_stages;
};

} // namespace shardscope
