// SPDX-License-Identifier: GPL-3.0-or-later
// The Timing view: measured times of the steps that ran, as they come, and what each device spent them on; or what the
// steps gave, as curves (training_page.h). Its key figure is "9.42 ms per step".
#pragma once

#include <QPushButton>

#include "document/run_controller.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"
#include "words/timing_words.h"

class QBoxLayout;
class QLabel;
class QStackedWidget;

namespace shardscope {

class AccessibleBarsPlot;
class AccessibleStepPlot;
class CompiledStagesModel;
class DeviceTimesModel;
class EmptyPage;
class StepTimesModel;
class TimeLegend;
class TrainingPage;

class TimingView : public DockView {
    Q_OBJECT
public:
    TimingView(Document* document, Selection* selection, RunController* controller, QWidget* parent = nullptr);

    [[nodiscard]] QString sentence() const { return m_sentence->text(); }
    [[nodiscard]] TimeLegend* legend() const { return m_legend; }
    /// Curves of loss and norms, in place of times.
    [[nodiscard]] bool isTraining() const { return m_trainingButton->isChecked(); }
    [[nodiscard]] bool isTable() const { return m_tableButton->isChecked(); }
    /// `isKept`: what was measured is from before an edit.
    void show(RunController::Timings timing, bool isKept = false);
    using QWidget::show;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeFailureRow();
    void makeHead();
    QWidget* makePlots();
    QWidget* makeTables();
    void follow();
    void refresh();
    void applyTheme();
    void showEmpty();
    void showTraining(std::int64_t first);
    void showLegend(int bar);
    void hoverBar(int bar);
    void shareCopies();
    void showFailure(const Diagnostic& diagnostic);
    [[nodiscard]] QString marked(const QString& sentence) const;
    [[nodiscard]] std::vector<std::int32_t> deviceIds(std::size_t first, std::size_t count) const;

    RunController* m_controller;
    RunController::Timings m_data;
    bool m_isKept = false;
    std::vector<DeviceBar> m_bars;
    DeviceTimes m_mean; ///< over all devices

    RoleLabel* m_sentence;
    QLabel* m_failureIcon;
    RoleLabel* m_failure;
    QPushButton* m_share; ///< copies of arrays in one place, where that is what is needed
    QWidget* m_failureRow;
    QPushButton* m_pauseButton;
    QPushButton* m_trainingButton;
    QPushButton* m_tableButton;
    QWidget* m_head;
    QStackedWidget* m_pages;
    EmptyPage* m_empty;
    QBoxLayout* m_plots;
    AccessibleStepPlot* m_steps;
    RoleLabel* m_caption;
    TimeLegend* m_legend;
    AccessibleBarsPlot* m_devices;
    TrainingPage* m_training;
    StepTimesModel* m_stepRows;
    DeviceTimesModel* m_deviceRows;
    CompiledStagesModel* m_stageRows;
};

} // namespace shardscope
