// SPDX-License-Identifier: GPL-3.0-or-later
// One step of propagation as a picture: the tensors of an operation with their axes after the step, and the axis that
// has come along, from where it was to where it is now.
#pragma once

#include <QRectF>
#include <QString>
#include <vector>

#include "propagation/replay.h"

namespace shardscope {

/// A tensor of the operation. Operands stand in a row above the operation's name, results below it.
struct SketchTensor {
    ValueId value;
    bool isResult = false;
    QString name, shape;
    struct Dimension {
        AxisList axes;
        bool arrived = false; ///< an axis arrived in this step
    };
    std::vector<Dimension> dims;
    QRectF rect;
};
struct SketchMove {
    int from = -1, to = -1; ///< index into tensors; -1: from what was declared
    int axis = 0; ///< of the mesh
};

struct StepSketch {
    QString operation; ///< empty: the step is an identity with a declared result
    std::vector<SketchTensor> tensors;
    std::vector<SketchMove> moves; ///< each once
    QRectF operationRect;
    QSizeF size; ///< what it takes

    /// The step's operation. `boxWidth(tensor)` is the width a tensor's box needs; boxes are `boxHeight` high and
    /// `gap` apart.
    template <class Width>
    static StepSketch make(
        const Program& program, const Replay& replay, std::uint32_t step, Width boxWidth, qreal boxHeight, qreal gap)
    {
        StepSketch sketch = describe(program, replay, step);
        sketch.place(boxWidth, boxHeight, gap);
        return sketch;
    }
    /// Places all for another height of the boxes. `boxWidth` as in make().
    template <class Width>
    void place(Width boxWidth, qreal boxHeight, qreal gap)
    {
        qreal above = 0, below = 0;
        for (SketchTensor& tensor : tensors) {
            qreal& x = tensor.isResult ? below : above;
            tensor.rect = { x, tensor.isResult ? 2 * (boxHeight + gap) : 0, boxWidth(tensor), boxHeight };
            x += tensor.rect.width() + gap;
        }
        above = std::max<qreal>(0, above - gap);
        below = std::max<qreal>(0, below - gap);
        const qreal width = std::max({ above, below, operation.isEmpty() ? 0 : 2 * boxHeight });
        for (SketchTensor& tensor : tensors) // each row in the middle
            tensor.rect.translate((width - (tensor.isResult ? below : above)) / 2, 0);
        operationRect = { 0, boxHeight + gap, width, boxHeight };
        size = { width, 3 * boxHeight + 2 * gap };
    }
    /// The tensor at a point, -1 for none.
    [[nodiscard]] int tensorAt(QPointF point) const;

private:
    static StepSketch describe(const Program& program, const Replay& replay, std::uint32_t step);
};

} // namespace shardscope
