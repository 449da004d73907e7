// SPDX-License-Identifier: GPL-3.0-or-later
// What the attributes of HLO text mean. All of them are kept as text in the module; these read the ones that are known.
//
//     %w = (s32[], f32[8]{0}) while(%t), condition=%c, body=%b, metadata={op_name="jit(f)/while" stack_frame_id=3},
//         backend_config={"known_trip_count":{"n":"32"}}
//
// calls the computations c and b, comes from "jit(f)/while", and runs 32 times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/module.h"
#include "sharding/hlo_sharding.h"

namespace shardscope {

/// A string of HLO text without its escapes (those of C: \n, \", \', \\, \303, \x41).
[[nodiscard]] std::string hloUnescaped(std::string_view inside);

/// The value of an attribute of whole numbers, "dimensions={0,1}"; nothing where there is none. Error: Syntax.
[[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> hloNumbers(
    const HloModule& module, const HloInstruction& instruction, std::string_view name);
/// A single whole number, "channel_id=3".
[[nodiscard]] Result<std::optional<std::int64_t>> hloNumber(
    const HloModule& module, const HloInstruction& instruction, std::string_view name);
[[nodiscard]] Result<std::optional<std::int64_t>> hloNumber(const HloModule& module, std::string_view name);
/// Whether the attribute is there and "true".
[[nodiscard]] bool hloFlag(const HloModule& module, const HloInstruction& instruction, std::string_view name);
/// The text between the quotes of an attribute that is a string, unescaped; else the value as it stands; "" where there
/// is none.
[[nodiscard]] std::string hloText(const HloModule& module, const HloInstruction& instruction, std::string_view name);

struct HloMetadata {
    std::string opName; ///< "jit(step)/layers/dot_general"; empty where the text has none
    HloPlace place; ///< of the innermost frame
    std::uint32_t frame = 0; ///< number of a row of HloModule::frames; 0 for none
};
[[nodiscard]] HloMetadata hloMetadata(const HloModule& module, const HloInstruction& instruction);
/// Of a frame by its number.
[[nodiscard]] HloPlace hloPlace(const HloModule& module, std::uint32_t frame);

/// The shardings of a value: one, or one for each array of a tuple, and nothing where the text has none. Errors: those
/// of parseHlo(), at the place in the module.
[[nodiscard]] Result<std::vector<HloSharding>> hloShardings(const HloModule& module, const HloInstruction& instruction);
/// The texts of the same: "{{replicated}, {devices=[2]<=[2]}}" has two parts.
[[nodiscard]] std::vector<std::string_view> hloShardingTexts(std::string_view text);

/// An entry of frontend_attributes, its text unescaped; nothing where there is none.
[[nodiscard]] std::optional<std::string> hloFrontendAttribute(
    const HloModule& module, const HloAttribute* attributes, std::string_view name);

/// The number of times that XLA says a while runs (known_trip_count in backend_config).
[[nodiscard]] std::optional<std::int64_t> knownTripCount(const HloModule& module, const HloInstruction& instruction);

/// A computation that an instruction refers to.
struct HloCall {
    std::string_view attribute; ///< "to_apply", "body", "condition", "calls", "branch_computations", ...
    std::uint32_t computation = 0;
};
/// In the order of the text. Error: UndefinedName for what is no computation of the module; a text that ends early may
/// lack some, which are left out.
[[nodiscard]] Result<std::vector<HloCall>> calledBy(const HloModule& module, const HloInstruction& instruction);

/// An argument whose memory a result takes.
struct HloAlias {
    std::vector<std::int64_t> result; ///< path into the tuple of results; empty for the only one
    std::int64_t argument = 0;
    std::vector<std::int64_t> part; ///< path into that argument, where it is a tuple
    bool must = false; ///< "must-alias", not "may-alias"
};
/// Of the module's input_output_alias. Error: Syntax.
[[nodiscard]] Result<std::vector<HloAlias>> hloAliases(const HloModule& module);

} // namespace shardscope
