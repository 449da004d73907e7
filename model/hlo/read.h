// SPDX-License-Identifier: GPL-3.0-or-later
// Reads modules of HLO text, as `compiled.as_text()`, `lowered.compiler_ir("hlo").as_text()` and --xla_dump_to print
// them: with and without "%", with and without the shapes of operands, before and after partitioning and scheduling.
//
//     const std::string text = "HloModule m\nENTRY %main (x: f32[8]) -> f32[8] {\n"
//                              "  %x = f32[8]{0} parameter(0)\n"
//                              "  ROOT %y = f32[8]{0} tanh(%x)\n}\n";
//     Result<HloModule> module = readHlo(text);
//     // module->opcode(module->instructions[1]) == "tanh"
//
// Opcodes and attributes are kept whatever they are. A text that ends between two instructions of a computation, as
// dumps that are shortened do, is read as far as it goes: HloModule::endsEarly says so.
#pragma once

#include <string_view>

#include "hlo/module.h"

namespace shardscope {

/// Whether a text begins as HLO text does.
[[nodiscard]] bool isHloText(std::string_view text);

/// Errors, all with line and column: Syntax; UndefinedName for operands; DefinedTwice for instructions of a computation
/// and for computations; OutOfRange for numbers that do not fit; TooLarge for texts above maximumText, and for brackets
/// in more than 64 brackets.
[[nodiscard]] Result<HloModule> readHlo(std::string_view text);

} // namespace shardscope
