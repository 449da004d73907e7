// SPDX-License-Identifier: GPL-3.0-or-later
// step_counts: the collectives of a train step of L blocks relu(x W1) W2, and of forward and backward pass of L layers
// of a transformer, counted in the device program that propagation and partitioning make of it.
#include <map>

#include "conformance/plain_shardings.h"
#include "conformance/step_program.h"
#include "pipeline/listed_network.h"
#include "program/differentiate.h"

namespace shardscope::conformance {

namespace {

/// What one part of the step sends, per kind and axis.
struct Part {
    struct Sum {
        int count = 0;
        Rational sent;
    };
    std::map<std::string, Sum> perKind;
    Rational total;

    void add(const std::string& kind, Rational sent)
    {
        perKind[kind].count += 1;
        perKind[kind].sent += sent;
        total += sent;
    }
    [[nodiscard]] Json json() const
    {
        Json kinds = Json::object();
        for (const auto& [kind, sum] : perKind)
            kinds[kind] = { { "count", sum.count }, { "sent_bytes_per_device", numberJson(sum.sent) } };
        return { { "per_kind", kinds }, { "total_sent_bytes_per_device", numberJson(total) } };
    }
};

} // namespace

CaseResult checkStepCounts(const Json& oneCase, const Json& /*file*/)
{
    std::vector<MeshAxis> axes;
    for (const char* axis : { "X", "Y", "T" })
        if (oneCase.at("mesh").contains(axis))
            axes.push_back({ axis, oneCase.at("mesh").at(axis) });
    const MeshPtr mesh = std::make_shared<const Mesh>(Mesh::create(std::move(axes)).value());
    const bool ofLayers = oneCase.contains("seq");
    const std::optional<Result<StepProgram>> built = ofLayers ? layersStep(oneCase, mesh) : blocksStep(oneCase, mesh);
    if (!built)
        return CaseResult::unsupported("the scheme " + oneCase.value("scheme", "") + " is not known");
    if (!*built)
        return CaseResult::failed("the program: " + std::string(built->error().kind()));
    const StepProgram& program = **built;
    const AnnotatedInput& input = program.input;
    const Result<test::ListedNetwork> devices = test::listedNetwork(input);
    if (!devices)
        return CaseResult::failed("partitioning: " + std::string(devices.error().kind()));

    Part forward, backward, step;
    int optimizer = 0;
    for (const CollectiveEntry& use : devices->list.entries) {
        if (use.kind == CollectiveKind::AllSlice)
            continue;
        std::string axis;
        for (const AxisRef& ref : use.axes)
            axis += toString(*mesh, ref);
        const std::string kind = std::string(shardscope::name(use.kind)) + "@" + axis;
        const std::optional<Reason>& reason = use.reason;
        const std::string scope = reason && reason->operation.valid()
            ? input.program->scopes[input.program->operation(reason->operation).scope]
            : "optimizer";
        // Weights that are gathered after their update count for the backward pass.
        const bool updated = scope == "optimizer" && program.gathersUpdated && use.kind == CollectiveKind::AllGather;
        if (scope == "optimizer" && !updated)
            ++optimizer;
        (isBackward(scope) || updated ? backward : forward).add(kind, use.sentBytes);
        step.add(kind, use.sentBytes);
    }
    std::int64_t parameterBytes = 0;
    std::int64_t stateBytes = 0;
    for (const ValueId argument : input.program->main().arguments) {
        const Role role = input.program->value(argument).role;
        const std::int64_t bytes = devices->flat->value(FlatValueId(argument.index)).localType.byteCount();
        parameterBytes += role == Role::Parameter ? bytes : 0;
        stateBytes += role == Role::Mu || role == Role::Nu ? bytes : 0;
    }
    for (const auto& [member, part] :
        { std::pair{ "forward", &forward }, { "backward", &backward }, { "step_total", &step } }) {
        Json expected = oneCase.at(member);
        expected.erase("items"); // the same by cause
        if (std::string wrong = difference(expected, part->json(), std::string("/") + member); !wrong.empty())
            return CaseResult::failed(std::move(wrong));
    }
    if (ofLayers) // without an optimizer
        return CaseResult::passed();
    return compareMembers(oneCase,
        { { "optimizer_adam", { { "collectives", optimizer } } }, { "param_bytes_per_device", parameterBytes },
            { "adam_state_bytes_per_device", stateBytes } });
}

} // namespace shardscope::conformance
