// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/gradient_values.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "program/op_row.h"
#include "program/step_state.h"

namespace shardscope {

namespace {

/// Where operations stand in main.
using Places = std::unordered_map<OperationId, std::size_t>;

/// A broadcast scalar or a constant says nothing of single elements.
bool isScalar(const Program& program, ValueId value)
{
    const OperationId maker = program.value(value).definition;
    if (!maker.valid())
        return false;
    const Operation& operation = program.operation(maker);
    return operation.kind == OpKind::Constant || operation.kind == OpKind::SdyConstant
        || (operation.kind == OpKind::BroadcastInDim && program.value(operation.operands[0]).type.rank() == 0);
}

/// Goes back from `updated`, the latest operation first. While a single value is left to go back from, everything that
/// the update needs goes through it; the first one that was not worked out element by element ends the way.
std::optional<ValueId> gradientAfter(const Program& program, const Places& places, ValueId updated)
{
    const TensorType& type = program.value(updated).type;
    std::set<std::pair<std::size_t, ValueId>> left; ///< by the place of the operation that makes it
    const auto add = [&](ValueId value) {
        const OperationId maker = program.value(value).definition;
        const auto place = maker.valid() ? places.find(maker) : places.end();
        if (program.value(value).type.shape == type.shape && !isScalar(program, value) && place != places.end())
            left.emplace(place->second, value);
    };
    add(updated);
    std::optional<ValueId> found;
    while (!left.empty()) {
        const auto last = std::prev(left.end());
        const ValueId value = last->second;
        if (left.size() == 1 && value != updated)
            found = value;
        const Operation& maker = program.operation(program.value(value).definition);
        if (!opRow(maker.kind).elementwise)
            return found;
        left.erase(last);
        for (const ValueId operand : maker.operands)
            add(operand);
    }
    return std::nullopt; // it depends on the state alone
}

} // namespace

std::vector<ValueId> gradientsOf(const Program& program, const StepState& state, std::span<const Role> roles)
{
    const Region& main = program.main();
    Places places;
    if (!state.pairs.empty())
        for (std::size_t i = 0; i < main.operations.size(); ++i)
            places.emplace(main.operations[i], i);
    std::vector<ValueId> gradients;
    for (const StatePair& pair : state.pairs) {
        if (roles[program.value(pair.argument).index] != Role::Parameter)
            continue;
        const std::optional<ValueId> gradient = gradientAfter(program, places, main.results[pair.result]);
        if (gradient && std::find(gradients.begin(), gradients.end(), *gradient) == gradients.end())
            gradients.push_back(*gradient);
    }
    return gradients;
}

} // namespace shardscope
