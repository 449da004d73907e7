// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that MeshView (mesh_view.h) makes: sizes, axes that are added, and rows that are dragged.
#include <QPainter>
#include <algorithm>
#include <utility>

#include "experiment/edits.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/preview/edit_gesture.h"
#include "views/theme/theme.h"

namespace shardscope {

bool MeshView::edit(Result<Experiment> after, const QString& text, int mergeId)
{
    const std::optional<Diagnostic> refused = after ? std::nullopt : std::optional<Diagnostic>(after.error());
    const bool done = m_document->edit(std::move(after), text, mergeId);
    if (!done) { // controls go back to what is; the message says why
        refresh();
        if (refused)
            showMessage(&*refused);
    }
    m_asked.reset();
    return done;
}

void MeshView::setSize(std::size_t axis, std::int64_t size, bool dragging)
{
    const Experiment& now = *m_document->experiment();
    if (axis >= now.mesh.axes.size())
        return;
    const std::int64_t before = now.mesh.axes[axis].size;
    if (dragging && m_mergeId == 0) {
        m_mergeId = m_document->newMergeId();
        m_sizeBefore = before;
        m_before = m_document->experiment();
        m_gesture->begin(QString());
    }
    const std::int64_t start = m_mergeId != 0 ? m_sizeBefore : before;
    const QString title =
        QStringLiteral("%1 %2 → %3").arg(axisName(axis), QString::number(start), QString::number(size));
    m_gesture->setTitle(size == start ? QStringLiteral("%1 %2").arg(axisName(axis), QString::number(size)) : title);
    Result<Experiment> after = withAxisSize(now, axis, size, keepsProduct());
    if (after && m_before) // sizes that a drag goes through leave no trace in the hardware
        after = withHardwareFollowing(std::move(*after), m_before->hardware);
    if (size != before) {
        m_asked = { axis, size };
        edit(std::move(after), title, m_mergeId);
    }
    if (dragging)
        return;
    m_mergeId = 0;
    m_before.reset();
    m_gesture->end();
}

void MeshView::cancelSize()
{
    // All of it, the axis that took the inverse included; a step that ends where it began vanishes.
    if (m_mergeId != 0 && m_before)
        edit(Experiment(*m_before), QString(), m_mergeId);
    m_mergeId = 0;
    m_before.reset();
    m_gesture->end();
}

void MeshView::moveAxis(std::size_t from, std::size_t to)
{
    const Experiment& now = *m_document->experiment();
    if (from != to && from < now.mesh.axes.size() && to < now.mesh.axes.size())
        edit(withAxisMoved(now, from, to), tr("move axis %1").arg(axisName(from)));
}

std::size_t MeshView::rowAt(int y) const
{
    std::size_t last = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (!m_rows[i]->isHidden()) {
            last = i;
            if (y < m_rows[i]->geometry().bottom())
                break;
        }
    return last;
}

std::size_t MeshView::rowBeside(std::size_t axis, int step) const
{
    for (std::size_t i = axis + static_cast<std::size_t>(step); i < m_rows.size(); i += static_cast<std::size_t>(step))
        if (!m_rows[i]->isHidden())
            return i;
    return axis;
}

void MeshView::dragRow(std::size_t from, const QPoint& global, bool drop)
{
    const std::size_t to = rowAt(mapFromGlobal(global).y());
    if (drop || to >= m_rows.size()) {
        m_dropLine = -1;
        m_gesture->end();
        update();
        moveAxis(from, to);
        return;
    }
    if (!m_gesture->isActive()) {
        m_gesture->begin(tr("move axis %1").arg(axisName(from)));
        m_dropTarget = from;
    }
    if (std::exchange(m_dropTarget, to) != to) {
        auto after = withAxisMoved(*m_document->experiment(), from, to);
        if (to != from && after)
            m_gesture->propose(std::move(*after));
        else
            m_gesture->withdraw();
    }
    const QRect target = m_rows[to]->geometry();
    m_dropLine = to == from ? -1 : to > from ? target.bottom() : target.top();
    update();
}

void MeshView::addAxis()
{
    const Experiment& now = *m_document->experiment();
    std::string name;
    for (int number = static_cast<int>(now.mesh.axes.size()) + 1;; ++number) {
        name = "axis" + std::to_string(number);
        if (std::none_of(
                now.mesh.axes.begin(), now.mesh.axes.end(), [&](const MeshAxis& axis) { return axis.name == name; }))
            break;
    }
    if (edit(withAxisAdded(now, name, 1), tr("add axis %1").arg(QString::fromStdString(name))) && !m_rows.empty())
        m_rows.back()->chip()->startRenaming();
}

void MeshView::paintEvent(QPaintEvent*)
{
    if (m_dropLine < 0)
        return;
    QPainter painter(this);
    painter.fillRect(QRect(4, m_dropLine - 1, width() - 8, 2), Theme::current().accent);
}

} // namespace shardscope
