// SPDX-License-Identifier: GPL-3.0-or-later
// compiled_programs: how arguments and results of programs are sharded once JAX has compiled them, and what that takes
// per device; and the collectives of the compiled text (check_jax_collectives.cpp).
//
// The product's propagation is Shardy's, and what it leaves to a boundary is what Shardy's export leaves: of
// the axes that do not divide a dimension nothing stays. Axes of size 1 shard nothing, so that they are left out here.
// Small programs are run, too: partitioned, against the reference.
#include "conformance/jax_program.h"
#include "conformance/plain_shardings.h"
#include "conformance/run_partitioned.h"
#include "interchange/table_builder.h"
#include "program/program_mesh.h"
#include "propagation/pass_pipelines.h"
#include "stablehlo/read.h"

namespace shardscope::conformance {

namespace {

constexpr std::int64_t runnableElements = 20000; ///< of all arguments

struct BoundaryArray {
    TensorType type;
    const ProgramSharding* sharding = nullptr; ///< null: nothing shards it
};

std::vector<BoundaryArray> boundaryArguments(const Program& program)
{
    std::vector<BoundaryArray> list;
    for (const ValueId argument : program.main().arguments)
        list.push_back({ program.value(argument).type, program.shardingOf(argument) });
    return list;
}

std::vector<BoundaryArray> boundaryResults(const Program& program)
{
    std::vector<BoundaryArray> list;
    const std::vector<ShardingIndex>& own = program.functions.at(0).resultShardings;
    for (std::size_t r = 0; r < program.main().results.size(); ++r) {
        const ShardingIndex index = r < own.size() ? own[r] : 0;
        list.push_back(
            { program.value(program.main().results[r]).type, index == 0 ? nullptr : &program.shardings[index - 1] });
    }
    return list;
}

/// As the case has them; `bytes` is the sum of what one device holds.
Json arraysJson(const Program& program, const std::vector<BoundaryArray>& arrays, std::int64_t& bytes)
{
    Json list = Json::array();
    for (const BoundaryArray& array : arrays) {
        const Shape& shape = array.type.shape;
        const TensorSharding sharding =
            array.sharding ? array.sharding->sharding : TensorSharding::fullyReplicated(shape.size());
        const Shape local = shardShape(sharding, shape);
        Json one{ { "shape", std::vector<std::int64_t>(shape.begin(), shape.end()) },
            { "dtype", numpyName(array.type.dtype) },
            { "shard_shape", std::vector<std::int64_t>(local.begin(), local.end()) } };
        one["spec"] = array.sharding ? specJson(*program.meshes[array.sharding->mesh].mesh, sharding)
                                     : Json(std::vector<Json>(shape.size()));
        std::int64_t size = byteSize(array.type.dtype);
        for (const std::int64_t length : local)
            size *= length;
        bytes += size;
        list.push_back(std::move(one));
    }
    return list;
}

std::string arraysDifference(const Json& expected, Json actual, const Json& mesh, const std::string& where)
{
    Json wanted = expected;
    for (std::size_t i = 0; i < std::min(wanted.size(), actual.size()); ++i)
        if (wanted[i].contains("spec"))
            wanted[i]["spec"] = usedSpec(wanted[i]["spec"], mesh);
        else // JAX has XLA's form of it alone
            actual[i].erase("spec");
    return difference(wanted, actual, where);
}

std::int64_t elementsOf(const std::vector<BoundaryArray>& arrays)
{
    std::int64_t sum = 0;
    for (const BoundaryArray& array : arrays)
        sum += array.type.elementCount();
    return sum;
}

} // namespace

CaseResult checkCompiledPrograms(const Json& oneCase, const Json& file)
{
    const std::string text = jaxText(oneCase, file, oneCase.at("shardings").get<std::vector<std::string>>());
    if (oneCase.contains("hlo"))
        if (CaseResult compared = compareJaxCollectives(oneCase, text); compared.status != CaseResult::Status::Passed)
            return compared;
    const Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        return CaseResult::failed("the program: " + std::string(read.error().id()));
    const Result<passes::PipelineOutcome> outcome = passes::propagationPipeline(read->program);
    if (!outcome)
        return CaseResult::failed("propagation: " + std::string(outcome.error().id()));
    const Program& program = outcome->program;
    const Json& mesh = oneCase.at("mesh");
    std::int64_t argumentBytes = 0;
    std::int64_t outputBytes = 0;
    if (std::string wrong = arraysDifference(
            oneCase.at("inputs"), arraysJson(program, boundaryArguments(program), argumentBytes), mesh, "/inputs");
        !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    if (std::string wrong = arraysDifference(
            oneCase.at("outputs"), arraysJson(program, boundaryResults(program), outputBytes), mesh, "/outputs");
        !wrong.empty())
        return CaseResult::failed(std::move(wrong));
    constexpr std::int64_t pointer = 8; // of each array of a tuple
    if (const auto results = static_cast<std::int64_t>(program.main().results.size()); results > 1)
        outputBytes += pointer * results;
    if (CaseResult compared =
            compareMembers(oneCase, { { "argument_bytes", argumentBytes }, { "output_bytes", outputBytes } });
        compared.status != CaseResult::Status::Passed)
        return compared;
    if (elementsOf(boundaryArguments(program)) > runnableElements)
        return CaseResult::passed();
    const std::optional<PartitionedOutcome> run = runPartitioned(read->program, 2);
    if (!run || run->kind != PartitionedOutcome::Kind::Passed)
        return CaseResult::failed("it does not run: " + (run ? run->why : std::string("nothing to be shown")));
    return CaseResult::passed();
}

} // namespace shardscope::conformance
