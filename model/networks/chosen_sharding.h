// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings that somebody chose for parts of a transformer, beside those that its arrays have by their logical names:
// constraints on the outputs of modules, and specs of single parameters.
//
//     ChosenSharding{ "decoder/layers.*", LogicalAxes{ batch, -, - } }    after every layer, as Penzai's insert_after
//     ChosenSharding{ "**/wo/kernel", DeviceAxes{ P('model', None) } }    the second kernel of every MLP
//
// A glob fits unrolled and scanned layers alike: `layers.*` and `layers` both stand for all layers. Entries are those
// of one layer's array; where the glob has the part `layers`, those of the array of all layers.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "program/attributes.h"

namespace shardscope {

struct ChosenSharding {
    std::string at; ///< a glob (program/path.h) over paths, with or without "params/"
    Annotation axes; ///< LogicalAxes or DeviceAxes; dimensions after the last entry are not sharded
    bool operator==(const ChosenSharding&) const = default;
};

/// Whether a glob fits the path of a module or of a parameter.
///
///     selects("decoder/layers.*/mlp", "decoder/layers/mlp")     true
///     selects("decoder/layers.1", "decoder/layers")             false: a loop has no single layer
[[nodiscard]] bool selects(std::string_view glob, std::string_view path);
/// Of several that fit a path the last one counts; null where none does.
[[nodiscard]] const ChosenSharding* chosenFor(std::span<const ChosenSharding> chosen, std::string_view path);
/// Takes what fits `glob` out of the list; `paths` are all that there are. What fits other paths as well stays for
/// those, one by one, with the entries that `entriesAt` says of a path by its number: by default the same. Returns
/// whether anything was taken out.
bool takeOut(std::vector<ChosenSharding>& chosen, std::string_view glob, const std::vector<std::string>& paths,
    const std::function<Annotation(const ChosenSharding& from, std::size_t path)>& entriesAt = {});

/// "batch, -, -" for logical names, "P('data', None)" for mesh axes; and back. Errors: those of parseSpec();
/// WrongType for an empty text.
[[nodiscard]] std::string chosenAxesText(const Annotation& axes);
[[nodiscard]] Result<Annotation> parseChosenAxes(std::string_view text);

} // namespace shardscope
