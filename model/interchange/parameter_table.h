// SPDX-License-Identifier: GPL-3.0-or-later
// A table of somebody's own arrays: path, shape, element type and logical names, to resolve rules for them without any
// program.
//
//     path,shape,dtype,names
//     decoder/mlp/wi/kernel,1024x4096,bfloat16,"embed,mlp"
//     decoder/norm/scale,1024,float32,embed
//     step,,int32,
//
// CSV has a header line; its separator is a comma, a semicolon or a tab. Shapes are written 1024x4096, (1024, 4096) or
// [1024, 4096], names embed,mlp or as Python prints them. JSON (or a Python literal) is a list of objects with these
// keys, a list of [path, shape, dtype, names], or an object from path to such an object. dtype and names may be absent:
// f32, and dimensions without names. Names may be fewer than dimensions; those at the end have none then.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/types.h"
#include "sharding/logical_rules.h"

namespace shardscope {

struct ParameterRow {
    std::string path;
    TensorType type;
    LogicalNames names; ///< one per dimension
    int line = 0; ///< where the row begins in the text
    int column = 0;
    bool operator==(const ParameterRow& other) const
    {
        return path == other.path && type == other.type && names == other.names;
    }
};

struct ParameterTable {
    std::vector<ParameterRow> rows;
    std::vector<Diagnostic> warnings; ///< UnknownKey, many of them summed up (base/alike.h)
};

inline constexpr std::size_t maximumTableRows = 65'536;
inline constexpr std::size_t maximumTableBytes = std::size_t{ 32 } << 20;

/// All errors are collected, 50 at most; the table is returned only without any. Errors: Syntax, MissingKey, WrongType,
/// UnknownValue (dtype), OutOfRange, DuplicateKey (a path that occurs twice), DuplicateDimension, SpecTooLong (more
/// names than dimensions), TooLarge; each with line and column.
using ReadTable = tl::expected<ParameterTable, std::vector<Diagnostic>>;
[[nodiscard]] ReadTable readCsvTable(std::string_view text);
[[nodiscard]] ReadTable readJsonTable(std::string_view text);
/// JSON when the text begins with a bracket, else CSV.
[[nodiscard]] ReadTable readTable(std::string_view text);

/// What readCsvTable() and readJsonTable() read back, one row per line. CSV cannot hold a line break in a path with
/// every reader; it is written in quotes.
[[nodiscard]] std::string writeCsvTable(const std::vector<ParameterRow>& rows);
[[nodiscard]] std::string writeJsonTable(const std::vector<ParameterRow>& rows);
/// The names of a row of the CSV: embed,mlp,None where that can be read back, else a tuple of Python.
[[nodiscard]] std::string namesText(const LogicalNames& names);

} // namespace shardscope
