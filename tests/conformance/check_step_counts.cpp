// SPDX-License-Identifier: GPL-3.0-or-later
// step_counts: the collectives of a train step of L blocks relu(x W1) W2, counted in the device program that
// propagation and partitioning make of it.
#include <algorithm>
#include <iterator>
#include <map>

#include "conformance/plain_shardings.h"
#include "networks/adam.h"
#include "partition/partition_program.h"
#include "pipeline/listed_network.h"
#include "program/differentiate.h"

namespace shardscope::conformance {

namespace {

/// Mesh axes of x's two dimensions and of those of the weights; of activations likewise.
struct Scheme {
    const char* name;
    const char *x[2], *first[2], *second[2];
    const char* state[2] = { nullptr, nullptr }; ///< of the optimizer's state, where it is not that of the weight
    [[nodiscard]] bool hasOwnState() const { return state[0] || state[1]; }
};
constexpr Scheme schemes[] = {
    { "dp", { "X", nullptr }, { nullptr, nullptr }, { nullptr, nullptr } },
    { "dp_tp", { "X", nullptr }, { nullptr, "Y" }, { "Y", nullptr } },
    { "tp_megatron", { nullptr, nullptr }, { nullptr, "Y" }, { "Y", nullptr } },
    { "tp2d_weights", { nullptr, "X" }, { "X", "Y" }, { "Y", "X" } },
    { "fsdp_keep_gathered", { "X", nullptr }, { "X", nullptr }, { nullptr, "X" } },
    { "zero1_or_2", { "X", nullptr }, { nullptr, nullptr }, { nullptr, nullptr }, { "X", nullptr } },
};

/// Schemes that compute again in the backward pass what they dropped after the forward pass. A program says what is
/// computed once; what is dropped is for a plan that does not exist yet.
constexpr const char* recomputing[][2] = {
    { "fsdp", "gathered weights are dropped, and gathered again in the backward pass" },
    { "fsdp_tp", "gathered weights are dropped, and gathered again in the backward pass" },
    { "tp_sharded_activations", "a block's gathered input is dropped, and gathered again in the backward pass" },
};

/// Empty if the case is one of the steps that are built here.
std::string unsupportedReason(const Json& oneCase)
{
    if (!oneCase.contains("F") || oneCase.contains("seq"))
        return "a layer with attention, where these are L blocks relu(x W1) W2";
    const std::string scheme = oneCase.value("scheme", "");
    for (const auto& [name, reason] : recomputing)
        if (scheme == name)
            return reason;
    return std::any_of(
               std::begin(schemes), std::end(schemes), [&](const Scheme& known) { return scheme == known.name; })
        ? std::string()
        : "the scheme " + scheme + " is not known";
}

Annotation annotationOf(const char* const (&axes)[2])
{
    DeviceAxes annotation;
    for (const char* axis : axes)
        annotation.spec.entries.push_back(axis ? SpecEntry::axis(axis) : SpecEntry::none());
    return annotation;
}

std::optional<TensorSharding> seedOf(const Annotation& annotation, const Mesh& mesh, std::size_t rank)
{
    if (const auto* device = std::get_if<DeviceAxes>(&annotation))
        return toTensorSharding(device->spec, mesh, rank);
    return std::nullopt;
}

struct Sizes {
    std::int64_t layers = 1, batch = 1, model = 1, hidden = 1;
    DType dtype = DType::F32;
};

Result<Program> trainStep(const Scheme& scheme, const Sizes& sizes)
{
    Builder builder("step");
    const TensorType input{ sizes.dtype, { sizes.batch, sizes.model } };
    const TensorType inner{ sizes.dtype, { sizes.batch, sizes.hidden } };
    const TensorType first{ sizes.dtype, { sizes.model, sizes.hidden } };
    const TensorType second{ sizes.dtype, { sizes.hidden, sizes.model } };
    std::vector<AdamState> states;
    for (std::int64_t i = 0; i < 2 * sizes.layers; ++i) {
        const TensorType& type = i % 2 == 0 ? first : second;
        const Annotation annotation = annotationOf(i % 2 == 0 ? scheme.first : scheme.second);
        const std::string name = std::to_string(i);
        const auto argument = [&](const char* what, Role role) {
            const bool own = role != Role::Parameter && scheme.hasOwnState();
            return builder.argument(type, what + name, role, {}, own ? annotationOf(scheme.state) : annotation);
        };
        states.push_back({ argument("W", Role::Parameter), argument("mu", Role::Mu), argument("nu", Role::Nu) });
    }
    const ValueId count = builder.argument({ DType::I32, {} }, "count", Role::Count);
    const Annotation whole = annotationOf(scheme.x);
    const char* const hidden[2] = { scheme.x[0], scheme.first[1] };
    ValueId x = builder.argument(input, "x", Role::Input, {}, whole);
    const ValueId target = builder.argument(input, "y", Role::Input, {}, whole);

    builder.setScope("forward");
    for (std::size_t i = 0; i < states.size(); i += 2) {
        const ValueId h = builder.constrain(builder.dot(x, states[i].parameter), annotationOf(hidden));
        const ValueId relu = builder.binary(OpKind::Maximum, h, builder.constant(inner, 0));
        x = builder.constrain(builder.dot(relu, states[i + 1].parameter), whole);
    }
    const ValueId error = builder.binary(OpKind::Subtract, x, target);
    const ValueId sum = builder.reduce(ReduceKind::Sum, builder.binary(OpKind::Multiply, error, error), { 0, 1 });
    const double elements = static_cast<double>(sizes.batch * sizes.model);
    const ValueId loss = builder.named(
        builder.binary(OpKind::Multiply, sum, builder.constant({ sizes.dtype, {} }, 1 / elements)), "loss", Role::Loss);
    std::vector<ValueId> parameters;
    for (const AdamState& state : states)
        parameters.push_back(state.parameter);
    const auto gradients = differentiate(builder, loss, parameters);
    if (!gradients)
        return tl::unexpected(gradients.error());

    builder.setScope("optimizer");
    const ValueId next = builder.binary(OpKind::Add, count, builder.constant({ DType::I32, {} }, 1));
    const AdamSettings adam;
    const AdamScalars scalars = adamScalars(builder, adam, next, sizes.dtype);
    builder.state(count, builder.result(next));
    for (std::size_t i = 0; i < states.size(); ++i) {
        const AdamState updated = adamUpdate(builder, adam, scalars, states[i], (*gradients)[i]);
        builder.state(states[i].parameter, builder.result(updated.parameter));
        builder.state(states[i].mu, builder.result(updated.mu));
        builder.state(states[i].nu, builder.result(updated.nu));
    }
    builder.result(loss);
    return std::move(builder).finish();
}

AnnotatedInput onMesh(Program program, MeshPtr mesh)
{
    AnnotatedInput input;
    input.program = std::make_shared<const Program>(std::move(program));
    input.mesh = std::move(mesh);
    const Program& p = *input.program;
    for (std::size_t i = 0; i < p.main().arguments.size(); ++i)
        input.arguments.push_back(
            seedOf(p.argumentAnnotations[i], *input.mesh, p.value(p.main().arguments[i]).type.rank()));
    input.results.resize(p.main().results.size());
    input.constraints.resize(p.operations.size());
    for (std::size_t i = 0; i < p.operations.size(); ++i)
        if (const auto* constraint = std::get_if<ConstraintAttributes>(&p.operations[i].attributes))
            input.constraints[i] =
                seedOf(constraint->annotation, *input.mesh, p.value(p.operations[i].results[0]).type.rank());
    return input;
}

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
    const std::string name = oneCase.value("scheme", "");
    if (std::string reason = unsupportedReason(oneCase); !reason.empty())
        return CaseResult::unsupported(std::move(reason));
    const auto* scheme =
        std::find_if(std::begin(schemes), std::end(schemes), [&](const Scheme& known) { return name == known.name; });
    std::vector<MeshAxis> axes;
    for (const char* axis : { "X", "Y" })
        if (oneCase.at("mesh").contains(axis))
            axes.push_back({ axis, oneCase.at("mesh").at(axis) });
    const MeshPtr mesh = std::make_shared<const Mesh>(Mesh::create(std::move(axes)).value());
    const Sizes sizes{ oneCase.at("L"), oneCase.at("B"), oneCase.at("D"), oneCase.at("F"), plainType(oneCase) };
    Result<Program> program = trainStep(*scheme, sizes);
    if (!program)
        return CaseResult::failed("the program: " + std::string(program.error().kind()));
    const AnnotatedInput input = onMesh(std::move(*program), mesh);
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
        const bool updated = scope == "optimizer" && scheme->hasOwnState() && use.kind == CollectiveKind::AllGather;
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
    return compareMembers(oneCase,
        { { "optimizer_adam", { { "collectives", optimizer } } }, { "param_bytes_per_device", parameterBytes },
            { "adam_state_bytes_per_device", stateBytes } });
}

} // namespace shardscope::conformance
