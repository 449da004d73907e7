// SPDX-License-Identifier: GPL-3.0-or-later
// The program's graph as one painted widget. It paints what is in sight only; what is small is painted with less: names
// of shapes from 60 % on, titles from 30 %, edges from 12 %. Dragging moves the picture, the wheel zooms where the
// pointer is; arrow keys walk from item to item, Return folds and unfolds.
#pragma once

#include <QElapsedTimer>
#include <QFont>
#include <QVariantAnimation>
#include <QWidget>
#include <memory>
#include <optional>

#include "geometry/graph_layout.h"
#include "views/program_view/graph_painter.h"
#include "views/theme/theme.h"
#include "views/widgets/canvas.h"
#include "words/graph_words.h"

namespace shardscope {

class GraphCanvas : public Canvas {
    Q_OBJECT
public:
    explicit GraphCanvas(QWidget* parent = nullptr);
    ~GraphCanvas() override;

    /// The program of a snapshot; null for nothing. Parts that were open stay so, as does what is current, as far as
    /// the new program has them.
    void setSnapshot(SnapshotPtr snapshot);
    /// A step of the snapshot's propagation is drawn, and shardings are those after it; null: none is, and they are
    /// those in the end. `onwards`: its axes take their way.
    void setStep(const Replay* replay, std::uint32_t step, bool onwards);
    [[nodiscard]] const GraphStep& step() const { return m_step; }
    [[nodiscard]] const GraphLayout* layoutOfGraph() const { return m_layout.get(); }
    [[nodiscard]] const GraphWords* graphWords() const { return m_words.get(); }

    /// The value that is marked wherever it is drawn; invalid for none. Brought into sight if it is not.
    void setMarkedValue(ValueId value);
    [[nodiscard]] ValueId markedValue() const { return m_marked; }
    /// What was clicked or walked to.
    [[nodiscard]] GraphPlace current() const { return m_current; }
    void setCurrent(GraphPlace place);
    [[nodiscard]] OperationId currentOperation() const;
    [[nodiscard]] ValueId currentValue() const;
    [[nodiscard]] int currentCollective() const; ///< number in the list, -1 for none
    /// Several lines about what is drawn there.
    [[nodiscard]] QString tipOf(GraphPlace place) const;
    /// Opens what the part stands in, makes it the current one and brings it into sight.
    void show(int part);
    void toggle(int part);
    void foldAll();
    void unfold(bool repeats = false); ///< all parts, or all but repeated ones

    [[nodiscard]] double zoom() const { return m_zoom; }
    /// Keeps what is at `anchor` (in the widget) where it is.
    void setZoom(double zoom, QPointF anchor);
    void zoomBy(double factor);
    void fit(); ///< all of it
    void fitCurrent(); ///< what was clicked or walked to, with room around it
    void panBy(QPointF pixels);
    [[nodiscard]] QPointF toGraph(QPointF pixels) const { return pixels / m_zoom + m_offset; }
    [[nodiscard]] QRectF toWidget(const QRectF& rect) const;

    [[nodiscard]] int tableRowCount() const override;
    [[nodiscard]] int tableColumnCount() const override { return 3; }
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override { return rowOf(placeAt(point)); }
    [[nodiscard]] int tableCurrentRow() const override { return rowOf(m_current); }
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override { return { Metrics::scaled(480), Metrics::scaled(360) }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(120), Metrics::scaled(80) }; }

    static constexpr double smallestZoom = 0.02, largestZoom = 3;

Q_SIGNALS:
    void currentChanged(); ///< by the user
    void collectiveOpened(); ///< the current one, by a double click or Return
    void zoomChanged();

protected:
    bool event(QEvent* event) override;
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeLayout(const std::vector<std::string>& openKeys);
    [[nodiscard]] std::unique_ptr<GraphLayout> newLayout() const;
    void layoutChanged();
    void fitAgain();
    /// What is drawn there; invalid for nothing.
    [[nodiscard]] GraphPlace placeAt(QPointF pixels) const
    {
        return m_layout ? m_layout->at(toGraph(pixels)) : GraphPlace();
    }
    [[nodiscard]] int rowOf(GraphPlace place) const; ///< of the table
    void findMarks();
    void placeStep();
    /// Of the drawings of a value the one next to a place.
    [[nodiscard]] GraphPlace placeBeside(ValueId value, GraphPlace near) const;
    void choose(GraphPlace place); ///< by the user
    void activate(GraphPlace place);
    [[nodiscard]] QRectF firstRect() const;
    void bringIntoSight(const QRectF& rect);
    void keepInSight();
    [[nodiscard]] bool isOnArrow(QPointF pixels, GraphPlace place) const;
    [[nodiscard]] const std::vector<GraphPlace>& places() const;

    SnapshotPtr m_snapshot;
    std::shared_ptr<const ProgramOutline> m_outline;
    std::unique_ptr<GraphWords> m_words;
    std::unique_ptr<GraphLayout> m_layout;
    GraphPlace m_current, m_hovered;
    ValueId m_marked;
    std::vector<GraphPlace> m_marks; ///< where it is drawn, sorted
    const Replay* m_replay = nullptr;
    std::uint32_t m_stepNumber = 0;
    GraphStep m_step;
    QVariantAnimation m_way; ///< of its axes
    GraphPainter m_painter;
    mutable std::optional<std::vector<GraphPlace>> m_places; ///< all, for screen readers

    double m_zoom = 1;
    QPointF m_offset; ///< of the graph at the widget's top left corner
    bool m_fitsAll = false; ///< where it was not moved: all of it, whether it can be read or not
    bool m_moved = false; ///< by the user: not fitted any more
    std::optional<QPointF> m_pressed; ///< where the pointer went down
    QPointF m_last;
    bool m_dragging = false;
};

} // namespace shardscope
