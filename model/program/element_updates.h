// SPDX-License-Identifier: GPL-3.0-or-later
// From which arrays a result of main is computed element by element, as an optimizer computes a new parameter from the
// old one and the gradient. A contraction is the end of that: its result is an array of its own.
//
//     g = dot_general(x, d);  p' = 0.99 p - 0.001 g
//     p' is computed element by element from the argument p and from g (Sources::others); g from no argument
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/function_names.h"
#include "program/program.h"

namespace shardscope {

/// Goes back from results through sums, differences, products with numbers, selects and operations that move elements,
/// also into loops, branches and calls. Keeps a reference to the program.
class ElementUpdates {
public:
    explicit ElementUpdates(const Program& program);

    /// What a result is computed from, element by element.
    struct Sources {
        std::vector<std::uint32_t> arguments; ///< numbers of main's arguments, ascending
        std::vector<ValueId> others; ///< results of other operations, such as contractions
        bool isChanged = false; ///< by more than operations that move elements
    };
    [[nodiscard]] const Sources& of(std::size_t result);

    /// Whether the result is computed element by element from the argument, and is not the argument itself.
    [[nodiscard]] bool updates(std::size_t argument, std::size_t result);
    /// Whether the result is the argument, with its elements moved at most.
    [[nodiscard]] bool passes(std::size_t argument, std::size_t result);
    /// Whether any of the values is computed from any of these arguments of main, by whatever operations.
    [[nodiscard]] bool dependOn(std::span<const ValueId> values, std::span<const ValueId> arguments);
    /// Per argument of main: whether any of the values is computed from it, by whatever operations.
    [[nodiscard]] std::vector<bool> argumentsOf(std::span<const ValueId> values);
    /// What the operation executes with its operands as arguments, and whose results are its own: the function that it
    /// calls, the body of a loop, or of a manual or named computation. Null for other operations.
    [[nodiscard]] const Region* bodyOf(const Operation& operation) const;

private:
    /// The same of any value of a function, whose arguments are given by their ids.
    struct Trace {
        std::vector<ValueId> arguments, others;
        bool isChanged = false;
    };
    class Walk;
    /// Calls `found` with all that the values are computed from and with themselves, until it returns true.
    template <class Found>
    void walkBack(std::span<const ValueId> values, const Found& found);
    [[nodiscard]] const Trace& ofFunction(std::size_t function, std::size_t result);
    [[nodiscard]] const Function* calleeAt(const Operation& operation, std::size_t& index) const;

    const Program& m_program;
    FunctionNames m_functions;
    std::vector<OperationId> m_owners; ///< per value that is an argument of a body: the operation of the body
    std::unordered_map<std::size_t, Sources> m_results;
    std::map<std::pair<std::size_t, std::size_t>, Trace> m_calls; ///< by function and result
    std::unordered_map<std::uint32_t, std::vector<OperationId>> m_callers; ///< by the body of the function
    bool m_knowsCallers = false;
    int m_depth = 0; ///< of the call that is looked into
};

/// A constant, or the broadcast of an array of fewer dimensions: many of its elements are equal.
[[nodiscard]] bool isSpread(const Program& program, ValueId value);

/// n' = n + 1: whether the result is the argument and a constant added up.
[[nodiscard]] bool isCounted(const Program& program, ValueId argument, ValueId result);

/// Whether the result has the elements of the first operand, in another shape or on other devices.
[[nodiscard]] bool onlyMoves(const Program& program, const Operation& operation);

} // namespace shardscope
