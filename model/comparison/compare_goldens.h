// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment held against goldens of MaxText: which arrays its rules and mesh shard in another way.
//
// Arrays of the state are found by their paths; those of the optimizer count where the experiment has an optimizer, and
// numbers without dimensions never do. An experiment without any arrays is asked for its rules alone: what they make of
// the names that the goldens have. So are activations in any case, since every model calls its own in its own way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "interchange/maxtext_goldens.h"

namespace shardscope {

struct ComparedGolden {
    enum class Kind : std::uint8_t {
        Same,
        OtherForm, ///< sharded in the same way; the specs differ in mesh axes of size 1
        OtherSpec,
        OtherShape,
        NoSpec, ///< the rules make no spec of its names
        OnlyGolden,
        OnlyOurs,
    };
    Kind kind = Kind::Same;
    bool isActivation = false;
    std::string path; ///< as MaxText has it
    TensorType type;
    std::optional<PartitionSpec> expected, found;
    std::optional<LogicalNames> names, otherNames; ///< the goldens' and, where they are others, the experiment's
    Shape otherShape; ///< of OtherShape: the experiment's
    Where where; ///< in the goldens
};

/// An axis that has another size, 0 where one of them lacks it. Axes of size 1 that one lacks are no difference.
struct ComparedAxis {
    std::string name;
    std::int64_t expected = 0, found = 0;
};

struct GoldenComparison {
    std::vector<ComparedAxis> mesh;
    std::vector<ComparedGolden> arrays; ///< state, then activations, in the goldens' order; then those of ours alone
    std::size_t withoutNames = 0; ///< activations of which the dump has no names: not compared
    std::size_t ofOptimizer = 0; ///< arrays of an optimizer that the experiment does not have: not compared
    [[nodiscard]] std::size_t count(ComparedGolden::Kind kind) const;
    [[nodiscard]] bool isSame() const { return mesh.empty() && count(ComparedGolden::Kind::Same) == arrays.size(); }
};

/// Errors: those of goldensOf().
[[nodiscard]] Result<GoldenComparison> compareGoldens(const MaxTextGoldens& goldens, const Experiment& experiment);

} // namespace shardscope
