// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/train_step.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/codes.h"
#include "networks/annotation_dimensions.h"
#include "program/differentiate.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

ValueId declareParameter(Builder& builder, const DeclaredParameter& parameter)
{
    return builder.argument(
        parameter.type, "params/" + parameter.name, Role::Parameter, parameter.dims, parameter.annotation);
}

Result<void> checkTrainStep(const NetworkArrays& arrays, const TrainStepSettings& settings)
{
    const std::int64_t count = settings.microbatches;
    if (count < 1)
        return fail(
            Code::OutOfRange, { { "key", "microbatches" }, { "value", count }, { "min", 1 }, { "max", maximumBytes } });
    const auto noFloats = [](DType dtype) {
        return fail(Code::InvalidAttribute,
            { { "op", "train_step" }, { "detail", "parameters or state of " + std::string(name(dtype)) } });
    };
    if (settings.optimizer.stateDtype && !isFloat(*settings.optimizer.stateDtype))
        return noFloats(*settings.optimizer.stateDtype);
    for (const DeclaredParameter& parameter : arrays.parameters)
        if (!isFloat(parameter.type.dtype))
            return noFloats(parameter.type.dtype);
    for (const DeclaredInput& input : arrays.inputs) {
        const std::int64_t batch = input.hasBatch && input.type.rank() > 0 ? input.type.shape[0] : 0;
        if (batch % count != 0)
            return fail(Code::InvalidAttribute,
                { { "op", "train_step" }, { "wrong", "microbatches" }, { "batch", batch }, { "microbatches", count } });
    }
    return {};
}

class TrainStepBuilder {
public:
    TrainStepBuilder(
        Builder& builder, const NetworkArrays& arrays, const TrainStepSettings& settings, const BuildForward& forward)
        : m_builder(builder)
        , m_arrays(arrays)
        , m_settings(settings)
        , m_forward(forward)
    {
    }

    Result<void> build()
    {
        SHARDSCOPE_CHECK(checkTrainStep(m_arrays, m_settings));
        addArguments();
        for (std::int64_t i = 0; i < m_settings.microbatches; ++i)
            SHARDSCOPE_CHECK(addMicrobatch(i));
        putTogether();
        update();
        addResults();
        return {};
    }

private:
    /// An array of the optimizer, for one parameter.
    struct StateArray {
        std::size_t parameter = 0;
        std::size_t place = 0; ///< among the arrays of the parameter
    };

    [[nodiscard]] bool isSplit() const { return m_settings.microbatches > 1; }
    [[nodiscard]] bool isSplit(const DeclaredInput& input) const
    {
        return isSplit() && input.hasBatch && input.type.rank() > 0;
    }
    [[nodiscard]] Annotation stateAnnotation(const DeclaredParameter& parameter) const
    {
        return m_settings.stateAnnotation ? m_settings.stateAnnotation(parameter) : parameter.annotation;
    }
    ValueId binary(OpKind kind, ValueId a, ValueId b) { return m_builder.binary(kind, a, b); }

    void addArguments()
    {
        const TensorType counter{ DType::I32, {} };
        m_step = m_builder.argument(counter, "step", Role::Step, {}, DeviceAxes{});
        for (const DeclaredParameter& parameter : m_arrays.parameters) {
            m_states.push_back({ declareParameter(m_builder, parameter), {} });
            m_stateTypes.push_back(optimizerArrays(m_settings.optimizer, parameter.type));
            m_states.back().arrays.resize(m_stateTypes.back().size());
        }
        if (countsSteps(m_settings.optimizer.kind))
            m_count = m_builder.argument(counter, "opt/count", Role::Count, {}, DeviceAxes{});
        for (const std::string_view name : optimizerArrayNames())
            addStateArrays(name);
        for (const DeclaredInput& input : m_arrays.inputs)
            addInput(input);
    }

    void addStateArrays(std::string_view name)
    {
        for (std::size_t p = 0; p < m_states.size(); ++p) {
            const DeclaredParameter& parameter = m_arrays.parameters[p];
            for (std::size_t place = 0; place < m_stateTypes[p].size(); ++place) {
                const OptimizerArray& array = m_stateTypes[p][place];
                if (array.name != name)
                    continue;
                const bool same = array.dimensions.size() == parameter.type.rank();
                std::vector<std::string> dims;
                for (const std::int64_t d : array.dimensions)
                    if (!parameter.dims.empty())
                        dims.push_back(parameter.dims[static_cast<std::size_t>(d)]);
                const Annotation annotation = stateAnnotation(parameter);
                const ValueId argument =
                    m_builder.argument(array.type, std::string("opt/").append(name).append("/").append(parameter.name),
                        array.role, std::move(dims), same ? annotation : withDimensions(annotation, array.dimensions));
                m_states[p].arrays[place] = argument;
                m_stateArrays.push_back({ p, place });
            }
        }
    }

    void addInput(const DeclaredInput& input)
    {
        if (!isSplit(input)) {
            m_inputs.push_back(m_builder.argument(input.type, input.path, Role::Input, input.dims, input.annotation));
            return;
        }
        TensorType type{ input.type.dtype, { m_settings.microbatches } };
        Dimensions from{ -1 };
        for (std::size_t d = 0; d < input.type.rank(); ++d) {
            type.shape.push_back(input.type.shape[d] / (d == 0 ? m_settings.microbatches : 1));
            from.push_back(static_cast<std::int64_t>(d));
        }
        m_inputs.push_back(m_builder.argument(
            type, input.path, Role::Input, withMicrobatch(input.dims), withDimensions(input.annotation, from)));
    }

    static std::vector<std::string> withMicrobatch(std::vector<std::string> dims)
    {
        if (!dims.empty())
            dims.insert(dims.begin(), "microbatch");
        return dims;
    }

    /// Microbatch `number` of an input.
    ValueId partOf(std::size_t input, std::int64_t number)
    {
        const DeclaredInput& declared = m_arrays.inputs[input];
        const Shape shape = m_builder.type(m_inputs[input]).shape;
        Dimensions starts(shape.size()), limits(shape.begin(), shape.end());
        starts[0] = number;
        limits[0] = number + 1;
        const ValueId slice = m_builder.add(
            OpKind::Slice, std::array{ m_inputs[input] }, otherAttributes(SliceAttributes{ starts, limits, {} }));
        return m_builder.named(m_builder.reshape(slice, Shape(shape.begin() + 1, shape.end())), declared.path,
            Role::Activation, declared.dims);
    }

    Result<void> addMicrobatch(std::int64_t number)
    {
        const std::string prefix = isSplit() ? "microbatches." + std::to_string(number) : std::string();
        std::vector<ValueId> parameters, inputs, wrt;
        for (const OptimizerState& state : m_states)
            parameters.push_back(state.parameter);
        wrt = parameters;
        m_builder.setPrefix(prefix);
        if (isSplit())
            m_builder.setScope("inputs");
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            inputs.push_back(isSplit(m_arrays.inputs[i]) ? partOf(i, number) : m_inputs[i]);
            if (m_arrays.inputs[i].gradient)
                wrt.push_back(inputs.back());
        }
        Result<ForwardPass> pass = m_forward(m_builder, { parameters, inputs, number, m_step });
        if (pass)
            m_builder.named(pass->loss, "loss", isSplit() ? Role::Activation : Role::Loss);
        m_builder.setPrefix({});
        if (!pass)
            return tl::unexpected(pass.error());

        SHARDSCOPE_TRY(gradients, differentiate(m_builder, pass->loss, wrt, pass->derivative));
        if (isSplit() || m_settings.constrainGradients)
            m_builder.setScope(backwardScopeOf(prefix));
        for (std::size_t p = 0; p < m_states.size(); ++p)
            addTo(m_gradients, p, ofParameter(p, (*gradients)[p]));
        std::size_t next = m_states.size();
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            if (!m_arrays.inputs[i].gradient)
                continue;
            const ValueId gradient = (*gradients)[next++];
            std::vector<ValueId>& parts = m_inputGradients[i];
            if (isSplit(m_arrays.inputs[i]))
                parts.push_back(gradient);
            else
                addTo(parts, 0, gradient);
        }
        if (isSplit())
            m_builder.setScope(prefix);
        m_loss = m_loss.valid() ? binary(OpKind::Add, m_loss, pass->loss) : pass->loss;
        m_outputs.resize(std::max(m_outputs.size(), pass->outputs.size()));
        for (std::size_t o = 0; o < pass->outputs.size(); ++o)
            m_outputs[o].push_back(pass->outputs[o]);
        return {};
    }

    void addTo(std::vector<ValueId>& sums, std::size_t place, ValueId value)
    {
        if (place == sums.size())
            sums.push_back(value);
        else
            sums[place] = binary(OpKind::Add, sums[place], value);
    }

    /// Constrained in the type in which it was computed, so that devices exchange no more than that.
    ValueId ofParameter(std::size_t p, ValueId gradient)
    {
        const DeclaredParameter& parameter = m_arrays.parameters[p];
        if (m_settings.constrainGradients)
            gradient = m_builder.constrain(gradient, stateAnnotation(parameter));
        return isSplit() ? inUpdateType(p, gradient) : gradient;
    }
    ValueId inUpdateType(std::size_t p, ValueId gradient)
    {
        const DType dtype = updateType(m_settings.optimizer, m_arrays.parameters[p].type.dtype);
        return m_builder.type(gradient).dtype == dtype ? gradient : m_builder.convert(gradient, dtype);
    }

    /// The sum over the microbatches becomes their mean.
    ValueId averaged(ValueId sum)
    {
        if (!isSplit())
            return sum;
        const double share = 1 / static_cast<double>(m_settings.microbatches);
        return binary(OpKind::Multiply, sum, m_builder.constant(m_builder.type(sum), share));
    }
    /// One array of what the microbatches have, with a first dimension for their number.
    ValueId stacked(const std::vector<ValueId>& parts)
    {
        std::vector<ValueId> rows;
        for (const ValueId part : parts) {
            Shape shape = m_builder.type(part).shape;
            shape.insert(shape.begin(), 1);
            rows.push_back(m_builder.reshape(part, std::move(shape)));
        }
        return m_builder.add(OpKind::Concatenate, rows, otherAttributes(DimensionAttributes{ 0 }));
    }

    void putTogether()
    {
        if (isSplit()) {
            m_builder.setScope("microbatches");
            m_loss = m_builder.named(averaged(m_loss), "loss", Role::Loss);
            for (std::vector<ValueId>& parts : m_outputs) {
                const Value first = m_builder.program().value(parts[0]);
                const std::string_view path = first.path, prefix = "microbatches.0/";
                parts = { m_builder.named(stacked(parts),
                    std::string(path.starts_with(prefix) ? path.substr(prefix.size()) : std::string_view()), first.role,
                    withMicrobatch(first.dimNames)) };
            }
            m_builder.setScope(backwardScopeOf("microbatches"));
        }
        for (std::size_t p = 0; p < m_gradients.size(); ++p)
            nameGradient(m_gradients[p] = averaged(m_gradients[p]), m_states[p].parameter);
        for (auto& [input, parts] : m_inputGradients) {
            const ValueId sum = isSplit(m_arrays.inputs[input]) ? stacked(parts) : parts[0];
            parts = { averaged(sum) };
            nameGradient(parts[0], m_inputs[input]);
        }
    }
    void nameGradient(ValueId gradient, ValueId argument)
    {
        const Value& of = m_builder.program().value(argument);
        m_builder.named(gradient, "grad(" + of.path + ')', Role::Gradient, of.dimNames);
    }

    ValueId incremented(ValueId counter)
    {
        return binary(OpKind::Add, counter, m_builder.constant({ DType::I32, {} }, 1));
    }

    void update()
    {
        const OptimizerSettings& optimizer = m_settings.optimizer;
        m_builder.setScope("optimizer");
        m_nextStep = incremented(m_step);
        if (m_count.valid())
            m_nextCount = incremented(m_count);
        std::map<DType, OptimizerScalars> scalars;
        for (const DeclaredParameter& parameter : m_arrays.parameters)
            if (const DType dtype = updateType(optimizer, parameter.type.dtype); !scalars.contains(dtype))
                scalars[dtype] = optimizerScalars(m_builder, optimizer, m_nextCount, dtype);
        std::vector<ValueId> gradients = m_gradients;
        if (optimizer.clipNorm > 0) {
            m_builder.setScope("optimizer/clip");
            for (std::size_t p = 0; p < gradients.size(); ++p)
                gradients[p] = inUpdateType(p, gradients[p]);
            gradients = clippedByGlobalNorm(m_builder, optimizer.clipNorm, gradients);
        }
        for (std::size_t p = 0; p < m_states.size(); ++p) {
            const DeclaredParameter& parameter = m_arrays.parameters[p];
            m_builder.setScope("optimizer/" + parameter.name);
            m_next.push_back(optimizerUpdate(
                m_builder, optimizer, scalars[updateType(optimizer, parameter.type.dtype)], m_states[p], gradients[p]));
        }
    }

    /// A result that replaces an argument, pinned to the argument's annotation.
    void addNext(ValueId argument, ValueId next)
    {
        const Value& old = m_builder.program().value(argument);
        m_builder.named(next, "next(" + old.path + ')', old.role, old.dimNames);
        m_builder.state(argument, m_builder.result(next, m_builder.program().argumentAnnotations[old.index]));
    }

    void addResults()
    {
        addNext(m_step, m_nextStep);
        for (std::size_t p = 0; p < m_states.size(); ++p)
            addNext(m_states[p].parameter, m_next[p].parameter);
        if (m_count.valid())
            addNext(m_count, m_nextCount);
        for (const auto& [p, place] : m_stateArrays)
            addNext(m_states[p].arrays[place], m_next[p].arrays[place]);
        m_builder.result(m_loss);
        for (const std::vector<ValueId>& output : m_outputs)
            m_builder.result(output[0]);
        for (const auto& [input, gradient] : m_inputGradients)
            m_builder.result(gradient[0]);
    }

    Builder& m_builder;
    const NetworkArrays& m_arrays;
    const TrainStepSettings& m_settings;
    const BuildForward& m_forward;
    ValueId m_step, m_count, m_nextStep, m_nextCount, m_loss;
    std::vector<ValueId> m_inputs;
    std::vector<OptimizerState> m_states, m_next; ///< per parameter
    std::vector<std::vector<OptimizerArray>> m_stateTypes; ///< per parameter
    std::vector<StateArray> m_stateArrays; ///< in the order of the arguments
    std::vector<ValueId> m_gradients; ///< per parameter: the sum over the microbatches so far, then their mean
    std::map<std::size_t, std::vector<ValueId>> m_inputGradients; ///< by input: per microbatch, or one sum
    std::vector<std::vector<ValueId>> m_outputs; ///< per output and microbatch
};

} // namespace

Result<void> addTrainStep(
    Builder& builder, const NetworkArrays& arrays, const TrainStepSettings& settings, const BuildForward& forward)
{
    return TrainStepBuilder(builder, arrays, settings, forward).build();
}

Result<void> addForward(Builder& builder, const NetworkArrays& arrays, const BuildForward& forward)
{
    std::vector<ValueId> parameters, inputs;
    for (const DeclaredParameter& parameter : arrays.parameters)
        parameters.push_back(declareParameter(builder, parameter));
    for (const DeclaredInput& input : arrays.inputs)
        inputs.push_back(builder.argument(input.type, input.path, Role::Input, input.dims, input.annotation));
    SHARDSCOPE_TRY(pass, forward(builder, { parameters, inputs, 0, {} }));
    if (pass->loss.valid())
        builder.result(builder.named(pass->loss, "loss", Role::Loss));
    for (const ValueId output : pass->outputs)
        builder.result(output);
    return {};
}

} // namespace shardscope
