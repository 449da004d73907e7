// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the outline of a program (program_outline.h): functions where they are called, scopes, blocks that repeat,
// bodies, and groups where a level is long. For program_outline.cpp alone.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/function_names.h"
#include "program/outline/block_comparison.h"
#include "program/outline/long_levels.h"
#include "program/outline/operation_scopes.h"
#include "program/outline/program_outline.h"
#include "program/outline/repeated_blocks.h"

namespace shardscope {

class OutlineBuilder {
public:
    explicit OutlineBuilder(const Program& program);
    ProgramOutline build();

private:
    /// Units that follow each other on one level, and what of them is the same.
    struct Level {
        Stretch operations;
        const std::vector<RepeatUnit>& units;
        std::size_t depth;
        std::vector<RepeatedBlocks> found;
        std::vector<int> models = {}; ///< by what was found
        int series = 0;
    };
    /// What becomes a part of the level: a unit, or all blocks of a repetition.
    struct Member {
        std::size_t unit = 0, units = 1;
        int found = -1;
    };
    using Members = std::span<const Member>;
    /// What members are labelled by: scopes, and the sources of operations without one.
    struct Labels {
        std::vector<LevelPart> parts;
        std::vector<std::string> names; ///< by label
        std::vector<bool> isScope;
    };

    ProgramPart& at(int index) { return m_outline.parts[static_cast<std::size_t>(index)]; }
    /// The reference holds until the next part is added.
    ProgramPart& add(int parent, PartKind kind);
    [[nodiscard]] int newest() const { return static_cast<int>(m_outline.parts.size()) - 1; }

    void findFunctionsInCalls();
    void addFunction(int parent, const Function& function);
    void addFunctions(int parent, const std::vector<std::size_t>& functions);
    void addRegion(int part, RegionId region);
    void addOperation(int parent, OperationId id);

    [[nodiscard]] const std::string* scopeName(OperationId id, std::size_t depth) const;
    void addStretch(int parent, Stretch operations, std::size_t depth);
    void addUnits(int parent, Stretch operations, const std::vector<RepeatUnit>& units, std::size_t depth);
    void addUnit(int parent, Stretch operations, const RepeatUnit& unit, std::size_t depth);
    void addWithin(int parent, Stretch operations, std::vector<RepeatUnit> units, std::size_t depth);
    void addRepeated(Level& level, int parent, const Member& member);
    void addMembers(Level& level, int parent, Members members, std::size_t detail, const std::string* named);

    // outline_groups.cpp. `detail`: 0 for the packages of sources, 1 for files, 2 for lines.
    [[nodiscard]] Labels labelsOf(const Level& level, Members members, std::size_t detail) const;
    [[nodiscard]] std::string sourceName(OperationId id, std::size_t detail) const;
    bool addGroups(Level& level, int parent, Members members, std::size_t detail);
    bool addShares(Level& level, int parent, Members members, const Labels& labels);
    [[nodiscard]] std::vector<int> crossing(const Level& level, Members members);
    void addTurns(Level& level, int parent, Members members, const Labels& labels, const std::vector<LevelGroup>& turns,
        std::size_t detail);
    void addGroup(Level& level, int parent, Members members, const Labels& labels, int label, std::size_t detail);
    [[nodiscard]] std::string closestName(
        const Level& level, Members members, std::string name, std::size_t detail) const;
    static OperationId first(const Level& level, const Member& member)
    {
        return level.operations[level.units[member.unit].first];
    }

    const Program& m_program;
    RepeatFinder m_finder;
    OperationScopes m_scopes;
    FunctionNames m_functions;
    std::vector<bool> m_inCall; ///< by function: it stands in the only operation that calls it
    std::unordered_map<int, int> m_firstNumbers; ///< by run of the finder, of those whose copies are blocks
    std::vector<int> m_readUpTo; ///< by value, while the last reader on a level is looked for
    std::unordered_map<int, int> m_numbers; ///< by model: of the next block
    ProgramOutline m_outline;
};

} // namespace shardscope
