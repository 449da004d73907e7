// SPDX-License-Identifier: GPL-3.0-or-later
// The dock that shows the numbers of the selected tensor after a step: what each device holds or the full array, as a
// table or as a heat map, and their differences from the unsharded reference or from what the array began with; and
// what they hold after any operation of that step. Its key figure is "Layer 0 / W1, step 8".
#pragma once

#include "document/replay_job.h"
#include "document/run_controller.h"
#include "geometry/heat_data.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QComboBox;
class QStackedWidget;

namespace shardscope {

class EmptyPage;
class HeatPage;
class InitialChoice;
class NextStepChoice;
class NumbersModel;
class NumbersTable;
class PlaneBar;
class SegmentedBar;
class StaleRibbon;
class StepBar;

class ValuesView : public DockView {
    Q_OBJECT
public:
    ValuesView(Document* document, Selection* selection, RunController* controller, QWidget* parent = nullptr);

    /// The steps are being taken again, for the reference or for single operations.
    [[nodiscard]] bool isWorking() const { return m_replay->isWorking(); }
    [[nodiscard]] NumbersTable* table() const { return m_table; }
    [[nodiscard]] NumbersModel* numbers() const { return m_numbers; }
    [[nodiscard]] QComboBox* devices() const { return m_device; }
    [[nodiscard]] EmptyPage* emptyPage() const { return m_empty; }
    [[nodiscard]] StepBar* stepBar() const { return m_steps; }
    /// What is said of the array: that parts are still to be added up, that a step is running.
    [[nodiscard]] QString notice() const { return m_notice->isHidden() ? QString() : m_notice->text(); }

protected:
    void showEvent(QShowEvent* event) override;

private:
    /// What there is to show.
    struct Subject {
        const TensorRow* row = nullptr;
        ValueId value; ///< of the program that was run; invalid where it is read from `recorded`
        Layout layout;
        DType dtype = DType::F32;
        std::shared_ptr<const RecordedReader> recorded = {}; ///< on the way; else what the run holds is read
        std::shared_ptr<const TensorRow> made = {}; ///< `row`, where the experiment has none
        QString note = {};
        bool own = false; ///< every device has an array of its own
    };
    void makeControls();
    void refresh();
    /// The array that is selected, as the run's devices hold it; says why there is none.
    [[nodiscard]] std::optional<Subject> subject();
    [[nodiscard]] std::optional<Subject> stepSubject(const TensorRow& row); ///< after the last step
    [[nodiscard]] std::optional<Subject> recordedSubject(const TensorRow& row); ///< after so many of its operations
    [[nodiscard]] std::optional<Subject> operationSubject(const Snapshot& snapshot); ///< what an operation gave
    void followSteps(); ///< the bar is that of the step that was taken again
    void showOperation(); ///< in the bar
    void chooseStep(); ///< selects its operation
    /// Goes to the operation that was selected elsewhere; false where it stays.
    bool followOperation();
    QWidget* argumentBar();
    void followArgument(); ///< what it holds before the first step and before the next, while that can be seen
    void runAgain(); ///< what is shown, from other initial values
    void replay(); ///< takes the steps again as far as what is shown needs it
    void act(); ///< what the button of the empty page does
    [[nodiscard]] ShownValues chosenOf(const Subject& subject) const;
    void showHead(const Subject& subject);
    void showSubject(const Subject& subject);
    void showEmpty(const QString& sentence, const QString& button);
    void showNotice(const Subject& subject);
    void listDevices(const Mesh& mesh);
    void followDevices();
    /// Why there is no difference to show, of an array that is there; empty if there is one, or will be.
    [[nodiscard]] QString whyNotCompared() const;
    [[nodiscard]] ReadSample reader() const;
    /// About the steps of the run; nothing before the first one, and while any runs.
    [[nodiscard]] std::optional<ReplayJob::Question> question() const;
    /// Of what is shown what it is compared with, once that is there; else null.
    [[nodiscard]] const ReplayJob::Reference* compared() const;
    void showReferenceWork(); ///< in place of differences, as long as there is no reference
    void followProgress();

    RunController* m_controller;
    ReplayJob* m_replay;
    StaleRibbon* m_ribbon;
    StepBar* m_steps;
    QWidget* m_head; ///< everything above the numbers
    RoleLabel* m_array;
    RoleLabel* m_when;
    QComboBox* m_device;
    SegmentedBar* m_extent;
    SegmentedBar* m_form;
    SegmentedBar* m_content;
    PlaneBar* m_plane;
    RoleLabel* m_notice;
    InitialChoice* m_initial; ///< of an argument
    NextStepChoice* m_nextStep; ///< of the same
    QStackedWidget* m_pages;
    EmptyPage* m_empty;
    HeatPage* m_heat;
    QWidget* m_heatRoom; ///< that it is seen in
    NumbersModel* m_numbers;
    NumbersTable* m_table;
    ShownValues m_shown;
    ValueId m_value; ///< Subject::value
    std::shared_ptr<const RecordedReader> m_reader; ///< Subject::recorded
    QString m_path; ///< of the tensor for which the plane was chosen
    QString m_selected; ///< tensor, when a step was chosen
    QString m_operation; ///< of the selection, as it was followed last
    RecordedStepPtr m_recorded; ///< whose operations the bar has
    struct {
        std::shared_ptr<const FlatProgram> program;
        int count = 0, step = 0;
    } m_place; ///< that was chosen in the bar
    MeshPtr m_listed; ///< whose devices are listed
    QString m_failure; ///< why the last step could not be run
    bool m_otherPlane = false; ///< has been chosen
    bool m_following = false; ///< the list of devices follows the selection
    bool m_atOperation = false; ///< shows what an operation gave, not the selected tensor
    bool m_choosing = false; ///< sets the selection
};

} // namespace shardscope
