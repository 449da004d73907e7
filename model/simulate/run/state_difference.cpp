// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/state_difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "simulate/kernels/elementwise.h"
#include "simulate/run/shards.h"

namespace shardscope {

namespace {

std::size_t numberOfArgument(const Program& program, ValueId argument)
{
    const std::vector<ValueId>& all = program.main().arguments;
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), argument) - all.begin());
}

/// `later` less `earlier`, in memory of its own: what was held may be asked for again. Shards of devices that are not
/// of the mesh have no bytes.
kernels::Arrays subtractShards(
    const kernels::ElementKernel& subtract, const kernels::Arrays& later, const kernels::Arrays& earlier)
{
    kernels::Arrays difference = earlier;
    for (std::size_t device = 0; device < earlier.size(); ++device) {
        const kernels::Array& held = earlier[device];
        if (!held.bytes)
            continue;
        difference[device] = kernels::Array::make(held.type);
        const std::array<const std::byte*, 2> operands{ later[device].data(), held.data() };
        subtract.run(operands.data(), difference[device].data(), held.count());
    }
    return difference;
}

void countElements(ArrayDifference& difference)
{
    double squares = 0;
    for (std::int64_t i = 0; i < difference.full.count(); ++i) {
        const double element = kernels::numberAt(difference.full, i);
        difference.changed += element != 0 ? 1 : 0;
        if (!std::isfinite(element))
            continue;
        difference.largest = std::max(difference.largest, std::abs(element));
        squares += element * element;
    }
    difference.norm = std::sqrt(squares);
}

} // namespace

HeldState heldState(const Run& run, const StepState& state)
{
    const Program& program = *run.plan().program->program;
    HeldState held{ run.stepsDone(), {} };
    for (const StatePair& pair : state.pairs)
        held.arrays.push_back(isTensor(program.value(pair.argument).type.dtype)
                ? run.shardsOfArgument(numberOfArgument(program, pair.argument))
                : kernels::Arrays());
    return held;
}

std::vector<ArrayDifference> stateDifference(
    const FlatProgram& program, const StepState& state, const HeldState& later, const HeldState& earlier)
{
    std::vector<ArrayDifference> differences;
    for (std::size_t i = 0; i < state.pairs.size(); ++i) {
        if (earlier.arrays[i].empty())
            continue;
        ArrayDifference difference;
        difference.argument = numberOfArgument(*program.program, state.pairs[i].argument);
        const ShardedArray& how = program.inputs[difference.argument];
        const DType dtype = how.type.dtype;
        const auto subtract = kernels::elementKernel(OpKind::Subtract, {}, std::array{ dtype, dtype }, dtype);
        if (!subtract)
            continue;
        difference.shards = subtractShards(*subtract, later.arrays[i], earlier.arrays[i]);
        clearPadding(difference.shards, how, program.mesh);
        difference.full = assembleShards(difference.shards, how, program.mesh).full;
        countElements(difference);
        differences.push_back(std::move(difference));
    }
    return differences;
}

double differenceBytes(const FlatProgram& program, const StepState& state)
{
    double bytes = 0;
    for (const StatePair& pair : state.pairs) {
        const std::size_t number = numberOfArgument(*program.program, pair.argument);
        bytes += static_cast<double>(program.program->value(pair.argument).type.byteCount())
            + 2 * static_cast<double>(program.value(program.main().arguments[number]).localType.byteCount())
                * static_cast<double>(program.mesh->deviceCount());
    }
    return bytes;
}

} // namespace shardscope
