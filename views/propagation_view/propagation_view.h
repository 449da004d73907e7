// SPDX-License-Identifier: GPL-3.0-or-later
// The dock that plays propagation: from what was given to the end, step by step, forwards and backwards.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>

#include "document/document.h"
#include "document/selection.h"
#include "propagation/replay.h"

class QSlider;
class QTableView;
class QToolButton;

namespace shardscope {

class EmptyPage;
class RoleLabel;
class SketchWidget;
class SpanLabel;
class StepModel;

class PropagationView : public QWidget {
    Q_OBJECT
public:
    PropagationView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] QString keyFigure() const { return m_keyFigure; } ///< "46 steps"
    [[nodiscard]] StepModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QSlider* slider() const { return m_slider; }
    [[nodiscard]] SketchWidget* sketch() const { return m_sketch; }
    [[nodiscard]] int step() const { return m_step; }
    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }
    void setStep(int step, bool animated = false);
    void setPlaying(bool plays);

Q_SIGNALS:
    void keyFigureChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QToolButton* button(const QString& icon, const QString& name, const QString& tip);
    void refresh();
    void showStep(bool animated);
    void followSelection();

    Document* m_document;
    Selection* m_selection;
    StepModel* m_model;
    QSlider* m_slider;
    QToolButton *m_first, *m_back, *m_play, *m_forward, *m_last;
    RoleLabel* m_position;
    SpanLabel* m_sentence;
    SketchWidget* m_sketch;
    QTableView* m_table;
    QWidget* m_content;
    EmptyPage* m_empty;
    QTimer m_timer;
    std::optional<Replay> m_replay;
    QString m_keyFigure;
    int m_step = 0;
    int m_selectedStep = -1; ///< the selection's, as it was followed last
    bool m_following = false;
};

} // namespace shardscope
