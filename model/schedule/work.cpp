// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/work.h"

#include <algorithm>
#include <optional>

#include "program/element_bits.h"

namespace shardscope {

Lists Lists::of(std::size_t count, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs)
{
    Lists lists;
    lists.begin.assign(count + 1, 0);
    for (const auto& [list, item] : pairs)
        ++lists.begin[list + 1];
    for (std::size_t i = 0; i < count; ++i)
        lists.begin[i + 1] += lists.begin[i];
    lists.data.resize(pairs.size());
    std::vector<std::uint32_t> next(lists.begin.begin(), lists.begin.end() - 1);
    for (const auto& [list, item] : pairs)
        lists.data[next[list]++] = item;
    return lists;
}

std::uint32_t Work::readBy(std::uint32_t op, std::uint32_t value) const
{
    if (!elementwise[op])
        return value;
    switch (inlined[value].kind) {
    case Inline::Kind::No:
        return value;
    case Inline::Kind::Constant:
        return none;
    case Inline::Kind::Scalar:
    case Inline::Kind::Repeated:
        return inlined[value].source;
    }
    return value;
}

namespace {

bool isFloatOnly(OpKind kind)
{
    switch (kind) {
    case OpKind::Exponential:
    case OpKind::Log:
    case OpKind::Logistic:
    case OpKind::Tanh:
    case OpKind::Sqrt:
    case OpKind::Rsqrt:
    case OpKind::Sine:
    case OpKind::Cosine:
        return true;
    default:
        return false;
    }
}
bool isNumeric(OpKind kind)
{
    switch (kind) {
    case OpKind::Abs:
    case OpKind::Negate:
    case OpKind::Sign:
    case OpKind::Subtract:
    case OpKind::Divide:
    case OpKind::Power:
    case OpKind::Clamp:
        return true;
    default:
        return false;
    }
}
bool isBitwise(OpKind kind)
{
    return kind == OpKind::Not || kind == OpKind::And || kind == OpKind::Or;
}
bool isForAll(OpKind kind)
{
    switch (kind) {
    case OpKind::Add:
    case OpKind::Multiply:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Select:
    case OpKind::Compare:
    case OpKind::Convert:
        return true;
    default:
        return false;
    }
}
bool hasFusedType(DType dtype)
{
    switch (dtype) {
    case DType::Pred:
    case DType::I32:
    case DType::BF16:
    case DType::F16:
    case DType::F32:
    case DType::F64:
        return true;
    default:
        return false;
    }
}

/// The one element of a constant that is the same everywhere.
std::optional<double> splatOf(const Operation& operation, DType dtype)
{
    const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes);
    if (!constant)
        return std::nullopt;
    if (!constant->bytes)
        return constant->values.size() == 1 ? std::optional((*constant->values)[0]) : std::nullopt;
    if (static_cast<std::int64_t>(constant->bytes->size()) != byteSize(dtype))
        return std::nullopt;
    const std::byte* bytes = constant->bytes->data();
    return isFloat(dtype)     ? floatAt(dtype, bytes)
        : hasFusedType(dtype) ? std::optional(static_cast<double>(integerAt(dtype, bytes)))
                              : std::nullopt;
}

Inline inlineOf(const Work& work, std::uint32_t number)
{
    const FlatOp& op = work.block->ops[number];
    const Operation& operation = work.operation(number);
    if (operation.kind == OpKind::Constant) {
        if (const auto splat = splatOf(operation, work.program->value(op.results[0]).localType.dtype))
            return { Inline::Kind::Constant, *splat, none, none };
    }
    if (operation.kind == OpKind::BroadcastInDim) {
        const std::uint32_t source = work.operand(op, 0);
        const TensorType& type = work.program->values[source].localType;
        const Inline& inner = work.inlined[source];
        if (!hasFusedType(type.dtype))
            return {};
        if (inner.kind == Inline::Kind::Constant || inner.kind == Inline::Kind::Scalar)
            return inner;
        if (type.rank() == 0)
            return { Inline::Kind::Scalar, 0, source, none };
        if (!repeatsOf(*work.program->local, operation).empty())
            return { Inline::Kind::Repeated, 0, source, number };
    }
    return {};
}

/// What every trip of a loop hands on as it got it: result `result` is the operand of that number.
bool isUnchanged(const Work& work, std::uint32_t number, std::size_t result)
{
    const FlatOp& op = work.block->ops[number];
    if (work.plain || work.operation(number).kind != OpKind::While || !op.results[result].valid()
        || !op.operands[result].valid())
        return false;
    const FlatBlock& body = work.program->blocks[op.blocks[1]];
    return body.results[result] == body.arguments[result];
}

/// The operand whose memory a result may take, where nobody else needs that: an all-reduce works in place, so does what
/// writes a slice, and a loop goes on where its state begins.
std::uint32_t operandInPlace(const Work& work, std::uint32_t number, std::size_t result)
{
    const FlatOp& op = work.block->ops[number];
    const OpKind kind = work.operation(number).kind;
    const bool writesSlice = kind == OpKind::DynamicUpdateSlice;
    if ((kind != OpKind::AllReduce && kind != OpKind::While && !writesSlice) || result >= op.operands.size()
        || !op.operands[result].valid())
        return none;
    const std::uint32_t operand = work.operand(op, result);
    if (writesSlice && work.operand(op, 1) == operand)
        return none;
    const bool fits = work.definition[operand] != none && !work.outlives[operand] && work.users[operand].size() == 1
        && work.program->values[operand].localType.byteCount()
            == work.program->value(op.results[result]).localType.byteCount();
    return fits ? operand : none;
}

} // namespace

bool hasFusedKernel(OpKind kind, DType operand, DType result)
{
    if (!hasFusedType(operand) || !hasFusedType(result))
        return false;
    if (kind == OpKind::Convert)
        return true;
    if (kind == OpKind::Compare)
        return result == DType::Pred;
    if (operand != result)
        return false;
    const bool isReal = isFloat(operand);
    return isForAll(kind) || (isReal && isFloatOnly(kind)) || (operand != DType::Pred && isNumeric(kind))
        || (!isReal && isBitwise(kind));
}

bool isFusable(const Program& local, const Operation& operation)
{
    if (operation.results.size() != 1 || operation.operands.empty())
        return false;
    const TensorType& result = local.value(operation.results[0]).type;
    const auto typeOf = [&](std::size_t i) -> const TensorType& { return local.value(operation.operands[i]).type; };
    for (std::size_t i = 0; i < operation.operands.size(); ++i)
        if (!hasFusedType(typeOf(i).dtype) || (typeOf(i).rank() != 0 && typeOf(i).shape != result.shape))
            return false;
    if (const auto* compare = std::get_if<CompareAttributes>(&operation.attributes);
        compare && compare->type == CompareType::TotalOrder)
        return false;
    return hasFusedKernel(operation.kind, typeOf(operation.kind == OpKind::Select ? 1 : 0).dtype, result.dtype);
}

SmallVector<FusedInstruction::Dimension, 4> repeatsOf(const Program& local, const Operation& broadcast)
{
    constexpr std::size_t most = 4; // that are stepped through without memory of their own
    const auto& dimensions = std::get<BroadcastAttributes>(broadcast.attributes).dimensions;
    const Shape& from = local.value(broadcast.operands[0]).type.shape;
    const Shape& to = local.value(broadcast.results[0]).type.shape;
    Shape strides(to.size(), 0);
    std::int64_t stride = 1, elements = 1;
    for (std::size_t d = from.size(); d-- > 0; stride *= from[d])
        if (from[d] != 1)
            strides[static_cast<std::size_t>(dimensions[d])] = stride;
    SmallVector<FusedInstruction::Dimension, 4> repeats;
    for (std::size_t d = 0; d < to.size(); ++d) {
        elements *= to[d];
        if (to[d] == 1)
            continue;
        if (!repeats.empty() && repeats.back().stride == to[d] * strides[d])
            repeats.back() = { repeats.back().extent * to[d], strides[d] };
        else if (!repeats.empty() || strides[d] != 0) // what repeats all of it needs no dimension
            repeats.push_back({ to[d], strides[d] });
    }
    const bool fits = elements > stride && stride > 0 && !repeats.empty() && repeats.size() <= most
        && (repeats.back().stride == 0 || repeats.back().stride == 1);
    return fits ? repeats : SmallVector<FusedInstruction::Dimension, 4>();
}

Work analyseWork(const FlatProgram& program, const FlatBlock& block, const ScheduleOptions& options)
{
    Work work;
    work.program = &program;
    work.block = &block;
    work.plain = options.plain;
    const bool isMain = &block == &program.main();
    const std::size_t values = program.values.size();
    const std::size_t ops = block.ops.size();
    work.same.resize(values);
    for (std::size_t v = 0; v < values; ++v)
        work.same[v] = static_cast<std::uint32_t>(v);
    work.storage = work.same;
    work.definition.assign(values, none);
    work.outlives.resize(values);
    work.inlined.resize(values);
    work.live.resize(ops);
    work.elementwise.resize(ops);
    work.nodeOf.assign(ops, none);

    for (std::uint32_t i = 0; i < ops; ++i) {
        const FlatOp& op = block.ops[i];
        const Operation& operation = work.operation(i);
        work.forResults(i, [&](std::uint32_t result) { work.definition[result] = i; });
        const bool isSame =
            operation.kind == OpKind::ShardingConstraint || (operation.kind == OpKind::Reshape && !options.plain);
        if (isSame) {
            work.same[op.results[0].index] = work.operand(op, 0);
            continue;
        }
        for (std::size_t r = 0; r < op.results.size(); ++r)
            if (isUnchanged(work, i, r)) {
                work.same[op.results[r].index] = work.operand(op, r);
                work.definition[op.results[r].index] = none;
            }
        if (!options.fuse || options.plain || op.results.size() != 1 || !op.results[0].valid())
            continue;
        work.elementwise[i] = isFusable(*program.local, operation);
        work.inlined[op.results[0].index] = inlineOf(work, i);
    }
    if (isMain)
        for (const auto& [name, value] : program.aliases)
            work.same[name.index] = work.same[value.index];

    for (const FlatValueId result : block.results)
        if (result.valid())
            work.outlives[work.same[result.index]] = true;
    work.returned = work.outlives;
    if (isMain)
        for (const ValueId kept : options.keep) {
            work.outlives[work.same[kept.index]] = true;
            if (work.same[kept.index] != kept.index)
                work.keptAliases.push_back(kept.index);
        }
    // Backwards: an operation lives if its result is needed and not read as a constant or scalar alone.
    std::vector<bool> needed = work.outlives;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reads;
    for (auto i = static_cast<std::uint32_t>(ops); i-- > 0;) {
        const FlatOp& op = block.ops[i];
        bool isNeeded = op.results.empty() // what the program expects of its own values
            || (options.plain && work.operation(i).kind != OpKind::ShardingConstraint);
        work.forResults(
            i, [&](std::uint32_t result) { isNeeded = isNeeded || (work.same[result] == result && needed[result]); });
        if (!isNeeded)
            continue;
        work.live[i] = true;
        const std::size_t first = reads.size();
        work.forReads(i, [&](std::uint32_t read) {
            needed[read] = true;
            reads.emplace_back(read, i);
        });
        std::reverse(reads.begin() + static_cast<std::ptrdiff_t>(first), reads.end());
    }
    work.users = Lists::of(values, std::vector(reads.rbegin(), reads.rend()));
    for (std::uint32_t& definition : work.definition)
        if (definition != none && !work.live[definition])
            definition = none;
    for (std::uint32_t i = 0; i < ops; ++i)
        for (std::size_t r = 0; work.live[i] && !options.plain && r < block.ops[i].results.size(); ++r)
            if (block.ops[i].results[r].valid() && !isUnchanged(work, i, r))
                if (const std::uint32_t operand = operandInPlace(work, i, r); operand != none)
                    work.storage[block.ops[i].results[r].index] = work.storage[operand];
    return work;
}

} // namespace shardscope
