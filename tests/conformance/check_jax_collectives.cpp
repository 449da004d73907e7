// SPDX-License-Identifier: GPL-3.0-or-later
// compiled_programs, its `collectives` (declared in jax_program.h): the reader of HLO text finds those that are
// recorded, and XLA exchanges what is predicted. Compared are the bytes of the arrays, per kind of exchange and axes,
// without any tolerance, and of blocks of a transformer which of them are weights; the table below lists the programs
// for which XLA does something else, and why. That of one that is listed there nothing differs is a failure as well.
#include <algorithm>
#include <array>

#include "analysis/compare_compiled.h"
#include "conformance/hlo_forms.h"
#include "conformance/jax_program.h"
#include "hlo/read.h"
#include "program/roles.h"

namespace shardscope::conformance {

namespace {

struct OtherExchange {
    std::string_view reason;
    std::string_view ids; ///< with blanks around each
};

constexpr std::array otherExchanges{
    OtherExchange{ "XLA exchanges devices first and gathers along the other part of the axis; the bytes are the same",
        " reshard/3-1 reshard/4-2 notebook/contract_constrained " },
    OtherExchange{
        "XLA gathers one axis after the other, in the order of the dimensions, where one gather over both is "
        "predicted",
        " matmul/7-5 matmul/7-6 reshard/5-0 reshard/6-0 " },
    OtherExchange{ "XLA's partitioner weighs every product by itself: it gathers an operand that is sharded along what "
                   "is added up, or moves it along an axis that nothing uses, where adding up the parts and a reshard "
                   "of the sum are predicted",
        " matmul/0-1 matmul/0-3 matmul/1-1 matmul/1-2 matmul/2-0 matmul/2-2 matmul/2-3 matmul/2-6 matmul/2-7 "
        "matmul/2-8 matmul/3-7 matmul/4-0 matmul/4-1 matmul/4-4 matmul/4-5 matmul/4-7 matmul/4-8 matmul/5-2 "
        "matmul/5-4 matmul/5-5 matmul/5-8 matmul/6-2 matmul/6-3 matmul/6-4 matmul/6-6 matmul/6-8 matmul/8-1 "
        "matmul/8-2 matmul/8-3 matmul/8-4 matmul/8-5 matmul/8-6 matmul/8-8 " },
    OtherExchange{ "XLA replicates the array and slices it where no single exchange does the reshard, exchanges whole "
                   "axes where their parts are predicted to be exchanged, or adds a permutation",
        " reshard/1-4 reshard/2-3 reshard/2-7 reshard/3-2 reshard/3-8 reshard/4-1 reshard/4-6 reshard/5-2 "
        "reshard/5-3 reshard/6-1 reshard/6-4 reshard/6-7 reshard/6-8 reshard/7-2 reshard/7-4 reshard/7-6 "
        "reshard/8-1 reshard/8-3 reshard/8-6 " },
    OtherExchange{ "XLA sees a rotation in the two slices, and sends the strip at the border alone",
        " roll/1 roll/3 roll/5 roll/6 roll/7 " },
    OtherExchange{
        "XLA puts the parts together after exchanging all of them", " concat/1 concat/3 concat/5 concat/6 concat/7 " },
    OtherExchange{
        "XLA gathers what a window over the whole dimension reads, where strips are predicted", " cumsum/1 cumsum/5 " },
    OtherExchange{ "XLA shards the other dimension while it sorts, where a gather is predicted",
        " sort/1 sort/3 sort/5 sort/6 sort/7 " },
    OtherExchange{ "XLA pads what every device has, sends strips, and gathers the padded array; a gather is predicted, "
                   "and then the padding",
        " pad/1 pad/2 pad/3 pad/4 pad/5 pad/6 pad/7 pad/8 " },
    OtherExchange{ "XLA takes on every device what that holds and adds the results up, where a gather of the array is "
                   "predicted",
        " take/1 take/3 take/5 take/6 take/7 " },
    OtherExchange{ "XLA sends strips of other widths, and gathers what is left of the array in the end; a gather is "
                   "predicted, and then the slice",
        " slice/2 slice/3 slice/4 slice/5 slice/6 slice/7 slice/8 " },
    OtherExchange{ "XLA moves weights along an axis that nothing uses before it gathers them along that one; the bytes "
                   "gathered are the same",
        " block/fsdp/forward " },
};

bool isListed(const std::string& id)
{
    return std::any_of(otherExchanges.begin(), otherExchanges.end(),
        [&](const OtherExchange& row) { return row.ids.find(' ' + id + ' ') != std::string_view::npos; });
}

Json readCollectives(const HloModule& module, const HloCollectives& found)
{
    constexpr std::int64_t allGroups = 0;
    Json list = Json::array();
    for (const HloCollective& collective : found.list) {
        Json results = Json::array();
        for (const std::uint32_t shape : collective.results)
            results.push_back(plainText(module, module.shapes[shape]));
        Json one{ { "name", module.view(module.instructions[collective.instruction].name) },
            { "line", collective.line }, { "kind", name(collective.kind) }, { "results", std::move(results) },
            { "times", collective.executions.value_or(-1) } };
        if (collective.kind == HloCollectiveKind::CollectivePermute)
            one["pairs"] = collective.pairs;
        else
            one["groups"] = collective.groups.expanded(allGroups);
        if (!collective.dimensions.empty())
            one["dimensions"] = collective.dimensions;
        list.push_back(std::move(one));
    }
    return list;
}

/// "gather along x: 4096 bytes, and 0 compiled"; empty where all is as predicted.
std::string exchangeDifference(const CompiledComparison& comparison)
{
    static constexpr std::string_view names[] = { "gather", "reduction", "all-to-all", "permute", "broadcast" };
    for (const ExchangeSum& sum : comparison.sums)
        if (sum.predictedBytes != sum.compiledBytes)
            return std::string(names[static_cast<std::size_t>(sum.exchange)]) + " along " + sum.axes + ": "
                + std::to_string(sum.predictedBytes) + " bytes predicted, " + std::to_string(sum.compiledBytes)
                + " compiled";
    return {};
}

/// Of a block the last argument is data, and all others are weights; what is rolled is data as well.
std::string roleDifference(const std::string& id, const Snapshot& snapshot)
{
    const bool isBlock = id.starts_with("block/");
    if (!isBlock && !id.starts_with("roll/"))
        return {};
    const std::vector<ValueId> arguments = snapshot.program->main().arguments;
    for (const ValueId argument : arguments) {
        const Value& value = snapshot.program->value(argument);
        const Role role = isBlock && argument != arguments.back() ? Role::Parameter : Role::Input;
        if (value.role != role)
            return std::string(value.path) + " is taken for " + std::string(name(value.role));
    }
    return {};
}

/// The weights of a block are gathered along data, where they are sharded along it; the activations that are added up
/// along model, and all that a forward pass adds up, are none, nor are gradients of them.
std::string weightDifference(const std::string& id, const CompiledComparison& comparison)
{
    if (!id.starts_with("block/"))
        return {};
    const bool isForward = id.ends_with("/forward"), isSharded = id.starts_with("block/fsdp");
    std::int64_t gathered = 0;
    for (const ExchangeSum& sum : comparison.sums) {
        const bool isGather = sum.exchange == ExchangeKind::Gather;
        if (!isGather && (isForward || sum.axes == "model") && (sum.predictedWeights > 0 || sum.compiledWeights > 0))
            return "sums of activations along " + sum.axes + " are taken for gradients";
        if (isGather && isSharded && sum.predictedWeights != sum.predictedBytes)
            return "of the gathers along " + sum.axes + " only " + std::to_string(sum.predictedWeights)
                + " bytes are weights";
        if (isGather)
            gathered += sum.predictedWeights;
    }
    return isSharded && gathered == 0 ? "no weights are gathered" : std::string();
}

} // namespace

CaseResult compareJaxCollectives(const Json& oneCase, const std::string& text)
{
    const std::string compiled = joinedLines(oneCase.at("hlo")); // which the module views
    const Result<HloModule> module = readHlo(compiled);
    const Result<HloCollectives> found = module ? collectivesOf(*module) : tl::unexpected(module.error());
    if (!found)
        return CaseResult::failed("the compiled text: " + std::string(found.error().id()));
    if (std::string wrong = difference(oneCase.at("collectives"), readCollectives(*module, *found), "/collectives");
        !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    const SnapshotPtr snapshot = laidOutProgram(text);
    if (!snapshot->collectives)
        return CaseResult::failed("nothing is predicted");
    const Result<CompiledComparison> comparison = compareCompiled(*snapshot, *snapshot->collectives, *module, *found);
    if (!comparison)
        return CaseResult::failed("it cannot be compared: " + std::string(comparison.error().id()));
    const std::string id = oneCase.at("id");
    for (const std::string& wrong : { roleDifference(id, *snapshot), weightDifference(id, *comparison) })
        if (!wrong.empty())
            return CaseResult::failed(wrong);
    const std::string differs = exchangeDifference(*comparison);
    if (differs.empty() != !isListed(id))
        return CaseResult::failed(differs.empty() ? "XLA exchanges what is predicted, though it is listed" : differs);
    return CaseResult::passed();
}

} // namespace shardscope::conformance
