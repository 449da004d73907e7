// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/program_case_members.h"

#include <cstring>
#include <map>
#include <stdexcept>

namespace shardscope::conformance {

namespace {

template <class T>
void appendBytes(std::vector<std::byte>& bytes, T value)
{
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

void appendElement(std::vector<std::byte>& bytes, DType type, const Json& value)
{
    const double number = value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
    if (type == DType::F64)
        return appendBytes(bytes, number);
    if (type == DType::F32)
        return appendBytes(bytes, static_cast<float>(number));
    if (type == DType::C64) {
        appendBytes(bytes, static_cast<float>(number));
        return appendBytes(bytes, 0.0F);
    }
    if (type == DType::BF16) {
        const auto narrow = static_cast<float>(number);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &narrow, sizeof bits);
        return appendBytes(bytes, static_cast<std::uint16_t>(bits >> 16U));
    }
    if (isFloat(type) || !isTensor(type))
        throw std::runtime_error("a constant of type " + std::string(name(type)));
    const auto full = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
    for (std::int64_t i = 0; i < byteSize(type); ++i)
        bytes.push_back(static_cast<std::byte>((full >> (8 * i)) & 0xFFU));
}

void appendElements(std::vector<std::byte>& bytes, DType type, const Json& value)
{
    if (!value.is_array())
        return appendElement(bytes, type, value);
    for (const Json& entry : value)
        appendElements(bytes, type, entry);
}

ReduceKind reduceKind(const std::string& operation)
{
    if (operation == "stablehlo.add")
        return ReduceKind::Sum;
    if (operation == "stablehlo.maximum")
        return ReduceKind::Max;
    if (operation == "stablehlo.minimum")
        return ReduceKind::Min;
    if (operation == "stablehlo.multiply")
        return ReduceKind::Product;
    if (operation == "stablehlo.and")
        return ReduceKind::And;
    if (operation == "stablehlo.or")
        return ReduceKind::Or;
    throw std::runtime_error("a reduction that applies " + operation);
}

Padding padding(const Json& json, std::size_t count)
{
    Padding result(count, { 0, 0 });
    const Json& list = json.is_object() ? json["dense"] : json;
    if (list.is_array()) {
        result.clear();
        for (const Json& pair : list)
            result.emplace_back(pair.at(0).get<std::int64_t>(), pair.at(1).get<std::int64_t>());
    }
    return result;
}

WindowAttributes window(Members& members, std::size_t rank)
{
    return { members.dims("window_dimensions", rank, 1), members.dims("window_strides", rank, 1),
        members.dims("base_dilations", rank, 1), members.dims("window_dilations", rank, 1),
        padding(members["padding"], rank) };
}

ConvolutionAttributes convolution(Members& members)
{
    ConvolutionAttributes result;
    const Json numbers = members["dim_numbers"];
    const auto place = [&](const char* tensor, const Json& what) {
        const Json& list = numbers.at(tensor);
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list[i] == what)
                return static_cast<std::int64_t>(i);
        throw std::runtime_error("a convolution without one of its dimensions");
    };
    result.inputBatch = place("lhs", "b");
    result.inputFeature = place("lhs", "f");
    result.kernelInputFeature = place("rhs", "i");
    result.kernelOutputFeature = place("rhs", "o");
    result.outputBatch = place("out", "b");
    result.outputFeature = place("out", "f");
    const std::size_t spatial = numbers.at("lhs").size() - 2;
    for (std::size_t i = 0; i < spatial; ++i) {
        result.inputSpatial.push_back(place("lhs", i));
        result.kernelSpatial.push_back(place("rhs", i));
        result.outputSpatial.push_back(place("out", i));
    }
    const Json window = members["window"];
    const auto ofWindow = [&](const char* name) { return window.is_object() ? window.value(name, Json()) : Json(); };
    result.strides = Members::dimsOf(ofWindow("stride"), spatial, 1);
    result.lhsDilation = Members::dimsOf(ofWindow("lhs_dilate"), spatial, 1);
    result.rhsDilation = Members::dimsOf(ofWindow("rhs_dilate"), spatial, 1);
    if (const Json& dilation = members["lhs_dilations"]; !dilation.is_null())
        result.lhsDilation = Members::dimsOf(dilation, spatial, 1);
    if (const Json& dilation = members["rhs_dilations"]; !dilation.is_null())
        result.rhsDilation = Members::dimsOf(dilation, spatial, 1);
    result.padding = padding(ofWindow("pad"), spatial);
    result.reversal.assign(spatial, false);
    result.featureGroupCount = members.number("feature_group_count", 1);
    result.batchGroupCount = members.number("batch_group_count", 1);
    return result;
}

CollectiveAttributes collective(Members& members)
{
    CollectiveAttributes result;
    for (const char* name : { "replica_groups", "source_target_pairs" })
        if (const Json groups = members[name]; groups.is_object() && groups.contains("dense"))
            result.groups = groups["dense"].get<std::vector<std::vector<std::int64_t>>>();
    if (const Json& channel = members["channel_handle"]; channel.is_object()) {
        result.channelId = channel.at("handle").get<std::int64_t>();
        result.channelType = channel.at("type").get<std::int64_t>();
    }
    result.useGlobalDeviceIds = members.flag("use_global_device_ids");
    for (const char* name : { "all_gather_dim", "scatter_dimension", "split_dimension" })
        if (const Json& dimension = members[name]; !dimension.is_null())
            result.dimension = dimension.get<std::int64_t>();
    result.concatDimension = members.number("concat_dimension");
    result.splitCount = members.number("split_count");
    return result;
}

Attributes comparison(Members& members)
{
    static const std::map<std::string, Comparison> directions{ { "EQ", Comparison::Equal },
        { "NE", Comparison::NotEqual }, { "LT", Comparison::Less }, { "LE", Comparison::LessEqual },
        { "GT", Comparison::Greater }, { "GE", Comparison::GreaterEqual } };
    static const std::map<std::string, CompareType> types{ { "FLOAT", CompareType::Float },
        { "TOTALORDER", CompareType::TotalOrder }, { "SIGNED", CompareType::Signed },
        { "UNSIGNED", CompareType::Unsigned } };
    const Json& words = members["keywords"];
    CompareAttributes result{ directions.at(words.at(0).get<std::string>()) };
    if (words.size() > 1)
        result.type = types.at(words[1].get<std::string>());
    return result;
}

Attributes ofIndexing(OpKind kind, Members& members)
{
    if (kind == OpKind::Gather) {
        const Json numbers = members["dimension_numbers"];
        const auto list = [&](const char* name) { return Members::dimsOf(numbers.value(name, Json())); };
        return otherAttributes(GatherAttributes{ list("offset_dims"), list("collapsed_slice_dims"),
            list("operand_batching_dims"), list("start_indices_batching_dims"), list("start_index_map"),
            numbers.value("index_vector_dim", 0), members.dims("slice_sizes"), members.flag("indices_are_sorted") });
    }
    const Json numbers = members["scatter_dimension_numbers"];
    const auto list = [&](const char* name) { return Members::dimsOf(numbers.value(name, Json())); };
    return otherAttributes(ScatterAttributes{ list("update_window_dims"), list("inserted_window_dims"),
        list("input_batching_dims"), list("scatter_indices_batching_dims"), list("scatter_dims_to_operand_dims"),
        numbers.value("index_vector_dim", 0), members.flag("indices_are_sorted"), members.flag("unique_indices") });
}

Attributes ofDecomposition(OpKind kind, Members& members)
{
    switch (kind) {
    case OpKind::Cholesky:
        return otherAttributes(CholeskyAttributes{ members.flag("lower") });
    case OpKind::TriangularSolve: {
        const std::string transpose = members["transpose_a"].dump();
        return otherAttributes(
            TriangularSolveAttributes{ members.flag("left_side"), members.flag("lower"), members.flag("unit_diagonal"),
                transpose.find("NO_TRANSPOSE") != std::string::npos  ? TransposeA::NoTranspose
                    : transpose.find("ADJOINT") != std::string::npos ? TransposeA::Adjoint
                                                                     : TransposeA::Transpose });
    }
    case OpKind::Fft: {
        static const std::map<std::string, FftType> types{ { "FFT", FftType::Fft }, { "IFFT", FftType::Ifft },
            { "RFFT", FftType::Rfft }, { "IRFFT", FftType::Irfft } };
        return otherAttributes(FftAttributes{ types.at(members.text("type")), members.dims("length") });
    }
    case OpKind::RngBitGenerator: {
        const std::string algorithm = members.text("algorithm");
        return otherAttributes(RngBitGeneratorAttributes{ algorithm == "PHILOX" ? RngAlgorithm::Philox
                : algorithm == "THREE_FRY"                                      ? RngAlgorithm::ThreeFry
                                                                                : RngAlgorithm::Default });
    }
    default: {
        const double epsilon = members["epsilon"].get<double>();
        return otherAttributes(BatchNormAttributes{ epsilon, members.number("feature_index") });
    }
    }
}

} // namespace

Attributes readAttributes(OpKind kind, const Json& operation, const TensorType& operand, const TensorType& result,
    const ShardingReaders& readers, Json& rest)
{
    rest = operation.value("attrs", Json::object());
    const Json attrs = rest;
    Members members(attrs, rest);
    switch (kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant: {
        auto bytes = std::make_shared<std::vector<std::byte>>();
        appendElements(*bytes, result.dtype, members["value"].at("dense"));
        return ConstantAttributes{ {}, std::move(bytes) };
    }
    case OpKind::DotGeneral: {
        const Json batch = members["batching_dims"], contracting = members["contracting_dims"];
        const auto list = [](const Json& both, const char* side) {
            return Members::dimsOf(both.is_object() ? both.at(side) : Json());
        };
        return DotGeneralAttributes{ list(batch, "lhs"), list(batch, "rhs"), list(contracting, "lhs"),
            list(contracting, "rhs") };
    }
    case OpKind::Dot: {
        const Json& precision = members["precision"];
        return otherAttributes(DotAttributes{
            precision.is_array() ? precision.get<std::vector<std::string>>() : std::vector<std::string>() });
    }
    case OpKind::BroadcastInDim:
        return BroadcastAttributes{ members.dims("dims") };
    case OpKind::Transpose:
        return TransposeAttributes{ members.dims("dims") };
    case OpKind::Compare:
        return comparison(members);
    case OpKind::Iota:
        return IotaAttributes{ members.number("dim") };
    case OpKind::VariadicReduce: {
        VariadicReduceAttributes reduce{ members.dims("dimensions"), {} };
        if (const std::string applies = members.text("applies"); !applies.empty())
            reduce.kind = reduceKind(applies);
        return otherAttributes(std::move(reduce));
    }
    case OpKind::Reverse:
    case OpKind::Map:
        return otherAttributes(DimensionsAttributes{ members.dims("dims") });
    case OpKind::Concatenate:
        return otherAttributes(DimensionAttributes{ members.number("dim") });
    case OpKind::Slice:
        return otherAttributes(SliceAttributes{
            members.dims("start_indices"), members.dims("limit_indices"), members.dims("strides", operand.rank(), 1) });
    case OpKind::Pad:
        return otherAttributes(PadAttributes{ members.dims("low"), members.dims("high"), members.dims("interior") });
    case OpKind::DynamicSlice:
        return otherAttributes(DynamicSliceAttributes{ members.dims("sizes") });
    case OpKind::Gather:
    case OpKind::Scatter:
        return ofIndexing(kind, members);
    case OpKind::Sort:
        return otherAttributes(SortAttributes{ members.number("dimension", -1), members.flag("is_stable") });
    case OpKind::ReduceWindow:
    case OpKind::SelectAndScatter:
        return otherAttributes(window(members, operand.rank()));
    case OpKind::Convolution:
        return otherAttributes(convolution(members));
    case OpKind::Cholesky:
    case OpKind::TriangularSolve:
    case OpKind::Fft:
    case OpKind::RngBitGenerator:
    case OpKind::BatchNormInference:
    case OpKind::BatchNormTraining:
    case OpKind::BatchNormGrad:
        return ofDecomposition(kind, members);
    case OpKind::Call:
        return otherAttributes(CallAttributes{ operation.at("symbol").get<std::string>() });
    case OpKind::CustomCall: {
        CustomCallAttributes call;
        call.target = operation.at("symbol").get<std::string>();
        call.hasSideEffect = members.flag("has_side_effect");
        call.backendConfig = members.text("backend_config");
        for (const Json& called : members["called_computations"])
            call.calledComputations.push_back(called.at("symbol").get<std::string>());
        return otherAttributes(std::move(call));
    }
    case OpKind::Send:
    case OpKind::Recv: {
        const Json channel = members["channel_handle"];
        return otherAttributes(TransferAttributes{ channel.value("handle", std::int64_t{ 0 }),
            channel.value("type", std::int64_t{ 0 }), members.flag("is_host_transfer"), {} });
    }
    case OpKind::AllReduce:
    case OpKind::AllGather:
    case OpKind::ReduceScatter:
    case OpKind::AllToAll:
    case OpKind::CollectivePermute:
    case OpKind::CollectiveBroadcast:
        return otherAttributes(collective(members));
    case OpKind::Opaque:
        return otherAttributes(OpaqueAttributes{ operation.at("op").get<std::string>() });
    default:
        return readShardyAttributes(kind, members, operation, readers);
    }
}

} // namespace shardscope::conformance
