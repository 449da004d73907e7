// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the network of an experiment beside its sizes, which withDimension() sets: which one it is, element types,
// optimizer, microbatches, form. Value to value, as those of experiment/edits.h.
//
//     withNetwork(experiment, "llama3-8b")            Llama 3 8B in the place of whatever the model was
//     withDimension(_, "kv_heads", 5)                 InvalidAttribute {wrong: kv_heads}: 32 heads do not divide by 5
//     sizesInReach(_, "kv_heads")                     1, 2, 4, 8, 16, 32
//
// Errors of all: InvalidAttribute where the model has no such setting (op: what it is, wrong: network), and those of
// checkTraining() where other settings contradict the new one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

/// The MLP among the networks, beside the ids of transformerPresets().
inline constexpr std::string_view mlpNetwork = "mlp";

/// A network by its id, with its own batch and length. What is no part of a published model stays as it was: names of
/// axes, form, remat, dropout, element types of a transformer, constraints and specs that fit parts of it; optimizer
/// and microbatches where these divide the batch. A MLP stays as it is where it is one. UnknownValue for another id.
[[nodiscard]] Result<Experiment> withNetwork(const Experiment&, std::string_view id);
/// The id of the network, whatever its batch, length and what withNetwork() keeps; "" for a model of its own sizes, or
/// one that is no network. An MLP is one with any sizes.
[[nodiscard]] std::string_view networkOf(const Experiment& experiment);

/// Of the stored parameters; of an MLP all of it, f32 or f64.
[[nodiscard]] Result<Experiment> withParameterType(const Experiment&, DType dtype);
/// Of a transformer's activations.
[[nodiscard]] Result<Experiment> withComputeType(const Experiment&, DType dtype);
/// Of a transformer's train step; its numbers stay.
[[nodiscard]] Result<Experiment> withOptimizer(const Experiment&, OptimizerKind kind);
/// Of a transformer's train step.
[[nodiscard]] Result<Experiment> withMicrobatches(const Experiment&, std::int64_t count);
/// Of the layers; errors of buildTransformer() where a transformer's cannot have that form.
[[nodiscard]] Result<Experiment> withLayerForm(const Experiment&, LayerForm form);
/// Nothing for what is no network.
[[nodiscard]] std::optional<LayerForm> layerFormOf(const Experiment& experiment);
/// Of an MLP: the name of the dimension that scanned layers have (PARTITION_NAME); nothing: None. WrongType for what is
/// no name.
[[nodiscard]] Result<Experiment> withLayersName(const Experiment&, std::optional<std::string> name);
/// What the program of a network is: a train step, a forward pass, or what makes the state of a step.
enum class NetworkProgram : std::uint8_t { TrainStep, Forward, Initializer };
[[nodiscard]] Result<Experiment> withNetworkProgram(const Experiment&, NetworkProgram program);
/// Nothing for what is no network.
[[nodiscard]] std::optional<NetworkProgram> networkProgramOf(const Experiment& experiment);
/// Of each layer of a train step: what is kept for the backward pass.
[[nodiscard]] Result<Experiment> withRemat(const Experiment&, RematPolicy policy);
/// Nothing for what trains no network.
[[nodiscard]] std::optional<RematPolicy> rematOf(const Experiment& experiment);
/// Of a transformer: the tokens that a token sees, itself included, and every how many layers one sees all before it; 0
/// for neither.
[[nodiscard]] Result<Experiment> withWindow(const Experiment&, std::int64_t tokens);
[[nodiscard]] Result<Experiment> withWindowPattern(const Experiment&, std::int64_t layers);
/// Of a transformer's train step: the share of the elements that become 0, below 1.
[[nodiscard]] Result<Experiment> withDropout(const Experiment&, double rate);
/// Of a transformer, in the place of each MLP; 0 = none. No more of them work on a token than there are.
[[nodiscard]] Result<Experiment> withExperts(const Experiment&, std::int64_t count);

/// A constraint on the outputs of modules of a transformer, by a glob (networks/chosen_sharding.h). It takes the place
/// of one with the same glob, and counts before all that were there.
[[nodiscard]] Result<Experiment> withConstraint(const Experiment&, const std::string& at, Annotation axes);
/// Without constraints on modules that the glob fits; others of the same constraint keep it. UnknownValue where there
/// are none.
[[nodiscard]] Result<Experiment> withoutConstraints(const Experiment&, const std::string& at);
/// Without one of them, whatever else fits the same modules. OutOfRange.
[[nodiscard]] Result<Experiment> withoutConstraint(const Experiment&, std::size_t index);
/// A sharding for parameters of a transformer in the place of what the rules say, and back; as those above.
[[nodiscard]] Result<Experiment> withParameterSpec(const Experiment&, const std::string& at, Annotation axes);
[[nodiscard]] Result<Experiment> withoutParameterSpec(const Experiment&, std::size_t index);
[[nodiscard]] Result<Experiment> withoutParameterSpecs(const Experiment&, const std::string& at);

/// Sizes that a step through those of a network goes to, ascending: of what is counted (layers, heads, "expert"
/// from 0 on, "microbatches") the numbers that go with the others, of anything else powers of two. Empty where the
/// model has no such size. "sliding_window" and "window_pattern" begin with 0.
[[nodiscard]] std::vector<std::int64_t> sizesInReach(const Experiment& experiment, std::string_view name);
/// Those among them that a slider goes over: powers of two, up to 1,024 times a batch and 8 times of anything else.
[[nodiscard]] std::vector<std::int64_t> sizesOnSlider(const Experiment& experiment, std::string_view name);

} // namespace shardscope
