// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/rounding_noise.h"

#include <algorithm>
#include <cmath>

#include "program/body.h"
#include "simulate/check/compare.h"
#include "simulate/run/philox.h"

namespace shardscope {

namespace {

/// How many terms make an element, and how large one can be; no terms for what adds up nothing.
struct Terms {
    double count = 0, size = 0;
};

Terms termsOf(
    const Program& program, const Operation& op, std::span<const kernels::Array> operands, const kernels::Array& result)
{
    const double results = std::max(1.0, static_cast<double>(result.count()));
    const auto perResult = [&](const kernels::Array& array) { return static_cast<double>(array.count()) / results; };
    const auto addsUp = [&] {
        const std::optional<ReduceKind> kind = reductionOf(program, op);
        return !kind || *kind == ReduceKind::Sum || *kind == ReduceKind::Product;
    };
    switch (op.kind) {
    case OpKind::DotGeneral: {
        Terms terms{ 1, largestMagnitude(operands[0]) * largestMagnitude(operands[1]) };
        if (const auto* own = std::get_if<DotGeneralAttributes>(&op.attributes))
            for (const std::int64_t d : *own->lhsContracting)
                terms.count *= static_cast<double>(operands[0].type.shape[static_cast<std::size_t>(d)]);
        return terms;
    }
    case OpKind::Convolution:
        return { static_cast<double>(operands[1].count()),
            largestMagnitude(operands[0]) * largestMagnitude(operands[1]) };
    case OpKind::Reduce:
    case OpKind::VariadicReduce:
        return addsUp() ? Terms{ perResult(operands[0]), largestMagnitude(operands[0]) } : Terms();
    case OpKind::ReduceWindow: // windows overlap
        return addsUp() ? Terms{ std::max(64.0, perResult(operands[0])), largestMagnitude(operands[0]) } : Terms();
    case OpKind::Scatter:
    case OpKind::SelectAndScatter: // places that are hit more often than others
        return addsUp() && operands.size() > 2 ? Terms{ std::max(64.0, 16 * perResult(operands[operands.size() - 1])),
            largestMagnitude(operands[operands.size() - 1]) }
                                               : Terms();
    default:
        return {};
    }
}

} // namespace

void RoundingNoise::computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
    std::span<kernels::Array> results)
{
    if (results.size() != 1 || !isFloat(realPart(results[0].type.dtype)) || !results[0].bytes || operands.empty())
        return;
    kernels::Array result = kernels::partsOf(results[0]);
    const DType dtype = result.type.dtype;
    const Terms terms = termsOf(m_program, m_program.operation(operation), operands, results[0]);
    if (terms.count <= 1)
        return;
    // Partial sums are as large as the result, or as terms of both signs make them; each is rounded once.
    const bool otherAttributes = dtype == DType::F64 || dtype == DType::F32; // narrow ones are added up in a wider type
    const double partial = std::max(std::sqrt(terms.count) * terms.size, largestMagnitude(result));
    const double amplitude =
        epsilonOf(dtype) * partial * (otherAttributes ? std::max(1.0, std::sqrt(terms.count) / 4) : 1.0);
    if (!std::isfinite(amplitude) || amplitude == 0)
        return;
    const std::uint32_t time = m_seen[{ operation.index, device }]++;
    for (std::int64_t block = 0; block * 4 < result.count(); ++block) {
        const auto place = static_cast<std::uint64_t>(block);
        const auto bits =
            philox({ static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32), time, 1 },
                { operation.index, 0 });
        for (std::int64_t i = block * 4; i < std::min(block * 4 + 4, result.count()); ++i) {
            const double share = static_cast<double>(bits[static_cast<std::size_t>(i - block * 4)]) * 0x1p-31 - 1;
            kernels::setNumber(result, i, kernels::numberAt(result, i) + amplitude * share);
        }
    }
}

double sensitivityOf(const kernels::Array& plain, const kernels::Array& noisy)
{
    return isFloat(realPart(plain.type.dtype)) ? 4 * largestChange(noisy, plain) : 0;
}

} // namespace shardscope
