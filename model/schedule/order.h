// SPDX-License-Identifier: GPL-3.0-or-later
// Where new state goes, and the order of the nodes.
#pragma once

#include "schedule/work.h"

namespace shardscope {

struct Order {
    std::vector<std::uint32_t> sequence; ///< nodes in order of execution
    /// Per value that begins a storage chain: the argument whose slot it is written into, or none.
    std::vector<std::uint32_t> inPlaceOf;
    /// At the end of the block, into the argument's slot: new state that could not be written in place.
    struct EndCopy {
        std::uint32_t value = none; ///< copied from this value's slot
        std::uint32_t extra = none; ///< or from this extra slot: an old argument saved at the start
        std::uint32_t argument = none;
    };
    std::vector<EndCopy> endCopies;
    /// Old values of arguments saved by copy nodes before they are overwritten: the argument of each extra slot.
    std::vector<std::uint32_t> extras;
    /// Per result of the block, and per kept alias: the extra slot that holds it, or none.
    std::vector<std::uint32_t> resultExtra;
    std::vector<std::uint32_t> aliasExtra;
    std::vector<bool> replaced; ///< per value: an argument that gets a new value
};

/// Program order, except that instructions which need no new memory go as soon as they can: an update of the state
/// runs right after its gradient, whose memory is then free; and that slices of arguments wait until they are needed.
/// A node that overwrites an argument comes after all other readers of the argument. Adds copy nodes to `work`.
[[nodiscard]] Order orderNodes(Work& work);

/// Whether the value is written to memory: read by another node or after the step.
[[nodiscard]] bool needsSlot(const Work& work, std::uint32_t value);

} // namespace shardscope
