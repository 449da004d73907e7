// SPDX-License-Identifier: GPL-3.0-or-later
// comm_volume: what devices put in, send and get by a collective. Each is executed by a program of its own, whose
// partitioned form is asked. The program does not count steps and single links of a ring.
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/plain_shardings.h"
#include "partition/partition_program.h"
#include "pipeline/program_collectives.h"
#include "stablehlo/read.h"

namespace shardscope::conformance {

namespace {

using DeviceGroups = std::vector<std::vector<std::int64_t>>;

/// Devices are numbered along `inner`, then along `outer`.
struct Levels {
    std::int64_t inner = 1, outer = 1;
    [[nodiscard]] std::int64_t devices() const { return inner * outer; }
    [[nodiscard]] DeviceGroups alongInner() const
    {
        DeviceGroups groups(static_cast<std::size_t>(outer));
        for (std::int64_t d = 0; d < devices(); ++d)
            groups[static_cast<std::size_t>(d / inner)].push_back(d);
        return groups;
    }
    [[nodiscard]] DeviceGroups alongOuter() const
    {
        DeviceGroups groups(static_cast<std::size_t>(inner));
        for (std::int64_t d = 0; d < devices(); ++d)
            groups[static_cast<std::size_t>(d % inner)].push_back(d);
        return groups;
    }
};

struct Exchanged {
    Rational sent;
    std::int64_t input = 0, output = 0; ///< bytes
};

/// A program in which every device, of `devices`, enters that many bytes into the collective.
std::string collectiveProgram(
    const std::string& collective, const DeviceGroups& groups, std::int64_t devices, std::int64_t bytes)
{
    const auto members = static_cast<std::int64_t>(groups.front().size());
    const auto type = [](std::int64_t size) { return "tensor<" + std::to_string(size) + "xi8>"; };
    const std::string sum = " ({\n^bb0(%x: tensor<i8>, %y: tensor<i8>):\n%s = stablehlo.add %x, %y : tensor<i8>\n"
                            "stablehlo.return %s : tensor<i8>\n})";
    std::string attributes, body;
    std::int64_t result = bytes;
    const bool permutes = collective.starts_with("collective_permute");
    if (collective == "all_gather") {
        attributes = "all_gather_dim = 0 : i64, ";
        result = bytes * members;
    } else if (collective == "reduce_scatter") {
        attributes = "scatter_dimension = 0 : i64, ";
        body = sum;
        result = bytes / members;
    } else if (collective == "all_reduce") {
        body = sum;
    } else if (collective == "all_to_all") {
        attributes = "concat_dimension = 0 : i64, split_count = " + std::to_string(members)
            + " : i64, split_dimension = 0 : i64, ";
    }
    DeviceGroups rows = groups;
    if (permutes) { // to the next device of the ring
        rows.clear();
        for (std::int64_t d = 0; d < devices; ++d)
            rows.push_back({ d, (d + 1) % devices });
    }
    const std::string shape = std::to_string(rows.size()) + "x" + std::to_string(rows.front().size()) + "xi64>";
    attributes += (permutes ? "source_target_pairs = dense<" : "replica_groups = dense<") + Json(rows).dump()
        + "> : tensor<" + shape + ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
    if (!permutes && collective != "all_to_all")
        attributes += ", use_global_device_ids";
    const std::string name = permutes ? "collective_permute" : collective;
    return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\nfunc.func @main(%a: " + type(devices * bytes)
        + ") -> " + type(devices * result)
        + " {\n%r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] out_shardings=[<@mesh, [{\"x\"}]>] "
          "manual_axes={\"x\"} (%b: "
        + type(bytes) + ") {\n%c = \"stablehlo." + name + "\"(%b) <{" + attributes + "}>" + body + " : (" + type(bytes)
        + ") -> " + type(result) + "\nsdy.return %c : " + type(result) + "\n} : (" + type(devices * bytes) + ") -> "
        + type(devices * result) + "\nreturn %r : " + type(devices * result) + "\n}\n";
}

/// Throws where the program cannot be read or partitioned.
Exchanged exchanged(const std::string& collective, const DeviceGroups& groups, std::int64_t devices, std::int64_t bytes)
{
    Result<ReadProgram> read = readStableHlo(collectiveProgram(collective, groups, devices, bytes));
    if (!read)
        throw std::runtime_error("the program cannot be read: " + std::string(read.error().id()));
    const Result<PartitionedProgram> parts = partitionProgram(std::move(read->program));
    if (!parts)
        throw std::runtime_error("the program cannot be partitioned: " + std::string(parts.error().id()));
    const Program& device = parts->device.program;
    Exchanged found;
    for (const OperationId id : device.main().operations) {
        const Operation& operation = device.operation(id);
        const auto exchange = deviceExchange(device, operation);
        if (!exchange)
            continue;
        found.sent += exchange->sentBytes;
        found.input += device.value(operation.operands[0]).type.byteCount();
        found.output += device.value(operation.results[0]).type.byteCount();
    }
    return found;
}
Exchanged exchanged(const std::string& collective, std::int64_t devices, std::int64_t bytes)
{
    return exchanged(collective, Levels{ devices, 1 }.alongInner(), devices, bytes);
}

CaseResult checkRing(const Json& c)
{
    const std::string collective = c.at("collective");
    const std::int64_t n = c.at("n"), full = c.at("full_bytes");
    const bool reduces = collective == "all_reduce" || collective == "reduce_scatter";
    const Exchanged found = exchanged(collective, n, reduces ? full : full / n);
    CaseResult result = compareMembers(c,
        { { "input_bytes_per_device", found.input }, { "output_bytes_per_device", found.output },
            { "injected_bytes_per_device", numberJson(found.sent) } });
    return result.status == CaseResult::Status::Passed ? CaseResult::unsupported("steps and links of a ring") : result;
}

/// reduce_scatter inside, all_reduce across on what is left, all_gather inside.
CaseResult checkHierarchical(const Json& c)
{
    const Levels levels{ c.at("inner"), c.at("outer") };
    const std::int64_t full = c.at("full_bytes");
    const std::int64_t part = full / levels.inner, devices = levels.devices();
    const Rational inner = exchanged("reduce_scatter", levels.alongInner(), devices, full).sent
        + exchanged("all_gather", levels.alongInner(), devices, part).sent;
    const Rational outer = exchanged("all_reduce", levels.alongOuter(), devices, part).sent;
    const Rational flat = exchanged("all_reduce", devices, full).sent;
    return compareMembers(c,
        { { "inner_link_bytes_per_device", numberJson(inner) }, { "outer_link_bytes_per_device", numberJson(outer) },
            { "flat_ring_bytes_per_device", numberJson(flat) }, { "total_equals_flat", inner + outer == flat } });
}

/// One axis after the other; what is gathered first is scattered last.
CaseResult checkTwoAxes(const Json& c)
{
    const std::string collective = c.at("collective");
    const auto sizes = c.at("axes").get<std::vector<std::int64_t>>();
    const Levels levels{ sizes[0], sizes[1] };
    const std::int64_t full = c.at("full_bytes"), devices = levels.devices();
    const bool gathers = collective == "all_gather";
    Json actual;
    for (const bool firstFirst : { true, false }) {
        const bool innerFirst = firstFirst == gathers;
        std::int64_t held = gathers ? full / devices : full;
        Rational sent[2];
        for (const bool inner : { innerFirst, !innerFirst }) {
            const Exchanged step =
                exchanged(collective, inner ? levels.alongInner() : levels.alongOuter(), devices, held);
            sent[inner ? 0 : 1] = step.sent;
            held = step.output;
        }
        actual[firstFirst ? "first_axis_gathered_first" : "second_axis_gathered_first"] = { { "axis0_bytes",
                                                                                                numberJson(sent[0]) },
            { "axis1_bytes", numberJson(sent[1]) }, { "total", numberJson(sent[0] + sent[1]) } };
    }
    actual["single_collective_total"] =
        numberJson(exchanged(collective, devices, gathers ? full / devices : full).sent);
    return compareMembers(c, actual);
}

CaseResult checkIdentity(const Json& c)
{
    const std::int64_t n = c.at("n"), full = c.at("full_bytes");
    const Rational scatter = exchanged("reduce_scatter", n, full).sent;
    const Rational gather = exchanged("all_gather", n, full / n).sent;
    const Rational reduce = exchanged("all_reduce", n, full).sent;
    const Rational exchange = exchanged("all_to_all", n, full / n).sent;
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
        return CaseResult::unsupported("work and exchange at the same time");
    return CaseResult::unsupported("asymptotic times of textbooks");
}

} // namespace shardscope::conformance
