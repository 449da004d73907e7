// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's collectives, in a program of one device with local shapes: groups are the devices along axes of a mesh. And
// manual computations of whole programs, whose bodies are such programs.
#include <algorithm>

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

AxisList allAxes(const std::vector<AxisList>& lists)
{
    AxisList all;
    for (const AxisList& list : lists)
        for (const AxisRef& axis : list)
            all.push_back(axis);
    return all;
}

class MeshExchange {
public:
    MeshExchange(Interpreter& state, const Operation& op, const SdyCollectiveAttributes& own, const Mesh& mesh,
        const Devices& active)
        : m_own(own)
        , m_places(mesh)
        , m_devices(active)
        , m_state(state)
        , m_bytes(state.bytesOf(op))
        , m_values(static_cast<std::size_t>(state.deviceCount()))
    {
        for (const std::int32_t device : active)
            m_values[at(device)] = state.at(op.operands[0], device);
    }
    static std::size_t at(std::int32_t device) { return static_cast<std::size_t>(device); }

    /// Every device's value becomes f(its position).
    template <class F>
    void each(F f)
    {
        std::vector<Array> next(m_values.size());
        m_state.forEach(
            m_devices, m_bytes, [&](std::int32_t device) { next[at(device)] = f(device, m_places.position(device)); });
        m_values = std::move(next);
    }
    Arrays gathered(std::int64_t position, std::span<const AxisRef> axes) const
    {
        Arrays arrays;
        for (std::int64_t k = 0; k < product(axes); ++k)
            arrays.push_back(m_values[at(m_places.device(position, axes, k))]);
        return arrays;
    }

    void allGather(std::size_t dimension, std::span<const AxisRef> axes)
    {
        each([&](std::int32_t, std::int64_t position) { return joined(gathered(position, axes), dimension); });
    }
    void allSlice(std::size_t dimension, std::span<const AxisRef> axes)
    {
        each([&](std::int32_t device, std::int64_t position) {
            return partOf(m_values[at(device)], dimension, m_places.along(position, axes), product(axes));
        });
    }
    void allReduce(std::span<const AxisRef> axes, ReduceKind kind)
    {
        each([&](std::int32_t, std::int64_t position) {
            const Arrays arrays = gathered(position, axes);
            Array sum = Array::make(arrays[0].type);
            std::copy_n(arrays[0].data(), static_cast<std::size_t>(sum.type.byteCount()), sum.data());
            BodyRun body(Body::ofKind(kind, std::array{ sum.type.dtype }));
            const std::array<std::byte*, 1> put{ sum.data() };
            for (std::size_t i = 1; i < arrays.size(); ++i) {
                const std::array<const std::byte*, 2> pair{ sum.data(), arrays[i].data() };
                body.run(pair, put, sum.count());
            }
            return sum;
        });
    }
    void allToAll(const AxisMove& move)
    {
        const auto source = static_cast<std::size_t>(move.source), target = static_cast<std::size_t>(move.target);
        each([&](std::int32_t, std::int64_t position) {
            Arrays parts;
            for (const Array& array : gathered(position, move.axes))
                parts.push_back(partOf(array, target, m_places.along(position, move.axes), product(move.axes)));
            return joined(parts, source);
        });
    }
    /// Every device takes the piece that it is to hold from one of those that hold it: the first of the holders for the
    /// first of the takers.
    void permute(const TensorSharding& from)
    {
        const auto pieces = [&](const TensorSharding& sharding, std::int64_t position) {
            std::vector<std::int64_t> piece;
            for (const DimensionSharding& dimension : sharding.dims)
                piece.push_back(m_places.along(position, dimension.axes));
            return piece;
        };
        std::vector<std::pair<std::vector<std::int64_t>, std::int32_t>> holders, takers;
        for (const std::int32_t device : m_devices) {
            holders.emplace_back(pieces(from, m_places.position(device)), device);
            takers.emplace_back(pieces(m_own.out.sharding, m_places.position(device)), device);
        }
        std::stable_sort(holders.begin(), holders.end());
        std::stable_sort(takers.begin(), takers.end());
        std::vector<std::int32_t> source(m_values.size());
        for (std::size_t i = 0; i < takers.size(); ++i)
            source[at(takers[i].second)] = holders[i].second;
        each([&](std::int32_t device, std::int64_t) { return copied(m_values[at(source[at(device)])]); });
    }
    /// A piece among zeros: of a sum over the axes that has been one piece.
    void spread(std::size_t dimension, std::span<const AxisRef> axes)
    {
        each([&](std::int32_t device, std::int64_t position) {
            const Array zeros = Array::zeros(m_values[at(device)].type);
            Arrays parts(static_cast<std::size_t>(product(axes)), zeros);
            parts[static_cast<std::size_t>(m_places.along(position, axes))] = m_values[at(device)];
            return joined(parts, dimension);
        });
    }
    void keepFirst(std::span<const AxisRef> axes)
    {
        each([&](std::int32_t device, std::int64_t position) {
            const Array& own = m_values[at(device)];
            return m_places.along(position, axes) == 0 ? copied(own) : Array::zeros(own.type);
        });
    }
    void finish(Interpreter& state, const Operation& op)
    {
        for (const std::int32_t device : m_devices)
            state.set(op.results[0], device, std::move(m_values[at(device)]));
    }

private:
    const SdyCollectiveAttributes& m_own;
    Places m_places;
    const Devices& m_devices;
    Interpreter& m_state;
    double m_bytes; ///< that one device reads and writes
    std::vector<Array> m_values; ///< by device
};

/// Axes of a dimension that a manual computation cuts by.
AxisList manualAxes(const DimensionSharding& dimension, const Mesh& mesh, const std::vector<std::string>& manual)
{
    AxisList axes;
    for (const AxisRef& axis : dimension.axes)
        if (std::find(manual.begin(), manual.end(), mesh.axis(static_cast<std::size_t>(axis.axis)).name)
            != manual.end())
            axes.push_back(axis);
    return axes;
}

} // namespace

Result<void> exchangeOverMesh(Interpreter& state, const Operation& op, const Devices& active)
{
    const auto* own = wideAs<SdyCollectiveAttributes>(op.attributes);
    if (!own || own->out.mesh >= state.program().meshes.size())
        return cannot(state.program(), op, { { "wrong", "unknown" } });
    const Mesh& mesh = *state.program().meshes[own->out.mesh].mesh;
    if (mesh.deviceCount() != state.deviceCount())
        return cannot(state.program(), op,
            { { "wrong", "groups" }, { "device", mesh.deviceCount() - 1 }, { "devices", state.deviceCount() } });
    if (static_cast<std::int64_t>(active.size()) != state.deviceCount())
        return cannot(state.program(), op,
            { { "wrong", "diverged" }, { "found", active.size() }, { "devices", state.deviceCount() } });
    MeshExchange all(state, op, *own, mesh, active);
    const auto eachDimension = [&](auto f) {
        for (std::size_t d = 0; d < own->axesPerDimension.size(); ++d)
            if (!own->axesPerDimension[d].empty())
                f(d, own->axesPerDimension[d]);
    };
    switch (op.kind) {
    case OpKind::SdyAllGather:
        eachDimension([&](std::size_t d, const AxisList& axes) { all.allGather(d, axes); });
        break;
    case OpKind::SdyAllSlice:
        eachDimension([&](std::size_t d, const AxisList& axes) { all.allSlice(d, axes); });
        break;
    case OpKind::SdyAllReduce:
        all.allReduce(own->axes, own->kind);
        break;
    case OpKind::SdyReduceScatter:
        all.allReduce(allAxes(own->axesPerDimension), own->kind);
        eachDimension([&](std::size_t d, const AxisList& axes) { all.allSlice(d, axes); });
        break;
    case OpKind::SdyAllToAll:
        for (const AxisMove& move : own->moves)
            all.allToAll(move);
        break;
    case OpKind::SdyCollectivePermute: {
        const ProgramSharding* from = state.program().shardingOf(op.operands[0]);
        if (!from)
            return cannot(state.program(), op, { { "wrong", "unknown" } });
        all.permute(from->sharding);
        break;
    }
    case OpKind::ShardedToUnreduced:
        eachDimension([&](std::size_t d, const AxisList& axes) { all.spread(d, axes); });
        break;
    default:
        all.keepFirst(own->axes);
        break;
    }
    all.finish(state, op);
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
    const RegionId region = op.regions[0];
    const Region& body = program.regions[region.index];
    ExecuteOptions options = state.options();
    options.replicas = 1;
    options.partitions = mesh ? mesh->deviceCount() : 1;
    options.observer = nullptr; // its values are pieces, and not those of the whole program
    for (const std::int32_t outer : active) {
        Interpreter inner(
            program, options, state.lifetimes(), { state.machine().workers, { state.machine().store(outer) } });
        const StoreScope scope(*state.machine().store(outer));
        Devices all;
        const Mesh none;
        const Mesh& over = mesh ? *mesh : none;
        const Places places(over);
        for (std::int32_t device = 0; device < options.partitions; ++device) {
            all.push_back(device);
            const std::int64_t position = places.position(device);
            for (const ValueId value : state.lifetimes().outsideOf(region))
                inner.set(value, device, state.at(value, outer));
            for (std::size_t i = 0; i < body.arguments.size(); ++i) {
                Array piece = state.at(op.operands[i], outer);
                for (std::size_t d = 0; mesh && d < own.in[i].sharding.dims.size(); ++d) {
                    const AxisList axes = manualAxes(own.in[i].sharding.dims[d], over, own.manualAxes);
                    if (!axes.empty())
                        piece = partOf(piece, d, places.along(position, axes), product(axes));
                }
                inner.set(body.arguments[i], device, std::move(piece));
            }
        }
        if (auto done = inner.run(region, all); !done)
            return done;
        for (CheckFinding& finding : inner.checks())
            state.checks().push_back(std::move(finding));
        for (std::size_t i = 0; i < op.results.size(); ++i) {
            // Pieces side by side; where several devices hold a piece, that of the first one.
            const auto& dims = mesh ? own.out[i].sharding.dims : std::vector<DimensionSharding>{};
            std::vector<AxisList> axes;
            for (const DimensionSharding& dimension : dims)
                axes.push_back(manualAxes(dimension, over, own.manualAxes));
            const auto whole = [&](auto self, std::size_t d, std::int64_t position) -> Array {
                if (d == axes.size())
                    return inner.at(body.results[i], over.deviceAt(position));
                if (axes[d].empty())
                    return self(self, d + 1, position);
                Arrays parts;
                for (std::int64_t k = 0; k < product(axes[d]); ++k)
                    parts.push_back(self(self, d + 1, over.positionOf(places.device(position, axes[d], k))));
                return joined(parts, d);
            };
            state.set(op.results[i], outer, whole(whole, 0, 0));
        }
    }
    return {};
}

} // namespace shardscope::evaluate
