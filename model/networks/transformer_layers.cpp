// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/transformer_layers.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "program/scan.h"

namespace shardscope {

namespace {

/// A parameter of all layers with the dimension "layers" first.
ValueId layersFirst(const NetworkPart& part, ValueId parameter)
{
    Builder& b = part.builder();
    const std::size_t rank = b.type(parameter).rank();
    const auto place = std::min(static_cast<std::size_t>(part.settings().layersAxis), rank - 1);
    if (place == 0)
        return parameter;
    Dimensions permutation(rank);
    std::iota(permutation.begin(), permutation.end(), std::int64_t{ 0 });
    std::rotate(permutation.begin(), permutation.begin() + place, permutation.begin() + place + 1);
    return b.transpose(parameter, permutation);
}

ValueId scannedLayers(const NetworkPart& stack, ValueId x, const LayerInputs& inputs, std::int64_t layers)
{
    const std::string prefix = stack.path() + "/layers/";
    std::vector<std::string> paths;
    std::vector<ValueId> stacked;
    {
        const NetworkPart all(stack, "layers");
        for (const auto& [path, value] : stack.parameters()) {
            if (!path.starts_with(prefix))
                continue;
            paths.push_back(path);
            stacked.push_back(layersFirst(all, value));
        }
    }
    const auto trip = [&](Builder&, const Trip& of) {
        ParameterValues own;
        for (std::size_t i = 0; i < paths.size(); ++i)
            own.emplace(paths[i], of.inputs[i]);
        const NetworkPart layer(stack, "layers", own);
        LayerInputs ofLayer = inputs;
        ofLayer.dropout.layer = of.index;
        return TripResults{ { transformerLayer(layer, of.carried[0], ofLayer) }, {} };
    };
    return scan(stack.builder(), layers, std::array{ x }, stacked, trip).carried[0];
}

} // namespace

ValueId transformerLayers(
    const NetworkPart& stack, ValueId x, const LayerInputs& inputs, std::vector<RematRegion>& regions)
{
    const TransformerSettings& s = stack.settings();
    const std::int64_t layers = inputs.isEncoder ? s.encoderLayers : s.layers;
    if (s.form == LayerForm::Scanned)
        return scannedLayers(stack, x, inputs, layers);
    for (std::int64_t i = 0; i < layers; ++i) {
        const NetworkPart layer(stack, "layers." + std::to_string(i));
        const std::size_t first = stack.builder().program().main().operations.size();
        LayerInputs ofLayer = inputs;
        if (drops(s, inputs.dropout.source))
            ofLayer.dropout.layer = stack.builder().constant({ DType::I32, {} }, static_cast<double>(i));
        x = transformerLayer(layer, x, ofLayer);
        if (s.remat != RematPolicy::None)
            regions.push_back({ first, stack.builder().program().main().operations.size(), s.remat });
    }
    return x;
}

} // namespace shardscope
