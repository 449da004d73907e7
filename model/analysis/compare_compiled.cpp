// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare_compiled.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/compiled_axes.h"
#include "analysis/compiled_program.h"
#include "analysis/exchange_remarks.h"
#include "analysis/weight_shapes.h"
#include "base/codes.h"
#include "base/text.h"
#include "pipeline/tensor_rows.h"
#include "program/name_values.h"
#include "program/op_row.h"
#include "program/operation_path.h"

namespace shardscope {

namespace {

/// One array that is exchanged.
struct ExchangedArray {
    ExchangeKind exchange = ExchangeKind::Gather;
    std::string axes;
    bool hasAxes = true;
    std::int64_t elements = 0;
    std::string weight; ///< as in ExchangeRow
    std::string operationName; ///< "jit(step)/dot_general"; empty where the text has none
    std::string cause; ///< the same, or what else there is
    std::string kind, type;
    std::string sizes; ///< those above 1
    std::int64_t collectives = 1; ///< 0 for the further arrays of one
    std::int64_t times = 1;
    bool timesKnown = true, isMerged = false, isSliced = false;
    bool inSums = true; ///< false: another branch of a conditional sends more
    std::int64_t bytes = 0; ///< once
    Rational sent; ///< once
    std::uint32_t line = 0;
};

std::int64_t elementsOf(std::span<const std::int64_t> sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{ 1 }, [](std::int64_t product, std::int64_t size) {
        return saturatingProduct(product, std::max<std::int64_t>(size, 0));
    });
}

std::string typeText(DType dtype, std::span<const std::int64_t> sizes)
{
    return std::string(name(dtype)) + '[' + join(sizes, ", ") + ']';
}

/// Without those of size 1, of which XLA adds and takes away some.
std::string sizesText(std::span<const std::int64_t> sizes)
{
    std::string text;
    for (const std::int64_t size : sizes)
        if (size != 1)
            text += std::to_string(size) + ' ';
    return text;
}

/// Without axes of size 1, which XLA does not know.
std::string axesText(const AxisList& axes, const Mesh& mesh)
{
    std::vector<std::string> names;
    for (const AxisRef& axis : axes)
        if (axis.size > 1)
            names.push_back(toString(mesh, axis));
    return join(names, ", ");
}

ExchangeKind exchangeOf(CollectiveKind kind)
{
    switch (kind) {
    case CollectiveKind::AllGather:
        return ExchangeKind::Gather;
    case CollectiveKind::AllReduce:
    case CollectiveKind::ReduceScatter:
        return ExchangeKind::Reduction;
    case CollectiveKind::AllToAll:
        return ExchangeKind::AllToAll;
    case CollectiveKind::CollectiveBroadcast:
        return ExchangeKind::Broadcast;
    case CollectiveKind::CollectivePermute:
    case CollectiveKind::AllSlice:
        break;
    }
    return ExchangeKind::Permute;
}

ExchangeKind exchangeOf(HloCollectiveKind kind)
{
    return exchangeOf(ringKind(kind));
}

/// What a gather or a reduction is of; weights are neither permuted nor sent from all to all.
std::string weightOf(WeightShapes& weights, ExchangeKind exchange, const AxisList& axes,
    std::span<const std::int64_t> sizes, std::span<const std::int64_t> global = {})
{
    return exchange == ExchangeKind::Gather || (exchange == ExchangeKind::Reduction && weights.hasGradients())
        ? weights.find(axes, sizes, global)
        : std::string();
}

/// A number says nothing of a value: "29/do/95" is shown as its text has it, "29/do/%95 = dot_general". What an
/// operation needs goes by that operation.
std::string statementOf(const Program& program, const CollectiveEntry& entry)
{
    const Value& value = program.value(entry.value);
    OperationId id = entry.reason ? entry.reason->operation : OperationId();
    if (!id.valid() || id.index >= program.operations.size() || program.operation(id).results.empty())
        id = value.definition;
    if (!id.valid())
        return value.path;
    const Operation& operation = program.operation(id);
    const std::string& path = program.value(operation.results[0]).path;
    const std::string_view printed = nameInText(path);
    return path.substr(0, path.size() - printed.size()) + '%' + std::string(printed.substr(0, printed.find('#')))
        + " = " + std::string(name(operation.kind));
}

std::string causeOf(const Program& program, const CollectiveEntry& entry)
{
    if (!entry.operationName.empty())
        return entry.operationName;
    if (entry.value.index >= program.values.size() || program.value(entry.value).path.empty())
        return entry.scope;
    const std::string& path = program.value(entry.value).path;
    const std::string_view printed = nameInText(program, entry.value);
    const bool isNumber = !printed.empty() && printed.front() >= '0' && printed.front() <= '9';
    return isNumber ? statementOf(program, entry) : path;
}

std::vector<ExchangedArray> predictedArrays(const CollectiveList& list, WeightShapes& weights)
{
    const Program& program = *list.program;
    std::vector<ExchangedArray> arrays;
    for (const CollectiveEntry& entry : list.entries) {
        if (!isExchange(entry))
            continue;
        ExchangedArray array;
        array.exchange = exchangeOf(entry.kind);
        array.axes = axesText(entry.axes, *entry.mesh);
        array.kind = std::string(name(entry.kind));
        const bool isGather = array.exchange == ExchangeKind::Gather;
        const Shape sizes = shardShape(isGather ? entry.after : entry.before, entry.type.shape);
        array.type = typeText(entry.type.dtype, sizes);
        array.sizes = sizesText(sizes);
        array.elements = elementsOf(sizes);
        array.bytes = saturatingProduct(array.elements, byteSize(entry.type.dtype));
        if (entry.mesh == list.mesh)
            array.weight = weightOf(weights, array.exchange, entry.axes, sizes, entry.type.shape);
        if (!entry.halos.empty()) { // strips of it
            array.bytes = static_cast<std::int64_t>(entry.sentBytes.value());
            array.elements = array.bytes / std::max<std::int64_t>(byteSize(entry.type.dtype), 1);
        }
        array.operationName = entry.operationName;
        array.cause = causeOf(program, entry);
        array.times = entry.times;
        array.timesKnown = entry.timesKnown;
        array.inSums = entry.inSums;
        array.sent = entry.sentBytes;
        arrays.push_back(std::move(array));
    }
    return arrays;
}

/// An all-to-all that takes what goes to each device of a group as an operand of its own: these are parts of one array,
/// "f32[4, 8, 16]" of four f32[8, 16].
bool isOfParts(const HloModule& module, const HloCollective& collective)
{
    const std::vector<std::uint32_t>& parts = collective.operands;
    return collective.kind == HloCollectiveKind::AllToAll && collective.dimensions.empty() && parts.size() > 1
        && static_cast<std::int64_t>(parts.size()) == collective.groups.size()
        && std::all_of(parts.begin(), parts.end(), [&](std::uint32_t part) {
               const HloShape &own = module.shapes[part], &first = module.shapes[parts.front()];
               return own.dtype == first.dtype && own.sizes == first.sizes;
           });
}

std::vector<ExchangedArray> compiledArrays(
    const Mesh& mesh, const HloModule& module, const HloCollectives& compiled, WeightShapes& weights)
{
    std::vector<ExchangedArray> arrays;
    std::map<std::string, std::optional<AxisList>> axesByGroups;
    const std::vector<bool> counted = countedInSums(compiled);
    for (std::size_t number = 0; number < compiled.list.size(); ++number) {
        const HloCollective& collective = compiled.list[number];
        const bool isPermute = collective.kind == HloCollectiveKind::CollectivePermute;
        std::optional<AxisList> axes;
        if (isPermute) {
            axes = axesOf(collective, mesh);
        } else {
            const auto [known, isNew] = axesByGroups.try_emplace(groupsText(module, collective));
            if (isNew)
                known->second = axesOf(collective, mesh);
            axes = known->second;
        }
        const ExchangeKind exchange = exchangeOf(collective.kind);
        std::vector<std::uint32_t> shapes = exchange == ExchangeKind::Gather ? collective.results : collective.operands;
        const bool areParts = isOfParts(module, collective);
        const auto parts = static_cast<std::int64_t>(areParts ? shapes.size() : 1);
        if (areParts)
            shapes.resize(1);
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            const HloShape& shape = module.shapes[shapes[i]];
            Shape sizes = shape.sizes;
            if (areParts)
                sizes.insert(sizes.begin(), parts);
            ExchangedArray array;
            array.exchange = exchange;
            array.axes = axes ? axesText(*axes, mesh) : groupsText(module, collective);
            array.hasAxes = axes.has_value();
            array.elements = elementsOf(sizes);
            if (axes)
                array.weight = weightOf(weights, exchange, *axes, shape.sizes);
            array.operationName = array.cause = collective.metadata.opName;
            array.kind = std::string(name(collective.kind));
            std::replace(array.kind.begin(), array.kind.end(), '-', '_');
            array.type = typeText(shape.dtype, sizes);
            array.sizes = sizesText(sizes);
            array.collectives = i == 0 ? 1 : 0;
            array.times = collective.executions.value_or(1);
            array.timesKnown = collective.executions.has_value();
            array.inSums = counted[number];
            array.isMerged = shapes.size() > 1;
            array.isSliced = collective.slicedRightAfter.has_value();
            array.bytes = saturatingProduct(byteCount(module, shape), parts);
            // Of several arrays each sends its share.
            if (areParts)
                array.sent = sentBytes(collective);
            else if (const std::int64_t all = i < collective.operands.size() ? collective.bytesIn : 0; all > 0)
                array.sent =
                    sentBytes(collective) * Rational(byteCount(module, module.shapes[collective.operands[i]]), all);
            array.line = collective.line;
            arrays.push_back(std::move(array));
        }
    }
    return arrays;
}

void addOnce(std::vector<std::string>& list, const std::string& text)
{
    if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end())
        list.push_back(text);
}

void addTo(ExchangeSide& side, const ExchangedArray& array)
{
    side.collectives += array.collectives;
    side.times = saturatingSum(side.times, array.times);
    side.timesKnown = side.timesKnown && array.timesKnown;
    side.merged += array.isMerged ? 1 : 0;
    side.slicedAfterwards += array.isSliced ? 1 : 0;
    side.bytes = saturatingSum(side.bytes, saturatingProduct(array.bytes, array.times));
    side.sent += array.sent * Rational(array.times);
    addOnce(side.kinds, array.kind);
    addOnce(side.types, array.type);
    addOnce(side.causes, array.cause);
    if (array.line != 0)
        side.lines.push_back(array.line);
}

using RowKey = std::tuple<ExchangeKind, std::string, std::string, std::string>;

RowKey keyOf(const ExchangedArray& array)
{
    return { array.exchange, array.axes, array.sizes, array.operationName };
}

/// A compiled text says what a device has of an array, and nothing of its sizes over all devices. What the program
/// exchanges in the same way and is no weight there, though of a weight's sizes on a device, is none here either.
void forgetWeightsThatAreNone(std::vector<ExchangedArray>& compiled, const std::vector<ExchangedArray>& predicted)
{
    std::set<RowKey> weights, others;
    const auto sizesKey = [](const ExchangedArray& array) {
        RowKey key = keyOf(array);
        std::get<3>(key).clear();
        return key;
    };
    for (const ExchangedArray& array : predicted)
        (array.weight.empty() ? others : weights).insert(sizesKey(array));
    for (ExchangedArray& array : compiled)
        if (const RowKey key = sizesKey(array); others.contains(key) && !weights.contains(key))
            array.weight.clear();
}

std::vector<ExchangeRow> rowsOf(
    const std::vector<ExchangedArray>& predicted, const std::vector<ExchangedArray>& compiled)
{
    // Operations count where both sides name them.
    std::set<RowKey> named, inBoth;
    for (const ExchangedArray& array : predicted)
        if (!array.operationName.empty())
            named.insert(keyOf(array));
    for (const ExchangedArray& array : compiled)
        if (const RowKey key = keyOf(array); named.contains(key))
            inBoth.insert(key);
    std::vector<ExchangeRow> rows;
    std::map<RowKey, std::size_t> places;
    const auto rowFor = [&](const ExchangedArray& array) -> ExchangeRow& {
        RowKey key = keyOf(array);
        if (!inBoth.contains(key))
            std::get<3>(key).clear();
        const auto [place, isNew] = places.emplace(key, rows.size());
        if (isNew)
            rows.push_back(
                { array.exchange, array.axes, {}, array.elements, std::get<3>(key), array.weight, {}, {}, {} });
        return rows[place->second];
    };
    for (const ExchangedArray& array : predicted)
        addTo(rowFor(array).predicted, array);
    for (const ExchangedArray& array : compiled) {
        ExchangeRow& row = rowFor(array);
        addTo(row.compiled, array);
        if (const ExchangeRemark remark{ ExchangeRemark::Kind::NoAxes, 0 }; !array.hasAxes && row.remarks.empty())
            row.remarks.push_back(remark);
    }
    return rows;
}

std::vector<ExchangeSum> sumsOf(
    const std::vector<ExchangedArray>& predicted, const std::vector<ExchangedArray>& compiled)
{
    std::vector<ExchangeSum> sums;
    const auto sumFor = [&](const ExchangedArray& array) -> ExchangeSum& {
        const auto found = std::find_if(sums.begin(), sums.end(),
            [&](const ExchangeSum& sum) { return sum.exchange == array.exchange && sum.axes == array.axes; });
        if (found != sums.end())
            return *found;
        sums.push_back({ array.exchange, array.axes, 0, 0, {}, {}, 0, 0, true });
        return sums.back();
    };
    const auto add = [](std::int64_t& all, std::int64_t& ofWeights, const ExchangedArray& array) {
        const std::int64_t bytes = saturatingProduct(array.bytes, array.times);
        all = saturatingSum(all, bytes);
        if (!array.weight.empty())
            ofWeights = saturatingSum(ofWeights, bytes);
    };
    for (const ExchangedArray& array : predicted) {
        if (!array.inSums)
            continue;
        ExchangeSum& sum = sumFor(array);
        add(sum.predictedBytes, sum.predictedWeights, array);
        sum.predictedSent += array.sent * Rational(array.times);
    }
    for (const ExchangedArray& array : compiled) {
        if (!array.inSums)
            continue;
        ExchangeSum& sum = sumFor(array);
        add(sum.compiledBytes, sum.compiledWeights, array);
        sum.compiledSent += array.sent * Rational(array.times);
        sum.timesKnown = sum.timesKnown && array.timesKnown;
    }
    std::stable_sort(sums.begin(), sums.end(), [](const ExchangeSum& a, const ExchangeSum& b) {
        return std::max(a.predictedBytes, a.compiledBytes) > std::max(b.predictedBytes, b.compiledBytes);
    });
    return sums;
}

} // namespace

bool argumentsAgree(const Snapshot& predicted, const HloModule& module)
{
    if (!predicted.program || !predicted.propagation || module.entry == noHloIndex)
        return false;
    std::vector<std::string> ours, theirs;
    for (const ValueId argument : predicted.program->main().arguments) {
        const TensorType& type = predicted.program->value(argument).type;
        if (isTensor(type.dtype))
            ours.push_back(typeText(type.dtype, shardShape(heldSharding(predicted, argument), type.shape)));
    }
    for (const HloInstruction& instruction : module.instructionsOf(module.computations[module.entry]))
        if (module.opcode(instruction) == "parameter")
            for (const std::uint32_t leaf : leavesOf(module, instruction.shape))
                if (isTensor(module.shapes[leaf].dtype))
                    theirs.push_back(typeText(module.shapes[leaf].dtype, module.shapes[leaf].sizes));
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    return ours == theirs;
}

bool ExchangeRow::differs(bool endsEarly) const
{
    using Kind = ExchangeRemark::Kind;
    return std::any_of(remarks.begin(), remarks.end(), [&](const ExchangeRemark& remark) {
        const bool isOfMissing = remark.kind == Kind::NotInText || remark.kind == Kind::TimesUnknown;
        return remark.kind != Kind::Merged && !(endsEarly && isOfMissing);
    });
}

bool CompiledComparison::differs() const
{
    return std::any_of(rows.begin(), rows.end(), [&](const ExchangeRow& row) { return row.differs(endsEarly); });
}

Result<CompiledComparison> compareCompiled(
    const Snapshot& before, const CollectiveList& predicted, const HloModule& module, const HloCollectives& compiled)
{
    if (predicted.mesh->deviceCount() != compiled.devices)
        return fail(Code::NotComparable,
            { { "wrong", "devices" }, { "devices", compiled.devices }, { "wanted", predicted.mesh->deviceCount() } });
    WeightShapes weights(before);
    const std::vector<ExchangedArray> ours = predictedArrays(predicted, weights);
    std::vector<ExchangedArray> theirs = compiledArrays(*predicted.mesh, module, compiled, weights);
    forgetWeightsThatAreNone(theirs, ours);
    CompiledComparison comparison{ rowsOf(ours, theirs), sumsOf(ours, theirs), true, module.entry == noHloIndex };
    swapTransposed(comparison.rows);
    joinLeftOver(comparison.rows);
    for (ExchangeRow& row : comparison.rows) {
        addRemarks(row, comparison.endsEarly);
        comparison.timesKnown = comparison.timesKnown && row.predicted.timesKnown && row.compiled.timesKnown;
    }
    std::stable_sort(comparison.rows.begin(), comparison.rows.end(), [](const ExchangeRow& a, const ExchangeRow& b) {
        return std::max(a.predicted.bytes, a.compiled.bytes) > std::max(b.predicted.bytes, b.compiled.bytes);
    });
    return comparison;
}

} // namespace shardscope
