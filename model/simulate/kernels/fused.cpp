// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/fused.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

#include "base/codes.h"
#include "program/op_row.h"
#include "simulate/kernels/element.h"

namespace shardscope {

namespace {

constexpr std::int64_t cacheBytes = 24 * 1024; // of a 32 KiB L1, the rest is for what happens around
constexpr std::int64_t smallestBlock = 256;
constexpr std::int64_t largestBlock = 4096;
constexpr std::int64_t cacheLine = 64;
constexpr std::int64_t largestPeriod = 1024; // of what fills a block once for all
constexpr std::int64_t largeBytes = 512 * 1024; // of all streams: the L2 cache does not hold them from before

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

/// The same. What comes again is copied from where it has been written.
template <class T>
void fillPeriodically(const KernelSet& kernels, T* to, const std::byte* array,
    const SmallVector<FusedInstruction::Dimension, 4>& dimensions, std::int64_t period, std::int64_t begin,
    std::int64_t count)
{
    std::int64_t done = std::min(count, period);
    fillRepeated(kernels, to, array, dimensions, begin, done);
    for (std::int64_t next = done; done < count; done += next) {
        next = std::min(done, count - done); // all that there is: a multiple of the period
        std::memcpy(to + done, to, static_cast<std::size_t>(next) * sizeof(T));
    }
}

} // namespace

/// The steps of compile(), in the order of its calls.
class FusedKernel::Compiler {
public:
    Compiler(const FusedInstruction& instruction, const KernelSet& kernels)
        : m_instruction(instruction)
        , m_inputs(instruction.inputs.size())
        , m_registers(m_inputs + instruction.steps.size())
        , m_dtypes(m_registers)
        , m_scalar(m_registers)
        , m_lastRead(m_registers, -1)
        , m_direct(m_registers)
        , m_copied(m_registers)
        , m_buffers(m_registers, -1)
    {
        m_kernel.m_kernels = &kernels;
        m_kernel.m_elements = instruction.elements;
        m_kernel.m_places.resize(m_registers);
    }

    void placeInputs();
    Result<void> chooseFunctions();
    Result<void> placeOutputs();
    void shareBuffers();
    void chooseBlock();
    void layOutScratch();
    void matchPatterns();
    [[nodiscard]] FusedKernel take() { return std::move(m_kernel); }

private:
    [[nodiscard]] std::int16_t newBuffer(std::int64_t elementBytes);
    void takeBuffer(std::size_t r);
    /// Its buffer is nobody else's.
    [[nodiscard]] bool isFilledOnce(std::size_t r) const;
    [[nodiscard]] bool canWriteDirectly(const FusedInstruction::Output& output) const;

    const FusedInstruction& m_instruction;
    const std::size_t m_inputs, m_registers;
    FusedKernel m_kernel;
    // Per register.
    std::vector<DType> m_dtypes;
    std::vector<bool> m_scalar;
    std::vector<std::int32_t> m_lastRead; ///< the last step that reads it; -1: none
    std::vector<bool> m_direct; ///< written straight to the slot of an output
    std::vector<bool> m_copied; ///< copied to the slot of an output at the end of a block
    std::vector<std::int16_t> m_buffers; ///< number of its buffer in the scratch; -1: none
    std::vector<std::int16_t> m_freeBuffers;
    std::vector<std::int64_t> m_bufferBytes; ///< per buffer: bytes of an element
    std::int64_t m_blockMultiple = cacheLine; ///< blocks have a multiple of so many elements
};

void FusedKernel::Compiler::placeInputs()
{
    for (std::size_t r = 0; r < m_inputs; ++r) {
        const FusedInstruction::Input& input = m_instruction.inputs[r];
        Place& place = m_kernel.m_places[r];
        m_dtypes[r] = input.dtype;
        m_scalar[r] = input.scalar || !input.slot.valid();
        place.elementBytes = byteSize(input.dtype);
        place.moves = !m_scalar[r] && input.repeats.empty();
        if (!input.repeats.empty()) {
            place.kind = Place::Kind::BlockScratch;
        } else if (input.slot.valid()) {
            place.kind = Place::Kind::Slot;
            place.slot = input.slot.index;
            if (place.moves)
                m_kernel.m_streams.push_back(static_cast<std::int16_t>(r));
        } else {
            place.kind = Place::Kind::Constant;
            place.constant = constantBytes(input.constant, input.dtype);
        }
    }
}

/// Types, kernels, and the last step that reads each register.
Result<void> FusedKernel::Compiler::chooseFunctions()
{
    for (std::size_t s = 0; s < m_instruction.steps.size(); ++s) {
        const FusedInstruction::Step& source = m_instruction.steps[s];
        const std::size_t r = m_inputs + s;
        Step step;
        step.result = static_cast<std::int16_t>(r);
        step.operands = { source.a, source.b, source.c };
        const int count = operandCount(source);
        unsigned scalars = 0;
        bool allScalar = true;
        for (int o = 0; o < count; ++o) {
            const auto operand = static_cast<std::size_t>(step.operands[static_cast<std::size_t>(o)]);
            m_lastRead[operand] = static_cast<std::int32_t>(s);
            if (m_scalar[operand])
                scalars |= 1U << static_cast<unsigned>(o);
            else
                allScalar = false;
        }
        const auto typed = static_cast<std::size_t>(source.kind == OpKind::Select ? source.b : source.a);
        step.function = m_kernel.m_kernels->elementwise(
            { source.kind, source.comparison, m_dtypes[typed], source.dtype, allScalar ? 0 : scalars });
        if (step.function == nullptr)
            return fail(Code::NotExecutable, { { "op", opRow(source.kind).name } });
        step.scalar = allScalar;
        m_dtypes[r] = source.dtype;
        m_scalar[r] = allScalar;
        m_kernel.m_places[r].elementBytes = byteSize(source.dtype);
        (allScalar ? m_kernel.m_scalarSteps : m_kernel.m_steps).push_back(step);
    }
    return {};
}

/// Whether the output can be written as it is computed: it is the first one of a step's register, and no later step
/// reads an input with the same slot.
bool FusedKernel::Compiler::canWriteDirectly(const FusedInstruction::Output& output) const
{
    const auto r = static_cast<std::size_t>(output.reg);
    if (r < m_inputs || m_scalar[r] || m_direct[r])
        return false;
    for (std::size_t i = 0; i < m_inputs; ++i) {
        if (m_instruction.inputs[i].slot != output.slot)
            continue;
        const bool readLater = m_lastRead[i] > static_cast<std::int32_t>(r - m_inputs)
            || std::any_of(m_instruction.outputs.begin(), m_instruction.outputs.end(),
                [i](const FusedInstruction::Output& other) { return static_cast<std::size_t>(other.reg) == i; });
        if (readLater || m_scalar[i])
            return false;
    }
    return true;
}

Result<void> FusedKernel::Compiler::placeOutputs()
{
    for (const FusedInstruction::Output& output : m_instruction.outputs) {
        const auto r = static_cast<std::size_t>(output.reg);
        if (canWriteDirectly(output)) {
            m_direct[r] = true;
            m_kernel.m_places[r].kind = Place::Kind::Slot;
            m_kernel.m_places[r].slot = output.slot.index;
            m_kernel.m_places[r].moves = true;
            continue;
        }
        if (r < m_inputs && m_instruction.inputs[r].slot == output.slot)
            continue; // already there
        Copy copy{ output.slot.index, output.reg, byteSize(m_dtypes[r]), nullptr };
        if (m_scalar[r]) { // select(x, x) with a scalar x fills a block for want of a vector operand
            copy.spread =
                m_kernel.m_kernels->elementwise({ OpKind::Select, Comparison::Equal, m_dtypes[r], m_dtypes[r], 7 });
            if (copy.spread == nullptr)
                return fail(Code::NotExecutable, { { "op", "broadcast_in_dim" } });
        }
        m_copied[r] = true;
        m_kernel.m_copies.push_back(copy);
    }
    return {};
}

std::int16_t FusedKernel::Compiler::newBuffer(std::int64_t elementBytes)
{
    m_bufferBytes.push_back(elementBytes);
    return static_cast<std::int16_t>(m_bufferBytes.size() - 1);
}

bool FusedKernel::Compiler::isFilledOnce(std::size_t r) const
{
    return std::any_of(m_kernel.m_repeats.begin(), m_kernel.m_repeats.end(),
        [r](const Repeat& repeat) { return repeat.once && static_cast<std::size_t>(repeat.input) == r; });
}

void FusedKernel::Compiler::takeBuffer(std::size_t r)
{
    if (m_freeBuffers.empty())
        m_freeBuffers.push_back(newBuffer(0));
    m_buffers[r] = m_freeBuffers.back();
    m_freeBuffers.pop_back();
    std::int64_t& bytes = m_bufferBytes[static_cast<std::size_t>(m_buffers[r])];
    bytes = std::max(bytes, m_kernel.m_places[r].elementBytes);
}

/// Gives temporaries and repeated inputs buffers of the scratch, which others take over after the last step that reads
/// them.
void FusedKernel::Compiler::shareBuffers()
{
    std::int32_t number = 0;
    for (const Step& step : m_kernel.m_steps) {
        const auto r = static_cast<std::size_t>(step.result);
        for (const std::int16_t operand : step.operands) {
            const auto o = static_cast<std::size_t>(operand);
            if (operand < 0 || o >= m_inputs || m_instruction.inputs[o].repeats.empty() || m_buffers[o] >= 0)
                continue;
            const FusedInstruction::Input& input = m_instruction.inputs[o];
            Repeat repeat{ operand, number, input.slot.index, input.repeats };
            for (const FusedInstruction::Dimension& dimension : input.repeats)
                repeat.period *= dimension.extent;
            const std::int64_t common = std::lcm(m_blockMultiple, repeat.period);
            repeat.once = common <= largestPeriod;
            if (repeat.once) {
                m_blockMultiple = common;
                m_buffers[o] = newBuffer(m_kernel.m_places[o].elementBytes);
            } else
                takeBuffer(o);
            m_kernel.m_repeats.push_back(repeat);
        }
        ++number;
        if (!m_direct[r])
            takeBuffer(r);
        const auto s = static_cast<std::int32_t>(r - m_inputs);
        for (const std::int16_t operand : step.operands) {
            const auto o = static_cast<std::size_t>(operand);
            if (operand >= 0 && m_buffers[o] >= 0 && m_lastRead[o] == s && !m_copied[o] && !isFilledOnce(o)
                && std::find(m_freeBuffers.begin(), m_freeBuffers.end(), m_buffers[o]) == m_freeBuffers.end())
                m_freeBuffers.push_back(m_buffers[o]);
        }
        if (m_buffers[r] >= 0 && m_lastRead[r] < 0 && !m_copied[r])
            m_freeBuffers.push_back(m_buffers[r]); // nobody reads it
    }
}

/// The longest block of which inputs, direct outputs and buffers fit the cache together.
void FusedKernel::Compiler::chooseBlock()
{
    std::int64_t bytesPerElement = 0;
    for (const Place& place : m_kernel.m_places)
        if (place.kind == Place::Kind::Slot && place.moves)
            bytesPerElement += place.elementBytes;
    for (const std::int64_t bytes : m_bufferBytes)
        bytesPerElement += bytes;
    m_kernel.m_block = std::clamp(cacheBytes / std::max<std::int64_t>(bytesPerElement, 1), smallestBlock, largestBlock);
    m_kernel.m_block = std::max(m_kernel.m_block / m_blockMultiple, std::int64_t{ 1 }) * m_blockMultiple;
    std::int64_t streamBytes = 0;
    for (const std::int16_t stream : m_kernel.m_streams)
        streamBytes += m_kernel.m_elements * m_kernel.m_places[static_cast<std::size_t>(stream)].elementBytes;
    m_kernel.m_prefetches = streamBytes > largeBytes;
}

/// Buffers first, then 8 bytes for each scalar that a step computes, and for each register where it begins.
void FusedKernel::Compiler::layOutScratch()
{
    std::vector<std::int64_t> bufferOffsets;
    std::int64_t offset = 0;
    for (const std::int64_t bytes : m_bufferBytes) {
        bufferOffsets.push_back(offset);
        offset += bytes * m_kernel.m_block;
    }
    for (std::size_t r = 0; r < m_registers; ++r) {
        Place& place = m_kernel.m_places[r];
        if (r >= m_inputs && m_scalar[r]) {
            place.kind = Place::Kind::ScalarScratch;
            place.offset = offset;
            offset += 8;
        } else if (m_buffers[r] >= 0)
            place.offset = bufferOffsets[static_cast<std::size_t>(m_buffers[r])];
    }
    m_kernel.m_beginsOffset = offset;
    m_kernel.m_scratchBytes = offset + static_cast<std::int64_t>(m_registers * sizeof(std::byte*));
}

/// Finds out whether the instruction is an update of Adam, which has a kernel of its own.
void FusedKernel::Compiler::matchPatterns()
{
    if (std::any_of(m_instruction.inputs.begin(), m_instruction.inputs.end(),
            [](const FusedInstruction::Input& input) { return !input.repeats.empty(); }))
        return;
    m_kernel.m_adam = matchAdam(m_instruction, m_scalar);
    if (!m_kernel.m_adam)
        return;
    const std::array<std::int16_t, 3> made = { m_kernel.m_adam->newMu, m_kernel.m_adam->newNu,
        m_kernel.m_adam->newParameter };
    for (const FusedInstruction::Output& output : m_instruction.outputs)
        for (std::size_t i = 0; i < made.size(); ++i)
            if (output.reg == made[i])
                m_kernel.m_adamOutputs[i] = output.slot.index;
}

Result<FusedKernel> FusedKernel::compile(const FusedInstruction& instruction, const KernelSet& kernels, bool specialise)
{
    Compiler compiler(instruction, kernels);
    compiler.placeInputs();
    SHARDSCOPE_CHECK(compiler.chooseFunctions());
    SHARDSCOPE_CHECK(compiler.placeOutputs());
    compiler.shareBuffers();
    compiler.chooseBlock();
    compiler.layOutScratch();
    if (specialise)
        compiler.matchPatterns();
    return compiler.take();
}

const std::byte* FusedKernel::begin(const Place& place, const Memory& memory)
{
    switch (place.kind) {
    case Place::Kind::Slot:
        if (place.slot == memory.standIn.slot && place.moves)
            return memory.standIn.data - memory.standIn.first * place.elementBytes;
        return memory.slots[place.slot];
    case Place::Kind::Constant:
        return place.constant.data();
    case Place::Kind::ScalarScratch:
    case Place::Kind::BlockScratch:
        break;
    }
    return memory.scratch + place.offset;
}

template <class T>
void FusedKernel::runAdam(const Memory& memory, std::int64_t begin, std::int64_t end) const
{
    const auto at = [&](std::int16_t r) { return reinterpret_cast<const T*>(address(r, memory, begin)); };
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
    operands.following = m_elements - end;
    operands.gradientIsCached = m_places[static_cast<std::size_t>(r.gradient)].slot == memory.standIn.slot;
    if (!memory.gradient)
        return m_kernels->adam<T>().update(operands, end - begin);
    const GradientRows& gradient = *memory.gradient;
    std::array<FewTermsOperands<T>, 2> of;
    for (std::size_t i = 0; i < gradient.count; ++i)
        of[i] = gradient.product->rowsOf<T>(gradient.operands[i], gradient.first);
    m_kernels->adam<T>().updateByProducts(operands, of.data(), static_cast<std::int64_t>(gradient.count), gradient.rows,
        gradient.product->columnCount(), gradient.product->termCount());
}

void FusedKernel::fill(const Repeat& repeat, const Memory& memory, std::int64_t element, std::int64_t count) const
{
    std::byte* to = address(repeat.input, memory, element);
    const std::byte* from = memory.slots[repeat.slot];
    const auto typed = [&](auto zero) {
        fillPeriodically(
            *m_kernels, reinterpret_cast<decltype(zero)*>(to), from, repeat.dimensions, repeat.period, element, count);
    };
    switch (m_places[static_cast<std::size_t>(repeat.input)].elementBytes) {
    case 8:
        return typed(std::uint64_t{});
    case 4:
        return typed(std::uint32_t{});
    case 2:
        return typed(std::uint16_t{});
    default:
        return typed(std::uint8_t{});
    }
}

void FusedKernel::execute(const Step& step, const Memory& memory, std::int64_t element, std::int64_t count) const
{
    const auto operand = [&](std::size_t o) -> const std::byte* {
        return step.operands[o] < 0 ? nullptr : address(step.operands[o], memory, element);
    };
    step.function(address(step.result, memory, element), operand(0), operand(1), operand(2), count);
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
        runElements({ slots, scratch, {}, nullptr, nullptr }, begin, end);
}

void FusedKernel::runRange(
    std::byte* const* slots, std::byte* scratch, std::int64_t begin, std::int64_t end, const StandIn& standIn) const
{
    runElements({ slots, scratch, standIn, nullptr, nullptr }, begin, end);
}

bool FusedKernel::takesGradient(SlotId slot) const
{
    const auto isSlot = [&](std::int16_t r) {
        const Place& place = m_places[static_cast<std::size_t>(r)];
        return place.kind == Place::Kind::Slot && place.slot == slot.index;
    };
    return m_adam && isSlot(m_adam->gradient) && !isSlot(m_adam->mu) && !isSlot(m_adam->nu)
        && !isSlot(m_adam->parameter);
}

void FusedKernel::runRows(std::byte* const* slots, std::byte* scratch, const GradientRows& gradient) const
{
    assert(m_adam);
    const std::int64_t columns = gradient.product->columnCount();
    runElements({ slots, scratch, {}, nullptr, &gradient }, gradient.first * columns,
        (gradient.first + gradient.rows) * columns);
}

void FusedKernel::runElements(const Memory& withoutBegins, std::int64_t begin, std::int64_t end) const
{
    Memory memory = withoutBegins;
    memory.begins = reinterpret_cast<std::byte**>(memory.scratch + m_beginsOffset);
    for (std::size_t r = 0; r < m_places.size(); ++r) // results are slots or scratch of ours: writable
        memory.begins[r] = const_cast<std::byte*>(FusedKernel::begin(m_places[r], memory));
    for (const Step& step : m_scalarSteps)
        execute(step, memory, 0, 1);
    if (!m_adam)
        runBlocks(memory, begin, end);
    else if (m_places[static_cast<std::size_t>(m_adam->gradient)].elementBytes == sizeof(float))
        runAdam<float>(memory, begin, end);
    else
        runAdam<double>(memory, begin, end);
}

/// One of the parts in which a block that begins at `element` comes into the L2 cache.
void FusedKernel::prefetch(const Memory& memory, std::int64_t element, std::int64_t part, std::int64_t parts) const
{
    const std::int64_t lines = m_block * 4 / cacheLine; // of a stream of four-byte elements
    const std::int64_t from = lines * part / parts;
    const std::int64_t to = lines * (part + 1) / parts;
    for (const std::int16_t stream : m_streams) {
        const std::byte* next = address(stream, memory, element);
        const std::int64_t lineBytes = m_places[static_cast<std::size_t>(stream)].elementBytes * cacheLine / 4;
        for (std::int64_t byte = from * lineBytes; byte < to * lineBytes; byte += cacheLine)
            __builtin_prefetch(next + byte, 0, 2);
    }
}

void FusedKernel::runBlocks(const Memory& memory, std::int64_t first, std::int64_t end) const
{
    for (const Repeat& repeat : m_repeats)
        if (repeat.once)
            fill(repeat, memory, first, std::min(m_block, end - first));
    const auto steps = static_cast<std::int64_t>(m_steps.size());
    for (std::int64_t begin = first; begin < end; begin += m_block) {
        const std::int64_t count = std::min(m_block, end - begin);
        const bool prefetches = m_prefetches && begin + 2 * m_block <= end;
        auto repeat = m_repeats.begin();
        for (std::int64_t s = 0; s < steps; ++s) {
            for (; repeat != m_repeats.end() && repeat->before == s; ++repeat)
                if (!repeat->once)
                    fill(*repeat, memory, begin, count);
            if (prefetches) // the next block while this one is worked on, some lines before each step
                prefetch(memory, begin + m_block, s, steps);
            execute(m_steps[static_cast<std::size_t>(s)], memory, begin, count);
        }
        for (const Copy& copy : m_copies) {
            const std::byte* source = address(copy.source, memory, begin);
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
