// SPDX-License-Identifier: GPL-3.0-or-later
// The training curves of the Timing view: loss, norm of all parameters and norm of all gradients by step, as steps
// come. Where one of them is not finite it says since which step, and takes that step again to find what gave it.
#pragma once

#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "document/replay_job.h"
#include "plot/plot_theme.h"
#include "simulate/run/step_figures.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QPushButton;

namespace shardscope {

class AccessibleStepPlot;

class TrainingPage : public QWidget {
    Q_OBJECT
public:
    explicit TrainingPage(RunController* controller, QWidget* parent = nullptr);

    void setTheme(const plot::PlotTheme& theme);
    void setBesideEachOther(bool beside);
    /// Step `first` is that of figures.front(). A curve without any number is hidden. `isOfRun`: the controller's run
    /// took the steps, and can take them again.
    void setFigures(std::int64_t first, const std::vector<StepFigures>& figures, bool isOfRun);

    [[nodiscard]] AccessibleStepPlot* lossPlot() const { return m_curves[0].plot; }
    [[nodiscard]] AccessibleStepPlot* parameterPlot() const { return m_curves[1].plot; }
    [[nodiscard]] AccessibleStepPlot* gradientPlot() const { return m_curves[2].plot; }
    /// What is said of a figure that is not finite; empty while all are.
    [[nodiscard]] QString finding() const { return m_findingRow->isHidden() ? QString() : m_finding->text(); }

private:
    struct Curve {
        std::optional<double> StepFigures::*figure = nullptr;
        QString title;
        QWidget* frame = nullptr;
        RoleLabel* caption = nullptr;
        AccessibleStepPlot* plot = nullptr;
    };
    void addCurve(
        std::size_t place, std::optional<double> StepFigures::*figure, const QString& head, const QString& title);
    void find();
    void showFinding();

    RunController* m_controller;
    QBoxLayout* m_row;
    std::array<Curve, 3> m_curves;
    QWidget* m_findingRow;
    RoleLabel* m_finding;
    QPushButton* m_find;
    ReplayJob* m_replay;
    std::optional<std::int64_t> m_step; ///< the first with a figure that is not finite
    bool m_isOfRun = false;
    std::optional<ReplayJob::Question> m_asked; ///< for what gave it
};

} // namespace shardscope
