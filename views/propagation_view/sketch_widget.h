// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a step of propagation; while it plays, the axis travels from the tensor it comes from to the one it goes to.
#pragma once

#include <QVariantAnimation>
#include <QWidget>

#include "pipeline/snapshot.h"
#include "views/propagation_view/step_sketch.h"
#include "views/widgets/canvas.h"

namespace shardscope {

class SketchWidget : public Canvas {
    Q_OBJECT
public:
    explicit SketchWidget(QWidget* parent = nullptr);

    /// `animated`: the axis takes its way; otherwise it has arrived.
    void show(const Snapshot& snapshot, const Replay& replay, std::uint32_t step, bool animated);
    void clear();
    [[nodiscard]] const StepSketch& sketch() const { return m_sketch; }

    [[nodiscard]] int tableRowCount() const override;
    [[nodiscard]] int tableColumnCount() const override { return 3; }
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void tensorChosen(const QString& path);

protected:
    void arrange() override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] qreal boxWidth(const SketchTensor& tensor) const;
    [[nodiscard]] qreal boxHeight() const;
    [[nodiscard]] qreal gap() const;
    [[nodiscard]] QPointF origin() const;
    [[nodiscard]] QString axesText(const SketchTensor& tensor) const;
    void paintTensor(QPainter& painter, const SketchTensor& tensor) const;

    MeshPtr m_mesh;
    ProgramPtr m_program;
    StepSketch m_sketch;
    QVariantAnimation m_way;
};

} // namespace shardscope
