// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/fused.h"

#include <algorithm>
#include <cstring>

#include "base/codes.h"
#include "program/op_row.h"
#include "simulate/kernels/element.h"

namespace shardscope {

namespace {

constexpr std::int64_t cacheBytes = 24 * 1024; // of a 32 KiB L1, the rest is for what happens around
constexpr std::int64_t smallestBlock = 256;
constexpr std::int64_t largestBlock = 4096;
constexpr std::int64_t cacheLine = 64;

std::array<std::byte, 8> constantBytes(double value, DType dtype)
{
    std::array<std::byte, 8> bytes{};
    storeElement(dtype, bytes.data(), 0, value);
    return bytes;
}

int operandCount(const FusedInstruction::Step& step)
{
    return step.b < 0 ? 1 : step.c < 0 ? 2 : 3;
}

template <class T>
void copyRun(T* to, const T* from, std::int64_t count)
{
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes == 16) // lengths that take less time than a call
        std::memcpy(to, from, 16);
    else if (bytes == 32)
        std::memcpy(to, from, 32);
    else if (bytes == 64)
        std::memcpy(to, from, 64);
    else
        std::memcpy(to, from, bytes);
}

/// Elements `begin` to `begin + count` of an array that is read by these dimensions, in turn.
template <class T>
void fillRepeated(const KernelSet& kernels, T* to, const std::byte* array,
    const SmallVector<FusedInstruction::Dimension, 4>& dimensions, std::int64_t begin, std::int64_t count)
{
    using Dimension = FusedInstruction::Dimension;
    const std::size_t last = dimensions.size() - 1;
    std::array<Dimension, 4> dims{};
    std::array<std::int64_t, 4> index{};
    const T* from = reinterpret_cast<const T*>(array);
    for (std::size_t d = dimensions.size(); d-- > 0; begin /= dims[d].extent) {
        dims[d] = dimensions[d];
        index[d] = begin % dims[d].extent;
        from += index[d] * dims[d].stride;
    }
    const Dimension columns = dims[last];
    const bool eachSeveralTimes = last > 0 && columns.stride == 0 && dims[last - 1].stride == 1;
    for (std::int64_t column = index[last]; count > 0; column = 0) {
        std::int64_t rows = 1; // that are complete
        if (eachSeveralTimes && column == 0 && count >= columns.extent) {
            rows = std::min(count / columns.extent, dims[last - 1].extent - index[last - 1]);
            kernels.repeatEach(to, from, rows, columns.extent, static_cast<std::int64_t>(sizeof(T)));
            to += rows * columns.extent;
            count -= rows * columns.extent;
        } else {
            const std::int64_t run = std::min(columns.extent - column, count);
            if (columns.stride == 0)
                std::fill_n(to, run, *from);
            else
                copyRun(to, from, run);
            to += run;
            count -= run;
        }
        from -= column * columns.stride;
        for (std::size_t d = last; d-- > 0; rows = 1) {
            from += rows * dims[d].stride;
            index[d] += rows;
            if (index[d] < dims[d].extent)
                break;
            index[d] = 0;
            from -= dims[d].extent * dims[d].stride;
        }
    }
}

} // namespace

Result<FusedKernel> FusedKernel::compile(const FusedInstruction& instruction, const KernelSet& kernels, bool specialise)
{
    FusedKernel kernel;
    kernel.m_kernels = &kernels;
    kernel.m_elements = instruction.elements;
    const std::size_t inputs = instruction.inputs.size();
    const std::size_t registers = inputs + instruction.steps.size();
    std::vector<DType> dtypes(registers);
    std::vector<bool> scalar(registers);
    kernel.m_places.resize(registers);

    for (std::size_t r = 0; r < inputs; ++r) {
        const FusedInstruction::Input& input = instruction.inputs[r];
        Place& place = kernel.m_places[r];
        dtypes[r] = input.dtype;
        scalar[r] = input.scalar || !input.slot.valid();
        place.elementBytes = byteSize(input.dtype);
        place.moves = !scalar[r] && input.repeats.empty();
        if (!input.repeats.empty()) {
            place.kind = Place::Kind::BlockScratch;
            specialise = false;
        } else if (input.slot.valid()) {
            place.kind = Place::Kind::Slot;
            place.slot = input.slot.index;
            if (place.moves)
                kernel.m_streams.push_back(static_cast<std::int16_t>(r));
        } else {
            place.kind = Place::Kind::Constant;
            place.constant = constantBytes(input.constant, input.dtype);
        }
    }

    // Types, kernels, and the last step that reads each register.
    std::vector<std::int32_t> lastRead(registers, -1);
    for (std::size_t s = 0; s < instruction.steps.size(); ++s) {
        const FusedInstruction::Step& source = instruction.steps[s];
        const std::size_t r = inputs + s;
        Step step;
        step.result = static_cast<std::int16_t>(r);
        step.operands = { source.a, source.b, source.c };
        const int count = operandCount(source);
        unsigned scalars = 0;
        bool allScalar = true;
        for (int o = 0; o < count; ++o) {
            const auto operand = static_cast<std::size_t>(step.operands[static_cast<std::size_t>(o)]);
            lastRead[operand] = static_cast<std::int32_t>(s);
            if (scalar[operand])
                scalars |= 1U << static_cast<unsigned>(o);
            else
                allScalar = false;
        }
        const auto typed = static_cast<std::size_t>(source.kind == OpKind::Select ? source.b : source.a);
        step.function = kernels.elementwise(
            { source.kind, source.comparison, dtypes[typed], source.dtype, allScalar ? 0 : scalars });
        if (step.function == nullptr)
            return fail(Code::NotExecutable, { { "op", opRow(source.kind).name } });
        step.scalar = allScalar;
        dtypes[r] = source.dtype;
        scalar[r] = allScalar;
        kernel.m_places[r].elementBytes = byteSize(source.dtype);
        (allScalar ? kernel.m_scalarSteps : kernel.m_steps).push_back(step);
    }

    // Outputs: the first output of a step's register is written directly where that is safe.
    std::vector<bool> direct(registers, false);
    std::vector<bool> copied(registers, false);
    for (const FusedInstruction::Output& output : instruction.outputs) {
        const auto r = static_cast<std::size_t>(output.reg);
        bool safe = r >= inputs && !scalar[r] && !direct[r];
        for (std::size_t i = 0; i < inputs; ++i) {
            if (instruction.inputs[i].slot != output.slot)
                continue;
            const bool readLater = lastRead[i] > static_cast<std::int32_t>(r - inputs)
                || std::any_of(instruction.outputs.begin(), instruction.outputs.end(),
                    [i](const FusedInstruction::Output& other) { return static_cast<std::size_t>(other.reg) == i; });
            safe = safe && !readLater && !scalar[i];
        }
        if (safe) {
            direct[r] = true;
            kernel.m_places[r].kind = Place::Kind::Slot;
            kernel.m_places[r].slot = output.slot.index;
            kernel.m_places[r].moves = true;
            continue;
        }
        if (r < inputs && instruction.inputs[r].slot == output.slot)
            continue; // already there
        Copy copy{ output.slot.index, output.reg, byteSize(dtypes[r]), nullptr };
        if (scalar[r]) { // select(x, x) with a scalar x fills a block for want of a vector operand
            copy.spread = kernels.elementwise({ OpKind::Select, Comparison::Equal, dtypes[r], dtypes[r], 7 });
            if (copy.spread == nullptr)
                return fail(Code::NotExecutable, { { "op", "broadcast_in_dim" } });
        }
        copied[r] = true;
        kernel.m_copies.push_back(copy);
    }

    // The block is as long as its inputs, direct outputs and temporaries fit the cache together. Temporaries share
    // scratch once their last reader is through.
    std::vector<std::int16_t> buffers(registers, -1);
    std::vector<std::int16_t> freeBuffers;
    std::vector<std::int64_t> bufferBytes;
    const auto takeBuffer = [&](std::size_t r) {
        if (freeBuffers.empty()) {
            freeBuffers.push_back(static_cast<std::int16_t>(bufferBytes.size()));
            bufferBytes.push_back(0);
        }
        buffers[r] = freeBuffers.back();
        freeBuffers.pop_back();
        std::int64_t& bytes = bufferBytes[static_cast<std::size_t>(buffers[r])];
        bytes = std::max(bytes, kernel.m_places[r].elementBytes);
    };
    std::int32_t number = 0;
    for (const Step& step : kernel.m_steps) {
        const auto r = static_cast<std::size_t>(step.result);
        for (const std::int16_t operand : step.operands) {
            const auto o = static_cast<std::size_t>(operand);
            if (operand < 0 || o >= inputs || instruction.inputs[o].repeats.empty() || buffers[o] >= 0)
                continue;
            takeBuffer(o);
            kernel.m_repeats.push_back(
                { operand, number, instruction.inputs[o].slot.index, instruction.inputs[o].repeats });
        }
        ++number;
        if (!direct[r])
            takeBuffer(r);
        const auto s = static_cast<std::int32_t>(r - inputs);
        for (const std::int16_t operand : step.operands) {
            const auto o = static_cast<std::size_t>(operand);
            if (operand >= 0 && buffers[o] >= 0 && lastRead[o] == s && !copied[o]
                && std::find(freeBuffers.begin(), freeBuffers.end(), buffers[o]) == freeBuffers.end())
                freeBuffers.push_back(buffers[o]);
        }
        if (buffers[r] >= 0 && lastRead[r] < 0 && !copied[r])
            freeBuffers.push_back(buffers[r]); // nobody reads it
    }
    std::int64_t bytesPerElement = 0;
    for (std::size_t r = 0; r < registers; ++r)
        if (kernel.m_places[r].kind == Place::Kind::Slot && kernel.m_places[r].moves)
            bytesPerElement += kernel.m_places[r].elementBytes;
    for (const std::int64_t bytes : bufferBytes)
        bytesPerElement += bytes;
    kernel.m_block = std::clamp(
        cacheBytes / std::max<std::int64_t>(bytesPerElement, 1) / cacheLine * cacheLine, smallestBlock, largestBlock);

    std::vector<std::int64_t> bufferOffsets;
    std::int64_t offset = 0;
    for (const std::int64_t bytes : bufferBytes) {
        bufferOffsets.push_back(offset);
        offset += bytes * kernel.m_block;
    }
    for (std::size_t r = 0; r < registers; ++r) {
        Place& place = kernel.m_places[r];
        if (r >= inputs && scalar[r]) {
            place.kind = Place::Kind::ScalarScratch;
            place.offset = offset;
            offset += 8;
        } else if (buffers[r] >= 0)
            place.offset = bufferOffsets[static_cast<std::size_t>(buffers[r])];
    }
    kernel.m_scratchBytes = offset;
    if (specialise)
        kernel.m_adam = matchAdam(instruction, scalar);
    if (kernel.m_adam) {
        const std::array<std::int16_t, 3> made = { kernel.m_adam->newMu, kernel.m_adam->newNu,
            kernel.m_adam->newParameter };
        for (const FusedInstruction::Output& output : instruction.outputs)
            for (std::size_t i = 0; i < made.size(); ++i)
                if (output.reg == made[i])
                    kernel.m_adamOutputs[i] = output.slot.index;
    }
    return kernel;
}

const std::byte* FusedKernel::address(const Place& place, const Memory& memory, std::int64_t element)
{
    switch (place.kind) {
    case Place::Kind::Slot:
        if (place.slot == memory.standIn.slot && place.moves)
            return memory.standIn.data + (element - memory.standIn.first) * place.elementBytes;
        return memory.slots[place.slot] + (place.moves ? element * place.elementBytes : 0);
    case Place::Kind::Constant:
        return place.constant.data();
    case Place::Kind::ScalarScratch:
    case Place::Kind::BlockScratch:
        break;
    }
    return memory.scratch + place.offset;
}

template <class T>
void FusedKernel::runAdam(const Memory& memory, std::int64_t begin, std::int64_t end, std::int64_t ahead) const
{
    const auto at = [&](std::int16_t r) {
        return reinterpret_cast<const T*>(address(m_places[static_cast<std::size_t>(r)], memory, begin));
    };
    const auto result = [&](std::size_t i) { return reinterpret_cast<T*>(memory.slots[m_adamOutputs[i]]) + begin; };
    const AdamRegisters& r = *m_adam;
    AdamOperands<T> operands;
    operands.gradient = at(r.gradient);
    operands.mu = at(r.mu);
    operands.nu = at(r.nu);
    operands.parameter = at(r.parameter);
    operands.newMu = result(0);
    operands.newNu = result(1);
    operands.newParameter = result(2);
    operands.muDecay = *at(r.muDecay);
    operands.muGain = *at(r.muGain);
    operands.nuDecay = *at(r.nuDecay);
    operands.nuGain = *at(r.nuGain);
    operands.scale = *at(r.scale);
    operands.epsilon = *at(r.epsilon);
    operands.step = *at(r.step);
    if (ahead > 0)
        operands.ahead = ahead;
    if constexpr (sizeof(T) == sizeof(float))
        m_kernels->adamF32(operands, end - begin);
    else
        m_kernels->adamF64(operands, end - begin);
}

void FusedKernel::fill(const Repeat& repeat, const Memory& memory, std::int64_t element, std::int64_t count) const
{
    const Place& place = m_places[static_cast<std::size_t>(repeat.input)];
    std::byte* to = memory.scratch + place.offset;
    const std::byte* from = memory.slots[repeat.slot];
    if (place.elementBytes == 4)
        fillRepeated(*m_kernels, reinterpret_cast<std::uint32_t*>(to), from, repeat.dimensions, element, count);
    else if (place.elementBytes == 8)
        fillRepeated(*m_kernels, reinterpret_cast<std::uint64_t*>(to), from, repeat.dimensions, element, count);
    else if (place.elementBytes == 2)
        fillRepeated(*m_kernels, reinterpret_cast<std::uint16_t*>(to), from, repeat.dimensions, element, count);
    else
        fillRepeated(*m_kernels, reinterpret_cast<std::uint8_t*>(to), from, repeat.dimensions, element, count);
}

void FusedKernel::execute(const Step& step, const Memory& memory, std::int64_t element, std::int64_t count) const
{
    const auto operand = [&](std::size_t o) -> const std::byte* {
        const std::int16_t r = step.operands[o];
        return r < 0 ? nullptr : address(m_places[static_cast<std::size_t>(r)], memory, element);
    };
    // Results are slots or scratch of ours: writable.
    auto* result = const_cast<std::byte*>(address(m_places[static_cast<std::size_t>(step.result)], memory, element));
    step.function(result, operand(0), operand(1), operand(2), count);
}

void FusedKernel::run(std::byte* const* slots, std::byte* scratch, WorkShare share) const
{
    // Parts begin at whole cache lines of the smallest element type.
    const auto boundary = [&](std::int32_t part) {
        return part == share.parts ? m_elements : m_elements * part / share.parts / cacheLine * cacheLine;
    };
    const std::int64_t begin = boundary(share.part);
    const std::int64_t end = boundary(share.part + 1);
    if (begin < end)
        runElements({ slots, scratch, {} }, begin, end, 0);
}

void FusedKernel::runRange(
    std::byte* const* slots, std::byte* scratch, std::int64_t begin, std::int64_t end, const StandIn& standIn) const
{
    runElements({ slots, scratch, standIn }, begin, end, end - begin);
}

void FusedKernel::runElements(const Memory& memory, std::int64_t begin, std::int64_t end, std::int64_t ahead) const
{
    for (const Step& step : m_scalarSteps)
        execute(step, memory, 0, 1);
    if (!m_adam)
        runBlocks(memory, begin, end);
    else if (m_places[static_cast<std::size_t>(m_adam->gradient)].elementBytes == sizeof(float))
        runAdam<float>(memory, begin, end, ahead);
    else
        runAdam<double>(memory, begin, end, ahead);
}

void FusedKernel::runBlocks(const Memory& memory, std::int64_t first, std::int64_t end) const
{
    const std::int64_t lines = m_block * 4 / cacheLine; // of a stream of four-byte elements
    for (std::int64_t begin = first; begin < end; begin += m_block) {
        const std::int64_t count = std::min(m_block, end - begin);
        // The next block comes into the L2 cache while this one is worked on, some lines before each step.
        const auto steps = static_cast<std::int64_t>(m_steps.size());
        auto repeat = m_repeats.begin();
        for (std::int64_t s = 0; s < steps; ++s) {
            for (; repeat != m_repeats.end() && repeat->before == s; ++repeat)
                fill(*repeat, memory, begin, count);
            if (begin + 2 * m_block <= end) {
                const std::int64_t from = lines * s / steps;
                const std::int64_t to = lines * (s + 1) / steps;
                for (const std::int16_t stream : m_streams) {
                    const Place& place = m_places[static_cast<std::size_t>(stream)];
                    const std::byte* next = address(place, memory, begin + m_block);
                    const std::int64_t lineBytes = place.elementBytes * cacheLine / 4;
                    for (std::int64_t l = from; l < to; ++l)
                        for (std::int64_t byte = 0; byte < lineBytes; byte += cacheLine)
                            __builtin_prefetch(next + l * lineBytes + byte, 0, 2);
                }
            }
            execute(m_steps[static_cast<std::size_t>(s)], memory, begin, count);
        }
        for (const Copy& copy : m_copies) {
            const std::byte* source = address(m_places[static_cast<std::size_t>(copy.source)], memory, begin);
            std::byte* target = memory.slots[copy.slot] + begin * copy.elementBytes;
            if (copy.spread != nullptr) {
                const std::uint8_t yes = 1;
                copy.spread(target, &yes, source, source, count);
            } else
                std::memcpy(target, source, static_cast<std::size_t>(count * copy.elementBytes));
        }
    }
}

} // namespace shardscope
