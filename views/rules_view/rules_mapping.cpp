// SPDX-License-Identifier: GPL-3.0-or-later
// Names dragged or mapped to mesh axes.
// A part of RulesView, which is declared in rules_view.h.
#include <QApplication>
#include <utility>

#include "experiment/rule_edits.h"
#include "views/preview/edit_gesture.h"
#include "views/rules_view/axis_tray.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_view.h"

namespace shardscope {

std::optional<Experiment> RulesView::droppedExperiment(int row, int axis, bool append) const
{
    const Experiment& now = *m_document->experiment();
    const std::string name = now.mesh.axes[static_cast<std::size_t>(axis)].name;
    const auto rule = static_cast<std::size_t>(row);
    const bool ruled = row < m_model->ruleCount();
    auto after = append && ruled
        ? withAxisAppendedToRule(now, list(), rule, name)
        : withNameMapped(now, list(), m_model->nameAt(row).toStdString(), SpecEntry::axis(name));
    if (!after)
        return std::nullopt;
    return std::move(*after);
}

void RulesView::dragName(int row, const QPoint& global)
{
    const bool append = QApplication::keyboardModifiers() & Qt::ControlModifier;
    proposeName(row, m_tray->axisAt(global), append, global);
}

void RulesView::proposeName(int row, int axis, bool append, const QPoint& global)
{
    if (!m_plate) {
        m_plate = new DragPlate(window());
        m_gesture->begin(m_model->nameAt(row));
    }
    m_tray->setTarget(axis);
    QString text = m_plate->accessibleDescription();
    if (axis < 0) {
        text.clear();
        m_gesture->setTitle(m_model->nameAt(row));
        m_gesture->withdraw();
    } else if (axis != m_previewAxis || append != m_previewAppend) {
        std::optional<Experiment> after = droppedExperiment(row, axis, append);
        text = after ? QString() : tr("This cannot be.");
        m_gesture->setTitle(QStringLiteral("%1 → %2").arg(m_model->nameAt(row), m_tray->name(axis)));
        if (after)
            m_gesture->propose(std::move(*after));
        else
            m_gesture->withdraw();
    }
    m_previewAxis = axis;
    m_previewAppend = append;
    m_plate->setAccessibleDescription(text);
    m_previewAt = global;
    m_previewName = m_model->nameAt(row);
    m_plate->showAt(global, m_previewName, text);
}

void RulesView::mapName(int row, int axis, bool append)
{
    if (axis < 0)
        return;
    const Experiment& now = *m_document->experiment();
    const std::string target = now.mesh.axes[static_cast<std::size_t>(axis)].name;
    const QString name = m_model->nameAt(row);
    const bool ruled = row < m_model->ruleCount();
    auto after = append && ruled ? withAxisAppendedToRule(now, list(), static_cast<std::size_t>(row), target)
                                 : withNameMapped(now, list(), name.toStdString(), SpecEntry::axis(target));
    if (!after)
        showRefusal(after.error());
    m_document->edit(
        std::move(after), m_model->inList(QStringLiteral("%1 → %2").arg(name, QString::fromStdString(target))));
}

void RulesView::endNameDrag()
{
    m_tray->setTarget(-1);
    m_previewAxis = -1;
    m_gesture->end();
    delete std::exchange(m_plate, nullptr);
}

} // namespace shardscope
