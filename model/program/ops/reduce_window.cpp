// SPDX-License-Identifier: GPL-3.0-or-later
// A window moves over the operands: reduce_window puts what is in it together, select_and_scatter adds the source's
// number to the place in it that is selected.
// Declared in rows.h.
#include <array>

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

Result<void> checkReduceWindow(const Program& program, const Operation& operation)
{
    const Subject reduce(program, operation);
    SHARDSCOPE_TRY(own, reduce.otherAttributes<WindowAttributes>());
    if (reduce.operands.size() < 2 || reduce.operands.size() % 2 != 0)
        return reduce.operand(
            counted(reduce.operands.size(), "operand") + "; as many initial values as inputs are needed");
    const std::size_t count = reduce.operands.size() / 2;
    SHARDSCOPE_CHECK(expectResults(reduce, count));
    const Shape& shape = reduce.operands[0].shape;
    SHARDSCOPE_CHECK(checkWindow(reduce, **own, shape.size()));
    const Shape counts = windowCounts(**own, shape);
    std::vector<TensorType> scalars;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        SHARDSCOPE_CHECK(expectShape(reduce, "input " + number, reduce.operands[i], shape));
        SHARDSCOPE_CHECK(expectScalar(reduce, "initial value " + number, reduce.operands[count + i]));
        SHARDSCOPE_CHECK(expectShape(reduce, "result " + number, reduce.results[i], counts));
        scalars.push_back({ reduce.operands[i].dtype, {} });
    }
    return expectReducer(reduce, operation.regions[0], "body", scalars, count);
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

Result<void> checkSelectAndScatter(const Program& program, const Operation& operation)
{
    const Subject op(program, operation);
    SHARDSCOPE_TRY(own, op.otherAttributes<WindowAttributes>());
    SHARDSCOPE_CHECK(expectResults(op, 1));
    const TensorType &operand = op.operands[0], &source = op.operands[1];
    SHARDSCOPE_CHECK(checkWindow(op, **own, operand.rank()));
    SHARDSCOPE_CHECK(expectType(op, "the source", source, { operand.dtype, windowCounts(**own, operand.shape) }));
    SHARDSCOPE_CHECK(expectScalar(op, "the initial value", op.operands[2]));
    SHARDSCOPE_CHECK(expectShape(op, "the result", op.results[0], operand.shape));
    const std::vector<TensorType> pair(2, { operand.dtype, {} });
    SHARDSCOPE_CHECK(
        expectBody(op, operation.regions[0], "selection", pair, std::vector{ TensorType{ DType::Pred, {} } }));
    return expectReducer(op, operation.regions[1], "scatter body", Types(pair).first(1), 1);
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
        .rule = reduceWindowRule,
        .check = checkReduceWindow,
        .work = reduceWindowWork,
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
