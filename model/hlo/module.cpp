// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/module.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "stablehlo/scanner.h"

namespace shardscope {

namespace {

const HloAttribute* named(const HloModule& module, std::span<const HloAttribute> list, std::string_view wanted)
{
    const auto found = std::find_if(
        list.begin(), list.end(), [&](const HloAttribute& each) { return module.view(each.name) == wanted; });
    return found == list.end() ? nullptr : &*found;
}

void addLeaves(const HloModule& module, std::uint32_t shape, std::vector<std::uint32_t>& leaves)
{
    if (!module.shapes[shape].isTuple)
        leaves.push_back(shape);
    for (const std::uint32_t part : module.shapes[shape].parts)
        addLeaves(module, part, leaves);
}

} // namespace

const HloAttribute* HloModule::attribute(const HloInstruction& instruction, std::string_view wanted) const
{
    return named(*this, attributesOf(instruction), wanted);
}

const HloAttribute* HloModule::moduleAttribute(std::string_view wanted) const
{
    return named(*this, std::span(attributes).first(moduleAttributeCount), wanted);
}

std::uint32_t HloModule::computationNamed(std::string_view wanted) const
{
    if (wanted.starts_with('%'))
        wanted.remove_prefix(1);
    const auto found = std::lower_bound(byName.begin(), byName.end(), wanted,
        [&](std::uint32_t index, std::string_view name_) { return view(computations[index].name) < name_; });
    return found != byName.end() && view(computations[*found].name) == wanted ? *found : noHloIndex;
}

Where HloModule::placeOf(std::uint32_t offset) const
{
    return mlir::placeOf(text, offset);
}

std::int64_t byteCount(const HloModule& module, const HloShape& shape)
{
    std::int64_t bytes = 0;
    if (shape.isTuple) {
        for (const std::uint32_t part : shape.parts)
            bytes = saturatingSum(bytes, byteCount(module, module.shapes[part]));
        return bytes;
    }
    if (!isTensor(shape.dtype))
        return 0;
    bytes = byteSize(shape.dtype);
    for (const std::int64_t size : shape.sizes)
        bytes = saturatingProduct(bytes, size == dynamicSize ? std::numeric_limits<std::int64_t>::max() : size);
    return bytes;
}

std::vector<std::uint32_t> leavesOf(const HloModule& module, std::uint32_t shape)
{
    std::vector<std::uint32_t> leaves;
    addLeaves(module, shape, leaves);
    return leaves;
}

bool isCompiled(const HloModule& module)
{
    if (module.moduleAttribute("is_scheduled"))
        return true;
    const auto isPartitioned = [&](const HloComputation& computation) {
        return module.view(computation.name).ends_with("_spmd");
    };
    return std::any_of(module.computations.begin(), module.computations.end(), isPartitioned);
}

} // namespace shardscope
