// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in sections.h.
#include "experiment_file/file_words.h"
#include "experiment_file/read_fields.h"
#include "experiment_file/sections.h"

namespace shardscope {

namespace words = file_words;

void readStep(const ValueCursor& value, MlpSettings& settings)
{
    auto object = value.asObject();
    if (!object)
        return;
    const FieldReader read(*object);
    if (const auto optimizer = object->find("optimizer"))
        (void)optimizer->asOneOf({ words::optimizers[static_cast<std::size_t>(OptimizerKind::Adam)] });
    forEachAdamNumber(settings.adam, read);
    read("train", settings.trainStep);
    read("initialise", settings.initialise);
    read("input_gradient", settings.inputGradient);
    object->finish();
}

void readStep(const ValueCursor& value, TransformerTraining& training)
{
    auto object = value.asObject();
    if (!object)
        return;
    const FieldReader read(*object);
    OptimizerSettings& optimizer = training.optimizer;
    object->read("optimizer", words::optimizers, optimizer.kind);
    forEachAdamNumber(optimizer, read);
    read("train", training.trainStep);
    read("initialise", training.initialise);
    read("microbatches", training.microbatches, IntegerRange{ 1 });
    forEachOptimizerOption(optimizer, read);
    readObject(object->find("adafactor"),
        [&](const FieldReader& options) { forEachAdafactorOption(optimizer.adafactor, options); });
    object->finish();
}

} // namespace shardscope
