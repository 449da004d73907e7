// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/mlp.h"

#include "base/codes.h"
#include "networks/adam.h"
#include "program/differentiate.h"

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
        addArguments();
        const ValueId output = forward();
        const ValueId loss = lossOf(output);
        if (m_settings.trainStep) {
            SHARDSCOPE_CHECK(train(loss, output));
        } else {
            m_builder.result(loss);
            m_builder.result(output);
        }
        return std::move(m_builder).finish();
    }

private:
    /// A parameter with what belongs to it in the train state.
    struct Parameter {
        std::string name; ///< "layers.0/W1"
        Names dims;
        ValueId value, mu, nu;
    };

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
    /// In the form of the whole model. Scalars of the train state are replicated in either: P().
    [[nodiscard]] Annotation annotation(const Names& dims) const
    {
        return dims.empty() ? Annotation(DeviceAxes{}) : annotation(dims, m_settings.axes);
    }
    [[nodiscard]] TensorType type(const Names& dims) const
    {
        TensorType type{ m_settings.dtype, {} };
        for (const std::string& dim : dims)
            type.shape.push_back(dim == "batch" ? m_settings.batch
                    : dim == "embed"            ? m_settings.embed
                                                : m_settings.hidden);
        return type;
    }

    ValueId addArgument(const TensorType& type, std::string path, Role role, const Names& dims)
    {
        return m_builder.argument(type, std::move(path), role, dims, annotation(dims));
    }

    void addArguments()
    {
        const TensorType counter{ DType::I32, {} };
        for (std::int64_t i = 0; i < m_settings.layers; ++i) {
            const std::string layer = "layers." + std::to_string(i);
            m_parameters.push_back({ layer + "/W1", { "embed", "hidden" }, {}, {}, {} });
            m_parameters.push_back({ layer + "/W2", { "hidden", "embed" }, {}, {}, {} });
        }
        const bool train = m_settings.trainStep;
        if (train)
            m_step = addArgument(counter, "step", Role::Step, {});
        for (Parameter& p : m_parameters)
            p.value = addArgument(type(p.dims), "params/" + p.name, Role::Parameter, p.dims);
        if (train) {
            m_count = addArgument(counter, "opt/count", Role::Count, {});
            for (Parameter& p : m_parameters)
                p.mu = addArgument(type(p.dims), "opt/mu/" + p.name, Role::Mu, p.dims);
            for (Parameter& p : m_parameters)
                p.nu = addArgument(type(p.dims), "opt/nu/" + p.name, Role::Nu, p.dims);
        }
        m_input = addArgument(type({ "batch", "embed" }), "x", Role::Input, { "batch", "embed" });
    }

    ValueId forward()
    {
        const Names hiddenDims{ "batch", "hidden" }, outputDims{ "batch", "embed" };
        const auto activation = [&](ValueId value, std::string path, const Names& dims) {
            return m_builder.named(value, std::move(path), Role::Activation, dims);
        };
        ValueId x = m_input;
        for (std::size_t i = 0; i < m_parameters.size(); i += 2) {
            const std::string layer = "layers." + std::to_string(i / 2);
            m_builder.setScope(layer);
            const ValueId h = activation(m_builder.dot(x, m_parameters[i].value), layer + "/h", hiddenDims);
            const ValueId zero = m_builder.constant(type(hiddenDims), 0);
            const ValueId relu = activation(m_builder.binary(OpKind::Maximum, h, zero), {}, hiddenDims);
            const ValueId y = activation(
                m_builder.constrain(relu, annotation(hiddenDims, m_settings.yConstraint)), layer + "/y", hiddenDims);
            const ValueId product = activation(m_builder.dot(y, m_parameters[i + 1].value), {}, outputDims);
            x = activation(m_builder.constrain(product, annotation(outputDims)), layer + "/z", outputDims);
        }
        return x;
    }

    ValueId lossOf(ValueId output)
    {
        m_builder.setScope("loss");
        const bool squares = m_settings.loss == LossKind::HalfSumOfSquares;
        const ValueId terms = squares ? m_builder.binary(OpKind::Multiply, output, output) : output;
        ValueId loss = m_builder.reduce(ReduceKind::Sum, terms, { 0, 1 });
        if (squares)
            loss = m_builder.binary(OpKind::Multiply, loss, m_builder.constant({ m_settings.dtype, {} }, 0.5));
        return m_builder.named(loss, "loss", Role::Loss);
    }

    /// A result that replaces an argument, pinned to the argument's annotation.
    void addNext(ValueId argument, ValueId next)
    {
        const Value& old = m_builder.program().value(argument);
        m_builder.named(next, "next(" + old.path + ')', old.role, old.dimNames);
        m_builder.state(argument, m_builder.result(next, m_builder.program().argumentAnnotations[old.index]));
    }

    Result<void> train(ValueId loss, ValueId output)
    {
        std::vector<ValueId> wrt;
        for (const Parameter& p : m_parameters)
            wrt.push_back(p.value);
        if (m_settings.inputGradient)
            wrt.push_back(m_input);
        SHARDSCOPE_TRY(gradients, differentiate(m_builder, loss, wrt));
        for (std::size_t i = 0; i < wrt.size(); ++i) {
            const Value& of = m_builder.program().value(wrt[i]);
            m_builder.named((*gradients)[i], "grad(" + of.path + ')', Role::Gradient, of.dimNames);
        }

        m_builder.setScope("optimizer");
        const auto increment = [&](ValueId counter) {
            return m_builder.binary(OpKind::Add, counter, m_builder.constant({ DType::I32, {} }, 1));
        };
        const ValueId step = increment(m_step);
        const ValueId count = increment(m_count);
        const AdamScalars scalars = adamScalars(m_builder, m_settings.adam, count, m_settings.dtype);
        std::vector<AdamState> next;
        for (std::size_t i = 0; i < m_parameters.size(); ++i) {
            const Parameter& p = m_parameters[i];
            m_builder.setScope("optimizer/" + p.name);
            next.push_back(adamUpdate(m_builder, m_settings.adam, scalars, { p.value, p.mu, p.nu }, (*gradients)[i]));
        }

        addNext(m_step, step);
        for (std::size_t i = 0; i < next.size(); ++i)
            addNext(m_parameters[i].value, next[i].parameter);
        addNext(m_count, count);
        for (std::size_t i = 0; i < next.size(); ++i)
            addNext(m_parameters[i].mu, next[i].mu);
        for (std::size_t i = 0; i < next.size(); ++i)
            addNext(m_parameters[i].nu, next[i].nu);
        m_builder.result(loss);
        m_builder.result(output);
        if (m_settings.inputGradient)
            m_builder.result(gradients->back());
        return {};
    }

    const MlpSettings& m_settings;
    Builder m_builder;
    std::vector<Parameter> m_parameters; ///< W1 and W2 of layer 0, of layer 1, ...
    ValueId m_step, m_count, m_input;
};

} // namespace

Result<Program> buildMlp(const MlpSettings& settings)
{
    SHARDSCOPE_CHECK(checkSettings(settings));
    return MlpBuilder(settings).build();
}

} // namespace shardscope
