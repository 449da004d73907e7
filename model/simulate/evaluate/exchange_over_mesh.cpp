// SPDX-License-Identifier: GPL-3.0-or-later
// Manual computations of global programs, whose bodies run on all devices of a mesh: devices have shards along the axes
// that are manual, and full arrays along all others. And Shardy's collectives, which mean just these other axes.
#include <algorithm>
#include <array>

#include "program/over_mesh.h"
#include "program/program_mesh.h"
#include "simulate/evaluate/body.h"
#include "simulate/evaluate/interpreter.h"

namespace shardscope::evaluate {

namespace {

/// The devices of a mesh, and where they are along axes.
class Places {
public:
    explicit Places(const Mesh& mesh)
        : m_mesh(mesh)
    {
    }
    [[nodiscard]] std::int64_t position(std::int32_t device) const { return m_mesh.positionOf(device); }
    /// Place along a list of axes, the first one major.
    [[nodiscard]] std::int64_t along(std::int64_t position, std::span<const AxisRef> axes) const
    {
        std::int64_t place = 0;
        for (const AxisRef& axis : axes)
            place = place * axis.size + digit(position, axis);
        return place;
    }
    /// The device at another place along the axes, and the same one along all others.
    [[nodiscard]] std::int32_t device(std::int64_t position, std::span<const AxisRef> axes, std::int64_t place) const
    {
        for (std::size_t i = axes.size(); i-- > 0;) {
            position += (place % axes[i].size - digit(position, axes[i])) * stride(axes[i]);
            place /= axes[i].size;
        }
        return m_mesh.deviceAt(position);
    }

private:
    [[nodiscard]] std::int64_t minor(const AxisRef& axis) const
    {
        return m_mesh.size(static_cast<std::size_t>(axis.axis)) / axis.next();
    }
    [[nodiscard]] std::int64_t stride(const AxisRef& axis) const
    {
        return m_mesh.stride(static_cast<std::size_t>(axis.axis)) * minor(axis);
    }
    [[nodiscard]] std::int64_t digit(std::int64_t position, const AxisRef& axis) const
    {
        return m_mesh.coordinate(position, static_cast<std::size_t>(axis.axis)) / minor(axis) % axis.size;
    }
    const Mesh& m_mesh;
};

/// Those of the axes that are manual.
AxisList manualAxes(std::span<const AxisRef> axes, const Mesh& mesh, const std::vector<std::string>& manual)
{
    AxisList found;
    for (const AxisRef& axis : axes)
        if (std::find(manual.begin(), manual.end(), mesh.axis(static_cast<std::size_t>(axis.axis)).name)
            != manual.end())
            found.push_back(axis);
    return found;
}

/// Over which manual axes of its mesh a collective of Shardy adds up. The mesh may have the devices in another order
/// than that of the manual computation around: the devices that add up are those along the axes of its own.
Result<AxisList> manualSumAxes(Interpreter& state, const Operation& op)
{
    const auto* own = wideAs<SdyCollectiveAttributes>(op.attributes);
    const ManualAxes& around = state.manualAxes();
    if (op.kind != OpKind::SdyAllReduce || !own || !around.mesh || own->axes.empty())
        return AxisList{};
    const Program& program = state.program();
    const Mesh* mesh = own->out.mesh < program.meshes.size() ? program.meshes[own->out.mesh].mesh.get() : nullptr;
    if (!mesh || !inAxisOrderOf(*around.mesh, *mesh))
        return cannot(program, op, { { "wrong", "other_devices" } });
    return manualAxes(own->axes, *mesh, around.names);
}

/// The shards of a manual computation's operand, by device of its mesh.
class Shards {
public:
    Shards(const ProgramSharding& sharding, const Mesh& mesh, const std::vector<std::string>& manual)
        : m_mesh(mesh)
        , m_places(mesh)
    {
        for (const DimensionSharding& dimension : sharding.sharding.dims)
            m_axes.push_back(manualAxes(dimension.axes, mesh, manual));
    }
    [[nodiscard]] Array of(Array full, std::int32_t device) const
    {
        for (std::size_t d = 0; d < m_axes.size(); ++d)
            if (!m_axes[d].empty())
                full = partOf(full, d, m_places.along(m_places.position(device), m_axes[d]), product(m_axes[d]));
        return full;
    }
    /// The array whose shards the devices that differ from this one along the manual axes have, side by side. Where
    /// several have a shard, it is that of the one nearest to this.
    template <class Held> // const Array&(std::int32_t device)
    [[nodiscard]] Array joinedAt(std::int32_t device, const Held& held) const
    {
        const auto full = [&](auto self, std::size_t d, std::int64_t position) -> Array {
            if (d == m_axes.size())
                return held(m_mesh.deviceAt(position));
            if (m_axes[d].empty())
                return self(self, d + 1, position);
            Arrays parts;
            for (std::int64_t k = 0; k < product(m_axes[d]); ++k)
                parts.push_back(self(self, d + 1, m_mesh.positionOf(m_places.device(position, m_axes[d], k))));
            return joined(parts, d);
        };
        return full(full, 0, m_mesh.positionOf(device));
    }

private:
    const Mesh& m_mesh;
    Places m_places;
    std::vector<AxisList> m_axes; ///< by dimension
};

/// In a manual computation over the same mesh: its devices go on with smaller shards.
Result<void> runOnSameDevices(
    Interpreter& state, const Operation& op, const ManualComputationAttributes& own, const Devices& active)
{
    const Program& program = state.program();
    const Mesh& mesh = *state.manualAxes().mesh;
    const RegionId region = op.regions[0];
    const Region& body = program.regions[region.index];
    if (static_cast<std::int64_t>(active.size()) != state.deviceCount())
        return cannot(
            program, op, { { "wrong", "diverged" }, { "found", active.size() }, { "devices", state.deviceCount() } });
    for (std::size_t i = 0; i < body.arguments.size(); ++i) {
        const Shards shards(own.in[i], mesh, own.manualAxes);
        state.forEach(active, 0, [&](std::int32_t device) {
            state.set(body.arguments[i], device, shards.of(state.at(op.operands[i], device), device));
        });
    }
    const std::vector<std::string> around = state.manualAxes().names;
    state.manualAxes().names.insert(state.manualAxes().names.end(), own.manualAxes.begin(), own.manualAxes.end());
    auto done = state.run(region, active);
    state.manualAxes().names = around;
    if (!done)
        return done;
    for (std::size_t i = 0; i < op.results.size(); ++i) {
        const Shards shards(own.out[i], mesh, own.manualAxes);
        state.forEach(active, 0, [&](std::int32_t device) {
            state.set(op.results[i], device, shards.joinedAt(device, [&](std::int32_t other) -> const Array& {
                return state.at(body.results[i], other);
            }));
        });
    }
    state.leave(region, active);
    return {};
}

} // namespace

Result<void> exchangeOverMesh(Interpreter& state, const Operation& op, const Devices& active)
{
    const Result<AxisList> summed = manualSumAxes(state, op);
    if (!summed)
        return tl::unexpected(summed.error());
    const AxisList& axes = *summed;
    if (axes.empty()) {
        for (const std::int32_t device : active)
            state.set(op.results[0], device, state.at(op.operands[0], device));
        return {};
    }
    if (static_cast<std::int64_t>(active.size()) != state.deviceCount())
        return cannot(state.program(), op,
            { { "wrong", "diverged" }, { "found", active.size() }, { "devices", state.deviceCount() } });
    const auto& own = *wideAs<SdyCollectiveAttributes>(op.attributes);
    const Places places(*state.program().meshes[own.out.mesh].mesh);
    const ReduceKind kind = own.kind;
    std::vector<Array> sums(static_cast<std::size_t>(state.deviceCount()));
    state.forEach(active, state.bytesOf(op), [&](std::int32_t device) {
        const std::int64_t position = places.position(device);
        Array sum = copied(state.at(op.operands[0], places.device(position, axes, 0)));
        BodyRun body(Body::ofKind(kind, std::array{ sum.type.dtype }));
        const std::array<std::byte*, 1> put{ sum.data() };
        for (std::int64_t k = 1; k < product(axes); ++k) {
            const Array& other = state.at(op.operands[0], places.device(position, axes, k));
            const std::array<const std::byte*, 2> pair{ sum.data(), other.data() };
            body.run(pair, put, sum.count());
        }
        sums[static_cast<std::size_t>(device)] = std::move(sum);
    });
    for (const std::int32_t device : active)
        state.set(op.results[0], device, std::move(sums[static_cast<std::size_t>(device)]));
    return {};
}

const Mesh* meshOf(const Program& program, const ManualComputationAttributes& own)
{
    for (const std::vector<ProgramSharding>* list : { &own.in, &own.out })
        for (const ProgramSharding& sharding : *list)
            if (sharding.mesh < program.meshes.size() && program.meshes[sharding.mesh].mesh->rank() > 0)
                return program.meshes[sharding.mesh].mesh.get();
    return nullptr;
}

Result<void> runManual(Interpreter& state, const Operation& op, const Devices& active)
{
    const Program& program = state.program();
    const auto& own = *wideAs<ManualComputationAttributes>(op.attributes);
    const Mesh* mesh = meshOf(program, own);
    if (mesh && state.manualAxes().mesh && *mesh == *state.manualAxes().mesh)
        return runOnSameDevices(state, op, own, active);
    const RegionId region = op.regions[0];
    const Region& body = program.regions[region.index];
    ExecuteOptions options = state.options();
    options.replicas = 1;
    options.partitions = mesh ? mesh->deviceCount() : 1;
    options.observer = nullptr; // its values are shards, and not those of the full program
    const Mesh none;
    const Mesh& over = mesh ? *mesh : none;
    for (const std::int32_t outer : active) {
        Interpreter inner(program, options, state.lifetimes(),
            { state.machine().workers, { state.machine().store(outer) }, state.machine().trips });
        if (mesh)
            inner.manualAxes() = { mesh, own.manualAxes };
        const StoreScope scope(*state.machine().store(outer));
        Devices all;
        for (std::int32_t device = 0; device < options.partitions; ++device) {
            all.push_back(device);
            for (const ValueId value : state.lifetimes().outsideOf(region))
                inner.set(value, device, state.at(value, outer));
        }
        for (std::size_t i = 0; i < body.arguments.size(); ++i) {
            const Array& full = state.at(op.operands[i], outer);
            if (!mesh) {
                inner.set(body.arguments[i], 0, full);
                continue;
            }
            const Shards shards(own.in[i], over, own.manualAxes);
            for (const std::int32_t device : all)
                inner.set(body.arguments[i], device, shards.of(full, device));
        }
        if (auto done = inner.run(region, all); !done)
            return done;
        for (CheckFinding& finding : inner.checks())
            state.checks().push_back(std::move(finding));
        for (std::size_t i = 0; i < op.results.size(); ++i) {
            const auto held = [&](std::int32_t device) -> const Array& { return inner.at(body.results[i], device); };
            state.set(op.results[i], outer,
                mesh ? Shards(own.out[i], over, own.manualAxes).joinedAt(over.deviceAt(0), held) : held(0));
        }
    }
    return {};
}

} // namespace shardscope::evaluate
