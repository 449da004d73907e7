// SPDX-License-Identifier: GPL-3.0-or-later
// The view for the model: how far its parameters are sharded and what is replicated, the form of the network, and its
// parameters by modules. For programs in a text and lists of arrays the form says what is shown instead.
#pragma once

#include "views/panel/dock_view.h"
#include "views/panel/panel.h"
#include "views/widgets/path_tree.h"

class QMenu;
class QVBoxLayout;

namespace shardscope {

class EmptyPage;
class ModelForm;
class ModulesModel;
class SearchField;
class SpanLabel;

class ModelView : public DockView {
    Q_OBJECT
public:
    ModelView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] ModelForm* form() const { return m_form; }
    [[nodiscard]] ModulesModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    [[nodiscard]] SearchField* filter() const { return m_filter; }
    [[nodiscard]] SearchField* selector() const { return m_selector; }
    /// "3 modules and arrays are selected", of the selector; "" while nothing was selected by it.
    [[nodiscard]] QString selectedText() const { return m_selected->isHidden() ? QString() : m_selected->text(); }
    /// "7.48 GiB of 8 GiB of parameters are sharded 8 ways or more, 512 MiB are replicated."
    [[nodiscard]] QString coverage() const { return m_coverage->text(); }
    /// The largest arrays that are replicated, each with its reason; the names are links.
    [[nodiscard]] const QList<SpanLabel*>& replicated() const { return m_replicated; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    PathTree* makeTree();
    void showSnapshot();
    void showCoverage(const SnapshotPtr& snapshot);
    void showEmpty(); ///< instead of a tree without rows
    void applyFilter();
    void selectRows();
    void addLayoutActions(QMenu& menu, const QModelIndex& module);
    void fillMenu(QMenu& menu, const QModelIndex& row);

    RoleLabel* m_coverage;
    QVBoxLayout* m_replicatedRows;
    QList<SpanLabel*> m_replicated;
    ModelForm* m_form;
    SearchField* m_filter;
    SearchField* m_selector;
    RoleLabel* m_selected;
    ModulesModel* m_model;
    PathTree* m_tree;
    EmptyPage* m_empty;
    bool m_isCurrent = false; ///< what is shown is of the newest analysis
};

} // namespace shardscope
