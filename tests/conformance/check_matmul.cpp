// SPDX-License-Identifier: GPL-3.0-or-later
// matmul: pairs of sharded matrices and the cheapest plans of their product, JAX's explicit mode, and Shardy's explicit
// reshards around products. A plan is a program with its reshards; what its partitioned form sends is compared.
#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "conformance/plain_shardings.h"
#include "partition/common_sharding.h"
#include "partition/partition_program.h"
#include "pipeline/program_collectives.h"
#include "program/explicit_mode.h"
#include "program/op_row.h"
#include "sharding/text.h"
#include "stablehlo/read.h"

namespace shardscope::conformance {

namespace {

/// A product of two sharded matrices, as the case gives it.
struct Matmul {
    MeshPtr mesh;
    Shape lhsShape, rhsShape, outShape;
    TensorSharding lhs, rhs;
};

std::string typeText(const Shape& shape)
{
    return "tensor<" + std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "xf32>";
}

/// The product by a certain way: its operands resharded first, its result left as the sum of its parts, then resharded.
std::string programText(const Matmul& matmul, const TensorSharding& lhs, const TensorSharding& rhs,
    const TensorSharding& product, const TensorSharding& out)
{
    const auto text = [&](const TensorSharding& sharding) { return toShardy(sharding, *matmul.mesh); };
    const std::string a = typeText(matmul.lhsShape), b = typeText(matmul.rhsShape), c = typeText(matmul.outShape);
    return "sdy.mesh @mesh = " + toShardy(*matmul.mesh) + "\nfunc.func @main(%a: " + a
        + " {sdy.sharding = #sdy.sharding" + text(matmul.lhs) + "}, %b: " + b + " {sdy.sharding = #sdy.sharding"
        + text(matmul.rhs) + "}) -> (" + c + " {sdy.sharding = #sdy.sharding" + text(out) + "}) {\n%l = sdy.reshard %a "
        + text(lhs) + " : " + a + "\n%r = sdy.reshard %b " + text(rhs) + " : " + b
        + "\n%d = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0] {sdy.sharding = "
          "#sdy.sharding_per_value<["
        + text(product) + "]>} : (" + a + ", " + b + ") -> " + c + "\n%e = sdy.reshard %d " + text(out) + " : " + c
        + "\nreturn %e : " + c + "\n}\n";
}

/// What a device sends for it, and the work that it does.
struct Cost {
    Rational sent;
    std::int64_t flops = 0;
};
Result<Cost> costOf(const std::string& text)
{
    Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        return tl::unexpected(read.error());
    PartitionOptions options;
    options.optimalReshards = true;
    const Result<PartitionedProgram> parts = partitionProgram(std::move(read->program), options);
    if (!parts)
        return tl::unexpected(parts.error());
    const Program& device = parts->device.program;
    Cost cost;
    for (const OperationId id : device.main().operations) {
        const Operation& operation = device.operation(id);
        if (const auto exchange = deviceExchange(device, operation))
            cost.sent += exchange->sentBytes;
        if (operation.kind == OpKind::DotGeneral)
            cost.flops += static_cast<std::int64_t>(operationCost(device, operation).flops);
    }
    return cost;
}

TensorSharding withUnreduced(const Mesh& mesh, const Json& value)
{
    TensorSharding sharding = plainSharding(mesh, value.at("dims"), 2);
    sharding.unreduced = plainAxes(mesh, value.value("unreduced", Json::array()));
    std::sort(sharding.unreduced.begin(), sharding.unreduced.end());
    return sharding;
}

/// The cheapest plans of the case, partitioned: what differs in work, and whether it sends more.
CaseResult checkPlans(const Matmul& matmul, const TensorSharding& out, const Json& plans)
{
    for (const char* which : { "any", "full_parallel" }) {
        const Json& plan = plans.at(which);
        if (!plan.is_object()) // "same"
            continue;
        const Mesh& mesh = *matmul.mesh;
        const Result<Cost> cost = costOf(programText(matmul, plainSharding(mesh, plan.at("compute_lhs"), 2),
            plainSharding(mesh, plan.at("compute_rhs"), 2), withUnreduced(mesh, plan.at("dot_out")), out));
        if (!cost)
            return CaseResult::failed(std::string(which) + ": " + std::string(cost.error().id()));
        if (cost->flops != plan.at("local_flops").get<std::int64_t>())
            return CaseResult::failed(std::string(which) + "/local_flops: got " + std::to_string(cost->flops));
        if (!isAtMost(cost->sent, plan.at("sent_bytes_per_device")))
            return CaseResult::unsupported(std::string(which) + ": parts are added up in full before they are moved, "
                + numberJson(cost->sent).dump() + " bytes instead of " + plan.at("sent_bytes_per_device").dump());
    }
    return CaseResult::passed();
}

/// Gathers the operands that the plan names and adds up what is left.
std::string textbookDifference(const Matmul& matmul, const Json& plan)
{
    TensorSharding lhs = matmul.lhs, rhs = matmul.rhs;
    for (const Json& collective : plan.at("collectives")) {
        if (collective.at(2) == "lhs")
            lhs.dims[1].axes.clear();
        if (collective.at(2) == "rhs")
            rhs.dims[0].axes.clear();
    }
    const TensorSharding out = plainSharding(*matmul.mesh, plan.at("out"), 2);
    TensorSharding product = out;
    product.unreduced = lhs.dims[1].axes;
    std::sort(product.unreduced.begin(), product.unreduced.end());
    const Result<Cost> cost = costOf(programText(matmul, lhs, rhs, product, out));
    if (!cost)
        return std::string(cost.error().id());
    return isNumber(plan.at("sent_bytes_per_device"), cost->sent) ? "" : "got " + numberJson(cost->sent).dump();
}

/// Whether partitioning leaves both operands as they are.
bool isLocal(const Matmul& matmul)
{
    const std::vector<TensorType> types{ { DType::F32, matmul.lhsShape }, { DType::F32, matmul.rhsShape } };
    const TensorType result{ DType::F32, matmul.outShape };
    DotGeneralAttributes dot;
    dot.lhsContracting = { 1 };
    dot.rhsContracting = { 0 };
    const FactorRule rule = opRow(OpKind::DotGeneral).factors(types, result, Attributes(dot));
    const std::vector<TensorInOperation> tensors{ { &matmul.lhs, types[0].elementCount() },
        { &matmul.rhs, types[1].elementCount() } };
    const TensorSharding open = TensorSharding::open(2);
    const TensorInOperation last{ &open, result.elementCount() };
    const CommonSharding common = commonSharding(rule, tensors, std::span(&last, 1));
    return common.operands[0].isEquivalent(matmul.lhs) && common.operands[1].isEquivalent(matmul.rhs);
}

CaseResult checkPair(const Json& c)
{
    const MeshPtr mesh = plainMesh(c.at("mesh"));
    const Shape lhsShape = plainShape(c.at("lhs_shape")), rhsShape = plainShape(c.at("rhs_shape"));
    const Matmul matmul{ mesh, lhsShape, rhsShape, { lhsShape[0], rhsShape[1] },
        plainSharding(*mesh, c.at("lhs_spec"), 2), plainSharding(*mesh, c.at("rhs_spec"), 2) };
    Json actual{ { "no_communication_needed_for_local_matmul", isLocal(matmul) } };

    const ExplicitOutcome typed =
        explicitDot({ lhsShape, matmul.lhs }, { rhsShape, matmul.rhs }, { {}, {}, { 1 }, { 0 } });
    const bool ok = typed.problem == ExplicitProblem::None;
    if (c.at("explicit_mode").at("status") != (ok ? "ok" : "error"))
        return CaseResult::failed("/explicit_mode: got " + std::string(kindName(typed.problem)));
    if (ok) {
        const Json spec = specJson(*mesh, typed.sharding);
        if (c.at("explicit_mode").at("out_spec") != spec)
            return CaseResult::failed("/explicit_mode/out_spec: got " + spec.dump());
        if (c.contains("natural_out"))
            actual["natural_out"] = spec;
    } else {
        actual["error_kind"] = kindName(typed.problem);
    }
    if (CaseResult result = compareMembers(c, actual); result.status != CaseResult::Status::Passed)
        return result;

    if (c.contains("textbook_plan"))
        if (const std::string wrong = textbookDifference(matmul, c.at("textbook_plan")); !wrong.empty())
            return CaseResult::failed("/textbook_plan: " + wrong);
    CaseResult verdict = CaseResult::passed();
    const auto check = [&](const TensorSharding& out, const Json& plans, const std::string& place) {
        if (verdict.status == CaseResult::Status::Failed)
            return;
        CaseResult result = checkPlans(matmul, out, plans);
        if (result.status != CaseResult::Status::Passed) {
            result.difference = place + ": " + result.difference;
            verdict = std::move(result);
        }
    };
    if (c.contains("min_plan"))
        check(typed.sharding, c.at("min_plan"), "/min_plan");
    for (const Json& row : c.value("with_out_sharding", Json::array()))
        check(withUnreduced(*mesh, row.at("out")), row.at("min_plan"), "/with_out_sharding " + row.at("out").dump());
    return verdict;
}

/// "abc,acz->abz": letters of both sides that stay are batch dimensions, those that go are contracted.
DotGeneralAttributes dimensionsOf(const std::string& einsum)
{
    const std::string lhs = einsum.substr(0, einsum.find(','));
    const std::string rhs = einsum.substr(lhs.size() + 1, einsum.find("->") - lhs.size() - 1);
    const std::string out = einsum.substr(einsum.find("->") + 2);
    DotGeneralAttributes dot;
    for (std::size_t l = 0; l < lhs.size(); ++l) {
        const std::size_t r = rhs.find(lhs[l]);
        if (r == std::string::npos)
            continue;
        const bool batch = out.find(lhs[l]) != std::string::npos;
        (batch ? dot.lhsBatch : dot.lhsContracting).push_back(static_cast<std::int64_t>(l));
        (batch ? dot.rhsBatch : dot.rhsContracting).push_back(static_cast<std::int64_t>(r));
    }
    return dot;
}

ExplicitArray operandOf(const Mesh& mesh, const Json& shape, const Json& spec)
{
    return { plainShape(shape), plainSharding(mesh, spec, shape.size()) };
}

CaseResult checkExplicit(const Json& c)
{
    const MeshPtr mesh = plainMesh(c.at("mesh"));
    for (const char* operand : { "lhs_spec", "rhs_spec" })
        if (c.at(operand).is_object())
            return CaseResult::unsupported("unreduced operands of a product");
    const DotGeneralAttributes dot = dimensionsOf(c.value("einsum", "ij,jk->ik"));
    std::optional<TensorSharding> wanted;
    if (c.contains("out_sharding")) {
        const Json& out = c.at("out_sharding");
        wanted = plainSharding(*mesh, out.is_object() ? out.at("spec") : out, 2);
        if (out.is_object())
            wanted->unreduced = plainAxes(*mesh, out.at("unreduced"));
    }
    const ExplicitOutcome outcome = explicitDot(operandOf(*mesh, c.at("lhs_shape"), c.at("lhs_spec")),
        operandOf(*mesh, c.at("rhs_shape"), c.at("rhs_spec")), dot, wanted ? &*wanted : nullptr);
    if (outcome.problem != ExplicitProblem::None)
        return compareMembers(c, { { "error_kind", kindName(outcome.problem) } });
    if (c.contains("error_kind"))
        return CaseResult::failed("/error_kind: no error");
    Json actual{ { "out_spec", specJson(*mesh, outcome.sharding) } };
    if (c.at("expected").contains("unreduced"))
        actual["unreduced"] = axesJson(*mesh, outcome.sharding.unreduced);
    return compareMembers(c.at("expected"), actual);
}

Dimensions dimensions(const Json& list)
{
    Dimensions result;
    for (const Json& dimension : list)
        result.push_back(dimension.get<std::int64_t>());
    return result;
}

/// The operations that stand in the place of the product, in the form of `expected_ops_in_order`.
Json operationsAround(const Json& c, const Mesh& mesh)
{
    const std::array<const char*, 2> names{ "lhs", "rhs" };
    std::array<TensorSharding, 2> specified;
    std::vector<TensorType> types;
    std::vector<TensorInOperation> tensors;
    for (std::size_t i = 0; i < 2; ++i) {
        const Json& shape = c.at(std::string(names[i]) + "_shape");
        const Json& spec = c.at(std::string(names[i]) + "_spec");
        specified[i] = plainSharding(mesh, spec.is_null() ? Json::array() : spec, shape.size());
        types.push_back({ DType::F32, plainShape(shape) });
        tensors.push_back({ &specified[i], types.back().elementCount() });
    }
    const TensorType result{ DType::F32, plainShape(c.at("out_shape")) };
    const Json& spec = c.at("out_spec_annotated");
    const TensorSharding annotated = plainSharding(mesh, spec.is_null() ? Json::array() : spec, result.rank());
    DotGeneralAttributes dot;
    dot.lhsContracting = dimensions(c.at("contracting").at(0));
    dot.rhsContracting = dimensions(c.at("contracting").at(1));
    dot.lhsBatch = dimensions(c.at("batch").at(0));
    dot.rhsBatch = dimensions(c.at("batch").at(1));
    const FactorRule rule = opRow(OpKind::DotGeneral).factors(types, result, Attributes(dot));
    const TensorInOperation last{ &annotated, result.elementCount() };
    const CommonSharding common = commonSharding(rule, tensors, std::span(&last, 1));

    Json operations = Json::array();
    Json product{ { "dot", Json::array() }, { "out", listsJson(mesh, common.results[0]) } };
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string argument = c.at("same_operand") ? "arg0" : "arg" + std::to_string(i);
        const bool same = common.operands[i].isEquivalent(specified[i]);
        if (!same)
            operations.push_back({ { "reshard", argument }, { "to", listsJson(mesh, common.operands[i]) } });
        product["dot"].push_back(same ? argument : "reshard of " + argument);
    }
    operations.push_back(product);
    std::string current = "DOT";
    if (!common.partial.empty()) {
        operations.push_back({ { "all_reduce", axesJson(mesh, common.partial) }, { "of", current },
            { "to", listsJson(mesh, common.results[0]) } });
        current = "ALL_REDUCE";
    }
    if (!common.results[0].isEquivalent(annotated))
        operations.push_back({ { "reshard", current }, { "to", listsJson(mesh, annotated) } });
    return operations;
}

/// The case's own names are replaced by what they stand for.
Json expectedAround(const Json& c)
{
    Json operations = c.at("expected_ops_in_order");
    std::map<std::string, std::string> names;
    const auto known = [&](const std::string& name) {
        const auto found = names.find(name);
        return found == names.end() ? name : found->second;
    };
    bool reduced = false;
    for (Json& operation : operations) {
        if (operation.contains("dot"))
            for (Json& operand : operation.at("dot"))
                // Two cases print their operands by the numbers of a dialect's dump; then it is the reshard before.
                operand = operand == "0" ? "reshard of arg0" : known(operand);
        if (operation.contains("all_reduce")) {
            operation["of"] = "DOT";
            reduced = true;
        }
        if (!operation.contains("reshard"))
            continue;
        const std::string of = operation.at("reshard");
        if (of.starts_with("arg"))
            names[operation.at("as")] = "reshard of " + of;
        else
            operation["reshard"] = reduced ? "ALL_REDUCE" : "DOT";
        operation.erase("as");
    }
    return operations;
}

CaseResult checkShardyDot(const Json& c)
{
    const MeshPtr mesh = plainMesh(c.at("mesh"));
    const Json expected = expectedAround(c);
    Json actual = operationsAround(c, *mesh);
    // One case ends with the product and leaves out the sum behind it.
    if (actual.size() == expected.size() + 1 && actual.back().contains("all_reduce"))
        actual.erase(actual.size() - 1);
    std::string wrong = difference(expected, actual, "/expected_ops_in_order");
    return wrong.empty() ? CaseResult::passed() : CaseResult::failed(std::move(wrong));
}

} // namespace

CaseResult checkMatmul(const Json& oneCase, const Json& /*file*/)
{
    if (oneCase.contains("expected_ops_in_order") && oneCase.contains("contracting"))
        return checkShardyDot(oneCase);
    if (oneCase.contains("case_per_axis"))
        return checkPair(oneCase);
    if (oneCase.contains("expected") && oneCase.contains("lhs_spec"))
        return checkExplicit(oneCase);
    return CaseResult::unsupported("operation lists of another partitioner");
}

} // namespace shardscope::conformance
