// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a list of arrays and of what the names of their axes are mapped to: value to value, as those of
// experiment/edits.h, whose common errors count here as well. An array is meant by its place in the list.
//
//     one [a 4, b 8] with rule a -> bar; withNameMappedTo("b", { "foo" })  ->  rules a -> bar, b -> foo
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "program/program.h"

namespace shardscope {

/// Of an array in a list.
inline constexpr std::size_t maximumArrayRank = 16;

/// Whether a list of arrays may hold elements of that type: pred, i8 to f64.
[[nodiscard]] bool isArrayType(DType type);

/// Errors of those that put an array in: UnknownValue where the model is no list of arrays or the type is none of
/// theirs, WrongType for a path or a name that is none, InvalidAttribute where another array has the path or names and
/// sizes differ in number, DuplicateDimension, OutOfRange for sizes (1 to 2^40), TooLarge (16 dimensions, 65,536
/// arrays, 2^62 bytes).
[[nodiscard]] Result<Experiment> withArrayAdded(const Experiment&, NamedArraySetting array);
[[nodiscard]] Result<Experiment> withArrayReplaced(const Experiment&, std::size_t index, NamedArraySetting array);
[[nodiscard]] Result<Experiment> withArrayRemoved(const Experiment&, std::size_t index);

/// An argument of a program as an array: parameters and inputs, not what an optimizer keeps of them.
struct ProgramArray {
    NamedArraySetting array; ///< its logical names, else the names that its dimensions have in the network
    std::optional<PartitionSpec> declared; ///< mesh axes that are written at it, whatever the rules say
    std::vector<std::string> dimensions = {}; ///< as the network calls them: by these their sizes are changed
};
[[nodiscard]] std::vector<ProgramArray> arraysOf(const Program& program);
/// The parameters and inputs of the experiment's program in place of its model. Errors as withArrayAdded().
[[nodiscard]] Result<Experiment> withListOfArrays(const Experiment&, const Program& program);

/// The mesh axes that a name stands for, major first; none: it stays replicated. With none all rules of the name go;
/// else its first rule takes the axes, or one is appended, and in rules that are a mapping further ones of the name go.
/// Errors: those of withNameMapped().
[[nodiscard]] Result<Experiment> withNameMappedTo(
    const Experiment&, const std::string& name, const std::vector<std::string>& axes);
/// Every mesh axis of which some of these arrays have the name is what that name is mapped to: how Penzai reads names
/// without any mapping. What else the rules say stays.
[[nodiscard]] Result<Experiment> withNamesAsMeshAxes(const Experiment&, const std::vector<NamedArraySetting>& arrays);

} // namespace shardscope
