// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a module of HLO as StableHLO's generic text, and keeps which line comes from which place. Its members stand in
// several files: translator.cpp (functions, regions, values), translate_operation.cpp (attributes by opcode),
// translate_exchange.cpp (collectives, and what waits for them), translate_bitcast.cpp, translate_window.cpp,
// translate_constant.cpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hlo/collectives.h"
#include "hlo/module.h"

namespace shardscope::hlo {

/// A value that is no tuple.
struct Leaf {
    std::uint32_t number = 0; ///< "%12"
    std::uint32_t part = 0; ///< "%12#1"
    std::uint32_t several = 0; ///< its operation has several results
    std::uint32_t shape = 0; ///< index into HloModule::shapes
};

/// What an operation becomes.
struct Target {
    std::string name; ///< "stablehlo.add"
    std::vector<std::string> attributes; ///< "dimension = 0 : i64"
    std::vector<Leaf> operands;
    std::vector<std::uint32_t> results; ///< shapes
};

class Translator {
public:
    /// `found`: the collectives and loops of the module. `isCompiled`: shapes are those of one device, and XLA's
    /// shardings say of what they are a part.
    Translator(const HloModule& module, const HloCollectives& found, bool isCompiled);
    Result<void> translate();

    [[nodiscard]] std::string takeText() { return std::move(m_out); }
    /// By line of the text: offset of the instruction in the HLO text that it comes from.
    [[nodiscard]] std::vector<std::uint32_t> takeOrigins() { return std::move(m_origins); }
    /// By line: where in the HLO text the name of the value stands that the line makes, if that is not its origin: an
    /// element of a tuple goes by the first instruction that takes it out.
    [[nodiscard]] std::unordered_map<std::uint32_t, std::uint32_t> takeNames() { return std::move(m_elementNames); }

private:
    using Leaves = std::vector<Leaf>;
    struct Body {
        std::uint32_t computation = 0;
        bool hasArguments = true; ///< its parameters are arguments of the region; else they are `bound`
        Leaves bound;
    };

    Result<void> module();
    Result<void> function(std::uint32_t computation, const std::string& name, bool isMain);
    Result<void> instructions(std::uint32_t computation);
    /// TooLarge at the instruction once the text is too long.
    [[nodiscard]] Result<void> checkSize(const HloInstruction& instruction) const;
    Result<void> instruction(const HloInstruction& instruction);
    /// An operation with its bodies, and its results become the value of the instruction.
    Result<void> write(const HloInstruction& instruction, Target target, const std::vector<Body>& bodies = {});
    /// An operation on elements whose operands all have the type of its result, and without attributes.
    [[nodiscard]] bool hasOneType(const Target& target) const;
    Result<void> region(const Body& body, const HloInstruction& owner);
    Result<void> withBodies(
        const HloInstruction& instruction, Target target, std::initializer_list<std::string_view> attributes);
    Result<void> conditional(const HloInstruction& instruction);
    Result<void> call(const HloInstruction& instruction);
    Result<void> writeCall(const HloInstruction& instruction, std::vector<std::uint32_t> results);
    Result<void> element(const HloInstruction& instruction);
    /// "!t0 = tensor<8x1024xf32>": written out, types would be half of the text.
    void typeAliases();
    /// Tables of devices that collectives share: "#groups0 = dense<...>".
    Result<void> groupTables();
    Result<void> collective(const HloInstruction& instruction, const HloCollective& found);
    /// Every operand is one part for each device of the group.
    Result<void> allToAllOfParts(const HloInstruction& instruction, const HloCollective& found);
    void start(const HloInstruction& instruction, const Leaves& operands);
    void done(const HloInstruction& instruction);
    /// Of what is exchanged, started or waited for; false for all other opcodes.
    Result<bool> exchange(const HloInstruction& instruction);
    /// The same bytes in another shape: as they lie in memory.
    /// False where elements change their tiles in a way that is not worked out here: tiles with padding in them.
    bool bitcast(const HloInstruction& instruction);
    /// An operation of one operand and one result, whose name is returned.
    std::string step(const HloInstruction& instruction, std::string_view name, const std::string& attributes,
        const std::string& operands, const std::string& operandTypes, const std::string& resultType);
    // By opcode; false where the opcode is not known.
    Result<bool> special(const HloInstruction& instruction);
    Result<bool> attributed(const HloInstruction& instruction, Target& target);
    Result<void> windowed(const HloInstruction& instruction, Target& target, bool isConvolution);
    Result<void> customCall(const HloInstruction& instruction, Target& target);
    Result<bool> ofOneList(const HloInstruction& instruction, Target& target);
    // The attributes of one opcode each.
    Result<void> concatenate(const HloInstruction& instruction, Target& target);
    void compare(const HloInstruction& instruction, Target& target);
    Result<void> slice(const HloInstruction& instruction, Target& target);
    void pad(const HloInstruction& instruction, Target& target);
    Result<void> dot(const HloInstruction& instruction, Target& target);
    Result<void> gather(const HloInstruction& instruction, Target& target);
    Result<void> number(
        const HloInstruction& instruction, std::string_view attribute, std::string_view type, Target& target);
    Result<std::string> constant(const HloInstruction& instruction) const;
    void addFrontendShardings(const HloInstruction& instruction, std::vector<std::string>& attributes) const;
    /// The values of an instruction that is no operation (a copy, a tuple), each with the sharding that stands there.
    Result<Leaves> sharded(const HloInstruction& instruction, Leaves values);
    /// statedShardings() of an instruction that is no parameter; none where main's results have them.
    [[nodiscard]] Result<std::vector<std::string_view>> ownShardings(const HloInstruction& instruction) const;
    /// XLA's own shardings of an instruction that is or makes so many arrays, one for each; none where it has none or
    /// where they do not count. Error: CountMismatch.
    [[nodiscard]] Result<std::vector<std::string_view>> statedShardings(
        const HloInstruction& instruction, std::size_t arrays) const;

    [[nodiscard]] Result<std::string> dims(
        const HloInstruction& instruction, std::string_view attribute, std::string_view name) const;
    [[nodiscard]] Result<std::string> dimensionLists(const HloInstruction& instruction,
        std::initializer_list<std::pair<std::string_view, std::string_view>> names) const;
    [[nodiscard]] Result<std::vector<std::int64_t>> numbers(
        const HloInstruction& instruction, std::string_view attribute) const;
    [[nodiscard]] Leaves operandLeaves(const HloInstruction& instruction) const;
    [[nodiscard]] std::vector<const HloInstruction*> parameters(std::uint32_t computation) const;
    void bind(const HloInstruction& instruction, Leaves leaves);
    void bindParameters(std::uint32_t computation, const Leaves& leaves);
    Leaves newValue(const std::vector<std::uint32_t>& shapes);
    [[nodiscard]] std::string type(std::uint32_t shape) const;
    [[nodiscard]] std::string nameOf(const Leaf& leaf) const;
    [[nodiscard]] std::string typesOf(const Leaves& leaves) const;
    [[nodiscard]] std::string typesOf(const std::vector<std::uint32_t>& shapes) const;
    [[nodiscard]] std::string namesOf(const Leaves& leaves) const;
    /// " loc(#loc3)": what many instructions have in common stands once, at the end of the text.
    [[nodiscard]] std::string location(const HloInstruction& instruction);
    [[nodiscard]] std::string locationText(const HloInstruction& instruction) const;
    [[nodiscard]] std::string functionName(std::uint32_t computation) const;
    [[nodiscard]] std::string_view groupsIn(const HloInstruction& instruction) const; ///< as the text has them
    [[nodiscard]] std::string groupsOf(const HloCollective& found) const; ///< by their table
    [[nodiscard]] std::string channel(const HloCollective& found) const;
    [[nodiscard]] Leaves latestValue(std::uint32_t shape);
    void line(std::string_view text, std::uint32_t origin);
    /// The next line is that which makes the leaf.
    void makes(const Leaf& leaf);
    /// The leaf, which is an element of a value of its own line, goes by the name of the instruction that takes it out.
    void nameElement(const Leaf& leaf, const HloInstruction& tuple, const HloInstruction& element);
    [[nodiscard]] Where at(const HloInstruction& instruction) const;
    [[nodiscard]] tl::unexpected<Error> lacks(const HloInstruction& instruction, std::string_view attribute) const;

    const HloModule& m_module;
    const HloCollectives& m_found;
    bool m_isCompiled;
    std::unordered_map<std::uint32_t, const HloCollective*> m_collectives; ///< by instruction
    std::vector<std::uint32_t> m_types; ///< by shape: number of the type's alias; noHloIndex for none
    /// By the text of the groups, and what it numbers: number of the table.
    std::map<std::pair<std::string_view, GroupIds>, std::size_t> m_groupTables;
    std::vector<std::vector<std::uint32_t>> m_firstLeaves; ///< by shape of a tuple: the first array of each part
    std::string m_calledMain; ///< what a called function goes by whose name is main
    std::string m_out;
    std::vector<std::uint32_t> m_origins;
    std::vector<std::uint32_t> m_lines; ///< by number of a value of the function: the line that makes it
    std::unordered_map<std::uint32_t, std::uint32_t> m_elementNames;
    std::unordered_map<std::string_view, std::size_t> m_locations; ///< by the text of the metadata: number of the alias
    std::vector<std::uint32_t> m_located; ///< by alias: the first instruction of it
    std::vector<Leaves> m_values; ///< by instruction
    std::uint32_t m_next = 0;
    std::vector<std::uint32_t> m_functions; ///< computations to be written as functions
    std::set<std::uint32_t> m_known; ///< those that are in it
    bool m_isShardy = false; ///< the module has Shardy's meshes: XLA's shardings say the same again
    int m_depth = 0;
};

} // namespace shardscope::hlo
