// SPDX-License-Identifier: GPL-3.0-or-later
// Deterministic fuzzing of readers: valid texts are mutated, and whatever comes of it must be read or refused, never
// crash. A target is a reader with the texts to start from and what must hold of its answer; to add one, write
// target_<name>.cpp, declare its function below and give it a row in main.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope::fuzz {

/// A text with a list of very many different items, which a reader must not compare with each other: "#" in `item` is
/// replaced by the number of the item.
struct LongList {
    std::string before;
    std::string item;
    std::string after;
};

struct Target {
    std::string name;
    std::vector<std::string> seeds; ///< valid texts, and parts that make good mutations
    /// Reads the text. Returns "" when all is well, else what is wrong with the answer.
    std::string (*run)(std::string_view text);
    std::vector<LongList> lists{};
};

/// "" when the diagnostic of a text is in order: an error of the registry, whose place lies in the text.
[[nodiscard]] std::string checkError(const Error& error, std::string_view text);

/// The mutation number `round` of the target's seeds. The same number gives the same text everywhere.
[[nodiscard]] std::string mutated(const Target& target, std::uint64_t round);

Target arrayTextTarget();
Target hloTarget();
Target hloModuleTarget();
Target huggingFaceTarget();
Target csvTarget();
Target experimentTarget();
Target jsonTableTarget();
Target maxTextTarget();
Target meshTarget();
Target namesTarget();
Target npyTarget();
Target npzTarget();
Target publishedRulesTarget();
Target rulesTarget();
Target shardingTarget();
Target shardyTarget();
Target specTarget();
Target stableHloTarget();

} // namespace shardscope::fuzz
