// SPDX-License-Identifier: GPL-3.0-or-later
// programs: train steps and inference before partitioning, HLO text beside the file of cases. What the text says is
// counted, its shardings are converted, and every program is propagated and partitioned.
//
// Not asserted: source, category, model, workload, devices, paths_shortened, same_text_as and how, which say what the
// text is; measured, times on a machine (advisory); features, which is empty in all cases.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>

#include "analysis/analyse.h"
#include "base/text.h"
#include "conformance/checker.h"
#include "conformance/hlo_forms.h"
#include "experiment/builtin.h"
#include "hlo/collectives.h"
#include "hlo/read.h"
#include "hlo/to_stablehlo.h"
#include "sharding/sharding_text.h"

namespace shardscope::conformance {

namespace {

constexpr const char* shardyKeys[] = { "xla.sdy.sharding", "xla.sdy.sharding_rule" };

std::string programText(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        throw std::runtime_error(path + " cannot be read");
    return { std::istreambuf_iterator<char>(stream), {} };
}

std::string problemText(const Diagnostic& problem)
{
    return std::string(problem.id()) + " at line " + std::to_string(problem.where.line);
}

std::optional<std::string> shardyOf(const HloModule& module, const HloInstruction& instruction, const char* key)
{
    return hloFrontendAttribute(module, module.attribute(instruction, "frontend_attributes"), key);
}

/// What carries shardings, by opcode or by the target of a custom call, and which of both kinds.
Json marksJson(const HloModule& module)
{
    Json marks = Json::object();
    for (const HloInstruction& instruction : module.instructions) {
        const bool isHlo = module.attribute(instruction, "sharding") != nullptr;
        const bool isShardy = shardyOf(module, instruction, shardyKeys[0]).has_value();
        const bool isRule = shardyOf(module, instruction, shardyKeys[1]).has_value();
        if (!isHlo && !isShardy && !isRule)
            continue;
        std::string key(module.opcode(instruction));
        if (key == "custom-call")
            key = hloText(module, instruction, "custom_call_target");
        key += isHlo && isShardy ? "" : isHlo ? " (HLO only)" : isShardy ? " (sdy only)" : " (sharding_rule only)";
        marks[key] = marks.value(key, 0) + 1;
    }
    return marks;
}

/// "#sdy.sharding_per_value<[<@mesh, [{}]>]>" is that of its only value.
std::string_view onlyValue(std::string_view text)
{
    constexpr std::string_view before = "#sdy.sharding_per_value<[", after = "]>";
    if (text.starts_with(before) && text.ends_with(after)) {
        text.remove_prefix(before.size());
        text.remove_suffix(after.size());
    }
    return text;
}

/// The texts that stand together, with how often; the text of XLA is that of the product, made from Shardy's.
Json pairsJson(const HloModule& module, const Program& program)
{
    std::map<std::pair<std::string, std::string>, std::int64_t> pairs;
    for (const HloInstruction& instruction : module.instructions) {
        const auto shardy = shardyOf(module, instruction, shardyKeys[0]);
        if (!shardy || !module.attribute(instruction, "sharding"))
            continue;
        std::string made = "none";
        for (const ProgramMesh& mesh : program.meshes)
            if (shardy->find('@' + mesh.name + ',') != std::string::npos)
                if (const auto sharding = parseShardy(onlyValue(*shardy), *mesh.mesh))
                    made = toHlo(toHloSharding(*sharding, *mesh.mesh), HloForm::V2);
        ++pairs[{ *shardy, made }];
    }
    Json list = Json::array();
    for (const auto& [pair, times] : pairs)
        list.push_back({ { "sdy", pair.first }, { "hlo", pair.second }, { "times", times } });
    return list;
}

Json inOneOrder(Json list)
{
    std::sort(list.begin(), list.end(), [](const Json& a, const Json& b) { return a.dump() < b.dump(); });
    return list;
}

Json meshesJson(const Program& program)
{
    Json meshes = Json::object();
    for (const ProgramMesh& mesh : program.meshes) {
        Json axes = Json::array();
        for (const MeshAxis& axis : mesh.mesh->axes())
            axes.push_back({ axis.name, axis.size });
        meshes[mesh.name] = std::move(axes);
    }
    return meshes;
}

Json shortLoopsJson(const HloModule& module, const std::vector<HloLoop>& loops)
{
    Json list = Json::array();
    for (const HloLoop& loop : loops)
        list.push_back({ { "line", loop.line }, { "trip_count", loop.trips ? Json(*loop.trips) : Json() },
            { "body", module.view(module.computations[loop.body].name) } });
    return list;
}

Json loopsOf(const Json& oneCase)
{
    Json list = oneCase.at("whiles");
    for (Json& loop : list)
        loop.erase("how");
    return list;
}

/// 2 x elements of the result x terms of each, times its executions, over all products.
std::int64_t productOperations(const HloModule& module, const std::vector<std::optional<std::int64_t>>& executions)
{
    std::int64_t all = 0;
    for (const HloInstruction& instruction : module.instructions) {
        if (module.opcode(instruction) != "dot")
            continue;
        const auto elements = [](const Shape& sizes) {
            return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{ 1 }, std::multiplies());
        };
        const Shape& left = module.shape(module.instructions[module.operandsOf(instruction)[0]]).sizes;
        std::int64_t terms = 1;
        if (const auto dims = hloNumbers(module, instruction, "lhs_contracting_dims"); dims && *dims)
            for (const std::int64_t dim : **dims)
                terms *= left[static_cast<std::size_t>(dim)];
        all += 2 * elements(module.shape(instruction).sizes) * terms * executions[instruction.computation].value_or(0);
    }
    return all;
}

struct ArgumentSums {
    Json list = Json::array();
    std::int64_t bytes = 0, bytesPerDevice = 0;
};

ArgumentSums argumentsOf(const HloModule& module, const Program& program)
{
    std::map<std::int64_t, const HloInstruction*> parameters;
    for (const HloInstruction& instruction : module.instructionsOf(module.computations[module.entry]))
        if (module.opcode(instruction) == "parameter")
            parameters[wholeNumber<std::int64_t>(module.view(instruction.inside)).value_or(-1)] = &instruction;
    ArgumentSums sums;
    for (const auto& [index, parameter] : parameters) {
        const std::int64_t bytes = byteCount(module, module.shape(*parameter));
        Json argument = { { "index", index }, { "name", hloMetadata(module, *parameter).opName },
            { "shape", plainText(module, module.shape(*parameter)) }, { "bytes", bytes } };
        if (const HloAttribute* sharding = module.attribute(*parameter, "sharding"))
            argument["hlo_sharding"] = module.view(sharding->value);
        const ValueId value = program.main().arguments.at(static_cast<std::size_t>(index));
        std::int64_t own = bytes;
        if (const ProgramSharding* given = program.shardingOf(value);
            given && shardyOf(module, *parameter, shardyKeys[0])) {
            const Shape& sizes = program.value(value).type.shape;
            const Shape local = shardShape(given->sharding, sizes);
            Json dims = Json::array();
            for (const DimensionSharding& dim : given->sharding.dims) {
                Json axes = Json::array();
                for (const AxisRef& axis : dim.axes)
                    axes.push_back(program.meshes[given->mesh].mesh->axes()[static_cast<std::size_t>(axis.axis)].name);
                dims.push_back(std::move(axes));
            }
            argument["sdy"] = std::move(dims);
            argument["shard_shape"] = local;
            for (std::size_t d = 0; d < sizes.size(); ++d)
                own = own / sizes[d] * local[d];
        }
        sums.bytes += bytes;
        sums.bytesPerDevice += own;
        sums.list.push_back(std::move(argument));
    }
    return sums;
}

/// Empty where every stage passed.
std::string problemOfLayout(std::string text)
{
    ProgramModel model;
    model.text = std::make_shared<const std::string>(std::move(text));
    Result<Experiment> experiment = experimentOf(std::move(model), "program");
    if (!experiment)
        return problemText(experiment.error());
    AnalysisCache cache;
    const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(std::move(*experiment)), 1, cache);
    if (snapshot->errorCount() > 0)
        return problemText(snapshot->problems.front().diagnostic);
    if (!snapshot->collectives || !snapshot->plan)
        return snapshot->notPlanned ? problemText(*snapshot->notPlanned) : "no plan";
    return {};
}

Json countsJson(const HloModule& module)
{
    std::map<std::string, std::int64_t> opcodes, collectives;
    for (const HloInstruction& instruction : module.instructions) {
        const std::string opcode(module.opcode(instruction));
        ++opcodes[opcode];
        for (const char* kind : { "all-", "reduce-scatter", "collective-", "ragged-all-" })
            if (opcode.starts_with(kind))
                ++collectives[opcode];
    }
    const Result<std::vector<HloAlias>> aliases = hloAliases(module);
    return { { "module", module.view(module.name) }, { "computations", module.computations.size() },
        { "instructions", module.instructions.size() }, { "opcodes", opcodes }, { "dots", opcodes["dot"] },
        { "convolutions", opcodes["convolution"] }, { "aliased", aliases ? Json(aliases->size()) : Json() },
        { "collectives_before_partitioning", Json(collectives) }, { "sharding_marks", marksJson(module) },
        { "num_partitions", hloNumber(module, "num_partitions").value_or(std::nullopt).value_or(1) } };
}

} // namespace

CaseResult checkRealPrograms(const Json& oneCase, const Json& file)
{
    const std::string text =
        programText(file.at("folder").get<std::string>() + '/' + oneCase.at("file").get<std::string>());
    const Result<HloModule> module = readHlo(text);
    if (!module)
        return CaseResult::failed(problemText(module.error()));
    const Result<HloCollectives> found = collectivesOf(*module);
    if (!found)
        return CaseResult::failed(problemText(found.error()));
    const auto executions = executionsOf(*module, found->loops);
    if (!executions)
        return CaseResult::failed(problemText(executions.error()));
    const Result<ReadProgram> read = readProgram(text);
    if (!read)
        return CaseResult::failed(problemText(read.error()));
    Json actual = countsJson(*module);
    actual["bytes"] = text.size();
    actual["lines"] = std::count(text.begin(), text.end(), '\n') + 1; // what comes after the last line counts, too
    actual["dot_flops_global"] = productOperations(*module, *executions);
    const ArgumentSums arguments = argumentsOf(*module, read->program);
    actual["parameters"] = arguments.list.size();
    actual["arguments"] = arguments.list;
    actual["parameter_bytes"] = arguments.bytes;
    if (oneCase.contains("parameter_bytes_per_device"))
        actual["parameter_bytes_per_device"] = arguments.bytesPerDevice;
    if (std::string wrong = difference(loopsOf(oneCase), shortLoopsJson(*module, found->loops), "/whiles");
        !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    const bool isShardy =
        hloFrontendAttribute(*module, module->moduleAttribute("frontend_attributes"), "xla.sdy.meshes").has_value();
    if (std::string wrong =
            difference(oneCase.at("meshes"), isShardy ? meshesJson(read->program) : Json::object(), "/meshes");
        !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    if (std::string wrong = difference(
            inOneOrder(oneCase.at("sdy_to_hlo")), inOneOrder(pairsJson(*module, read->program)), "/sdy_to_hlo");
        !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    if (CaseResult compared = compareMembers(oneCase, actual); compared.status != CaseResult::Status::Passed)
        return compared;
    if (std::string wrong = problemOfLayout(text); !wrong.empty())
        return CaseResult::failed("it cannot be partitioned: " + wrong);
    return CaseResult::passed();
}

} // namespace shardscope::conformance
