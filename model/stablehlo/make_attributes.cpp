// SPDX-License-Identifier: GPL-3.0-or-later
// From the names and texts of attributes, in either form, to the attributes of an operation.
// Declared in reader.h.
#include "base/codes.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

bool Reader::isOpaque(Pending& op)
{
    op.made = otherAttributes(OpaqueAttributes{ std::string(op.name) });
    op.kind = OpKind::Opaque;
    return true;
}

/// Those that `take` makes of the texts, if it returns that nothing is wrong.
template <class A, class Take>
bool Reader::make(Pending& op, A attributes, const Take& take)
{
    if (!take(attributes))
        return false;
    op.made = toAttributes(std::move(attributes));
    return true;
}

bool Reader::makeConstant(Pending& op)
{
    NamedAttribute* value = find(op.attributes, "value");
    if (!value)
        return needs(op, "value");
    if (op.name.starts_with("arith.") && !value->value.starts_with('#') && !value->value.starts_with("dense"))
        return isOpaque(op);
    Scanner s = m_scanner;
    ConstantAttributes constant;
    TensorType type;
    if (!open(*value, s) || !readElements(s, constant, type))
        return false;
    if (!constant.bytes)
        return isOpaque(op);
    value->taken = true;
    if (op.resultTypes.size() != 1 || op.resultTypes[0] != type)
        return m_scanner.problem(Code::OperandType,
            { { "op", std::string(op.name) }, { "given", typeText(type) },
                { "actual", op.resultTypes.empty() ? std::string("()") : typeText(op.resultTypes[0]) } },
            op.position);
    op.made = std::move(constant);
    return true;
}

bool Reader::makeMovement(Pending& op)
{
    switch (op.kind) {
    case OpKind::BroadcastInDim:
        return make(op, BroadcastAttributes(),
            [&](auto& a) { return takeDimensions(op, "dims", "broadcast_dimensions", true, a.dimensions); });
    case OpKind::Transpose:
        return make(op, TransposeAttributes(),
            [&](auto& a) { return takeDimensions(op, "dims", "permutation", true, a.permutation); });
    case OpKind::Iota:
        return make(
            op, IotaAttributes(), [&](auto& a) { return takeInteger(op, "dim", "iota_dimension", true, a.dimension); });
    case OpKind::Slice:
        return make(op, SliceAttributes(), [&](auto& a) {
            if (!takeDimensions(op, "start_indices", {}, true, a.starts)
                || !takeDimensions(op, "limit_indices", {}, true, a.limits)
                || !takeDimensions(op, "strides", {}, false, a.strides))
                return false;
            if (a.strides.empty())
                a.strides.resize(a.starts.size(), 1);
            return true;
        });
    case OpKind::Pad:
        return make(op, PadAttributes(), [&](auto& a) {
            return takeDimensions(op, "low", "edge_padding_low", true, a.low)
                && takeDimensions(op, "high", "edge_padding_high", true, a.high)
                && takeDimensions(op, "interior", "interior_padding", true, a.interior);
        });
    case OpKind::Concatenate:
        return make(
            op, DimensionAttributes(), [&](auto& a) { return takeInteger(op, "dim", "dimension", true, a.dimension); });
    case OpKind::Reverse:
    case OpKind::Map:
        return make(op, DimensionsAttributes(),
            [&](auto& a) { return takeDimensions(op, "dims", "dimensions", true, a.dimensions); });
    case OpKind::DynamicSlice:
        return make(op, DynamicSliceAttributes(),
            [&](auto& a) { return takeDimensions(op, "sizes", "slice_sizes", true, a.sizes); });
    default:
        return true;
    }
}

bool Reader::makeNumeric(Pending& op)
{
    switch (op.kind) {
    case OpKind::Compare:
        return make(op, CompareAttributes(), [&](auto& a) {
            return takeWord(op, "comparison_direction", {}, true, { "EQ", "NE", "LT", "LE", "GT", "GE" }, a.direction)
                && takeWord(
                    op, "compare_type", {}, false, { "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" }, a.type);
        });
    case OpKind::Cholesky:
        return make(op, CholeskyAttributes(), [&](auto& a) { return takeBool(op, "lower", a.lower); });
    case OpKind::TriangularSolve:
        return make(op, TriangularSolveAttributes(), [&](auto& a) {
            return takeBool(op, "left_side", a.leftSide) && takeBool(op, "lower", a.lower)
                && takeBool(op, "unit_diagonal", a.unitDiagonal)
                && takeWord(op, "transpose_a", {}, false, { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" }, a.transposeA);
        });
    case OpKind::Fft:
        return make(op, FftAttributes(), [&](auto& a) {
            return takeWord(op, "type", "fft_type", true, { "FFT", "IFFT", "RFFT", "IRFFT" }, a.type)
                && takeDimensions(op, "length", "fft_length", true, a.length);
        });
    case OpKind::Rng:
        return make(op, RngAttributes(), [&](auto& a) {
            return takeWord(op, "distribution", "rng_distribution", true, { "UNIFORM", "NORMAL" }, a.distribution);
        });
    case OpKind::RngBitGenerator:
        return make(op, RngBitGeneratorAttributes(), [&](auto& a) {
            return takeWord(op, "algorithm", "rng_algorithm", true, { "DEFAULT", "THREE_FRY", "PHILOX" }, a.algorithm);
        });
    case OpKind::BatchNormInference:
    case OpKind::BatchNormTraining:
    case OpKind::BatchNormGrad:
        return make(op, BatchNormAttributes(), [&](auto& a) {
            return takeNumber(op, "epsilon", a.epsilon) && takeInteger(op, "feature_index", {}, true, a.featureIndex);
        });
    default:
        return true;
    }
}

bool Reader::makeAttributes(Pending& op)
{
    switch (op.kind) {
    case OpKind::Opaque:
        return isEarlierOperation(op.name) ? makeCurrent(op) : isOpaque(op);
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::ChloConstant:
        return makeConstant(op);
    case OpKind::BroadcastInDim:
    case OpKind::Transpose:
    case OpKind::Iota:
    case OpKind::Slice:
    case OpKind::Pad:
    case OpKind::Concatenate:
    case OpKind::Reverse:
    case OpKind::Map:
    case OpKind::DynamicSlice:
        return makeMovement(op);
    case OpKind::Compare:
    case OpKind::Cholesky:
    case OpKind::TriangularSolve:
    case OpKind::Fft:
    case OpKind::Rng:
    case OpKind::RngBitGenerator:
    case OpKind::BatchNormInference:
    case OpKind::BatchNormTraining:
    case OpKind::BatchNormGrad:
        return makeNumeric(op);
    case OpKind::Sort:
        return make(op, SortAttributes(), [&](auto& a) {
            return takeInteger(op, "dimension", {}, false, a.dimension) && takeBool(op, "is_stable", a.stable);
        });
    case OpKind::VariadicReduce:
        return make(op, VariadicReduceAttributes(),
            [&](auto& a) { return takeDimensions(op, "dimensions", {}, true, a.dimensions); });
    case OpKind::Call:
        return make(op, CallAttributes(), [&](auto& a) { return takeSymbol(op, "callee", true, a.callee); });
    case OpKind::Composite:
        return make(op, CompositeAttributes(), [&](auto& a) {
            return takeString(op, "name", a.name) && takeSymbol(op, "decomposition", true, a.decomposition)
                && takeInteger(op, "version", {}, false, a.version);
        });
    case OpKind::CustomCall:
        return makeCustomCall(op);
    case OpKind::GetTupleElement:
        return make(op, TupleElementAttributes(), [&](auto& a) { return takeInteger(op, "index", {}, true, a.index); });
    case OpKind::ChloTopK:
        return make(op, TopKAttributes(), [&](auto& a) { return takeInteger(op, "k", {}, true, a.k); });
    case OpKind::ShardingGroup:
        return make(
            op, ShardingGroupAttributes(), [&](auto& a) { return takeInteger(op, "group_id", {}, true, a.group); });
    case OpKind::ReducePrecision:
        return makeReducePrecision(op);
    case OpKind::DotGeneral:
    case OpKind::Dot:
        return makeContractionAttributes(op);
    case OpKind::Convolution:
        return makeConvolution(op);
    case OpKind::ReduceWindow:
    case OpKind::SelectAndScatter:
        return makeWindowAttributes(op);
    case OpKind::Gather:
        return makeGather(op);
    case OpKind::Scatter:
        return makeScatter(op);
    case OpKind::AllReduce:
    case OpKind::AllGather:
    case OpKind::ReduceScatter:
    case OpKind::AllToAll:
    case OpKind::CollectivePermute:
    case OpKind::CollectiveBroadcast:
    case OpKind::Send:
    case OpKind::Recv:
    case OpKind::Infeed:
    case OpKind::Outfeed:
        return makeCollective(op);
    default:
        return opRow(op.kind).dialect != OpDialect::Sdy || makeSdyAttributes(op); // the others have none of their own
    }
}

bool Reader::takePrecision(Pending& op, std::vector<std::string>& precision)
{
    const NamedAttribute* attribute = take(op, "precision", "precision_config");
    if (!attribute)
        return true;
    Scanner s = m_scanner;
    return open(*attribute, s) && s.list('[', ']', [&] {
        // DEFAULT or #stablehlo<precision DEFAULT>
        const bool wrapped = s.accept('#');
        if (wrapped && (s.suffix().empty() || !s.require('<') || !s.acceptWord("precision")))
            return s.expected("a precision");
        const std::string_view word = s.word();
        if (word.empty())
            return s.expected("a precision");
        precision.emplace_back(word);
        return !wrapped || s.require('>');
    });
}

bool Reader::makeContractionAttributes(Pending& op)
{
    if (op.kind == OpKind::Dot)
        return make(op, DotAttributes(), [&](auto& a) { return takePrecision(op, a.precision); });
    DotGeneralAttributes a;
    const auto pair = [&](const NamedAttribute& attribute, DimensionList& lhs, DimensionList& rhs) { // [0] x [1]
        Scanner s = m_scanner;
        return open(attribute, s) && readDimensions(s, lhs)
            && (s.acceptWord("x") || attributeProblem(attribute, "two lists, “[...] x [...]”"))
            && readDimensions(s, rhs);
    };
    if (const NamedAttribute* numbers = take(op, "dot_dimension_numbers")) {
        std::vector<NamedAttribute> fields;
        if (!readStructure(*numbers, fields))
            return false;
        for (const NamedAttribute& field : fields) {
            DimensionList* list = field.name == "lhs_batching_dimensions" ? &a.lhsBatch
                : field.name == "rhs_batching_dimensions"                 ? &a.rhsBatch
                : field.name == "lhs_contracting_dimensions"              ? &a.lhsContracting
                : field.name == "rhs_contracting_dimensions"              ? &a.rhsContracting
                                                                          : nullptr;
            if (!list)
                return attributeProblem(*numbers, "batching and contracting dimensions");
            Scanner s = m_scanner;
            if (!open(field, s) || !readDimensions(s, *list))
                return false;
        }
    } else {
        const NamedAttribute* contracting = take(op, "contracting_dims");
        const NamedAttribute* batching = take(op, "batching_dims");
        if (!contracting && op.generic)
            return needs(op, "dot_dimension_numbers");
        if ((contracting && !pair(*contracting, a.lhsContracting, a.rhsContracting))
            || (batching && !pair(*batching, a.lhsBatch, a.rhsBatch)))
            return false;
    }
    op.made = std::move(a);
    return keepDotTexts(op);
}

bool Reader::keepDotTexts(Pending& op)
{
    // There is no place for them in DotGeneralAttributes: they stay text, in one form.
    std::vector<std::string> precision;
    if (!takePrecision(op, precision))
        return false;
    if (!precision.empty()) {
        std::string text;
        for (const std::string& word : precision)
            text += (text.empty() ? "[" : ", ") + word;
        op.kept.push_back({ "precision_config", text + ']' });
    }
    if (const NamedAttribute* algorithm = take(op, "algorithm")) {
        std::string text;
        if (!keptText(algorithm->value, text))
            return false;
        constexpr std::string_view dialect = "#stablehlo.dot_algorithm";
        if (text.starts_with(dialect))
            text.erase(0, dialect.size());
        op.kept.push_back({ "algorithm", std::move(text) });
    }
    return true;
}

bool Reader::makeCustomCall(Pending& op)
{
    CustomCallAttributes a;
    NamedAttribute* target = take(op, "call_target_name");
    if (!target)
        return needs(op, "call_target_name");
    Scanner s = m_scanner;
    if (!open(*target, s) || !(s.at('@') ? s.symbol(a.target) : s.string(a.target))
        || !takeBool(op, "has_side_effect", a.hasSideEffect)
        || !takeInteger(op, "api_version", {}, false, a.apiVersion))
        return false;
    if (const NamedAttribute* config = take(op, "backend_config"); config && !keptText(config->value, a.backendConfig))
        return false;
    if (const NamedAttribute* called = take(op, "called_computations")) {
        if (!open(*called, s) || !s.require('['))
            return false;
        while (s.at('@')) {
            if (!s.symbol(a.calledComputations.emplace_back()))
                return false;
            (void)s.accept(',');
        }
        if (!s.require(']'))
            return false;
    }
    op.made = otherAttributes(std::move(a));
    return true;
}

bool Reader::makeReducePrecision(Pending& op)
{
    ReducePrecisionAttributes a;
    if (const NamedAttribute* format = take(op, "format")) { // e5m10
        Scanner s = m_scanner;
        if (!open(*format, s) || !s.accept('e') || !s.digits(a.exponentBits) || s.raw() != 'm')
            return attributeProblem(*format, "a format such as e5m10");
        s.step();
        if (!s.digits(a.mantissaBits))
            return attributeProblem(*format, "a format such as e5m10");
    } else if (!takeInteger(op, "exponent_bits", {}, true, a.exponentBits)
        || !takeInteger(op, "mantissa_bits", {}, true, a.mantissaBits)) {
        return false;
    }
    op.made = otherAttributes(a);
    return true;
}

} // namespace shardscope::mlir
