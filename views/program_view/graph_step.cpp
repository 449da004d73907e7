// SPDX-License-Identifier: GPL-3.0-or-later
// Where a step of propagation is drawn in the graph.
// A part of GraphCanvas, which is declared in graph_canvas.h.
#include <QStyle>
#include <limits>

#include "propagation/step_marks.h"
#include "views/program_view/graph_canvas.h"
#include "words/utf8.h"

namespace shardscope {

void GraphCanvas::setStep(const Replay* replay, std::uint32_t step, bool onwards)
{
    if (!replay && !m_replay)
        return;
    m_replay = replay;
    m_stepNumber = step;
    if (m_words)
        m_words->setStep(replay, step);
    m_painter.forget();
    placeStep();
    m_way.stop();
    m_step.way = 1;
    if (onwards && !m_step.arrows.empty()
        && style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0)
        m_way.start();
    if (const GraphPlace place = m_step.operation.valid() ? m_step.operation
            : m_step.chips.empty()                        ? GraphPlace()
                                                          : m_step.chips.front().at;
        place.valid() && step > 0)
        if (const QRectF at = m_layout->rect(place);
            !QRectF(toGraph({ 0, 0 }), QSizeF(size()) / m_zoom).contains(at.center()))
            bringIntoSight(at);
    tableChanged(this);
    update();
}

GraphPlace GraphCanvas::placeBeside(ValueId value, GraphPlace near) const
{
    GraphPlace best;
    double nearest = std::numeric_limits<double>::max();
    for (const GraphPlace& place : m_layout->placesOf(value)) {
        const double distance =
            near.valid() ? (m_layout->rect(place).center() - m_layout->rect(near).center()).manhattanLength() : 0;
        if (distance < nearest) {
            nearest = distance;
            best = place;
        }
    }
    return best;
}

void GraphCanvas::placeStep()
{
    m_step.operation = {};
    m_step.arrows.clear();
    m_step.chips.clear();
    if (!m_replay || !m_layout || !m_layout->level(0))
        return;
    const StepMarks marks = StepMarks::of(*m_replay, m_stepNumber);
    if (marks.operation.valid() && marks.operation.index < m_outline->partOfOperation.size())
        m_step.operation = m_layout->placeOf(m_outline->partOfOperation[marks.operation.index]);
    const auto chip = [this](GraphPlace at, AxisRef axis) {
        if (at.valid())
            m_step.chips.push_back({ at, words::fromStd(toString(*m_snapshot->mesh, axis)), axis.axis });
    };
    if (m_stepNumber == 0) { // there may be thousands: each drawing is looked at once
        std::vector<std::vector<AxisRef>> arrived(m_layout->program().values.size());
        for (const StepArrival& arrival : marks.arrivals)
            arrived[arrival.value.index].push_back(arrival.axis);
        for (const GraphPlace& place : places()) {
            const GraphItem& item = m_layout->item(place);
            const bool isOperation = item.part >= 0 && m_outline->part(item.part).kind == PartKind::Operation;
            if (item.kind == GraphItem::Kind::Value)
                for (const AxisRef axis : arrived[item.value.index])
                    chip(place, axis);
            if (isOperation)
                for (const ValueId result : m_layout->program().operation(m_outline->part(item.part).operation).results)
                    for (const AxisRef axis : arrived[result.index])
                        chip(place, axis);
        }
        return;
    }
    for (const StepArrival& arrival : marks.arrivals)
        chip(placeBeside(arrival.value, m_step.operation), arrival.axis);
    for (const CarriedAxis& move : marks.moves) {
        const GraphPlace from = placeBeside(move.from, m_step.operation), to = placeBeside(move.to, m_step.operation);
        if (from.valid() && to.valid() && from != to)
            m_step.arrows.push_back({ from, to, move.axis });
    }
}

} // namespace shardscope
