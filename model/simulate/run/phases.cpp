// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/phases.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "simulate/kernels/array.h"
#include "simulate/kernels/move_action.h"
#include "simulate/run/meetings.h"
#include "simulate/run/not_executable.h"
#include "simulate/run/slices_in_place.h"
#include "simulate/run/slots_used.h"

namespace shardscope {

namespace {

/// Shared state that devices have read and written since they last waited for each other.
class SharedAccess {
public:
    SharedAccess(const Plan& plan, const ReplicaSharing& sharing)
        : m_plan(plan)
        , m_sharing(sharing)
    {
    }
    [[nodiscard]] bool mustWait(const Instruction& instruction) const
    {
        bool wait = false;
        forEachSlot(m_plan, instruction, [&](SlotId slot, bool writes) {
            if (m_sharing.isShared(slot))
                wait = wait || m_declared.contains(slot) || (writes && m_read.contains(slot));
        });
        return wait;
    }
    void add(const Instruction& instruction)
    {
        forEachSlot(m_plan, instruction, [&](SlotId slot, bool writes) {
            if (m_sharing.isShared(slot))
                (writes ? m_declared : m_read).insert(slot);
        });
    }
    void clear()
    {
        m_read.clear();
        m_declared.clear();
    }

private:
    const Plan& m_plan;
    const ReplicaSharing& m_sharing;
    std::set<SlotId> m_read, m_declared;
};

std::int64_t numberAt(const TensorType& type, std::byte* address)
{
    return kernels::integerAt(kernels::viewOf(type, address), 0);
}

/// A loop or a branch in which devices exchange nothing: each goes its own way.
class ControlAction final : public Action {
public:
    ControlAction(ProgramPtr program, const Control& control)
        : m_program(std::move(program))
        , m_control(control)
    {
    }
    void run(const ActionContext& context) const override
    {
        if (!m_control.isLoop())
            return runBlock(m_control.blocks[m_control.chosen(context.slots)], context);
        m_control.copyState(context.slots);
        for (;;) {
            runBlock(m_control.blocks[0], context);
            if (context.failure->has_value() || context.stop->stop_requested() || !m_control.goesOn(context.slots))
                return;
            if (++*context.trips > context.maximumTrips) {
                *context.failure = tooManyTrips(*m_program, *m_control.operation, context.maximumTrips).value();
                return;
            }
            runBlock(m_control.blocks[1], context);
        }
    }

private:
    static void runBlock(const PreparedBlock& block, const ActionContext& context)
    {
        for (const Phase& phase : block.phases)
            for (const Phase::Item& item : phase.actions) {
                if (context.failure->has_value() || context.stop->stop_requested())
                    return;
                item.action->run(context);
            }
    }

    ProgramPtr m_program;
    const Control& m_control;
};

class Preparation {
public:
    Preparation(const Plan& plan, ReplicaSharing& sharing, MemoryBudget& budget, const PhaseOptions& options,
        const std::stop_token& stop)
        : m_plan(plan)
        , m_sharing(sharing)
        , m_budget(budget)
        , m_options(options)
        , m_stop(stop)
        , m_access(plan, sharing)
    {
        m_prepared.work = std::move(sharing.work);
    }

    Result<Phases> run()
    {
        SHARDSCOPE_TRY(together, reducedProducts());
        m_together = std::move(*together);
        chooseClusters();
        SHARDSCOPE_CHECK(block(m_plan.instructions, m_prepared.main));
        return std::move(m_prepared);
    }

private:
    Result<void> block(const std::vector<Instruction>& instructions, PreparedBlock& block)
    {
        block.phases.emplace_back();
        std::int32_t round = -1;
        for (const Turn& turn : orderOf(block.number, instructions)) {
            if (m_stop.stop_requested())
                break;
            const std::uint32_t i = turn.place;
            const Instruction& instruction = instructions[i];
            if (const auto found = togetherIn(block.number).find(i); found != togetherIn(block.number).end()) {
                add(*found->second.reduced, found->second.last, block);
                continue;
            }
            SHARDSCOPE_TRY(done,
                std::holds_alternative<CollectiveInstruction>(instruction.action)
                    ? collective(instruction, i, block, turn.isMeeting && round == turn.round)
                    : alone(instruction, i, block));
            if (turn.isMeeting)
                round = turn.round;
        }
        return {};
    }

    /// What is done in the place of an instruction: null where that is the place of another one.
    struct InPlace {
        const ReducedProduct* reduced = nullptr;
        std::uint32_t last = 0; ///< of the instructions that are done together
        SmallVector<std::uint32_t, 4> instructions{};
    };
    using Together = std::map<std::uint32_t, InPlace>;
    /// Of main.
    Result<Together> reducedProducts()
    {
        Together together;
        if (m_options.together || m_options.plainKernels)
            return together;
        std::vector<std::pair<ReducedProductPattern, ReducedProduct*>> all;
        for (const ReducedProductPattern& pattern : findReducedProducts(m_plan)) {
            if (m_stop.stop_requested() || together.contains(pattern.fused))
                continue; // of two products that one instruction reads, one is computed before
            SHARDSCOPE_TRY(made, ReducedProduct::prepare(m_plan, pattern, m_sharing, m_kernels, m_budget, m_stop));
            if (!*made)
                continue;
            m_prepared.scratchBytes = std::max(m_prepared.scratchBytes, (*made)->scratchBytes());
            m_prepared.maxTasks = std::max(m_prepared.maxTasks, static_cast<std::size_t>((*made)->taskCount()));
            for (const std::uint32_t number : numbersOf(pattern))
                together[number] = {};
            const auto& kept = m_prepared.reduced.emplace_back(std::make_unique<ReducedProduct>(std::move(**made)));
            all.emplace_back(pattern, kept.get());
        }
        for (const auto& [pattern, reduced] : all) {
            if (reduced->hasInputProduct() && isMovedAcross(together, pattern))
                reduced->leaveInputProduct();
            InPlace place{ reduced, pattern.fused };
            for (const std::uint32_t number : numbersOf(pattern))
                place.instructions.push_back(number);
            if (reduced->hasInputProduct())
                place.instructions.push_back(*pattern.inputProduct);
            together[reduced->hasInputProduct() ? *pattern.inputProduct : pattern.fused] = std::move(place);
        }
        return together;
    }
    static std::array<std::uint32_t, 3> numbersOf(const ReducedProductPattern& pattern)
    {
        return { pattern.product, pattern.sum.value_or(pattern.product), pattern.fused };
    }
    /// Whether something that has a place of its own stands between the input product and the fused instruction.
    static bool isMovedAcross(const Together& together, const ReducedProductPattern& pattern)
    {
        const auto numbers = numbersOf(pattern);
        return std::any_of(together.lower_bound(*pattern.inputProduct), together.upper_bound(pattern.fused),
            [&](const auto& entry) { return std::find(numbers.begin(), numbers.end(), entry.first) == numbers.end(); });
    }

    [[nodiscard]] const Together& togetherIn(std::uint32_t block) const
    {
        static const Together nothing;
        return block == 0 ? m_together : nothing;
    }

    [[nodiscard]] bool meetsSeldom() const
    {
        return !m_options.together && !m_options.plainKernels && !m_budget.onlyCounts();
    }

    /// Those of the candidates that cost the least, in rounds of meetings; no clusters where they save nothing. A loop
    /// counts as some trips.
    void chooseClusters()
    {
        if (!meetsSeldom() || m_options.workers < 2)
            return;
        m_exchanges = SmallExchanges(m_plan);
        SmallExchanges::Groups held; // large arrays that they update together are not moved between workers
        for (const std::unique_ptr<ReducedProduct>& reduced : m_prepared.reduced)
            if (reduced->copiedBytes() > SmallExchanges::maximumBytes)
                held.insert(held.end(), reduced->groups().begin(), reduced->groups().end());
        std::vector<Clusters> candidates = m_exchanges.candidates(m_sharing, held, m_options.workers);
        if (candidates.empty())
            return;
        double least = costOf({});
        Clusters best;
        for (Clusters& candidate : candidates) {
            if (m_stop.stop_requested())
                break;
            if (const double cost = costOf(candidate); cost < least) {
                least = cost;
                best = std::move(candidate);
            }
        }
        for (const std::unique_ptr<ReducedProduct>& reduced : m_prepared.reduced)
            if (!best.empty())
                reduced->orderGroups(best.of);
        useClusters(std::move(best));
    }
    void useClusters(Clusters clusters)
    {
        m_staysInClusters = m_exchanges.heldBy(clusters);
        m_prepared.clusters = std::move(clusters);
    }
    /// In rounds of meetings. What devices of several workers update together moves from core to core at every step,
    /// and a round takes as long as that of so many bytes: measured with cores that share a cache, and that do not.
    [[nodiscard]] double costOf(const Clusters& clusters)
    {
        constexpr double bytesPerRound = 128 * 1024;
        double moved = 0;
        for (const std::unique_ptr<ReducedProduct>& reduced : m_prepared.reduced)
            if (clusters.empty() ? !isOfTaskOrder(*reduced) : !clusters.hold(reduced->groups()))
                moved += static_cast<double>(reduced->copiedBytes());
        return static_cast<double>(roundsWith(clusters)) + moved / bytesPerRound;
    }
    /// Without clusters workers take together the devices that share state, or else those of the largest product.
    [[nodiscard]] bool isOfTaskOrder(const ReducedProduct& reduced) const
    {
        const auto isShared = [](const std::vector<std::int32_t>& shards) { return !shards.empty(); };
        if (std::any_of(m_sharing.shards.begin(), m_sharing.shards.end(), isShared))
            return true;
        const auto largest = std::max_element(m_prepared.reduced.begin(), m_prepared.reduced.end(),
            [](const auto& a, const auto& b) { return a->copiedBytes() < b->copiedBytes(); });
        return reduced.groups() == (*largest)->groups();
    }
    [[nodiscard]] std::int64_t roundsWith(const Clusters& clusters)
    {
        constexpr std::int64_t trips = 8;
        useClusters(clusters);
        std::int64_t rounds = 0;
        for (std::uint32_t number = 0; number < std::max<std::size_t>(m_plan.blocks.size(), 1); ++number) {
            std::set<std::int32_t> meetings;
            for (const Turn& turn : orderOf(number, m_plan.instructionsOf(number)))
                if (turn.isMeeting)
                    meetings.insert(turn.round);
            rounds += static_cast<std::int64_t>(meetings.size()) * (number == 0 ? 1 : trips);
        }
        return rounds;
    }

    /// What is executed, in the order of the plan or in one in which devices meet seldom.
    [[nodiscard]] std::vector<Turn> orderOf(std::uint32_t block, const std::vector<Instruction>& instructions) const
    {
        const Together& together = togetherIn(block);
        std::vector<Turn> turns;
        turns.reserve(instructions.size());
        for (std::uint32_t i = 0; i < instructions.size(); ++i) {
            const auto round = static_cast<std::int32_t>(i);
            const auto found = together.find(i);
            if (found == together.end())
                turns.push_back({ i, isMeeting(instructions[i]), { i }, round });
            else if (found->second.reduced)
                turns.push_back({ i, true, found->second.instructions, round });
        }
        if (meetsSeldom())
            meetSeldom(m_plan, block, turns);
        return turns;
    }
    [[nodiscard]] bool isMeeting(const Instruction& instruction) const
    {
        const auto* control = std::get_if<ControlInstruction>(&instruction.action);
        return (std::holds_alternative<CollectiveInstruction>(instruction.action) && !staysInClusters(instruction))
            || (control && hasCollectives(m_plan, *control));
    }
    [[nodiscard]] bool staysInClusters(const Instruction& instruction) const
    {
        const std::optional<std::size_t> kind = m_exchanges.kindOf(instruction);
        return kind && *kind < m_staysInClusters.size() && m_staysInClusters[*kind];
    }

    void add(const ReducedProduct& reduced, std::uint32_t number, PreparedBlock& block)
    {
        if (m_budget.onlyCounts())
            return;
        block.phases.back().reduced = &reduced;
        block.phases.back().instruction = number;
        block.phases.emplace_back();
        m_access.clear();
    }

    /// In the phase of the collectives before it, if they may be held `together` and nothing stands between.
    Result<void> collective(const Instruction& instruction, std::uint32_t number, PreparedBlock& block, bool together)
    {
        std::size_t last = SIZE_MAX; // phase
        for (std::size_t operand = 0; operand < instruction.operands.size(); ++operand) {
            if (operand >= instruction.results.size() || !instruction.results[operand].valid())
                continue;
            SHARDSCOPE_TRY(made, Exchange::prepare(m_plan, instruction, operand, m_kernels, m_budget, m_stop));
            m_prepared.scratchBytes = std::max(m_prepared.scratchBytes, made->scratchBytes());
            if (m_budget.onlyCounts())
                continue;
            const Exchange& exchange = *m_prepared.exchanges.emplace_back(std::make_unique<Exchange>(std::move(*made)));
            const bool within = staysInClusters(instruction);
            if (together && !within && block.phases.back().actions.empty() && block.phases.size() > 1
                && !block.phases[block.phases.size() - 2].collectives.empty()
                && !block.phases[block.phases.size() - 2].staysInClusters)
                block.phases.pop_back();
            Phase& phase = block.phases.back();
            phase.collectives.push_back(
                { &exchange, number, within ? partsOf(exchange) : std::vector<Phase::ClusterPart>() });
            phase.instruction = number;
            phase.staysInClusters = within;
            std::size_t tasks = 0;
            for (const Phase::Collective& one : phase.collectives)
                tasks += static_cast<std::size_t>(one.exchange->taskCount());
            m_prepared.maxTasks = std::max(m_prepared.maxTasks, tasks);
            if (last != SIZE_MAX && last != block.phases.size() - 1)
                block.phases[last].ends = false;
            last = block.phases.size() - 1;
            block.phases.emplace_back();
            together = !m_options.together && !within;
        }
        m_access.clear();
        return {};
    }
    [[nodiscard]] std::vector<Phase::ClusterPart> partsOf(const Exchange& exchange) const
    {
        std::vector<Phase::ClusterPart> parts(m_prepared.clusters.devices.size());
        const auto partOf = [&](std::size_t group) -> Phase::ClusterPart& {
            const auto member = static_cast<std::size_t>(exchange.groups()[group].front());
            return parts[static_cast<std::size_t>(m_prepared.clusters.of[member])];
        };
        for (std::size_t group = 0; group < exchange.groups().size(); ++group)
            partOf(group).groups.push_back(group);
        for (std::int64_t task = 0; task < exchange.taskCount(); ++task)
            partOf(exchange.groupOf(task)).tasks.push_back(task);
        return parts;
    }

    Result<void> alone(const Instruction& instruction, std::uint32_t number, PreparedBlock& block)
    {
        const auto* own = std::get_if<ControlInstruction>(&instruction.action);
        if (m_access.mustWait(instruction)) {
            block.phases.emplace_back();
            m_access.clear();
        }
        m_access.add(instruction);
        if (!own && !m_options.plainKernels && isReadInPlace(m_plan, block.number, instruction)) {
            add(prepareSliceInPlace(m_plan, instruction), number, block);
            return {};
        }
        if (!own) {
            SHARDSCOPE_TRY(
                made, prepareAction(m_plan, instruction, m_options.plainKernels ? nullptr : &m_kernels, m_budget));
            Phase& phase = block.phases.back();
            if (const std::optional<SlotId> operand = *made ? (*made)->sharedOperand() : std::nullopt)
                phase.sharesOperands = phase.sharesOperands || m_sharing.isShared(*operand);
            add(std::move(*made), number, block);
            return {};
        }
        SHARDSCOPE_TRY(made, control(instruction, *own));
        if (!m_options.together && !hasCollectives(m_plan, *own)) {
            add(std::make_unique<ControlAction>(m_plan.program->local, **made), number, block);
            return {};
        }
        block.phases.back().control = *made;
        block.phases.back().instruction = number;
        block.phases.emplace_back();
        m_access.clear();
        return {};
    }

    void add(ActionPtr action, std::uint32_t number, PreparedBlock& block)
    {
        if (!action)
            return;
        m_prepared.scratchBytes = std::max(m_prepared.scratchBytes, action->scratchBytes());
        m_prepared.ownBytes += action->ownBytes();
        const bool divided = block.number == 0 && number < m_prepared.work.size() && !m_prepared.work[number].empty();
        block.phases.back().actions.push_back({ action.get(), divided ? &m_prepared.work[number] : nullptr, number });
        m_prepared.actions.push_back(std::move(action));
    }

    Result<const Control*> control(const Instruction& instruction, const ControlInstruction& own)
    {
        const Program& program = *m_plan.program->local;
        Control& made = *m_prepared.controls.emplace_back(std::make_unique<Control>());
        made.index = m_prepared.controls.size() - 1;
        made.operation = &program.operation(own.operation);
        for (const std::uint32_t number : own.blocks) {
            PreparedBlock& inner = made.blocks.emplace_back();
            inner.number = number;
            SHARDSCOPE_CHECK(block(m_plan.blocks[number].instructions, inner));
        }
        const auto& operation = *made.operation;
        if (!made.isLoop()) {
            made.deciding = instruction.operands[0];
            made.decidingType = program.value(operation.operands[0]).type;
            return &made;
        }
        made.deciding = m_plan.blocks[own.blocks[0]].results[0];
        made.decidingType = program.value(program.regions[operation.regions[0].index].results[0]).type;
        for (std::size_t i = 0; i < instruction.operands.size(); ++i)
            if (instruction.operands[i].valid() && instruction.results[i].valid()
                && instruction.operands[i] != instruction.results[i])
                made.begin.push_back({ instruction.operands[i], instruction.results[i],
                    static_cast<std::size_t>(program.value(operation.operands[i]).type.byteCount()) });
        return &made;
    }

    const Plan& m_plan;
    ReplicaSharing& m_sharing;
    MemoryBudget& m_budget;
    PhaseOptions m_options;
    const std::stop_token& m_stop;
    const KernelSet& m_kernels = kernelSet();
    SharedAccess m_access;
    SmallExchanges m_exchanges;
    std::vector<bool> m_staysInClusters; ///< per kind of small exchanges
    Together m_together; ///< of main
    Phases m_prepared;
};

} // namespace

std::size_t Control::chosen(std::byte* const* slots) const
{
    const std::int64_t number = numberAt(decidingType, slots[deciding.index]);
    if (operation->kind == OpKind::If)
        return number != 0 ? 0 : 1;
    const auto last = static_cast<std::int64_t>(blocks.size()) - 1;
    return static_cast<std::size_t>(number < 0 || number > last ? last : number);
}

bool Control::goesOn(std::byte* const* slots) const
{
    return numberAt(decidingType, slots[deciding.index]) != 0;
}

void Control::copyState(std::byte* const* slots) const
{
    for (const Copy& copy : begin)
        std::memcpy(slots[copy.to.index], slots[copy.from.index], copy.bytes);
}

bool hasCollectives(const Plan& plan, const ControlInstruction& control)
{
    return std::any_of(control.blocks.begin(), control.blocks.end(), [&](std::uint32_t number) {
        const std::vector<Instruction>& instructions = plan.blocks[number].instructions;
        return std::any_of(instructions.begin(), instructions.end(), [&](const Instruction& instruction) {
            const auto* inner = std::get_if<ControlInstruction>(&instruction.action);
            return std::holds_alternative<CollectiveInstruction>(instruction.action)
                || (inner && hasCollectives(plan, *inner));
        });
    });
}

Result<Phases> preparePhases(const Plan& plan, ReplicaSharing& sharing, MemoryBudget& budget,
    const PhaseOptions& options, const std::stop_token& stop)
{
    return Preparation(plan, sharing, budget, options, stop).run();
}

} // namespace shardscope
