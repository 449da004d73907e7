// SPDX-License-Identifier: GPL-3.0-or-later
// In which memory the values of a program lie, as its text says it: attributes of what main takes and returns, and
// custom calls that bring a value elsewhere.
//
//     func.func @main(%arg0: tensor<8xf32> {mhlo.memory_kind = "pinned_host"}) -> ...      // %arg0 lies on the host
//       %0 = stablehlo.custom_call @annotate_device_placement(%arg0)
//           {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : ...            // a move: host -> device
//       %1 = stablehlo.add %0, %0                                                            // computed on the device
//
// An operation computes where its operands lie, and all of them have to lie in one memory. Numbers without dimensions
// and what is made of nothing (constants, iota) lie wherever they are needed.
#pragma once

#include <optional>
#include <vector>

#include "program/program.h"
#include "sharding/memory_kind.h"

namespace shardscope {

/// A value that goes from one memory to another.
struct MemoryMove {
    ValueId value; ///< as it is before
    ValueId result; ///< as it arrives; the value itself where main returns it
    OperationId operation; ///< the custom call; invalid where main returns the value to another memory
    MemoryKind from = MemoryKind::Device, to = MemoryKind::Device;
    bool operator==(const MemoryMove&) const = default;
};

/// Why a value lies where it does.
enum class MemorySource : std::uint8_t {
    Nothing, ///< nothing says it: the devices' own memory
    Argument, ///< an attribute of main's argument
    Placement, ///< a custom call brings it there
    Operands, ///< it is computed of values that lie there
};

struct ProgramMemory {
    /// Per ValueId; absent: wherever it is needed. Empty for a program that says nothing of memories.
    std::vector<std::optional<MemoryKind>> kinds;
    std::vector<MemorySource> sources; ///< per ValueId, or empty
    std::vector<MemoryMove> moves; ///< in program order; a function's once, however often it is called
    /// MixedMemoryKinds, at the operation; UnknownMemoryKind, at the operation or the function.
    std::vector<Diagnostic> findings;

    [[nodiscard]] bool saysNothing() const { return kinds.empty(); }
    [[nodiscard]] std::optional<MemoryKind> of(ValueId value) const
    {
        return value.valid() && value.index < kinds.size() ? kinds[value.index] : std::nullopt;
    }
};

/// The program has to pass verify() as far as its values, operations and regions exist. Arguments of which nothing is
/// said lie in the devices' memory as soon as anything else is said. Linear in the size of the program.
/// `platform` tells which memory is the devices' own under two names: unpinned_host and device are one on a CPU.
[[nodiscard]] ProgramMemory memoryOf(const Program& program, std::string_view platform = {});

} // namespace shardscope
