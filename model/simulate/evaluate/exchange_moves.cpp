// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/exchange_moves.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "program/body.h"
#include "simulate/evaluate/body.h"
#include "simulate/evaluate/position.h"
#include "simulate/evaluate/stream_copy.h"

namespace shardscope::evaluate {

namespace {

BodyRun reducer(const Exchanged& all, const Devices& group)
{
    const Program& program = all.state.program();
    if (all.op.regions.empty())
        return BodyRun(Body::ofKind(reductionOf(program, all.op).value_or(ReduceKind::Sum),
            std::array{ program.value(all.operand).type.dtype }));
    const DeviceScope scope(all.state, group[0]);
    return { { program, all.op, {}, &scope }, all.op.regions[0] };
}

/// Elements of a run, in bytes that stay in the fastest cache.
constexpr std::int64_t blockBytes = 8192;
/// What one task reads of every member.
constexpr std::int64_t taskBytes = std::int64_t{ 256 } << 10;

/// Bytes that an exchange of all groups reads and writes.
double traffic(const Exchanged& all, std::size_t devices)
{
    return all.state.bytesOf(all.op) * static_cast<double>(devices);
}

std::size_t memberCount(const Groups& groups)
{
    std::size_t count = 0;
    for (const Devices& group : groups)
        count += group.size();
    return count;
}

void askFor(const std::byte* from, std::int64_t bytes)
{
    for (std::int64_t line = 0; line < bytes; line += 64)
        __builtin_prefetch(from + line, 0, 2);
}

/// Arrays of the result's type, not set.
void makeResults(const Exchanged& all)
{
    const TensorType& type = all.state.program().value(all.result).type;
    for (const Devices& group : all.groups)
        for (const std::int32_t device : group) {
            const StoreScope scope(*all.state.machine().store(device));
            all.made[at(device)] = Array::make(type);
        }
}

/// One piece that goes from a member of a group to another.
struct Piece {
    std::int32_t source = 0, target = 0;
    std::int64_t sourceOffset = 0, targetOffset = 0; ///< elements
};

/// Pieces of one shape, between arrays of two.
void movePieces(const Exchanged& all, const std::vector<Piece>& pieces, const Shape& shape)
{
    const Program& program = all.state.program();
    const TensorType &from = program.value(all.operand).type, &to = program.value(all.result).type;
    const Shape fromStrides = stridesOf(from.shape), toStrides = stridesOf(to.shape);
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        return;
    const std::int64_t bytes = byteSize(from.dtype);
    const bool large = to.byteCount() >= streamFrom;
    all.state.machine().workers.run(
        static_cast<std::int64_t>(pieces.size()), traffic(all, memberCount(all.groups)), [&](std::int64_t task) {
            const Piece& piece = pieces[at(task)];
            (large ? streamBox : copyBox)(shape, all.made[at(piece.target)].data() + piece.targetOffset * bytes,
                toStrides, all.state.at(all.operand, piece.source).data() + piece.sourceOffset * bytes, fromStrides,
                bytes);
        });
}

} // namespace

void allReduce(const Exchanged& all)
{
    makeResults(all);
    const TensorType& type = all.state.program().value(all.operand).type;
    const std::int64_t bytes = byteSize(type.dtype), count = type.elementCount();
    const std::int64_t perTask = std::max<std::int64_t>(taskBytes / bytes, 1),
                       tasks = (count + perTask - 1) / perTask; // of one group
    const bool large = type.byteCount() >= streamFrom;
    all.state.machine().workers.run(tasks * static_cast<std::int64_t>(all.groups.size()),
        traffic(all, memberCount(all.groups)), [&](std::int64_t task) {
            const Devices& group = all.groups[at(task / tasks)];
            const std::int64_t begin = task % tasks * perTask, end = std::min(count, begin + perTask),
                               block = blockBytes / bytes;
            std::vector<const std::byte*> sources;
            std::vector<std::byte*> targets;
            for (const std::int32_t device : group) {
                sources.push_back(all.state.at(all.operand, device).data());
                targets.push_back(all.made[at(device)].data());
            }
            BodyRun body = reducer(all, group);
            alignas(64) std::array<std::byte, at(blockBytes)> sums;
            const std::array<std::byte*, 1> put{ sums.data() };
            for (std::int64_t first = begin; first < end; first += block) {
                const std::int64_t n = std::min(block, end - first), offset = first * bytes;
                const std::byte* sum = sources[0] + offset;
                for (std::size_t i = 1; i < sources.size(); ++i) {
                    // What is read next, while this is added: the memory is never idle.
                    if (i + 1 < sources.size())
                        askFor(sources[i + 1] + offset, n * bytes);
                    else if (const std::int64_t more = std::min(block, end - first - n); more > 0)
                        for (const std::byte* source : { sources[0], sources[1] })
                            askFor(source + offset + n * bytes, more * bytes);
                    const std::array<const std::byte*, 2> pair{ sum, sources[i] + offset };
                    body.run(pair, put, n);
                    sum = sums.data();
                }
                for (std::byte* target : targets)
                    if (large)
                        streamCopy(target + offset, sum, at(n * bytes));
                    else
                        std::memcpy(target + offset, sum, at(n * bytes));
            }
        });
}

void reduceScatter(const Exchanged& all)
{
    struct Taker {
        const Devices* group;
        std::int64_t part;
    };
    std::vector<Taker> takers;
    for (const Devices& group : all.groups)
        for (std::size_t k = 0; k < group.size(); ++k)
            takers.push_back({ &group, static_cast<std::int64_t>(k) });
    all.state.machine().workers.run(
        static_cast<std::int64_t>(takers.size()), traffic(all, takers.size()), [&](std::int64_t task) {
            const Devices& group = *takers[at(task)].group;
            const std::int64_t part = takers[at(task)].part, parts = static_cast<std::int64_t>(group.size());
            const std::int32_t device = group[at(part)];
            const StoreScope scope(*all.state.machine().store(device));
            Array sum = partOf(all.state.at(all.operand, group[0]), all.dimension, part, parts);
            BodyRun body = reducer(all, group);
            const std::array<std::byte*, 1> put{ sum.data() };
            for (std::size_t i = 1; i < group.size(); ++i) {
                const Array next = partOf(all.state.at(all.operand, group[i]), all.dimension, part, parts);
                const std::array<const std::byte*, 2> pair{ sum.data(), next.data() };
                body.run(pair, put, sum.count());
            }
            all.made[at(device)] = std::move(sum);
        });
}

void allGather(const Exchanged& all)
{
    makeResults(all);
    const Program& program = all.state.program();
    const Shape& shape = program.value(all.operand).type.shape;
    const std::int64_t pitch = stridesOf(program.value(all.result).type.shape)[all.dimension] * shape[all.dimension];
    std::vector<Piece> pieces;
    for (const Devices& group : all.groups)
        for (const std::int32_t target : group)
            for (std::size_t k = 0; k < group.size(); ++k)
                pieces.push_back({ group[k], target, 0, static_cast<std::int64_t>(k) * pitch });
    movePieces(all, pieces, shape);
}

void allToAll(const Exchanged& all)
{
    makeResults(all);
    const Program& program = all.state.program();
    const TensorType &from = program.value(all.operand).type, &to = program.value(all.result).type;
    const auto size = static_cast<std::int64_t>(all.groups.empty() ? 1 : all.groups[0].size());
    Shape shape = from.shape;
    shape[all.dimension] /= size;
    const std::int64_t fromPitch = stridesOf(from.shape)[all.dimension] * shape[all.dimension],
                       toPitch = stridesOf(to.shape)[all.concatDimension] * shape[all.concatDimension];
    std::vector<Piece> pieces;
    for (const Devices& group : all.groups)
        for (std::size_t taker = 0; taker < group.size(); ++taker)
            for (std::size_t giver = 0; giver < group.size(); ++giver)
                pieces.push_back({ group[giver], group[taker], static_cast<std::int64_t>(taker) * fromPitch,
                    static_cast<std::int64_t>(giver) * toPitch });
    movePieces(all, pieces, shape);
}

void copyFrom(const Exchanged& all, const Devices& takers, const std::vector<std::int32_t>& sources)
{
    const TensorType& type = all.state.program().value(all.result).type;
    all.state.forEach(takers, all.state.bytesOf(all.op), [&](std::int32_t device) {
        const std::int32_t source = sources[at(device)];
        all.made[at(device)] = source < 0 ? Array::zeros(type) : copied(all.state.at(all.operand, source));
    });
}

} // namespace shardscope::evaluate
