// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/collectives/reduced_product.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <numeric>

#include "base/alignment.h"
#include "simulate/kernels/strided_copy.h"
#include "simulate/run/slots_used.h"

namespace shardscope {

namespace {

constexpr std::int64_t tileBytes = 32768; // of one device's rows
constexpr std::int64_t rowsAtOnce = 4; // of the kernels for products of few terms
constexpr std::int64_t chunkBytes = 256 * 1024; // of a task
constexpr std::int64_t pastCachesFrom =
    1024 * 1024; // bytes of an array on all devices; smaller ones stay in the caches
/// In every eighth tile the addition is done by itself, and timed: others are taken to spend as much on it.
constexpr std::int64_t tilesPerTimed = 8;

bool overlap(const Slot& a, const Slot& b)
{
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

class PatternFinder {
public:
    explicit PatternFinder(const Plan& plan)
        : m_plan(plan)
        , m_instructions(plan.instructions)
        , m_lastTouched(plan.slots.size())
    {
    }

    std::vector<ReducedProductPattern> run()
    {
        for (std::uint32_t i = 0; i < m_instructions.size(); ++i)
            forEachSlot(m_plan, m_instructions[i], [&](SlotId slot, bool) { m_lastTouched[slot.index] = i; });
        std::vector<ReducedProductPattern> found;
        for (std::uint32_t i = 0; i < m_instructions.size(); ++i)
            if (auto pattern = startingAt(i))
                found.push_back(*pattern);
        return found;
    }

private:
    [[nodiscard]] const Operation* operationOf(const Instruction& instruction) const
    {
        const auto* kernel = std::get_if<KernelInstruction>(&instruction.action);
        return kernel ? &m_plan.program->local->operation(kernel->operation) : nullptr;
    }

    /// The product's result goes to at most one sum, in place, and then to one fused instruction. Until then nothing
    /// overwrites the product's operands, and nobody else looks at its result.
    [[nodiscard]] std::optional<ReducedProductPattern> startingAt(std::uint32_t first) const
    {
        const Instruction& product = m_instructions[first];
        const Operation* operation = operationOf(product);
        if (!operation || operation->kind != OpKind::DotGeneral || product.results.size() != 1)
            return std::nullopt;
        const SlotId out = product.results[0];
        ReducedProductPattern pattern{ first, std::nullopt, 0 };
        for (std::uint32_t i = first + 1; i < m_instructions.size(); ++i) {
            const Instruction& next = m_instructions[i];
            if (readsInTiles(next, out) && !overwritesOperands(next, product)) {
                pattern.fused = i;
                pattern.isStored = m_plan.slot(out).lastUse > static_cast<std::int32_t>(i);
                pattern.isRead = m_lastTouched[out.index] > i;
                pattern.inputProduct = inputProduct(pattern);
                return pattern;
            }
            if (touches(next, out)) {
                if (pattern.sum || !sumsInPlace(next, out))
                    return std::nullopt;
                pattern.sum = i;
            }
            if (overwritesOperands(next, product))
                return std::nullopt;
        }
        return std::nullopt;
    }

    /// The last product before the fused instruction with what this one updates, if all the rest can be done in its
    /// place: nothing in between reads what they write, or writes what they touch.
    [[nodiscard]] std::optional<std::uint32_t> inputProduct(const ReducedProductPattern& pattern) const
    {
        for (std::uint32_t i = pattern.fused; i-- > 0;) {
            if (i == pattern.product || i == pattern.sum)
                continue;
            if (readsUpdated(i, pattern))
                return i;
            if (dependsOn(i, pattern))
                return std::nullopt;
        }
        return std::nullopt;
    }
    [[nodiscard]] bool readsUpdated(std::uint32_t number, const ReducedProductPattern& pattern) const
    {
        const Instruction& candidate = m_instructions[number];
        const Operation* operation = operationOf(candidate);
        if (!operation || operation->kind != OpKind::DotGeneral || candidate.results.size() != 1
            || candidate.operands.size() != 2)
            return false;
        const auto& fused = std::get<FusedInstruction>(m_instructions[pattern.fused].action);
        const SlotId updated = candidate.operands[1], gradient = m_instructions[pattern.product].results[0];
        const bool isUpdated =
            std::any_of(fused.outputs.begin(), fused.outputs.end(), [&](const FusedInstruction::Output& output) {
                return output.slot == updated && m_plan.slot(updated).bytes == m_plan.slot(gradient).bytes;
            });
        return isUpdated && !conflicts(candidate.results[0], true, pattern)
            && !conflicts(candidate.operands[0], false, pattern);
    }
    [[nodiscard]] bool dependsOn(std::uint32_t number, const ReducedProductPattern& pattern) const
    {
        const Instruction& instruction = m_instructions[number];
        bool depends = false;
        forEachSlot(m_plan, instruction,
            [&](SlotId slot, bool isWrite) { depends = depends || conflicts(slot, isWrite, pattern); });
        const auto* control = std::get_if<ControlInstruction>(&instruction.action);
        return depends || (control && control->room.valid() && conflicts(control->room, true, pattern));
    }
    /// Whether a use of a slot and the pattern's instructions have to stay in their order.
    [[nodiscard]] bool conflicts(SlotId slot, bool isWrite, const ReducedProductPattern& pattern) const
    {
        bool found = false;
        for (const std::uint32_t number : { pattern.product, pattern.sum.value_or(pattern.product), pattern.fused })
            forEachSlot(m_plan, m_instructions[number], [&](SlotId used, bool writes) {
                found = found || ((isWrite || writes) && overlap(m_plan.slot(used), m_plan.slot(slot)));
            });
        return found;
    }

    [[nodiscard]] bool touches(const Instruction& instruction, SlotId slot) const
    {
        bool touched = false;
        forEachSlot(m_plan, instruction, [&](SlotId used, bool) { touched = touched || used == slot; });
        return touched;
    }
    [[nodiscard]] bool overwritesOperands(const Instruction& instruction, const Instruction& product) const
    {
        bool overwritten = false;
        const auto check = [&](SlotId slot) {
            for (const SlotId operand : product.operands)
                overwritten = overwritten || overlap(m_plan.slot(operand), m_plan.slot(slot));
        };
        forEachSlot(m_plan, instruction, [&](SlotId slot, bool isWrite) {
            if (isWrite)
                check(slot);
        });
        if (const auto* control = std::get_if<ControlInstruction>(&instruction.action);
            control && control->room.valid())
            check(control->room);
        return overwritten;
    }
    [[nodiscard]] bool sumsInPlace(const Instruction& instruction, SlotId slot) const
    {
        const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action);
        return collective && m_plan.program->local->operation(collective->operation).kind == OpKind::AllReduce
            && instruction.operands.size() == 1 && instruction.operands[0] == slot && instruction.results.size() == 1
            && instruction.results[0] == slot;
    }
    /// As an array, and writes nothing there.
    [[nodiscard]] bool readsInTiles(const Instruction& instruction, SlotId slot) const
    {
        const auto* fused = std::get_if<FusedInstruction>(&instruction.action);
        if (!fused)
            return false;
        bool reads = false;
        for (const FusedInstruction::Input& input : fused->inputs) {
            if (input.slot != slot)
                continue;
            if (input.scalar || byteSize(input.dtype) * fused->elements != m_plan.slot(slot).bytes)
                return false;
            reads = true;
        }
        return reads
            && std::none_of(fused->outputs.begin(), fused->outputs.end(), [&](const FusedInstruction::Output& output) {
                   return overlap(m_plan.slot(output.slot), m_plan.slot(slot));
               });
    }
    const Plan& m_plan;
    const std::vector<Instruction>& m_instructions;
    std::vector<std::uint32_t> m_lastTouched; ///< per slot: the last instruction that reads or writes it
};

} // namespace

std::vector<ReducedProductPattern> findReducedProducts(const Plan& plan)
{
    return PatternFinder(plan).run();
}

Result<std::optional<ReducedProduct>> ReducedProduct::prepare(const Plan& plan, const ReducedProductPattern& pattern,
    const ReplicaSharing& sharing, const KernelSet& kernels, MemoryBudget& budget, const std::stop_token& stop)
{
    const std::vector<Instruction>& instructions = plan.instructions;
    const Program& program = *plan.program->local;
    const Instruction& product = instructions[pattern.product];
    const auto& fused = std::get<FusedInstruction>(instructions[pattern.fused].action);
    ReducedProduct made;
    made.m_operation = &program.operation(std::get<KernelInstruction>(product.action).operation);
    const auto typeOf = [&](std::size_t operand) -> const TensorType& {
        return program.value(made.m_operation->operands[operand]).type;
    };
    const TensorType& type = program.value(made.m_operation->results[0]).type;
    if (typeOf(0).dtype != typeOf(1).dtype || typeOf(0).dtype != type.dtype)
        return std::nullopt;
    made.m_product =
        Product::prepare(typeOf(0), typeOf(1), std::get<DotGeneralAttributes>(made.m_operation->attributes), kernels);
    if (!made.m_product || !made.m_product->hasRows() || type.elementCount() != fused.elements)
        return std::nullopt;

    const auto devices = static_cast<std::size_t>(plan.program->mesh->deviceCount());
    if (pattern.sum) {
        SHARDSCOPE_TRY(sum, Exchange::prepare(plan, instructions[*pattern.sum], 0, kernels, budget, stop));
        if (!sum->combinesFast())
            return std::nullopt;
        made.m_operation = &sum->operation();
        made.m_groups = budget.onlyCounts() ? std::vector<std::vector<std::int32_t>>() : sum->groups();
        made.m_sum = std::move(*sum);
    } else if (!budget.onlyCounts()) {
        for (std::size_t position = 0; position < devices; ++position)
            made.m_groups.push_back({ static_cast<std::int32_t>(position) });
    }

    // Of replicas that share what is written the first one does it.
    const std::vector<std::int32_t>* shards =
        sharing.isShared(fused.outputs.front().slot) ? &sharing.shards[fused.outputs.front().slot.index] : nullptr;
    std::size_t present = 0;
    std::map<std::int32_t, std::size_t> groupOfShard;
    for (std::size_t group = 0; group < made.m_groups.size(); ++group) {
        std::vector<std::int32_t>& writers = made.m_writers.emplace_back();
        present += made.m_groups[group].size();
        for (const std::int32_t member : made.m_groups[group]) {
            if (!shards) {
                writers.push_back(member);
                continue;
            }
            const auto [known, isFirst] = groupOfShard.try_emplace((*shards)[static_cast<std::size_t>(member)], group);
            if (isFirst)
                writers.push_back(member);
            else if (known->second != group)
                return std::nullopt;
        }
    }
    if (present != devices && !budget.onlyCounts())
        return std::nullopt; // a device without a group would miss the fused instruction

    SHARDSCOPE_TRY(kernel, FusedKernel::compile(fused, kernels));
    made.m_fused = std::move(*kernel);
    made.m_lhs = product.operands[0].index;
    made.m_rhs = product.operands[1].index;
    made.m_out = product.results[0].index;
    made.m_elementBytes = byteSize(type.dtype);
    made.m_isStored = pattern.isStored;
    made.m_pastCaches =
        pattern.isStored && !pattern.isRead && type.byteCount() * static_cast<std::int64_t>(devices) > pastCachesFrom;
    if (pattern.inputProduct)
        made.addInputProduct(plan, instructions[*pattern.inputProduct], type, sharing, kernels);
    const std::int64_t rows = made.m_product->rowCount();
    const std::int64_t rowBytes = made.m_product->columnCount() * made.m_elementBytes;
    made.m_tileRows = std::max<std::int64_t>(1, tileBytes / rowBytes / rowsAtOnce) * rowsAtOnce;
    made.m_chunks =
        std::clamp<std::int64_t>(rows * rowBytes / chunkBytes, 1, (rows + made.m_tileRows - 1) / made.m_tileRows);
    made.m_updatesByRows =
        !made.m_isStored && made.m_fused->takesGradient(product.results[0]) && (!made.m_sum || made.m_sum->isSum());
    for (std::size_t group = 0; group < made.m_groups.size(); ++group)
        made.m_updatesByRows =
            made.m_updatesByRows && made.m_groups[group].size() <= 2 && made.m_writers[group].size() == 1;
    if (made.m_sum)
        made.m_copiedBytes = static_cast<std::int64_t>(present) * type.byteCount();
    return made;
}

void ReducedProduct::addInputProduct(const Plan& plan, const Instruction& instruction, const TensorType& updated,
    const ReplicaSharing& sharing, const KernelSet& kernels)
{
    const Program& program = *plan.program->local;
    const Operation& operation = program.operation(std::get<KernelInstruction>(instruction.action).operation);
    const auto typeOf = [&](ValueId value) -> const TensorType& { return program.value(value).type; };
    const TensorType& lhs = typeOf(operation.operands[0]);
    const TensorType& rhs = typeOf(operation.operands[1]);
    if (rhs != updated || lhs.dtype != rhs.dtype || typeOf(operation.results[0]).dtype != rhs.dtype
        || sharing.isShared(instruction.results[0]))
        return;
    std::optional<Product> product =
        Product::prepare(lhs, rhs, std::get<DotGeneralAttributes>(operation.attributes), kernels);
    if (!product || !product->hasColumns() || product->columnCount() != m_product->rowCount()
        || product->termCount() != m_product->columnCount())
        return;
    m_input = InputProduct{ std::move(*product), instruction.operands[0].index, instruction.operands[1].index,
        instruction.results[0].index };
}

void ReducedProduct::orderGroups(const std::vector<std::int32_t>& place)
{
    std::vector<std::size_t> order(m_groups.size());
    std::iota(order.begin(), order.end(), std::size_t{ 0 });
    const auto placeOf = [&](std::size_t group) { return place[static_cast<std::size_t>(m_groups[group].front())]; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return placeOf(a) < placeOf(b); });
    std::vector<std::vector<std::int32_t>> groups, writers;
    for (const std::size_t group : order) {
        groups.push_back(std::move(m_groups[group]));
        writers.push_back(std::move(m_writers[group]));
    }
    m_groups = std::move(groups);
    m_writers = std::move(writers);
}

std::int64_t ReducedProduct::scratchBytes() const
{
    const std::int64_t tile = m_tileRows * m_product->columnCount() * m_elementBytes;
    return 2 * alignedBytes(tile) + alignedBytes(m_fused->scratchBytes());
}

double ReducedProduct::run(
    std::int64_t task, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const
{
    using Clock = std::chrono::steady_clock;
    const std::size_t group = groupOf(task);
    const std::int64_t chunk = task % m_chunks;
    const std::vector<std::int32_t>& members = m_groups[group];
    const auto slotsOf = [&](std::int32_t position) {
        return addresses + static_cast<std::size_t>(position) * slotCount;
    };
    const std::int64_t columns = m_product->columnCount();
    const std::int64_t tiles = (m_product->rowCount() + m_tileRows - 1) / m_tileRows;
    std::byte* sum = scratch;
    std::byte* addend = sum + alignedBytes(m_tileRows * columns * m_elementBytes);
    std::byte* fusedScratch = addend + alignedBytes(m_tileRows * columns * m_elementBytes);
    Clock::duration adding{}; // in every eighth tile
    const std::int64_t firstTile = tiles * chunk / m_chunks, endTile = tiles * (chunk + 1) / m_chunks;
    for (std::int64_t tile = firstTile; tile < endTile; ++tile) {
        const bool isTimed = (tile - firstTile) % tilesPerTimed == 0;
        const auto timed = [&](const auto& work) {
            const Clock::time_point start = isTimed ? Clock::now() : Clock::time_point();
            work();
            if (isTimed)
                adding += Clock::now() - start;
        };
        const std::int64_t firstRow = tile * m_tileRows;
        const std::int64_t rows = std::min(m_tileRows, m_product->rowCount() - firstRow);
        const std::int64_t first = firstRow * columns, count = rows * columns;
        if (m_input)
            for (const std::int32_t member : members) {
                std::byte* const* slots = slotsOf(member);
                m_input->product.runColumns(
                    slots[m_input->out], slots[m_input->lhs], slots[m_input->rhs], firstRow, rows);
            }
        const auto operandsOf = [&](std::size_t member) {
            std::byte* const* slots = slotsOf(members[member]);
            return Product::Operands{ slots[m_lhs], slots[m_rhs] };
        };
        const std::vector<std::int32_t>& writers = m_writers[group];
        const bool isAddedAlone = isTimed && members.size() > 1;
        if (m_updatesByRows && !isAddedAlone) {
            FusedKernel::GradientRows gradient{ &*m_product, { operandsOf(0) }, members.size(), firstRow, rows };
            if (members.size() == 2)
                gradient.operands[1] = operandsOf(1);
            m_fused->runRows(slotsOf(writers.front()), fusedScratch, gradient);
            continue;
        }
        const auto multiply = [&](std::byte* out, std::size_t member) {
            const Product::Operands operands = operandsOf(member);
            m_product->runRows(out, operands.lhs, operands.rhs, firstRow, rows);
        };
        std::size_t next = 1;
        if (members.size() > 1 && m_sum->isSum() && !isAddedAlone)
            m_product->runRowsOfTwo(sum, operandsOf(0), operandsOf(next++), firstRow, rows);
        else
            multiply(sum, 0);
        for (; next < members.size(); ++next) {
            multiply(addend, next);
            timed([&] { m_sum->combine(sum, sum, addend, count); });
        }
        const auto store = [&] {
            for (const std::int32_t member : members)
                if (std::byte* to = slotsOf(member)[m_out] + first * m_elementBytes; m_pastCaches)
                    copyPastCaches(to, sum, count * m_elementBytes);
                else
                    std::memcpy(to, sum, static_cast<std::size_t>(count * m_elementBytes));
        };
        if (m_isStored && m_sum)
            timed(store);
        else if (m_isStored)
            store();
        for (const std::int32_t writer : writers)
            m_fused->runRange(slotsOf(writer), fusedScratch, first, first + count, { m_out, sum, first });
    }
    if (m_pastCaches)
        finishCopies();
    const std::int64_t all = endTile - firstTile, counted = (all + tilesPerTimed - 1) / tilesPerTimed;
    return std::chrono::duration<double>(adding).count() * static_cast<double>(all)
        / static_cast<double>(std::max<std::int64_t>(counted, 1));
}

} // namespace shardscope
