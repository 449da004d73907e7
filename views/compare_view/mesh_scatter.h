// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes as points: to the right what they send, upwards what a device holds. Those on the front are filled and joined
// by a line; the one that is open has a ring. Arrow keys and clicks make one current.
#pragma once

#include <QMouseEvent>
#include <QPointF>
#include <QRectF>
#include <vector>

#include "analysis/mesh_search.h"
#include "geometry/scatter_layout.h"
#include "views/theme/theme.h"
#include "views/widgets/canvas.h"

namespace shardscope {

class MeshScatter : public Canvas {
    Q_OBJECT
public:
    explicit MeshScatter(QWidget* parent = nullptr);

    void setMeshes(std::vector<MeshFigures> meshes, const std::vector<MeshAxis>& open);
    void setCurrentMesh(int mesh); ///< -1 for none, or one without a point
    [[nodiscard]] const ScatterLayout& layoutOfDots() const { return m_layout; }
    struct Label {
        QString text;
        QRectF place; ///< empty where there is none
    };
    [[nodiscard]] std::vector<Label> labels() const; ///< one per point

    // One row per point.
    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_layout.dots.size()); }
    [[nodiscard]] QStringList tableHeads() const override
    {
        return { tr("Mesh"), tr("State and gradients"), tr("Sent") };
    }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override { return { Metrics::scaled(320), Metrics::scaled(180) }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(120), Metrics::scaled(100) }; }

Q_SIGNALS:
    void picked(int mesh);

protected:
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void arrange() override;
    void recolour() override { update(); }
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override { tableActivate(tableRowAt(event->pos())); }
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] const MeshFigures& meshOf(int dot) const;
    [[nodiscard]] QRectF area() const;
    void paintAxes(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;
    std::vector<MeshFigures> m_meshes;
    std::vector<MeshAxis> m_open;
    ScatterLayout m_layout;
    int m_current = -1; ///< a dot
};

} // namespace shardscope
