// SPDX-License-Identifier: GPL-3.0-or-later
// compiled_collectives: train steps that XLA compiled, as text beside the file of cases, and what they communicate. Of
// those that are networks of the product the weights that are gathered and the gradients that are added up have to be
// those that rules and mesh predict; the others are unsupported, once all else of them is checked.
//
// Not asserted: lines, bytes, opcodes, model, nodes, stage, note and source of a case, which say what the text is;
// mesh_that_explains_the_groups, groups.mesh_axes, arguments.global, tensor and logical_axes, entry_parameter, which
// whoever wrote the cases derived by ways of their own (advisory); layers and executions_note; results and arguments of
// texts that end before their entry.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "analysis/compiled_program.h"
#include "conformance/hlo_forms.h"
#include "conformance/predicted_step.h"
#include "hlo/read.h"

namespace shardscope::conformance {

namespace {

Json shapesJson(const HloModule& module, const std::vector<std::uint32_t>& shapes)
{
    Json list = Json::array();
    for (const std::uint32_t shape : shapes)
        list.push_back(plainText(module, module.shapes[shape]));
    return list;
}

template <class T>
Json orNull(const std::optional<T>& value)
{
    return value ? Json(*value) : Json();
}

/// As the cases name the forms.
const char* formName(const HloModule& module, const HloCollective& collective)
{
    switch (collective.groups.form) {
    case HloGroups::Form::Iota:
        return groupsText(module, collective).find('T') == std::string::npos ? "iota" : "iota_transposed";
    case HloGroups::Form::Mesh:
        return "mesh";
    case HloGroups::Form::List:
        return "explicit";
    case HloGroups::Form::All:
        break;
    }
    return "all";
}

Json groupsJson(const HloModule& module, const HloCollective& collective)
{
    std::vector<std::int32_t> first = collective.groups.expanded(0).front();
    if (first.size() > 16)
        first.resize(4);
    return { { "text", groupsText(module, collective) }, { "form", formName(module, collective) },
        { "count", collective.groups.count() }, { "size", collective.groups.size() }, { "first", first } };
}

Json collectiveJson(const HloModule& module, const HloCollective& collective)
{
    const HloInstruction& instruction = module.instructions[collective.instruction];
    Json out = { { "name", module.view(instruction.name) }, { "line", collective.line },
        { "kind", name(collective.kind) },
        { "computation", module.view(module.computations[instruction.computation].name) },
        { "executions", orNull(collective.executions) }, { "operands", shapesJson(module, collective.operands) },
        { "results", shapesJson(module, collective.results) }, { "bytes_in", collective.bytesIn },
        { "bytes_out", collective.bytesOut }, { "channel_id", orNull(collective.channel) },
        { "use_global_device_ids", collective.usesGlobalIds },
        { "sent_bytes_per_device", sentBytes(collective).value() } };
    if (!collective.dimensions.empty())
        out["dimensions"] = collective.dimensions;
    if (!collective.reduction.empty())
        out["reduction"] = collective.reduction;
    if (!collective.metadata.opName.empty())
        out["op_name"] = collective.metadata.opName;
    if (collective.slicedRightAfter)
        out["sliced_right_after"] = plainText(module, module.shapes[*collective.slicedRightAfter]);
    if (collective.kind == HloCollectiveKind::CollectivePermute)
        out["source_target_pairs"] = collective.pairs;
    else
        out["groups"] = groupsJson(module, collective);
    return out;
}

/// What of a collective is derived by whoever wrote the cases.
Json withoutDerived(Json collective)
{
    for (const char* key : { "id", "entry_parameter" })
        collective.erase(key);
    if (collective.contains("groups"))
        collective["groups"].erase("mesh_axes");
    return collective;
}

Json sumJson(const HloModule& module, const CompiledSum& sum)
{
    const HloCollective& first = *sum.first;
    const bool isPermute = first.kind == HloCollectiveKind::CollectivePermute;
    return { { "kind", name(first.kind) }, { "groups", groupsText(module, first) },
        { "group_size", isPermute ? Json() : Json(first.groups.size()) },
        { "reduction", first.reduction.empty() ? Json() : Json(first.reduction) }, { "instructions", sum.collectives },
        { "executions", orNull(sum.executions) }, { "bytes_in", sum.isExact ? Json(sum.bytesIn) : Json() },
        { "bytes_out", sum.isExact ? Json(sum.bytesOut) : Json() },
        { "sent_bytes_per_device", sum.isExact ? Json(sum.sent.value()) : Json() },
        { "sliced_right_after", sum.slicedRightAfter } };
}

/// In one order, whatever that of the file.
Json sortedSums(Json list)
{
    std::sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
        const auto key = [](const Json& sum) {
            return sum.at("kind").dump() + sum.at("groups").dump() + sum.at("reduction").dump();
        };
        return key(a) < key(b);
    });
    return list;
}

Json loopsJson(const HloModule& module, const std::vector<HloLoop>& loops)
{
    Json list = Json::array();
    for (const HloLoop& loop : loops) {
        const HloInstruction& instruction = module.instructions[loop.instruction];
        const auto nameOf = [&](std::uint32_t computation) {
            return module.view(module.computations[computation].name);
        };
        list.push_back({ { "name", module.view(instruction.name) }, { "line", loop.line },
            { "in_computation", nameOf(instruction.computation) }, { "body", nameOf(loop.body) },
            { "condition", nameOf(loop.condition) }, { "trip_count", orNull(loop.trips) } });
    }
    return list;
}

/// Members of the objects of a list that are asserted.
Json only(const Json& list, std::initializer_list<const char*> keys)
{
    Json out = Json::array();
    for (const Json& item : list) {
        Json kept = Json::object();
        for (const char* key : keys)
            if (item.contains(key))
                kept[key] = item[key];
        out.push_back(std::move(kept));
    }
    return out;
}

Json argumentsJson(const HloModule& module, const HloComputation& entry)
{
    std::map<std::int64_t, Json> arguments;
    for (const HloInstruction& instruction : module.instructionsOf(entry)) {
        if (module.opcode(instruction) != "parameter")
            continue;
        const std::int64_t index = std::stoll(std::string(module.view(instruction.inside)));
        Json argument = { { "index", index }, { "name", module.view(instruction.name) },
            { "local", shapesJson(module, leavesOf(module, instruction.shape)) },
            { "bytes", byteCount(module, module.shape(instruction)) } };
        if (const HloAttribute* sharding = module.attribute(instruction, "sharding"))
            argument["sharding"] = module.view(sharding->value);
        arguments.emplace(index, std::move(argument));
    }
    Json list = Json::array();
    for (auto& [index, argument] : arguments)
        list.push_back(std::move(argument));
    return list;
}

Json aliasesJson(const HloModule& module)
{
    const Result<std::vector<HloAlias>> aliases = hloAliases(module);
    if (!aliases)
        throw std::runtime_error("input_output_alias: " + std::string(aliases.error().id()));
    Json list = Json::array();
    for (const HloAlias& alias : *aliases)
        list.push_back({ alias.result.empty() ? 0 : alias.result.front(), alias.argument,
            alias.must ? "must-alias" : "may-alias" });
    return list;
}

/// What the case says of a total with a closed form.
std::optional<std::int64_t> checkValue(const std::string& what, const HloCollectives& found)
{
    constexpr std::int64_t least = std::int64_t{ 256 } << 10; // smaller ones are none of the formula's
    std::int64_t bytes = 0;
    for (const HloCollective& collective : found.list) {
        const std::int64_t times = collective.executions.value_or(0);
        if (what == "bytes_out of all all-gathers above 256 KiB") {
            if (collective.kind == HloCollectiveKind::AllGather && collective.bytesOut > least)
                bytes += collective.bytesOut * times;
        } else if (what == "bytes_in of all all-reduces that are sliced right after (a reduce-scatter to be)") {
            if (collective.slicedRightAfter)
                bytes += collective.bytesIn * times;
        } else if (what == "bytes_in of the all-reduces between the replicas") {
            const std::vector<std::int32_t> group = collective.groups.expanded(0).front();
            if (collective.kind == HloCollectiveKind::AllReduce && group.size() > 1 && group[1] - group[0] > 1)
                bytes += collective.bytesIn * times;
        } else {
            return std::nullopt;
        }
    }
    return bytes;
}

std::string textOf(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        throw std::runtime_error(path + " cannot be read");
    return { std::istreambuf_iterator<char>(stream), {} };
}

std::string shownHloError(const Error& error)
{
    return std::string(error.id()) + " at line " + std::to_string(error.where.line);
}

CaseResult compareCollectives(const Json& oneCase, const HloModule& module, const HloCollectives& found)
{
    const Json& expected = oneCase.at("collectives");
    if (expected.size() != found.list.size())
        return CaseResult::failed(
            "/collectives: expected " + std::to_string(expected.size()) + ", got " + std::to_string(found.list.size()));
    for (std::size_t i = 0; i < found.list.size(); ++i)
        if (std::string wrong = difference(withoutDerived(expected[i]), collectiveJson(module, found.list[i]),
                "/collectives/" + std::to_string(i));
            !wrong.empty())
            return CaseResult::failed(std::move(wrong));
    return CaseResult::passed();
}

} // namespace

CaseResult checkCompiledCollectives(const Json& oneCase, const Json& file)
{
    const std::string text = textOf(file.at("folder").get<std::string>() + '/' + oneCase.at("file").get<std::string>());
    const Result<HloModule> module = readHlo(text);
    if (!module)
        return CaseResult::failed(shownHloError(module.error()));
    const Result<HloCollectives> found = collectivesOf(*module);
    if (!found)
        return CaseResult::failed(shownHloError(found.error()));
    if (CaseResult compared = compareCollectives(oneCase, *module, *found);
        compared.status != CaseResult::Status::Passed)
        return compared;
    Json totals = Json::array();
    for (const CompiledSum& sum : sums(*module, *found, CompiledKey::Groups))
        totals.push_back(sumJson(*module, sum));
    if (std::string wrong = difference(sortedSums(oneCase.at("totals")), sortedSums(totals), "/totals"); !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    if (std::string wrong = difference(
            only(oneCase.at("whiles"), { "name", "line", "in_computation", "body", "condition", "trip_count" }),
            loopsJson(*module, found->loops), "/whiles");
        !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    if (oneCase.contains("checks"))
        for (const Json& check : oneCase.at("checks"))
            if (checkValue(check.at("what"), *found) != check.at("value").get<std::int64_t>())
                return CaseResult::failed("/checks: " + check.at("what").dump());
    CaseResult predicted = checkPrediction(oneCase, *module, *found);
    if (predicted.status == CaseResult::Status::Failed)
        return predicted;
    Json actual = { { "module", module->view(module->name) }, { "computations", module->computations.size() },
        { "instructions", module->instructions.size() }, { "devices", found->devices },
        { "num_partitions", orNull(hloNumber(*module, "num_partitions").value_or(std::nullopt)) },
        { "replica_count", orNull(hloNumber(*module, "replica_count").value_or(std::nullopt)) },
        { "is_scheduled", module->moduleAttribute("is_scheduled") != nullptr },
        { "input_output_alias", aliasesJson(*module) } };
    if (module->entry != noHloIndex) {
        const HloComputation& entry = module->computations[module->entry];
        actual["results"] = shapesJson(*module, leavesOf(*module, module->instructions[entry.root].shape));
        const Json arguments = argumentsJson(*module, entry);
        if (std::string wrong =
                difference(only(oneCase.at("arguments"), { "index", "name", "local", "bytes", "sharding" }), arguments,
                    "/arguments");
            !wrong.empty())
            return CaseResult::failed(std::move(wrong));
        std::int64_t bytes = 0;
        for (const Json& argument : arguments)
            bytes += argument.at("bytes").get<std::int64_t>();
        actual["argument_bytes"] = bytes;
    }
    // What the text says is checked of models, too, of which nothing is predicted.
    CaseResult rest = compareMembers(oneCase, actual);
    return rest.status == CaseResult::Status::Passed ? predicted : rest;
}

} // namespace shardscope::conformance
