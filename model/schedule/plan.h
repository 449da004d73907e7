// SPDX-License-Identifier: GPL-3.0-or-later
// The plan of one step on one device: lists of instructions on buffer slots, one for main and one for every region of a
// loop or a branch. SPMD: every device runs the same plan on memory of its own.
//
// Slots are intervals of one arena per device. State (parameters, moments, counters, and what a loop carries) keeps its
// slot from step to step: a new parameter is written over the old one when nobody reads the old one any more. Other
// slots are reused by liveness. Those of a loop or of branches lie within a slot of the instruction that runs them.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "schedule/flat_program.h"

namespace shardscope {

using SlotId = Id<struct SlotTag>;

struct Slot {
    std::int64_t offset = 0; ///< bytes from the start of the arena, a multiple of 64
    std::int64_t bytes = 0; ///< of the value; the interval may be padded at its end
    FlatValueId value; ///< invalid where a loop or branches work
    std::int32_t firstUse = 0; ///< instruction of its block that defines it; -1 for what exists before the block
    std::int32_t lastUse = 0; ///< last one that reads it; the number of the instructions if it outlives the block
    /// The same without ScheduleOptions::keep: what is kept could be free after its last reader.
    std::int32_t lastRead = 0;
    std::uint32_t block = 0; ///< 0 = main, else FlatProgram::blocks
};

/// An operation executed by its kernel on local shards. The result of a dynamic_update_slice may have the slot of the
/// array that the slice is written into.
struct KernelInstruction {
    OperationId operation; ///< of FlatProgram::local, like all operations here
    std::vector<std::pair<ValueId, SlotId>> captured; ///< what its body reads from around it
};

/// A chain of elementwise operations executed together, block by block, so that intermediate values never leave the
/// cache. Registers are numbered: inputs first, then one per step. Every step rounds to its element type as the
/// separate operation would. An output that names an input register is a copy (an instruction without steps copies a
/// slot). Where an output shares its slot with an input, a block of that input is read completely before it is
/// overwritten, and nothing reads it afterwards.
struct FusedInstruction {
    /// One dimension of what an input is read as; stride 0 where the same elements come again.
    struct Dimension {
        std::int64_t extent = 1;
        std::int64_t stride = 0; ///< in elements of the slot

        friend bool operator==(const Dimension&, const Dimension&) = default;
    };
    struct Input {
        SlotId slot; ///< invalid for a constant
        double constant = 0;
        DType dtype = DType::F32;
        bool scalar = false; ///< one element, used for every element of the block
        /// Of a smaller array that is broadcast: how its elements are read, over and over if these are fewer than the
        /// instruction's. The last stride is 0 or 1. Empty: one after the other. Such an input is no output.
        SmallVector<Dimension, 4> repeats{};
    };
    struct Step {
        OpKind kind = OpKind::Add;
        Comparison comparison = Comparison::Equal; ///< Compare only
        DType dtype = DType::F32; ///< of the result
        std::int16_t a = -1, b = -1, c = -1; ///< operand registers
        OperationId operation; ///< its origin
    };
    struct Output {
        SlotId slot;
        std::int16_t reg = 0;
    };
    std::vector<Input> inputs;
    std::vector<Step> steps;
    std::vector<Output> outputs; ///< an output may share its slot with an input of the same type (in place)
    std::int64_t elements = 0;
};

/// Operand and result of an all-reduce share one slot: it works in place. Other collectives have two slots.
struct CollectiveInstruction {
    OperationId operation;
};

/// A loop or a branch. The state of a loop stands in the slots of its results: its operands are copied there unless
/// they are there already, and its blocks find their arguments there. What every trip hands on as it got it stays in
/// the operand's slot and has no slot among the results. Branches put what they return into those of their results.
struct ControlInstruction {
    OperationId operation;
    std::vector<std::uint32_t> blocks; ///< indices into Plan::blocks
    SlotId room; ///< where their slots lie
};

struct Instruction {
    std::variant<KernelInstruction, FusedInstruction, CollectiveInstruction, ControlInstruction> action;
    SmallVector<SlotId, 4> operands; ///< of all but fused ones; invalid for tokens
    SmallVector<SlotId, 2> results;
    ValueId origin; ///< the (last) program value that it computes
};

/// Bytes by what they are for.
enum class Owner : std::uint8_t { Parameters, Gradients, Mu, Nu, Activations, Buffers };
inline constexpr std::size_t ownerCount = 6;
[[nodiscard]] Owner ownerOf(const Program& program, ValueId value);

struct MemorySummary {
    std::array<std::int64_t, ownerCount> atPeak{}; ///< bytes by owner at the peak
    std::int64_t peakBytes = 0;
    /// What the peak would be if nothing were kept to the end of the step for its own sake (ScheduleOptions::keep).
    std::int64_t peakWithoutKept = 0;
    std::int32_t peakInstruction = 0;
    std::vector<std::int64_t> live; ///< bytes live while each instruction runs
    std::int64_t arenaBytes = 0; ///< what is really reserved, gaps included
    std::int64_t stateBytes = 0; ///< step, params, count, mu, nu
};

/// What a region of a loop or a branch does.
struct PlanBlock {
    std::vector<Instruction> instructions;
    std::vector<SlotId> results; ///< of the condition of a loop: where its answer stands
    MemorySummary memory; ///< of its own slots
};

struct Plan {
    std::shared_ptr<const FlatProgram> program;
    std::vector<Slot> slots;
    std::vector<Instruction> instructions; ///< of main
    std::vector<PlanBlock> blocks; ///< as FlatProgram::blocks; [0], which is main, is empty
    std::vector<SlotId> arguments; ///< per argument of main; invalid for tokens
    std::vector<SlotId> results; ///< per result of main; a state result has the slot of its argument
    /// slotOf[value of `program`], those of main alone: its slot; invalid for values that live only in registers, are
    /// constants or are not needed. Several values may have one slot: a partial sum and its all-reduced value, a value
    /// and its sharding constraint, old and new state. Whether a value can be read after the step: observable().
    std::vector<SlotId> slotOf;
    MemorySummary memory;

    [[nodiscard]] const Slot& slot(SlotId id) const { return slots[id.index]; }
    /// Of a block, 0 = main.
    [[nodiscard]] const std::vector<Instruction>& instructionsOf(std::size_t block) const
    {
        return block == 0 ? instructions : blocks[block].instructions;
    }
    /// Of a loop or a branch: that of its blocks whose peak is the highest.
    [[nodiscard]] const MemorySummary& highest(const ControlInstruction& control) const;
    /// The value is in its slot when the step is over, because it is an argument, a result or kept. An argument of the
    /// state holds its new value then. Other values may have been overwritten, or never stored.
    [[nodiscard]] bool observable(ValueId value) const;
};

struct ScheduleOptions {
    bool fuse = true;
    /// Values to keep observable after the step (their slots are not reused): gradients and activations by path glob.
    std::vector<ValueId> keep;
    /// Every operation by itself, in a slot of its own, those included whose results nobody needs: nothing is fused,
    /// left out or done in place. For whoever observes a run.
    bool plain = false;
};

/// Errors: TooLarge when the arena exceeds 2^40 bytes.
[[nodiscard]] Result<Plan> schedule(std::shared_ptr<const FlatProgram> program, const ScheduleOptions& options = {});

} // namespace shardscope
