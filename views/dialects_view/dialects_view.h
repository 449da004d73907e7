// SPDX-License-Identifier: GPL-3.0-or-later
// The view that compares what two dialects make of the same rules.
#pragma once

#include "views/panel/dock_view.h"

class QCheckBox;
class QComboBox;
class QTableView;

namespace shardscope {

class DialectsModel;
class EmptyPage;
class RoleLabel;

class DialectsView : public DockView {
    Q_OBJECT
public:
    DialectsView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] DialectsModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void showCounts();
    void sizeTable();
    [[nodiscard]] int contentWidth(int column) const;
    void followSelection();

    DialectsModel* m_model;
    QComboBox* m_first;
    QComboBox* m_second;
    QCheckBox* m_all;
    RoleLabel* m_count;
    QTableView* m_table;
    EmptyPage* m_empty;
    bool m_chosen = false; ///< somebody chose what is compared: it no longer follows the experiment
    bool m_following = false;
};

} // namespace shardscope
