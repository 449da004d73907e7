// SPDX-License-Identifier: GPL-3.0-or-later
// Where the chosen shardings of a transformer (networks/chosen_sharding.h) go: the modules whose output can be
// constrained, and the annotations that parameters have.
#pragma once

#include "networks/transformer_parameters.h"
#include "networks/transformer_parts.h"

namespace shardscope {

/// The modules whose output, (B, L, D), can be constrained: stacks, their layers, the parts of a layer (attention, MLP,
/// norms) and the last norm. In the order of their parameters:
///
///     decoder  decoder/layers.0  decoder/layers.0/self_attention  decoder/layers.0/mlp  ...  decoder/decoder_norm
[[nodiscard]] std::vector<std::string> constrainableModules(const TransformerSettings& settings);
/// Paths of all parameters, without "params/".
[[nodiscard]] std::vector<std::string> parameterPaths(const TransformerSettings& settings);

/// The output of a part as the part after it reads it: after the constraint that is chosen for it, if there is one.
/// The constrained value is called "constraint" below the part: decoder/layers.0/constraint.
[[nodiscard]] ValueId constrainedOutput(const NetworkPart& part, ValueId x);
/// By the spec that is chosen for the parameter, else by its logical names.
[[nodiscard]] Annotation annotationOf(const TransformerSettings& settings, const TransformerParameter& parameter);

/// UnknownValue {key: constraints, parameter_specs; value: the glob} where nothing fits one of them; SpecTooLong {at}
/// for more entries than there are dimensions. Of settings that are right else.
[[nodiscard]] Result<void> checkChosenShardings(const TransformerSettings& settings);
/// Takes specs that fit `glob` out, as takeOut() does: those of other parameters get the entries of these parameters'
/// own dimensions. Returns whether anything was taken out.
///
///     at layers.*/mlp/*, (mlp, embed); without **/wi in a loop     at layers/mlp/wo, (-, mlp, embed)
bool takeOutSpecs(TransformerSettings& settings, std::string_view glob);
/// Takes out what checkChosenShardings() refuses.
void keepFittingShardings(TransformerSettings& settings);

} // namespace shardscope
