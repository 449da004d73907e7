// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays of an experiment with the names of their axes, without a window: what the rules make of every array, as
// the experiment reads them and as a mapping from names to mesh axes.
//
//     arrays   one  a 4, b 8, c 6        rules  a -> bar        mesh foo 4, bar 2
//              two  a 8                         b -> foo
//     one: P('bar', 'foo', None), [2, 2, 6] per device;  two: P('bar'), [4]
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/array_edits.h"
#include "experiment/rule_lists.h"
#include "sharding/layout.h"

namespace shardscope {

/// The names of an array's dimensions, and their sizes.
struct ArrayAxes {
    LogicalNames names;
    Shape shape;
};
/// "a 4, b: 8, c=6"; a size alone is a dimension without a name: "3, a 4", "[3, 4]". Errors: Syntax with its column,
/// OutOfRange for sizes (1 to 2^40), TooLarge, DuplicateDimension.
[[nodiscard]] Result<ArrayAxes> parseArrayAxes(std::string_view text);
/// As parseArrayAxes() reads it; "[3, 4]" where no dimension has a name, "" for a scalar.
[[nodiscard]] std::string axesText(const LogicalNames& names, const Shape& shape);
/// Of one dimension: "" for one without a name.
[[nodiscard]] std::string nameText(const LogicalName& name);

struct NamedTree {
    /// Where the arrays come from, and so what can be done with them.
    enum class Source : std::uint8_t {
        List, ///< the experiment's own list: everything
        Network, ///< parameters and inputs of a network: their sizes
        Text, ///< a program in a text, whose arrays have no names: nothing, and there are none here
    };
    Source source = Source::List;
    std::vector<ProgramArray> arrays;
    RulesSetting rules;
    /// name_to_name_sharding's ignore_unnamed_arrays: of the view alone.
    bool ignoreUnnamed = false;

    [[nodiscard]] bool isMapping() const { return !rules.rules.isSequence; }
    [[nodiscard]] std::vector<NamedArraySetting> settings() const;
};
/// The arrays of a list at once; those of a network from its program, none while that is null.
[[nodiscard]] NamedTree namedTree(const Experiment& experiment, const Program* program);

/// What one reading of the rules makes of an array.
struct Reading {
    std::optional<Error> problem;
    PartitionSpec spec;
    std::optional<Layout> layout; ///< also where it does not divide, padded; absent before there is a spec
    std::int64_t bytesPerDevice = 0;
};

struct ArrayOutcome {
    Reading given; ///< as the experiment reads its rules, or what is written at the array
    /// As a mapping, where the experiment reads its rules otherwise.
    std::optional<Reading> mapping;
    /// Penzai lists named axes alone, so that they land on the dimensions without a name in front: where they are
    /// meant to stand. Of the reading as a mapping.
    std::optional<PartitionSpec> meant;
    bool ignored = false; ///< it has no names, and the reading as a mapping leaves it alone

    [[nodiscard]] const Reading& asMapping() const { return mapping ? *mapping : given; }
};
/// The list of rules that decides for the array.
[[nodiscard]] RuleList listOf(const NamedArraySetting& array, const NamedTree& tree);
[[nodiscard]] ArrayOutcome outcomeOf(const ProgramArray& array, const NamedTree& tree, const MeshPtr& mesh);
[[nodiscard]] std::vector<ArrayOutcome> outcomesOf(const NamedTree& tree, const MeshPtr& mesh);

/// A name, and what the rules say of it when they are a mapping.
struct MappedName {
    std::string name;
    std::vector<std::string> axes; ///< of its first rule; none: it stays whole
    std::vector<std::size_t> conflicts; ///< numbers of all its rules, from 0, where they say different things
    int uses = 0; ///< arrays that have it
};
/// The names that arrays have, in order of appearance, then those of the rules that none has: by the rules that hold
/// everywhere. Arrays of a part with rules of its own do not count.
[[nodiscard]] std::vector<MappedName> mappedNames(const NamedTree& tree);

} // namespace shardscope
