// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/maxtext_code.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "base/text.h"
#include "interchange/maxtext_of.h"
#include "rules/published_rules.h"

namespace shardscope {

namespace {

/// The shortest text that reads back as the number.
std::string plainNumber(double value)
{
    std::array<char, 64> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return { digits.data(), end };
}

std::string_view jaxName(DType type)
{
    switch (type) {
    case DType::F64:
        return "float64";
    case DType::F32:
        return "float32";
    case DType::F16:
        return "float16";
    case DType::BF16:
        return "bfloat16";
    default:
        return name(type);
    }
}

class MaxTextWriter {
public:
    MaxTextWriter(const Snapshot& snapshot, MaxTextStyle style)
        : m_snapshot(snapshot)
        , m_experiment(*snapshot.experiment)
        , m_style(style)
    {
    }

    std::string text() &&
    {
        addMachine();
        addMesh();
        if (const auto* transformer = std::get_if<TransformerModel>(&m_experiment.model))
            addTransformer(transformer->settings);
        else
            note("the model: MaxText builds decoders alone, and this is none; mesh and rules are written");
        if (!m_experiment.placement.paramsOnDevices)
            add("parameter_memory_host_offload", "true");
        return headText() + bodyText();
    }

private:
    void add(const std::string& key, const std::string& value)
    {
        m_settings += m_style == MaxTextStyle::Yaml ? key + ": " + value + "\n" : "  " + key + "=" + value + "\n";
    }
    void add(const std::string& key, std::int64_t value) { add(key, std::to_string(value)); }
    void add(const std::string& key, double value) { add(key, plainNumber(value)); }
    void addWord(const std::string& key, std::string_view word)
    {
        add(key, m_style == MaxTextStyle::Yaml ? "'" + std::string(word) + "'" : std::string(word));
    }
    void note(const std::string& text) { m_notes += "#   " + onOneLine(text) + "\n"; }

    void addMachine()
    {
        const std::string& platform = m_experiment.hardware.devices.platform;
        if (platform == "tpu" || platform == "gpu" || platform == "cpu")
            addWord("hardware", platform);
        else
            note("hardware: the platform " + platform);
    }

    void addMesh()
    {
        LogicalRules rules = m_experiment.rules.rules;
        if (!rules.isSequence) {
            rules.isSequence = true; // of a mapping any order says the same
            note("the rules as a mapping: they are a list there");
        }
        MaxTextForm form = maxTextForm(rules, m_experiment.mesh, maxTextSlices(m_experiment.hardware.devices));
        for (const std::string& member : form.notKept)
            note(member == "hosts" ? "hosts: no sizes inside slices and between them give this order of devices"
                                   : "the order of the devices, which is MaxText's own");
        noteNames(rules);
        if (!m_experiment.rules.inner.empty())
            note("rules of parts of the model: " + std::to_string(m_experiment.rules.inner.size())
                + " lists of them are left out");
        for (const MaxTextAxis& axis : form.config.axes)
            if (!isMaxTextAxis(axis.name))
                note("the mesh axis " + axis.name + ": base.yml has no ici_" + parallelismKey(axis.name)
                    + "_parallelism");
            else if (const std::string key = parallelismKey(axis.name); key != axis.name)
                note("the mesh axis " + axis.name + ", whose sizes are those of ici_" + key + "_parallelism and dcn_"
                    + key + "_parallelism");
        if (m_style == MaxTextStyle::Flags) {
            note("mesh_axes and logical_axis_rules, which are lists: the configuration in YAML has them");
            addSizes(form.config.axes);
        } else if (const Result<std::string> written = writeMaxText(form.config, false)) {
            m_settings += *written;
        } else {
            note("a rule that is no name with mesh axes: no rules and mesh axes are written");
            addSizes(form.config.axes);
        }
        closeOpenSizes(form.config.axes);
    }

    /// Without its names a rule shards nothing of MaxText's model.
    void noteNames(const LogicalRules& rules)
    {
        const std::vector<std::string> unknown = namesUnknownToMaxText(rules);
        if (unknown.empty())
            return;
        note("these names of rules, with which MaxText's model annotates nothing: " + join(unknown, ", "));
        if (std::none_of(rules.list.begin(), rules.list.end(),
                [](const LogicalRule& rule) { return rule.name.name.starts_with("activation_"); }))
            note("rules for activation_batch, activation_heads and the like: without them MaxText shards no "
                 "activations; "
                + std::string(currentMaxTextRules) + " has its own rules");
    }

    void addSizes(const std::vector<MaxTextAxis>& axes)
    {
        std::set<std::string> written; // some axes share a key
        for (const auto& [prefix, size] :
            { std::pair("dcn_", &MaxTextAxis::dcn), std::pair("ici_", &MaxTextAxis::ici) })
            for (const MaxTextAxis& axis : axes)
                if (const std::string key = prefix + parallelismKey(axis.name) + "_parallelism";
                    isMaxTextAxis(axis.name) && written.insert(key).second)
                    add(key, axis.*size);
    }

    /// Those that base.yml leaves to be worked out (-1) belong to axes that are not in this mesh.
    void closeOpenSizes(const std::vector<MaxTextAxis>& axes)
    {
        const auto has = [&axes](std::string_view key) {
            return std::any_of(
                axes.begin(), axes.end(), [key](const MaxTextAxis& axis) { return parallelismKey(axis.name) == key; });
        };
        if (!has("data"))
            add("dcn_data_parallelism", std::int64_t{ 1 });
        if (!has("fsdp"))
            add("ici_fsdp_parallelism", std::int64_t{ 1 });
    }

    void addTransformer(const TransformerTraining& training)
    {
        const TransformerSettings& model = training.model;
        const std::int64_t parts = m_snapshot.mesh->deviceCount() * training.microbatches;
        add("per_device_batch_size", static_cast<double>(model.batch) / static_cast<double>(parts));
        add("gradient_accumulation_steps", training.microbatches);
        add("max_target_length", model.length);
        addSizesOf(model);
        addWord("dtype", jaxName(model.computeDtype));
        addWord("weight_dtype", jaxName(model.parameterDtype));
        add("scan_layers", model.form == LayerForm::Scanned ? "true" : "false");
        if (model.form == LayerForm::Scanned)
            add("param_scan_axis", model.layersAxis);
        if (model.remat == RematPolicy::Full)
            addWord("remat_policy", "full");
        else
            note(model.remat == RematPolicy::None
                    ? "remat: here everything is kept for the backward pass; base.yml's remat_policy is 'full'"
                    : "remat: here products with parameters, or what is sharded, are kept; choose a remat_policy");
        addOptimizer(training);
        addWithoutKeys(model);
    }

    void addSizesOf(const TransformerSettings& model)
    {
        add("base_emb_dim", model.embed);
        add("base_num_query_heads", model.heads);
        add("base_num_kv_heads", model.kvHeads);
        add("head_dim", model.headSize);
        add("base_mlp_dim", model.mlp);
        add("base_num_decoder_layers", model.layers);
        add("vocab_size", model.vocab);
        if (model.experts) {
            add("num_experts", model.experts->experts);
            add("num_experts_per_tok", model.experts->perToken);
            add("base_moe_mlp_dim", model.experts->mlp > 0 ? model.experts->mlp : model.mlp);
        }
        add("logits_via_embedding", model.tiedLogits ? "true" : "false");
        add("normalization_layer_epsilon", model.normEpsilon);
        add("dropout_rate", model.dropout);
    }

    void addOptimizer(const TransformerTraining& training)
    {
        const OptimizerSettings& optimizer = training.optimizer;
        if (!training.trainStep) {
            note("the forward pass alone: MaxText trains");
            return;
        }
        add("gradient_clipping_threshold", optimizer.clipNorm);
        if (optimizer.kind == OptimizerKind::Sgd) {
            addWord("opt_type", "sgd");
        } else if (optimizer.kind == OptimizerKind::AdamW
            || (optimizer.kind == OptimizerKind::Adam && optimizer.weightDecay == 0)) {
            addWord("opt_type", "adamw"); // without decay it is Adam
            add("adam_b1", optimizer.beta1);
            add("adam_b2", optimizer.beta2);
            add("adam_eps", optimizer.epsilon);
            add("adam_weight_decay", optimizer.weightDecay);
            if (optimizer.stateDtype)
                addWord("mu_dtype", jaxName(*optimizer.stateDtype));
        } else {
            note("the optimizer: opt_type is adamw, adam_pax, sgd or muon");
        }
        if (optimizer.masterWeights)
            note("float32 copies of parameters in the optimizer's state");
        note("the learning rate, which follows a schedule there");
    }

    void addWithoutKeys(const TransformerSettings& model)
    {
        if (model.encoderLayers > 0)
            note("the encoder: MaxText has decoders alone");
        if (model.latent)
            note("latent attention: choose a decoder_block that has it");
        if (!model.constraints.empty() || !model.parameterSpecs.empty())
            note("shardings of single modules and parameters: only rules shard there");
        note("the form of a layer: choose decoder_block, mlp_activations and rope_type");
    }

    [[nodiscard]] std::string headText() const
    {
        const std::string title = onOneLine(m_experiment.title);
        std::string text = "# " + (title.empty() ? std::string("An experiment") : title)
            + ", in MaxText's keys: over its configs/base.yml, which has all others.\n";
        if (!m_notes.empty())
            text += "# Without a key there, or not written:\n" + m_notes;
        return text;
    }
    [[nodiscard]] std::string bodyText() const
    {
        return m_style == MaxTextStyle::Yaml ? m_settings : "maxtext_flags=(\n" + m_settings + ")\n";
    }

    const Snapshot& m_snapshot;
    const Experiment& m_experiment;
    MaxTextStyle m_style;
    std::string m_settings, m_notes;
};

} // namespace

std::vector<std::string> namesUnknownToMaxText(const LogicalRules& rules)
{
    std::set<std::string_view> known;
    for (const PublishedRules& set : publishedRules())
        if (set.project == "MaxText" && (!set.id.starts_with("maxtext-base-") || set.id == currentMaxTextRules))
            for (const LogicalRule& rule : set.rules.list)
                known.insert(rule.name.name);
    std::vector<std::string> unknown;
    for (const LogicalRule& rule : rules.list)
        if (const std::string& name = rule.name.name; !name.empty() && known.insert(name).second)
            unknown.push_back(name);
    return unknown;
}

std::string maxTextCode(const Snapshot& snapshot, MaxTextStyle style)
{
    if (!snapshot.mesh)
        return "# There is no mesh: the experiment has errors.\n";
    return MaxTextWriter(snapshot, style).text();
}

} // namespace shardscope
