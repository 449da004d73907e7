// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/shards.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "program/body.h"
#include "sharding/layout.h"
#include "simulate/kernels/element_types.h"
#include "simulate/kernels/elementwise.h"

namespace shardscope {

using kernels::Array;
using kernels::Arrays;
using kernels::copyBox;
using kernels::stridesOf;

namespace {

/// The box of elements that a position holds, between the full array and a shard.
struct Box {
    Shape extents;
    std::int64_t offset = 0; ///< of its first element in the full array
};

Box boxAt(const Layout& layout, std::int64_t position, const Shape& strides)
{
    Box box;
    const std::vector<IndexRange> ranges = layout.rangesAt(position);
    for (std::size_t d = 0; d < ranges.size(); ++d) {
        box.extents.push_back(ranges[d].size());
        box.offset += ranges[d].begin * strides[d];
    }
    return box;
}

/// Index of the first element in which two arrays of one type differ; -1 for none.
std::int64_t firstDifference(const Array& a, const Array& b)
{
    const std::int64_t bytes = a.type.byteCount();
    if (bytes == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(bytes)) == 0)
        return -1;
    std::int64_t at = 0;
    while (a.data()[at] == b.data()[at])
        ++at;
    return at / a.elementBytes();
}

/// Which of the parts that are still to be put together a position holds, counting from 0.
class Parts {
public:
    Parts(const TensorSharding& sharding, const MeshPtr& mesh)
    {
        TensorSharding along = TensorSharding::fullyReplicated(1);
        along.dims[0].axes = sharding.unreduced;
        m_count = shardCount(along.dims[0]);
        m_layout = Layout(mesh, along, { m_count });
    }
    [[nodiscard]] std::int64_t at(std::int64_t position) const { return m_layout.shardAt(position); }
    [[nodiscard]] std::int64_t count() const { return m_count; }

private:
    Layout m_layout;
    std::int64_t m_count = 1;
};

/// The bits of a number that fall to a part, dealt out in turn from the lowest: those of all parts make the number, and
/// any of them added up are a number of the same type, so that sums are exact in every order.
std::uint64_t bitsOfPart(std::uint64_t bits, std::int64_t part, std::int64_t parts)
{
    std::uint64_t kept = 0;
    for (int bit = 0; bit < 64; ++bit)
        if (bit % parts == part)
            kept |= bits & (std::uint64_t{ 1 } << bit);
    return kept;
}

double partOf(double number, std::int64_t part, std::int64_t parts)
{
    if (number == 0 || !std::isfinite(number))
        return part == 0 ? number : 0;
    int exponent = 0;
    constexpr int digits = std::numeric_limits<double>::digits;
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(number), &exponent), digits));
    const double kept = std::ldexp(static_cast<double>(bitsOfPart(mantissa, part, parts)), exponent - digits);
    return number < 0 ? -kept : kept;
}

/// One of the parts whose sum is the array, none of which is zero everywhere if the numbers have enough digits.
Array partOfSum(const Array& full, std::int64_t part, std::int64_t parts)
{
    const DType dtype = full.type.dtype;
    if (parts == 1 || !full.bytes)
        return full;
    if (isComplex(dtype))
        return partOfSum(kernels::partsOf(full), part, parts).reshaped(full.type);
    Array made = Array::zeros(full.type);
    const std::int64_t count = full.count();
    if (isFloat(dtype)) {
        std::vector<double> numbers(static_cast<std::size_t>(count));
        kernels::toDoubles(dtype, full.data(), numbers.data(), count);
        for (double& number : numbers)
            number = partOf(number, part, parts);
        kernels::fromDoubles(dtype, numbers.data(), made.data(), count);
    } else if (dtype == DType::Pred) { // the first has it all
        return part == 0 ? full : made;
    } else {
        for (std::int64_t i = 0; i < count; ++i)
            kernels::setInteger(made, i,
                static_cast<std::int64_t>(
                    bitsOfPart(static_cast<std::uint64_t>(kernels::integerAt(full, i)), part, parts)));
    }
    return made;
}

/// Puts a further part to what is there already.
void combine(ReduceKind kind, Array& into, const Array& part)
{
    const std::array types{ into.type.dtype, into.type.dtype };
    const std::optional<kernels::ElementKernel> kernel =
        kernels::elementKernel(combinerOf(kind), {}, types, into.type.dtype);
    if (!kernel || !into.bytes || !part.bytes)
        return;
    Array sum = Array::make(into.type);
    const std::array<const std::byte*, 2> terms{ into.data(), part.data() };
    kernel->run(terms.data(), sum.data(), into.count());
    into = std::move(sum);
}

} // namespace

Arrays shardsOf(const Array& full, const ShardedArray& how, const MeshPtr& main)
{
    const MeshPtr& mesh = how.over(main);
    const Layout layout(mesh, how.sharding, how.type.shape);
    const TensorType local{ how.type.dtype, layout.shardShape() };
    const Shape from = stridesOf(how.type.shape), to = stridesOf(local.shape);
    Arrays shards(static_cast<std::size_t>(mesh->deviceCount()));
    const Parts parts(how.sharding, mesh);
    std::map<std::pair<std::int64_t, std::int64_t>, Array> made; // copies share their bytes: nobody writes to them
    for (std::int64_t position = 0; position < mesh->deviceCount(); ++position) {
        const std::int64_t part = how.unreducedKind == ReduceKind::Sum ? parts.at(position) : 0;
        const auto [found, isNew] = made.try_emplace({ layout.shardAt(position), part });
        if (isNew) {
            found->second = Array::zeros(local);
            const Box box = boxAt(layout, position, from);
            if (full.bytes && found->second.bytes)
                copyBox(box.extents, found->second.data(), to, full.data() + box.offset * full.elementBytes(), from,
                    full.elementBytes());
            if (how.unreducedKind == ReduceKind::Sum)
                found->second = partOfSum(found->second, part, parts.count());
        }
        shards[static_cast<std::size_t>(mesh->deviceAt(position))] = found->second;
    }
    return shards;
}

AssembledArray assembleShards(std::span<const Array> shards, const ShardedArray& how, const MeshPtr& main)
{
    if (!isTensor(how.type.dtype))
        return { shards.front(), {} };
    const MeshPtr& mesh = how.over(main);
    const Layout layout(mesh, how.sharding, how.type.shape);
    const Shape to = stridesOf(how.type.shape), from = stridesOf(layout.shardShape());
    AssembledArray out{ Array::zeros(how.type), {} };
    const Parts parts(how.sharding, mesh);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> holders; // of a part of a shard: the first
    for (std::int64_t position = 0; position < mesh->deviceCount(); ++position) {
        const std::int32_t device = mesh->deviceAt(position);
        const std::pair which{ layout.shardAt(position), parts.at(position) };
        const auto [holder, isFirst] = holders.try_emplace(which, device);
        if (isFirst || out.differ)
            continue;
        const std::int64_t element =
            firstDifference(shards[static_cast<std::size_t>(holder->second)], shards[static_cast<std::size_t>(device)]);
        if (element >= 0)
            out.differ = DifferentCopies{ 0, holder->second, device, element };
    }
    for (auto holder = holders.begin(); holder != holders.end();) {
        const std::int64_t number = holder->first.first;
        const std::int64_t position = mesh->positionOf(holder->second);
        Array shard = shards[static_cast<std::size_t>(holder->second)];
        for (++holder; holder != holders.end() && holder->first.first == number; ++holder)
            combine(how.unreducedKind, shard, shards[static_cast<std::size_t>(holder->second)]);
        const Box box = boxAt(layout, position, to);
        if (out.full.bytes && shard.bytes)
            copyBox(box.extents, out.full.data() + box.offset * out.full.elementBytes(), to, shard.data(), from,
                out.full.elementBytes());
    }
    return out;
}

void clearPadding(Arrays& shards, const ShardedArray& how, const MeshPtr& main)
{
    if (!isTensor(how.type.dtype))
        return;
    const MeshPtr& mesh = how.over(main);
    const Layout layout(mesh, how.sharding, how.type.shape);
    if (!layout.isUneven())
        return;
    const Shape strides = stridesOf(how.type.shape), local = stridesOf(layout.shardShape());
    for (std::int64_t position = 0; position < mesh->deviceCount(); ++position) {
        Array& shard = shards[static_cast<std::size_t>(mesh->deviceAt(position))];
        const Box box = boxAt(layout, position, strides);
        if (box.extents == layout.shardShape() || !shard.bytes)
            continue;
        Array cleared = Array::zeros(shard.type);
        copyBox(box.extents, cleared.data(), local, shard.data(), local, shard.elementBytes());
        shard = std::move(cleared);
    }
}

} // namespace shardscope
