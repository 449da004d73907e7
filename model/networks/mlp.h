// SPDX-License-Identifier: GPL-3.0-or-later
// The MLP of the Flax notebook: `layers` times y = relu(x @ W1), z = y @ W2, without biases, and its train step.
//
//     W1 (embed, hidden)   W2 (hidden, embed)   x, z (batch, embed)   y (batch, hidden)
//     loss = sum(z of the last layer); gradients of all W1 and W2; Adam (Kingma and Ba, 2014, in optax' form)
//
// Arguments of main, in order: step, params, opt count, mu, nu, x. Results: the new step, params, count, mu, nu, then
// loss, then z of the last layer as "output". Paths:
//     step  params/layers.0/W1  params/layers.0/W2 ...  opt/count  opt/mu/layers.0/W1  opt/nu/layers.0/W1  x
//     layers.0/y (after relu and its constraint)  layers.0/z  loss  grad(params/layers.0/W1)
//     new values carry the path of what they replace with "next(" ")" around it: next(params/layers.0/W1)
// Scanned layers have one array for all, with a dimension more: params/layers/W1 (layers, embed, hidden), layers/y.
// Only the train step writes gradients: dx is built only if asked for ("grad(x)", an extra result).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "networks/layer_form.h"
#include "networks/optimizer_settings.h"
#include "program/initial_value.h"
#include "program/program.h"
#include "program/rematerialise.h"

namespace shardscope {

enum class LossKind : std::uint8_t { SumOfOutputs, HalfSumOfSquares };

struct MlpSettings {
    std::int64_t layers = 4;
    std::int64_t batch = 8;
    std::int64_t embed = 1024;
    std::int64_t hidden = 1024;
    DType dtype = DType::F32;
    LossKind loss = LossKind::SumOfOutputs;
    AdamSettings adam;
    bool inputGradient = false;
    bool trainStep = true; ///< false: forward only (the inference step)
    /// In place of the step the program that makes its state (networks/initializer.h); buildMlp() does not look at it.
    bool initialise = false;

    /// How parameters, input and z are annotated: by logical names, or by device axes through `deviceAxes`.
    enum class Axes : std::uint8_t { Device, Logical };
    Axes axes = Axes::Logical;
    /// y's own constraint. The notebook writes device axes here even in its logical model.
    Axes yConstraint = Axes::Device;
    /// Which mesh axes stand for a dimension wherever device axes are written.
    std::map<std::string, SpecEntry> deviceAxes{ { "batch", SpecEntry::axis("data") },
        { "hidden", SpecEntry::axis("model") }, { "embed", SpecEntry::none() } };
    RematPolicy remat = RematPolicy::None; ///< of each layer, in the backward pass
    LayerForm form = LayerForm::Unrolled;
    // Of scanned layers, as nn.scan has them (networks/lifted_axis.h).
    std::int64_t layersAxis = 0; ///< where their dimension stands among those of parameters; at most the last
    /// Its name: a logical one, or a mesh axis where the parameters have device axes. Nothing: None, as the notebook's.
    std::optional<std::string> layersName;

    bool operator==(const MlpSettings&) const = default;
};

/// What the parameters of scanned layers begin with: as those of single layers, whatever their dimension more. Of
/// unrolled ones nothing.
[[nodiscard]] std::vector<ChosenInitial> mlpInitials(const MlpSettings& settings);

/// OutOfRange (layers, batch, embed, hidden >= 1; layers <= 4096; layersAxis from 0 to 2), TooLarge when the parameters
/// exceed 2^62 bytes, InvalidAttribute when dtype is not f32 or f64.
[[nodiscard]] Result<Program> buildMlp(const MlpSettings& settings);

} // namespace shardscope
