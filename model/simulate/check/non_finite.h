// SPDX-License-Identifier: GPL-3.0-or-later
// Where NaN and infinity come from while a program is executed.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "partition/device_program.h"
#include "simulate/run/run.h"

namespace shardscope {

enum class NonFiniteKind : std::uint8_t { NotANumber, Infinity };

/// Row-major index of the first such element from `begin` on; -1 for none, and for arrays that are not of floats.
[[nodiscard]] std::int64_t firstNonFinite(const kernels::Array& array, NonFiniteKind kind, std::int64_t begin = 0);

struct NonFinite {
    NonFiniteKind kind = NonFiniteKind::NotANumber;
    OperationId operation; ///< of the program that runs; invalid for an argument
    std::size_t index = 0; ///< which result, or which argument
    std::int64_t device = 0;
    std::int64_t element = 0; ///< row-major index in the device's shard
    bool produced = false; ///< by an operation none of whose operands has it; false for a constant or an argument
    kernels::Array value; ///< the element
};

/// Finds the first operation that produces NaN, and the first that produces infinity. An operation produces it if its
/// result has it and no operand does; a collective only if no device of the group has it in an operand. Constants do
/// not count, since such values are meant there (a mask of -infinity), nor do loops, branches and calls, whose inner
/// operations count.
///
///     NonFiniteWatch watch(program);
///     watch.setArguments(arguments);
///     execute(program, parts, arguments, { .observers = { &watch } });
///     if (const auto& found = watch.first(NonFiniteKind::NotANumber)) ...
class NonFiniteWatch : public Observer {
public:
    /// For devices that run `device`; elements of padding are ignored.
    explicit NonFiniteWatch(const DeviceProgram& device)
        : m_program(device.program)
        , m_device(device)
    {
    }
    void setArguments(const kernels::Arrays& arguments, std::int64_t device = 0);
    void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> results) override;
    /// The first element that an operation produced; if there is none, that of the first constant or argument that has
    /// it. In the middle of a collective, what it seems to have produced so far.
    [[nodiscard]] std::optional<NonFinite> first(NonFiniteKind kind) const;

private:
    struct Seen {
        std::optional<NonFinite> produced, held;
        /// Results of the current collective; no operand of their groups is known to have it yet.
        std::vector<NonFinite> candidates;
    };
    /// The current collective, as far as devices have run it.
    struct Exchange {
        OperationId operation;
        std::int64_t device = -1; ///< the last one that ran it; devices run it in their order
        std::array<std::vector<std::int64_t>, 2> sources; ///< by kind: devices whose operands have it
        std::vector<std::vector<std::int32_t>> groups; ///< empty until needed
    };
    void exchanged(NonFiniteKind kind, const NonFinite* result, bool hasOperand, const Operation& operation);
    [[nodiscard]] bool inOneGroup(std::int64_t a, std::int64_t b, const Operation& operation);
    Seen& seen(NonFiniteKind kind) { return m_seen[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] std::int64_t firstOf(
        const kernels::Array& array, NonFiniteKind kind, ValueId value, std::int64_t device) const;

    const Program& m_program;
    const DeviceProgram& m_device;
    std::array<Seen, 2> m_seen;
    Exchange m_exchange;
};

} // namespace shardscope
