// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/transformer_training.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/codes.h"
#include "networks/check_transformer.h"
#include "networks/chosen_parts.h"
#include "networks/train_step.h"
#include "networks/transformer.h"
#include "networks/transformer_parameters.h"

namespace shardscope {

namespace {

NetworkArrays arraysOf(const TransformerSettings& model)
{
    NetworkArrays arrays;
    for (TransformerParameter& parameter : parametersOf(model)) {
        Annotation annotation = annotationOf(model, parameter);
        arrays.parameters.push_back({ std::move(parameter.path), { model.parameterDtype, std::move(parameter.shape) },
            dimensionNames(parameter.axes), std::move(annotation) });
    }
    for (TransformerInput& input : inputsOf(model))
        arrays.inputs.push_back({ std::move(input.path), std::move(input.type), dimensionNames(input.axes),
            LogicalAxes{ logicalNames(model, input.axes) } });
    return arrays;
}

ChosenInitial initially(std::string glob, InitialValue::Kind kind)
{
    InitialValue value;
    value.kind = kind;
    return { std::move(glob), std::move(value) };
}
ChosenInitial normal(std::string glob, double deviation)
{
    ChosenInitial chosen = initially(std::move(glob), InitialValue::Kind::Normal);
    chosen.value.low = deviation;
    return chosen;
}
/// Of a contraction over so many terms.
ChosenInitial scaled(std::string glob, std::int64_t terms)
{
    return normal(std::move(glob), 1 / std::sqrt(static_cast<double>(terms)));
}

} // namespace

std::vector<ChosenInitial> transformerInitials(const TransformerSettings& s)
{
    constexpr double ofTables = 0.02; // of positions, as in GPT-2
    const std::int64_t ofHeads = saturatingProduct(s.heads, valueSize(s));
    using enum InitialValue::Kind;
    std::vector<ChosenInitial> initials{ initially("params/**/scale", s.normPlusOne ? Zeros : Ones),
        initially("params/**/bias", Zeros), scaled("params/**/kernel", s.embed),
        scaled("params/**/out/kernel", ofHeads), scaled("params/**/wo/kernel", hiddenSize(s)),
        normal("params/**_embedder/embedding", ofTables), normal("params/**/rel_embedding", ofTables),
        s.tiedLogits && !s.scaledLogits ? scaled("params/token_embedder/embedding", s.embed)
                                        : normal("params/token_embedder/embedding", 1) };
    if (s.experts && s.experts->denseLayers > 0)
        initials.push_back(scaled("params/**/mlp/wo/kernel", s.mlp));
    if (s.experts && s.experts->sharedMlp > 0)
        initials.push_back(scaled("params/**/shared_experts/wo/kernel", s.experts->sharedMlp));
    if (s.latent) {
        initials.push_back(scaled("params/**/wkv_b/kernel", s.latent->rank));
        if (s.latent->queryRank > 0)
            initials.push_back(scaled("params/**/wq_b/kernel", s.latent->queryRank));
    }
    if (!s.scaledAttention) // as T5: what the logits of attention are not divided by
        initials.push_back(scaled("params/**/query/kernel", saturatingProduct(s.embed, querySize(s))));
    for (const TransformerInput& input : inputsOf(s)) {
        initials.push_back(initially(input.path, Integers));
        initials.back().value.bound = s.vocab;
    }
    return initials;
}

std::vector<StackedInitial> stackedInitials(const TransformerSettings& s)
{
    std::vector<StackedInitial> stacks;
    if (s.form != LayerForm::Scanned)
        return stacks;
    const std::string root = "params/";
    const auto add = [&](const TransformerParameter& parameter, const std::string& stack, const LayerGroup& group) {
        const std::string prefix = stack + group.name + '/';
        if (!parameter.path.starts_with(prefix))
            return;
        StackedInitial& all = stacks.emplace_back();
        all.argument = root + parameter.path;
        all.dimension = static_cast<std::size_t>(
            std::find(parameter.axes.begin(), parameter.axes.end(), group.axis) - parameter.axes.begin());
        for (std::int64_t i = 0; i < group.count; ++i)
            all.parts.push_back(root + stack + "layers." + std::to_string(group.first + i) + '/'
                + parameter.path.substr(prefix.size()));
    };
    for (const TransformerParameter& parameter : parametersOf(s))
        for (const bool isEncoder : { true, false })
            for (const LayerGroup& group : layerGroups(s, isEncoder))
                add(parameter, isEncoder ? "encoder/" : "decoder/", group);
    return stacks;
}

Result<void> checkTraining(const TransformerTraining& training)
{
    SHARDSCOPE_CHECK(checkTransformer(training.model));
    const std::int64_t batch = training.model.batch, count = training.microbatches;
    if (count < 1 || count > batch)
        return fail(
            Code::OutOfRange, { { "key", "microbatches" }, { "value", count }, { "min", 1 }, { "max", batch } });
    if (batch % count == 0)
        return {};
    return fail(Code::InvalidAttribute,
        { { "op", "train_step" }, { "wrong", "microbatches" }, { "batch", batch }, { "microbatches", count } });
}

Result<Program> buildTransformer(const TransformerTraining& training)
{
    SHARDSCOPE_CHECK(checkTraining(training));
    if (!training.trainStep)
        return buildTransformerForward(training.model);
    TransformerSettings ofMicrobatch = training.model;
    ofMicrobatch.batch /= training.microbatches;
    TrainStepSettings step;
    step.optimizer = training.optimizer;
    step.microbatches = training.microbatches;
    Builder builder("train_step");
    // The logits are no result: of a large vocabulary they are larger than all else.
    SHARDSCOPE_CHECK(addTrainStep(
        builder, arraysOf(training.model), step, [&](Builder& b, const ForwardInputs& inputs) -> Result<ForwardPass> {
            const DropoutSource dropout{ inputs.step, inputs.microbatch * ofMicrobatch.batch };
            SHARDSCOPE_TRY(results, transformerForward(b, ofMicrobatch, inputs.parameters, inputs.inputs, dropout));
            return ForwardPass{ results->loss, {}, std::move(results->derivative) };
        }));
    return std::move(builder).finish();
}

} // namespace shardscope
