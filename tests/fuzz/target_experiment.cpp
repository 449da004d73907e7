// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of experiment files, from the examples that come with the program. What it accepts, it writes and reads
// again as the same; what it refuses, it says with a place.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/codes.h"
#include "experiment_file/experiment_file.h"
#include "fuzz/fuzz.h"

namespace shardscope::fuzz {

namespace {

std::string checkErrors(const std::vector<Diagnostic>& errors, std::string_view text)
{
    constexpr std::size_t most = 50;
    if (errors.empty() || errors.size() > most)
        return "no errors, or too many: " + std::to_string(errors.size());
    for (const Diagnostic& error : errors) {
        if (std::string wrong = checkError(error, text); !wrong.empty())
            return std::string(error.id()) + ": " + wrong;
        if (error.where.line == 0 && error.code != Code::TooLarge)
            return std::string(error.id()) + " without a place";
    }
    return {};
}

std::string checkWarnings(const std::vector<Diagnostic>& warnings)
{
    const auto known = [](const Diagnostic& warning) {
        return warning.code == Code::UnknownKey || warning.code == Code::CommentsLost
            || warning.code == Code::NewerMinorVersion;
    };
    return std::all_of(warnings.begin(), warnings.end(), known) ? std::string() : "a warning of another kind";
}

std::string runExperiment(std::string_view text)
{
    const auto read = readExperiment(text);
    if (!read)
        return checkErrors(read.error(), text);
    if (std::string wrong = checkWarnings(read->warnings); !wrong.empty())
        return wrong;
    const std::string declared = writeExperiment(read->experiment);
    const auto again = readExperiment(declared);
    if (!again)
        return "cannot read its own text: " + std::string(again.error().front().id()) + "\n" + declared;
    if (!(again->experiment == read->experiment))
        return "reads its own text differently: " + declared;
    return writeExperiment(again->experiment) == declared ? std::string() : "writes it differently: " + declared;
}

/// The examples, and what they do not have: comments, every kind of value, keys of later versions.
std::vector<std::string> seeds()
{
    std::vector<std::string> texts{
        R"({ "format": "sharding-experiment", "version": "1.0", // note
  "mesh": { "axes": [["data", 2], ["model", 4]], "device_order": [7, 6, 5, 4, 3, 2, 1, 0] },
  "rules": { "dialect": "maxtext", "version": "current", "fallback": "raise_error", "bound_when_traced": true,
    "list": [["batch", ["data", "model"]], ["embed", null], [null, "model"], ["mlp", "P.UNCONSTRAINED"]],
    "inner": [ { "within": "a", "rules": [["batch", null], [null, ["model"]]], "notes": "n" },
      { "later": 1, "within": "a/w", "rules": [] } ] },
  "model": { "preset": "arrays", "arrays": [{ "path": "a/w", "names": ["batch", null], "shape": [8, 16], "dtype": "bf16", "memory_kind": "pinned_host" },], },
  "placement": { "params_on_devices": false },
})",
        R"({ "format": "sharding-experiment", "version": "1.7", "notes": "\u00e9\n", "later": { "a": [1e3, -0.5, true] },
  "hardware": { "device": "generic-tpu", "platform": "tpu", "hosts": 2, "devices_per_host": 4,
    "memory_per_device": "16 GiB", "links": { "ici": "50 GB/s", "dcn": "6.25 GB/s" } },
  "model": { "preset": "mlp", "layers": 2, "dims": { "batch": 8, "embed": 16, "hidden": 32 }, "axes": "device" },
  "step": { "train": true, "input_gradient": true },
  "run": { "seed": 18446744073709551615, "runs": 3, "loops": 2, "share_replicas": true,
    "initial": { "notes": "n", "params/**": "normal 0.02", "arg0": "integers 1 8", "x": "file w.npz" },
    "state": "0=1,1=0", "roles": { "notes": "n", "arg*": "parameter", "result0": "loss" } } })",
        R"({ "format": "sharding-experiment", "version": "1.0",
  "mesh": { "axes": [["data", 2], ["model", 2]] }, "rules": { "list": [["batch", "data"], ["heads", "model"]] },
  "model": { "preset": "transformer", "layers": 3,
    "dims": { "batch": 4, "length": 8, "embed": 16, "heads": 4, "kv_heads": 4, "head_size": 4, "mlp": 32, "vocab": 64 },
    "axis_names": "maxtext", "form": "scanned", "layers_axis": 1, "remat": "dots", "compute_dtype": "bf16",
    "rotary_factor": 8, "sliding_window": 4, "window_pattern": 2, "window_rotary_base": 1e3, "norm": "rms",
    "norm_placement": "before_and_after", "activation": "gelu", "attention_scalar": 6, "attention_softcap": 50,
    "logit_softcap": 30, "dropout": 0.125, "dropout_seed": 7,
    "experts": { "notes": "n", "experts": 4, "per_token": 2, "mlp": 8, "capacity_factor": 2, "normalise": false,
      "score": "sigmoid", "scale": 2.5, "shared_mlp": 16, "shared_gate": true, "dense_layers": 1 },
    "latent": { "notes": "n", "rank": 8, "query_rank": 6, "rotary_size": 4, "value_size": 4 } },
  "step": { "optimizer": "adafactor", "microbatches": 2, "clip_norm": 1, "state_dtype": "bf16", "train": true,
    "adafactor": { "decay_exponent": 0.8, "clip_rms": 0 } } })",
        R"({ "format": "sharding-experiment", "version": "1.0",
  "model": { "preset": "transformer", "encoder_layers": 2, "encoder_length": 4, "positions": "relative_bias",
    "relative_buckets": 8, "relative_maximum_distance": 16, "gated_mlp": false, "scaled_attention": false,
    "tied_logits": true, "scaled_logits": true, "experts": null, "latent": null } })",
    };
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(SHARDSCOPE_EXAMPLES))
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end()); // the same rounds everywhere
    for (const std::filesystem::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return texts;
}

} // namespace

Target experimentTarget()
{
    return { "experiment", seeds(), runExperiment };
}

} // namespace shardscope::fuzz
