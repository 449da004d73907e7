// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to make a run go wrong: programs that compute something else, and memory that is changed behind its back.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "simulate/check/check.h"
#include "simulate/mlp_plan.h"

namespace shardscope::test {

/// A run whose memory somebody changes after every step.
class FaultyRun final : public Run {
public:
    FaultyRun(std::unique_ptr<Run> run, std::function<void(Run&)> afterStep)
        : m_run(std::move(run))
        , m_afterStep(std::move(afterStep))
    {
    }
    void reset() override { m_run->reset(); }
    const StepTiming& step() override
    {
        const StepTiming& timing = m_run->step();
        m_afterStep(*m_run);
        return timing;
    }
    [[nodiscard]] bool stopped() const override { return m_run->stopped(); }
    [[nodiscard]] std::int64_t stepsDone() const override { return m_run->stepsDone(); }
    [[nodiscard]] const Plan& plan() const override { return m_run->plan(); }
    [[nodiscard]] int threads() const override { return m_run->threads(); }
    [[nodiscard]] std::vector<double> shard(ValueId value, std::int64_t position) const override
    {
        return m_run->shard(value, position);
    }
    [[nodiscard]] std::span<const std::byte> bytes(ValueId value, std::int64_t position) const override
    {
        return m_run->bytes(value, position);
    }
    [[nodiscard]] std::vector<double> gather(ValueId value) const override { return m_run->gather(value); }
    [[nodiscard]] std::optional<ReplicaDifference> replicaDifference(ValueId value) const override
    {
        return m_run->replicaDifference(value);
    }
    [[nodiscard]] std::vector<double> gatherResult(std::size_t result) const override
    {
        return m_run->gatherResult(result);
    }
    [[nodiscard]] std::optional<ReplicaDifference> replicaDifferenceOfResult(std::size_t result) const override
    {
        return m_run->replicaDifferenceOfResult(result);
    }
    [[nodiscard]] kernels::Arrays shardsOfValue(ValueId value) const override { return m_run->shardsOfValue(value); }
    [[nodiscard]] kernels::Arrays shardsOfResult(std::size_t result) const override
    {
        kernels::Arrays shards = m_run->shardsOfResult(result);
        if (ofResult)
            ofResult(result, shards);
        return shards;
    }
    [[nodiscard]] kernels::Arrays shardsOfArgument(std::size_t argument) const override
    {
        return m_run->shardsOfArgument(argument);
    }
    [[nodiscard]] std::span<const InstructionTime> trace(std::int64_t position) const override
    {
        return m_run->trace(position);
    }
    [[nodiscard]] std::int64_t untraced() const override { return m_run->untraced(); }
    [[nodiscard]] std::vector<ExpectationFinding> findings() const override { return m_run->findings(); }
    [[nodiscard]] std::int64_t copiedBytes() const override { return m_run->copiedBytes(); }
    [[nodiscard]] std::int64_t logicalBytes() const override { return m_run->logicalBytes(); }
    [[nodiscard]] std::int64_t physicalBytes() const override { return m_run->physicalBytes(); }

    std::function<void(std::size_t result, kernels::Arrays&)> ofResult; ///< changes what devices hold of results

private:
    std::unique_ptr<Run> m_run;
    std::function<void(Run&)> m_afterStep;
};

/// What a device holds, to write into.
inline std::span<std::byte> memoryOf(const Run& run, ValueId value, std::int64_t position)
{
    const std::span<const std::byte> bytes = run.bytes(value, position);
    return { const_cast<std::byte*>(bytes.data()), bytes.size() };
}

/// One device gets the shard of another.
inline void copyShard(const Run& run, ValueId value, std::int64_t from, std::int64_t to)
{
    const auto source = memoryOf(run, value, from);
    std::memcpy(memoryOf(run, value, to).data(), source.data(), source.size());
}

/// Multiplies one element of a device's shard.
template <class T>
void scaleElement(const Run& run, ValueId value, std::int64_t position, std::size_t element, T factor)
{
    T number;
    std::byte* const at = memoryOf(run, value, position).data() + element * sizeof(T);
    std::memcpy(&number, at, sizeof number);
    number *= factor;
    std::memcpy(at, &number, sizeof number);
}

/// The program with `value` multiplied by a constant wherever it is used. All ids keep their meaning.
inline Program scaled(Program program, ValueId value, double factor)
{
    const Value& old = program.value(value);
    const OperationId definition = old.definition;
    const TensorType type = old.type;
    const auto addValue = [&](OperationId by) {
        Value added;
        added.type = type;
        added.definition = by;
        program.values.push_back(std::move(added));
        return ValueId(program.values.size() - 1);
    };
    const OperationId constant(program.operations.size());
    const OperationId product(program.operations.size() + 1);
    const ValueId plain = addValue(definition);
    const ValueId number = addValue(constant);
    program.operations[definition.index].results[0] = plain;
    program.values[value.index].definition = product;

    Operation made;
    made.kind = OpKind::Constant;
    made.results = { number };
    made.attributes = ConstantAttributes{ { factor } };
    program.operations.push_back(made);
    made.kind = OpKind::Multiply;
    made.operands = { plain, number };
    made.results = { value };
    made.attributes = {};
    program.operations.push_back(made);
    std::vector<OperationId>& order = program.regions.front().operations;
    const auto at = std::find(order.begin(), order.end(), definition);
    order.insert(at + 1, { constant, product });
    return program;
}

/// Adam with the bias corrections of the step before.
inline Program withOldCount(Program program)
{
    const ValueId count = program.find("opt/count");
    const ValueId next = program.find("next(opt/count)");
    for (Operation& operation : program.operations)
        if (operation.kind == OpKind::Convert && operation.operands[0] == next)
            operation.operands[0] = count;
    return program;
}

/// What a check's line says, for messages of tests.
inline std::string describe(const ValueCheck& line)
{
    std::string text = line.path + (line.held ? "" : " is not held") + ": element " + std::to_string(line.worstElement)
        + " on device " + std::to_string(line.worstDevice) + " is " + std::to_string(line.ours) + ", in the reference "
        + std::to_string(line.reference) + ", strain " + std::to_string(line.largestError / line.tolerance);
    if (line.copiesDiffer)
        text += "; copies differ at element " + std::to_string(line.copiesDiffer->element);
    return text;
}

} // namespace shardscope::test
