// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: docks around one document, one selection and one run.
//
// It has four arrangements. The wide one has three columns and a strip at the bottom. Where there is less room the
// docks stand in two columns, many of them as tabs, and a rail of their icons appears at the right; the small one has
// tabs also where the middle one has room to put docks below each other. Where there is next to none, all are tabs in
// one place. Each is remembered as the user left it.
#pragma once

#include <QMainWindow>
#include <QTimer>
#include <array>
#include <functional>

#include "document/document.h"
#include "document/run_controller.h"
#include "document/selection.h"
#include "views/main_window/settings.h"

class QActionGroup;
class QDialog;
class QLabel;
class QMenu;
class QPushButton;
class QSpinBox;
class QToolBar;
class QToolButton;

namespace shardscope {

class CollectivesView;
class DialectsView;
class DockFrame;
class DockTabs;
class EditPlate;
class ExamplesDialog;
class ExplainView;
class HelpWindow;
class HostsView;
class PropagationView;
class MemoryView;
class MeshView;
class ModelView;
class NamedArraysView;
class NoticeBar;
class NoticeStrip;
class ProblemsView;
class ProgramView;
class RuleTraceView;
class RulesView;
class ShardGridView;
class ShardingLabView;
class StatusButton;
class StatusMessage;
class TableHelp;
class TensorsView;
class TimingView;
class Tips;
class TopologyView;
class ValuesView;
class WhatIfView;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    struct Options {
        bool remember = true; ///< read and write settings
        bool tips = true; ///< of the first minute; for somebody who sits before the window
    };
    MainWindow(Appearance* appearance, const Options& options, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] Document* document() { return &m_document; }
    [[nodiscard]] Selection* selection() { return &m_selection; }
    [[nodiscard]] RunController* runController() { return &m_run; }
    [[nodiscard]] MeshView* meshView() const { return m_mesh; }
    [[nodiscard]] RulesView* rulesView() const { return m_rules; }
    [[nodiscard]] ModelView* modelView() const { return m_model; }
    [[nodiscard]] ShardGridView* shardGridView() const { return m_grid; }
    [[nodiscard]] ExplainView* explainView() const { return m_explain; }
    [[nodiscard]] WhatIfView* whatIfView() const { return m_whatIf; }
    [[nodiscard]] ValuesView* valuesView() const { return m_values; }
    [[nodiscard]] ProblemsView* problemsView() const { return m_problems; }
    [[nodiscard]] ProgramView* programView() const { return m_program; }
    [[nodiscard]] ShardingLabView* shardingLab() const { return m_lab; }
    [[nodiscard]] EditPlate* editPlate() const { return m_plate; }
    [[nodiscard]] const QList<DockFrame*>& docks() const { return m_docks; }
    [[nodiscard]] DockFrame* dock(const QString& id) const;
    [[nodiscard]] QAction* action(const QString& name) const;

    /// Opens without asking; errors are shown on top of the window and among the problems, and leave the document as it
    /// is. A table of arrays becomes an untitled experiment with the mesh and the rules of the present one.
    /// Of a model's config.json a dialog shows the keys first.
    bool openFile(const QString& path);
    /// The same with text that has no file; `name` is for errors.
    bool openText(const QByteArray& text, const QString& name);
    /// Whatever the program reads: rules are an edit, which can be undone; else asks about unsaved changes before.
    /// False if it was left open.
    bool openAny(const QString& path);
    /// A copy of one of the gallery, after asking about unsaved changes.
    bool openExample(const QString& id);
    /// The gallery.
    void showExamples();
    [[nodiscard]] ExamplesDialog* examplesDialog() const { return m_examples; }
    /// On top of the window: what could not be opened, and the question and notes of the experiment.
    [[nodiscard]] NoticeStrip* unreadable() const { return m_unreadable; }
    [[nodiscard]] NoticeStrip* question() const { return m_question; }
    /// How a model's arrays become such a table.
    void showTableHelp();
    [[nodiscard]] TableHelp* tableHelp() const { return m_tableHelp; }
    /// The guide and the keys, beside the window.
    [[nodiscard]] HelpWindow* helpWindow();
    /// Saves under the document's path, or asks for one.
    bool save();
    bool saveTo(const QString& path);
    /// In less than three columns.
    [[nodiscard]] bool isCompact() const { return m_arrangement != Arrangement::SharedAttributes; }
    /// A message in the status bar, for a few seconds.
    void say(const QString& text);
    /// Nothing is at work: no analysis, no run, and what the docks work out beside the window is there.
    [[nodiscard]] bool isSettled() const;

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Of saved arrangements: those of other versions are not restored.
    static constexpr int arrangementVersion = 6;
    void makeDocks();
    void makeActions();
    void makeMenus();
    void makeToolBar();
    void makeRail();
    void makeNotices(bool tips);
    void showQuestion();
    [[nodiscard]] int noticesHeight() const; ///< 0 while there are none
    /// A file, or text, that could not be opened: false.
    bool refuse(const QString& name, const std::vector<Diagnostic>& errors);
    /// The same for a file that could not be written.
    bool refuseToSave(const QString& name, const Diagnostic& error);
    void makeStatusBar();

    enum class Arrangement : std::uint8_t { Single, Small, Middle, SharedAttributes };
    [[nodiscard]] static Arrangement arrangementFor(const QSize& size);
    void arrange(Arrangement arrangement);
    void arrangeLarge();
    void arrangeMiddle();
    void arrangeSmall();
    void arrangeSingle();
    /// What the latter share: docks as tabs over the shard grid, those on demand closed.
    void tabOverGrid(std::initializer_list<const char*> docks);
    void resetArrangement();
    /// Of the docks' place, between the bars above and below.
    [[nodiscard]] int rowsForDocks() const;
    struct Arranged {
        QByteArray state; ///< of the docks; empty as long as nobody has seen it
        bool isSizedByHand = false; ///< a line between docks was dragged
    };
    [[nodiscard]] Arranged& arranged(Arrangement arrangement);
    /// Of the rules' dock, to show all rows.
    [[nodiscard]] int rulesHeight() const;
    /// Mesh gets the height of what is in it; rules and tensors share the rest by what is in them. Unless somebody
    /// chose heights by hand.
    void fitRows();
    /// The same a moment later, if there are more or fewer of them.
    void followRows();
    void fitSteps();
    void followTabs();
    void followFocus();
    void followProblems();
    /// In front of the docks it shares its place with, unless that took the keyboard focus away from one of them.
    void bringForward(DockFrame* dock);
    void focusNextDock(int step);
    /// The dock that has the keyboard focus.
    [[nodiscard]] DockFrame* dockInUse() const;

    void newExperiment();
    bool askToOpen();
    void askForTable();
    /// Shows what a model's config.json says and asks for mesh and rules; the document changes once that is accepted.
    void askAboutConfiguration(const QString& path, std::string text);
    bool showErrors(const std::vector<Diagnostic>& errors);
    bool askToSaveAs();
    /// True if the document may be left: it was clean, saved or given up.
    bool mayLeave();
    void fillRecentMenu();
    void showAbout();

    void selectSomething();
    void showFile();
    void showStatus();
    void showRun();
    /// Until it is stopped or its runs are done; not a single step.
    [[nodiscard]] bool isRunning() const;

    QAction* addAction(const QString& name, const QString& icon, const QString& text, const QKeySequence& shortcut,
        const std::function<void()>& run);

    Appearance* m_appearance;
    Settings m_settings;
    bool m_remember;
    Document m_document;
    Selection m_selection;
    RunController m_run;

    MeshView* m_mesh = nullptr;
    RulesView* m_rules = nullptr;
    RuleTraceView* m_trace = nullptr;
    DialectsView* m_dialects = nullptr;
    TableHelp* m_tableHelp = nullptr;
    ModelView* m_model = nullptr;
    TensorsView* m_tensors = nullptr;
    ShardGridView* m_grid = nullptr;
    TimingView* m_timing = nullptr;
    MemoryView* m_memory = nullptr;
    ExplainView* m_explain = nullptr;
    ProblemsView* m_problems = nullptr;
    ProgramView* m_program = nullptr;
    ShardingLabView* m_lab = nullptr;
    NamedArraysView* m_named = nullptr;
    TopologyView* m_devices = nullptr;
    HostsView* m_hosts = nullptr;
    PropagationView* m_propagation = nullptr;
    WhatIfView* m_whatIf = nullptr;
    CollectivesView* m_collectives = nullptr;
    ValuesView* m_values = nullptr;
    QList<DockFrame*> m_docks;
    DockTabs* m_tabs = nullptr;
    QTimer m_tabsTime; ///< until tabs are looked at, once for all docks that have moved
    ExamplesDialog* m_examples = nullptr;
    HelpWindow* m_help = nullptr;
    QDialog* m_history = nullptr; ///< the undo stack as a list
    NoticeBar* m_notices = nullptr;
    NoticeStrip* m_unreadable = nullptr;
    NoticeStrip* m_question = nullptr;
    bool m_questionClosed = false; ///< until another experiment comes

    QMenu* m_recentMenu = nullptr;
    QToolBar* m_toolBar = nullptr;
    QToolBar* m_rail = nullptr;
    EditPlate* m_plate = nullptr;
    QPushButton* m_stepButton = nullptr;
    QToolButton* m_runMenu = nullptr;
    QSpinBox* m_runs = nullptr; ///< of a benchmark, in the menu
    QSpinBox* m_loops = nullptr;
    QLabel* m_steps = nullptr;
    StatusButton* m_problemCount = nullptr;
    QLabel* m_solved = nullptr;
    StatusButton* m_deviceCount = nullptr;
    QLabel* m_operations = nullptr;
    QLabel* m_sent = nullptr;
    StatusMessage* m_message = nullptr;
    StatusButton* m_hardware = nullptr;
    StatusButton* m_saved = nullptr;
    int m_errors = 0; ///< shown among the problems

    Arrangement m_arrangement = Arrangement::SharedAttributes;
    bool m_arranged = false;
    bool m_fitsRows = false; ///< an experiment has come; heights follow its rows once it is analysed
    std::array<int, 3> m_fitted{}; ///< axes, rules, and the height of all arrays, of which heights have been told
    bool m_withoutStep = false; ///< docks of the step are as low as they can be, since there is none
    std::array<Arranged, 4> m_arrangements;
    Tips* m_watchingTips = nullptr;
};

} // namespace shardscope
