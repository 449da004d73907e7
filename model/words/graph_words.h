// SPDX-License-Identifier: GPL-3.0-or-later
// What the program's graph says: titles of its parts, names of values, and how they are shaped and sharded.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/collective_places.h"
#include "pipeline/snapshot.h"
#include "program/function_names.h"
#include "program/outline/program_outline.h"
#include "propagation/repeat_differences.h"
#include "propagation/replay.h"
#include "words/words.h"

namespace shardscope {

struct CollectiveEntry;

/// "0.5", "-inf", "true"; empty for several elements and for complex ones.
[[nodiscard]] QString splatText(const ConstantAttributes& constant, DType type);

class GraphWords {
    Q_DECLARE_TR_FUNCTIONS(GraphWords)
public:
    GraphWords(ProgramPtr program, std::shared_ptr<const ProgramOutline> outline);
    /// Whose shardings are told; null for none. Its program is that of the graph.
    void setSnapshot(SnapshotPtr snapshot);
    /// Shardings are told as they are after that step of propagation; null: as they are in the end.
    void setStep(const Replay* replay, std::uint32_t step);

    /// "dot_general", "constant 0.9", "Layer 0", "Layers 1–3", "token_embedder", "silu" of a call.
    [[nodiscard]] QString title(int part) const;
    /// Of a folded part: "6 operations", "same as Layer 0, folded × 3", "as Layer 0, folded × 3; Layer 2
    /// differs: sharding of W1".
    [[nodiscard]] QString subtitle(int part) const;
    /// Of an open part, beside its title.
    [[nodiscard]] QString counts(int part) const;
    /// "W1" within its layer, "Layer 0 / W1" elsewhere, "divide %76" of a nameless one. `more` values: "and 2 more".
    [[nodiscard]] QString valueName(ValueId value, int level, int more = 0) const;
    [[nodiscard]] QString results(int count) const; ///< "returns 3 values"
    /// "all-reduce"; "model  24 KiB": what it runs over, and what a device sends in a step. By its number in the list.
    [[nodiscard]] QString collectiveTitle(int collective) const;
    [[nodiscard]] words::Text collectiveFigure(int collective) const;
    /// The mesh axis whose colour it has, -1 for none.
    [[nodiscard]] int axisOf(int collective) const;
    /// The axis along which it adds parts up, -1 where it does not.
    [[nodiscard]] int addsUp(int collective) const;
    [[nodiscard]] QString collectiveTip(int collective) const;
    [[nodiscard]] const CollectiveEntry* collective(int number) const; ///< null for none of that number
    /// Where they stand in the graph.
    [[nodiscard]] const CollectivePlaces& collectives() const { return m_collectives; }
    /// "[8@data, 1024]", with "Σ model" after it where devices add their parts up.
    [[nodiscard]] words::Text shape(ValueId value) const;
    /// The same after the value's own name: what stands beside the line from an operation.
    [[nodiscard]] words::Text label(OperationId operation, int level) const;
    /// What colours and marks mean; mesh axes of one device are left out, and named in the tip alone.
    [[nodiscard]] words::Text legend() const;
    [[nodiscard]] QString legendTip() const;
    /// A sharding constraint, which is drawn with a pin.
    [[nodiscard]] bool isConstraint(OperationId operation) const;
    /// Several lines for a tool tip.
    [[nodiscard]] QString tip(int part) const;
    [[nodiscard]] QString tip(ValueId value) const;
    /// "Backward › Layer 3"; empty within the body of main.
    [[nodiscard]] QString place(int level) const;
    /// Which copies in a repeated part are sharded otherwise than what they repeat.
    [[nodiscard]] const std::vector<RepeatDifference>& differences(int repeat) const;
    /// "Layer 3 differs: sharding of W1 and 2 more".
    [[nodiscard]] QString difference(const RepeatDifference& of) const;
    /// Parts whose title, name or value's path contains the text, whatever its case; in program order.
    [[nodiscard]] std::vector<int> find(const QString& text) const;

    /// "%12" or "%arg3", as the text of the program has it.
    [[nodiscard]] static QString plainName(const Program& program, ValueId value);

private:
    [[nodiscard]] QString blockTitle(const ProgramPart& block, const QString& number) const;
    [[nodiscard]] QString shardedValues(const RepeatDifference& of) const;
    [[nodiscard]] QString operationTitle(const Operation& operation) const;
    [[nodiscard]] QString scopeTitle(const std::string& name) const;
    [[nodiscard]] QString functionTitle(const std::string& name) const;
    [[nodiscard]] QString sourceTitle(int index) const;
    [[nodiscard]] QString contents(int index) const;
    [[nodiscard]] QString linesOf(int index) const;
    [[nodiscard]] static QString lastNames(const std::string& path);

    ProgramPtr m_program;
    std::shared_ptr<const ProgramOutline> m_outline;
    FunctionNames m_functions;
    SnapshotPtr m_snapshot;
    const Replay* m_replay = nullptr;
    std::uint32_t m_step = 0;
    std::vector<AxisList> m_added; ///< by ValueId: axes along which devices add their parts up
    CollectivePlaces m_collectives;
    struct Sums {
        qint64 collectives = 0;
        double bytes = 0; ///< per device and step
    };
    std::vector<Sums> m_sums; ///< by part
    mutable std::unordered_map<int, std::vector<RepeatDifference>> m_differences; ///< by repeated part
    mutable std::unordered_map<int, QString> m_contents; ///< of parts that are named by them
};

} // namespace shardscope
