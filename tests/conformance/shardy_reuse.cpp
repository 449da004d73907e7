// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/shardy_reuse.h"

#include <algorithm>

#include "program/editor.h"

namespace shardscope::passes {

namespace {

/// An axis, and how far apart the elements of neighbouring devices along it lie in row-major order.
struct StridedAxis {
    std::int64_t stride = 0;
    AxisRef axis;
    bool operator==(const StridedAxis&) const = default;
};

/// What a sharding does to the elements in row-major order, whatever shape they have. Of static shapes.
std::vector<StridedAxis> stridesOf(const TensorSharding& sharding, const TensorType& type)
{
    std::vector<StridedAxis> strides;
    std::int64_t minor = 1;
    for (std::size_t d = sharding.rank(); d-- > 0;) {
        const std::int64_t shards = shardCount(sharding.dims[d]);
        std::int64_t stride = saturatingProduct(minor, (type.shape[d] + shards - 1) / shards);
        const AxisList& axes = sharding.dims[d].axes;
        for (std::size_t i = axes.size(); i-- > 0;) {
            strides.push_back({ stride, axes[i] });
            stride = saturatingProduct(stride, axes[i].size);
        }
        minor = saturatingProduct(minor, type.shape[d]);
    }
    std::stable_sort(
        strides.begin(), strides.end(), [](const StridedAxis& a, const StridedAxis& b) { return a.stride > b.stride; });
    std::vector<StridedAxis> merged;
    for (const StridedAxis& next : strides)
        if (!merged.empty() && canMerge(merged.back().axis, next.axis)
            && merged.back().stride == saturatingProduct(next.stride, next.axis.size))
            merged.back() = { next.stride, merge(merged.back().axis, next.axis) };
        else
            merged.push_back(next);
    return merged;
}

class Reuse {
public:
    explicit Reuse(Program program)
        : m_edit(std::move(program))
    {
    }

    Canonicalized run() &&
    {
        bool changed = false;
        for (const RegionId body : bodies(m_edit.program())) {
            std::vector<OperationId> order;
            walk(m_edit.program(), body, [&](OperationId id) { order.push_back(id); });
            m_place.resize(m_edit.program().operations.size(), 0);
            for (std::size_t i = 0; i < order.size(); ++i)
                m_place[order[i].index] = i;
            for (const OperationId id : order)
                if (m_edit.operation(id).kind == OpKind::Reshard && !m_edit.isErased(id))
                    changed = replace(id) || changed;
        }
        return { std::move(m_edit).finish(), {}, changed };
    }

private:
    [[nodiscard]] const ProgramSharding& shardingOf(OperationId reshard) const
    {
        return *attributesAs<OwnShardingAttributes>(m_edit.operation(reshard).attributes)->sharding;
    }
    [[nodiscard]] bool isA(OperationId id, OpKind kind) const
    {
        return id.valid() && m_edit.operation(id).kind == kind;
    }

    bool replace(OperationId id)
    {
        // Up to what the value is made of; the sharding as far as it means something there.
        ValueId root = m_edit.operation(id).operands[0];
        ProgramSharding target = shardingOf(id);
        const TensorType type = m_edit.value(root).type;
        std::vector<OperationId> way;
        for (bool carried = true;;) {
            const OperationId definition = m_edit.value(root).definition;
            if (!isA(definition, OpKind::Reshape) && !isA(definition, OpKind::Transpose))
                break;
            way.push_back(definition);
            const ValueId source = m_edit.operation(definition).operands[0];
            if (const auto* transpose = std::get_if<TransposeAttributes>(&m_edit.operation(definition).attributes)) {
                if (carried) {
                    TensorSharding before = target.sharding;
                    for (std::size_t d = 0; d < before.rank(); ++d)
                        before.dims[static_cast<std::size_t>(transpose->permutation[d])] = target.sharding.dims[d];
                    target.sharding = std::move(before);
                }
            } else {
                carried = carried && m_edit.value(source).type.rank() == m_edit.value(root).type.rank();
            }
            root = source;
        }
        const std::optional<OperationId> found = find(root, id, target, type);
        if (!found)
            return false;
        ValueId value = m_edit.result(*found);
        const auto copy = [&](OpKind kind, const TensorType& made, const Attributes& attributes) {
            const OperationId added = m_edit.add(kind, { &value, 1 }, { &made, 1 }, attributes, id);
            m_edit.placeBefore(id, added);
            value = m_edit.result(added);
        };
        if (!(m_edit.value(value).type == m_edit.value(root).type))
            copy(OpKind::Reshape, TensorType(m_edit.value(root).type), {});
        for (auto step = way.rbegin(); step != way.rend(); ++step) {
            const TensorType made = m_edit.value(m_edit.result(*step)).type;
            const Attributes attributes = m_edit.operation(*step).attributes;
            copy(m_edit.operation(*step).kind, made, attributes);
        }
        m_edit.replaceUses(m_edit.result(id), value);
        m_edit.erase(id);
        return true;
    }

    /// A reshard in front of `before`, in the same region, of `root` or of what reshapes make of it.
    std::optional<OperationId> find(
        ValueId root, OperationId before, const ProgramSharding& target, const TensorType& type) const
    {
        std::vector<ValueId> values{ root };
        for (std::size_t i = 0; i < values.size(); ++i)
            for (const Use& use : m_edit.uses(values[i])) {
                if (isA(use.operation, OpKind::Reshape))
                    values.push_back(m_edit.result(use.operation));
                if (!isA(use.operation, OpKind::Reshard) || use.operation == before
                    || m_edit.regionOf(use.operation) != m_edit.regionOf(before)
                    || m_place[use.operation.index] >= m_place[before.index])
                    continue;
                if (isSame(shardingOf(use.operation), m_edit.value(values[i]).type, target, type))
                    return use.operation;
            }
        return std::nullopt;
    }

    static bool isSame(
        const ProgramSharding& a, const TensorType& typeA, const ProgramSharding& b, const TensorType& typeB)
    {
        if (a == b && typeA == typeB)
            return true;
        return a.mesh == b.mesh && a.sharding.replicated == b.sharding.replicated
            && a.sharding.unreduced == b.sharding.unreduced && a.sharding.rank() == typeA.rank()
            && b.sharding.rank() == typeB.rank() && typeA.elementCount() == typeB.elementCount()
            && stridesOf(a.sharding, typeA) == stridesOf(b.sharding, typeB);
    }

    Editor m_edit;
    std::vector<std::size_t> m_place; ///< per OperationId: in program order
};

} // namespace

Canonicalized reuseReshards(Program program)
{
    return Reuse(std::move(program)).run();
}

} // namespace shardscope::passes
