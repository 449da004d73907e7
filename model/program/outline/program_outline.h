// SPDX-License-Identifier: GPL-3.0-or-later
// A program as nested parts: main, functions where they are called, the scopes that its operations bear or that their
// locations name, blocks that repeat, operations and their bodies. Every part is a stretch of the program in its order,
// so that parts never depend on each other in circles.
//
//     main
//       layers.0            6 operations
//       (layers.1 to 3)     the same three times: one folded part with three in it
//       loss
//       backward ...
//
// Where hundreds of parts stand side by side, neighbours from one scope or from one place in a source file are grouped
// (long_levels.h).
//
// Plain data that names nothing for people; views put it into words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

namespace shardscope {

enum class PartKind : std::uint8_t {
    Module, ///< the root where functions stand beside main
    Function, ///< main, or a function that stands beside it: several operations call it, or none
    Functions, ///< all that stand beside main, where there are several; such as are equal follow each other
    Scope, ///< operations that bear one scope; in a long program most of them
    Source, ///< operations of a long program, most of which come from one package, file or line; without a name where
            ///< nothing is known but their lines in the program's own text
    Block, ///< one of several stretches that are the same, found by comparison
    Repeat, ///< parts that are the same as an earlier one beside them
    Operation, ///< with parts in it if it has bodies, or if it alone calls a function, whose parts they are then
    Body ///< a region of an operation
};

struct ProgramPart {
    PartKind kind = PartKind::Function;
    int parent = -1;
    std::vector<int> children; ///< in program order
    OperationId operation; ///< Operation: itself; Body: whose it is
    RegionId region; ///< Function, Body; Operation: the body of the function that it alone calls
    std::string name; ///< of a function, of the last part of a scope, of a place in a source
    ValueId about; ///< Source: the argument that it alone reads of those that do the same; else none
    int number = 0; ///< Block: from 0, or that of the block that it mirrors; Body: which one
    int series = 0; ///< Block: which of several kinds of blocks side by side
    bool mirrors = false; ///< Block: it reads from the one of its number in the same list, as a backward pass does
    int model = -1; ///< Repeat: the part that all in it are like
    int position = 0; ///< among the children of its parent
    int operations = 0; ///< within, at any depth
};

struct ProgramOutline {
    std::vector<ProgramPart> parts; ///< [0] is the root; parents stand before their children
    std::vector<int> partOfOperation; ///< by OperationId; -1 for operations that stand in no region
    std::vector<int> partOfRegion; ///< by RegionId, likewise

    static ProgramOutline build(const Program& program);

    [[nodiscard]] const ProgramPart& part(int index) const { return parts[static_cast<std::size_t>(index)]; }
    [[nodiscard]] bool isContainer(int index) const { return !part(index).children.empty(); }
    /// A name that stays over edits elsewhere in the program: "main/layers.0".
    [[nodiscard]] std::string key(int index) const;
};

} // namespace shardscope
