// SPDX-License-Identifier: GPL-3.0-or-later
// Puts slices (updates) into the inputs at the places that the indices name, by a body that combines old and new. With
// n inputs the operands are n inputs, the indices, n updates. The dimensions of the updates are those of the slices
// (window) and those of the indices (scatter).
// Declared in rows.h.
#include <array>

#include "program/body.h"
#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// Dimensions of the inputs that occur in the updates as window dimensions, in order.
Dimensions windowDimensions(const ScatterAttributes& a, std::size_t rank)
{
    Dimensions left = a.insertedWindowDims;
    for (const std::int64_t d : a.inputBatchingDims)
        left.push_back(d);
    return dimensionsExcept(rank, left);
}

Result<void> checkAttributes(const Subject& op, const ScatterAttributes& a)
{
    const std::size_t count = op.results.size();
    const TensorType &input = op.operands[0], &indices = op.operands[count], &updates = op.operands[count + 1];
    const auto indexRank = static_cast<std::int64_t>(indices.rank());
    if (a.indexVectorDim < 0 || a.indexVectorDim > indexRank)
        return op.attribute("index_vector_dim " + std::to_string(a.indexVectorDim) + " of " + toString(indices));
    Dimensions left = a.insertedWindowDims;
    for (const std::int64_t d : a.inputBatchingDims)
        left.push_back(d);
    SHARDSCOPE_CHECK(checkDimensions(op.name, left, input.rank()));
    SHARDSCOPE_CHECK(checkDimensions(op.name, a.updateWindowDims, updates.rank()));
    SHARDSCOPE_CHECK(checkDimensions(op.name, a.scatterIndicesBatchingDims, indices.rank()));
    SHARDSCOPE_CHECK(checkDimensions(op.name, a.scatterDimsToOperandDims, input.rank()));
    if (a.inputBatchingDims.size() != a.scatterIndicesBatchingDims.size()
        || contains(a.scatterIndicesBatchingDims, a.indexVectorDim))
        return op.attribute("input_batching_dims and scatter_indices_batching_dims do not pair up");
    if (a.updateWindowDims.size() + left.size() != input.rank()
        || !std::is_sorted(a.updateWindowDims.begin(), a.updateWindowDims.end()))
        return op.attribute("update_window_dims has to name "
            + counted(input.rank() - std::min(left.size(), input.rank()), "dimension") + " in ascending order");
    const std::int64_t entries = a.indexVectorDim == indexRank ? 1 : indices.shape[at(a.indexVectorDim)];
    if (static_cast<std::int64_t>(a.scatterDimsToOperandDims.size()) != entries)
        return op.attribute("scatter_dims_to_operand_dims has " + counted(a.scatterDimsToOperandDims.size(), "number")
            + ", an index " + std::to_string(entries));
    for (std::size_t i = 0; i < a.inputBatchingDims.size(); ++i)
        if (input.shape[at(a.inputBatchingDims[i])] != indices.shape[at(a.scatterIndicesBatchingDims[i])])
            return op.mismatch(toString(input) + " and " + toString(indices) + " in their batching dimensions");
    return {};
}

Result<void> checkUpdates(const Subject& op, const ScatterAttributes& a)
{
    const std::size_t count = op.results.size();
    const TensorType &input = op.operands[0], &indices = op.operands[count], &updates = op.operands[count + 1];
    const Dimensions window = windowDimensions(a, input.rank());
    Dimensions indexVector;
    if (at(a.indexVectorDim) < indices.rank())
        indexVector.push_back(a.indexVectorDim);
    const Dimensions scatter = dimensionsExcept(indices.rank(), indexVector);
    if (updates.rank() != scatter.size() + window.size())
        return op.mismatch("updates are " + toString(updates) + " and should have rank "
            + std::to_string(scatter.size() + window.size()));
    std::size_t nextWindow = 0, nextScatter = 0;
    for (std::size_t d = 0; d < updates.rank(); ++d) {
        const bool inWindow = contains(a.updateWindowDims, static_cast<std::int64_t>(d));
        const std::int64_t most =
            inWindow ? input.shape[at(window[nextWindow++])] : indices.shape[at(scatter[nextScatter++])];
        if (inWindow ? updates.shape[d] > most : updates.shape[d] != most)
            return op.mismatch("updates are " + toString(updates) + " and should have " + (inWindow ? "at most " : "")
                + std::to_string(most) + " in dimension " + std::to_string(d));
    }
    return {};
}

Result<void> checkScatter(const Subject& op)
{
    SHARDSCOPE_TRY(own, op.otherAttributes<ScatterAttributes>());
    if (op.operands.size() < 3 || op.operands.size() % 2 == 0)
        return op.operand(counted(op.operands.size(), "operand")
            + "; as many updates as inputs and one tensor of indices are needed");
    const std::size_t count = op.operands.size() / 2;
    SHARDSCOPE_CHECK(expectResults(op, count));
    if (!isInteger(op.operands[count].dtype))
        return op.mismatch("indices are " + toString(op.operands[count]) + "; integers are needed");
    std::vector<TensorType> scalars;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        const TensorType &input = op.operands[i], &update = op.operands[count + 1 + i];
        SHARDSCOPE_CHECK(expectShape(op, "input " + number, input, op.operands[0].shape));
        SHARDSCOPE_CHECK(expectType(op, "update " + number, update, { input.dtype, op.operands[count + 1].shape }));
        SHARDSCOPE_CHECK(expectShape(op, "result " + number, op.results[i], input.shape));
        scalars.push_back({ input.dtype, {} });
    }
    SHARDSCOPE_CHECK(checkAttributes(op, **own));
    SHARDSCOPE_CHECK(checkUpdates(op, **own));
    return expectReducer(op, op.operation.regions[0], "body", scalars, count);
}

FactorRule scatterRule(const Program& program, const Operation& operation, RuleOptions)
{
    const ScatterAttributes& a = attributesOf<ScatterAttributes>(operation);
    const std::size_t count = operation.results.size();
    const auto shape = [&](std::size_t operand) -> const Shape& {
        return program.value(operation.operands[operand]).type.shape;
    };
    const Shape &input = shape(0), &indices = shape(count), &updates = shape(count + 1);
    RuleBuilder rule(program, operation);
    const auto add = [&](std::int64_t inInputs, std::int64_t inIndices, std::int64_t inUpdates, std::int64_t size,
                         FactorKind kind) {
        std::vector<std::int64_t> operands(2 * count + 1, inUpdates);
        std::fill_n(operands.begin(), count, inInputs);
        operands[count] = inIndices;
        rule.add(operands, std::vector<std::int64_t>(count, inInputs), size, kind);
    };
    const bool reduces = operation.regions.size() == 1 && reductionOf(program, operation.regions[0]).has_value();
    const Dimensions window = windowDimensions(a, input.size());
    std::size_t nextWindow = 0;
    std::int64_t index = 0;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(updates.size()); ++d) {
        const std::int64_t size = updates[at(d)];
        if (contains(a.updateWindowDims, d)) {
            const std::int64_t to = window[nextWindow++];
            if (input[at(to)] == size) {
                add(to, absent, d, size, FactorKind::PassThrough);
            } else {
                add(to, absent, absent, input[at(to)], FactorKind::NeedReplication);
                add(absent, absent, d, size, FactorKind::NeedReplication);
            }
            continue;
        }
        if (index == a.indexVectorDim)
            ++index;
        const auto paired = std::find(a.scatterIndicesBatchingDims.begin(), a.scatterIndicesBatchingDims.end(), index);
        if (paired != a.scatterIndicesBatchingDims.end())
            add(a.inputBatchingDims[static_cast<std::size_t>(paired - a.scatterIndicesBatchingDims.begin())], index, d,
                size, FactorKind::PassThrough);
        else
            add(absent, index, d, size, reduces ? FactorKind::Reduction : FactorKind::NeedReplication);
        ++index;
    }
    for (const std::int64_t d : a.insertedWindowDims)
        add(d, absent, absent, input[at(d)], FactorKind::PassThrough);
    if (at(a.indexVectorDim) < indices.size())
        add(absent, a.indexVectorDim, absent, indices[at(a.indexVectorDim)], FactorKind::NeedReplication);
    return std::move(rule).build();
}

OperationCost scatterWork(const Program& program, const Operation& operation)
{
    const TensorType& updates = program.value(operation.operands.back()).type;
    return workOf(program, operation,
        static_cast<double>(updates.elementCount()) * static_cast<double>(operation.results.size()));
}

/// Whether the body returns the update as it is.
bool replaces(const Program& program, RegionId body)
{
    const Region& region = program.regions[body.index];
    return region.arguments.size() == 2 && region.results.size() == 1 && region.results[0] == region.arguments[1];
}

/// One input; the body adds, or puts in the update where no place is named twice. Slices are one element thick along
/// all dimensions that the indices name, so that each lies inside of the input or outside.
bool scatterHasPullback(const Program& program, const Operation& operation)
{
    const auto* own = attributesAs<ScatterAttributes>(operation.attributes);
    if (!own || own->scatterDimsToOperandDims.empty() || operation.operands.size() != 3
        || operation.regions.size() != 1)
        return false;
    const RegionId body = operation.regions[0];
    if (reductionOf(program, body) != ReduceKind::Sum && !(own->uniqueIndices && replaces(program, body)))
        return false;
    const TensorType& updates = program.value(operation.operands[2]).type;
    const Dimensions window = windowDimensions(*own, program.value(operation.operands[0]).type.rank());
    for (std::size_t i = 0; i < window.size(); ++i)
        if (contains(own->scatterDimsToOperandDims, window[i]) && updates.shape[at(own->updateWindowDims[i])] != 1)
            return false;
    return true;
}

/// What the updates take part in: true where the slice of an update lies inside of the input. Of the updates' shape.
ValueId insideInput(Builder& b, const ScatterAttributes& a, const Shape& input, ValueId indices, const Shape& updates)
{
    const TensorType type = b.type(indices);
    const bool vectors = at(a.indexVectorDim) < type.rank();
    std::vector<double> last;
    for (const std::int64_t d : a.scatterDimsToOperandDims)
        last.push_back(static_cast<double>(std::min(largestInteger(type.dtype), input[at(d)] - 1)));
    ValueId limit = b.constant(
        vectors ? TensorType{ type.dtype, { static_cast<std::int64_t>(last.size()) } } : TensorType{ type.dtype, {} },
        last);
    limit = b.broadcast(limit, type.shape, vectors ? Dimensions{ a.indexVectorDim } : Dimensions{});
    ValueId inside = b.binary(OpKind::And, b.compare(Comparison::GreaterEqual, indices, splatLike(b, indices, 0)),
        b.compare(Comparison::LessEqual, indices, limit));
    if (vectors)
        inside = b.reduce(ReduceKind::And, inside, { a.indexVectorDim });
    return b.broadcast(inside, updates, dimensionsExcept(updates.size(), a.updateWindowDims));
}

/// The updates get what lies where they were put. The input gets everything, or what nothing was put in place of.
std::vector<ValueId> pullBackScatter(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0], indices = operation.operands[1], updates = operation.operands[2];
    const ScatterAttributes& a = attributesOf<ScatterAttributes>(operation);
    const bool adds = !replaces(b.program(), operation.regions[0]);
    const TensorType input = b.type(operation.operands[0]), type = b.type(updates);
    std::vector<ValueId> pulled(3);
    if (wanted[0] && adds) {
        pulled[0] = c;
    } else if (wanted[0]) {
        const ValueId zeros = splatLike(b, updates, 0);
        const std::vector<TensorType> pair(2, TensorType{ type.dtype, {} });
        const RegionId body =
            b.body(pair, [](Builder&, std::span<const ValueId> both) { return std::vector{ both[1] }; });
        pulled[0] = b.addSeveral(OpKind::Scatter, std::array{ c, indices, zeros }, std::span(&input, 1),
            operation.attributes, std::span(&body, 1))[0];
    }
    if (wanted[2]) {
        Dimensions sizes(input.rank(), 1);
        const Dimensions window = windowDimensions(a, input.rank());
        for (std::size_t i = 0; i < window.size(); ++i)
            sizes[at(window[i])] = type.shape[at(a.updateWindowDims[i])];
        const ValueId found = b.gather(c, indices,
            { a.updateWindowDims, a.insertedWindowDims, a.inputBatchingDims, a.scatterIndicesBatchingDims,
                a.scatterDimsToOperandDims, a.indexVectorDim, sizes, a.indicesAreSorted });
        pulled[2] = b.select(insideInput(b, a, input.shape, indices, type.shape), found, splatLike(b, updates, 0));
    }
    return pulled;
}

constexpr std::array scatterTable{
    OpRow{ .kind = OpKind::Scatter,
        .name = "scatter",
        .pullback = pullBackScatter,
        .rule = scatterRule,
        .check = checkScatter,
        .work = scatterWork,
        .hasPullback = scatterHasPullback,
        .regionCount = 1 },
};

} // namespace

std::span<const OpRow> scatterRows()
{
    return scatterTable;
}

} // namespace shardscope::ops
