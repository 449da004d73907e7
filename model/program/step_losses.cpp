// SPDX-License-Identifier: GPL-3.0-or-later
// Which result of a step is its loss. Declared in program/step_state.h.
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "program/body.h"
#include "program/element_updates.h"
#include "program/main_interface.h"
#include "program/name_words.h"
#include "program/op_row.h"
#include "program/step_state.h"

namespace shardscope {

namespace {

/// Whether a single number is the largest or the smallest of others, or made of such numbers alone: no mean, no sum.
bool isExtreme(const Program& program, ValueId value)
{
    std::set<ValueId> seen{ value };
    std::vector<ValueId> left{ value };
    bool found = false;
    while (!left.empty()) {
        const OperationId maker = program.value(left.back()).definition;
        left.pop_back();
        if (!maker.valid())
            return false;
        const Operation& operation = program.operation(maker);
        if (operation.kind == OpKind::Reduce || operation.kind == OpKind::VariadicReduce) {
            const std::optional<ReduceKind> kind = reductionOf(program, operation);
            if (kind != ReduceKind::Max && kind != ReduceKind::Min)
                return false;
            found = true;
            continue;
        }
        if (operation.kind == OpKind::Constant)
            continue;
        if (!opRow(operation.kind).elementwise && !onlyMoves(program, operation))
            return false;
        for (const ValueId operand : operation.operands) {
            if (program.value(operand).type.elementCount() != 1)
                return false;
            if (seen.insert(operand).second)
                left.push_back(operand);
        }
    }
    return found;
}

bool isOfState(const StepState& state, std::size_t result)
{
    return std::any_of(
        state.pairs.begin(), state.pairs.end(), [&](const StatePair& pair) { return pair.result == result; });
}

/// Floating-point scalars that are no state and no maximum or minimum of others.
std::vector<std::size_t> scalarResults(const Program& program, const StepState& state)
{
    const std::vector<ValueId>& results = program.main().results;
    std::vector<std::size_t> scalars;
    for (std::size_t r = 0; r < results.size(); ++r)
        if (const TensorType& type = program.value(results[r]).type;
            type.rank() == 0 && isFloat(type.dtype) && !isOfState(state, r) && !isExtreme(program, results[r]))
            scalars.push_back(r);
    return scalars;
}

/// The result that has the role, or the name.
std::optional<std::size_t> namedLoss(const Program& program, const StepState& state)
{
    const MainInterface main(program);
    const std::vector<ValueId>& results = program.main().results;
    std::optional<std::size_t> named, partlyNamed;
    for (std::size_t r = 0; r < results.size(); ++r) {
        const Value& value = program.value(results[r]);
        if (value.role == Role::Loss)
            return r;
        if (value.type.rank() != 0 || !isFloat(value.type.dtype) || isOfState(state, r))
            continue;
        if (wordIn(main.resultName(r), "loss"))
            named = named.value_or(r);
        if (partIn(main.resultName(r), "loss"))
            partlyNamed = partlyNamed.value_or(r);
    }
    return named ? named : partlyNamed;
}

/// What scalars are computed from.
class ScalarSources {
public:
    ScalarSources(
        const Program& program, const StepState& state, ElementUpdates& updates, std::vector<std::size_t> scalars)
        : m_program(program)
        , m_updates(updates)
        , m_scalars(std::move(scalars))
    {
        constexpr std::size_t most = 64; // that are looked at
        m_scalars.resize(std::min(m_scalars.size(), most));
        for (const std::size_t scalar : m_scalars)
            m_arguments.push_back(updates.argumentsOf(valueOf(scalar)));
        findGradients(state);
    }

    /// Those that may be losses: computed from parameters, or from any arrays in a program without state, and not from
    /// gradients, as a norm of these is.
    [[nodiscard]] std::vector<std::size_t> losses() const
    {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < m_scalars.size(); ++i)
            if (isOfArrays(i, m_hasParameters) && !m_updates.dependOn(valueOf(m_scalars[i]), m_gradients))
                found.push_back(m_scalars[i]);
        return found;
    }
    /// The first that is computed from arrays.
    [[nodiscard]] std::optional<std::size_t> ofArrays() const
    {
        for (std::size_t i = 0; i < m_scalars.size(); ++i)
            if (isOfArrays(i, false))
                return m_scalars[i];
        return std::nullopt;
    }

private:
    [[nodiscard]] std::span<const ValueId> valueOf(std::size_t scalar) const
    {
        return { &m_program.main().results[scalar], 1 };
    }
    [[nodiscard]] bool isOfArrays(std::size_t i, bool parameters) const
    {
        const std::vector<ValueId>& arguments = m_program.main().arguments;
        for (std::size_t a = 0; a < arguments.size(); ++a)
            if (m_arguments[i][a] && (parameters ? m_isParameter[a] : m_program.value(arguments[a]).type.rank() > 0))
                return true;
        return false;
    }
    /// Parameters are the arrays that the step updates and a scalar is computed from. Gradients are what parameters and
    /// their moments are updated by; what statistics of a batch are updated by is none.
    void findGradients(const StepState& state)
    {
        const Region& main = m_program.main();
        m_isParameter.resize(main.arguments.size());
        const auto isUpdated = [&](const StatePair& pair) {
            const Value& argument = m_program.value(pair.argument);
            return isFloat(argument.type.dtype) && argument.type.rank() > 0
                && m_updates.updates(argument.index, pair.result);
        };
        std::vector<ValueId> updated;
        for (const StatePair& pair : state.pairs) {
            const std::uint32_t a = m_program.value(pair.argument).index;
            const bool isUsed = std::any_of(
                m_arguments.begin(), m_arguments.end(), [a](const std::vector<bool>& used) { return used[a]; });
            m_isParameter[a] = isUsed && isUpdated(pair);
            if (m_isParameter[a])
                updated.push_back(main.results[pair.result]);
        }
        m_hasParameters = !updated.empty();
        const std::vector<bool> taken = m_updates.argumentsOf(updated);
        for (const StatePair& pair : state.pairs)
            if (taken[m_program.value(pair.argument).index] && isUpdated(pair)) {
                const std::vector<ValueId>& others = m_updates.of(pair.result).others;
                m_gradients.insert(m_gradients.end(), others.begin(), others.end());
            }
    }

    const Program& m_program;
    ElementUpdates& m_updates;
    std::vector<std::size_t> m_scalars;
    std::vector<std::vector<bool>> m_arguments; ///< per scalar, by argument of main: whether it is computed from it
    std::vector<bool> m_isParameter; ///< per argument of main
    bool m_hasParameters = false;
    std::vector<ValueId> m_gradients;
};

} // namespace

std::vector<std::size_t> possibleLosses(const Program& program, const StepState& state, ElementUpdates& updates)
{
    return ScalarSources(program, state, updates, scalarResults(program, state)).losses();
}

std::optional<std::size_t> lossResult(const Program& program, const StepState& state)
{
    if (const std::optional<std::size_t> named = namedLoss(program, state))
        return named;
    const std::vector<std::size_t> scalars = scalarResults(program, state);
    if (scalars.size() < 2)
        return scalars.empty() ? std::nullopt : std::optional(scalars.front());
    ElementUpdates updates(program);
    const ScalarSources sources(program, state, updates, scalars);
    if (const std::vector<std::size_t> losses = sources.losses(); !losses.empty())
        return losses.front();
    return sources.ofArrays().value_or(scalars.front());
}

bool hasLoss(const Program& program, const StepState& state)
{
    return !scalarResults(program, state).empty() || namedLoss(program, state);
}

} // namespace shardscope
