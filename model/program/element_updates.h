// SPDX-License-Identifier: GPL-3.0-or-later
// What a result of main is made of element by element: an updated array is its old value and something added to it,
// whatever comes out of a contraction is something else.
//
//     g = dot_general(x, d);  p' = 0.99 p - 0.001 g
//     p' is an update of p, beside which it needs g; g is an update of nothing
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/function_names.h"
#include "program/program.h"

namespace shardscope {

/// Follows sums, differences, products with numbers, choices, and whatever moves elements: back from results, through
/// loops, branches and calls. Keeps a reference to the program.
class ElementUpdates {
public:
    explicit ElementUpdates(const Program& program);

    /// What a result is made of.
    struct Sources {
        std::vector<std::uint32_t> arguments; ///< of main, by number, ascending
        std::vector<ValueId> others; ///< where the way ends without having come to an argument
        bool isChanged = false; ///< something was done on the way besides moving elements
    };
    [[nodiscard]] const Sources& of(std::size_t result);

    /// Whether the result is worked out element by element from the argument itself.
    [[nodiscard]] bool updates(std::size_t argument, std::size_t result);
    /// Whether the result is the argument.
    [[nodiscard]] bool passes(std::size_t argument, std::size_t result);
    /// Whether one of the values is computed from one of the arguments of main, in whatever way.
    [[nodiscard]] bool dependOn(std::span<const ValueId> values, std::span<const ValueId> arguments);

private:
    /// The same of any value of a function, whose arguments are given by their ids.
    struct Trace {
        std::vector<ValueId> arguments, others;
        bool isChanged = false;
    };
    class Walk;
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

/// A constant, or what is spread from an array of fewer dimensions: it says nothing of single elements.
[[nodiscard]] bool isSpread(const Program& program, ValueId value);

/// The result's elements are those of the first operand, in another form or on other devices.
[[nodiscard]] bool onlyMoves(const Program& program, const Operation& operation);

} // namespace shardscope
