// SPDX-License-Identifier: GPL-3.0-or-later
// Walks through a program as the interpreter does, with sizes in the place of arrays.
#include "simulate/evaluate/memory_plan.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "program/calls.h"
#include "program/counted_loop.h"
#include "program/value_shardings.h"
#include "program/wide_attributes.h"
#include "simulate/evaluate/elementwise.h"
#include "simulate/evaluate/interpreter.h"

namespace shardscope::evaluate {

namespace {

/// A block of memory that values refer to; gone with the last of them.
struct Block {
    Block(double& total, double size, double copies)
        : live(total)
        , bytes(size)
        , weight(copies)
    {
        live += bytes;
    }
    ~Block() { live -= bytes; }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    double& live;
    double bytes;
    double weight; ///< devices that have one each
};

/// An array without its elements.
struct Outline {
    std::shared_ptr<Block> block; ///< null for tokens, tuples and arrays without elements
    std::vector<Outline> parts; ///< of a tuple
};

/// What becomes of a function's results.
struct Summary {
    double values = 0, working = 0; ///< beyond what there is when it is called
    OperationId peakOperation;
    struct Made {
        std::optional<std::size_t> argument; ///< handed through
        std::size_t first = 0; ///< result that is the same array; itself for a new one
        double bytes = 0;
    };
    std::vector<Made> results;
};

class Walk {
public:
    Walk(const Program& program, std::int64_t devices, const Lifetimes& lifetimes)
        : m_program(program)
        , m_lifetimes(lifetimes)
        , m_devices(devices)
        , m_held(program.values.size())
    {
    }

    MemoryPlan plan(RegionId body)
    {
        for (const ValueId value : m_program.regions[body.index].arguments)
            hold(value, made(value));
        note({}, 0);
        for (const OperationId operation : m_program.regions[body.index].operations) {
            m_moment = 0;
            step(operation);
            m_plan.moments.push_back({ operation, m_moment });
        }
        m_held.clear();
        return std::move(m_plan);
    }

private:
    Outline& at(ValueId value) { return m_held[value.index]; }
    void hold(ValueId value, Outline outline) { m_held[value.index] = std::move(outline); }
    Outline madeOf(double bytes)
    {
        Outline outline;
        if (bytes > 0)
            outline.block = std::make_shared<Block>(m_live, bytes * m_weight, m_weight);
        return outline;
    }
    Outline made(ValueId value) { return madeOf(bytesOf(value)); }
    double bytesOf(ValueId value) const { return static_cast<double>(m_program.value(value).type.byteCount()); }

    void note(OperationId operation, double beside)
    {
        if (m_live > m_plan.values) {
            m_plan.values = m_live;
            m_plan.peakOperation = operation;
        }
        m_plan.working = std::max(m_plan.working, m_live + beside * m_weight);
        m_moment = std::max(m_moment, m_live);
    }

    void run(RegionId region)
    {
        for (const OperationId operation : m_program.regions[region.index].operations)
            step(operation);
    }
    void step(OperationId id)
    {
        const Operation& op = m_program.operation(id);
        note(id, compute(id, op));
        for (const ValueId value : m_lifetimes.endingAt(id))
            hold(value, {});
    }
    void leave(RegionId region)
    {
        for (const ValueId value : m_lifetimes.leftBy(region))
            hold(value, {});
    }

    /// What it takes beside operands and results.
    double compute(OperationId id, const Operation& op)
    {
        switch (op.kind) {
        case OpKind::While:
            loop(id, op);
            return 0;
        case OpKind::If:
        case OpKind::Case:
            branch(op);
            return 0;
        case OpKind::Call:
        case OpKind::Composite:
            if (const Function* callee = m_lifetimes.calledBy(op))
                function(op, callee->body);
            return 0;
        case OpKind::NamedComputation:
            region(op, op.regions[0]);
            return 0;
        case OpKind::ManualComputation:
            manual(op);
            return 0;
        case OpKind::Tuple: {
            Outline tuple;
            for (const ValueId operand : op.operands)
                tuple.parts.push_back(at(operand));
            hold(op.results[0], std::move(tuple));
            return 0;
        }
        case OpKind::GetTupleElement: {
            const auto element = static_cast<std::size_t>(wideAs<TupleElementAttributes>(op.attributes)->index);
            const std::vector<Outline>& parts = at(op.operands[0]).parts;
            hold(op.results[0], element < parts.size() ? parts[element] : Outline());
            return 0;
        }
        default:
            break;
        }
        if (isParallel(op)) {
            parallel(op);
            return 0;
        }
        const bool through = handsThrough(op);
        for (std::size_t i = 0; i < op.results.size(); ++i)
            hold(op.results[i], through && i < op.operands.size() ? at(op.operands[i]) : made(op.results[i]));
        return through ? 0 : beside(op);
    }

    /// Results are the operands, one by one.
    bool handsThrough(const Operation& op) const
    {
        switch (op.kind) {
        case OpKind::Reshape:
        case OpKind::ShardingConstraint:
        case OpKind::Reshard:
        case OpKind::PropagationBarrier:
        case OpKind::DataFlowEdge:
        case OpKind::FuncDataFlowEdge:
        case OpKind::OptimizationBarrier:
            return true;
        case OpKind::CustomCall:
            return !isCheck(op);
        case OpKind::Opaque:
            return op.operands.size() == 2 && isKnownOpaque(m_program, op); // dynamic_reshape
        case OpKind::Sort:
            return m_program.value(op.operands[0]).type.shape.empty();
        default:
            break;
        }
        return isShardyCollective(op.kind) && (m_devices == 1 || op.kind != OpKind::SdyAllReduce);
    }

    std::vector<Outline> resultsOf(RegionId region)
    {
        std::vector<Outline> results;
        for (const ValueId value : m_program.regions[region.index].results)
            results.push_back(at(value));
        return results;
    }
    void hold(const Operation& op, std::vector<Outline> results)
    {
        for (std::size_t i = 0; i < op.results.size() && i < results.size(); ++i)
            hold(op.results[i], std::move(results[i]));
    }

    void region(const Operation& op, RegionId body)
    {
        const std::vector<ValueId>& arguments = m_program.regions[body.index].arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            hold(arguments[i], at(op.operands[i]));
        run(body);
        hold(op, resultsOf(body));
        leave(body);
    }

    /// Called a second time, a function needs what it needed the first time: its caller holds what it is given.
    void function(const Operation& op, RegionId body)
    {
        const auto known = m_functions.find({ body.index, m_weight });
        if (known != m_functions.end()) {
            const Summary& summary = known->second;
            if (m_live + summary.values > m_plan.values) {
                m_plan.values = m_live + summary.values;
                m_plan.peakOperation = summary.peakOperation;
            }
            m_plan.working = std::max(m_plan.working, m_live + summary.working);
            m_moment = std::max(m_moment, m_live + summary.values);
            std::vector<Outline> results;
            for (std::size_t i = 0; i < summary.results.size(); ++i) {
                const Summary::Made& result = summary.results[i];
                results.push_back(result.argument ? at(op.operands[*result.argument])
                        : result.first < i        ? results[result.first]
                                                  : madeOf(result.bytes));
            }
            hold(op, std::move(results));
            return;
        }
        const MemoryPlan before = std::exchange(m_plan, {});
        const double moment = std::exchange(m_moment, 0), live = m_live;
        std::vector<Outline> given;
        for (const ValueId operand : op.operands)
            given.push_back(at(operand));
        region(op, body);
        Summary summary{ std::max(m_plan.values - live, 0.0), std::max(m_plan.working - live, 0.0),
            m_plan.peakOperation, {} };
        bool plain = true; // no tuples
        for (std::size_t i = 0; i < op.results.size(); ++i) {
            const Outline& result = at(op.results[i]);
            Summary::Made& own = summary.results.emplace_back();
            own.first = i;
            own.bytes = bytesOf(op.results[i]);
            plain = plain && result.parts.empty() && (result.block || own.bytes == 0);
            for (std::size_t k = 0; result.block && k < given.size() && !own.argument; ++k)
                if (given[k].block == result.block)
                    own.argument = k;
            for (std::size_t k = 0; result.block && k < i && own.first == i; ++k)
                if (at(op.results[k]).block == result.block)
                    own.first = k;
        }
        const MemoryPlan inner = std::exchange(m_plan, before);
        if (inner.values > m_plan.values) {
            m_plan.values = inner.values;
            m_plan.peakOperation = inner.peakOperation;
        }
        m_plan.working = std::max(m_plan.working, inner.working);
        m_plan.dependsOnData = m_plan.dependsOnData || inner.dependsOnData;
        m_moment = std::max({ moment, m_moment, inner.values });
        if (plain)
            m_functions.emplace(std::pair{ body.index, m_weight }, std::move(summary));
    }

    /// Which of the carried values are the same array, and which are what the loop was given.
    std::vector<std::int64_t> pattern(const std::vector<Outline>& state, const std::vector<const Block*>& given) const
    {
        std::vector<std::int64_t> found;
        for (std::size_t i = 0; i < state.size(); ++i) {
            const Block* block = state[i].block.get();
            const auto outer = std::find(given.begin(), given.end(), block);
            std::size_t first = 0;
            while (state[first].block.get() != block)
                ++first;
            found.push_back(outer != given.end() ? outer - given.begin() : -1 - static_cast<std::int64_t>(first));
        }
        return found;
    }

    void loop(OperationId id, const Operation& op)
    {
        const std::optional<std::int64_t> trips = tripsOf(m_program, id);
        m_plan.dependsOnData = m_plan.dependsOnData || !trips;
        const RegionId condition = op.regions[0], body = op.regions[1];
        const std::vector<ValueId>&asked = m_program.regions[condition.index].arguments,
              &looped = m_program.regions[body.index].arguments;
        std::vector<Outline> state;
        std::vector<const Block*> given;
        for (const ValueId operand : op.operands) {
            state.push_back(at(operand));
            given.push_back(at(operand).block.get());
        }
        const auto ask = [&] {
            for (std::size_t i = 0; i < asked.size(); ++i)
                hold(asked[i], state[i]);
            run(condition);
            leave(condition);
        };
        // Until an iteration finds its values as the one before it did: from then on all are alike.
        std::vector<std::int64_t> before, now = pattern(state, given);
        for (std::size_t trip = 0;
             before != now && trip < state.size() + 2 && (!trips || static_cast<std::int64_t>(trip) < *trips); ++trip) {
            ask();
            for (std::size_t i = 0; i < looped.size(); ++i)
                hold(looped[i], std::move(state[i]));
            run(body);
            state = resultsOf(body);
            leave(body);
            before = std::exchange(now, pattern(state, given));
        }
        ask();
        hold(op, std::move(state));
    }

    void branch(const Operation& op)
    {
        m_plan.dependsOnData = true;
        for (const RegionId region : op.regions) {
            run(region);
            leave(region);
        }
        for (const ValueId result : op.results)
            hold(result, made(result));
    }

    /// Shards of a full value on all devices of a mesh, in the memory of one device.
    void manual(const Operation& op)
    {
        const auto& own = *wideAs<ManualComputationAttributes>(op.attributes);
        const Mesh* mesh = meshOf(m_program, own);
        const auto isSharded = [&](const ProgramSharding& sharding) {
            for (const DimensionSharding& dimension : sharding.sharding.dims)
                for (const AxisRef& axis : dimension.axes)
                    if (mesh
                        && std::find(own.manualAxes.begin(), own.manualAxes.end(),
                               mesh->axis(static_cast<std::size_t>(axis.axis)).name)
                            != own.manualAxes.end())
                        return true;
            return false;
        };
        const bool onSameDevices = m_over && mesh && *m_over == *mesh; // those of the computation around it
        const std::int64_t count = mesh && !onSameDevices ? mesh->deviceCount() : 1;
        const double weight = m_weight;
        const Mesh* over = std::exchange(m_over, mesh ? mesh : m_over);
        const std::int64_t devices = std::exchange(m_devices, onSameDevices ? m_devices : count);
        m_weight *= static_cast<double>(count);
        const RegionId body = op.regions[0];
        const std::vector<ValueId>& arguments = m_program.regions[body.index].arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            hold(arguments[i], i < own.in.size() && isSharded(own.in[i]) ? made(arguments[i]) : at(op.operands[i]));
        run(body);
        m_weight = weight;
        m_devices = devices;
        m_over = over;
        std::vector<Outline> results = resultsOf(body);
        double joined = 0, largest = 0; // put together while all shards are held
        for (const ValueId result : op.results) {
            joined += bytesOf(result);
            largest = std::max(largest, bytesOf(result));
        }
        m_plan.working = std::max(m_plan.working, m_live + (joined + 2 * largest) * m_weight);
        leave(body);
        for (std::size_t i = 0; i < results.size() && i < op.results.size(); ++i)
            if ((i < own.out.size() && isSharded(own.out[i])) || !results[i].block || results[i].block->weight > weight)
                results[i] = made(op.results[i]);
        hold(op, std::move(results));
    }

    /// A function on devices of its own, in the memory of one.
    void parallel(const Operation& op)
    {
        const ParallelPrograms programs = parallelPrograms(m_program, op);
        if (programs.function) {
            const RegionId body = programs.function->body;
            const double weight = m_weight;
            const std::int64_t devices = std::exchange(m_devices, programs.replicas * programs.partitions);
            m_weight *= static_cast<double>(m_devices);
            const std::vector<ValueId>& arguments = m_program.regions[body.index].arguments;
            for (std::size_t i = 0; i < arguments.size() && i < op.operands.size(); ++i)
                hold(arguments[i], at(op.operands[i]));
            run(body);
            leave(body);
            m_weight = weight;
            m_devices = devices;
        }
        for (const ValueId result : op.results)
            hold(result, made(result));
    }

    double beside(const Operation& op) const
    {
        double operands = 0, results = 0, elements = 0;
        for (const ValueId value : op.operands) {
            operands += bytesOf(value);
            elements += static_cast<double>(m_program.value(value).type.elementCount());
        }
        for (const ValueId value : op.results) {
            results += bytesOf(value);
            elements += static_cast<double>(m_program.value(value).type.elementCount());
        }
        switch (op.kind) {
        case OpKind::Constant:
        case OpKind::Reshape:
        case OpKind::Slice:
        case OpKind::BroadcastInDim:
        case OpKind::Transpose:
        case OpKind::PartitionId:
        case OpKind::ReplicaId:
        case OpKind::AllReduce:
        case OpKind::AllGather:
        case OpKind::AllToAll:
        case OpKind::CollectivePermute:
        case OpKind::CollectiveBroadcast:
            return 0;
        case OpKind::Iota: // one line of it
            return results / std::max(1.0, static_cast<double>(elements)) * static_cast<double>(longest(op.results[0]));
        case OpKind::Dot:
        case OpKind::DotGeneral: { // operands in the type of the result, then in the order of the product, then in f32
            const auto size = static_cast<double>(byteSize(m_program.value(op.results[0]).type.dtype));
            return elements * (2 * size + (size < 4 ? 4 : 0)) + productScratch;
        }
        case OpKind::Convolution: {
            const auto* own = wideAs<ConvolutionAttributes>(op.attributes);
            double patches = 1; // windows times what lies under one
            for (const std::int64_t d : own->outputSpatial)
                patches *= static_cast<double>(m_program.value(op.results[0]).type.shape[static_cast<std::size_t>(d)]);
            const TensorType& kernel = m_program.value(op.operands[1]).type;
            patches *= static_cast<double>(kernel.elementCount())
                / std::max(1.0, static_cast<double>(kernel.shape[static_cast<std::size_t>(own->kernelOutputFeature)]));
            const auto size = static_cast<double>(byteSize(m_program.value(op.results[0]).type.dtype));
            return (2 * elements + patches) * (size + (size < 4 ? 4 : 0)) + productScratch;
        }
        default:
            if (algebraEvaluator(op.kind)) // computed in f64
                return elements * 16;
            return elementKernel(m_program, op) ? spread(op) : operands + results;
        }
    }
    std::int64_t longest(ValueId value) const
    {
        std::int64_t most = 1;
        for (const std::int64_t extent : m_program.value(value).type.shape)
            most = std::max(most, extent);
        return most;
    }
    /// Operands of another shape than the result are repeated first.
    double spread(const Operation& op) const
    {
        double bytes = 0;
        const TensorType& type = m_program.value(op.results[0]).type;
        for (const ValueId operand : op.operands) {
            const TensorType& own = m_program.value(operand).type;
            if (own.shape != type.shape)
                bytes += static_cast<double>(type.elementCount()) * static_cast<double>(byteSize(own.dtype));
        }
        return bytes;
    }

    static constexpr double productScratch = 4 << 20; ///< of packed blocks

    const Program& m_program;
    const Lifetimes& m_lifetimes;
    std::int64_t m_devices;
    const Mesh* m_over = nullptr; ///< of the manual computation around
    double m_live = 0, m_weight = 1, m_moment = 0;
    MemoryPlan m_plan;
    std::map<std::pair<std::uint32_t, double>, Summary> m_functions; ///< by body and weight
    std::vector<Outline> m_held; ///< by value; goes before m_live does
};

} // namespace

MemoryPlan planMemory(const Program& program, RegionId body, std::int64_t devices, const Lifetimes& lifetimes)
{
    return Walk(program, devices, lifetimes).plan(body);
}

MemoryPlan planMemory(const Program& program, std::int64_t devices)
{
    const RegionId main{ 0 };
    return planMemory(program, main, devices, Lifetimes(program, main));
}

} // namespace shardscope::evaluate
