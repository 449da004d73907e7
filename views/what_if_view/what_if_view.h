// SPDX-License-Identifier: GPL-3.0-or-later
// The view that tries a change before it counts: another sharding for one value, and every value that it would shard
// differently. Nothing of the experiment changes until Apply, which is one step of undo; Cancel or Esc takes it back.
#pragma once

#include <QTimer>
#include <memory>
#include <optional>

#include "analysis/annotation_edit.h"
#include "analysis/change.h"
#include "document/document.h"
#include "document/edit_preview.h"
#include "document/selection.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"
#include "words/words.h"

class QAbstractItemView;
class QPushButton;
class QTableView;

namespace shardscope {

class ChangesModel;
class EmptyPage;
class SegmentedBar;
class ShardingEditor;

class WhatIfView : public DockView {
    Q_OBJECT
public:
    WhatIfView(Document* document, Selection* selection, QWidget* parent = nullptr);

    /// A change that was made elsewhere, to be looked at here: "hidden → data".
    void propose(const Experiment& after, const QString& change);
    /// Something is tried that does not count yet. The selection then leads elsewhere without changing what is tried.
    [[nodiscard]] bool isTrying() const { return m_after.has_value() || !m_text.isEmpty(); }
    [[nodiscard]] bool isWorking() const { return m_delay.isActive() || m_previewer.isWorking(); }
    bool apply(); ///< false where there is nothing to apply
    void cancel();
    /// Takes the experiment's own sharding back, as something to be tried.
    void tryWithout();

    [[nodiscard]] ShardingEditor* editor() const { return m_editor; }
    [[nodiscard]] ChangesModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QString summary() const { return m_summary->text(); }
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }

Q_SIGNALS:
    void previewed(); ///< what is tried has been worked out

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void followSelection();
    void followSnapshot();
    void showTarget(std::size_t target);
    void showEmpty();
    void tried(); ///< the editor has another sharding
    void request();
    void receive(const EditPreview& preview);
    void showSummary();

    SnapshotPtr m_snapshot; ///< what is compared with
    QString m_path; ///< of the value
    std::vector<AnnotationTarget> m_targets;
    std::size_t m_target = 0;
    std::optional<Experiment> m_after; ///< what is tried
    QString m_text; ///< what is tried, for undo; empty for nothing
    bool m_proposed = false; ///< it was made elsewhere
    std::optional<EditPreview> m_preview;
    EditPreviewer m_previewer;
    QTimer m_delay;

    EmptyPage* m_empty;
    QWidget* m_page;
    RoleLabel* m_title;
    SegmentedBar* m_choice = nullptr; ///< the value, or a result
    QWidget* m_choiceBox;
    RoleLabel* m_remark;
    ShardingEditor* m_editor;
    QPushButton* m_without;
    RoleLabel* m_summary;
    QTableView* m_table;
    ChangesModel* m_model;
    QPushButton* m_apply;
    QPushButton* m_cancel;
};

} // namespace shardscope
