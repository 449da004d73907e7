// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: eight views around one document, one selection and one run. Left stands what can be changed, in the
// centre what it looks like, right why; problems open above the status bar.
//
// What a view consists of are its parts: sections of a column, pages, or a drawer. A perspective says which views are
// open (perspectives.h). Each perspective has five forms: with three columns and two pictures side by side, with three
// columns, with two, with two of which the inspector is a drawer over the edge, and in next to no room with the
// pictures alone and a drawer at either side. Each is remembered as it was left.
#pragma once

#include <QAction>
#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <QTimer>
#include <array>
#include <functional>
#include <initializer_list>
#include <optional>

#include "document/document.h"
#include "document/run_controller.h"
#include "document/selection.h"
#include "experiment/new_experiment.h"
#include "views/main_window/perspectives.h"
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

class AfterAnalysis;
class CollectivesView;
class CommandPalette;
class CompareView;
class DialectsView;
class DockFrame;
class DockTabs;
class DockView;
class DrawerBox;
class EdgeDrawers;
class EditPlate;
class ExplainView;
class HelpWindow;
class HostsView;
class LeftChanges;
class PropagationView;
class MemoryView;
class MeshView;
class ModelView;
class NamedArraysView;
class NoticeBar;
class NoticeStrip;
class OwnKeys;
class PageStack;
class ProblemsView;
class ProgramView;
class RuleTraceView;
class RulesView;
class Section;
class SectionColumn;
class SegmentedBar;
class ShardGridView;
class SelectionTrail;
class ShardingLabView;
class StartPage;
class StatusButton;
class StatusMessage;
class TableHelp;
class TaskWatch;
class TensorsView;
class TimingView;
class Tips;
class TopologyView;
class ValuesView;
struct ExportedView;
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
    [[nodiscard]] ValuesView* valuesView() const { return m_values; }
    /// The frames of the views: inputs, layout, program, timeline, values, compare, inspector, problems.
    [[nodiscard]] const QList<DockFrame*>& docks() const { return m_docks; }
    [[nodiscard]] DockFrame* dock(const QString& id) const;
    /// What a view consists of: "mesh" is a section of inputs, "grid" a page of layout.
    struct Part {
        QString id, icon, name;
        QWidget* widget;
        DockFrame* frame;
        std::function<void()> reveal; ///< unfolds it, or brings its page to the front, within the frame; may be empty
        QPointer<QWidget> focus; ///< gets the keyboard focus
    };
    [[nodiscard]] const QList<Part>& parts() const { return m_parts; }
    [[nodiscard]] QWidget* part(const QString& id) const;
    /// Shows a part or a view, in front, unfolded, with the keyboard focus. False if there is none of that id.
    bool present(const QString& id, Qt::FocusReason reason = Qt::OtherFocusReason);
    /// To be seen: its view is in front, and it is unfolded in it, or says why it has nothing to show.
    [[nodiscard]] bool shows(const QString& id) const;
    [[nodiscard]] Perspective perspective() const { return m_perspective; }
    /// Nothing changes where the views of the perspective do not exist.
    void setPerspective(Perspective perspective);
    /// What the perspective has in front: of arrays with rules alone there is no program to be drawn.
    [[nodiscard]] DockFrame* frontView() const;
    /// The perspective of the open file as the user left it, else what such an experiment begins with.
    void choosePerspective();
    /// One view alone in the window; the same one again, or null: back.
    void maximise(DockFrame* frame);
    [[nodiscard]] DockFrame* maximised() const { return m_maximised; }
    [[nodiscard]] QAction* action(QAnyStringView name) const { return findChild<QAction*>(name.toString()); }

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
    /// The example of a task, and the task on top of the window, after asking about unsaved changes.
    bool openTask(const QString& id);
    /// A new experiment of that kind, after asking about unsaved changes.
    bool openNew(NewKind kind, const QString& preset = {});
    /// The gallery, tasks, files and new experiments, over the docks.
    void showStartPage();
    /// The same to somebody who starts the program for the first time.
    void greet();
    /// Commands, views and all that the document holds, by their names.
    void findAnything();
    /// On top of the window: what could not be opened, the question and notes of the experiment.
    [[nodiscard]] NoticeStrip* unreadable() const { return m_unreadable; }
    [[nodiscard]] NoticeStrip* question() const { return m_question; }
    /// How a model's arrays become such a table.
    void showTableHelp();
    /// The guide and the keys, beside the window.
    [[nodiscard]] HelpWindow* helpWindow();
    /// Saves under the document's path, or asks for one.
    bool save();
    bool saveTo(const QString& path);
    /// In less than three columns.
    [[nodiscard]] bool isCompact() const { return m_form < Form::ThreeColumns; }
    /// A picture of the window or of a view, or what exportedViews() has, to a file; the form follows from its name. Of
    /// what is edited now: once its analysis is there, while the window stays in use.
    void exportView(const ExportedView& view, const QString& path);
    void exportPicture(QWidget* widget, const QString& path);
    [[nodiscard]] NoticeStrip* waiting() const { return m_waiting; } ///< what is not written yet, and to cancel it
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
    bool focusNextPrevChild(bool next) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// Of saved arrangements: those of other versions are not restored.
    static constexpr int arrangementVersion = 10;
    void makeViews();
    void makeInputs();
    void makePictures();
    void makeInspector();
    /// `front` tells which of its parts is in front; its figure stands in the title.
    DockFrame* addView(const char* id, const char* icon, const QString& title, QWidget* content,
        const std::function<QWidget*()>& front = {});
    void addPart(const char* id, const char* icon, const QString& name, QWidget* widget, DockFrame* frame,
        const std::function<void()>& reveal = {});
    [[nodiscard]] const Part* findPart(const QString& id) const;
    /// Unfolds it, or brings its page to the front, in a view that may be closed.
    void revealPart(const QString& id);
    void followFigure(DockFrame* frame);
    void showTimes(); ///< of the last step, for colours of grid and map
    /// Sections without contents become a line each.
    void followContents();
    void makeActions();
    void makeMenus();
    void makeToolBar();
    void makePerspectives();
    void makeNotices(bool tips);
    void makeDrawers();
    void presentPicture(); ///< that which is in front
    [[nodiscard]] bool hasOnlyArrays() const; ///< arrays with rules alone: nothing is computed, and nothing is sent
    [[nodiscard]] bool isInView(const QWidget* widget) const; ///< that is in front
    void showQuestion();
    [[nodiscard]] int noticesHeight() const; ///< 0 while there are none
    /// A file, or text, that could not be opened: false.
    bool refuse(const QString& name, const std::vector<Diagnostic>& errors);
    /// The same for a file that could not be written.
    bool refuseToSave(const QString& name, const Diagnostic& error);
    void makeStatusBar();

    enum class Form : std::uint8_t { Single, Low, TwoColumns, ThreeColumns, Large };
    [[nodiscard]] static Form formFor(const QSize& size);
    void setForm(Form form);
    void arrange();
    bool restoreViews(const QByteArray& state); ///< false: there is no such arrangement
    void place(const PerspectiveViews& views);
    /// What is a drawer over an edge in the present form and perspective.
    [[nodiscard]] QList<std::pair<DockFrame*, Qt::Edge>> drawersOver() const;
    /// The timeline has no place where there is no step.
    void placeTimeline();
    void fitWidths();
    void fitHeights();
    void fitLater();
    void resetArrangement();
    /// Of the views' place, between the bars above and below.
    [[nodiscard]] int rowsForDocks() const;
    struct Arranged {
        QByteArray state; ///< of the frames; empty as long as nobody has seen it
        bool isSizedByHand = false; ///< a line between frames was dragged
        bool isWithoutStep = false; ///< the timeline was taken away, for there is no step
        QSize window = {}; ///< when that was
        QList<std::pair<QString, QSize>> frames = {}; ///< which sizes it left: what a smaller window does to them goes
        std::optional<bool> memory = {}; ///< unfolded below the picture when that was last seen
    };
    /// Of the present form and perspective.
    [[nodiscard]] Arranged& arranged();
    void noteSizes(); ///< a line between frames was let go
    void restoreSizes(); ///< that it left, in a window of the size that it had
    [[nodiscard]] QString arrangementName() const;
    /// Of a drawer over an edge, in the status bar: it is neither moved nor maximised. False for any other view.
    bool sayWhyItStays(const DockFrame* frame);
    void keepArrangement();
    void storeArrangements();
    void showPerspective();
    void followTabs();
    void followFocus();
    void followProblems();
    /// Above the status bar, and in front of what it shares its place with unless that has the keyboard focus.
    void openProblems();
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
    /// The same for examples and new experiments, which come at once: changes that have no file are kept.
    bool mayOpenAnother();
    /// Nothing that was left is lost, or nobody minds.
    bool mayLoseLeft();
    void fillRecentMenu();
    void fillExportMenu(QMenu* menu);
    /// To the clipboard, and what is said then.
    void copyExported(const char* view, const char* form, const QString& message);
    void noteFile(const QString& path, const Result<void>& outcome);
    /// Of what the view shows, to a file that is asked for, or to the clipboard.
    void askForPicture(DockFrame& frame);
    void copyPicture(DockFrame& frame);
    /// Asks for a file with one of these endings; "" if nobody wants one.
    [[nodiscard]] QString askForExport(const QString& title, const QString& what, const QStringList& endings);
    void showAbout();

    void selectSomething();
    void showFile();
    void showStatus();
    void showRun();
    /// Until it is stopped or its runs are done; not a single step.
    [[nodiscard]] bool isRunning() const;

    QAction* addAction(QAnyStringView name, QAnyStringView icon, const QString& text, const QKeySequence& shortcut,
        const std::function<void()>& run);
    /// Actions by their names, "" for a line, into a menu or a bar.
    void fill(QWidget* bar, std::initializer_list<const char*> names);

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
    CompareView* m_compare = nullptr;
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
    QList<Part> m_parts;
    QHash<const DockFrame*, std::function<QWidget*()>> m_fronts;
    SectionColumn* m_inputs = nullptr;
    DrawerBox* m_layoutBox = nullptr;
    DrawerBox* m_programBox = nullptr;
    DockTabs* m_tabs = nullptr;
    EdgeDrawers* m_drawers = nullptr;
    QTimer m_tabsTime; ///< until tabs are looked at, once for all docks that have moved
    StartPage* m_start = nullptr;
    TaskWatch* m_task = nullptr;
    LeftChanges* m_left = nullptr;
    QTimer m_fitTime; ///< until widths and heights follow what is shown
    HelpWindow* m_help = nullptr;
    QDialog* m_history = nullptr; ///< the undo stack as a list
    CommandPalette* m_palette = nullptr;
    NoticeBar* m_notices = nullptr;
    NoticeStrip* m_unreadable = nullptr;
    NoticeStrip* m_question = nullptr;
    NoticeStrip* m_waiting = nullptr;
    AfterAnalysis* m_afterAnalysis = nullptr;
    bool m_questionClosed = false; ///< until another experiment comes
    bool m_isNew = false; ///< another experiment is about to come
    bool m_hasRun = false; ///< a step of this one
    bool m_hasNoStep = false; ///< arrays with rules, and what has been partitioned and nobody can plan

    QMenu* m_recentMenu = nullptr;
    QToolBar* m_toolBar = nullptr;
    EditPlate* m_plate = nullptr;
    SegmentedBar* m_perspectiveBar = nullptr;
    QAction* m_perspectiveBarAction = nullptr;
    QAction* m_perspectiveMenuAction = nullptr; ///< in place of the bar where there is little room
    QToolButton* m_perspectiveMenu = nullptr;
    QPushButton* m_stepButton = nullptr;
    QToolButton* m_runMenu = nullptr;
    QSpinBox* m_runs = nullptr; ///< of a benchmark, in the menu
    QSpinBox* m_loops = nullptr;
    QLabel* m_steps = nullptr;
    OwnKeys* m_ownKeys = nullptr;
    QAction* m_pinAction = nullptr; ///< of its button
    QWidget* m_trailRoom = nullptr; ///< of the tool bar
    SelectionTrail* m_trail = nullptr;
    StatusButton* m_problemCount = nullptr;
    QLabel* m_solved = nullptr;
    StatusButton* m_deviceCount = nullptr;
    QLabel* m_operations = nullptr;
    QLabel* m_sent = nullptr;
    StatusMessage* m_message = nullptr;
    StatusButton* m_hardware = nullptr;
    StatusButton* m_saved = nullptr;
    int m_errors = 0; ///< shown among the problems

    bool m_problemsClosed = false; ///< by hand, since this experiment was opened
    QTimer m_problemsTime; ///< until problems are looked at again
    bool m_problemsOpened = false; ///< by an error; they go with it

    Form m_form = Form::ThreeColumns;
    Perspective m_perspective = Perspective::Plan;
    bool m_arranged = false;
    QHash<QString, Arranged> m_arrangements;
    DockFrame* m_maximised = nullptr;
    QByteArray m_beforeMaximised;
    Tips* m_watchingTips = nullptr;
};

} // namespace shardscope
