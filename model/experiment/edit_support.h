// SPDX-License-Identifier: GPL-3.0-or-later
// What the edits share: checks of indices and names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "base/codes.h"
#include "experiment/experiment.h"
#include "experiment/reserved_names.h"

namespace shardscope::edit_support {

/// Of a dimension or a number of layers, as in files.
inline constexpr std::int64_t maximumSize = std::int64_t{ 1 } << 40;

/// OutOfRange unless index < count.
[[nodiscard]] inline Result<void> checkIndex(const char* what, std::size_t index, std::size_t count)
{
    if (index < count)
        return {};
    return fail(Code::OutOfRange,
        { { "key", what }, { "value", index }, { "min", 0 }, { "max", static_cast<std::int64_t>(count) - 1 } });
}

/// WrongType unless the name is a valid one of a mesh axis or a logical axis.
[[nodiscard]] inline Result<void> checkName(const char* what, const std::string& name)
{
    if (name == unconstrainedWord)
        return fail(Code::WrongType,
            { { "key", what }, { "expected", "another name" }, { "found", name + ", which is a reserved word" } });
    if (isValidName(name))
        return {};
    return fail(Code::WrongType,
        { { "key", what }, { "expected", "a name without control characters" },
            { "found", name.empty() ? "an empty name" : "a control character" } });
}

/// Notes and unknown keys go where what they stand at goes. `isGone` changes their pointers; those that are gone are
/// left out.
template <class IsGone> // bool(std::string& pointer)
void moveAdditions(Experiment& experiment, const IsGone& isGone)
{
    std::erase_if(experiment.innerNotes, [&](auto& note) { return isGone(note.first); });
    std::set<UnknownKey> moved;
    for (UnknownKey key : experiment.unknownKeys)
        if (!isGone(key.pointer))
            moved.insert(std::move(key));
    experiment.unknownKeys = std::move(moved);
}

/// Moves an element so that it stands at `to` afterwards.
template <class T>
void moveElement(std::vector<T>& list, std::size_t from, std::size_t to)
{
    const auto at = [&](std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
    if (from < to)
        std::rotate(at(from), at(from + 1), at(to + 1));
    else
        std::rotate(at(to), at(from), at(from + 1));
}

} // namespace shardscope::edit_support
