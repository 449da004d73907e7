// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/step_sketch.h"

#include <algorithm>

#include "words/definitions.h"
#include "words/propagation_steps.h"
#include "words/words.h"

namespace shardscope {

StepSketch StepSketch::describe(const Program& program, const Replay& replay, std::uint32_t step)
{
    StepSketch sketch;
    const std::vector<const PropagationStep*> records = replay.recordsOf(step);
    if (step == 0 || records.empty())
        return sketch;
    const auto add = [&](ValueId value, bool isResult) {
        for (const SketchTensor& known : sketch.tensors)
            if (known.value == value)
                return;
        const Value& v = program.value(value);
        SketchTensor tensor{ value, isResult, words::operandName(program, value), words::shape(v.type.shape), {}, {} };
        for (std::size_t d = 0; d < v.type.rank(); ++d)
            tensor.dims.push_back({ replay.axesAt(value, d, step), false });
        sketch.tensors.push_back(std::move(tensor));
    };
    const OperationId id = records.front()->operation;
    if (id.valid()) {
        const Operation& operation = program.operation(id);
        sketch.operation = words::operationName(operation);
        for (const ValueId operand : operation.operands)
            add(operand, false);
        for (const ValueId result : operation.results)
            add(result, true);
    }
    for (const PropagationStep* record : records) {
        add(record->to, false); // of edges: what shares a sharding need not be an operand
        if (record->from.valid())
            add(record->from, false);
    }
    const auto indexOf = [&](ValueId value) {
        const auto found = std::find_if(
            sketch.tensors.begin(), sketch.tensors.end(), [&](const SketchTensor& t) { return t.value == value; });
        return found == sketch.tensors.end() ? -1 : static_cast<int>(found - sketch.tensors.begin());
    };
    for (const PropagationStep* record : records) {
        SketchMove move{ record->from == record->to ? -1 : indexOf(record->from), indexOf(record->to),
            record->axis.axis };
        SketchTensor& to = sketch.tensors[static_cast<std::size_t>(move.to)];
        if (const auto d = static_cast<std::size_t>(record->toDimension); d < to.dims.size())
            to.dims[d].arrived = true;
        const bool known = std::any_of(sketch.moves.begin(), sketch.moves.end(), [&](const SketchMove& other) {
            return other.from == move.from && other.to == move.to && other.axis == move.axis;
        });
        if (!known)
            sketch.moves.push_back(move);
    }
    return sketch;
}

int StepSketch::tensorAt(QPointF point) const
{
    const auto found = std::find_if(
        tensors.begin(), tensors.end(), [&](const SketchTensor& tensor) { return tensor.rect.contains(point); });
    return found == tensors.end() ? -1 : static_cast<int>(found - tensors.begin());
}

} // namespace shardscope
