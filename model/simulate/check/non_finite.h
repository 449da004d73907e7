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
    std::int64_t element = 0; ///< of what the device holds, row-major
    bool produced = false; ///< from operands without it; otherwise a constant or an argument that holds it
    kernels::Array value; ///< the element
};

/// Remembers the first of each kind. An operation that gives it where none of its operands has it has produced it; an
/// exchange only where no device of its group has it in an operand. Constants have not, they are meant so (a mask of
/// -infinity), nor have loops, branches and calls: what stands in them has.
///
///     NonFiniteWatch watch(program);
///     watch.given(arguments);
///     execute(program, parts, arguments, { .observers = { &watch } });
///     if (const auto& found = watch.first(NonFiniteKind::NotANumber)) ...
class NonFiniteWatch : public Observer {
public:
    /// Of devices that run `device`: what stands in padding is passed over.
    explicit NonFiniteWatch(const DeviceProgram& device)
        : m_program(device.program)
        , m_device(device)
    {
    }
    void setArguments(const kernels::Arrays& arguments, std::int64_t device = 0);
    void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> results) override;
    /// What an operation produced first; where nothing did, the first constant or argument that holds it. While devices
    /// take an exchange, what it seems to have produced so far.
    [[nodiscard]] std::optional<NonFinite> first(NonFiniteKind kind) const;

private:
    struct Seen {
        std::optional<NonFinite> produced, held;
        std::vector<NonFinite>
            claims; ///< of the exchange that devices are taking: no operand of their groups had it yet
    };
    /// An exchange as far as devices have been seen to take it.
    struct Exchange {
        OperationId operation;
        std::int64_t device = -1; ///< the last one; they come in their order
        std::array<std::vector<std::int64_t>, 2> givers; ///< by kind: devices whose operands have it
        std::vector<std::vector<std::int32_t>> groups; ///< empty until they are asked for
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
