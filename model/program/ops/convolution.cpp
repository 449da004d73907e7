// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel (rhs) moves over the spatial dimensions of the input (lhs). Groups cut the features, or the batch, into
// parts that have nothing to do with each other.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Dimensions allDimensions(std::int64_t first, std::int64_t second, const Dimensions& spatial)
{
    Dimensions all{ first, second };
    for (const std::int64_t d : spatial)
        all.push_back(d);
    return all;
}

Result<void> checkNumbers(const Subject& conv, const ConvolutionAttributes& a)
{
    const std::size_t rank = conv.operands[0].rank();
    if (rank < 2 || conv.operands[1].rank() != rank)
        return conv.mismatch(toString(conv.operands[0]) + " and " + toString(conv.operands[1])
            + ", which should have one rank, 2 or more");
    const std::size_t spatial = rank - 2;
    for (const auto& [what, dimensions] :
        { std::pair{ "input", allDimensions(a.inputBatch, a.inputFeature, a.inputSpatial) },
            std::pair{ "kernel", allDimensions(a.kernelInputFeature, a.kernelOutputFeature, a.kernelSpatial) },
            std::pair{ "output", allDimensions(a.outputBatch, a.outputFeature, a.outputSpatial) } }) {
        if (dimensions.size() != rank)
            return conv.attribute(std::string(what) + " dimensions name " + std::to_string(dimensions.size() - 2)
                + " spatial ones instead of " + std::to_string(spatial));
        SHARDSCOPE_CHECK(checkDimensions(conv.name, dimensions, rank));
    }
    SHARDSCOPE_CHECK(expectEntries(conv, "window_strides", a.strides.size(), spatial));
    SHARDSCOPE_CHECK(expectEntries(conv, "lhs_dilation", a.lhsDilation.size(), spatial));
    SHARDSCOPE_CHECK(expectEntries(conv, "rhs_dilation", a.rhsDilation.size(), spatial));
    SHARDSCOPE_CHECK(expectEntries(conv, "padding", a.padding.size(), spatial));
    SHARDSCOPE_CHECK(expectEntries(conv, "window_reversal", a.reversal.size(), spatial));
    for (const DimensionList* list : { &a.strides, &a.lhsDilation, &a.rhsDilation })
        for (const std::int64_t number : *list)
            if (number < 1)
                return conv.attribute("stride or dilation of " + std::to_string(number) + "; they are 1 or more");
    return {};
}

Result<void> checkGroups(const Subject& conv, const ConvolutionAttributes& a)
{
    const Shape &lhs = conv.operands[0].shape, &rhs = conv.operands[1].shape;
    const std::int64_t features = a.featureGroupCount, batches = a.batchGroupCount;
    if (features < 1 || batches < 1 || (features > 1 && batches > 1))
        return conv.attribute("feature_group_count " + std::to_string(features) + " and batch_group_count "
            + std::to_string(batches) + "; both are 1 or more, and one of them is 1");
    const std::int64_t outputs = rhs[at(a.kernelOutputFeature)];
    if (lhs[at(a.inputBatch)] % batches != 0 || outputs % batches != 0 || outputs % features != 0
        || lhs[at(a.inputFeature)] % features != 0)
        return conv.attribute("batch and feature sizes of " + toString(conv.operands[0]) + " and "
            + toString(conv.operands[1]) + " do not divide into the groups");
    if (lhs[at(a.inputFeature)] / features != rhs[at(a.kernelInputFeature)])
        return conv.mismatch("the kernel takes " + std::to_string(rhs[at(a.kernelInputFeature)])
            + " features and is given " + std::to_string(lhs[at(a.inputFeature)] / features) + " per group");
    return {};
}

Result<void> checkConvolution(const Subject& conv)
{
    SHARDSCOPE_TRY(own, conv.otherAttributes<ConvolutionAttributes>());
    const ConvolutionAttributes& a = **own;
    SHARDSCOPE_CHECK(expectResults(conv, 1));
    SHARDSCOPE_CHECK(checkNumbers(conv, a));
    SHARDSCOPE_CHECK(checkGroups(conv, a));
    const Shape &lhs = conv.operands[0].shape, &rhs = conv.operands[1].shape;
    Shape shape(lhs.size());
    shape[at(a.outputBatch)] = lhs[at(a.inputBatch)] / a.batchGroupCount;
    shape[at(a.outputFeature)] = rhs[at(a.kernelOutputFeature)];
    for (std::size_t i = 0; i < a.inputSpatial.size(); ++i) {
        const auto [before, after] = i < a.padding.size() ? a.padding[i] : std::pair<std::int64_t, std::int64_t>();
        const std::int64_t size =
            padded(dilated(lhs[at(a.inputSpatial[i])], entryOr(a.lhsDilation, i, 1)), before, after);
        const std::int64_t window = dilated(rhs[at(a.kernelSpatial[i])], entryOr(a.rhsDilation, i, 1));
        shape[at(a.outputSpatial[i])] = windowCount(size, window, entryOr(a.strides, i, 1));
    }
    return expectShape(conv, "the result", conv.results[0], shape);
}

FactorRule convolutionRule(const Program& program, const Operation& operation, RuleOptions options)
{
    const ConvolutionAttributes& a = attributesOf<ConvolutionAttributes>(operation);
    const Shape& lhs = program.value(operation.operands[0]).type.shape;
    const Shape& rhs = program.value(operation.operands[1]).type.shape;
    const Shape& out = program.value(operation.results[0]).type.shape;
    RuleBuilder rule(program, operation);
    const auto add = [&](std::int64_t inLhs, std::int64_t inRhs, std::int64_t inOut, std::int64_t size,
                         FactorKind kind = FactorKind::PassThrough) {
        rule.add(std::array{ inLhs, inRhs }, inOut, size, kind);
    };
    if (a.batchGroupCount > 1)
        add(a.inputBatch, a.kernelOutputFeature, a.outputFeature, a.batchGroupCount);
    add(a.inputBatch, absent, a.outputBatch, out[at(a.outputBatch)]);
    if (!options.conservative) {
        for (std::size_t i = 0; i < a.inputSpatial.size(); ++i) {
            const std::int64_t inLhs = a.inputSpatial[i], inRhs = a.kernelSpatial[i], inOut = a.outputSpatial[i];
            const std::int64_t windows = out[at(inOut)], window = rhs[at(inRhs)], size = lhs[at(inLhs)];
            // The input's dimension runs over windows and over places in a window; together they may not exceed it.
            const bool windowsFirst = windows >= window;
            const std::int64_t major = std::min(std::max(windows, window), size);
            const std::int64_t minor = major == 0 ? 0 : std::min(std::min(windows, window), size / major);
            const auto addWindows = [&](std::int64_t count) {
                add(inLhs, absent, inOut, count, FactorKind::Permutation);
            };
            const auto addWindow = [&](std::int64_t count) { add(inLhs, inRhs, absent, count, FactorKind::Reduction); };
            if (windowsFirst) {
                addWindows(major);
                addWindow(minor);
            } else {
                addWindow(major);
                addWindows(minor);
            }
        }
    }
    if (a.featureGroupCount > 1)
        add(a.inputFeature, a.kernelOutputFeature, a.outputFeature, a.featureGroupCount);
    add(a.inputFeature, a.kernelInputFeature, absent, rhs[at(a.kernelInputFeature)], FactorKind::Reduction);
    add(absent, a.kernelOutputFeature, a.outputFeature,
        rhs[at(a.kernelOutputFeature)] / (a.batchGroupCount * a.featureGroupCount));
    return std::move(rule).build();
}

/// A multiplication and an addition per number of the result, place in the window and input feature of a group.
OperationCost convolutionWork(const Program& program, const Operation& operation)
{
    const ConvolutionAttributes& a = attributesOf<ConvolutionAttributes>(operation);
    const Shape& rhs = program.value(operation.operands[1]).type.shape;
    double flops = 2 * static_cast<double>(program.value(operation.results[0]).type.elementCount())
        * static_cast<double>(rhs[at(a.kernelInputFeature)]);
    for (const std::int64_t d : a.kernelSpatial)
        flops *= static_cast<double>(rhs[at(d)]);
    return workOf(program, operation, flops);
}

constexpr std::array convolutionTable{
    OpRow{ .kind = OpKind::Convolution,
        .name = "convolution",
        .operandCount = 2,
        .rule = convolutionRule,
        .check = checkConvolution,
        .work = convolutionWork },
};

} // namespace

std::span<const OpRow> convolutionRows()
{
    return convolutionTable;
}

} // namespace shardscope::ops
