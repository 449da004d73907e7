// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/check_plan.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "simulate/check/check.h"

namespace shardscope {

CheckPlan::CheckPlan(const Program& program)
    : links(checkedValues(program))
{
    single = std::any_of(program.values.begin(), program.values.end(),
        [](const Value& value) { return value.type.dtype == DType::F32; });
    std::vector<ValueId> gradients;
    std::unordered_map<std::string_view, ValueId> gradientAt;
    std::vector<ValueId> targets; // of a reference that goes its own way
    std::vector<bool> isLink(program.values.size());
    for (const ValueId link : links) {
        isLink[link.index] = true;
        const Role role = program.value(link).role;
        if (role == Role::Gradient) {
            gradients.push_back(link);
            gradientAt.emplace(program.value(link).path, link);
        }
        if (!single || role == Role::Gradient || role == Role::Loss)
            targets.push_back(link);
    }
    ReferenceScheduler fromGradients(program, gradients);
    ReferenceScheduler fromLinks(program, links);
    for (const StatePair& pair : program.state) {
        const ValueId result = program.main().results[pair.result];
        if (isLink[result.index])
            continue;
        state.push_back({ pair.argument, result, pair.result, {}, {}, {} });
        if (!single) {
            targets.push_back(result);
            continue;
        }
        const Value& old = program.value(pair.argument);
        if (old.role == Role::Parameter) {
            state.back().fromGradients = fromGradients.to({ &result, 1 });
            const auto gradient = gradientAt.find("grad(" + old.path + ')');
            if (gradient != gradientAt.end() && old.type.dtype == DType::F32
                && program.value(gradient->second).type == old.type)
                state.back().gradient = gradient->second;
        }
        state.back().fromLinks = fromLinks.to({ &result, 1 });
    }
    alone = referenceSchedule(program, {}, targets);
    if (single)
        linkByLink = referenceSchedule(program, {}, links);
}

double CheckPlan::bytes(const Program& program) const
{
    const auto bytesOf = [&](ValueId value) {
        return 8 * static_cast<double>(program.value(value).type.elementCount());
    };
    double largest = 0;
    for (std::size_t v = 0; v < program.values.size(); ++v)
        largest = std::max(largest, bytesOf(ValueId(v)));
    double optimizer = 0;
    double parameters = 0; // of a reference that goes its own way
    double gradients = 0; // from link to link, and their bounds
    for (const State& one : state) {
        optimizer = std::max({ optimizer, one.fromGradients.peakBytes, one.fromLinks.peakBytes });
        if (program.value(one.argument).role == Role::Parameter)
            parameters += bytesOf(one.argument);
        if (one.gradient.valid())
            gradients += 2 * bytesOf(one.gradient);
    }
    // Magnitudes follow the values on the way to a link. Besides there are arrays gathered, tolerances, and the
    // absolute values and offsets that one operation takes.
    return argumentBytes(program) + alone.peakBytes + 2 * linkByLink.peakBytes + parameters + gradients + optimizer
        + 8 * largest;
}

} // namespace shardscope
