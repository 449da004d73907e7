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
#include "words/words.h"

namespace shardscope {

Result<Experiment> RulesView::droppedExperiment(int row, int axis, bool append) const
{
    const Experiment& now = *m_document->experiment();
    const std::string name = now.mesh.axes[static_cast<std::size_t>(axis)].name;
    const auto rule = static_cast<std::size_t>(row);
    const bool ruled = row < m_model->ruleCount();
    return append && ruled ? withAxisAppendedToRule(now, list(), rule, name)
                           : withNameMapped(now, list(), m_model->nameAt(row).toStdString(), SpecEntry::axis(name));
}

void RulesView::dragName(int row, const QPoint& global)
{
    const bool append = QApplication::keyboardModifiers() & Qt::ControlModifier;
    proposeName(row, m_tray->axisAt(global), append);
    m_gesture->setPlace(std::nullopt);
}

void RulesView::proposeName(int row, int axis, bool append)
{
    const QString name = m_model->nameAt(row);
    if (!m_gesture->isActive())
        m_gesture->begin(name, name);
    m_tray->setTarget(axis);
    if (axis < 0) {
        m_gesture->setTitle(name);
        m_gesture->withdraw();
    } else if (axis != m_previewAxis || append != m_previewAppend) {
        Result<Experiment> after = droppedExperiment(row, axis, append);
        m_gesture->setTitle(QStringLiteral("%1 → %2").arg(name, m_tray->name(axis)));
        if (after)
            m_gesture->propose(std::move(*after));
        else
            m_gesture->refuse(words::describe(after.error()).cause);
    }
    m_previewAxis = axis;
    m_previewAppend = append;
}

void RulesView::mapName(int row, int axis, bool append)
{
    if (axis < 0)
        return;
    const QString title = QStringLiteral("%1 → %2").arg(m_model->nameAt(row), m_tray->name(axis));
    auto after = droppedExperiment(row, axis, append);
    if (!after)
        showRefusal(after.error());
    m_document->edit(std::move(after), m_model->inList(title));
}

void RulesView::endNameDrag()
{
    m_tray->setTarget(-1);
    m_previewAxis = -1;
    m_gesture->end();
}

} // namespace shardscope
