// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/tensor_rows.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "pipeline/collective_list.h"
#include "pipeline/memory_placement.h"
#include "pipeline/value_meshes.h"
#include "sharding/hlo_sharding.h"

namespace shardscope {

namespace {

constexpr std::array displayOrder{ Role::Parameter, Role::Gradient, Role::Mu, Role::Nu, Role::Master, Role::Input,
    Role::Activation, Role::Loss, Role::Step, Role::Count };

std::size_t rank(Role role)
{
    return static_cast<std::size_t>(std::find(displayOrder.begin(), displayOrder.end(), role) - displayOrder.begin());
}

/// Per program value the sharding in which its parts were before a collective added them up, null if they never were.
std::vector<const TensorSharding*> partialForms(const Snapshot& snapshot)
{
    std::vector<const TensorSharding*> forms(snapshot.program->values.size());
    if (!snapshot.collectives)
        return forms;
    for (const CollectiveEntry& entry : snapshot.collectives->entries)
        if (entry.value.index < forms.size() && !forms[entry.value.index] && !entry.before.unreduced.empty())
            forms[entry.value.index] = &entry.before;
    return forms;
}

/// Whether the annotation of each value splits one of its dimensions into unequal parts.
std::vector<bool> indivisibleValues(const Snapshot& snapshot)
{
    std::vector<bool> found(snapshot.program->values.size());
    if (!snapshot.annotations)
        return found;
    const Annotations& annotations = *snapshot.annotations;
    for (const auto* list : { &annotations.arguments, &annotations.results, &annotations.constraints })
        for (const ResolvedAnnotation& annotation : *list)
            if (annotation.value.valid() && annotation.indivisible())
                found[annotation.value.index] = true;
    return found;
}

/// The mesh over the devices that each value lies on, with the axes of the snapshot's.
class ValueMeshes {
public:
    explicit ValueMeshes(const Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_axes(*snapshot.program, snapshot.mesh)
    {
    }
    const MeshPtr& of(ValueId value)
    {
        const std::uint32_t mesh = m_snapshot.propagation->meshes[value.index];
        return mesh == 0 ? m_snapshot.mesh : m_axes.over(mesh - 1);
    }

private:
    const Snapshot& m_snapshot;
    MainAxes m_axes;
};

/// Of a program that was partitioned before, per argument: how the array is sharded that it is a part of, along the
/// axes of the experiment's mesh. Nothing where nobody says it, or where the parts do not follow these axes. All other
/// values are what one device has, and nobody knows of what.
std::vector<std::optional<TensorSharding>> partsOnMesh(const Snapshot& snapshot)
{
    std::vector<std::optional<TensorSharding>> parts = snapshot.source->partsOf;
    const Mesh& mesh = *snapshot.mesh;
    const std::optional<Mesh>& stated = snapshot.source->partitionedOver;
    if (!stated
        || (std::ranges::equal(stated->axes(), mesh.axes(), {}, &MeshAxis::size, &MeshAxis::size)
            && std::ranges::equal(stated->deviceOrder(), mesh.deviceOrder())))
        return parts;
    for (std::optional<TensorSharding>& part : parts)
        if (part) {
            const Result<TensorSharding> along = toTensorSharding(toHloSharding(*part, *stated), mesh, part->rank());
            part = along ? std::optional(*along) : std::nullopt;
        }
    return parts;
}

/// The array of which a device holds `part`.
TensorType inFull(TensorType part, const TensorSharding& sharding)
{
    for (std::size_t d = 0; d < sharding.rank(); ++d)
        part.shape.edit()[d] = saturatingProduct(part.shape[d], shardCount(sharding.dims[d]));
    return part;
}

} // namespace

TensorSharding heldSharding(const Snapshot& snapshot, ValueId id)
{
    const Value& value = snapshot.program->value(id);
    TensorSharding held = snapshot.propagation->shardings[id.index];
    const std::vector<ValueId>& arguments = snapshot.program->main().arguments;
    const bool isArgument = !value.definition.valid() && value.index < arguments.size() && arguments[value.index] == id;
    if (!isArgument || !snapshot.annotations)
        return held;
    const std::optional<PartitionSpec>& spec = snapshot.annotations->arguments[value.index].spec;
    const TensorSharding wanted =
        spec ? toTensorSharding(*spec, *snapshot.mesh, value.type.rank()) : TensorSharding::open(value.type.rank());
    for (std::size_t d = 0; d < wanted.rank(); ++d)
        if (wanted.dims[d].open && value.type.shape[d] <= 1)
            held.dims[d].axes = dividing(held.dims[d].axes, value.type.shape[d]);
    const std::uint32_t mesh = snapshot.propagation->meshes[id.index];
    if (mesh == 0 || MainAxes(*snapshot.program, snapshot.mesh).hasSameAxes(mesh - 1)) // others have been brought here
        keepFullAxes(held, *snapshot.mesh);
    return held;
}

std::vector<ValueId> sameValue(const Program& program, ValueId value)
{
    std::vector<ValueId> forms{ value };
    for (OperationId made = program.value(value).definition; made.valid();) {
        const Operation& operation = program.operation(made);
        if (operation.kind != OpKind::ShardingConstraint || !program.value(operation.operands[0]).path.empty())
            break;
        forms.push_back(operation.operands[0]);
        made = program.value(forms.back()).definition;
    }
    return forms;
}

void addTensorRows(Snapshot& snapshot)
{
    const Program& program = *snapshot.program;
    ValueMeshes meshes(snapshot);
    const std::vector<const TensorSharding*> partial = partialForms(snapshot);
    const std::vector<bool> indivisible = indivisibleValues(snapshot);
    std::vector<ValueId> shown;
    const bool isPartitioned = snapshot.isPartitioned();
    std::vector<bool> isListed(program.values.size(), !isPartitioned);
    const std::vector<std::optional<TensorSharding>> parts =
        isPartitioned ? partsOnMesh(snapshot) : std::vector<std::optional<TensorSharding>>();
    for (std::size_t a = 0; a < parts.size() && a < program.main().arguments.size(); ++a)
        isListed[program.main().arguments[a].index] = parts[a].has_value();
    for (std::size_t i = 0; i < program.values.size(); ++i) {
        const Value& value = program.values[i];
        if (isListed[i] && !value.path.empty() && !value.path.starts_with("next(")
            && rank(value.role) < displayOrder.size())
            shown.emplace_back(i);
    }
    std::stable_sort(shown.begin(), shown.end(),
        [&](ValueId a, ValueId b) { return rank(program.value(a).role) < rank(program.value(b).role); });
    // Gradients are made last layer first; they are listed in the order of their parameters.
    const auto gradients =
        std::equal_range(shown.begin(), shown.end(), Role::Gradient, [&](const auto& a, const auto& b) {
            const auto order = [&](const auto& x) {
                if constexpr (std::is_same_v<std::decay_t<decltype(x)>, Role>)
                    return rank(x);
                else
                    return rank(program.value(x).role);
            };
            return order(a) < order(b);
        });
    std::unordered_map<std::string_view, std::size_t> parameters; // position of each
    for (const ValueId id : shown)
        if (program.value(id).role == Role::Parameter)
            parameters.emplace(program.value(id).path, parameters.size());
    std::vector<std::pair<std::size_t, ValueId>> ordered;
    for (auto id = gradients.first; id != gradients.second; ++id) {
        std::string_view of = program.value(*id).path;
        if (of.starts_with("grad(") && of.ends_with(')'))
            of = of.substr(5, of.size() - 6);
        const auto found = parameters.find(of);
        ordered.emplace_back(found == parameters.end() ? parameters.size() : found->second, *id);
    }
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(ordered.begin(), ordered.end(), gradients.first, [](const auto& entry) { return entry.second; });

    snapshot.rowOfValue.assign(program.values.size(), -1);
    snapshot.tensors.reserve(shown.size());
    for (const ValueId id : shown) {
        const Value& value = program.value(id);
        const TensorSharding sharding = isPartitioned ? *parts[value.index] : heldSharding(snapshot, id);
        TensorRow row;
        row.value = id;
        row.path = value.path;
        row.role = value.role;
        row.type = isPartitioned ? inFull(value.type, sharding) : value.type;
        row.dimNames = value.dimNames;
        row.spec = toPartitionSpec(sharding, *snapshot.mesh);
        row.layout = Layout(meshes.of(id), sharding, row.type.shape);
        row.bytesPerDevice = TensorType{ value.type.dtype, row.layout.shardShape() }.byteCount();
        row.bytesInAll = row.type.byteCount();
        row.copies = row.layout.copies();
        for (const ValueId form : sameValue(program, id))
            if (const TensorSharding* before = partial[form.index]; before && row.partialBefore.empty()) {
                row.partialBefore = before->unreduced;
                row.layoutBefore = Layout(snapshot.mesh, *before, value.type.shape);
            }
        row.indivisible = indivisible[id.index];
        snapshot.rowOfValue[id.index] = static_cast<int>(snapshot.tensors.size());
        snapshot.tensors.push_back(std::move(row));
    }
    placeRows(snapshot);
}

} // namespace shardscope
