// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of other programs' files: MaxText's YAML, configurations of models, tables of arrays, names, published
// rule sets.
#include <algorithm>

#include "fuzz/fuzz.h"
#include "interchange/hugging_face.h"
#include "interchange/import.h"
#include "interchange/maxtext_config.h"
#include "interchange/parameter_table.h"
#include "networks/check_transformer.h"
#include "rules/published_rules.h"
#include "sharding/parse_names.h"

namespace shardscope::fuzz {

namespace {

std::string runMaxText(std::string_view text)
{
    const Result<ReadMaxText> read = readMaxText(text);
    if (!read)
        return checkError(read.error(), text);
    const auto specified = [](std::int64_t number) {
        return number > 0 ? std::optional<std::int64_t>(number) : std::nullopt;
    };
    for (const auto& [devices, slices] : { std::pair(0, 0), std::pair(8, 0), std::pair(8, 2), std::pair(0, 4) })
        if (const Result<MaxTextMesh> mesh = resolveMesh(read->config, { specified(devices), specified(slices) })) {
            if (!splitOverSlices(mesh->meshAxes(), mesh->deviceOrder, mesh->slices))
                return "slices that are not found again";
            std::int64_t product = 1;
            for (const MeshAxis& axis : mesh->meshAxes())
                product *= axis.size;
            if (product != mesh->slices * mesh->devicesPerSlice || product > maximumDevices)
                return "a mesh that does not fit its devices";
        } else if (const std::string wrong = checkError(mesh.error(), text); !wrong.empty()) {
            return wrong;
        }
    const Result<std::string> declared = writeMaxText(read->config);
    if (!declared)
        return "cannot write what it read";
    const Result<ReadMaxText> again = readMaxText(*declared);
    if (!again)
        return "cannot read its own text " + *declared;
    const auto sharesKey = [&](const MaxTextAxis& axis) { // of which the text can hold only one size
        return axis.name == "stage" || axis.name == "model" || axis.name.empty();
    };
    if (std::any_of(read->config.axes.begin(), read->config.axes.end(), sharesKey))
        return {};
    return again->config == read->config ? std::string() : "reads its own text differently: " + *declared;
}

std::string checkTable(const ReadTable& table, std::string_view text)
{
    if (!table) {
        if (table.error().empty() || table.error().size() > 50)
            return "no errors, or too many";
        for (const Diagnostic& error : table.error())
            if (std::string wrong = checkError(error, text); !wrong.empty())
                return wrong;
        return {};
    }
    const ReadTable csv = readCsvTable(writeCsvTable(table->rows));
    if (!csv || csv->rows != table->rows)
        return "reads its own CSV differently: " + writeCsvTable(table->rows);
    const ReadTable json = readJsonTable(writeJsonTable(table->rows));
    if (!json || json->rows != table->rows)
        return "reads its own JSON differently: " + writeJsonTable(table->rows);
    Import import;
    import.rows = table->rows;
    import.mesh = { { "x", 6 } };
    import.hosts = static_cast<std::int64_t>(text.size() % 8); // not all divide the devices
    if (const Result<Experiment> experiment = toExperiment(import); experiment && toRows(*experiment) != table->rows)
        return "an experiment with other rows";
    return {};
}

} // namespace

Target maxTextTarget()
{
    return { "maxtext",
        {
            "mesh_axes: ['data', 'stage', 'fsdp']\nlogical_axis_rules: [\n  ['batch', ['data', 'fsdp']], # note\n"
            "  [\"embed\", 'fsdp'],\n  ['kv', []],\n  ['norm', null]\n]\ndata_sharding: [['data', 'fsdp']]\n"
            "dcn_data_parallelism: -1\nici_fsdp_parallelism: 4\nici_pipeline_parallelism: 1_0\n",
            "logical_axis_rules:\n- - norm\n  - fsdp\n- [mlp, [tensor, \"\\u0000\"]]\nother: &a {b: c}\nmore: *a\n",
            "mesh_axes: []\ncustom_mesh_and_rule: 'x'\ninput_data_sharding_logical_axes: ['a']\ntext: |\n  a\n  b\n",
        },
        runMaxText,
        { { "mesh_axes: [", "'x#', ", "]\n" }, { "logical_axis_rules: [['a', [", "'x#', ", "]]]\n" },
            { "mesh_axes: ['x']\nlogical_axis_rules: [", "['a', 'x#'], ", "]\n" },
            { "mesh_axes: ['x']\n", "ici_x#_parallelism: 2\n", "" } } };
}

Target huggingFaceTarget()
{
    return { "hugging_face",
        {
            R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
                "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 256,
                "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 8.0}, "tie_word_embeddings": true, "dtype": "float16"})",
            R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 64,
                "num_hidden_layers": 2, "intermediate_size": 128, "query_pre_attn_scalar": 16, "rope_parameters":
                {"rope_theta": 1e6}}, "vision_config": {}, "head_dim": 16, "other": [1, null]})",
            R"({"model_type": "qwen3_moe", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
                "num_key_value_heads": 2, "intermediate_size": 128, "moe_intermediate_size": 32, "num_experts": 8,
                "num_experts_per_tok": 2, "vocab_size": 256, "mlp_only_layers": [], "use_sliding_window": false})",
            R"({"model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
                "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 256, "kv_lora_rank": 16,
                "q_lora_rank": 24, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8,
                "n_routed_experts": 8, "n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
                "first_k_dense_replace": 1, "scoring_func": "sigmoid", "topk_method": "noaux_tc", "n_group": 4,
                "routed_scaling_factor": 2.5, "rope_scaling": {"type": "yarn", "factor": 40}})",
            R"({"model_type": "qwen2_moe", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
                "num_key_value_heads": 2, "intermediate_size": 128, "moe_intermediate_size": 32, "num_experts": 8,
                "shared_expert_intermediate_size": 64, "num_experts_per_tok": 2, "vocab_size": 256})",
            R"({"model_type": "gemma2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
                "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 256,
                "sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"],
                "rope_scaling": {"rope_type": "linear", "factor": 8}, "query_pre_attn_scalar": 24})",
            R"({"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 32, "vocab_size": 256,
                "attn_config": {"alibi": true, "kv_n_heads": 1, "attn_type": "multiquery_attention"}})",
            R"({"model_type": "t5", "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4,
                "vocab_size": 256, "feed_forward_proj": "gated-gelu", "relative_attention_num_buckets": 32})",
        },
        [](std::string_view text) -> std::string {
            for (const std::string_view as : { "", "llama", "gpt2", "deepseek_v3", "gemma3" }) {
                const Result<ReadHuggingFace> read = readHuggingFace(text, as);
                if (!read) {
                    if (std::string wrong = checkError(read.error(), text); !wrong.empty())
                        return wrong;
                } else if (!checkTransformer(read->settings)) {
                    return "settings that cannot be built";
                } else if (read->warnings.size() > 200) {
                    return "too many warnings";
                }
            }
            return {};
        },
        { { "{\"model_type\": \"llama\",", "\"k#\": 0,", "\"hidden_size\": 64}" },
            { "{\"model_type\": [", "\"k#\",", "]}" },
            { "{\"model_type\": \"mpt\", \"attn_config\": {", "'k#': 0,", "}}" } } };
}

Target csvTarget()
{
    return { "csv",
        {
            "path,shape,dtype,names\na/w,8x4,float32,\"x,y\"\nb,,bf16,\n\"say \"\"hi\"\"\",\"(8, 4,)\",i32,\"('x', "
            "None)\"\n",
            "path;shape;names\r\nk;[8, 4];P('x', P.UNCONSTRAINED)\r\n",
            "names\tdtype\tshape\tpath\nAxisNames('a','b')\tjnp.float32\t8 4 2\tz\n",
        },
        [](std::string_view text) { return checkTable(readCsvTable(text), text); },
        { { "path,shape,names\na,8,\"", "n#,", "\"\n" }, { "path,shape", ",c#", "\na,8\n" },
            { "path,shape\n", "a#,8\n", "" } } };
}

Target jsonTableTarget()
{
    return { "table",
        {
            R"([{"path": "a/w", "shape": [8, 4], "dtype": "float32", "names": ["x", null]}, {"path": "b", "shape": []}])",
            R"({"a/w": {"shape": [8, 4], "names": "x,y"}, "b": {"shape": [], "dtype": "bfloat16", "extra": {}}})",
            "[('a/w', (8, 4), 'float32', ('x', 'P.UNCONSTRAINED')), ['b', [], None, None],]",
        },
        [](std::string_view text) { return checkTable(readTable(text), text); },
        { { "[['a', [8], null, [", "'n#',", "]]]" }, { "[{'path': 'a', 'shape': [8],", "'k#': 0,", "}]" },
            { "[", "['a#', [8]],", "]" } } };
}

Target namesTarget()
{
    return { "names",
        { "batch,embed,None", "AxisNames('embed', 'mlp')", "('batch', None, P.UNCONSTRAINED)", "- , \"x y\",",
            "jax.sharding.PartitionSpec('batch',)" },
        [](std::string_view text) -> std::string {
            const Result<LogicalNames> names = parseNames(text);
            return names ? std::string() : checkError(names.error(), text);
        },
        { { "", "n#,", "n" }, { "(", "'n#',", ")" } } };
}

Target publishedRulesTarget()
{
    return { "rule_sets",
        {
            R"([{"id": "a", "project": "MaxText", "title": "T", "source": "S", "mesh_axes": ["x"],
                 "rules": [["b", ["x"]], ["c", null]]}])",
            R"([{"id": "b", "project": "P", "title": "T", "source": "S", "note": "n", "overrides": "a",
                 "mesh_axes": [], "rules": []}])",
        },
        [](std::string_view text) -> std::string {
            const auto sets = readPublishedRules(text);
            return sets ? std::string() : checkError(sets.error(), text);
        } };
}

} // namespace shardscope::fuzz
