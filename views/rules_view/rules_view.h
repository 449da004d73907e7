// SPDX-License-Identifier: GPL-3.0-or-later
// The view for the logical axis rules: ordered, editable, with how often each matters.
#pragma once

#include <QString>

#include "base/diagnostics.h"
#include "document/exchange.h"
#include "experiment/rule_lists.h"
#include "views/panel/dock_view.h"
#include "views/rules_view/rules_model.h"

class QMenu;
class QPushButton;
class QToolButton;

namespace shardscope {

class AxisTray;
class EditGesture;
class EmptyPage;
class NoticeStrip;
class RuleEntry;
class RuleListBar;
class RulesMenu;
class RulesTable;
class ShortCombo;

class RulesView : public DockView {
    Q_OBJECT
public:
    RulesView(Document* document, Selection* selection, QWidget* parent = nullptr);
    ~RulesView() override;

    [[nodiscard]] RulesModel* model() const { return m_model; }
    [[nodiscard]] RulesTable* table() const { return m_table; }
    [[nodiscard]] AxisTray* tray() const { return m_tray; }
    /// The edit that is being dragged.
    [[nodiscard]] EditGesture* gesture() const { return m_gesture; }
    /// Asks for a rule, for a logical name or for one that is chosen there.
    void addRule(const QString& name = {});
    /// Where it is put together; hidden otherwise.
    [[nodiscard]] RuleEntry* entry() const { return m_entry; }

    [[nodiscard]] RulesMenu* menu() const { return m_menu; }
    /// Edits that list from now on.
    void chooseList(RuleList list);
    /// Rules for a part of the model, which begin as those that its arrays have now. False if that cannot be; why is
    /// said in the view.
    bool addList(const QString& within);
    /// What the last import, export or refused edit gave, and why.
    [[nodiscard]] NoticeStrip* notice() const { return m_notice; }
    /// The rules of a file in place of those there are, as one undo step. What is wrong with it is said in the view.
    bool importFile(const QString& path);
    /// The same from text; `name` is what errors call it.
    bool importText(const QString& text, const QString& name);
    /// Writes the rules; all of the file or nothing.
    bool exportFile(const QString& path, RulesForm form);
    void copyAs(RulesForm form);
    /// A published set in place of the rules; `additional` keeps them after it.
    void useSet(const PublishedRules& set, bool additional);

Q_SIGNALS:
    void traceRequested();
    void compareRequested();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeHead();
    void followControls();
    void followTable();
    void fillMenu(QMenu& menu, int row);
    void followMenu();
    void followTray();
    void followLists();
    void showLists();
    void placeNotice();
    void fitFoot();
    [[nodiscard]] RuleList list() const { return m_model->list(); }
    [[nodiscard]] int numberOf(int row) const; ///< ruleNumber() of a row; of the list itself for a row without rule
    void askToImport();
    void askToExport(RulesForm form);
    void paste();
    bool takeRules(const ReadRules& read);
    void previewSet(const PublishedRules* set);
    void sayAfterImport(const RulesText& rules);
    void refresh();
    void followSelection();
    void moveRule(int row, int step);
    void dragRow(int from, int to, bool start);
    [[nodiscard]] Result<Experiment> droppedExperiment(int row, int axis, bool append) const;
    void dragName(int row, const QPoint& global);
    /// Shows what the name of a row would do on an axis; -1 for no axis.
    void proposeName(int row, int axis, bool append);
    void mapName(int row, int axis, bool append);
    [[nodiscard]] int rowToMap() const;
    void endNameDrag();
    void enterRule(const QString& name, const QStringList& axes);
    void showRefusal(const Diagnostic& refused);
    void sayBatchRules();
    void rewriteBatch();

    RulesModel* m_model;
    RulesTable* m_table;
    EmptyPage* m_empty;
    ShortCombo* m_system;
    ShortCombo* m_fallback;
    QToolButton* m_more;
    RulesMenu* m_menu;
    RuleListBar* m_lists;
    RuleEntry* m_entry;
    QPushButton* m_add;
    QWidget* m_hint = nullptr; ///< that names are dropped on the tray
    AxisTray* m_tray;
    NoticeStrip* m_notice;
    EditGesture* m_gesture;
    int m_mergeId = 0;
    int m_dragStart = -1, m_dragAt = -1;
    int m_previewAxis = -1;
    bool m_previewAppend = false;
    bool m_following = false;
    int m_followedRule = -1; ///< the selection that the view came to last
    QString m_followedTensor;
    bool m_statedBatch = false; ///< said once of rules that T5X would rewrite
};

} // namespace shardscope
