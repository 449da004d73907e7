// SPDX-License-Identifier: GPL-3.0-or-later
// gather and scatter of any element types and bodies.
// Declared in call.h.
#include <cstring>

#include "simulate/kernels/body.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/indexed_slices.h"
#include "simulate/kernels/position.h"

namespace shardscope::kernels {

namespace {

Arrays gather(const Call& call)
{
    const Array &operand = call.operands[0], &indices = call.operands[1];
    Array result = Array::make(call.type());
    Gather(call.own<GatherAttributes>(), operand.type, indices.type, result.type)
        .run(result.data(), operand.data(), indices);
    return { result };
}

Arrays scatter(const Call& call)
{
    const std::size_t count = call.operation.results.size();
    Arrays results;
    for (std::size_t i = 0; i < count; ++i) {
        results.push_back(Array::make(call.type(i)));
        if (results[i].count() > 0)
            std::memcpy(results[i].data(), call.operands[i].data(), at(results[i].type.byteCount()));
    }
    const Array& indices = call.operands[count];
    const std::span<const Array> updates = call.operands.subspan(count + 1);
    BodyRun body(call, call.operation.regions[0]);
    std::vector<const std::byte*> bodyOperands(2 * count);
    std::vector<std::byte*> put(count);
    const Scatter scatter(call.own<ScatterAttributes>(), results[0].type, indices.type, updates[0].type);
    scatter.forEachRun(indices, [&](std::int64_t target, std::int64_t source, std::int64_t length) {
        for (std::size_t i = 0; i < count; ++i) {
            put[i] = results[i].data() + target * results[i].elementBytes();
            bodyOperands[i] = put[i];
            bodyOperands[count + i] = updates[i].data() + source * updates[i].elementBytes();
        }
        body.run(bodyOperands, put, length);
    });
    return results;
}

} // namespace

Evaluate indexingEvaluator(OpKind kind)
{
    switch (kind) {
    case OpKind::Gather:
        return gather;
    case OpKind::Scatter:
        return scatter;
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
