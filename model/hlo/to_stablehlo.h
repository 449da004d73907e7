// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of HLO text as programs of the tensor IR: each operation as the one of StableHLO that it was made of, or
// would be. Other opcodes, such as decompositions and generators of random numbers, are kept as operations that nothing
// is known of.
//
//     %w = (s32[], f32[8]{0}) while(%t), condition=%c, body=%b
//
// is one `while` over two values: tuples are their parts everywhere, a computation that is called is a function, and
// one that belongs to an operation is a region of that operation. Names, lines and columns are those of the HLO text.
// Shardings come along as Shardy's (xla.sdy.* in frontend_attributes) or XLA's (sharding=...).
//
// A compiled module becomes the program of one of its devices, without a mesh: collectives name devices, a fusion is
// the function that it calls, a bitcast the transposes and reshapes that it stands for, a collective that is started
// and waited for stands where it starts, and loops state the trips that XLA knows.
#pragma once

#include <string>
#include <string_view>

#include "hlo/module.h"
#include "stablehlo/read.h"

namespace shardscope {

/// The program of a text, whether it is HLO or StableHLO. Errors: those of readHlo() and readStableHlo(), at places of
/// the text; NoProgram where HLO text ends before its entry; those of collectivesOf(); AttributeMissing and
/// AttributeValue for operations that lack what they need; TooLarge where computations that are used in several places
/// become too much text, and for operations of too many operands; CountMismatch for tuples that are not what their
/// shape says.
[[nodiscard]] Result<ReadProgram> readProgram(std::string_view text, ReadOptions options = {});
/// The same for a text that nobody needs afterwards: it is let go of as soon as may be, HLO text before its program is
/// made, and with it the names of the values. Large texts take less memory so.
[[nodiscard]] Result<ReadProgram> takeProgram(std::string& text, ReadOptions options = {});

} // namespace shardscope
