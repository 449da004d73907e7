// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/gallery.h"

#include <algorithm>
#include <cstdlib>

#include "experiment_file/experiment_file.h"

namespace shardscope {

namespace {

struct Entry {
    std::string_view group, id, question;
};

constexpr Entry entries[] = {
    { "flax-notebook", "flax-mlp-logical",
        "How do logical axis rules lay out an MLP's train step over eight devices?" },
    { "flax-notebook", "flax-mlp-device", "Do annotations by mesh axes give the same shardings as logical rules?" },
    { "flax-notebook", "flax-mlp-scan", "What becomes of the parameters when the layers are scanned?" },
    { "flax-notebook", "flax-mlp-program", "How do the shardings of a program spread through its operations?" },
    { "flax-notebook", "flax-mlp-scan-program", "What do shardings do inside a loop over layers?" },
    { "flax-spmd", "rule-lab", "Which rule wins when several compete for one mesh axis?" },
    { "flax-spmd", "rule-lab-null", "Why does a rule that is there not apply?" },
    { "flax-spmd", "rule-lab-tuple", "What happens to a tuple of axes when one of them is in use?" },
    { "flax-spmd", "rule-lab-fallback", "What does a constraint do when no rule names a dimension?" },
    { "flax-spmd", "rule-lab-parts", "What do rules bound inside a part of a model leave of those outside?" },
    { "flax-spmd", "rule-lab-cpu", "Why do constraints do nothing on fake CPU devices?" },
    { "penzai", "penzai-positional", "How do reshape and replicate place the devices of a positional sharding?" },
    { "penzai", "penzai-named-sharding", "What do specs by name do on a mesh of foo and bar?" },
    { "penzai", "penzai-name-to-name", "How does a map from names to mesh axes shard a tree of named arrays?" },
    { "penzai", "penzai-matching-names", "What if the mesh has the names of the arrays?" },
    { "penzai", "penzai-tiny-transformer", "Where do the parameters of a small transformer go?" },
    { "penzai", "penzai-transformer", "What do constraints after every block change when it runs?" },
    { "t5x", "t5x-a1p1", "What do the standard rules shard?" },
    { "t5x", "t5x-a2p1", "What changes with activations over two dimensions?" },
    { "t5x", "t5x-a1p2", "What changes with parameters over two dimensions?" },
    { "t5x", "t5x-a2p2", "What if both are sharded over two dimensions?" },
    { "t5x", "t5x-additional-rules", "What can additional rules still change?" },
    { "t5x", "t5x-replica-data-model", "How is the batch sharded over several slices?" },
    { "t5x", "t5x-hosts", "Which host reads which part of the batch?" },
    { "jax", "jax-data-sharding", "Who holds what of a 4 × 8 array, and of its sum?" },
    { "jax", "jax-memory-kinds", "What changes when an array lies in pinned host memory?" },
    { "jax", "jax-memory-transfer", "What moves when an array goes from the host to the devices, and back?" },
    { "jax", "jax-shard-map", "Which shape does a function see inside shard_map?" },
    { "jax", "jax-shard-map-program", "What do a local sum and psum give under shard_map?" },
    { "jax", "jax-layer", "What does a layer's contraction over a sharded dimension need?" },
    { "jax", "jax-elementwise", "Why does an elementwise function need no communication?" },
    { "jax", "jax-contraction", "Where does the result of a sum over a sharded dimension lie?" },
    { "jax", "jax-constrained-contraction", "What does a constraint on a result change?" },
    { "jax", "jax-layer-program", "What does jit make of a layer with sharded inputs?" },
    { "jax", "jax-layer-auto", "How do constraints inside a function reach its inputs?" },
    { "jax", "jax-layer-manual", "What does the same layer look like under shard_map?" },
    { "transformers", "transformer-t5x", "How is a transformer trained on a mesh of data and model?" },
    { "transformers", "transformer-experts", "What moves when every token goes to experts of its own?" },
    { "real", "maxtext-llama3-8b", "How do MaxText's rules lay out Llama 3 8B on 32 devices?" },
    { "real", "trap-indivisible", "What becomes of a size that does not divide?" },
};

std::string_view textOf(std::string_view id)
{
    for (const resources::ExampleFile& file : resources::exampleFiles())
        if (file.id == id)
            return file.text;
    std::abort(); // both lists are compiled in, and a test reads them all
}

} // namespace

const std::vector<ExampleGroup>& exampleGroups()
{
    static const std::vector<ExampleGroup> groups{
        { "flax-notebook", "Flax: parallel training" },
        { "flax-spmd", "flax.linen.spmd" },
        { "penzai", "Penzai: jitting and sharding" },
        { "t5x", "T5X: partitioning" },
        { "jax", "JAX: parallel programming" },
        { "transformers", "Transformers" },
        { "real", "Real projects and traps" },
    };
    return groups;
}

const std::vector<GalleryExample>& gallery()
{
    static const std::vector<GalleryExample> all = [] {
        std::vector<GalleryExample> examples;
        for (const Entry& entry : entries) {
            const std::string_view text = textOf(entry.id);
            auto read = readExperiment(text);
            if (!read)
                std::abort(); // as above
            examples.push_back({ entry.id, entry.group, entry.question, text, std::move(read->experiment) });
        }
        return examples;
    }();
    return all;
}

const GalleryExample* findExample(std::string_view id)
{
    const std::vector<GalleryExample>& all = gallery();
    const auto found = std::find_if(all.begin(), all.end(), [&](const GalleryExample& each) { return each.id == id; });
    return found == all.end() ? nullptr : &*found;
}

const GalleryExample* findExample(const Experiment& experiment)
{
    const std::vector<GalleryExample>& all = gallery();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const GalleryExample& each) { return each.experiment.title == experiment.title; });
    return found == all.end() || experiment.title.empty() ? nullptr : &*found;
}

} // namespace shardscope
