// SPDX-License-Identifier: GPL-3.0-or-later
// comm_volume: what collectives put on the links of a ring.
#include <array>
#include <cmath>

#include "conformance/plain_shardings.h"
#include "conformance/ring_traffic.h"

namespace shardscope::conformance {

namespace {

CollectiveKind collectiveKind(const std::string& text)
{
    for (const CollectiveKind kind : { CollectiveKind::AllReduce, CollectiveKind::AllGather,
             CollectiveKind::ReduceScatter, CollectiveKind::AllToAll })
        if (name(kind) == text)
            return kind;
    return CollectiveKind::CollectivePermute; // "collective_permute_shift1"
}

CaseResult checkRing(const Json& c)
{
    const RingTraffic traffic =
        ringTraffic(collectiveKind(c.at("collective")), c.at("n"), c.at("full_bytes"), c.at("bidirectional"));
    return compareMembers(c,
        { { "input_bytes_per_device", numberJson(traffic.input) },
            { "output_bytes_per_device", numberJson(traffic.output) },
            { "injected_bytes_per_device", numberJson(traffic.sent) }, { "steps", traffic.steps },
            { "busiest_directed_link_bytes", numberJson(traffic.busiestLink) } });
}

CaseResult checkHierarchical(const Json& c)
{
    const std::int64_t inner = c.at("inner");
    const std::int64_t outer = c.at("outer");
    const std::int64_t full = c.at("full_bytes");
    const TwoLevelBytes bytes = twoLevelAllReduce(inner, outer, full);
    const Rational flat = ringBytes(CollectiveKind::AllReduce, inner * outer, full);
    return compareMembers(c,
        { { "inner_link_bytes_per_device", numberJson(bytes.inner) },
            { "outer_link_bytes_per_device", numberJson(bytes.outer) },
            { "flat_ring_bytes_per_device", numberJson(flat) },
            { "total_equals_flat", bytes.inner + bytes.outer == flat } });
}

CaseResult checkTwoAxes(const Json& c)
{
    const CollectiveKind kind = collectiveKind(c.at("collective"));
    const auto sizes = c.at("axes").get<std::vector<std::int64_t>>();
    const std::int64_t full = c.at("full_bytes");
    Json actual;
    // What is gathered first is scattered last.
    const bool gathers = kind == CollectiveKind::AllGather;
    for (const bool firstFirst : { true, false }) {
        const std::array<std::size_t, 2> order =
            firstFirst == gathers ? std::array<std::size_t, 2>{ 0, 1 } : std::array<std::size_t, 2>{ 1, 0 };
        const std::vector<Rational> sent = sentPerAxis(kind, sizes, order, full);
        actual[firstFirst ? "first_axis_gathered_first" : "second_axis_gathered_first"] = { { "axis0_bytes",
                                                                                                numberJson(sent[0]) },
            { "axis1_bytes", numberJson(sent[1]) }, { "total", numberJson(sent[0] + sent[1]) } };
    }
    const std::int64_t devices = sizes[0] * sizes[1];
    actual["single_collective_total"] = numberJson(ringBytes(kind, devices, gathers ? full / devices : full));
    return compareMembers(c, actual);
}

CaseResult checkIdentity(const Json& c)
{
    const std::int64_t n = c.at("n");
    const std::int64_t full = c.at("full_bytes");
    const Rational scatter = ringBytes(CollectiveKind::ReduceScatter, n, full);
    const Rational gather = ringBytes(CollectiveKind::AllGather, n, full / n);
    const Rational reduce = ringBytes(CollectiveKind::AllReduce, n, full);
    const Rational exchange = ringBytes(CollectiveKind::AllToAll, n, full / n);
    const Rational ratio = gather * Rational(exchange.denominator(), exchange.numerator());
    return compareMembers(c,
        { { "reduce_scatter", numberJson(scatter) }, { "all_gather", numberJson(gather) },
            { "all_reduce", numberJson(reduce) },
            { "ar_plus_slice_wasted", numberJson(reduce + scatter * Rational(-1)) },
            { "replicated_to_sharded", numberJson(ringBytes(CollectiveKind::AllSlice, n, full)) },
            { "gather_then_slice_instead_of_all_to_all",
                { { "all_to_all", numberJson(exchange) }, { "all_gather_then_slice", numberJson(gather) },
                    { "ratio", numberJson(ratio) } } } });
}

bool isClose(const Json& expected, double number)
{
    return std::abs(expected.get<double>() - number) <= 1e-12 * std::abs(number);
}

CaseResult checkOverlap(const Json& c)
{
    const double compute = c.at("compute_s");
    const double gather = c.at("all_gather_s");
    const OverlappedProduct product = overlappedProduct(c.at("n"), compute, gather);
    if (!isClose(c.at("overlapped_s"), product.seconds))
        return CaseResult::failed("/overlapped_s: got " + Json(product.seconds).dump());
    if (!isClose(c.at("serial_s"), compute + gather))
        return CaseResult::failed("/serial_s");
    return compareMembers(
        c, { { "permutes", product.permutes }, { "bidirectional_iterations", product.iterationsBothWays } });
}

} // namespace

CaseResult checkCommVolume(const Json& oneCase, const Json& /*file*/)
{
    const std::string kind = oneCase.value("kind", "");
    if (kind == "ring")
        return checkRing(oneCase);
    if (kind == "hierarchical")
        return checkHierarchical(oneCase);
    if (kind == "two_axis")
        return checkTwoAxes(oneCase);
    if (kind == "identity")
        return checkIdentity(oneCase);
    if (kind == "collective_matmul")
        return checkOverlap(oneCase);
    return CaseResult::unsupported("asymptotic times of textbooks");
}

} // namespace shardscope::conformance
