// SPDX-License-Identifier: GPL-3.0-or-later
// Variants of an experiment: patches of its file, and what comes of them.
//
//     e: mesh data=2, model=4; v: { "mesh": { "axes": [["data", 4], ["model", 2]] } }
//     applyVariant(e, v)->experiment     e over data=4, model=2; whatever else of e is edited later holds for v as well
//     patchBetween(e, that)              v's patch
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment_file/experiment_file.h"

namespace shardscope {

/// What makes the settings of `before` those of `after`, as a merge patch on one line; "{}" where they have the same.
/// Titles, notes and variants do not count. A merge patch cannot write null: where a key of `after` has it, such as a
/// dimension that no axis shards, the patch takes the key away, which means the same. Where both have the same text of
/// a program, it is not part of the patch.
[[nodiscard]] std::string patchBetween(const Experiment& before, const Experiment& after);

/// The experiment that a variant stands for; it has the variants of `experiment` itself. Warnings: UnknownKey for what
/// a patch cannot change (format, version, variants) and what nobody knows. Errors: WrongType for a patch that is no
/// object; those of readExperiment(), by the places of the file and without lines. `files`: for a program in a file
/// other than the experiment's own, whose text is at hand.
[[nodiscard]] tl::expected<ReadExperiment, std::vector<Diagnostic>> applyVariant(
    const Experiment& experiment, const Variant& variant, const FileSource& files = {});

/// What is kept of `now` as a variant: patchBetween() what it is compared with and it. Where nothing differs, or
/// nothing is compared, the mesh, which is what variants usually differ in.
[[nodiscard]] std::string keptPatch(const Experiment& now, const Experiment* comparedWith = nullptr);

/// One value that a patch puts into the file.
struct PatchedSetting {
    std::string pointer; ///< "mesh/axes"
    std::optional<std::string> value; ///< compact JSON; absent where the patch takes the key away
    bool operator==(const PatchedSetting&) const = default;
};
/// In the order of the patch.
[[nodiscard]] std::vector<PatchedSetting> patchedSettings(const Variant& variant);

/// The number of the variant of that name. UnknownValue {key: variant, value, known, nearest}.
[[nodiscard]] Result<std::size_t> findVariant(const Experiment& experiment, std::string_view name);

/// The variant takes the place of the experiment. Every variant stands for what it stood for before: where one said
/// nothing, its patch says now what the experiment had. One that makes no experiment stays as it is. Errors: those of
/// applyVariant().
[[nodiscard]] tl::expected<Experiment, std::vector<Diagnostic>> withVariantOpened(
    const Experiment& experiment, std::size_t index, const FileSource& files = {});

} // namespace shardscope
