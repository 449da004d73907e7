// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in device_mesh.h.
#include <algorithm>
#include <map>

#include "base/codes.h"
#include "mesh/axis_assignment.h"
#include "mesh/device_mesh.h"
#include "mesh/nearest_shapes.h"
#include "mesh/shape_checks.h"

namespace shardscope {

namespace {

struct Granule {
    std::int32_t key = 0;
    std::vector<std::int32_t> members; ///< indices into the list
};

std::vector<Granule> granulesOf(const DeviceList& devices, const HybridMeshOptions& options)
{
    std::vector<Granule> granules;
    std::map<std::int32_t, std::size_t> byKey;
    std::size_t last = 0;
    std::int32_t index = 0;
    devices.forEach([&](const DevicePlace& place) {
        const std::int32_t key = options.processIsGranule ? place.process : place.slice;
        if (granules.empty() || granules[last].key != key) {
            last = byKey.try_emplace(key, granules.size()).first->second;
            if (last == granules.size())
                granules.push_back({ key, {} });
        }
        granules[last].members.push_back(index++);
    });
    if (options.sortGranulesByKey)
        std::sort(granules.begin(), granules.end(), [](const Granule& a, const Granule& b) { return a.key < b.key; });
    return granules;
}

MeshShape paddedInFront(const MeshShape& shape, std::size_t rank)
{
    MeshShape padded(rank - shape.size(), 1);
    padded.insert(padded.end(), shape.begin(), shape.end());
    return padded;
}

/// Copies one granule's mesh to where it belongs.
class Placement {
public:
    Placement(const MeshShape& inner, const MeshShape& outer)
        : m_inner(inner)
        , m_outer(outer)
    {
        for (std::size_t i = 0; i < inner.size(); ++i)
            m_shape.push_back(inner[i] * outer[i]);
        m_strides = meshStrides(m_shape);
    }
    const MeshShape& shape() const { return m_shape; }

    void put(std::int64_t granule, const std::vector<std::int32_t>& ids, std::vector<std::int32_t>& all) const
    {
        std::int64_t base = 0;
        for (std::size_t axis = m_outer.size(); axis-- > 0;) {
            base += granule % m_outer[axis] * m_inner[axis] * m_strides[axis];
            granule /= m_outer[axis];
        }
        MeshShape index(m_inner.size(), 0);
        std::int64_t to = base;
        for (const std::int32_t id : ids) {
            all[static_cast<std::size_t>(to)] = id;
            for (std::size_t axis = m_inner.size(); axis-- > 0;) {
                to += m_strides[axis];
                if (++index[axis] < m_inner[axis])
                    break;
                to -= m_strides[axis] * m_inner[axis];
                index[axis] = 0;
            }
        }
    }

private:
    MeshShape m_inner;
    MeshShape m_outer;
    MeshShape m_shape;
    MeshShape m_strides;
};

} // namespace

Result<DeviceArray> createHybridDeviceMesh(
    const MeshShape& inner, const MeshShape& outer, const DeviceList& devices, const HybridMeshOptions& options)
{
    for (const MeshShape* shape : { &inner, &outer })
        SHARDSCOPE_CHECK(checkRank(*shape));
    if (!options.processIsGranule && !devices.set().hasCoordinates())
        return fail(Code::MissingGranuleAttribute, { { "platform", devices.set().platform } });
    std::vector<Granule> granules = granulesOf(devices, options);
    const auto count = static_cast<std::int64_t>(granules.size());
    if (productOf(outer) != count) {
        const auto works = [](const MeshShape&) { return true; };
        return fail(Code::GranuleCountMismatch,
            { { "by", options.processIsGranule ? "process" : "slice" }, { "granules", count },
                { "shape", shapeText(outer) }, { "product", productOf(outer) },
                { "shapes", shapeTexts(nearestShapes(outer, count, works)) } });
    }
    SHARDSCOPE_CHECK(checkSizes(outer));

    const std::size_t rank = std::max(inner.size(), outer.size());
    GranuleReason reason{ options.processIsGranule, options.sortGranulesByKey, {}, paddedInFront(inner, rank),
        paddedInFront(outer, rank) };
    DeviceArray array;
    array.reason.rule = OrderRule::Granules;
    array.reason.kind = devices.set().kind;
    std::optional<Placement> placement;
    const DeviceMeshOptions inGranule{ false, options.allowSplitPhysicalAxes, options.version };
    for (std::int64_t granule = 0; granule < count; ++granule) {
        auto& [key, members] = granules[static_cast<std::size_t>(granule)];
        Result<DeviceArray> mesh = createDeviceMesh(inner, devices.at(std::move(members)), inGranule);
        if (!mesh) {
            Error error = std::move(mesh.error());
            error.args.push_back({ "granule", key });
            error.args.push_back({ "by", options.processIsGranule ? "process" : "slice" });
            return tl::unexpected(std::move(error));
        }
        if (!placement) { // sizes are known to be right
            placement.emplace(reason.inner, reason.outer);
            array.shape = placement->shape();
            array.ids.resize(static_cast<std::size_t>(devices.size()));
            array.reason.inner.push_back(std::move(mesh->reason));
        }
        placement->put(granule, mesh->ids, array.ids);
        reason.keys.push_back(key);
    }
    array.reason.granules = std::move(reason);
    return array;
}

} // namespace shardscope
