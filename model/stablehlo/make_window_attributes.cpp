// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes of windows, convolutions, gather and scatter, and of collectives.
// A part of Reader, which is declared in reader.h.
#include <algorithm>

#include "sharding/layout.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

bool Reader::takePadding(Pending& op, std::string_view name, std::string_view other, std::size_t rank, Padding& padding)
{
    const NamedAttribute* attribute = take(op, name, other);
    if (!attribute) {
        padding.assign(rank, { 0, 0 });
        return true;
    }
    std::vector<std::vector<std::int64_t>> rows;
    if (!readPairs(*attribute, rows))
        return false;
    if (rows.size() != rank || std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() != 2; }))
        return attributeProblem(*attribute, "two numbers for each of " + std::to_string(rank) + " dimensions");
    for (const std::vector<std::int64_t>& row : rows)
        padding.emplace_back(row[0], row[1]);
    return true;
}

bool Reader::makeWindowAttributes(Pending& op)
{
    WindowAttributes a;
    const bool scatter = op.kind == OpKind::SelectAndScatter;
    if (!takeDimensions(op, "window_dimensions", {}, !scatter, a.dimensions)
        || !takeDimensions(op, "window_strides", {}, false, a.strides)
        || !takeDimensions(op, "base_dilations", {}, false, a.baseDilations)
        || !takeDimensions(op, "window_dilations", {}, false, a.windowDilations))
        return false;
    if (a.dimensions.empty() && !op.operands.empty()) // a window of one element
        a.dimensions.resize(typeOf(op.operands[0]).rank(), 1);
    const std::size_t rank = a.dimensions.size();
    for (DimensionList* list : { &a.strides, &a.baseDilations, &a.windowDilations })
        if (list->empty())
            list->resize(rank, 1);
    if (!takePadding(op, "padding", {}, rank, a.padding))
        return false;
    op.made = otherAttributes(std::move(a));
    return true;
}

bool Reader::readConvolutionDimensions(Scanner& s, ConvolutionAttributes& a)
{
    // [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]: where each letter stands, and each spatial dimension.
    struct Side {
        char first, second;
        std::int64_t *firstAt, *secondAt;
        DimensionList* spatial;
    };
    const Side sides[] = { { 'b', 'f', &a.inputBatch, &a.inputFeature, &a.inputSpatial },
        { 'i', 'o', &a.kernelInputFeature, &a.kernelOutputFeature, &a.kernelSpatial },
        { 'b', 'f', &a.outputBatch, &a.outputFeature, &a.outputSpatial } };
    for (const Side& side : sides) {
        if ((&side == &sides[1] && !s.accept('x')) || (&side == &sides[2] && !s.accept("->")))
            return s.expected("“[...]x[...]->[...]”");
        if (!s.require('['))
            return false;
        std::int64_t position = 0;
        *side.firstAt = *side.secondAt = -1;
        if (!s.accept(']')) {
            do {
                std::int64_t number = 0;
                const char c = s.peek();
                const std::size_t begin = s.position();
                if (s.digits(number)) {
                    constexpr std::int64_t most = 64;
                    if (number >= most)
                        return s.expectedAt(begin, "the number of a spatial dimension");
                    if (side.spatial->size() <= static_cast<std::size_t>(number))
                        side.spatial->resize(static_cast<std::size_t>(number) + 1, -1);
                    side.spatial->edit()[static_cast<std::size_t>(number)] = position;
                } else if (c == side.first || c == side.second) {
                    s.step();
                    *(c == side.first ? side.firstAt : side.secondAt) = position;
                } else if (c == '?') {
                    s.step();
                } else {
                    return s.expected(std::string("“") + side.first + "”, “" + side.second + "” or a number");
                }
                ++position;
            } while (s.accept(','));
            if (!s.require(']'))
                return false;
        }
        if (*side.firstAt < 0 || *side.secondAt < 0
            || std::find(side.spatial->begin(), side.spatial->end(), -1) != side.spatial->end())
            return s.expected("each dimension of the convolution once");
    }
    return true;
}

bool Reader::makeConvolution(Pending& op)
{
    ConvolutionAttributes a;
    const NamedAttribute* numbers = take(op, "dim_numbers", "dimension_numbers");
    if (!numbers)
        return needs(op, "dim_numbers");
    Scanner s = m_scanner;
    if (!open(*numbers, s))
        return false;
    if (s.accept('#')) { // #stablehlo.conv<...>
        (void)s.suffix();
        if (!s.require('<'))
            return false;
    }
    if (s.at("raw")) { // every number under its own name
        std::vector<NamedAttribute> fields;
        (void)s.word();
        do {
            if (!readNamed(s, fields.emplace_back(), false))
                return false;
        } while (s.accept(','));
        for (const NamedAttribute& field : fields) {
            const std::pair<std::string_view, std::int64_t*> single[] = { { "input_batch_dimension", &a.inputBatch },
                { "input_feature_dimension", &a.inputFeature },
                { "kernel_input_feature_dimension", &a.kernelInputFeature },
                { "kernel_output_feature_dimension", &a.kernelOutputFeature },
                { "output_batch_dimension", &a.outputBatch }, { "output_feature_dimension", &a.outputFeature } };
            const std::pair<std::string_view, DimensionList*> lists[] = { { "input_spatial_dimensions",
                                                                              &a.inputSpatial },
                { "kernel_spatial_dimensions", &a.kernelSpatial }, { "output_spatial_dimensions", &a.outputSpatial } };
            Scanner value = m_scanner;
            if (!open(field, value))
                return false;
            for (const auto& [name, number] : single)
                if (name == field.name && !value.integer(*number))
                    return false;
            for (const auto& [name, list] : lists)
                if (name == field.name && !readDimensions(value, *list))
                    return false;
        }
    } else if (!readConvolutionDimensions(s, a)) {
        return false;
    }
    const std::size_t rank = a.inputSpatial.size();
    DimensionList reversal;
    if (!takeDimensions(op, "stride", "window_strides", false, a.strides)
        || !takePadding(op, "pad", "padding", rank, a.padding)
        || !takeDimensions(op, "lhs_dilate", "lhs_dilation", false, a.lhsDilation)
        || !takeDimensions(op, "rhs_dilate", "rhs_dilation", false, a.rhsDilation)
        || !takeDimensions(op, "reverse", "window_reversal", false, reversal)
        || !takeInteger(op, "feature_group_count", {}, false, a.featureGroupCount)
        || !takeInteger(op, "batch_group_count", {}, false, a.batchGroupCount) || !takePrecision(op, a.precision))
        return false;
    for (DimensionList* list : { &a.strides, &a.lhsDilation, &a.rhsDilation })
        if (list->empty())
            list->resize(rank, 1);
    for (const std::int64_t reversed : reversal)
        a.reversal.push_back(reversed != 0);
    if (a.reversal.empty())
        a.reversal.resize(rank, false);
    op.made = otherAttributes(std::move(a));
    return true;
}

bool Reader::takeDimensionNumbers(Pending& op, std::string_view name, NamedLists lists, std::int64_t& indexVectorDim)
{
    const NamedAttribute* attribute = take(op, name);
    if (!attribute)
        return needs(op, name);
    std::vector<NamedAttribute> fields;
    if (!readStructure(*attribute, fields))
        return false;
    for (const NamedAttribute& field : fields) {
        Scanner s = m_scanner;
        if (!open(field, s))
            return false;
        if (field.name == "index_vector_dim") {
            if (!s.integer(indexVectorDim))
                return false;
            continue;
        }
        const auto* found =
            std::find_if(lists.begin(), lists.end(), [&](const auto& list) { return list.first == field.name; });
        if (found == lists.end())
            return attributeProblem(field, "one of the lists of a gather or scatter");
        if (!readDimensions(s, *found->second))
            return false;
    }
    return true;
}

bool Reader::makeGather(Pending& op)
{
    GatherAttributes a;
    if (!takeDimensionNumbers(op, "dimension_numbers",
            { { "offset_dims", &a.offsetDims }, { "collapsed_slice_dims", &a.collapsedSliceDims },
                { "operand_batching_dims", &a.operandBatchingDims },
                { "start_indices_batching_dims", &a.startIndicesBatchingDims },
                { "start_index_map", &a.startIndexMap } },
            a.indexVectorDim)
        || !takeDimensions(op, "slice_sizes", {}, true, a.sliceSizes)
        || !takeBool(op, "indices_are_sorted", a.indicesAreSorted))
        return false;
    op.made = otherAttributes(std::move(a));
    return true;
}

bool Reader::makeScatter(Pending& op)
{
    ScatterAttributes a;
    if (!takeDimensionNumbers(op, "scatter_dimension_numbers",
            { { "update_window_dims", &a.updateWindowDims }, { "inserted_window_dims", &a.insertedWindowDims },
                { "input_batching_dims", &a.inputBatchingDims },
                { "scatter_indices_batching_dims", &a.scatterIndicesBatchingDims },
                { "scatter_dims_to_operand_dims", &a.scatterDimsToOperandDims } },
            a.indexVectorDim)
        || !takeBool(op, "indices_are_sorted", a.indicesAreSorted) || !takeBool(op, "unique_indices", a.uniqueIndices))
        return false;
    op.made = otherAttributes(std::move(a));
    return true;
}

bool Reader::takeChannel(Pending& op, std::int64_t& handle, std::int64_t& type)
{
    const NamedAttribute* channel = take(op, "channel_handle", "channel_id");
    if (!channel)
        return true;
    if (channel->value.empty())
        return attributeProblem(*channel, "a handle and a type");
    if (isDigit(channel->value[0])) {
        Scanner s = m_scanner.within(channel->value);
        return s.integer(handle);
    }
    std::vector<NamedAttribute> fields;
    if (!readStructure(*channel, fields))
        return false;
    for (const NamedAttribute& field : fields) {
        Scanner s = m_scanner;
        if (!open(field, s))
            return false;
        if (field.name != "handle" && field.name != "type")
            return attributeProblem(*channel, "a handle and a type");
        if (!s.integer(field.name == "handle" ? handle : type))
            return false;
    }
    return true;
}

/// Groups over the axes of a mesh stay text as well, as which they are printed.
bool Reader::readMeshAxisGroups(
    const NamedAttribute& groups, std::string_view text, std::vector<std::vector<std::int64_t>>& devices)
{
    const auto word = [&](std::size_t from) { // what stands there, in quotes or not
        from += from < text.size() && text[from] == '"' ? 1U : 0U;
        std::size_t end = from;
        while (end < text.size() && isWordCharacter(text[end]))
            ++end;
        return text.substr(std::min(from, text.size()), end - std::min(from, text.size()));
    };
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos)
        return attributeProblem(groups, "a table of devices, or axes of a mesh");
    const std::string mesh(word(at + 1));
    if (!m_meshes.contains(mesh) && !findMeshAhead(mesh))
        return false;
    const auto found = m_meshes.find(mesh);
    if (found == m_meshes.end())
        return attributeProblem(groups, "axes of a mesh that is declared");
    if (text.find("pre_size") != std::string_view::npos || text.find("(1)") != std::string_view::npos)
        return attributeProblem(groups, "full axes of the mesh");
    const Mesh& axes = *m_program.meshes[found->second].mesh;
    AxisList along;
    constexpr std::string_view mark = "name = ";
    for (std::size_t next = text.find(mark, at); next != std::string_view::npos; next = text.find(mark, next + 1)) {
        const std::string_view name = word(next + mark.size());
        std::size_t axis = 0;
        while (axis < axes.rank() && axes.axis(axis).name != name)
            ++axis;
        if (axis == axes.rank())
            return attributeProblem(groups, "axes of the mesh");
        along.push_back(fullAxis(axes, axis));
    }
    for (const std::vector<std::int32_t>& group : axisGroups(axes, along)) {
        std::vector<std::int64_t>& ids = devices.emplace_back();
        for (const std::int32_t position : group)
            ids.push_back(axes.deviceAt(position));
    }
    return true;
}

bool Reader::makeCollective(Pending& op)
{
    if (op.kind == OpKind::Send || op.kind == OpKind::Recv || op.kind == OpKind::Infeed || op.kind == OpKind::Outfeed) {
        TransferAttributes a;
        if (!takeChannel(op, a.channelId, a.channelType) || !takeBool(op, "is_host_transfer", a.isHostTransfer)
            || !takeString(op, op.kind == OpKind::Infeed ? "infeed_config" : "outfeed_config", a.config))
            return false;
        op.made = otherAttributes(std::move(a));
        return true;
    }
    CollectiveAttributes a;
    const bool permute = op.kind == OpKind::CollectivePermute;
    NamedAttribute* groups = find(op.attributes, permute ? "source_target_pairs" : "replica_groups");
    if (!groups)
        return needs(op, permute ? "source_target_pairs" : "replica_groups");
    std::string_view text = groups->value;
    if (!resolve(text))
        return false;
    if (text.starts_with("dense") || text.starts_with("[")) {
        groups->taken = true;
        if (!readPairs(*groups, a.groups))
            return false;
    } else if (!readMeshAxisGroups(*groups, text, a.groups)) {
        return false;
    }
    if (!takeChannel(op, a.channelId, a.channelType) || !takeBool(op, "use_global_device_ids", a.useGlobalDeviceIds)
        || !takeInteger(op, "split_dimension", {}, op.kind == OpKind::AllToAll, a.dimension)
        || !takeInteger(op, "all_gather_dim", {}, op.kind == OpKind::AllGather, a.dimension)
        || !takeInteger(op, "scatter_dimension", {}, op.kind == OpKind::ReduceScatter, a.dimension)
        || !takeInteger(op, "concat_dimension", {}, op.kind == OpKind::AllToAll, a.concatDimension)
        || !takeInteger(op, "split_count", {}, false, a.splitCount))
        return false;
    op.made = otherAttributes(std::move(a));
    return true;
}

} // namespace shardscope::mlir
