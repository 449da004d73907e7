// SPDX-License-Identifier: GPL-3.0-or-later
// Between axes of a mesh and tiles of device numbers. A device number is written with one digit per axis, or with
// several where parts of the axis are used; a tile dimension reads some of these digits.
// Declared in hlo_sharding.h.
#include <algorithm>
#include <set>

#include "base/codes.h"
#include "sharding/hlo_sharding.h"

namespace shardscope {

namespace {

using Subgroup = HloSharding::Subgroup;

/// The digits of device numbers, major first, and what has read them.
class Digits {
public:
    explicit Digits(const Mesh& mesh)
        : m_mesh(mesh)
        , m_bounds(mesh.rank())
    {
    }
    /// The axis has a digit that begins and one that ends where the part does.
    void splitAt(AxisRef ref)
    {
        std::set<std::int64_t>& bounds = m_bounds[static_cast<std::size_t>(ref.axis)];
        bounds.insert(ref.pre);
        bounds.insert(ref.next());
    }
    /// Lists the digits, those of size 1 left out.
    void build()
    {
        for (std::size_t axis = 0; axis < m_mesh.rank(); ++axis) {
            std::set<std::int64_t> bounds = m_bounds[axis];
            bounds.insert(m_mesh.size(axis));
            std::int64_t pre = 1;
            for (const std::int64_t next : bounds) {
                if (next == pre)
                    continue;
                m_digits.push_back({ static_cast<std::int32_t>(axis), static_cast<std::int32_t>(pre),
                    static_cast<std::int32_t>(next / pre) });
                pre = next;
            }
        }
        m_used.resize(m_digits.size());
    }
    /// Reads the digits of a part; returns its size.
    std::int64_t read(AxisRef ref)
    {
        for (std::size_t i = 0; i < m_digits.size(); ++i) {
            if (!contains(ref, m_digits[i]))
                continue;
            m_used[i] = true;
            m_order.push_back(static_cast<std::int32_t>(i));
        }
        return ref.size;
    }
    /// Reads what is left; returns the product of the sizes.
    std::int64_t readRest()
    {
        std::int64_t size = 1;
        for (std::size_t i = 0; i < m_digits.size(); ++i)
            if (!m_used[i])
                size *= read(m_digits[i]);
        return size;
    }
    [[nodiscard]] TileAssignment tiles(Shape dims) const
    {
        Shape sizes;
        for (const AxisRef& digit : m_digits)
            sizes.push_back(digit.size);
        return *TileAssignment::iota(std::move(dims), std::move(sizes), m_order);
    }

private:
    const Mesh& m_mesh;
    std::vector<std::set<std::int64_t>> m_bounds; ///< by axis: where digits begin and end
    std::vector<AxisRef> m_digits;
    std::vector<bool> m_used;
    TileAssignment::Permutation m_order;
};

/// One digit of device numbers: how many devices lie between two of its values, and how many values it has.
struct Step {
    std::int64_t stride = 1;
    std::int64_t size = 1;
};

/// The digits in the order in which the tiles read them, cut wherever a tile dimension or a mesh axis begins; empty
/// where they cannot be cut so.
std::optional<std::vector<Step>> steps(const TileAssignment& tiles, const Mesh& mesh)
{
    const Shape& sizes = tiles.reshape();
    std::vector<Step> read;
    std::set<std::int64_t> bounds{ 1, tiles.size() };
    for (const std::int32_t dim : tiles.transpose()) {
        std::int64_t stride = 1;
        for (std::size_t minor = static_cast<std::size_t>(dim) + 1; minor < sizes.size(); ++minor)
            stride *= sizes[minor];
        read.push_back({ stride, sizes[static_cast<std::size_t>(dim)] });
        bounds.insert(stride);
    }
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        bounds.insert(mesh.stride(axis));
    // A tile dimension may begin inside a digit.
    std::int64_t tileEnd = tiles.size();
    for (const std::int64_t size : tiles.dims()) {
        tileEnd /= size;
        std::int64_t minor = tiles.size();
        for (const Step& step : read) {
            minor /= step.size;
            if (tileEnd <= minor || tileEnd >= minor * step.size)
                continue;
            if (tileEnd % minor != 0 || minor * step.size % tileEnd != 0)
                return std::nullopt;
            bounds.insert(step.stride * (tileEnd / minor));
        }
    }
    for (auto splitAt = bounds.begin(); std::next(splitAt) != bounds.end(); ++splitAt)
        if (*std::next(splitAt) % *splitAt != 0)
            return std::nullopt;
    std::vector<Step> result;
    for (const Step& step : read) {
        std::vector<Step> parts;
        for (auto splitAt = bounds.find(step.stride); *splitAt != step.stride * step.size; ++splitAt)
            parts.push_back({ *splitAt, *std::next(splitAt) / *splitAt });
        result.insert(result.end(), parts.rbegin(), parts.rend());
    }
    return result;
}

AxisRef refOf(const Step& step, const Mesh& mesh)
{
    std::size_t axis = 0;
    while (axis + 1 < mesh.rank() && (mesh.stride(axis) > step.stride || mesh.size(axis) == 1))
        ++axis;
    const std::int64_t span = mesh.stride(axis) * mesh.size(axis);
    return { static_cast<std::int32_t>(axis), static_cast<std::int32_t>(span / (step.stride * step.size)),
        static_cast<std::int32_t>(step.size) };
}

void sortAndMerge(AxisList& list)
{
    std::vector<AxisRef> sorted(list.begin(), list.end());
    std::sort(sorted.begin(), sorted.end());
    list.clear();
    for (const AxisRef& ref : sorted)
        appendMerged(list, ref);
}

} // namespace

HloSharding toHloSharding(const PartitionSpec& spec, const Mesh& mesh, std::size_t rank)
{
    return toHloSharding(toTensorSharding(spec, mesh, rank), mesh);
}

HloSharding toHloSharding(const TensorSharding& sharding, const Mesh& mesh, std::span<const AxisRef> manual)
{
    Digits digits(mesh);
    for (const DimensionSharding& dim : sharding.dims)
        for (const AxisRef& ref : dim.axes)
            digits.splitAt(ref);
    for (const AxisRef& ref : sharding.unreduced)
        digits.splitAt(ref);
    for (const AxisRef& ref : manual)
        digits.splitAt(ref);
    digits.build();

    Shape dims;
    for (const DimensionSharding& dim : sharding.dims) {
        std::int64_t size = 1;
        for (const AxisRef& ref : dim.axes)
            size *= digits.read(ref);
        dims.push_back(size);
    }
    std::vector<Subgroup> subgroups;
    const auto addSubgroup = [&](Subgroup type, std::int64_t size) {
        dims.push_back(size);
        subgroups.push_back(type);
    };
    std::int64_t size = 1;
    for (const AxisRef& ref : manual)
        size *= digits.read(ref);
    addSubgroup(Subgroup::Manual, size);
    size = 1;
    for (const AxisRef& ref : sharding.unreduced)
        size *= digits.read(ref);
    addSubgroup(Subgroup::Unreduced, size);
    addSubgroup(Subgroup::Replicated, digits.readRest());
    if (mesh.deviceCount() == 1)
        return HloSharding::of(HloSharding::Kind::Replicated);
    return HloSharding::tiled(digits.tiles(std::move(dims)), std::move(subgroups));
}

Result<TensorSharding> toTensorSharding(const HloSharding& sharding, const Mesh& mesh, std::size_t rank)
{
    TensorSharding result = TensorSharding::fullyReplicated(rank);
    if (sharding.kind == HloSharding::Kind::Replicated)
        return result;
    if (sharding.kind == HloSharding::Kind::Unreduced) {
        for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
            if (mesh.size(axis) > 1)
                result.unreduced.push_back(fullAxis(mesh, axis));
        return result;
    }
    if (sharding.kind != HloSharding::Kind::Tiled || sharding.subgroupSize(Subgroup::Manual) > 1) {
        const char* form = sharding.kind == HloSharding::Kind::Tiled ? "manual subgroup"
            : sharding.kind == HloSharding::Kind::Maximal            ? "maximal"
            : sharding.kind == HloSharding::Kind::Unknown            ? "unknown"
                                                                     : "manual";
        return fail(Code::UnsupportedSharding, { { "form", form } });
    }
    if (sharding.tiledRank() != rank)
        return fail(Code::RankMismatch, { { "sharding_rank", sharding.tiledRank() }, { "rank", rank } });
    if (sharding.tiles.size() != mesh.deviceCount())
        return fail(Code::DeviceCount, { { "tiles", sharding.tiles.size() }, { "devices", mesh.deviceCount() } });
    const std::optional<TileAssignment> tiles = sharding.tiles.asIota();
    const std::optional<std::vector<Step>> digits = tiles ? steps(*tiles, mesh) : std::nullopt;
    if (!digits)
        return fail(Code::NotOnMesh, { { "known", mesh.axisNames() } });

    auto next = digits->begin();
    for (std::size_t d = 0; d < tiles->dims().size(); ++d) {
        const Subgroup type = d < rank ? Subgroup::Replicated : sharding.subgroups[d - rank];
        for (std::int64_t size = 1; size < tiles->dims()[d]; size *= next->size, ++next) {
            const AxisRef ref = refOf(*next, mesh);
            if (d < rank)
                appendMerged(result.dims[d].axes, ref);
            else if (type == Subgroup::Unreduced)
                result.unreduced.push_back(ref);
        }
    }
    sortAndMerge(result.unreduced);
    return result;
}

} // namespace shardscope
