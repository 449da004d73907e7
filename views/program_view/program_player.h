// SPDX-License-Identifier: GPL-3.0-or-later
// What is played under the program's graph: its operations, and the collectives between them, one after another; or the
// steps of propagation, with a sentence for each. The operation at which it stands is the selected one; the step of
// propagation is the selection's.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "analysis/collective_places.h"
#include "document/selection.h"
#include "pipeline/snapshot.h"
#include "program/outline/program_outline.h"
#include "propagation/replay.h"

namespace shardscope {

class SegmentedBar;
class SpanLabel;
class StepPlayer;

class ProgramPlayer : public QWidget {
    Q_OBJECT
public:
    explicit ProgramPlayer(Selection* selection, QWidget* parent = nullptr);

    /// Null for nothing to play. The outline is that of the snapshot's program.
    void setSnapshot(SnapshotPtr snapshot, const ProgramOutline* outline, const CollectivePlaces& collectives);
    [[nodiscard]] StepPlayer* player() const { return m_player; }
    [[nodiscard]] SpanLabel* sentence() const { return m_sentence; }
    /// Of the snapshot's propagation, where that is played; else null.
    [[nodiscard]] const Replay* replay() const { return m_replay ? &*m_replay : nullptr; }

Q_SIGNALS:
    /// Invalid: before the first one. `collective`: for which it is chosen, by its number; -1: for itself.
    void operationChosen(shardscope::OperationId operation, int collective);
    /// Another step of propagation is to be seen, or none any more. `onwards`: axes take their way to it.
    void propagationShown(bool onwards);

private:
    void followSelection();
    void followOperation();
    void setTrack(bool propagation);
    void show(bool onwards);
    void choose(int step, bool onwards);

    Selection* m_selection;
    SegmentedBar* m_tracks;
    StepPlayer* m_player;
    SpanLabel* m_sentence;
    SnapshotPtr m_snapshot;
    std::optional<Replay> m_replay;
    struct Stop {
        OperationId operation;
        int collective = -1;
    };
    std::vector<Stop> m_stops; ///< in program order
    std::vector<int> m_rank; ///< by OperationId: its place in there, -1 for none
    std::vector<int> m_rankOfCollective; ///< by number, likewise
    QString m_operation, m_tensor; ///< of the selection, as they were followed last
    int m_collective = -1; ///< likewise
    bool m_wasFirst = false; ///< likewise
    int m_left = -1; ///< the step of propagation at which it was left
    bool m_choosing = false; ///< sets the selection
};

} // namespace shardscope
