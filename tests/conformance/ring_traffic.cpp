// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/ring_traffic.h"

#include <algorithm>

namespace shardscope {

namespace {

/// Blocks of 1/n of the input that cross a link when every device sends one to every other.
Rational crossingBlocks(std::int64_t n, bool bothWays)
{
    if (!bothWays)
        return Rational(n * (n - 1), 2); // 1 + 2 + ... + (n-1) links each
    const std::int64_t shorter = (n - 1) / 2; // devices that are nearer in one direction
    Rational crossing(shorter * (shorter + 1), 2);
    if (n % 2 == 0)
        crossing += Rational(n, 4); // half a block, n/2 links far
    return crossing;
}

} // namespace

RingTraffic ringTraffic(CollectiveKind kind, std::int64_t groupSize, std::int64_t fullBytes, bool bothWays)
{
    const std::int64_t n = groupSize;
    const Rational full(fullBytes);
    const Rational part = full * Rational(1, n);
    const std::int64_t round = bothWays ? n / 2 : n - 1;
    const Rational share(1, bothWays ? 2 : 1);
    RingTraffic traffic;
    traffic.input = part;
    traffic.output = part;
    switch (kind) {
    case CollectiveKind::AllGather:
        traffic.output = full;
        traffic.steps = round;
        break;
    case CollectiveKind::ReduceScatter:
        traffic.input = full;
        traffic.steps = round;
        break;
    case CollectiveKind::AllReduce:
        traffic.input = full;
        traffic.output = full;
        traffic.steps = 2 * round;
        break;
    case CollectiveKind::AllToAll:
        traffic.steps = round;
        break;
    case CollectiveKind::CollectivePermute:
        traffic.steps = n > 1 ? 1 : 0;
        break;
    case CollectiveKind::AllSlice:
        traffic.input = full;
        break;
    }
    traffic.sent = ringBytes(kind, n, 1) * traffic.input;
    switch (kind) {
    case CollectiveKind::AllToAll:
        traffic.busiestLink = part * Rational(1, n) * crossingBlocks(n, bothWays);
        break;
    case CollectiveKind::CollectivePermute:
        traffic.busiestLink = traffic.sent;
        break;
    default:
        traffic.busiestLink = traffic.sent * share;
        break;
    }
    return traffic;
}

std::vector<Rational> sentPerAxis(CollectiveKind kind, std::span<const std::int64_t> sizes,
    std::span<const std::size_t> order, std::int64_t fullBytes)
{
    std::vector<Rational> sent(sizes.size());
    Rational held(fullBytes);
    if (kind == CollectiveKind::AllGather)
        for (const std::size_t axis : order)
            held = held * Rational(1, sizes[axis]);
    for (const std::size_t axis : order) {
        sent[axis] = ringBytes(kind, sizes[axis], 1) * held;
        held = held * (kind == CollectiveKind::AllGather ? Rational(sizes[axis]) : Rational(1, sizes[axis]));
    }
    return sent;
}

TwoLevelBytes twoLevelAllReduce(std::int64_t inner, std::int64_t outer, std::int64_t fullBytes)
{
    const Rational full(fullBytes);
    const Rational part = full * Rational(1, inner);
    return { ringBytes(CollectiveKind::ReduceScatter, inner, 1) * full
            + ringBytes(CollectiveKind::AllGather, inner, 1) * part,
        ringBytes(CollectiveKind::AllReduce, outer, 1) * part };
}

OverlappedProduct overlappedProduct(std::int64_t groupSize, double computeSeconds, double gatherSeconds)
{
    const auto n = static_cast<double>(groupSize);
    const double block = computeSeconds / n;
    const double step = groupSize > 1 ? std::max(block, gatherSeconds / (n - 1)) : 0;
    return { (n - 1) * step + block, groupSize - 1, groupSize / 2 };
}

} // namespace shardscope
