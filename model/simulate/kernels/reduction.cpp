// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/reduction.h"

#include "program/body.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace shardscope {

namespace {

template <class T>
T identityOf(ReduceKind kind)
{
    using Limits = std::numeric_limits<T>;
    switch (kind) {
    case ReduceKind::Sum:
    case ReduceKind::Or:
        return T(0);
    case ReduceKind::Product:
        return T(1);
    case ReduceKind::Max:
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case ReduceKind::Min:
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case ReduceKind::And:
        return static_cast<T>(-1);
    }
    return T(0);
}

} // namespace

std::array<std::byte, 8> reductionIdentity(ReduceKind kind, DType dtype)
{
    std::array<std::byte, 8> bytes{};
    const auto put = [&bytes](auto value) { std::memcpy(bytes.data(), &value, sizeof value); };
    switch (dtype) {
    case DType::F64:
        put(identityOf<double>(kind));
        break;
    case DType::I32:
        put(identityOf<std::int32_t>(kind));
        break;
    case DType::Pred:
        put(static_cast<std::uint8_t>(
            kind == ReduceKind::Product || kind == ReduceKind::And || kind == ReduceKind::Min ? 1 : 0));
        break;
    default:
        put(identityOf<float>(kind));
    }
    return bytes;
}

std::optional<Reduction> Reduction::prepare(
    const TensorType& operand, const ReduceAttributes& attributes, const KernelSet& kernels)
{
    Reduction reduction;
    reduction.m_elementBytes = byteSize(operand.dtype);
    reduction.m_identity = reductionIdentity(attributes.kind, operand.dtype);
    reduction.m_combine =
        kernels.elementwise({ combinerOf(attributes.kind), Comparison::Equal, operand.dtype, operand.dtype, 0 });
    reduction.m_row = kernels.rowReduction({ attributes.kind, operand.dtype });
    if (reduction.m_combine == nullptr || reduction.m_row == nullptr)
        return std::nullopt;

    std::vector<Dimension> dims;
    for (std::size_t d = 0; d < operand.rank(); ++d) {
        const bool reduced =
            std::find(attributes.dimensions.begin(), attributes.dimensions.end(), static_cast<std::int64_t>(d))
            != attributes.dimensions.end();
        const std::int64_t extent = operand.shape[d];
        if (reduced)
            reduction.m_empty = reduction.m_empty || extent == 0;
        else
            reduction.m_outElements *= extent;
        if (extent == 1)
            continue;
        if (!dims.empty() && dims.back().reduced == reduced)
            dims.back().extent *= extent;
        else
            dims.push_back({ extent, reduced, 0 });
    }
    if (dims.empty())
        dims.push_back({ 1, false, 0 });
    std::int64_t stride = reduction.m_elementBytes;
    for (std::size_t d = dims.size(); d-- > 0;) {
        if (dims[d].reduced)
            continue;
        dims[d].outStride = stride;
        stride *= dims[d].extent;
    }
    reduction.m_inner = dims.back();
    dims.pop_back();
    reduction.m_outer = std::move(dims);
    return reduction;
}

void Reduction::run(std::byte* out, const std::byte* in) const
{
    if (m_outElements == 0)
        return;
    if (m_empty) {
        for (std::int64_t i = 0; i < m_outElements; ++i)
            std::memcpy(out + i * m_elementBytes, m_identity.data(), static_cast<std::size_t>(m_elementBytes));
        return;
    }
    std::int64_t runs = 1;
    for (const Dimension& dim : m_outer)
        runs *= dim.extent;
    const std::int64_t runBytes = m_inner.extent * m_elementBytes;
    if (m_inner.reduced && runs == m_outElements) { // nothing else is reduced: results stand in the order of the rows
        for (std::int64_t r = 0; r < runs; ++r)
            m_row(out + r * m_elementBytes, in + r * runBytes, m_inner.extent);
        return;
    }
    for (std::int64_t r = 0; r < runs; ++r, in += runBytes) {
        std::int64_t rest = r;
        std::byte* target = out;
        bool first = true; // nothing was added to this part of the result yet
        for (std::size_t d = m_outer.size(); d-- > 0;) {
            const std::int64_t index = rest % m_outer[d].extent;
            rest /= m_outer[d].extent;
            target += index * m_outer[d].outStride;
            first = first && (!m_outer[d].reduced || index == 0);
        }
        if (m_inner.reduced) {
            alignas(8) std::byte part[8];
            m_row(first ? target : part, in, m_inner.extent);
            if (!first)
                m_combine(target, target, part, nullptr, 1);
        } else if (first)
            std::memcpy(target, in, static_cast<std::size_t>(runBytes));
        else
            m_combine(target, target, in, nullptr, m_inner.extent);
    }
}

} // namespace shardscope
