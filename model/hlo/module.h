// SPDX-License-Identifier: GPL-3.0-or-later
// A module of XLA's HLO, as its text has it: computations of instructions, with shapes and attributes.
//
//     HloModule jit_f, num_partitions=4
//
//     ENTRY %main (x: f32[2,8]) -> f32[8,8] {
//       %x = f32[2,8]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}
//       ROOT %all = f32[8,8]{1,0} all-gather(%x), replica_groups=[1,4]<=[4], dimensions={0}
//     }
//
// is one computation of two instructions; instruction 1 has the opcode "all-gather", the operand 0 and two attributes.
//
// The module refers to the text instead of holding parts of it: it takes less memory than the text, and the text has to
// live as long as the module. Names stand without their "%". What attributes mean is told by hlo/attributes.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "program/types.h"

namespace shardscope {

/// A part of the module's text.
struct TextSpan {
    std::uint32_t begin = 0, length = 0;
    bool operator==(const TextSpan&) const = default;
};

/// The shape of a value: an array, a tuple of shapes, or what is neither ("token[]", "opaque[]").
struct HloShape {
    TextSpan text; ///< "f32[2,8]{1,0:T(8,128)S(1)}"
    bool isTuple = false;
    bool isDynamic = false; ///< a size is a bound ("<=8") or not known ("?")
    DType dtype = DType::Other; ///< of an array
    Shape sizes; ///< of an array; a bound is its number, what is not known dynamicSize
    std::vector<std::int64_t> minorToMajor; ///< of an array, where the text has a layout
    std::int64_t memorySpace = 0; ///< S(n) of the layout
    std::vector<std::uint32_t> parts; ///< of a tuple: indices into HloModule::shapes
};

/// "dimensions={0}"
struct HloAttribute {
    TextSpan name, value;
};

inline constexpr std::uint32_t noHloIndex = 0xffff'ffff;

struct HloInstruction {
    TextSpan name;
    std::uint32_t shape = 0; ///< index into HloModule::shapes
    std::uint32_t computation = 0;
    std::uint32_t firstOperand = 0, operandCount = 0; ///< in HloModule::operands
    std::uint32_t firstAttribute = 0; ///< in HloModule::attributes
    std::uint16_t attributeCount = 0;
    std::uint16_t opcode = 0; ///< index into HloModule::opcodes
    TextSpan inside; ///< what stands between the brackets: operands, a number (parameter), a value (constant)
};

struct HloComputation {
    TextSpan name;
    std::uint32_t firstInstruction = 0, instructionCount = 0;
    std::uint32_t root = noHloIndex; ///< index of an instruction; none where the text ends before it
    bool isEntry = false;
};

/// Where an operation comes from in the source.
struct HloPlace {
    std::string_view file; ///< empty where the text has none
    std::int64_t line = 0;
    std::string_view function;
};

/// A row of the table StackFrames, by numbers of the other tables, from 1; 0 for none.
struct HloFrame {
    std::uint32_t location = 0;
    std::uint32_t parent = 0; ///< the frame that called this one; always of a smaller number
};
struct HloFileLocation {
    std::uint32_t file = 0, function = 0;
    std::int64_t line = 0;
};

struct HloModule {
    std::string_view text;
    TextSpan name;
    std::vector<HloAttribute> attributes; ///< those of the module first, then by instruction
    std::uint32_t moduleAttributeCount = 0;
    std::vector<HloShape> shapes; ///< each text once
    std::vector<TextSpan> opcodes; ///< each once
    std::vector<std::uint32_t> operands; ///< indices of instructions
    std::vector<HloInstruction> instructions; ///< by computation, in the order of the text
    std::vector<HloComputation> computations; ///< in the order of the text
    std::vector<std::uint32_t> byName; ///< indices of computations, by name
    std::uint32_t entry = noHloIndex; ///< index of a computation; none where the text ends before it
    bool endsEarly = false; ///< the text ends inside a computation, or before the entry
    // Tables between the module and its computations; number n is entry n - 1.
    std::vector<TextSpan> fileNames, functionNames; ///< without their quotes
    std::vector<HloFileLocation> locations;
    std::vector<HloFrame> frames;

    [[nodiscard]] std::string_view view(TextSpan span) const { return text.substr(span.begin, span.length); }
    [[nodiscard]] std::string_view opcode(const HloInstruction& instruction) const
    {
        return view(opcodes[instruction.opcode]);
    }
    [[nodiscard]] const HloShape& shape(const HloInstruction& instruction) const { return shapes[instruction.shape]; }
    [[nodiscard]] std::span<const std::uint32_t> operandsOf(const HloInstruction& instruction) const
    {
        return std::span(operands).subspan(instruction.firstOperand, instruction.operandCount);
    }
    [[nodiscard]] std::span<const HloAttribute> attributesOf(const HloInstruction& instruction) const
    {
        return std::span(attributes).subspan(instruction.firstAttribute, instruction.attributeCount);
    }
    [[nodiscard]] std::span<const HloInstruction> instructionsOf(const HloComputation& computation) const
    {
        return std::span(instructions).subspan(computation.firstInstruction, computation.instructionCount);
    }
    [[nodiscard]] std::uint32_t indexOf(const HloInstruction& instruction) const
    {
        return static_cast<std::uint32_t>(&instruction - instructions.data());
    }
    /// Null if it has none of that name.
    [[nodiscard]] const HloAttribute* attribute(const HloInstruction& instruction, std::string_view wanted) const;
    [[nodiscard]] const HloAttribute* moduleAttribute(std::string_view wanted) const;
    /// Index of the computation of that name, with or without "%"; noHloIndex if there is none.
    [[nodiscard]] std::uint32_t computationNamed(std::string_view wanted) const;
    /// Line and column of an offset.
    [[nodiscard]] Where placeOf(std::uint32_t offset) const;
};

/// Bytes of a value: of an array its elements, of a tuple the sum of its parts, none of a token. What is larger than 63
/// bits, or of unknown size, is the largest number.
[[nodiscard]] std::int64_t byteCount(const HloModule& module, const HloShape& shape);
/// Indices of the arrays that a shape consists of, in order: of a tuple those of its parts, else itself.
[[nodiscard]] std::vector<std::uint32_t> leavesOf(const HloModule& module, std::uint32_t shape);

/// Whether the module is what XLA has made for each device: partitioned, or scheduled. Shapes are those of one device
/// then, and there is nothing left to lay out.
[[nodiscard]] bool isCompiled(const HloModule& module);

} // namespace shardscope
