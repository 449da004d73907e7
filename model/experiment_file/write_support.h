// SPDX-License-Identifier: GPL-3.0-or-later
// The writer's tools: objects of a file with what an experiment keeps for them beside their own keys.
//
//     ObjectWriter writer(experiment);
//     writer.line("/model/dims", { { "batch", "8" } }) // { "batch": 8, "notes": "a note on the sizes" }
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

/// Keys with the text of their values, in the order in which they are written.
using Members = std::vector<std::pair<std::string, std::string>>;

/// "true", "false"
[[nodiscard]] std::string truth(bool value);
/// null, "data", ["data", "model"]
[[nodiscard]] std::string entryText(const SpecEntry& entry);
/// null, "batch"
[[nodiscard]] std::string nameJson(const LogicalName& name);

class ObjectWriter {
public:
    /// Keeps references into the experiment.
    explicit ObjectWriter(const Experiment& experiment);

    /// The object there has notes or keys that nobody knows.
    [[nodiscard]] bool hasAdditions(std::string_view pointer) const { return m_additions.contains(pointer); }
    /// One key per line.
    [[nodiscard]] std::string block(const std::string& pointer, Members members, std::size_t depth) const;
    /// All on one line.
    [[nodiscard]] std::string line(const std::string& pointer, Members members) const;
    /// One element per line.
    [[nodiscard]] static std::string list(const std::vector<std::string>& elements, std::size_t depth = 2);

private:
    [[nodiscard]] Members complete(const std::string& pointer, Members members) const;

    /// What an object has beside its own keys.
    struct Additions {
        std::vector<const std::string*> notes;
        std::vector<const UnknownKey*> keys;
    };
    std::unordered_map<std::string_view, Additions> m_additions; ///< by JSON pointer of the object
};

/// The values of "model" and "step" of a transformer. Options that are the default are left out.
[[nodiscard]] std::string transformerText(const ObjectWriter& writer, const TransformerSettings& settings);
[[nodiscard]] std::string stepText(const ObjectWriter& writer, const TransformerTraining& training);

} // namespace shardscope
