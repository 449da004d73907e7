// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/scan.h"

#include "program/stacks.h"

namespace shardscope {

Scanned scan(Builder& builder, std::int64_t trips, std::span<const ValueId> initial, std::span<const ValueId> stacked,
    const TripBody& body)
{
    const TensorType counter{ DType::I32, {} };
    const std::string scope = builder.scope();
    const RegionId around = builder.region();
    std::vector<ValueId> carried{ builder.constant(counter, 0) };
    carried.insert(carried.end(), initial.begin(), initial.end());

    std::vector<ValueId> outputs;
    ValueId index;
    const auto goesOn = [&](Builder& b, std::span<const ValueId> arguments) {
        const ValueId bound = b.constant(counter, static_cast<double>(trips));
        return std::vector{ b.compare(Comparison::Less, arguments[0], bound) };
    };
    const auto step = [&](Builder& b, std::span<const ValueId> arguments) {
        index = arguments[0];
        std::vector<ValueId> inputs;
        for (const ValueId stack : stacked)
            inputs.push_back(sliceAt(b, stack, index));
        TripResults made = body(b, { index, arguments.subspan(1), inputs });
        outputs = std::move(made.outputs);
        b.setScope(scope);
        std::vector<ValueId> next{ b.binary(OpKind::Add, index, b.constant(counter, 1)) };
        next.insert(next.end(), made.carried.begin(), made.carried.end());
        return next;
    };
    const std::vector<ValueId> results = builder.loop(carried, goesOn, step);

    Scanned scanned{ { results.begin() + 1, results.end() }, {}, builder.program().value(results[0]).definition };
    for (const ValueId output : outputs)
        scanned.stacked.push_back(stackOf(builder, scanned.loop, around, output, index, trips));
    builder.carryOutside(scanned.loop);
    return scanned;
}

} // namespace shardscope
