// SPDX-License-Identifier: GPL-3.0-or-later
// The plots of the Timing view with what they show as tables for screen readers.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "geometry/flow_layout.h"
#include "pipeline/analysis_cache.h"
#include "plot/device_bars_plot.h"
#include "plot/step_plot.h"
#include "simulate/run/run.h"
#include "simulate/run/step_figures.h"
#include "views/theme/theme.h"
#include "views/widgets/column_model.h"
#include "views/widgets/painted_table.h"
#include "words/timing_words.h"

namespace shardscope {

/// Swatches with their names and figures, set one after the other.
class TimeLegend : public QWidget {
    Q_OBJECT
public:
    struct Entry {
        QString name;
        QString figure;
        QColor fill; ///< none: a name without swatch
        bool operator==(const Entry&) const = default;
    };
    explicit TimeLegend(QWidget* parent = nullptr);
    void setEntries(std::vector<Entry> entries);
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override { return flowFor(width).height; }
    [[nodiscard]] QSize sizeHint() const override { return { Metrics::scaled(300), Metrics::scaled(18) }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(100), Metrics::scaled(18) }; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] FlowLayout flowFor(int width) const;
    std::vector<Entry> m_entries;
};

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

/// One row per step, oldest first: its time, or a figure of it.
class AccessibleStepPlot : public plot::StepPlot, public PaintedTable {
    Q_OBJECT
public:
    /// `head`: what its numbers are, "Time", "Loss".
    explicit AccessibleStepPlot(QString head, QWidget* parent = nullptr);
    void setSteps(std::int64_t first, std::vector<double> seconds);
    void setFigures(std::int64_t first, std::vector<std::optional<double>> figures);
    /// "Step 12: 4.85417", "Step 12: 9.42 ms".
    [[nodiscard]] QString stepText(std::int64_t step) const;

    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_numbers.size()); }
    [[nodiscard]] QStringList tableHeads() const override { return { tr("Step"), m_head }; }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override { return stepRect(m_first + row); }
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override;

private:
    QString m_head;
    std::int64_t m_first = 1;
    bool m_areTimes = true;
    std::vector<std::optional<double>> m_numbers;
};

/// One row per bar.
class AccessibleBarsPlot : public plot::DeviceBarsPlot, public PaintedTable {
    Q_OBJECT
public:
    explicit AccessibleBarsPlot(QWidget* parent = nullptr);
    /// `names` says which devices a bar stands for.
    void setTimes(std::vector<DeviceBar> bars, QStringList names);

    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_bars.size()); }
    [[nodiscard]] QStringList tableHeads() const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override { return barRect(row); }
    [[nodiscard]] int tableRowAt(QPoint point) const override { return barAt(point); }
    [[nodiscard]] int tableCurrentRow() const override { return current(); }
    void tableActivate(int row) override { Q_EMIT clicked(row); }

private:
    std::vector<DeviceBar> m_bars;
    QStringList m_names;
};

} // namespace shardscope
