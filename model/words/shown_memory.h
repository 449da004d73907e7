// SPDX-License-Identifier: GPL-3.0-or-later
// What a picture of memory shows of a step, as its plan has it.
#pragma once

#include <QString>
#include <array>
#include <memory>
#include <vector>

#include "pipeline/planned_memory.h"
#include "pipeline/snapshot.h"
#include "schedule/plan.h"

namespace shardscope::words {

/// Where in its owner's segment a tensor lies: tensors stand in their order of display.
struct MemorySlice {
    Owner owner = Owner::Parameters;
    double begin = 0, end = 0; ///< shares of the owner's bytes
};

struct ShownMemory {
    SnapshotPtr snapshot;
    std::shared_ptr<const PlannedMemory> planned = nullptr; ///< of the snapshot's plan

    /// Null where there is nothing to draw.
    [[nodiscard]] const MemorySummary* memory() const { return planned ? &planned->memory : nullptr; }
    [[nodiscard]] std::array<std::int64_t, ownerCount> atPeak() const; ///< bytes
    [[nodiscard]] QString ownerName(Owner owner) const; ///< "parameters"; of state as its optimizer calls it
    struct Largest {
        QString name, path; ///< `path` is empty for what has no row
        std::int64_t bytes = 0;
    };
    /// The largest array of that owner; without a name where it has none.
    [[nodiscard]] Largest largest(Owner owner) const;
    /// Bytes per device at the peak that are new values of an owner's arrays, beside the old ones, which are arguments
    /// of the step.
    [[nodiscard]] std::int64_t newValues(Owner owner) const;
    [[nodiscard]] MemorySlice sliceOf(const TensorRow& row) const;

    [[nodiscard]] std::size_t instructions() const { return planned ? planned->moments.size() : 0; }
    /// What it computes: a path of the snapshot's program, or "".
    [[nodiscard]] std::string pathAt(std::size_t instruction) const;
    /// The name of its operation; "" for a copy.
    [[nodiscard]] QString operationAt(std::size_t instruction) const;
    /// "at instruction 58 of 170, dot_general, for Layer 3 / W1's gradient"
    [[nodiscard]] QString peakWords() const;
    /// Arrays of one name, which the largest of them orders.
    struct Named {
        QString name;
        std::int64_t bytes = 0; ///< of the largest one
        std::size_t count = 0;
        bool equal = true; ///< all of them have as many bytes
    };
    [[nodiscard]] std::vector<Named> named() const;
    /// Of so many names: "Largest: w 4 MiB; multiply 16 KiB × 2; and 3 more"
    [[nodiscard]] static QString largest(const std::vector<Named>& names, std::size_t most);
};

} // namespace shardscope::words
