// SPDX-License-Identifier: GPL-3.0-or-later
// The generic form, for operations without a pretty one: "stablehlo.gather"(%0, %1) <{...}> ({...}) : (...) -> ...
// Declared in printer.h.

#include "program/op_row.h"
#include "stablehlo/printer.h"

namespace shardscope::mlir {

namespace {

std::string integer(std::int64_t value)
{
    return std::to_string(value) + " : i64";
}

std::string truth(bool value)
{
    return value ? "true" : "false";
}

/// "#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>"; empty lists are left out.
std::string structure(const char* name, std::initializer_list<std::pair<const char*, const DimensionList*>> lists,
    const std::pair<const char*, std::int64_t>* number = nullptr)
{
    std::string text;
    for (const auto& [field, list] : lists)
        if (!list->empty())
            text += (text.empty() ? "" : ", ") + std::string(field) + " = " + listText(*list);
    if (number)
        text += (text.empty() ? "" : ", ") + std::string(number->first) + " = " + std::to_string(number->second);
    return std::string(name) + '<' + text + '>';
}

/// Attributes of the generic form, by the type that holds them.
struct GenericTexts {
    const Operation& op;
    AttributeTexts& texts;

    void add(const char* name, std::string text) const { texts.emplace_back(name, std::move(text)); }
    void addUnless(bool isDefault, const char* name, std::string text) const
    {
        if (!isDefault)
            add(name, std::move(text));
    }

    template <class T>
    void operator()(const T&) const
    {
    }
    void operator()(const DimensionsAttributes& a) const { add("dimensions", arrayText(a.dimensions)); }
    void operator()(const SliceAttributes& a) const
    {
        add("start_indices", arrayText(a.starts));
        add("limit_indices", arrayText(a.limits));
        add("strides", arrayText(a.strides));
    }
    void operator()(const GatherAttributes& a) const
    {
        const std::pair<const char*, std::int64_t> vector{ "index_vector_dim", a.indexVectorDim };
        add("dimension_numbers",
            structure("#stablehlo.gather",
                { { "offset_dims", &a.offsetDims }, { "collapsed_slice_dims", &a.collapsedSliceDims },
                    { "operand_batching_dims", &a.operandBatchingDims },
                    { "start_indices_batching_dims", &a.startIndicesBatchingDims },
                    { "start_index_map", &a.startIndexMap } },
                &vector));
        add("slice_sizes", arrayText(a.sliceSizes));
        addUnless(!a.indicesAreSorted, "indices_are_sorted", "true");
    }
    void operator()(const ScatterAttributes& a) const
    {
        const std::pair<const char*, std::int64_t> vector{ "index_vector_dim", a.indexVectorDim };
        add("scatter_dimension_numbers",
            structure("#stablehlo.scatter",
                { { "update_window_dims", &a.updateWindowDims }, { "inserted_window_dims", &a.insertedWindowDims },
                    { "input_batching_dims", &a.inputBatchingDims },
                    { "scatter_indices_batching_dims", &a.scatterIndicesBatchingDims },
                    { "scatter_dims_to_operand_dims", &a.scatterDimsToOperandDims } },
                &vector));
        addUnless(!a.indicesAreSorted, "indices_are_sorted", "true");
        addUnless(!a.uniqueIndices, "unique_indices", "true");
    }
    void operator()(const SortAttributes& a) const
    {
        add("dimension", integer(a.dimension));
        add("is_stable", truth(a.stable));
    }
    void operator()(const WindowAttributes& a) const
    {
        add("window_dimensions", arrayText(a.dimensions));
        addUnless(allAre(a.strides, 1), "window_strides", arrayText(a.strides));
        addUnless(allAre(a.baseDilations, 1), "base_dilations", arrayText(a.baseDilations));
        addUnless(allAre(a.windowDilations, 1), "window_dilations", arrayText(a.windowDilations));
        addUnless(isZero(a.padding), "padding", tableText(a.padding));
    }
    void operator()(const VariadicReduceAttributes& a) const { add("dimensions", arrayText(a.dimensions)); }
    void operator()(const TriangularSolveAttributes& a) const
    {
        constexpr const char* words[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };
        add("left_side", truth(a.leftSide));
        add("lower", truth(a.lower));
        add("transpose_a", std::string("#stablehlo<transpose ") + words[static_cast<std::size_t>(a.transposeA)] + '>');
        add("unit_diagonal", truth(a.unitDiagonal));
    }
    void operator()(const BatchNormAttributes& a) const
    {
        add("epsilon", numberText(a.epsilon) + " : f32");
        add("feature_index", integer(a.featureIndex));
    }
    void operator()(const ReducePrecisionAttributes& a) const
    {
        add("exponent_bits", std::to_string(a.exponentBits) + " : i32");
        add("mantissa_bits", std::to_string(a.mantissaBits) + " : i32");
    }
    void channel(std::int64_t handle, std::int64_t type) const
    {
        addUnless(handle == 0 && type == 0, "channel_handle",
            "#stablehlo.channel_handle<handle = " + std::to_string(handle) + ", type = " + std::to_string(type) + '>');
    }
    void operator()(const TransferAttributes& a) const
    {
        if (op.kind == OpKind::Send || op.kind == OpKind::Recv) {
            add("channel_handle",
                "#stablehlo.channel_handle<handle = " + std::to_string(a.channelId)
                    + ", type = " + std::to_string(a.channelType) + '>');
            add("is_host_transfer", truth(a.isHostTransfer));
        } else {
            add(op.kind == OpKind::Infeed ? "infeed_config" : "outfeed_config", quoted(a.config));
        }
    }
    void operator()(const CollectiveAttributes& a) const
    {
        const bool permute = op.kind == OpKind::CollectivePermute;
        if (!groupsAreText)
            add(permute ? "source_target_pairs" : "replica_groups", tableText(a.groups, permute ? 2 : 0));
        channel(a.channelId, a.channelType);
        addUnless(!a.useGlobalDeviceIds, "use_global_device_ids", {});
        if (op.kind == OpKind::AllGather)
            add("all_gather_dim", integer(a.dimension));
        if (op.kind == OpKind::ReduceScatter)
            add("scatter_dimension", integer(a.dimension));
        if (op.kind == OpKind::AllToAll) {
            add("split_dimension", integer(a.dimension));
            add("concat_dimension", integer(a.concatDimension));
            addUnless(a.splitCount == 0, "split_count", integer(a.splitCount));
        }
    }

    bool groupsAreText = false;
};

} // namespace

AttributeTexts Printer::genericAttributes(const Operation& op) const
{
    AttributeTexts texts;
    GenericTexts add{ op, texts };
    for (const NamedText& entry : m_program.dictionaries[op.extra])
        add.groupsAreText = add.groupsAreText || entry.name == "replica_groups" || entry.name == "source_target_pairs";
    if (const auto* other = std::get_if<SharedAttributes>(&op.attributes))
        std::visit(add, other->held->value);
    return texts;
}

void Printer::printBlockArguments(const Region& region, int indent)
{
    if (region.arguments.empty())
        return;
    newLine(indent);
    nameArguments(region);
    add("^bb0(");
    for (std::size_t i = 0; i < region.arguments.size(); ++i)
        add((i == 0 ? "" : ", ") + name(region.arguments[i]) + ": " + type(region.arguments[i]));
    add("):");
}

void Printer::printGeneric(const Operation& op, int indent)
{
    add(quoted(qualifiedName(op)) + '(' + names(op.operands) + ')');
    if (AttributeTexts own = genericAttributes(op); !own.empty()) {
        std::string before = std::move(m_out.text);
        m_out.text.clear();
        addDictionary(std::move(own));
        before += " <" + m_out.text.substr(1) + '>';
        m_out.text = std::move(before);
    }
    if (!op.regions.empty()) {
        add(" (");
        for (std::size_t i = 0; i < op.regions.size(); ++i) {
            const Region& region = m_program.regions[op.regions[i].index];
            add(i == 0 ? "{" : ", {");
            printBlockArguments(region, indent);
            printBody(region, "stablehlo.return", indent + 2);
            newLine(indent);
            add("}");
        }
        add(")");
    }
    addDictionary(dictionaryOf(op));
    addFunctionalType(op);
}

} // namespace shardscope::mlir
