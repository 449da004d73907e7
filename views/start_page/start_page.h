// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: the gallery and the tasks with a search over them, the last files, files of one's own, and new
// experiments by kind. It lies over the views of a main window, below its tool bars and above its status bar, until
// something is opened, Escape is pressed, or a view gets the focus. Tab stays in it.
#pragma once

#include <QPointer>
#include <QToolButton>
#include <QWidget>

#include "experiment/new_experiment.h"
#include "views/widgets/segmented_bar.h"

class QMainWindow;
class QScrollArea;
class QStackedWidget;
class QVBoxLayout;

namespace shardscope {

class ExampleCards;
class SearchField;
class TaskList;

class StartPage : public QWidget {
    Q_OBJECT
public:
    enum class Shows : std::uint8_t { ByDocument, ByQuestion, Tasks };
    explicit StartPage(QMainWindow* window);

    /// Shows it, with an empty search that has the focus. `opened`: id of the example that is open, "" for none;
    /// `leftChanges`: titles of experiments with changes to go back to.
    void present(const QString& opened, const QStringList& recentFiles, const QStringList& solvedTasks,
        const QStringList& leftChanges = {});
    void setShows(Shows what);
    [[nodiscard]] Shows shows() const { return static_cast<Shows>(m_order->current()); }
    /// The buttons for new experiments get the focus.
    void focusNew() { m_new.front()->setFocus(Qt::OtherFocusReason); }
    /// Hides it; the focus goes back to where it was.
    void leave();

    [[nodiscard]] SearchField* searchField() const { return m_search; }
    [[nodiscard]] SegmentedBar* order() const { return m_order; }
    [[nodiscard]] ExampleCards* cards() const { return m_cards; }
    [[nodiscard]] QWidget* newButton(NewKind kind) const { return m_new[static_cast<int>(kind)]; }
    [[nodiscard]] QList<QToolButton*> recentButtons() const { return m_recent; }
    [[nodiscard]] QList<QToolButton*> leftButtons() const { return m_left; }

Q_SIGNALS:
    void exampleRequested(const QString& id);
    void taskRequested(const QString& id);
    void openRequested(); ///< a dialog for files
    void fileRequested(const QString& path); ///< one of the last files
    void leftRequested(int place); ///< among the changes to go back to
    void newRequested(shardscope::NewKind kind, const QString& preset);
    void tableHelpRequested();
    void shownChanged(); ///< it is there now, or gone

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void makeHead(QVBoxLayout* column);
    [[nodiscard]] QWidget* makeSide();
    [[nodiscard]] QToolButton* makeLine(const QString& picture, const QString& text, const QString& tip);
    void fillRecent(const QStringList& files, const QStringList& leftChanges);
    [[nodiscard]] QToolButton* addRecent(const QString& picture, const QString& name, const QString& tip);
    void filter(const QString& text);
    void fit();
    QMainWindow* m_window;
    SearchField* m_search;
    SegmentedBar* m_order;
    QStackedWidget* m_stack;
    ExampleCards* m_cards;
    QScrollArea* m_cardsRoom;
    TaskList* m_tasks;
    QList<QToolButton*> m_new; ///< in the order of NewKind
    QVBoxLayout* m_recentRows;
    QList<QToolButton*> m_recent, m_left;
    QPointer<QWidget> m_before; ///< had the focus
};

} // namespace shardscope
