// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/slices_in_place.h"

#include <algorithm>

#include "base/alignment.h"
#include "simulate/kernels/strided_copy.h"
#include "simulate/run/slots_used.h"

namespace shardscope {

namespace {

/// Whether a box of the array is an interval of it, and its first element aligned wherever the box begins.
bool isAlignedInterval(const TensorType& array, const Shape& box)
{
    const Shape strides = rowMajorStrides(array.shape);
    bool isWithinRow = false; // of a dimension of which the box has more than one element
    for (std::size_t d = 0; d < box.size(); ++d) {
        if (box[d] != array.shape[d]) {
            if (isWithinRow || strides[d] * byteSize(array.dtype) % memoryAlignment != 0)
                return false;
        }
        isWithinRow = isWithinRow || box[d] > 1;
    }
    return true;
}

} // namespace

bool isReadInPlace(const Plan& plan, std::uint32_t block, const Instruction& instruction)
{
    const auto* kernel = std::get_if<KernelInstruction>(&instruction.action);
    if (block == 0 || !kernel)
        return false;
    const Program& program = *plan.program->local;
    const Operation& operation = program.operation(kernel->operation);
    if (operation.kind != OpKind::DynamicSlice)
        return false;
    const SlotId array = instruction.operands[0], slice = instruction.results[0];
    if (!array.valid() || !slice.valid() || plan.slot(array).block == block || plan.slot(slice).block != block
        || !isAlignedInterval(
            program.value(operation.operands[0]).type, program.value(operation.results[0]).type.shape))
        return false;
    const std::vector<Instruction>& all = plan.instructionsOf(block);
    return std::all_of(all.begin(), all.end(), [&](const Instruction& other) {
        bool isUntouched = true;
        forEachSlot(plan, other, [&](SlotId slot, bool writes) {
            if (writes && (slot == array || (slot == slice && &other != &instruction)))
                isUntouched = false;
        });
        return isUntouched;
    });
}

} // namespace shardscope
