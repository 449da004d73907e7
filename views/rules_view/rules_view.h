// SPDX-License-Identifier: GPL-3.0-or-later
// The dock for the logical axis rules: ordered, editable, with how often each matters.
#pragma once

#include <QWidget>
#include <optional>

#include "base/diagnostics.h"
#include "experiment/experiment.h"

class QComboBox;
class QPushButton;
class QStackedLayout;

namespace shardscope {

class AxisTray;
class Document;
class DragPlate;
class EditGesture;
class EmptyPage;
class RoleLabel;
class RulesModel;
class RulesTable;
class Selection;

class RulesView : public QWidget {
    Q_OBJECT
public:
    RulesView(Document* document, Selection* selection, QWidget* parent = nullptr);

    /// "2 rules, 1 without effect".
    [[nodiscard]] QString keyFigure() const { return m_keyFigure; }
    [[nodiscard]] RulesModel* model() const { return m_model; }
    [[nodiscard]] RulesTable* table() const { return m_table; }
    [[nodiscard]] AxisTray* tray() const { return m_tray; }
    /// The edit that is being dragged.
    [[nodiscard]] EditGesture* gesture() const { return m_gesture; }
    void addRule();

Q_SIGNALS:
    void keyFigureChanged();
    void traceRequested();

private:
    void refresh();
    void followSelection();
    void moveRule(int row, int step);
    void dragRow(int from, int to, bool start);
    [[nodiscard]] std::optional<Experiment> droppedExperiment(int row, int axis, bool append) const;
    void dragName(int row, const QPoint& global);
    void dropName(int row, const QPoint& global, bool append);
    void endNameDrag();
    void showRefusal(const Diagnostic& refused);

    Document* m_document;
    Selection* m_selection;
    RulesModel* m_model;
    RulesTable* m_table;
    EmptyPage* m_empty;
    QComboBox* m_version;
    QComboBox* m_fallback;
    AxisTray* m_tray;
    RoleLabel* m_message;
    EditGesture* m_gesture;
    DragPlate* m_plate = nullptr;
    QString m_keyFigure;
    int m_mergeId = 0;
    int m_dragStart = -1, m_dragAt = -1;
    int m_previewAxis = -1;
    QPoint m_previewAt;
    QString m_previewName;
    bool m_previewAppend = false;
    bool m_following = false;
};

} // namespace shardscope
