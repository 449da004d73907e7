// SPDX-License-Identifier: GPL-3.0-or-later
// The dock that shows the numbers of the selected tensor after a step: what each device holds or the whole array, as a
// table or as a heat map, and their differences from the unsharded reference. Of a program that was read from a text
// what they hold after any of its operations.
#pragma once

#include <QWidget>

#include "document/run_controller.h"
#include "views/values_view/heat_data.h"
#include "views/values_view/program_job.h"
#include "views/values_view/reference_job.h"

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
class RoleLabel;
class SegmentedBar;
class Selection;
class StaleRibbon;
class StepBar;

class ValuesView : public QWidget {
    Q_OBJECT
public:
    ValuesView(Document* document, Selection* selection, RunController* controller, QWidget* parent = nullptr);

    /// "Layer 0 / W1, step 8".
    [[nodiscard]] QString keyFigure() const { return m_keyFigure; }
    /// The reference is being worked out, or a program is being run.
    [[nodiscard]] bool isWorking() const { return m_reference->isWorking() || m_program->isWorking(); }
    [[nodiscard]] HeatPage* heatPage() const { return m_heat; }
    [[nodiscard]] NumbersTable* table() const { return m_table; }
    [[nodiscard]] NumbersModel* numbers() const { return m_numbers; }
    [[nodiscard]] SegmentedBar* extentBar() const { return m_extent; } ///< Global | Local
    [[nodiscard]] SegmentedBar* formBar() const { return m_form; } ///< Heat map | Numbers
    [[nodiscard]] SegmentedBar* contentBar() const { return m_content; } ///< Values | Difference
    [[nodiscard]] QComboBox* devices() const { return m_device; }
    [[nodiscard]] PlaneBar* planeBar() const { return m_plane; }
    [[nodiscard]] EmptyPage* emptyPage() const { return m_empty; }
    [[nodiscard]] StepBar* stepBar() const { return m_steps; }
    [[nodiscard]] InitialChoice* initialChoice() const { return m_initial; }
    [[nodiscard]] NextStepChoice* nextStepChoice() const { return m_nextStep; }
    /// Runs a program in a text on random inputs, unless it has been run; false where there is nothing to be run.
    bool runProgram();
    /// Why it could not be run.
    [[nodiscard]] std::optional<Diagnostic> programFailure() const;
    /// What is said of the array: that parts are still to be added up, that a step is running.
    [[nodiscard]] QString notice() const;

Q_SIGNALS:
    void keyFigureChanged();

private:
    /// What there is to show.
    struct Subject {
        const TensorRow* row = nullptr;
        ValueId value; ///< of the program that was run
        Layout layout;
        DType dtype = DType::F32;
        std::shared_ptr<const ComparedReader> program = {}; ///< of a program in a text; else a run is read
        std::shared_ptr<const TensorRow> made = {}; ///< `row`, where the experiment has none
        QString note = {};
    };
    void makeControls();
    void refresh();
    /// The array that is selected, as the run's devices hold it; says why there is none.
    [[nodiscard]] std::optional<Subject> subject();
    [[nodiscard]] std::optional<Subject> stepSubject(const TensorRow& row);
    [[nodiscard]] std::optional<Subject> programSubject(const TensorRow& row, const Snapshot& snapshot);
    /// What the operation before which the program is stopped gave.
    [[nodiscard]] std::optional<Subject> operationSubject(const Snapshot& snapshot, const ProgramValuesPtr& values);
    void followSteps(); ///< the bar is that of the program that was run
    void chooseStep(); ///< selects its operation
    QWidget* argumentBar();
    void runAgain(); ///< what is shown, from other initial values
    [[nodiscard]] bool isProgram() const; ///< that was read from a text
    void act(); ///< what the button of the empty page does
    void showSubject(const Subject& subject);
    void showEmpty(const QString& sentence, const QString& button);
    void showNotice(const Subject& subject);
    void listDevices(const Mesh& mesh);
    void followDevices();
    [[nodiscard]] ReadSample reader() const;
    [[nodiscard]] std::optional<ReferenceJob::Question> question() const;
    void followReference();
    void setKeyFigure(const QString& figure);

    Document* m_document;
    Selection* m_selection;
    RunController* m_controller;
    ReferenceJob* m_reference;
    ProgramJob* m_program;
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
    ValueId m_value; ///< of the program that was run
    std::shared_ptr<const ComparedReader> m_reader; ///< of a program in a text
    QString m_path; ///< of the tensor for which the plane was chosen
    QString m_selected; ///< tensor, when a step was chosen
    ProgramValuesPtr m_stepped; ///< whose steps the bar has
    MeshPtr m_listed; ///< whose devices are listed
    QString m_failure; ///< why the last step could not be run
    QString m_keyFigure;
    bool m_otherPlane = false; ///< has been chosen
    bool m_following = false; ///< the list of devices follows the selection
    bool m_atOperation = false; ///< shows what an operation gave, not the selected tensor
    bool m_choosing = false; ///< sets the selection
    bool m_runAgain = false; ///< the program, once the edit has been analysed
};

} // namespace shardscope
