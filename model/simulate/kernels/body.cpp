// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/body.h"

#include "program/body.h"
#include "program/calls.h"
#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace shardscope::kernels {

namespace {

class Translator {
public:
    Translator(const Program& program, Body& body)
        : m_program(program)
        , m_body(body)
    {
    }

    bool region(RegionId id, std::span<const std::uint32_t> arguments, std::vector<std::uint32_t>& results)
    {
        const Region& region = m_program.regions[id.index];
        for (std::size_t i = 0; i < region.arguments.size(); ++i)
            m_registers[region.arguments[i].index] = arguments[i];
        for (const OperationId operation : region.operations)
            if (!this->operation(operation))
                return false;
        for (const ValueId value : region.results)
            results.push_back(registerOf(value));
        return true;
    }
    std::uint32_t add(DType dtype)
    {
        m_body.registers.push_back({ dtype, {} });
        return static_cast<std::uint32_t>(m_body.registers.size() - 1);
    }
    std::optional<OperationId> refused;

private:
    std::uint32_t registerOf(ValueId value)
    {
        if (const auto found = m_registers.find(value.index); found != m_registers.end())
            return found->second;
        const std::uint32_t made = add(m_program.value(value).type.dtype);
        m_body.outside.emplace_back(value, made);
        m_registers[value.index] = made;
        return made;
    }

    bool operation(OperationId id)
    {
        const Operation& op = m_program.operation(id);
        const auto isScalar = [&](ValueId value) { return m_program.value(value).type.elementCount() == 1; };
        const bool scalars = std::all_of(op.operands.begin(), op.operands.end(), isScalar)
            && std::all_of(op.results.begin(), op.results.end(), isScalar);
        switch (op.kind) {
        case OpKind::Constant:
        case OpKind::ChloConstant:
        case OpKind::SdyConstant: {
            if (!scalars)
                break;
            const TensorType& type = m_program.value(op.results[0]).type;
            const Array value = constantArray(std::get<ConstantAttributes>(op.attributes), type);
            const std::uint32_t made = add(type.dtype);
            m_body.registers[made].constant.assign(value.data(), value.data() + value.elementBytes());
            m_registers[op.results[0].index] = made;
            return true;
        }
        case OpKind::Reshape:
        case OpKind::BroadcastInDim:
        case OpKind::ShardingConstraint:
        case OpKind::OptimizationBarrier:
            if (!scalars)
                break;
            for (std::size_t i = 0; i < op.results.size(); ++i)
                m_registers[op.results[i].index] = registerOf(op.operands[i]);
            return true;
        case OpKind::Call:
        case OpKind::Composite: {
            const std::string* name = calleeOf(op);
            const Function* callee = name ? m_program.function(*name) : nullptr;
            if (!callee || ++m_depth > 64)
                break;
            std::vector<std::uint32_t> arguments, results;
            for (const ValueId operand : op.operands)
                arguments.push_back(registerOf(operand));
            if (!region(callee->body, arguments, results))
                return false;
            for (std::size_t i = 0; i < op.results.size(); ++i)
                m_registers[op.results[i].index] = results[i];
            --m_depth;
            return true;
        }
        default: {
            const std::optional<ElementKernel> kernel = scalars ? elementKernel(m_program, op) : std::nullopt;
            if (!kernel)
                break;
            Body::Step step{ *kernel, {}, 0 };
            for (std::size_t i = 0; i < op.operands.size(); ++i)
                step.operands[i] = registerOf(op.operands[i]);
            step.result = add(m_program.value(op.results[0]).type.dtype);
            m_registers[op.results[0].index] = step.result;
            m_body.steps.push_back(step);
            return true;
        }
        }
        refused = id;
        return false;
    }

    const Program& m_program;
    Body& m_body;
    std::unordered_map<std::uint32_t, std::uint32_t> m_registers; ///< by value
    int m_depth = 0;
};

} // namespace

std::optional<Body> Body::translate(const Program& program, RegionId region, std::optional<OperationId>* refused)
{
    Body body;
    Translator translator(program, body);
    std::vector<std::uint32_t> arguments;
    for (const ValueId value : program.regions[region.index].arguments)
        arguments.push_back(translator.add(program.value(value).type.dtype));
    body.arguments = arguments.size();
    if (translator.region(region, arguments, body.results))
        return body;
    if (refused)
        *refused = translator.refused;
    return std::nullopt;
}

Body Body::ofKind(ReduceKind kind, std::span<const DType> types)
{
    Body body;
    body.arguments = 2 * types.size();
    for (std::size_t i = 0; i < 2 * types.size(); ++i)
        body.registers.push_back({ types[i % types.size()], {} });
    for (std::size_t i = 0; i < types.size(); ++i) {
        const std::array pair{ types[i], types[i] };
        const auto result = static_cast<std::uint32_t>(body.registers.size());
        body.registers.push_back({ types[i], {} });
        body.steps.push_back({ *elementKernel(combinerOf(kind), {}, pair, types[i]),
            { static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(types.size() + i), 0 }, result });
        body.results.push_back(result);
    }
    return body;
}

BodyRun::BodyRun(const Call& call, RegionId region)
    : m_body(*Body::translate(call.program, region))
{
    for (const auto& [value, place] : m_body.outside) {
        const Array& array = call.scope->at(value);
        m_body.registers[place].constant.assign(array.data(), array.data() + array.elementBytes());
    }
    prepare();
}

BodyRun::BodyRun(Body body)
    : m_body(std::move(body))
{
    prepare();
}

void BodyRun::prepare()
{
    m_single = m_body.steps.size() == 1 && m_body.results.size() == 1 && m_body.results[0] == m_body.steps[0].result;
    if (m_single)
        for (std::size_t i = 0; i < m_body.steps[0].kernel.operandCount; ++i)
            m_single = m_single && m_body.steps[0].operands[i] < m_body.arguments;
    m_memory.resize(m_body.registers.size());
    m_places.resize(m_body.registers.size());
    for (std::size_t r = m_body.arguments; r < m_body.registers.size(); ++r) {
        const Body::Register& own = m_body.registers[r];
        m_memory[r].resize(static_cast<std::size_t>(partLength * byteSize(own.dtype)));
        if (!own.constant.empty())
            fill(m_memory[r].data(), own.constant.data(), byteSize(own.dtype), partLength);
        m_places[r] = m_memory[r].data();
    }
}

void BodyRun::run(std::span<const std::byte* const> arguments, std::span<std::byte* const> results, std::int64_t count)
{
    if (m_single) {
        const Body::Step& step = m_body.steps[0];
        std::array<const std::byte*, 3> operands{};
        for (std::size_t i = 0; i < step.kernel.operandCount; ++i)
            operands[i] = arguments[step.operands[i]];
        step.kernel.run(operands.data(), results[0], count);
        return;
    }
    for (std::int64_t first = 0; first < count; first += partLength) {
        const std::int64_t n = std::min(partLength, count - first);
        for (std::size_t i = 0; i < m_body.arguments; ++i)
            m_places[i] = arguments[i] + first * byteSize(m_body.registers[i].dtype);
        for (const Body::Step& step : m_body.steps) {
            std::array<const std::byte*, 3> operands{};
            for (std::size_t i = 0; i < step.kernel.operandCount; ++i)
                operands[i] = m_places[step.operands[i]];
            step.kernel.run(operands.data(), m_memory[step.result].data(), n);
        }
        // A result may be an argument that another result overwrites.
        std::vector<std::vector<std::byte>> kept;
        for (std::size_t r = 0; r < results.size(); ++r) {
            const std::size_t place = m_body.results[r];
            const auto bytes = static_cast<std::size_t>(n * byteSize(m_body.registers[place].dtype));
            if (place < m_body.arguments && results.size() > 1)
                kept.emplace_back(m_places[place], m_places[place] + bytes);
        }
        for (std::size_t r = 0, k = 0; r < results.size(); ++r) {
            const std::size_t place = m_body.results[r];
            const std::int64_t bytes = byteSize(m_body.registers[place].dtype);
            const std::byte* source =
                place < m_body.arguments && results.size() > 1 ? kept[k++].data() : m_places[place];
            std::memmove(results[r] + first * bytes, source, static_cast<std::size_t>(n * bytes));
        }
    }
}

} // namespace shardscope::kernels
