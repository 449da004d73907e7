// SPDX-License-Identifier: GPL-3.0-or-later
// matmul: pairs of cut matrices with the four cases, their cheapest plans, JAX's explicit mode, and Shardy's explicit
// reshards around products.
#include <algorithm>
#include <array>
#include <map>

#include "conformance/matmul_plan.h"
#include "conformance/plain_shardings.h"
#include "partition/common_sharding.h"
#include "program/explicit_mode.h"

namespace shardscope::conformance {

namespace {

const char* nameOf(MatmulAxis role)
{
    switch (role) {
    case MatmulAxis::Unused:
        return "unused";
    case MatmulAxis::Free:
        return "case1";
    case MatmulAxis::OneContracted:
        return "case2";
    case MatmulAxis::BothContracted:
        return "case3";
    case MatmulAxis::Clash:
        return "case4";
    case MatmulAxis::OneContractedOtherRows:
        return "case2+other_operand_noncontracting (FSDP pattern)";
    case MatmulAxis::OneContractedOtherColumns:
        return "case2+other_operand_noncontracting (half-TP pattern)";
    }
    return "";
}

/// What the plans of an entry send at most.
std::string dearer(const Matmul& matmul, const TensorSharding& wanted, const Json& plans)
{
    const Json& any = plans.at("any");
    for (const bool everyAxis : { false, true }) {
        const Json& row = plans.at(everyAxis ? "full_parallel" : "any");
        const Json& bound = row.is_object() ? row : any;
        const std::optional<MatmulPlan> plan = cheapestMatmul(matmul, wanted, everyAxis);
        if (!plan)
            return "no plan";
        if (!isAtMost(plan->sent, bound.at("sent_bytes_per_device")))
            return std::string(everyAxis ? "full_parallel" : "any") + ": at most "
                + bound.at("sent_bytes_per_device").dump() + ", got " + numberJson(plan->sent).dump();
        if (everyAxis && plan->localFlops * matmul.mesh->deviceCount() != 2 * matmul.m * matmul.k * matmul.n)
            return "full_parallel: not every axis divides the work";
    }
    return {};
}

TensorSharding wantedOf(const Mesh& mesh, const Json& out)
{
    TensorSharding sharding = plainSharding(mesh, out.at("dims"), 2);
    sharding.unreduced = plainAxes(mesh, out.value("unreduced", Json::array()));
    std::sort(sharding.unreduced.begin(), sharding.unreduced.end());
    return sharding;
}

CaseResult checkPair(const Json& c)
{
    const MeshPtr mesh = plainMesh(c.at("mesh"));
    Matmul matmul{ mesh.get(), plainType(c), c.at("lhs_shape").at(0), c.at("lhs_shape").at(1), c.at("rhs_shape").at(1),
        plainSharding(*mesh, c.at("lhs_spec"), 2), plainSharding(*mesh, c.at("rhs_spec"), 2) };
    Json cases;
    for (std::size_t axis = 0; axis < mesh->rank(); ++axis)
        cases[mesh->axis(axis).name] = nameOf(roleOf(matmul, axis));
    Json actual{ { "case_per_axis", cases }, { "no_communication_needed_for_local_matmul", isLocal(matmul) } };

    const ExplicitOutcome typed = explicitDot({ plainShape(c.at("lhs_shape")), matmul.lhs },
        { plainShape(c.at("rhs_shape")), matmul.rhs }, { {}, {}, { 1 }, { 0 } });
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

    const std::optional<MatmulPlan> textbook = textbookMatmul(matmul);
    if (textbook.has_value() != c.contains("textbook_plan"))
        return CaseResult::failed("/textbook_plan");
    if (textbook && !isNumber(c.at("textbook_plan").at("sent_bytes_per_device"), textbook->sent))
        return CaseResult::failed("/textbook_plan: got " + numberJson(textbook->sent).dump());
    if (c.contains("min_plan"))
        if (std::string wrong = dearer(matmul, typed.sharding, c.at("min_plan")); !wrong.empty())
            return CaseResult::failed("/min_plan: " + wrong);
    for (const Json& row : c.value("with_out_sharding", Json::array()))
        if (std::string wrong = dearer(matmul, wantedOf(*mesh, row.at("out")), row.at("min_plan")); !wrong.empty())
            return CaseResult::failed("/with_out_sharding " + row.at("out").dump() + ": " + wrong);
    return compareMembers(c, actual);
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
    std::array<TensorSharding, 2> given;
    std::vector<TensorType> types;
    std::vector<TensorInOperation> tensors;
    for (std::size_t i = 0; i < 2; ++i) {
        const Json& shape = c.at(std::string(names[i]) + "_shape");
        const Json& spec = c.at(std::string(names[i]) + "_spec");
        given[i] = plainSharding(mesh, spec.is_null() ? Json::array() : spec, shape.size());
        types.push_back({ DType::F32, plainShape(shape) });
        tensors.push_back({ &given[i], types.back().elementCount(), false });
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
    const TensorInOperation last{ &annotated, result.elementCount(), false };
    const CommonSharding common = commonSharding(rule, tensors, std::span(&last, 1), {});

    Json operations = Json::array();
    Json product{ { "dot", Json::array() }, { "out", listsJson(mesh, common.results[0]) } };
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string argument = c.at("same_operand") ? "arg0" : "arg" + std::to_string(i);
        const bool same = common.operands[i].isEquivalent(given[i]);
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
