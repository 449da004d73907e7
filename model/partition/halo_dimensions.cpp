// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/halo_dimensions.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "program/other_attributes.h"

namespace shardscope {

namespace {

std::size_t at(std::int64_t dimension)
{
    return static_cast<std::size_t>(dimension);
}

bool readsThroughHalos(OpKind kind)
{
    switch (kind) {
    case OpKind::Slice:
    case OpKind::Pad:
    case OpKind::Reverse:
    case OpKind::Concatenate:
    case OpKind::ReduceWindow:
    case OpKind::Convolution:
        return true;
    default:
        return false;
    }
}

/// How a window passes over a dimension.
struct Window {
    std::int64_t size = 1, stride = 1, low = 0, high = 0, dilation = 1, baseDilation = 1;
};

class Finder {
public:
    Finder(const Operation& operation, const HaloTensors& tensors)
        : m_operation(operation)
        , m_tensors(tensors)
        , m_shape(tensors.operandTypes[0].shape)
        , m_result(tensors.resultType.shape)
    {
    }

    std::vector<HaloDimension> run()
    {
        const Attributes& attributes = m_operation.attributes;
        if (const auto* convolution = attributesAs<ConvolutionAttributes>(attributes)) {
            for (std::size_t i = 0; i < convolution->inputSpatial.size(); ++i)
                convolve(*convolution, i);
        } else if (m_operation.kind == OpKind::Concatenate) {
            if (const auto* along = attributesAs<DimensionAttributes>(attributes))
                concatenate(at(along->dimension));
        } else {
            for (std::size_t d = 0; d < m_shape.size(); ++d)
                if (alongSameAxes(d))
                    visit(d);
        }
        std::sort(m_found.begin(), m_found.end(),
            [](const HaloDimension& a, const HaloDimension& b) { return a.dimension < b.dimension; });
        return std::move(m_found);
    }

private:
    [[nodiscard]] const AxisList& axes(std::size_t d) const { return m_tensors.operands[0].dims[d].axes; }

    /// All inputs and results are sharded there, and alike.
    [[nodiscard]] bool alongSameAxes(std::size_t d) const
    {
        if (axes(d).empty())
            return false;
        for (std::size_t i = 1; i < haloInputs(m_operation); ++i)
            if (!(m_tensors.operands[i].dims[d].axes == axes(d)))
                return false;
        return std::all_of(m_tensors.results.begin(), m_tensors.results.end(),
            [&](const TensorSharding& result) { return result.dims[d].axes == axes(d); });
    }

    /// Results of a device; 0 if they are not as many on all.
    [[nodiscard]] std::int64_t resultBlock(std::size_t d, std::int64_t devices) const
    {
        return m_result[d] % devices == 0 ? m_result[d] / devices : 0;
    }

    /// Unless a device would hold more to read than `computed` and all that there is: what is read then is padding for
    /// the most part, which an operation on the full array needs no memory for.
    void add(std::size_t d, const HaloReads& reads, std::int64_t computed, std::int64_t spatial = -1,
        bool splitsWindow = false)
    {
        std::optional<HaloPlan> plan = haloPlan(reads);
        if (plan && plan->length - m_shape[d] <= computed)
            m_found.push_back({ d, axes(d), std::move(*plan), spatial, splitsWindow });
    }

    [[nodiscard]] HaloReads readsOf(std::size_t d) const
    {
        HaloReads reads;
        reads.inputs.push_back({ m_shape[d], true, 0 });
        reads.devices = product(axes(d));
        return reads;
    }

    void visit(std::size_t d)
    {
        HaloReads reads = readsOf(d);
        const std::int64_t block = resultBlock(d, reads.devices);
        const Attributes& attributes = m_operation.attributes;
        if (block == 0)
            return;
        if (const auto* slice = attributesAs<SliceAttributes>(attributes)) {
            const std::int64_t stride = entryOr(slice->strides, d, 1);
            if (slice->starts[d] == 0 && slice->limits[d] == m_shape[d] && stride == 1)
                return;
            reads.first = slice->starts[d];
            reads.step = block * stride;
            reads.span = (block - 1) * stride + 1;
        } else if (const auto* pad = attributesAs<PadAttributes>(attributes)) {
            const std::int64_t interior = entryOr(pad->interior, d, 0);
            if (pad->low[d] == 0 && pad->high[d] == 0 && interior == 0)
                return;
            reads.first = -pad->low[d];
            reads.step = reads.span = block;
            reads.spread = interior + 1;
        } else if (const auto* reversed = attributesAs<DimensionsAttributes>(attributes)) {
            const DimensionList& dimensions = reversed->dimensions;
            if (std::find(dimensions.begin(), dimensions.end(), static_cast<std::int64_t>(d)) == dimensions.end())
                return;
            reads.reversed = true;
        } else if (const auto* window = attributesAs<WindowAttributes>(attributes)) {
            Window own{ entryOr(window->dimensions, d, 1), entryOr(window->strides, d, 1), 0, 0,
                entryOr(window->windowDilations, d, 1), entryOr(window->baseDilations, d, 1) };
            if (d < window->padding.size())
                std::tie(own.low, own.high) = window->padding[d];
            if (own.size == 1 && own.stride == 1 && own.low == 0 && own.high == 0 && own.baseDilation == 1)
                return;
            readWindows(reads, own, block);
        } else {
            return;
        }
        add(d, reads, m_result[d]);
    }

    static void readWindows(HaloReads& reads, const Window& window, std::int64_t block)
    {
        reads.first = -window.low;
        reads.step = block * window.stride;
        reads.span = (block - 1) * window.stride + (window.size - 1) * window.dilation + 1;
        reads.spread = window.baseDilation;
    }

    void convolve(const ConvolutionAttributes& convolution, std::size_t i)
    {
        const std::size_t d = at(convolution.inputSpatial[i]), k = at(convolution.kernelSpatial[i]),
                          o = at(convolution.outputSpatial[i]);
        if (axes(d).empty())
            return;
        for (const DimensionSharding& dim : m_tensors.operands[1].dims)
            if (anyOverlap(dim.axes, axes(d)) && &dim != &m_tensors.operands[1].dims[k])
                return;
        const AxisList &ofKernel = m_tensors.operands[1].dims[k].axes, &ofResult = m_tensors.results[0].dims[o].axes;
        HaloReads reads = readsOf(d);
        const std::int64_t devices = reads.devices, size = m_tensors.operandTypes[1].shape[k], windows = m_result[o];
        Window window{ size, entryOr(convolution.strides, i, 1), 0, 0, entryOr(convolution.rhsDilation, i, 1),
            entryOr(convolution.lhsDilation, i, 1) };
        if (i < convolution.padding.size())
            std::tie(window.low, window.high) = convolution.padding[i];
        // The input's dimension is sharded as its factor is that runs over windows, or over places in a window.
        if (std::min(std::max(windows, size), m_shape[d]) % devices != 0)
            return;
        if (ofKernel.empty() && ofResult == axes(d) && windows >= size) {
            if (windows % devices != 0)
                return;
            readWindows(reads, window, windows / devices);
            add(d, reads, windows, static_cast<std::int64_t>(i));
        } else if (ofKernel == axes(d) && ofResult.empty() && windows < size && size % devices == 0 && windows > 0
            && convolution.featureGroupCount == 1 && convolution.batchGroupCount == 1) {
            const std::int64_t taps = size / devices;
            const bool reversed = i < convolution.reversal.size() && convolution.reversal[i];
            reads.step = taps * window.dilation * (reversed ? -1 : 1);
            reads.first = -window.low + (reversed ? (devices - 1) * taps * window.dilation : 0);
            reads.span = (windows - 1) * window.stride + (taps - 1) * window.dilation + 1;
            reads.spread = window.baseDilation;
            add(d, reads, size, static_cast<std::int64_t>(i), true);
        }
    }

    void concatenate(std::size_t along)
    {
        const TensorSharding& result = m_tensors.results[0];
        const AxisList& wanted = result.dims[along].axes;
        HaloReads reads;
        reads.devices = product(wanted);
        const std::int64_t block = wanted.empty() ? 0 : resultBlock(along, reads.devices);
        if (block == 0)
            return;
        bool anySharded = false;
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < m_tensors.operands.size(); ++i) {
            const TensorSharding& operand = m_tensors.operands[i];
            for (std::size_t d = 0; d < operand.rank(); ++d) {
                const AxisList& current = operand.dims[d].axes;
                if (!(current == result.dims[d].axes || (d == along && current.empty())))
                    return;
            }
            const std::int64_t size = m_tensors.operandTypes[i].shape[along];
            const bool sharded = !operand.dims[along].axes.empty();
            anySharded = anySharded || sharded;
            if (size > 0)
                reads.inputs.push_back({ size, sharded, offset });
            else
                return;
            offset += size;
        }
        if (!anySharded)
            return;
        reads.step = reads.span = block;
        if (std::optional<HaloPlan> plan = haloPlan(reads))
            m_found.push_back({ along, wanted, std::move(*plan), -1, false });
    }

    const Operation& m_operation;
    const HaloTensors& m_tensors;
    const Shape& m_shape;
    const Shape& m_result;
    std::vector<HaloDimension> m_found;
};

std::int64_t elementBytes(const TensorType& type)
{
    return std::max<std::int64_t>(1, byteSize(type.dtype));
}

/// Elements of a device's block of an operand, as if it were replicated in the dimensions of `full`.
Shape heldShape(const HaloTensors& tensors, std::size_t operand, const std::vector<HaloDimension>& full)
{
    Shape shape = shardShape(tensors.operands[operand], tensors.operandTypes[operand].shape);
    for (const HaloDimension& one : full)
        shape[one.dimension] = tensors.operandTypes[operand].shape[one.dimension];
    return shape;
}

std::int64_t elementsOf(const Shape& shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{ 1 }, std::multiplies<>());
}

/// Of the exchange of some dimensions where operands are full in others.
std::int64_t sentBytes(const Operation& operation, const HaloTensors& tensors,
    const std::vector<HaloDimension>& exchanged, const std::vector<HaloDimension>& full)
{
    std::int64_t bytes = 0;
    const std::size_t inputs = operation.kind == OpKind::Concatenate ? 1 : haloInputs(operation);
    for (std::size_t i = 0; i < inputs; ++i) {
        Shape shape = heldShape(tensors, i, full);
        for (const HaloDimension& one : exchanged) {
            shape[one.dimension] = 1;
            bytes += one.plan.sent() * elementsOf(shape) * elementBytes(tensors.operandTypes[i]);
            shape[one.dimension] = one.plan.length;
        }
    }
    return bytes;
}

std::int64_t allReducedBytes(const HaloTensors& tensors, const HaloDimension& one)
{
    const std::int64_t devices = product(one.axes);
    const Shape shape = shardShape(tensors.results[0], tensors.resultType.shape);
    return 2 * (devices - 1) * elementsOf(shape) * elementBytes(tensors.resultType) / devices;
}

} // namespace

std::optional<HaloTensors> haloTensors(const Program& program, const Operation& operation,
    const std::function<TensorType(ValueId)>& typeOf, const std::function<const ProgramSharding*(ValueId)>& shardingOf)
{
    if (!readsThroughHalos(operation.kind) || operation.results.empty() || operation.operands.empty())
        return {};
    HaloTensors tensors;
    std::optional<std::uint32_t> mesh;
    bool legal = true;
    const auto take = [&](ValueId value, std::vector<TensorSharding>& list) {
        const TensorType type = typeOf(value);
        const ProgramSharding* current = shardingOf(value);
        TensorSharding sharding = TensorSharding::fullyReplicated(type.rank());
        if (current && current->sharding.rank() == type.rank()) {
            sharding = current->sharding;
            legal = legal && sharding.unreduced.empty() && !program.meshes[current->mesh].onlyDevice;
            if (!sharding.isFullyReplicated()) {
                legal = legal
                    && (!mesh || *mesh == current->mesh
                        || *program.meshes[*mesh].mesh == *program.meshes[current->mesh].mesh);
                mesh = mesh.value_or(current->mesh);
            }
        }
        list.push_back(std::move(sharding));
        return type;
    };
    for (const ValueId operand : operation.operands)
        tensors.operandTypes.push_back(take(operand, tensors.operands));
    for (const ValueId result : operation.results)
        tensors.resultType = take(result, tensors.results);
    if (!legal || !mesh || !isTensor(tensors.resultType.dtype))
        return {};
    tensors.resultType = typeOf(operation.results[0]);
    tensors.mesh = *mesh;
    return tensors;
}

std::vector<HaloDimension> haloDimensions(const Operation& operation, const HaloTensors& tensors)
{
    return Finder(operation, tensors).run();
}

std::size_t haloInputs(const Operation& operation)
{
    if (operation.kind == OpKind::ReduceWindow)
        return operation.operands.size() / 2;
    return operation.kind == OpKind::Concatenate ? operation.operands.size() : 1;
}

std::int64_t haloBytes(
    const Operation& operation, const HaloTensors& tensors, const std::vector<HaloDimension>& dimensions)
{
    return sentBytes(operation, tensors, dimensions, {});
}

std::int64_t gatheredBytes(
    const Operation& operation, const HaloTensors& tensors, const std::vector<HaloDimension>& dimensions)
{
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < haloInputs(operation); ++i) {
        const Shape current = heldShape(tensors, i, {});
        const Shape full = heldShape(tensors, i, dimensions);
        bytes += (elementsOf(full) - elementsOf(current)) * elementBytes(tensors.operandTypes[i]);
    }
    for (const HaloDimension& one : dimensions)
        if (one.splitsWindow) // the kernel as well
            bytes += elementsOf(shardShape(tensors.operands[1], tensors.operandTypes[1].shape))
                * elementBytes(tensors.operandTypes[1]) * (product(one.axes) - 1);
    return bytes;
}

std::vector<HaloDimension> worthwhileHalos(const Operation& operation, const HaloTensors& tensors)
{
    const std::vector<HaloDimension> all = haloDimensions(operation, tensors);
    std::vector<HaloDimension> best;
    std::optional<std::pair<std::int64_t, std::size_t>> least;
    for (std::size_t mask = (std::size_t{ 1 } << std::min<std::size_t>(all.size(), 6)); mask-- > 0;) {
        std::vector<HaloDimension> exchanged, gathered;
        std::size_t messages = 0;
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool isExchanged = i < 6 && ((mask >> i) & 1U) != 0;
            (isExchanged ? exchanged : gathered).push_back(all[i]);
            if (!isExchanged)
                continue;
            messages += all[i].plan.rounds.size();
            bytes += all[i].splitsWindow ? allReducedBytes(tensors, all[i]) : 0;
        }
        bytes += gatheredBytes(operation, tensors, gathered) + sentBytes(operation, tensors, exchanged, gathered);
        const std::pair<std::int64_t, std::size_t> cost{ bytes, messages + (gathered.empty() ? 0 : 1) };
        if (least && !(cost < *least))
            continue;
        least = cost;
        best = std::move(exchanged);
    }
    return best;
}

} // namespace shardscope
