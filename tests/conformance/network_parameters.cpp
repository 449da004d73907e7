// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/network_parameters.h"

#include <stdexcept>

#include "base/codes.h"
#include "conformance/forms.h"
#include "networks/presets.h"
#include "pipeline/annotate.h"

namespace shardscope::conformance {

namespace {

Result<Network> toNetwork(TransformerTraining training)
{
    Experiment experiment;
    experiment.model = TransformerModel{ std::move(training) };
    SHARDSCOPE_TRY(built, buildProgram(experiment));
    return Network{ std::move(experiment.model), std::move(built->program) };
}

/// "layers" as a scanned parameter's first or second dimension, or layers one by one.
struct StackForm {
    LayerForm form;
    std::int64_t layersAxis;
};

TransformerTraining trainingOf(AxisNames names, StackForm stack, bool experts, PositionKind positions)
{
    TransformerTraining training;
    training.model.axisNames = names;
    training.model.form = stack.form;
    training.model.layersAxis = stack.layersAxis;
    training.model.positions = positions;
    if (experts)
        training.model.experts = ExpertSettings{ .experts = 4 };
    return training;
}

std::vector<Network> buildNetworks()
{
    std::vector<Network> networks;
    for (const AxisNames names : { AxisNames::T5x, AxisNames::MaxText2025, AxisNames::MaxText })
        for (const StackForm stack : { StackForm{ LayerForm::Unrolled, 0 }, StackForm{ LayerForm::Scanned, 0 },
                 StackForm{ LayerForm::Scanned, 1 } })
            for (const bool experts : { false, true })
                for (const PositionKind positions : { PositionKind::Rotary, PositionKind::Learned }) {
                    Result<Network> network = toNetwork(trainingOf(names, stack, experts, positions));
                    if (!network)
                        throw std::runtime_error("a network is refused: " + std::string(network.error().kind()));
                    networks.push_back(std::move(*network));
                }
    return networks;
}

} // namespace

const std::vector<Network>& trainedNetworks()
{
    static const std::vector<Network> networks = buildNetworks();
    return networks;
}

std::string presetOf(const std::string& model)
{
    if (findPreset(model) || !model.starts_with("llama3.1-"))
        return model;
    return "llama3-" + model.substr(std::string_view("llama3.1-").size());
}

Result<Network> maxTextNetwork(std::string_view preset, AxisNames names)
{
    const TransformerPreset* const found = findPreset(preset);
    if (!found)
        return fail(Code::UnknownValue, { { "key", "preset" }, { "value", std::string(preset) } });
    TransformerTraining training;
    training.model = found->settings;
    training.model.axisNames = names;
    training.model.form = LayerForm::Scanned;
    training.model.layersAxis = 1;
    return toNetwork(std::move(training));
}

std::vector<NetworkArray> resolveNetwork(const Network& network, const LogicalRules& rules, const Mesh& mesh)
{
    Experiment experiment;
    experiment.mesh.axes.assign(mesh.axes().begin(), mesh.axes().end());
    experiment.rules.rules = rules;
    experiment.model = network.model;
    const Annotations annotations = resolveAnnotations(network.program, mesh, experiment);
    std::vector<NetworkArray> arrays;
    for (const ResolvedAnnotation& resolved : annotations.arguments) {
        const Value& value = network.program.value(resolved.value);
        const auto* const logical = std::get_if<LogicalAxes>(&resolved.declared);
        if (!logical || (value.role != Role::Parameter && !isOptimizerArray(value.role)))
            continue;
        NetworkArray& array = arrays.emplace_back(
            NetworkArray{ value.path, value.role, value.type.shape, logical->names, resolved.spec, {} });
        array.names.resize(value.type.rank());
        if (!resolved.spec && resolved.problem)
            array.problem = resolved.problem->kind();
    }
    return arrays;
}

NetworkArrays::NetworkArrays(const LogicalRules& rules, const Mesh& mesh)
{
    for (const Network& network : trainedNetworks()) {
        std::vector<NetworkArray> arrays = resolveNetwork(network, rules, mesh);
        m_arrays.insert(m_arrays.end(), std::make_move_iterator(arrays.begin()), std::make_move_iterator(arrays.end()));
    }
}

NetworkArrays::Comparison NetworkArrays::compare(const LogicalNames& names, const Json& expected) const
{
    Comparison comparison;
    for (const NetworkArray& array : m_arrays) {
        if (array.names != names)
            continue;
        if (!array.spec)
            comparison.difference = array.path + " has no spec: " + array.problem;
        else
            comparison.difference = difference(expected, listsJson(*array.spec, array.shape.size()), array.path);
        if (!comparison.difference.empty())
            return comparison;
        if (array.role == Role::Parameter)
            ++comparison.parameters;
    }
    return comparison;
}

} // namespace shardscope::conformance
