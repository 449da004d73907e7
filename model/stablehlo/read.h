// SPDX-License-Identifier: GPL-3.0-or-later
// Reads programs from StableHLO text, in its pretty and in its generic form, with the shardings of Shardy (sdy) and of
// XLA (mhlo.sharding) in it.
//
//     Result<ReadProgram> read = readStableHlo("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
//                                              "  %0 = stablehlo.tanh %x : tensor<8xf32>\n"
//                                              "  return %0 : tensor<8xf32>\n"
//                                              "}");
//     // read->program.operations[0].kind == OpKind::Tanh, at line 2, column 3
//
// What the reader does not know it keeps: an operation as OpKind::Opaque with a warning, an attribute as text in
// Program::dictionaries. Nothing is taken on trust: nesting, sizes and counts are checked before memory is asked for.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

struct ReadProgram {
    Program program;
    std::vector<Diagnostic> warnings; ///< each with line and column
    /// Per ValueId: where in the text the value's name begins, after the sign. Several results of one operation may
    /// have one name.
    std::vector<std::uint32_t> names = {};
    /// Of a program that has been partitioned already, the mesh that explains which devices exchange
    /// (hlo/to_stablehlo.h, program/explaining_mesh.h); nothing for all others.
    std::optional<Mesh> partitionedOver = {};
    /// Likewise, per argument of main, over that mesh: how the array is sharded that it is a part of; nothing where the
    /// text does not say it.
    std::vector<std::optional<TensorSharding>> partsOf = {};
    static constexpr std::uint32_t noName = 0xffff'ffff;
};

/// What a file is that is no text that can be read: "bytecode", "gzip", "utf16", or "binary", such as a picture; empty
/// for all others.
[[nodiscard]] std::string_view binaryKind(std::string_view text);
/// Gives the values the names that they have in the text (program/name_values.h): `text` is what was read.
void declaredName(ReadProgram& read, std::string_view text);

/// Operations in regions in operations, at most; deeper text is refused with TooLarge.
inline constexpr int maximumRegionDepth = 100;
/// Brackets in brackets of attributes and types, at most.
inline constexpr int maximumAttributeDepth = 64;
/// Bytes of text.
inline constexpr std::size_t maximumText = std::size_t{ 256 } << 20;

struct ReadOptions {
    /// Takes meshes, axes and numbers of shardings that cannot be, for verifyShardings() to report all of them. Without
    /// it the first one is an error. Nothing but the verifier and the printer may be given such a program.
    bool keepIllegalShardings = false;
    /// Where it is given, reading goes on after what is wrong with the meaning of a text: a value that is not defined
    /// or defined twice, types and counts that do not fit, attributes that are missing or cannot be. All of that is
    /// added here in the order of the text, up to maximumFindings; the program that comes back is to be verified
    /// further and has such operations as OpKind::Opaque. What ends reading (syntax, above all) is still the error that
    /// comes back.
    std::vector<Diagnostic>* findings = nullptr;
    /// A text of more is refused (TooLarge) as soon as that is seen: before its operations take memory.
    std::size_t maximumOperations = 0xffff'fff0;
};
inline constexpr std::size_t maximumFindings = 100;

/// The program in a text. Where lines "// -----" separate several, the first one, with a warning.
///
/// Errors, all with line and column (counted from 1, columns in characters): Syntax; UndefinedName and DefinedTwice for
/// values, aliases, meshes and functions; UnknownAxis; DynamicShape for sizes that only a run knows; OperandType where
/// a type in the text is not that of the value; CountMismatch for too many or too few types, results, shardings or
/// elements; AttributeMissing, AttributeValue; OutOfRange for numbers that do not fit; TooLarge; NoProgram.
[[nodiscard]] Result<ReadProgram> readStableHlo(std::string_view text, ReadOptions options = {});

} // namespace shardscope
