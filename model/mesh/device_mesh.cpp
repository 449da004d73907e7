// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/device_mesh.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

#include "base/codes.h"
#include "mesh/axis_assignment.h"
#include "mesh/nearest_shapes.h"
#include "mesh/physical_mesh.h"
#include "mesh/shape_checks.h"

namespace shardscope {

namespace {

// Orders that JAX has for certain kinds and numbers of TPU devices, so that neighbours in the mesh are neighbours on
// the board. Source: jax.experimental.mesh_utils, 2026-08; v0.4.35 had those of TPU v2, v3 and v5e ("TPU v5 lite").

struct RingOrder {
    OrderRule rule = OrderRule::TrayAsListed;
    std::span<const std::int32_t> ring; ///< of each group of ring.size() devices; empty: as they are
    bool sorted = false; ///< groups are formed of the devices sorted by z, y, x, core; otherwise as listed
};

constexpr std::array<std::int32_t, 8> tray{ 0, 1, 2, 3, 6, 7, 4, 5 }; // four chips of two cores
constexpr std::array<std::int32_t, 4> square{ 0, 1, 3, 2 };
constexpr std::array<std::int32_t, 8> board{ 0, 1, 2, 3, 7, 6, 5, 4 }; // two rows of four
constexpr std::array<std::int32_t, 8> boardCube{ 0, 4, 2, 6, 1, 5, 3, 7 };
constexpr std::array<std::int32_t, 16> snake{ 0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4 };
constexpr std::array<std::int32_t, 8> cube{ 0, 1, 3, 2, 6, 7, 5, 4 };

/// One more than the coordinates of the device that is last by x, then y, then z.
std::array<std::int32_t, 3> boundsOf(const DeviceList& devices)
{
    std::array<std::int32_t, 3> last = devices[0].coordinates;
    devices.forEach([&](const DevicePlace& place) { last = std::max(last, place.coordinates); });
    return { last[0] + 1, last[1] + 1, last[2] + 1 };
}

std::optional<RingOrder> orderOfV5e(std::span<const std::int64_t> shape, const DeviceList& devices)
{
    const std::int64_t count = devices.size();
    if (count != 4 && count != 8 && count != 16)
        return std::nullopt;
    const auto bounds = boundsOf(devices);
    if (count == 8)
        return bounds == std::array{ 2, 2, 2 } ? RingOrder{ OrderRule::BoardCube, boardCube, true }
                                               : RingOrder{ OrderRule::BoardRing, board, true };
    if (count == 4 && bounds == std::array{ 2, 2, 1 })
        return RingOrder{ OrderRule::SquareRing, square, true };
    const bool oneGroup = std::find(shape.begin(), shape.end(), count) != shape.end();
    if (count == 16 && bounds == std::array{ 4, 4, 1 } && oneGroup)
        return RingOrder{ OrderRule::BoardSnake, snake, true };
    return std::nullopt;
}

std::optional<RingOrder> orderOfTpu7(const DeviceList& devices)
{
    constexpr std::int64_t maxDevices = 32;
    if (devices.size() == 0 || devices.size() > maxDevices || devices.size() % 8 != 0)
        return std::nullopt;
    const auto bounds = boundsOf(devices);
    if (bounds[0] > 2 || bounds[1] > 2)
        return std::nullopt;
    return RingOrder{ OrderRule::ChipRings, tray, true };
}

/// The rule that takes precedence over any assignment of physical axes; nothing where there is none.
std::optional<RingOrder> ringOrder(
    std::span<const std::int64_t> shape, const DeviceList& devices, MeshUtilsVersion version)
{
    switch (kindFamily(devices.set().kind, version)) {
    case KindFamily::V2V3:
        if (devices.size() == 8)
            return RingOrder{ OrderRule::TrayRing, tray, false };
        if (!shape.empty() && shape.back() == 8)
            return RingOrder{ OrderRule::TrayRingPerRow, tray, false };
        return RingOrder{ OrderRule::TrayAsListed, {}, false };
    case KindFamily::V4Lite:
    case KindFamily::Tpu8i:
        if (devices.size() == 4)
            return RingOrder{ OrderRule::SquareRing, square, false };
        return std::nullopt;
    case KindFamily::V5eV6e:
        return orderOfV5e(shape, devices);
    case KindFamily::V5p:
        if (devices.size() == 8 && boundsOf(devices) == std::array{ 2, 2, 2 })
            return RingOrder{ OrderRule::CubeRing, cube, true };
        return std::nullopt;
    case KindFamily::Tpu7:
        return orderOfTpu7(devices);
    case KindFamily::Other:
        break;
    }
    return std::nullopt;
}

/// The ids in that order.
std::vector<std::int32_t> applyRing(const RingOrder& order, const DeviceList& devices)
{
    std::vector<std::int32_t> listed;
    listed.reserve(static_cast<std::size_t>(devices.size()));
    if (order.sorted) { // at most 32 devices
        std::vector<DevicePlace> places;
        devices.forEach([&](const DevicePlace& place) { places.push_back(place); });
        const auto key = [](const DevicePlace& place) {
            return std::tuple(place.coordinates[2], place.coordinates[1], place.coordinates[0], place.core);
        };
        std::stable_sort(
            places.begin(), places.end(), [&](const DevicePlace& a, const DevicePlace& b) { return key(a) < key(b); });
        for (const DevicePlace& place : places)
            listed.push_back(place.id);
    } else {
        devices.forEach([&](const DevicePlace& place) { listed.push_back(place.id); });
    }
    if (order.ring.empty())
        return listed;
    std::vector<std::int32_t> ids;
    ids.reserve(listed.size());
    for (std::size_t group = 0; group < listed.size(); group += order.ring.size())
        for (const std::int32_t member : order.ring)
            ids.push_back(listed[group + static_cast<std::size_t>(member)]);
    return ids;
}

/// Topologies and shapes (without axes of one) whose submeshes can be made contiguous, and the order of physical axes
/// that does it. Source: mesh_utils.
struct ContiguousRow {
    std::array<std::int64_t, 3> topology;
    std::array<std::int64_t, 2> shape;
    std::array<std::size_t, 3> order;
};
constexpr std::array contiguousRows{
    ContiguousRow{ { 2, 2, 1 }, { 2, 2 }, { 0, 1, 2 } },
    ContiguousRow{ { 2, 2, 4 }, { 4, 4 }, { 0, 1, 2 } },
    ContiguousRow{ { 4, 4, 4 }, { 16, 4 }, { 0, 2, 1 } },
    ContiguousRow{ { 4, 8, 8 }, { 64, 4 }, { 0, 2, 1 } },
    ContiguousRow{ { 4, 8, 8 }, { 4, 64 }, { 0, 2, 1 } },
    ContiguousRow{ { 8, 8, 8 }, { 64, 8 }, { 0, 2, 1 } },
    ContiguousRow{ { 8, 16, 16 }, { 256, 8 }, { 0, 2, 1 } },
    ContiguousRow{ { 8, 16, 16 }, { 8, 256 }, { 0, 2, 1 } },
};

MeshShape withoutOnes(MeshShape shape)
{
    std::erase(shape, 1);
    return shape;
}

/// A shape of the table with axes of one in front, up to the rank.
MeshShape padded(const ContiguousRow& row, std::size_t rank)
{
    MeshShape shape(rank > 2 ? rank - 2 : 0, 1);
    shape.insert(shape.end(), row.shape.begin(), row.shape.end());
    return shape;
}

/// Every shape of so many axes that gives each physical axis to one logical axis.
std::vector<MeshShape> fullAxisShapes(const MeshShape& physical, std::size_t rank)
{
    std::vector<MeshShape> shapes{ MeshShape(rank, 1) };
    constexpr std::size_t maxShapes = 4096;
    for (const std::int64_t size : physical) {
        if (size == 1 || shapes.size() * rank > maxShapes)
            continue;
        std::vector<MeshShape> next;
        for (const MeshShape& shape : shapes) {
            for (std::size_t axis = 0; axis < rank; ++axis) {
                next.push_back(shape);
                next.back()[axis] *= size;
            }
        }
        shapes = std::move(next);
    }
    return shapes;
}

/// How the devices come into the order of a shape.
struct Decision {
    MeshReason reason;
    std::optional<RingOrder> ring;
    std::vector<std::size_t> order; ///< of the physical axes, before they are assigned
};

class Builder {
public:
    Builder(const DeviceList& devices, const DeviceMeshOptions& options)
        : m_devices(devices)
        , m_options(options)
    {
    }

    /// Decides without moving a device, so that other shapes can be tried at little cost.
    Result<Decision> decide(const MeshShape& shape)
    {
        SHARDSCOPE_CHECK(checkRank(shape));
        if (productOf(shape) != m_devices.size())
            return fail(Code::DeviceCountMismatch,
                { { "shape", shapeText(shape) }, { "product", productOf(shape) }, { "devices", m_devices.size() } });
        SHARDSCOPE_CHECK(checkSizes(shape));
        Decision decision;
        decision.reason.kind = m_devices.set().kind;
        decision.ring = ringOrder(shape, m_devices, m_options.version);
        if (decision.ring) {
            decision.reason.rule = decision.ring->rule;
            decision.reason.ring.assign(decision.ring->ring.begin(), decision.ring->ring.end());
            return decision;
        }
        if (m_devices.set().hasCoordinates())
            return assign(shape, std::move(decision));
        const bool sorted = m_devices.set().platform == "gpu" && m_options.version == MeshUtilsVersion::Head;
        decision.reason.rule = sorted ? OrderRule::ById : OrderRule::AsListed;
        return decision;
    }

    std::vector<std::int32_t> idsOf(const Decision& decision) const
    {
        if (decision.ring)
            return applyRing(*decision.ring, m_devices);
        if (!decision.reason.assignment) {
            std::vector<std::int32_t> ids = applyRing({ OrderRule::AsListed, {}, false }, m_devices);
            if (decision.reason.rule == OrderRule::ById)
                std::sort(ids.begin(), ids.end());
            return ids;
        }
        const MeshShape physical = m_physical->shape();
        const MeshShape strides = meshStrides(physical);
        MeshShape orderedShape;
        MeshShape orderedStrides;
        for (const std::size_t axis : decision.order) {
            orderedShape.push_back(physical[axis]);
            orderedStrides.push_back(strides[axis]);
        }
        return inLogicalOrder(m_physical->ids, orderedShape, orderedStrides, decision.reason.assignment->sizes);
    }

    /// The error with what would work.
    Error explained(Error error, const MeshShape& wanted)
    {
        if (error.code == Code::NoContiguousTopology) {
            std::vector<std::string> topologies;
            for (const ContiguousRow& row : contiguousRows)
                if (const std::string text = shapeText(row.topology); topologies.empty() || topologies.back() != text)
                    topologies.push_back(text);
            error.args.push_back({ "topologies", std::move(topologies) });
        }
        if (error.code == Code::DeviceCountMismatch || error.code == Code::NoAxisAssignment
            || error.code == Code::NoContiguousShape)
            error.args.push_back({ "shapes", shapesThatWork(wanted) });
        return error;
    }

    /// Shapes for all devices of the list, near to the one that is wanted.
    std::vector<std::string> shapesThatWork(const MeshShape& wanted)
    {
        const auto works = [this](const MeshShape& shape) { return decide(shape).has_value(); };
        std::vector<MeshShape> more;
        if (works({ m_devices.size() }); m_physical) // having tried one, the physical mesh is known
            more = fullAxisShapes(m_physical->shape(), wanted.size());
        if (m_options.contiguousSubmeshes)
            for (const ContiguousRow& row : contiguousRows)
                more.push_back(padded(row, std::max<std::size_t>(wanted.size(), 2)));
        MeshShape near = wanted;
        if (m_options.contiguousSubmeshes && near.size() < 2)
            near.resize(2, 1);
        return shapeTexts(nearestShapes(near, m_devices.size(), works, std::move(more)));
    }

private:
    Result<Decision> assign(const MeshShape& shape, Decision decision)
    {
        if (!m_physical) {
            SHARDSCOPE_TRY(physical, physicalTpuMesh(m_devices, m_options.version));
            m_physical = std::move(*physical);
        }
        decision.order.resize(m_physical->axes.size());
        std::iota(decision.order.begin(), decision.order.end(), std::size_t{ 0 });
        if (m_options.contiguousSubmeshes)
            SHARDSCOPE_CHECK(orderContiguously(shape, decision.order));
        AxisAssignment assignment;
        assignment.contiguous = m_options.contiguousSubmeshes;
        MeshShape physical;
        for (const std::size_t axis : decision.order) {
            assignment.physical.push_back(m_physical->axes[axis]);
            physical.push_back(m_physical->axes[axis].size);
        }
        decision.reason.rule = OrderRule::FullAxes;
        if (auto full = assignFullAxes(physical, shape)) {
            assignment.sizes = std::move(*full);
        } else {
            if (!m_options.allowSplitPhysicalAxes)
                return tl::unexpected(full.error());
            decision.reason.rule = OrderRule::SplitAxes;
            assignment.sizes = assignSplitAxes(physical, shape);
        }
        decision.reason.assignment = std::move(assignment);
        return decision;
    }

    Result<void> orderContiguously(const MeshShape& shape, std::vector<std::size_t>& order) const
    {
        const MeshShape physical = m_physical->shape();
        const MeshShape wanted = withoutOnes(shape);
        bool knownTopology = false;
        for (const ContiguousRow& row : contiguousRows) {
            if (!std::equal(physical.begin(), physical.end(), row.topology.begin(), row.topology.end()))
                continue;
            knownTopology = true;
            if (std::equal(wanted.begin(), wanted.end(), row.shape.begin(), row.shape.end())) {
                order.assign(row.order.begin(), row.order.end());
                return {};
            }
        }
        return fail(knownTopology ? Code::NoContiguousShape : Code::NoContiguousTopology,
            { { "topology", shapeText(physical) }, { "shape", shapeText(shape) } });
    }

    DeviceList m_devices;
    DeviceMeshOptions m_options;
    std::optional<PhysicalMesh> m_physical; ///< once it was needed
};

/// The devices before the first one of another slice.
std::int64_t devicesOfFirstSlice(const DeviceList& devices)
{
    if (!devices.set().hasCoordinates() || devices.set().slices == 1)
        return devices.size();
    const std::int32_t slice = devices[0].slice;
    std::int64_t count = 0;
    bool same = true;
    devices.forEach([&](const DevicePlace& place) {
        same = same && place.slice == slice;
        count += same ? 1 : 0;
    });
    return count;
}

} // namespace

Result<DeviceArray> createDeviceMesh(
    const MeshShape& shape, const DeviceList& devices, const DeviceMeshOptions& options)
{
    Builder builder(devices, options);
    Result<Decision> decision = builder.decide(shape);
    if (!decision)
        return tl::unexpected(builder.explained(std::move(decision.error()), shape));
    return DeviceArray{ shape, {}, builder.idsOf(*decision), std::move(decision->reason) };
}

Result<DeviceArray> makeMesh(
    const MeshShape& shape, const std::vector<std::string>& names, const DeviceList& devices, MeshUtilsVersion version)
{
    SHARDSCOPE_CHECK(checkRank(shape));
    SHARDSCOPE_CHECK(checkSizes(shape));
    const std::string& kind = devices.set().kind;
    const bool split = kind == "TPU v5 lite" || kind == "TPU v5e";
    const std::int64_t product = productOf(shape);
    const std::int64_t inSlice = devicesOfFirstSlice(devices);
    if (product > devices.size())
        return fail(Code::TooFewDevices,
            { { "shape", shapeText(shape) }, { "product", product }, { "devices", devices.size() },
                { "shapes", Builder(devices.first(inSlice), { false, split, version }).shapesThatWork(shape) } });
    if (product > inSlice)
        return fail(
            Code::MultiSlice, { { "product", product }, { "slices", devices.set().slices }, { "in_slice", inSlice } });
    const DeviceList used = devices.first(product);
    SHARDSCOPE_TRY(array, createDeviceMesh(shape, used, { false, split, version }));
    if (names.size() != shape.size())
        return fail(Code::AxisNamesLength, { { "names", names.size() }, { "axes", shape.size() } });
    array->names = names;
    array->reason.splitByKind = split && array->reason.rule == OrderRule::SplitAxes;
    if (product < devices.size())
        array->reason.usedOf = devices.size();
    return array;
}

} // namespace shardscope
