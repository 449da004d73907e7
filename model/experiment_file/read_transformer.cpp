// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in sections.h.
#include <string>
#include <utility>
#include <vector>

#include "base/codes.h"
#include "experiment_file/file_words.h"
#include "experiment_file/read_fields.h"
#include "experiment_file/sections.h"

namespace shardscope {

namespace words = file_words;

namespace {

/// The keys whose values an error of checkTraining() may be about, the likeliest first.
std::vector<std::string> keysOf(const Diagnostic& error)
{
    std::string key = error.text("key");
    if (key.empty())
        key = error.text("wrong");
    if (key == "rotary")
        return { "rotary_size", "rotary_fraction", "head_size" };
    if (key == "buckets")
        return { "relative_buckets" };
    if (key == "expert_mlp")
        return { "mlp" };
    if (key == "expert_scale")
        return { "scale" };
    if (key == "latent")
        return { "latent", "kv_heads" };
    return { std::move(key) };
}

std::optional<Annotation> readChosenAxes(ObjectCursor& object)
{
    const auto names = object.find("names"), spec = object.find("spec");
    if (names && spec) {
        spec->report(Code::DuplicateKey, { { "key", "spec" }, { "other", "names" } });
        return std::nullopt;
    }
    const std::optional<ValueCursor> value = names ? names : spec ? spec : object.require("names");
    const auto elements = value ? value->asList("dimensions", words::maximumRank) : std::nullopt;
    if (!elements)
        return std::nullopt;
    LogicalAxes logical;
    DeviceAxes device;
    for (const ValueCursor& element : *elements) {
        if (names) {
            auto name = readLogicalName(element);
            if (!name)
                return std::nullopt;
            logical.names.push_back(std::move(*name));
        } else {
            auto entry = readSpecEntry(element);
            if (!entry)
                return std::nullopt;
            device.spec.entries.push_back(std::move(*entry));
        }
    }
    return names ? Annotation(std::move(logical)) : Annotation(std::move(device));
}

void readChosen(const std::optional<ValueCursor>& value, std::vector<ChosenSharding>& chosen)
{
    if (!value)
        return;
    forEachObject(*value, "objects", words::maximumChosenShardings, [&](ObjectCursor& object) {
        const auto at = object.require("at");
        auto glob = at ? at->asName() : std::nullopt;
        auto axes = readChosenAxes(object);
        if (glob && axes)
            chosen.push_back({ std::move(*glob), std::move(*axes) });
    });
}

/// The value of the first of these keys in the object, or in an object inside it.
std::optional<ValueCursor> valueOf(const std::vector<std::string>& keys, const ValueCursor& object)
{
    for (const std::string& key : keys)
        if (const JsonNode* found = object.node().find(key))
            return ValueCursor(object.context(), *found, pointerTo(object.pointer(), key), key);
    for (const JsonNode& inner : object.node().children)
        if (inner.type == JsonNode::Type::Object)
            if (auto found = valueOf(
                    keys, ValueCursor(object.context(), inner, pointerTo(object.pointer(), inner.key), inner.key)))
                return found;
    return std::nullopt;
}

} // namespace

void readTransformer(ObjectCursor& object, TransformerSettings& settings)
{
    const FieldReader read(object);
    read("layers", settings.layers, IntegerRange{ 1, words::maximumLayers });
    readObject(object.find("dims"), [&](const FieldReader& sizes) { forEachSize(settings, sizes); });
    forEachOption(settings, read);
    readChosen(object.find("constraints"), settings.constraints);
    readChosen(object.find("parameter_specs"), settings.parameterSpecs);
    const auto experts = object.find("experts");
    if (experts && !experts->isNull()) {
        settings.experts.emplace();
        readObject(experts, [&](const FieldReader& options) { forEachExpertOption(*settings.experts, options); });
    }
    const auto latent = object.find("latent");
    if (latent && !latent->isNull()) {
        settings.latent.emplace();
        readObject(latent, [&](const FieldReader& options) { forEachLatentOption(*settings.latent, options); });
    }
}

void checkTransformerModel(
    const ValueCursor& model, const std::optional<ValueCursor>& step, const TransformerTraining& training)
{
    const Result<void> right = checkTraining(training);
    if (right)
        return;
    const std::vector<std::string> keys = keysOf(right.error());
    std::optional<ValueCursor> place = valueOf(keys, model);
    if (!place && step)
        place = valueOf(keys, *step);
    place.value_or(model).report(right.error().code, right.error().args);
}

} // namespace shardscope
