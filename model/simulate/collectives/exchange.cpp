// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/collectives/exchange.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include <unistd.h>

#include "base/codes.h"
#include "program/body.h"
#include "program/collective_groups.h"
#include "program/other_attributes.h"
#include "simulate/kernels/elementwise.h"
#include "simulate/run/not_executable.h"

namespace shardscope {

namespace {

constexpr std::int64_t taskBytes = 64 * 1024; // of one member's part in an all-reduce task
constexpr std::size_t timeBytes = 16; // per task of every exchange, for the times that a run keeps of the largest one

tl::unexpected<Error> mismatch(const char* detail)
{
    return fail(Code::VersionMismatch, { { "detail", detail } });
}

constexpr std::int64_t bytesOfRow = 2 * sizeof(std::int64_t); // where it comes from and where it goes

using Groups = std::vector<std::vector<std::int32_t>>;

/// Whether results are so large together that none of them is in a cache when the next instruction reads it.
bool exceedsCaches(const TensorType& result, std::int64_t devices)
{
    static const double cacheBytes = [] {
        constexpr double usual = 64 * 1024 * 1024; // the last level of most processors is smaller
#ifdef _SC_LEVEL3_CACHE_SIZE
        return std::max(usual, static_cast<double>(sysconf(_SC_LEVEL3_CACHE_SIZE)));
#else
        return usual;
#endif
    }();
    return static_cast<double>(result.byteCount()) * static_cast<double>(devices) > cacheBytes;
}

DeviceCounts countsOf(const FlatProgram& program)
{
    return { program.replicas, program.mesh->deviceCount() / program.replicas };
}

/// As the operation lists them, in mesh positions.
Groups listedGroups(const Plan& plan, const Operation& operation)
{
    const Mesh& mesh = *plan.program->mesh;
    Groups groups = groupsOf(operation, countsOf(*plan.program));
    for (std::vector<std::int32_t>& group : groups)
        for (std::int32_t& device : group)
            device = static_cast<std::int32_t>(mesh.positionOf(device));
    std::erase_if(groups, [](const auto& group) { return group.empty(); });
    return groups;
}

} // namespace

std::vector<std::vector<std::int32_t>> connectedDevices(
    std::span<const std::vector<std::int32_t>> groups, std::int64_t devices)
{
    std::vector<std::int32_t> root(static_cast<std::size_t>(devices));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](std::int32_t position) {
        while (root[static_cast<std::size_t>(position)] != position)
            position = root[static_cast<std::size_t>(position)] =
                root[static_cast<std::size_t>(root[static_cast<std::size_t>(position)])];
        return position;
    };
    for (const std::vector<std::int32_t>& group : groups)
        for (const std::int32_t member : group)
            root[static_cast<std::size_t>(std::max(find(group.front()), find(member)))] =
                std::min(find(group.front()), find(member));
    std::vector<std::int32_t> numberOf(root.size(), -1);
    Groups sets;
    for (std::int32_t position = 0; position < static_cast<std::int32_t>(root.size()); ++position) {
        std::int32_t& number = numberOf[static_cast<std::size_t>(find(position))];
        if (number < 0) {
            number = static_cast<std::int32_t>(sets.size());
            sets.emplace_back();
        }
        sets[static_cast<std::size_t>(number)].push_back(position);
    }
    return sets;
}

namespace {

/// Of groups that go with the devices.
Groups meetingGroups(const Plan& plan, const Operation& operation)
{
    Groups groups = listedGroups(plan, operation);
    if (operation.kind != OpKind::CollectivePermute)
        return groups;
    std::erase_if(groups, [](const auto& pair) { return pair.size() != 2; });
    return connectedDevices(groups, plan.program->mesh->deviceCount());
}

} // namespace

std::vector<std::vector<std::int32_t>> collectiveGroups(const Plan& plan, const Operation& operation)
{
    return wrongGroups(*plan.program->local, operation, countsOf(*plan.program)) ? Groups()
                                                                                 : meetingGroups(plan, operation);
}

Result<Exchange> Exchange::prepare(const Plan& plan, const Instruction& instruction, std::size_t operandIndex,
    const KernelSet& kernels, MemoryBudget& budget, const std::stop_token& stop)
{
    const Program& program = *plan.program->local;
    const Operation& operation = program.operation(std::get<CollectiveInstruction>(instruction.action).operation);
    const std::int64_t devices = plan.program->mesh->deviceCount();
    if (operandIndex >= instruction.operands.size() || operandIndex >= instruction.results.size())
        return mismatch("not a collective of that many arrays");
    if (auto wrong = wrongGroups(program, operation, countsOf(*plan.program)))
        return cannot(program, operation, std::move(*wrong));
    const TensorType& operand = program.value(operation.operands[operandIndex]).type;
    const TensorType& result = program.value(operation.results[operandIndex]).type;
    const Slot& from = plan.slot(instruction.operands[operandIndex]);
    const Slot& to = plan.slot(instruction.results[operandIndex]);

    Exchange exchange;
    exchange.m_operation = &operation;
    exchange.m_operand = instruction.operands[operandIndex].index;
    exchange.m_result = instruction.results[operandIndex].index;
    exchange.m_elementBytes = byteSize(operand.dtype);
    exchange.m_resultBytes = result.byteCount();
    // Groups, and per device a task and lists of what it receives.
    const std::int64_t perDevice = static_cast<std::int64_t>(
        sizeof(std::int32_t) + sizeof(std::vector<std::int32_t>) + sizeof(Task) + timeBytes + sizeof(Rows));
    SHARDSCOPE_CHECK(budget.take(devices * perDevice));
    exchange.m_reduces = operation.kind == OpKind::AllReduce || operation.kind == OpKind::ReduceScatter;
    if (exchange.m_reduces)
        SHARDSCOPE_CHECK(exchange.chooseReduction(program, operand.dtype, kernels));
    const bool apart = from.offset + from.bytes <= to.offset || to.offset + to.bytes <= from.offset;
    const bool inPlace = operation.kind == OpKind::AllReduce && from.offset == to.offset;
    if (!apart && !inPlace && operand.byteCount() != 0)
        return mismatch("operand and result of a collective overlap");

    exchange.m_groups = meetingGroups(plan, operation);
    exchange.m_pastCaches = apart && operation.kind != OpKind::ReduceScatter && exceedsCaches(result, devices);
    const auto finished = [&](const Result<void>& done) -> Result<Exchange> {
        SHARDSCOPE_CHECK(done);
        if (operation.kind != OpKind::AllReduce) // receivers in the order of all that devices do: see ThreadPool::run()
            std::sort(exchange.m_tasks.begin(), exchange.m_tasks.end(),
                [](const Task& a, const Task& b) { return a.begin < b.begin; });
        return std::move(exchange);
    };
    switch (operation.kind) {
    case OpKind::AllReduce:
        return finished(exchange.prepareAllReduce(operand.elementCount(), budget));
    case OpKind::ReduceScatter:
        return finished(exchange.prepareReduceScatter(operand, result, budget, stop));
    case OpKind::CollectivePermute:
        if (!budget.onlyCounts())
            exchange.preparePermute(operand, listedGroups(plan, operation));
        return finished(budget.take(devices * static_cast<std::int64_t>(sizeof(Move))));
    case OpKind::CollectiveBroadcast:
        exchange.addAbsent(devices);
        return finished(exchange.prepareMoves(operand, result, budget, stop));
    default:
        return finished(exchange.prepareMoves(operand, result, budget, stop));
    }
}

void Exchange::addAbsent(std::int64_t devices)
{
    std::vector<bool> present(static_cast<std::size_t>(devices));
    for (const auto& group : m_groups)
        for (const std::int32_t member : group)
            present[static_cast<std::size_t>(member)] = true;
    m_receiving = m_groups.size();
    for (std::int32_t position = 0; position < devices; ++position)
        if (!present[static_cast<std::size_t>(position)])
            m_groups.push_back({ position });
}

Result<void> Exchange::chooseReduction(const Program& program, DType dtype, const KernelSet& kernels)
{
    const std::optional<ReduceKind> kind = reductionOf(program, *m_operation);
    m_isSum = kind == ReduceKind::Sum;
    if (kind)
        m_combine = kernels.elementwise({ combinerOf(*kind), Comparison::Equal, dtype, dtype, 0 });
    if (m_combine)
        return {};
    const std::array pair{ dtype, dtype };
    const bool hasKernel =
        kind && kernels::elementKernel(combinerOf(*kind), {}, pair, dtype); // not bits of complex ones
    std::optional<kernels::Body> body = m_operation->regions.empty()
        ? (hasKernel ? std::optional(kernels::Body::ofKind(*kind, std::array{ dtype })) : std::nullopt)
        : kernels::Body::translate(program, m_operation->regions[0]);
    if (!body || !body->outside.empty())
        return cannot(program, *m_operation, { { "wrong", "body" } });
    m_body = std::make_shared<const kernels::Body>(std::move(*body));
    return {};
}

Result<void> Exchange::prepareAllReduce(std::int64_t elements, MemoryBudget& budget)
{
    const std::int64_t perTask = taskBytes / m_elementBytes;
    const std::int64_t tasks = (elements + perTask - 1) / perTask;
    if (auto taken = budget.take(static_cast<double>(tasks) * static_cast<double>(m_groups.size())
            * static_cast<double>(sizeof(Task) + timeBytes));
        !taken || budget.onlyCounts())
        return taken;
    m_tasks.reserve(static_cast<std::size_t>(tasks) * m_groups.size());
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        for (std::int64_t begin = 0; begin < elements; begin += perTask)
            m_tasks.push_back({ group, begin, std::min(begin + perTask, elements) });
        m_copiedBytes += static_cast<std::int64_t>(m_groups[group].size()) * elements * m_elementBytes;
    }
    return {};
}

StridedCopy Exchange::partOf(const TensorType& operand, const TensorType& result, std::size_t receiver,
    std::size_t source, std::size_t members) const
{
    const auto& own = *attributesAs<CollectiveAttributes>(m_operation->attributes);
    const auto split = static_cast<std::size_t>(own.dimension);
    const Shape from = rowMajorStrides(operand.shape), to = rowMajorStrides(result.shape);
    Shape box = *operand.shape;
    if (m_operation->kind == OpKind::AllGather)
        return StridedCopy(
            box, to, from, m_elementBytes, static_cast<std::int64_t>(source) * box[split] * to[split], 0);
    if (m_operation->kind == OpKind::CollectiveBroadcast)
        return StridedCopy(box, to, from, m_elementBytes);
    const auto concat = static_cast<std::size_t>(own.concatDimension); // of an all_to_all
    box[split] /= static_cast<std::int64_t>(members);
    return StridedCopy(box, to, from, m_elementBytes, static_cast<std::int64_t>(source) * box[concat] * to[concat],
        static_cast<std::int64_t>(receiver) * box[split] * from[split]);
}

Result<void> Exchange::prepareMoves(
    const TensorType& operand, const TensorType& result, MemoryBudget& budget, const std::stop_token& stop)
{
    const bool broadcasts = m_operation->kind == OpKind::CollectiveBroadcast;
    double moves = 0;
    std::size_t last = 0;
    for (const auto& group : m_groups) {
        const auto members = static_cast<double>(group.size());
        moves += broadcasts ? members : members * members;
        for (const std::int32_t member : group)
            last = std::max(last, static_cast<std::size_t>(member));
    }
    if (auto taken = budget.take(moves * static_cast<double>(sizeof(Move))); !taken || budget.onlyCounts())
        return taken;
    m_moves.resize(last + 1);
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        const std::vector<std::int32_t>& members = m_groups[group];
        for (std::size_t receiver = 0; receiver < members.size(); ++receiver) {
            if (stop.stop_requested())
                return {};
            std::vector<Move>& taken = m_moves[static_cast<std::size_t>(members[receiver])];
            const std::size_t sources = group >= m_receiving ? 0 : broadcasts ? 1 : members.size();
            for (std::size_t source = 0; source < sources; ++source)
                taken.push_back({ members[source], partOf(operand, result, receiver, source, members.size()) });
            for (const Move& move : taken)
                m_copiedBytes += move.copy.bytes();
            m_tasks.push_back({ group, members[receiver], 0 });
        }
    }
    return {};
}

void Exchange::preparePermute(const TensorType& type, const std::vector<std::vector<std::int32_t>>& pairs)
{
    std::size_t devices = 0;
    for (const auto& group : m_groups)
        devices += group.size();
    m_moves.resize(devices);
    const Shape strides = rowMajorStrides(type.shape);
    for (const auto& pair : pairs) {
        if (pair.size() != 2)
            continue;
        std::vector<Move>& taken = m_moves[static_cast<std::size_t>(pair[1])];
        taken.push_back({ pair[0], StridedCopy(type.shape, strides, strides, m_elementBytes) });
        m_copiedBytes += type.byteCount();
    }
    for (std::size_t group = 0; group < m_groups.size(); ++group)
        for (const std::int32_t receiver : m_groups[group])
            m_tasks.push_back({ group, receiver, 0 });
}

Result<void> Exchange::prepareReduceScatter(
    const TensorType& operand, const TensorType& result, MemoryBudget& budget, const std::stop_token& stop)
{
    const auto dimension =
        static_cast<std::size_t>(attributesAs<CollectiveAttributes>(m_operation->attributes)->dimension);
    const Shape from = rowMajorStrides(operand.shape);
    // Neighbours in both arrays: everything from the scattered dimension on.
    std::int64_t rowCount = 1;
    for (std::size_t d = 0; d < dimension; ++d)
        rowCount *= result.shape[d];
    const std::int64_t length = result.shape[dimension] * from[dimension];
    double rows = 0;
    std::size_t last = 0;
    for (const auto& group : m_groups)
        for (const std::int32_t member : group) {
            rows += static_cast<double>(rowCount);
            last = std::max(last, static_cast<std::size_t>(member));
        }
    if (auto taken = budget.take(rows * static_cast<double>(bytesOfRow)); !taken || budget.onlyCounts())
        return taken;
    m_rows.resize(last + 1);
    const std::int64_t pitch = operand.shape[dimension] * from[dimension];
    for (std::size_t group = 0; group < m_groups.size(); ++group)
        for (std::size_t receiver = 0; receiver < m_groups[group].size(); ++receiver) {
            if (stop.stop_requested())
                return {};
            const std::int32_t position = m_groups[group][receiver];
            m_tasks.push_back({ group, position, 0 });
            if (result.elementCount() == 0)
                continue;
            Rows& taken = m_rows[static_cast<std::size_t>(position)];
            taken.length = length;
            for (std::int64_t row = 0; row < rowCount; ++row) {
                taken.target.push_back(row * length * m_elementBytes);
                taken.source.push_back((row * pitch + static_cast<std::int64_t>(receiver) * length) * m_elementBytes);
            }
            m_copiedBytes += result.byteCount();
        }
    return {};
}

void Exchange::combine(std::byte* out, const std::byte* a, const std::byte* b, std::int64_t count) const
{
    if (m_combine)
        return m_combine(out, a, b, nullptr, count);
    kernels::BodyRun body(*m_body);
    body.run(std::array{ a, b }, std::array{ out }, count);
}

void Exchange::reduceRange(
    const Task& task, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const
{
    const std::vector<std::int32_t>& members = m_groups[task.group];
    const auto at = [&](std::size_t member, std::uint32_t slot, std::int64_t element) {
        return addresses[static_cast<std::size_t>(members[member]) * slotCount + slot] + element * m_elementBytes;
    };
    if (members.size() == 1) {
        std::byte* target = at(0, m_result, task.begin);
        const std::byte* source = at(0, m_operand, task.begin);
        const std::int64_t bytes = (task.end - task.begin) * m_elementBytes;
        if (m_pastCaches)
            copyPastCaches(target, source, bytes);
        else if (target != source)
            std::memcpy(target, source, static_cast<std::size_t>(bytes));
        return;
    }
    const std::int64_t block = (m_pastCaches ? pageBytes : blockBytes) / m_elementBytes;
    for (std::int64_t begin = task.begin; begin < task.end; begin += block) {
        const std::int64_t count = std::min(block, task.end - begin), bytes = count * m_elementBytes;
        // The last sum goes to the first member, when all members have been read; from there it is handed out. A sum
        // that bypasses the caches goes from the scratch memory to every member, while the next block is fetched.
        const std::byte* sum = at(0, m_operand, begin);
        for (std::size_t member = 1; member < members.size(); ++member) {
            std::byte* target = member + 1 == members.size() && !m_pastCaches ? at(0, m_result, begin) : scratch;
            combine(target, sum, at(member, m_operand, begin), count);
            sum = target;
        }
        if (m_pastCaches) {
            const bool isNextFull = begin + 2 * block <= task.end; // a shorter one is read without being fetched
            for (std::size_t member = 0; member < members.size(); ++member)
                copyPastCaches(at(member, m_result, begin), sum, bytes,
                    isNextFull ? at(member, m_operand, begin + block) : nullptr);
        } else
            for (std::size_t member = 1; member < members.size(); ++member)
                std::memcpy(at(member, m_result, begin), sum, static_cast<std::size_t>(bytes));
    }
}

void Exchange::run(std::int64_t index, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const
{
    const Task& task = m_tasks[static_cast<std::size_t>(index)];
    if (m_operation->kind == OpKind::AllReduce)
        reduceRange(task, addresses, slotCount, scratch);
    else
        receive(task, addresses, slotCount);
    if (m_pastCaches)
        finishCopies();
}

void Exchange::receive(const Task& task, std::byte* const* addresses, std::size_t slotCount) const
{
    const auto receiver = static_cast<std::size_t>(task.begin);
    std::byte* target = addresses[receiver * slotCount + m_result];
    const auto operandOf = [&](std::int32_t position) -> const std::byte* {
        return addresses[static_cast<std::size_t>(position) * slotCount + m_operand];
    };
    if (!m_reduces) {
        if (m_moves[receiver].empty()) // nobody sends it anything
            std::memset(target, 0, static_cast<std::size_t>(m_resultBytes));
        for (const Move& move : m_moves[receiver])
            move.copy.run(target, operandOf(move.source), m_pastCaches);
        return;
    }
    const std::vector<std::int32_t>& members = m_groups[task.group];
    const Rows& rows = m_rows[receiver];
    for (std::size_t row = 0; row < rows.target.size(); ++row) {
        std::byte* out = target + rows.target[row];
        std::memcpy(
            out, operandOf(members[0]) + rows.source[row], static_cast<std::size_t>(rows.length * m_elementBytes));
        for (std::size_t member = 1; member < members.size(); ++member)
            combine(out, out, operandOf(members[member]) + rows.source[row], rows.length);
    }
}

} // namespace shardscope
