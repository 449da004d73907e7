// SPDX-License-Identifier: GPL-3.0-or-later
// A window moves over the operands: reduce_window puts what is in it together, select_and_scatter adds the source's
// number to the place in it that is selected.
// Declared in rows.h.
#include <array>

#include "program/body.h"
#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

std::pair<std::int64_t, std::int64_t> padding(const WindowAttributes& a, std::size_t d)
{
    return d < a.padding.size() ? a.padding[d] : std::pair<std::int64_t, std::int64_t>();
}

/// Whether the window does nothing along that dimension.
bool passes(const WindowAttributes& a, std::size_t d)
{
    return entryOr(a.dimensions, d, 1) == 1 && entryOr(a.strides, d, 1) == 1 && entryOr(a.baseDilations, d, 1) == 1
        && padding(a, d) == std::pair<std::int64_t, std::int64_t>();
}

Result<void> checkWindow(const Subject& op, const WindowAttributes& a, std::size_t rank)
{
    SHARDSCOPE_CHECK(expectEntries(op, "window_dimensions", a.dimensions.size(), rank));
    SHARDSCOPE_CHECK(expectEntries(op, "window_strides", a.strides.size(), rank));
    SHARDSCOPE_CHECK(expectEntries(op, "base_dilations", a.baseDilations.size(), rank));
    SHARDSCOPE_CHECK(expectEntries(op, "window_dilations", a.windowDilations.size(), rank));
    SHARDSCOPE_CHECK(expectEntries(op, "padding", a.padding.size(), rank));
    for (const DimensionList* list : { &a.dimensions, &a.strides, &a.baseDilations, &a.windowDilations })
        for (const std::int64_t number : *list)
            if (number < 1)
                return op.attribute(
                    "window size, stride or dilation of " + std::to_string(number) + "; they are 1 or more");
    return {};
}

/// How often the window fits, per dimension.
Shape windowCounts(const WindowAttributes& a, const Shape& shape)
{
    Shape counts;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const auto [before, after] = padding(a, d);
        const std::int64_t size = padded(dilated(shape[d], entryOr(a.baseDilations, d, 1)), before, after);
        const std::int64_t window = dilated(entryOr(a.dimensions, d, 1), entryOr(a.windowDilations, d, 1));
        counts.push_back(windowCount(size, window, entryOr(a.strides, d, 1)));
    }
    return counts;
}

Result<void> checkReduceWindow(const Subject& reduce)
{
    SHARDSCOPE_TRY(own, reduce.otherAttributes<WindowAttributes>());
    SHARDSCOPE_TRY(count, expectReducedInputs(reduce));
    const Shape& shape = reduce.operands[0].shape;
    SHARDSCOPE_CHECK(checkWindow(reduce, **own, shape.size()));
    const Shape counts = windowCounts(**own, shape);
    SHARDSCOPE_TRY(scalars, expectReducedShapes(reduce, counts));
    return expectReducer(reduce, reduce.operation.regions[0], "body", *scalars, *count);
}

FactorRule reduceWindowRule(const Program& program, const Operation& operation, RuleOptions options)
{
    const WindowAttributes& a = attributesOf<WindowAttributes>(operation);
    const Shape& shape = program.value(operation.results[0]).type.shape;
    const std::size_t count = operation.results.size();
    RuleBuilder rule(program, operation);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::vector<std::int64_t> places(count, static_cast<std::int64_t>(d));
        const bool pass = passes(a, d);
        rule.add(places, places, shape[d], pass ? FactorKind::PassThrough : FactorKind::Permutation,
            !pass && options.conservative);
    }
    return std::move(rule).build();
}

double windowSize(const Operation& operation)
{
    double size = 1;
    for (const std::int64_t number : attributesOf<WindowAttributes>(operation).dimensions)
        size *= static_cast<double>(number);
    return size;
}

OperationCost reduceWindowWork(const Program& program, const Operation& operation)
{
    double flops = 0;
    for (const ValueId result : operation.results)
        flops += static_cast<double>(program.value(result).type.elementCount()) * windowSize(operation);
    return workOf(program, operation, flops);
}

/// One input, and a sum; or the largest or smallest of elements that lie side by side, and of a constant.
bool reduceWindowHasPullback(const Program& program, const Operation& operation)
{
    const auto* own = attributesAs<WindowAttributes>(operation.attributes);
    if (!own || operation.operands.size() != 2 || operation.regions.size() != 1)
        return false;
    const std::optional<ReduceKind> kind = reductionOf(program, operation.regions[0]);
    const auto isOne = [](std::int64_t number) { return number == 1; };
    const Dimensions &base = own->baseDilations, &window = own->windowDilations;
    const OperationId initial = program.value(operation.operands[1]).definition;
    return kind == ReduceKind::Sum
        || ((kind == ReduceKind::Max || kind == ReduceKind::Min) && initial.valid()
            && program.operation(initial).kind == OpKind::Constant && std::all_of(base.begin(), base.end(), isOne)
            && std::all_of(window.begin(), window.end(), isOne));
}

/// Every element gets the sum of the cotangents of the windows that it is in: a sum over windows too, of cotangents as
/// far apart as the windows were.
ValueId pullBackWindowSums(Builder& b, const WindowAttributes& a, const Shape& input, ValueId c)
{
    const TensorType from = b.type(c);
    Dimensions low, high, interior;
    for (std::size_t d = 0; d < input.size(); ++d) {
        const std::int64_t stride = entryOr(a.strides, d, 1);
        const std::int64_t window = dilated(entryOr(a.dimensions, d, 1), entryOr(a.windowDilations, d, 1));
        low.push_back(window - padding(a, d).first - 1);
        interior.push_back(stride - 1);
        high.push_back(dilated(input[d], entryOr(a.baseDilations, d, 1)) + window - 1 - dilated(from.shape[d], stride)
            - low.back());
    }
    const ValueId spread = b.pad(c, b.constant({ from.dtype, {} }, 0), low, high, interior);
    return b.reduceWindow(ReduceKind::Sum, spread, { a.dimensions, a.baseDilations, {}, a.windowDilations, {} });
}

/// Of several equal elements of a window one gets the cotangent, as in JAX.
ValueId pullBackWindowExtremum(Builder& b, const Operation& operation, Comparison wins, ValueId c)
{
    const TensorType input = b.type(operation.operands[0]);
    const std::vector<TensorType> pair(2, TensorType{ input.dtype, {} });
    const RegionId selects = b.body(pair, [wins](Builder& inner, std::span<const ValueId> both) {
        return std::vector{ inner.compare(wins, both[0], both[1]) };
    });
    const RegionId adds = b.combiner(OpKind::Add, input.dtype);
    const ValueId zero = b.constant({ input.dtype, {} }, 0);
    return b.addSeveral(OpKind::SelectAndScatter, std::array{ operation.operands[0], c, zero }, std::span(&input, 1),
        operation.attributes, std::array{ selects, adds })[0];
}

std::vector<ValueId> pullBackReduceWindow(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const WindowAttributes& a = attributesOf<WindowAttributes>(operation);
    const std::optional<ReduceKind> kind = reductionOf(b.program(), operation.regions[0]);
    const ValueId c = cotangents[0];
    std::vector<ValueId> pulled(2);
    if (wanted[0])
        pulled[0] = kind == ReduceKind::Sum
            ? pullBackWindowSums(b, a, b.type(operation.operands[0]).shape, c)
            : pullBackWindowExtremum(
                b, operation, kind == ReduceKind::Max ? Comparison::GreaterEqual : Comparison::LessEqual, c);
    if (wanted[1]) // it takes part in every window
        pulled[1] = b.reduce(ReduceKind::Sum, c, dimensionsExcept(b.type(c).rank(), {}));
    return pulled;
}

Result<void> checkSelectAndScatter(const Subject& op)
{
    SHARDSCOPE_TRY(own, op.otherAttributes<WindowAttributes>());
    SHARDSCOPE_CHECK(expectResults(op, 1));
    const TensorType &operand = op.operands[0], &source = op.operands[1];
    SHARDSCOPE_CHECK(checkWindow(op, **own, operand.rank()));
    SHARDSCOPE_CHECK(expectType(op, "the source", source, { operand.dtype, windowCounts(**own, operand.shape) }));
    SHARDSCOPE_CHECK(expectScalar(op, "the initial value", op.operands[2]));
    SHARDSCOPE_CHECK(expectShape(op, "the result", op.results[0], operand.shape));
    const std::vector<TensorType> pair(2, { operand.dtype, {} });
    SHARDSCOPE_CHECK(
        expectBody(op, op.operation.regions[0], "selection", pair, std::vector{ TensorType{ DType::Pred, {} } }));
    return expectReducer(op, op.operation.regions[1], "scatter body", Types(pair).first(1), 1);
}

FactorRule selectAndScatterRule(const Program& program, const Operation& operation, RuleOptions options)
{
    const WindowAttributes& a = attributesOf<WindowAttributes>(operation);
    const Shape& operand = program.value(operation.operands[0]).type.shape;
    const Shape& source = program.value(operation.operands[1]).type.shape;
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const auto d = static_cast<std::int64_t>(i);
        if (passes(a, i)) {
            rule.add(std::array{ d, d, absent }, d, operand[i]);
            continue;
        }
        rule.add(std::array{ absent, d, absent }, absent, source[i], FactorKind::NeedReplication, options.conservative);
        rule.add(std::array{ d, absent, absent }, d, operand[i], FactorKind::Permutation, options.conservative);
    }
    return std::move(rule).build();
}

/// A comparison per number of each window, and one addition per window.
OperationCost selectAndScatterWork(const Program& program, const Operation& operation)
{
    const auto windows = static_cast<double>(program.value(operation.operands[1]).type.elementCount());
    return workOf(program, operation, windows * (windowSize(operation) + 1));
}

constexpr std::array reduceWindowTable{
    OpRow{ .kind = OpKind::ReduceWindow,
        .name = "reduce_window",
        .pullback = pullBackReduceWindow,
        .rule = reduceWindowRule,
        .check = checkReduceWindow,
        .work = reduceWindowWork,
        .hasPullback = reduceWindowHasPullback,
        .regionCount = 1 },
    OpRow{ .kind = OpKind::SelectAndScatter,
        .name = "select_and_scatter",
        .operandCount = 3,
        .rule = selectAndScatterRule,
        .check = checkSelectAndScatter,
        .work = selectAndScatterWork,
        .regionCount = 2 },
};

} // namespace

std::span<const OpRow> reduceWindowRows()
{
    return reduceWindowTable;
}

} // namespace shardscope::ops
