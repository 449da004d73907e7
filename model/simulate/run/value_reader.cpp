// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/value_reader.h"

#include <algorithm>
#include <cmath>

#include "simulate/kernels/element.h"
#include "simulate/kernels/strided_copy.h"
#include "simulate/run/positions.h"

namespace shardscope {

namespace {

/// Neighbouring entries of a list of indices that lie in the same block.
struct Stretch {
    std::int64_t block = 0;
    std::size_t first = 0, count = 0;
};

std::vector<Stretch> stretchesOf(const std::vector<std::int64_t>& indices, std::int64_t blockSize)
{
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::int64_t block = indices[i] / std::max<std::int64_t>(blockSize, 1);
        if (stretches.empty() || stretches.back().block != block)
            stretches.push_back({ block, i, 0 });
        ++stretches.back().count;
    }
    return stretches;
}

} // namespace

std::size_t Sample::count() const
{
    std::size_t all = 1;
    for (const auto& list : indices)
        all *= list.size();
    return all;
}

void readGlobal(const ValueReader& reader, ValueId value, const Sample& sample, std::span<double> out)
{
    const Layout layout = inPlainOrder(reader.layout(value));
    const std::size_t rank = sample.indices.size(), count = sample.count();
    std::fill_n(out.begin(), count, 0.0);
    if (count == 0)
        return;
    std::vector<std::vector<Stretch>> stretches;
    Shape extents;
    for (std::size_t d = 0; d < rank; ++d) {
        stretches.push_back(stretchesOf(sample.indices[d], layout.shardShape()[d]));
        extents.push_back(static_cast<std::int64_t>(sample.indices[d].size()));
    }
    const auto strides = rowMajorStrides(extents);
    std::vector<std::size_t> at(rank, 0);
    std::vector<double> part;
    for (;;) {
        // One block of the array: its part of the sample in the shard's own indices, and its places in `out`.
        Sample local, places;
        std::int64_t shard = 0;
        for (std::size_t d = 0; d < rank; ++d) {
            const Stretch& stretch = stretches[d][at[d]];
            shard = shard * layout.shardGrid()[d] + stretch.block;
            std::vector<std::int64_t>& in = local.indices.emplace_back();
            std::vector<std::int64_t>& to = places.indices.emplace_back();
            for (std::size_t i = stretch.first; i < stretch.first + stretch.count; ++i) {
                in.push_back(sample.indices[d][i] - stretch.block * layout.shardShape()[d]);
                to.push_back(static_cast<std::int64_t>(i));
            }
        }
        part.resize(local.count());
        std::vector<bool> seen(static_cast<std::size_t>(layout.addends())); // the first holder of each counts
        for (const std::int32_t position : layout.holders(shard)) {
            const std::size_t addend = addendAt(layout, position);
            if (seen[addend])
                continue;
            seen[addend] = true;
            reader.readLocal(value, position, local, part);
            std::size_t next = 0;
            forEachElement(
                places, strides, [&](std::int64_t place) { out[static_cast<std::size_t>(place)] += part[next++]; });
            if (std::find(seen.begin(), seen.end(), false) == seen.end())
                break;
        }
        std::size_t d = rank;
        while (d > 0 && ++at[d - 1] == stretches[d - 1].size())
            at[--d] = 0;
        if (d == 0)
            return;
    }
}

std::int64_t shardOfElement(const Layout& layout, std::span<const std::int64_t> index)
{
    std::int64_t shard = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
        shard = shard * layout.shardGrid()[d] + index[d] / std::max<std::int64_t>(layout.shardShape()[d], 1);
    return shard;
}

Shape validExtent(const Layout& layout, std::int64_t position)
{
    Shape extent;
    for (const IndexRange& range : layout.rangesAt(position))
        extent.push_back(range.size());
    return extent;
}

Held RunReader::held(ValueId value) const
{
    const Plan& plan = m_run.plan();
    if (m_run.stopped() || m_run.stepsDone() == 0)
        return Held::NoStep;
    if (value.index >= plan.program->program->values.size() || !plan.slotOf[value.index].valid())
        return Held::NoMemory;
    return plan.observable(value) ? Held::Yes : Held::NotKept;
}

DType RunReader::dtype(ValueId value) const
{
    return m_run.plan().program->value(FlatValueId(value.index)).localType.dtype;
}

Layout RunReader::layout(ValueId value) const
{
    return m_run.plan().program->layout(FlatValueId(value.index));
}

void RunReader::readLocal(ValueId value, std::int64_t position, const Sample& sample, std::span<double> out) const
{
    const TensorType& type = m_run.plan().program->value(FlatValueId(value.index)).localType;
    const std::span<const std::byte> bytes = m_run.bytes(value, position);
    if (bytes.empty())
        return;
    const auto strides = rowMajorStrides(type.shape);
    std::size_t next = 0;
    forEachElement(
        sample, strides, [&](std::int64_t element) { out[next++] = loadElement(type.dtype, bytes.data(), element); });
}

double differenceFrom(double reference, double ours)
{
    if (ours == reference || (std::isnan(ours) && std::isnan(reference)))
        return 0;
    return ours - reference;
}

void subtractReference(
    std::span<const double> reference, const Shape& shape, const Sample& sample, std::span<double> values)
{
    std::size_t next = 0;
    forEachElement(sample, rowMajorStrides(shape), [&](std::int64_t element) {
        values[next] = differenceFrom(reference[static_cast<std::size_t>(element)], values[next]);
        ++next;
    });
}

} // namespace shardscope
