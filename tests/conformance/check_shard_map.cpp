// SPDX-License-Identifier: GPL-3.0-or-later
// 04_shard_map: programs over blocks, run on as many devices as their mesh has.
#include <cmath>
#include <map>
#include <set>

#include "conformance/checker.h"
#include "conformance/forms.h"
#include "simulate/blocks.h"

namespace shardscope::conformance {

namespace {

MeshPtr meshOf(const Json& json)
{
    std::vector<MeshAxis> axes;
    for (const Json& axis : json)
        axes.push_back({ axis[0].get<std::string>(), axis[1].get<std::int64_t>() });
    return std::make_shared<const Mesh>(*Mesh::create(std::move(axes)));
}

PartitionSpec specOf(const Json& json)
{
    PartitionSpec spec;
    for (const Json& entry : json)
        spec.entries.push_back(entry.is_null() ? SpecEntry::none()
                : entry.is_string()            ? SpecEntry::axis(entry.get<std::string>())
                                               : SpecEntry::tuple(entry.get<std::vector<std::string>>()));
    return spec;
}

BlockBuilder::Axes axesOf(const Json& json)
{
    return json.is_string() ? BlockBuilder::Axes{ json.get<std::string>() } : json.get<BlockBuilder::Axes>();
}

struct Body {
    BlockBuilder builder;
    std::map<std::string, ValueId> values;
    std::string last;
};

std::vector<std::pair<std::int64_t, std::int64_t>> pairsOf(const Json& json)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const Json& pair : json)
        pairs.emplace_back(pair[0].get<std::int64_t>(), pair[1].get<std::int64_t>());
    return pairs;
}

Result<ValueId> add(Body& body, const Json& step)
{
    BlockBuilder& b = body.builder;
    std::vector<ValueId> in;
    if (step.contains("in")) {
        for (const Json& name : step["in"].is_string() ? Json::array({ step["in"] }) : step["in"])
            in.push_back(body.values.at(name.get<std::string>()));
    }
    const std::string op = step.at("op");
    const auto axes = step.contains("axis") ? axesOf(step["axis"]) : BlockBuilder::Axes{};
    const auto number = [&](const char* key) { return step.value(key, std::int64_t{ 0 }); };
    const auto groups = step.value("groups", BlockBuilder::Groups{});
    if (op == "psum" || op == "pmax" || op == "pmin")
        return b.reduce(op == "psum" ? ReduceKind::Sum
                : op == "pmax"       ? ReduceKind::Max
                                     : ReduceKind::Min,
            in[0], axes, groups);
    if (op == "pmean")
        return b.mean(in[0], axes);
    if (op == "all_gather")
        return b.allGather(in[0], axes, number("gather_axis"), step.at("tiled"));
    if (op == "psum_scatter")
        return b.scatterSum(in[0], axes, number("scatter_dim"), step.at("tiled"));
    if (op == "ppermute")
        return b.permute(in[0], axes, pairsOf(step.at("perm")));
    if (op == "all_to_all")
        return b.allToAll(in[0], axes, number("split_axis"), number("concat_axis"), step.at("tiled"));
    if (op == "axis_index")
        return b.axisIndex(axes);
    if (op == "matmul")
        return b.matmul(in[0], in[1]);
    if (op == "add" || op == "sub" || op == "mul" || op == "div")
        return b.binary(op == "add" ? OpKind::Add
                : op == "sub"       ? OpKind::Subtract
                : op == "mul"       ? OpKind::Multiply
                                    : OpKind::Divide,
            in[0], in[1]);
    if (op == "exp")
        return b.unary(OpKind::Exponential, in[0]);
    if (op == "scale")
        return b.binary(
            OpKind::Multiply, in[0], b.constant({ b.type(in[0]).dtype, {} }, { step.at("by").get<double>() }));
    if (op == "reshape")
        return b.reshape(in[0], toShape(step.at("shape")));
    if (op == "transpose") {
        Dimensions order;
        for (std::size_t d = b.type(in[0]).rank(); d-- > 0;)
            order.push_back(static_cast<std::int64_t>(d));
        return b.transpose(in[0], order);
    }
    throw std::runtime_error("no operation " + op);
}

Json shardMapErrorKind(const Error& error)
{
    return { { "error_kind", error.kind() } };
}

CaseResult checkSetup(const Json& oneCase)
{
    const Json& setup = oneCase.at("setup");
    auto builder = BlockBuilder::over(meshOf(setup.at("mesh")));
    if (!builder)
        return compareMembers(oneCase, shardMapErrorKind(builder.error()));
    if (!setup.contains("in_specs"))
        return CaseResult::unsupported("what JAX refuses before there is a program");
    const Result<ValueId> made = builder->input({ DType::F32, toShape(setup.at("shape")) },
        specOf(setup["in_specs"][0].is_null() ? Json::array({ nullptr }) : setup["in_specs"][0]));
    return compareMembers(oneCase, made ? Json{ { "error_kind", "none" } } : shardMapErrorKind(made.error()));
}

std::string compareElements(const Json& expected, const kernels::Array& actual, const std::string& what)
{
    if (static_cast<std::int64_t>(expected.size()) != actual.count())
        return what + ": " + std::to_string(actual.count()) + " elements instead of " + std::to_string(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double wanted = expected[i], found = kernels::numberAt(actual, static_cast<std::int64_t>(i));
        if (!(std::fabs(found - wanted) <= 1e-6 * std::max(1.0, std::fabs(wanted))))
            return what + '[' + std::to_string(i) + "]: expected " + std::to_string(wanted) + ", got "
                + std::to_string(found);
    }
    return {};
}

} // namespace

CaseResult checkShardMap(const Json& oneCase, const Json&)
{
    if (oneCase.contains("setup"))
        return checkSetup(oneCase);
    const MeshPtr mesh = meshOf(oneCase.at("mesh"));
    Body body{ *BlockBuilder::over(mesh), {}, {} };
    std::vector<kernels::Array> inputs;
    std::vector<PartitionSpec> inSpecs;
    for (const Json& input : oneCase.at("inputs")) {
        if (input.at("dtype") != "float32")
            return CaseResult::unsupported("element type " + input.at("dtype").get<std::string>());
        const TensorType type{ DType::F32, toShape(input.at("shape")) };
        kernels::Array& array = inputs.emplace_back(kernels::Array::make(type));
        for (std::int64_t i = 0; i < array.count(); ++i)
            kernels::setNumber(array, i, input.at("data")[static_cast<std::size_t>(i)]);
        inSpecs.push_back(specOf(oneCase.at("in_specs")[inputs.size() - 1]));
        const auto value = body.builder.input(type, inSpecs.back());
        if (!value)
            return CaseResult::failed("input refused: " + std::string(value.error().kind()));
        body.values["in" + std::to_string(inputs.size() - 1)] = *value;
    }
    for (const Json& step : oneCase.at("body")) {
        const auto value = add(body, step);
        if (!value)
            return CaseResult::failed("operation refused: " + std::string(value.error().kind()));
        body.last = step.at("out");
        body.values[body.last] = *value;
    }
    Json shapes = Json::object();
    for (const auto& [name, value] : body.values) {
        const Shape& shape = body.builder.type(value).shape;
        shapes[name] = std::vector<std::int64_t>(shape.begin(), shape.end());
    }
    const ValueId result = body.values.at(body.last);
    const BlockProgram block = std::move(body.builder).finish(result);
    if (const auto problems = verify(block.program); !problems.empty())
        return CaseResult::failed("the program is not legal: " + problems[0].text("detail"));

    const PartitionSpec outSpec = specOf(oneCase.at("out_specs"));
    const auto accepted = checkOutput(block, outSpec);
    Json actual{ { "block_shapes", shapes }, { "check_vma_passes", accepted.has_value() } };
    std::vector<std::string> varying;
    for (std::size_t a = 0; a < mesh->rank(); ++a)
        if ((block.varying.values[result.index] >> a & 1U) != 0)
            varying.push_back(mesh->axis(a).name);
    const auto wanted = oneCase.at("varying_axes_of_output").get<std::set<std::string>>();
    if (wanted != std::set<std::string>(varying.begin(), varying.end()))
        return CaseResult::failed("varying axes " + Json(varying).dump());
    if (!accepted) {
        actual["error_kind"] = accepted.error().kind();
        if (oneCase.contains("check_vma_error") && oneCase["check_vma_error"].contains("missing_axes")
            && oneCase["check_vma_error"]["missing_axes"] != Json(accepted.error().list("axes")))
            return CaseResult::failed("missing axes " + Json(accepted.error().list("axes")).dump());
    }
    if (CaseResult compared = compareMembers(oneCase, actual); compared.status != CaseResult::Status::Passed)
        return compared;

    const auto done = test::runBlocks(block, inputs, inSpecs, outSpec);
    if (!done)
        return CaseResult::failed("not executed: " + std::string(done.error().kind()));
    if (const Shape& shape = done->full.type.shape;
        oneCase.at("output").at("shape") != Json(std::vector<std::int64_t>(shape.begin(), shape.end())))
        return CaseResult::failed("shape of the output is " + toString(done->full.type));
    std::string difference = compareElements(oneCase["output"].at("data"), done->full, "output");
    if (oneCase.contains("output_block_per_device"))
        for (std::size_t i = 0; i < done->blocks.size() && difference.empty(); ++i)
            difference = compareElements(
                oneCase["output_block_per_device"][i], done->blocks[i], "block of device " + std::to_string(i));
    if (difference.empty() && oneCase.contains("blocks_actually_differ")
        && oneCase["blocks_actually_differ"] != done->copiesDiffer)
        difference = done->copiesDiffer ? "the copies differ" : "the copies are equal";
    return difference.empty() ? CaseResult::passed() : CaseResult::failed(difference);
}

} // namespace shardscope::conformance
