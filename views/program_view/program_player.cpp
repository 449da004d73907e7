// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/program_player.h"

#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "program/operation_path.h"
#include "views/panel/follow_link.h"
#include "views/span_text/span_text.h"
#include "views/widgets/boxes.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/step_player.h"
#include "words/propagation_steps.h"

namespace shardscope {

ProgramPlayer::ProgramPlayer(Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_tracks(new SegmentedBar({ tr("Operations"), tr("Propagation") }, this))
    , m_player(new StepPlayer({}, this))
    , m_sentence(new SpanLabel(this))
{
    m_tracks->setAccessibleName(tr("What is played"));
    m_tracks->setToolTip(
        tr("Operations: one after another, each selected in its turn. Propagation: how shardings spread "
           "from what was given."));
    m_sentence->setMarks(AxisMarks::Chips);
    auto* row = hbox({}, 8, { m_tracks, { m_player, 1 } });
    vbox(this, { 8, 4, 8, 4 }, 4, { row, m_sentence });
    setTrack(false);

    connect(m_tracks, &SegmentedBar::currentChanged, this, [this](int track) {
        const int last = m_snapshot ? static_cast<int>(m_snapshot->propagation->steps) : -1;
        m_selection->setStep(track == 0 ? -1 : m_left >= 0 ? std::min(m_left, last) : last);
    });
    connect(m_player, &StepPlayer::stepChosen, this, &ProgramPlayer::choose);
    connect(
        m_sentence, &SpanLabel::linkActivated, this, [this](const QString& link) { followLink(*m_selection, link); });
    connect(m_selection, &Selection::changed, this, &ProgramPlayer::followSelection);
}

void ProgramPlayer::setSnapshot(
    SnapshotPtr snapshot, const ProgramOutline* outline, const CollectivePlaces& collectives)
{
    m_player->setPlaying(false);
    m_replay.reset();
    m_left = -1; // of another propagation
    m_snapshot = outline ? std::move(snapshot) : nullptr;
    m_stops.clear();
    m_rank.clear();
    m_rankOfCollective.assign(static_cast<std::size_t>(collectives.count()), -1);
    if (m_snapshot) {
        const Program& program = *m_snapshot->program;
        m_rank.assign(program.operations.size(), -1);
        const auto add = [this](OperationId operation, const std::vector<int>& numbers) {
            for (const int number : numbers) {
                m_rankOfCollective[static_cast<std::size_t>(number)] = static_cast<int>(m_stops.size());
                m_stops.push_back({ operation, number });
            }
        };
        const auto visit = [&](const auto& self, int index) -> void {
            const ProgramPart& part = outline->part(index);
            if (part.kind == PartKind::Operation) {
                const Operation& operation = program.operation(part.operation);
                add(part.operation, collectives.beforeAll(operation, part.operation));
                m_rank[part.operation.index] = static_cast<int>(m_stops.size());
                m_stops.push_back({ part.operation });
                if (const int own = collectives.ofOperation(part.operation); own >= 0)
                    m_rankOfCollective[static_cast<std::size_t>(own)] = m_rank[part.operation.index];
            }
            for (const int child : part.children)
                self(self, child);
            if (part.kind == PartKind::Operation)
                add(part.operation, collectives.afterAll(program.operation(part.operation)));
        };
        visit(visit, 0);
    }
    const bool propagates = m_snapshot && m_snapshot->propagation && m_snapshot->mesh && !m_snapshot->isPartitioned();
    m_tracks->setVisible(propagates);
    setTrack(propagates && m_selection->step() >= 0);
}

void ProgramPlayer::setTrack(bool propagation)
{
    m_player->setPlaying(false);
    m_replay.reset();
    m_sentence->setMinimumHeight(0);
    if (propagation) {
        m_replay.emplace(*m_snapshot->propagation);
        m_player->setNames({ tr("Step of propagation"), tr("Back to what was given"), tr("One step back"),
            tr("One step on"), tr("On to the end") });
        m_player->setCount(static_cast<int>(m_replay->steps()));
        m_player->setStep(m_selection->step());
    } else {
        m_player->setNames({ tr("Operation of the program"), tr("Before the first operation"), tr("One operation back"),
            tr("One operation on"), tr("To the last operation") });
        m_player->setCount(static_cast<int>(m_stops.size()));
        followOperation();
    }
    const QSignalBlocker quiet(m_tracks);
    m_tracks->setCurrent(propagation ? 1 : 0);
    show(false);
}

void ProgramPlayer::show(bool onwards)
{
    m_sentence->setVisible(m_replay.has_value());
    if (m_replay) {
        m_left = m_player->step();
        m_sentence->setText(words::stepSentence(
            *m_snapshot->program, *m_snapshot->mesh, *m_replay, static_cast<std::uint32_t>(m_left)));
        // The graph does not jump from step to step: a line that was needed once stays.
        if (const int across = m_sentence->width(); m_sentence->isVisible())
            m_sentence->setMinimumHeight(std::max(m_sentence->minimumHeight(), m_sentence->heightForWidth(across)));
    }
    Q_EMIT propagationShown(onwards);
}

void ProgramPlayer::choose(int step, bool onwards)
{
    m_choosing = true;
    const Stop stop = m_replay || step == 0 ? Stop() : m_stops[static_cast<std::size_t>(step) - 1];
    if (m_replay)
        m_selection->setStep(step);
    else
        Q_EMIT operationChosen(stop.operation, stop.collective);
    m_choosing = false;
    m_operation = m_selection->operation();
    m_tensor = m_selection->tensor();
    m_collective = m_selection->collective();
    m_wasFirst = m_selection->isFirst();
    if (m_replay)
        show(onwards);
}

void ProgramPlayer::followSelection()
{
    if (m_choosing || !m_snapshot)
        return;
    const bool propagation = m_selection->step() >= 0 && !m_tracks->isHidden();
    if (propagation != m_replay.has_value())
        return setTrack(propagation);
    if (!propagation) {
        if (m_operation != m_selection->operation() || m_tensor != m_selection->tensor()
            || m_collective != m_selection->collective() || m_wasFirst != m_selection->isFirst())
            followOperation();
    } else if (m_selection->step() != m_player->step()) {
        m_player->setStep(m_selection->step());
        show(false);
    }
}

/// The selected collective or operation, or the one that makes the selected value; the end until somebody selects one.
void ProgramPlayer::followOperation()
{
    m_operation = m_selection->operation();
    m_tensor = m_selection->tensor();
    m_collective = m_selection->collective();
    if (!m_snapshot)
        return;
    m_wasFirst = m_selection->isFirst();
    if (m_wasFirst)
        return m_player->setStep(m_player->count());
    if (m_collective >= 0 && m_collective < static_cast<int>(m_rankOfCollective.size()))
        if (const int rank = m_rankOfCollective[static_cast<std::size_t>(m_collective)]; rank >= 0)
            return m_player->setStep(rank + 1);
    const Program& program = *m_snapshot->program;
    OperationId operation = findOperation(program, m_operation.toStdString());
    if (!operation.valid())
        if (const ValueId value = program.find(m_tensor.toStdString()); value.valid())
            operation = program.value(value).definition;
    m_player->setStep(operation.valid() ? m_rank[operation.index] + 1 : 0);
}

} // namespace shardscope
