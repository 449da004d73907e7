// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/mlp.h"

#include <array>
#include <cmath>
#include <utility>

#include "base/codes.h"
#include "networks/lifted_axis.h"
#include "networks/train_step.h"
#include "program/scan.h"

namespace shardscope {

namespace {

using Names = std::vector<std::string>;

Result<void> checkSettings(const MlpSettings& s)
{
    const auto outOfRange = [](const char* key, std::int64_t value, std::int64_t most) -> Result<void> {
        if (value >= 1 && value <= most)
            return {};
        return fail(Code::OutOfRange, { { "key", key }, { "value", value }, { "min", 1 }, { "max", most } });
    };
    SHARDSCOPE_CHECK(outOfRange("layers", s.layers, 4096));
    if (s.layersAxis < 0 || s.layersAxis > 2)
        return fail(
            Code::OutOfRange, { { "key", "layers_axis" }, { "value", s.layersAxis }, { "min", 0 }, { "max", 2 } });
    for (const auto& [key, value] : { std::pair{ "batch", s.batch }, { "embed", s.embed }, { "hidden", s.hidden } })
        SHARDSCOPE_CHECK(outOfRange(key, value, maximumBytes));
    if (s.dtype != DType::F32 && s.dtype != DType::F64)
        return fail(
            Code::InvalidAttribute, { { "op", "mlp" }, { "wrong", "dtype" }, { "dtype", std::string(name(s.dtype)) } });

    const auto bytes = [&](std::int64_t rows, std::int64_t columns, std::int64_t arrays) {
        return saturatingProduct(arrays * s.layers, TensorType{ s.dtype, { rows, columns } }.byteCount());
    };
    const auto tooLarge = [](const char* what, std::int64_t size) -> Result<void> {
        if (size <= maximumBytes)
            return {};
        return fail(Code::TooLarge, { { "what", what }, { "bytes", size }, { "limit", maximumBytes } });
    };
    SHARDSCOPE_CHECK(tooLarge("parameters", bytes(s.embed, s.hidden, 2)));
    SHARDSCOPE_CHECK(tooLarge("activations", bytes(s.batch, s.hidden, 1)));
    return tooLarge("activations", bytes(s.batch, s.embed, 1));
}

class MlpBuilder {
public:
    explicit MlpBuilder(const MlpSettings& settings)
        : m_settings(settings)
        , m_builder(settings.trainStep ? "train_step" : "apply")
    {
    }

    Result<Program> build()
    {
        const NetworkArrays arrays = declared();
        const BuildForward forward = [this](Builder&, const ForwardInputs& inputs) -> Result<ForwardPass> {
            const ValueId output = outputOf(inputs);
            return ForwardPass{ lossOf(output), { output }, { keptOfLoops(m_settings.remat), m_regions } };
        };
        if (m_settings.trainStep) {
            TrainStepSettings step;
            step.optimizer = OptimizerSettings(m_settings.adam);
            SHARDSCOPE_CHECK(addTrainStep(m_builder, arrays, step, forward));
        } else {
            SHARDSCOPE_CHECK(addForward(m_builder, arrays, forward));
        }
        return std::move(m_builder).finish();
    }

private:
    [[nodiscard]] Annotation deviceAxes(const Names& dims) const
    {
        DeviceAxes axes;
        for (const std::string& dim : dims) {
            const auto found = m_settings.deviceAxes.find(dim);
            axes.spec.entries.push_back(found == m_settings.deviceAxes.end() ? SpecEntry::none() : found->second);
        }
        return axes;
    }
    [[nodiscard]] Annotation annotation(const Names& dims, MlpSettings::Axes form) const
    {
        if (form == MlpSettings::Axes::Device)
            return deviceAxes(dims);
        LogicalAxes axes;
        for (const std::string& dim : dims)
            axes.names.push_back(LogicalName::of(dim));
        return axes;
    }
    /// In the form of the whole model.
    [[nodiscard]] Annotation annotation(const Names& dims) const { return annotation(dims, m_settings.axes); }
    [[nodiscard]] TensorType type(const Names& dims) const
    {
        TensorType type{ m_settings.dtype, {} };
        for (const std::string& dim : dims)
            type.shape.push_back(dim == "batch" ? m_settings.batch
                    : dim == "embed"            ? m_settings.embed
                                                : m_settings.hidden);
        return type;
    }

    [[nodiscard]] NetworkArrays declared() const
    {
        NetworkArrays arrays;
        const auto addParameter = [&](std::string path, const Names& dims) {
            DeclaredParameter parameter{ std::move(path), type(dims), dims, annotation(dims) };
            if (isScanned())
                stack(parameter);
            arrays.parameters.push_back(std::move(parameter));
        };
        for (std::int64_t i = 0; i < (isScanned() ? 1 : m_settings.layers); ++i) {
            const std::string layer = isScanned() ? std::string("layers") : "layers." + std::to_string(i);
            addParameter(layer + "/W1", { "embed", "hidden" });
            addParameter(layer + "/W2", { "hidden", "embed" });
        }
        const Names inputDims{ "batch", "embed" };
        DeclaredInput x{ "x", type(inputDims), inputDims, annotation(inputDims) };
        x.gradient = m_settings.inputGradient;
        arrays.inputs.push_back(std::move(x));
        return arrays;
    }

    [[nodiscard]] bool isScanned() const { return m_settings.form == LayerForm::Scanned; }
    /// The parameters of all layers in the place of that of one.
    void stack(DeclaredParameter& parameter) const
    {
        const auto place = static_cast<std::ptrdiff_t>(m_settings.layersAxis);
        parameter.type.shape.insert(parameter.type.shape.begin() + place, m_settings.layers);
        parameter.dims.insert(parameter.dims.begin() + place, "layers");
        parameter.annotation = addAxis(parameter.annotation, { m_settings.layersAxis, m_settings.layersName });
    }

    ValueId layerOf(const std::string& layer, ValueId x, ValueId w1, ValueId w2)
    {
        const Names hiddenDims{ "batch", "hidden" }, outputDims{ "batch", "embed" };
        const auto activation = [&](ValueId value, std::string path, const Names& dims) {
            return m_builder.named(value, std::move(path), Role::Activation, dims);
        };
        m_builder.setScope(layer);
        const ValueId h = activation(m_builder.dot(x, w1), layer + "/h", hiddenDims);
        const ValueId zero = m_builder.constant(type(hiddenDims), 0);
        const ValueId relu = activation(m_builder.binary(OpKind::Maximum, h, zero), {}, hiddenDims);
        const ValueId y = activation(
            m_builder.constrain(relu, annotation(hiddenDims, m_settings.yConstraint)), layer + "/y", hiddenDims);
        const ValueId product = activation(m_builder.dot(y, w2), {}, outputDims);
        return activation(m_builder.constrain(product, annotation(outputDims)), layer + "/z", outputDims);
    }

    ValueId outputOf(const ForwardInputs& inputs)
    {
        if (isScanned())
            return scannedOutput(inputs);
        const auto count = [this] { return m_builder.program().main().operations.size(); };
        ValueId x = inputs.inputs[0];
        for (std::size_t i = 0; i < inputs.parameters.size(); i += 2) {
            const std::size_t first = count();
            x = layerOf("layers." + std::to_string(i / 2), x, inputs.parameters[i], inputs.parameters[i + 1]);
            if (m_settings.remat != RematPolicy::None)
                m_regions.push_back({ first, count(), m_settings.remat });
        }
        return x;
    }

    /// Each trip takes its own slices: their names are without that of the layers again.
    ValueId scannedOutput(const ForwardInputs& inputs)
    {
        m_builder.setScope("layers");
        std::vector<ValueId> stacked;
        for (const ValueId parameter : inputs.parameters) {
            Dimensions permutation{ m_settings.layersAxis };
            for (std::int64_t d = 0; d < 3; ++d)
                if (d != m_settings.layersAxis)
                    permutation.push_back(d);
            stacked.push_back(m_settings.layersAxis == 0 ? parameter : m_builder.transpose(parameter, permutation));
        }
        const auto trip = [this](Builder&, const Trip& of) {
            return TripResults{ { layerOf("layers", of.carried[0], of.inputs[0], of.inputs[1]) }, {} };
        };
        return scan(m_builder, m_settings.layers, std::array{ inputs.inputs[0] }, stacked, trip).carried[0];
    }

    ValueId lossOf(ValueId output)
    {
        m_builder.setScope("loss");
        const bool squares = m_settings.loss == LossKind::HalfSumOfSquares;
        const ValueId terms = squares ? m_builder.binary(OpKind::Multiply, output, output) : output;
        ValueId loss = m_builder.reduce(ReduceKind::Sum, terms, { 0, 1 });
        if (squares)
            loss = m_builder.binary(OpKind::Multiply, loss, m_builder.constant({ m_settings.dtype, {} }, 0.5));
        return loss;
    }

    const MlpSettings& m_settings;
    Builder m_builder;
    std::vector<RematRegion> m_regions; ///< layers with a policy
};

} // namespace

std::vector<ChosenInitial> mlpInitials(const MlpSettings& settings)
{
    if (settings.form == LayerForm::Unrolled)
        return {};
    ChosenInitial matrices{ "params/layers/*", {} };
    matrices.value.kind = InitialValue::Kind::Normal;
    matrices.value.low = std::sqrt(2 / (static_cast<double>(settings.embed) + static_cast<double>(settings.hidden)));
    return { std::move(matrices) };
}

Result<Program> buildMlp(const MlpSettings& settings)
{
    SHARDSCOPE_CHECK(checkSettings(settings));
    return MlpBuilder(settings).build();
}

} // namespace shardscope
