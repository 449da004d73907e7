// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in step_program.h.
#include <algorithm>
#include <iterator>

#include "conformance/plain_shardings.h"
#include "conformance/step_program.h"
#include "networks/adam.h"
#include "program/differentiate.h"

namespace shardscope::conformance {

namespace {

/// Mesh axes of x's two dimensions and of those of the weights; of activations likewise.
struct BlockScheme {
    const char* name;
    const char *x[2], *first[2], *second[2];
    RematPolicy remat = RematPolicy::None; ///< of each block
    const char* state[2] = { nullptr, nullptr }; ///< of the optimizer's state, where it is not that of the weight
    [[nodiscard]] bool hasOwnState() const { return state[0] || state[1]; }
};
constexpr BlockScheme blockSchemes[] = {
    { "dp", { "X", nullptr }, { nullptr, nullptr }, { nullptr, nullptr } },
    { "dp_tp", { "X", nullptr }, { nullptr, "Y" }, { "Y", nullptr } },
    { "tp_megatron", { nullptr, nullptr }, { nullptr, "Y" }, { "Y", nullptr } },
    { "tp2d_weights", { nullptr, "X" }, { "X", "Y" }, { "Y", "X" } },
    { "fsdp_keep_gathered", { "X", nullptr }, { "X", nullptr }, { nullptr, "X" } },
    { "zero1_or_2", { "X", nullptr }, { nullptr, nullptr }, { nullptr, nullptr }, RematPolicy::None, { "X", nullptr } },
    // What was gathered for the forward pass is gathered again.
    { "fsdp", { "X", nullptr }, { "X", nullptr }, { nullptr, "X" }, RematPolicy::Gathered },
    { "fsdp_tp", { "X", "Y" }, { "X", "Y" }, { "Y", "X" }, RematPolicy::Gathered },
    { "tp_sharded_activations", { nullptr, "Y" }, { nullptr, "Y" }, { "Y", nullptr }, RematPolicy::Gathered },
};

Annotation axesAnnotation(const char* const (&axes)[2])
{
    DeviceAxes annotation;
    for (const char* axis : axes)
        annotation.spec.entries.push_back(axis ? SpecEntry::axis(axis) : SpecEntry::none());
    return annotation;
}

struct BlockSizes {
    std::int64_t layers = 1, batch = 1, model = 1, hidden = 1;
    DType dtype = DType::F32;
};

Result<Program> blocksTrainStep(const BlockScheme& scheme, const BlockSizes& sizes)
{
    Builder builder("step");
    const TensorType input{ sizes.dtype, { sizes.batch, sizes.model } };
    const TensorType inner{ sizes.dtype, { sizes.batch, sizes.hidden } };
    const TensorType first{ sizes.dtype, { sizes.model, sizes.hidden } };
    const TensorType second{ sizes.dtype, { sizes.hidden, sizes.model } };
    std::vector<AdamState> states;
    for (std::int64_t i = 0; i < 2 * sizes.layers; ++i) {
        const TensorType& type = i % 2 == 0 ? first : second;
        const Annotation annotation = axesAnnotation(i % 2 == 0 ? scheme.first : scheme.second);
        const std::string name = std::to_string(i);
        const auto argument = [&](const char* what, Role role) {
            const bool own = role != Role::Parameter && scheme.hasOwnState();
            return builder.argument(type, what + name, role, {}, own ? axesAnnotation(scheme.state) : annotation);
        };
        states.push_back({ argument("W", Role::Parameter), argument("mu", Role::Mu), argument("nu", Role::Nu) });
    }
    const ValueId count = builder.argument({ DType::I32, {} }, "count", Role::Count);
    const Annotation full = axesAnnotation(scheme.x);
    const char* const hidden[2] = { scheme.x[0], scheme.first[1] };
    ValueId x = builder.argument(input, "x", Role::Input, {}, full);
    const ValueId target = builder.argument(input, "y", Role::Input, {}, full);

    builder.setScope("forward");
    std::vector<RematRegion> regions;
    for (std::size_t i = 0; i < states.size(); i += 2) {
        const std::size_t begin = builder.program().main().operations.size();
        const ValueId h = builder.constrain(builder.dot(x, states[i].parameter), axesAnnotation(hidden));
        const ValueId relu = builder.binary(OpKind::Maximum, h, builder.constant(inner, 0));
        x = builder.constrain(builder.dot(relu, states[i + 1].parameter), full);
        regions.push_back({ begin, builder.program().main().operations.size(), scheme.remat });
    }
    const ValueId error = builder.binary(OpKind::Subtract, x, target);
    const ValueId sum = builder.reduce(ReduceKind::Sum, builder.binary(OpKind::Multiply, error, error), { 0, 1 });
    const double elements = static_cast<double>(sizes.batch * sizes.model);
    const ValueId loss = builder.named(
        builder.binary(OpKind::Multiply, sum, builder.constant({ sizes.dtype, {} }, 1 / elements)), "loss", Role::Loss);
    std::vector<ValueId> parameters;
    for (const AdamState& state : states)
        parameters.push_back(state.parameter);
    const auto gradients = differentiate(builder, loss, parameters, { .keeps = {}, .regions = std::move(regions) });
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

} // namespace

std::optional<Result<StepProgram>> blocksStep(const Json& oneCase, MeshPtr mesh)
{
    const std::string name = oneCase.value("scheme", "");
    const auto* scheme = std::find_if(
        std::begin(blockSchemes), std::end(blockSchemes), [&](const BlockScheme& known) { return name == known.name; });
    if (scheme == std::end(blockSchemes))
        return std::nullopt;
    const BlockSizes sizes{ oneCase.at("L"), oneCase.at("B"), oneCase.at("D"), oneCase.at("F"), plainType(oneCase) };
    Result<Program> program = blocksTrainStep(*scheme, sizes);
    if (!program)
        return tl::unexpected(program.error());
    return StepProgram{ annotatedOnMesh(std::move(*program), std::move(mesh)), scheme->hasOwnState() };
}

} // namespace shardscope::conformance
