// SPDX-License-Identifier: GPL-3.0-or-later
// Pretty forms of operations.
// Declared in printer.h.
#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.h"
#include "program/op_row.h"
#include "stablehlo/own_names.h"
#include "stablehlo/printer.h"

namespace shardscope::mlir {

namespace {

/// Kinds that are "name %a, %b {attributes} : types" with nothing between.
bool isPlain(OpKind kind)
{
    switch (kind) {
    case OpKind::Reshape:
    case OpKind::BitcastConvert:
    case OpKind::DynamicUpdateSlice:
    case OpKind::OptimizationBarrier:
    case OpKind::Tuple:
    case OpKind::AfterAll:
    case OpKind::CreateToken:
    case OpKind::PartitionId:
    case OpKind::ReplicaId:
        return true;
    case OpKind::Map:
    case OpKind::Compare:
    case OpKind::ReducePrecision:
    case OpKind::ChloConstantLike:
        return false;
    default:
        break;
    }
    const OpRow& row = opRow(kind);
    return row.elementwise && (row.dialect == OpDialect::StableHlo || row.dialect == OpDialect::Chlo);
}

/// Of an operation that is printed as "name operands, attributes : types": its attributes, "dims = [1, 0]". Nothing for
/// operations of other forms, and where the attributes can only be printed in the generic form.
std::optional<std::string> listedAttributes(const Operation& op)
{
    switch (op.kind) {
    case OpKind::BroadcastInDim:
        return "dims = " + listText(std::get<BroadcastAttributes>(op.attributes).dimensions);
    case OpKind::Transpose:
        return "dims = " + listText(std::get<TransposeAttributes>(op.attributes).permutation);
    case OpKind::Concatenate:
        return "dim = " + std::to_string(attributesAs<DimensionAttributes>(op.attributes)->dimension);
    case OpKind::Reverse:
        return "dims = " + listText(attributesAs<DimensionsAttributes>(op.attributes)->dimensions);
    case OpKind::Pad: {
        const auto& a = *attributesAs<PadAttributes>(op.attributes);
        return "low = " + listText(a.low) + ", high = " + listText(a.high) + ", interior = " + listText(a.interior);
    }
    case OpKind::DynamicSlice:
        return "sizes = " + listText(attributesAs<DynamicSliceAttributes>(op.attributes)->sizes);
    case OpKind::Cholesky:
        return std::string("lower = ") + (attributesAs<CholeskyAttributes>(op.attributes)->lower ? "true" : "false");
    case OpKind::Fft: {
        constexpr std::string_view words[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
        const auto& a = *attributesAs<FftAttributes>(op.attributes);
        return "type = " + std::string(words[static_cast<std::size_t>(a.type)]) + ", length = " + listText(a.length);
    }
    case OpKind::Rng:
        return attributesAs<RngAttributes>(op.attributes)->distribution == RngDistribution::Uniform
            ? "distribution = UNIFORM"
            : "distribution = NORMAL";
    case OpKind::RngBitGenerator: {
        constexpr std::string_view words[] = { "DEFAULT", "THREE_FRY", "PHILOX" };
        const auto algorithm = attributesAs<RngBitGeneratorAttributes>(op.attributes)->algorithm;
        return "algorithm = " + std::string(words[static_cast<std::size_t>(algorithm)]);
    }
    case OpKind::ReducePrecision: {
        const auto& a = *attributesAs<ReducePrecisionAttributes>(op.attributes);
        if (a.exponentBits < 0 || a.mantissaBits < 0)
            return std::nullopt;
        return "format = e" + std::to_string(a.exponentBits) + 'm' + std::to_string(a.mantissaBits);
    }
    default:
        return std::nullopt;
    }
}

/// Whether such an operation has the type of its operand, which is printed once.
bool hasTypeOfOperand(OpKind kind)
{
    return kind == OpKind::Reverse || kind == OpKind::Cholesky || kind == OpKind::ReducePrecision;
}

} // namespace

void Printer::addUnmatchedShardings(const Operation& op, AttributeTexts& attributes) const
{
    for (const UnmatchedShardings& unmatched : m_program.unmatchedShardings) {
        if (&m_program.operation(unmatched.operation) != &op)
            continue;
        std::vector<ProgramSharding> list;
        for (const ShardingIndex index : unmatched.shardings)
            if (index != 0)
                list.push_back(m_program.shardings[index - 1]);
        attributes.emplace_back("sdy.sharding", "#sdy.sharding_per_value<" + shardings(list) + '>');
    }
}

AttributeTexts Printer::dictionaryOf(const Operation& op, std::initializer_list<std::string_view> without) const
{
    AttributeTexts attributes;
    for (const NamedText& entry : m_program.dictionaries[op.extra])
        if (std::find(without.begin(), without.end(), entry.name) == without.end())
            attributes.emplace_back(entry.name, entry.text);
    const auto sharded = [this](ValueId v) { return m_program.shardingOf(v) != nullptr; };
    if (m_options.shardings && std::any_of(op.results.begin(), op.results.end(), sharded)) {
        // Whoever has none is open on the mesh of the others, which means the same.
        const ProgramSharding* any = nullptr;
        for (const ValueId result : op.results)
            if (const ProgramSharding* own = m_program.shardingOf(result); own && !any)
                any = own;
        const std::string list = join(op.results, ", ", [&](ValueId result) {
            const ProgramSharding* own = m_program.shardingOf(result);
            const ProgramSharding open{ any->mesh, TensorSharding::open(m_program.value(result).type.rank()),
                ReduceKind::Sum };
            return sharding(own ? *own : open);
        });
        attributes.emplace_back("sdy.sharding", "#sdy.sharding_per_value<[" + list + "]>");
    }
    if (m_options.shardings && !m_program.unmatchedShardings.empty())
        addUnmatchedShardings(op, attributes);
    if (op.results.size() == 1) {
        const bool constant =
            op.kind == OpKind::Constant || op.kind == OpKind::SdyConstant || op.kind == OpKind::ChloConstant;
        addValueAttributes(op.results[0], constant ? Role::Constant : Role::Temporary, attributes);
    }
    if (op.scope != 0 && m_options.names == PrintedNames::AsAttributes)
        attributes.emplace_back(std::string(ownPrefix) + "scope", quoted(m_program.scopes[op.scope]));
    return attributes;
}

void Printer::printSimple(const Operation& op)
{
    addOperands(op);
    addDictionary(dictionaryOf(op));
    const OpRow& row = opRow(op.kind);
    if (row.dialect == OpDialect::Chlo) {
        add(" : ");
        addTypes(op.operands);
        add(" -> ");
        addResultTypes(op);
        return;
    }
    const auto typeOf = [this](ValueId v) -> const TensorType& { return m_program.value(v).type; };
    const bool single = op.results.size() == 1;
    if (op.kind == OpKind::OptimizationBarrier && op.operands.size() == op.results.size() && !op.results.empty()) {
        add(" : ");
        addTypes(op.results);
    } else if (op.operands.empty() || (single && (op.kind == OpKind::Tuple || op.kind == OpKind::AfterAll))) {
        add(" : ");
        addResultTypes(op);
    } else if (op.kind == OpKind::Select && single && op.operands.size() == 3
        && typeOf(op.operands[1]) == typeOf(op.results[0]) && typeOf(op.operands[2]) == typeOf(op.results[0])) {
        add(" : " + type(op.operands[0]) + ", " + type(op.results[0]));
    } else if (row.elementwise && op.kind != OpKind::Select && op.kind != OpKind::Complex && single
        && std::all_of(
            op.operands.begin(), op.operands.end(), [&](ValueId v) { return typeOf(v) == typeOf(op.results[0]); })) {
        add(" : " + type(op.results[0]));
    } else {
        addFunctionalType(op);
    }
}

bool Printer::printPretty(OperationId id, int indent)
{
    const Operation& op = m_program.operation(id);
    const auto begin = [&] { add(qualifiedName(op)); };
    if (isPlain(op.kind)) {
        begin();
        printSimple(op);
        return true;
    }
    if (const std::optional<std::string> attributes = listedAttributes(op)) {
        begin();
        addOperands(op);
        add(", " + *attributes);
        addDictionary(dictionaryOf(op));
        if (hasTypeOfOperand(op.kind))
            add(" : " + type(op.results[0]));
        else
            addFunctionalType(op);
        return true;
    }
    switch (op.kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::ChloConstant: {
        const auto& a = std::get<ConstantAttributes>(op.attributes);
        begin();
        addDictionary(dictionaryOf(op));
        add(" " + constant(a, m_program.value(op.results[0]).type));
        return true;
    }
    case OpKind::Compare: {
        const auto& a = std::get<CompareAttributes>(op.attributes);
        begin();
        add(" " + std::string(comparisonWords[static_cast<std::size_t>(a.direction)]) + ",");
        addOperands(op);
        if (a.type != CompareType::None)
            add(", " + std::string(compareTypeWords[static_cast<std::size_t>(a.type)]));
        addDictionary(dictionaryOf(op));
        addFunctionalType(op);
        return true;
    }
    case OpKind::Iota:
        begin();
        add(" dim = " + std::to_string(std::get<IotaAttributes>(op.attributes).dimension));
        addDictionary(dictionaryOf(op));
        add(" : " + type(op.results[0]));
        return true;
    case OpKind::Slice:
        return printSlice(op);
    case OpKind::DotGeneral:
        printDotGeneral(op);
        return true;
    case OpKind::Dot: {
        const auto& precision = attributesAs<DotAttributes>(op.attributes)->precision;
        begin();
        addOperands(op);
        if (!precision.empty())
            add(", precision = " + precisionText(precision, false));
        addDictionary(dictionaryOf(op));
        addFunctionalType(op);
        return true;
    }
    case OpKind::Convolution:
        printConvolution(op);
        return true;
    case OpKind::GetTupleElement:
        begin();
        addOperands(op);
        add('[' + std::to_string(attributesAs<TupleElementAttributes>(op.attributes)->index) + ']');
        addDictionary(dictionaryOf(op));
        addFunctionalType(op);
        return true;
    case OpKind::ChloTopK:
        begin();
        add("(" + names(op.operands) + ", k = " + std::to_string(attributesAs<TopKAttributes>(op.attributes)->k) + ")");
        addDictionary(dictionaryOf(op));
        add(" : ");
        addTypes(op.operands);
        add(" -> ");
        addResultTypes(op);
        return true;
    case OpKind::Call:
        add("call " + symbol(attributesAs<CallAttributes>(op.attributes)->callee) + '(' + names(op.operands) + ')');
        addDictionary(dictionaryOf(op));
        addFunctionalType(op);
        return true;
    case OpKind::CustomCall:
        printCustomCall(op);
        return true;
    case OpKind::Composite:
        printComposite(op);
        return true;
    case OpKind::Reduce:
        printReduceApplying(op);
        return true;
    case OpKind::While:
        return printWhile(op, indent);
    case OpKind::VariadicReduce:
        return printReduce(op, indent);
    default:
        break;
    }
    return opRow(op.kind).dialect == OpDialect::Sdy && printSdy(op, indent);
}

bool Printer::printSlice(const Operation& op)
{
    const auto& a = *attributesAs<SliceAttributes>(op.attributes);
    if (a.limits.size() != a.starts.size() || a.strides.size() != a.starts.size())
        return false;
    add(qualifiedName(op));
    addOperands(op);
    add(" [");
    for (std::size_t i = 0; i < a.starts.size(); ++i) {
        add((i == 0 ? "" : ", ") + std::to_string(a.starts[i]) + ':' + std::to_string(a.limits[i]));
        if (a.strides[i] != 1)
            add(':' + std::to_string(a.strides[i]));
    }
    add("]");
    addDictionary(dictionaryOf(op));
    addFunctionalType(op);
    return true;
}

void Printer::printComposite(const Operation& op)
{
    const auto& a = *attributesAs<CompositeAttributes>(op.attributes);
    add(qualifiedName(op) + " " + quoted(a.name));
    addOperands(op);
    AttributeTexts attributes = dictionaryOf(op);
    attributes.emplace_back("decomposition", symbol(a.decomposition));
    if (a.version != 0)
        attributes.emplace_back("version", std::to_string(a.version) + " : i32");
    addDictionary(std::move(attributes));
    addFunctionalType(op);
}

void Printer::printReduceApplying(const Operation& op)
{
    const auto& a = std::get<ReduceAttributes>(op.attributes);
    const std::string element =
        "tensor<" + std::string(shardscope::name(m_program.value(op.results[0]).type.dtype)) + '>';
    add("stablehlo.reduce(" + name(op.operands[0]) + " init: " + m_reduceInit + ") applies stablehlo."
        + std::string(reduceWords[static_cast<std::size_t>(a.kind)])
        + " across dimensions = " + listText(a.dimensions));
    addDictionary(dictionaryOf(op));
    add(" : (" + type(op.operands[0]) + ", " + element + ") -> " + type(op.results[0]));
}

void Printer::printDotGeneral(const Operation& op)
{
    const auto& a = std::get<DotGeneralAttributes>(op.attributes);
    add(qualifiedName(op));
    addOperands(op);
    if (!a.lhsBatch.empty() || !a.rhsBatch.empty())
        add(", batching_dims = " + listText(a.lhsBatch) + " x " + listText(a.rhsBatch));
    add(", contracting_dims = " + listText(a.lhsContracting) + " x " + listText(a.rhsContracting));
    for (const NamedText& entry : m_program.dictionaries[op.extra]) {
        if (entry.name == "precision_config")
            add(", precision = " + entry.text);
        else if (entry.name == "algorithm")
            add(", algorithm = " + entry.text);
    }
    addDictionary(dictionaryOf(op, { "precision_config", "algorithm" }));
    addFunctionalType(op);
}

void Printer::printConvolution(const Operation& op)
{
    const auto& a = *attributesAs<ConvolutionAttributes>(op.attributes);
    add(qualifiedName(op) + '(' + names(op.operands) + ") dim_numbers = " + convolutionNumbers(a) + ", window = {");
    std::string window;
    const auto part = [&](const char* name, const std::string& value) {
        window += (window.empty() ? "" : ", ") + std::string(name) + " = " + value;
    };
    if (!allAre(a.strides, 1))
        part("stride", listText(a.strides));
    if (!isZero(a.padding)) {
        std::string pad;
        for (const auto& [before, after] : a.padding)
            pad += (pad.empty() ? "[" : ", [") + std::to_string(before) + ", " + std::to_string(after) + ']';
        part("pad", '[' + pad + ']');
    }
    if (!allAre(a.lhsDilation, 1))
        part("lhs_dilate", listText(a.lhsDilation));
    if (!allAre(a.rhsDilation, 1))
        part("rhs_dilate", listText(a.rhsDilation));
    if (std::find(a.reversal.begin(), a.reversal.end(), true) != a.reversal.end())
        part("reverse", '[' + join(a.reversal, ", ", [](bool reversed) { return reversed ? "true" : "false"; }) + ']');
    add(window + '}');
    AttributeTexts attributes = dictionaryOf(op);
    attributes.emplace_back("batch_group_count", std::to_string(a.batchGroupCount) + " : i64");
    attributes.emplace_back("feature_group_count", std::to_string(a.featureGroupCount) + " : i64");
    if (!a.precision.empty())
        attributes.emplace_back("precision_config", precisionText(a.precision, true));
    addDictionary(std::move(attributes));
    addFunctionalType(op);
}

void Printer::printCustomCall(const Operation& op)
{
    const auto& a = *attributesAs<CustomCallAttributes>(op.attributes);
    add(qualifiedName(op) + " " + symbol(a.target) + '(' + names(op.operands) + ')');
    AttributeTexts attributes = dictionaryOf(op);
    if (a.apiVersion != 0)
        attributes.emplace_back("api_version", std::to_string(a.apiVersion) + " : i32");
    if (!a.backendConfig.empty())
        attributes.emplace_back("backend_config", a.backendConfig);
    if (!a.calledComputations.empty())
        attributes.emplace_back("called_computations", '[' + join(a.calledComputations, ", ", symbol) + ']');
    if (a.hasSideEffect)
        attributes.emplace_back("has_side_effect", "true");
    addDictionary(std::move(attributes));
    addFunctionalType(op);
}

bool Printer::printWhile(const Operation& op, int indent)
{
    // Both bodies have the same arguments, under the same names.
    if (op.regions.size() != 2)
        return false;
    const Region& condition = m_program.regions[op.regions[0].index];
    const Region& body = m_program.regions[op.regions[1].index];
    const std::size_t count = op.operands.size();
    if (condition.arguments.size() != count || body.arguments.size() != count || op.results.size() != count)
        return false;
    for (std::size_t i = 0; i < count; ++i)
        for (const ValueId v : { condition.arguments[i], body.arguments[i], op.results[i] })
            if (m_program.value(v).type != m_program.value(op.operands[i]).type)
                return false;
    nameArguments(condition);
    for (std::size_t i = 0; i < count; ++i) {
        m_names[body.arguments[i].index] = m_names[condition.arguments[i].index];
        m_out.valueLines[body.arguments[i].index] = m_line;
    }
    add(qualifiedName(op) + '(');
    for (std::size_t i = 0; i < count; ++i)
        add((i == 0 ? "" : ", ") + name(condition.arguments[i]) + " = " + name(op.operands[i]));
    add(")");
    if (count > 0) {
        add(" : ");
        addTypes(op.operands);
    }
    if (AttributeTexts attributes = dictionaryOf(op); !attributes.empty()) {
        add(" attributes");
        addDictionary(std::move(attributes));
    }
    newLine(indent);
    add("cond {");
    printBody(condition, "stablehlo.return", indent + 2);
    newLine(indent);
    add("} do {");
    printBody(body, "stablehlo.return", indent + 2);
    newLine(indent);
    add("}");
    return true;
}

bool Printer::printReduce(const Operation& op, int indent)
{
    const auto& a = *attributesAs<VariadicReduceAttributes>(op.attributes);
    const std::size_t inputs = op.operands.size() / 2;
    const bool hasBody = op.regions.size() == 1 && !a.kind;
    const Region* body = hasBody ? &m_program.regions[op.regions[0].index] : nullptr;
    if (inputs == 0 || op.operands.size() % 2 != 0
        || (a.kind ? inputs != 1 : !body || body->arguments.size() != 2 * inputs))
        return false;
    add(qualifiedName(op));
    for (std::size_t i = 0; i < inputs; ++i)
        add((i == 0 ? "(" : ", (") + name(op.operands[i]) + " init: " + name(op.operands[inputs + i]) + ')');
    if (a.kind)
        add(" applies stablehlo." + std::string(reduceWords[static_cast<std::size_t>(*a.kind)]));
    add(" across dimensions = " + listText(a.dimensions));
    addDictionary(dictionaryOf(op));
    addFunctionalType(op);
    if (!body)
        return true;
    newLine(indent + 1);
    nameArguments(*body);
    add("reducer");
    for (std::size_t i = 0; i < inputs; ++i) {
        const ValueId left = body->arguments[i], right = body->arguments[inputs + i];
        add((i == 0 ? "(" : " (") + name(left) + ": " + type(left) + ", " + name(right) + ": " + type(right) + ')');
    }
    add(" {");
    printBody(*body, "stablehlo.return", indent + 2);
    newLine(indent);
    add("}");
    return true;
}

void Printer::printBuiltinReduce(const Operation& op)
{
    // The initial value gets a line of its own before.
    const auto& a = std::get<ReduceAttributes>(op.attributes);
    const DType dtype = m_program.value(op.results[0]).type.dtype;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double identity = 0;
    bool full = false;
    std::string text;
    switch (a.kind) {
    case ReduceKind::Sum:
    case ReduceKind::Or:
        break;
    case ReduceKind::Product:
    case ReduceKind::And:
        identity = 1;
        break;
    case ReduceKind::Max:
    case ReduceKind::Min:
        full = !isFloat(dtype);
        identity = a.kind == ReduceKind::Max ? -infinity : infinity;
        break;
    }
    if (full) { // the least or the greatest whole number of the type
        const bool isUnsigned = dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64
            || dtype == DType::U2 || dtype == DType::U4;
        const auto bits = 8 * static_cast<unsigned>(byteSize(dtype));
        const std::uint64_t ones = bits == 64 ? ~std::uint64_t{ 0 } : (std::uint64_t{ 1 } << bits) - 1;
        if (a.kind == ReduceKind::Max)
            text = isUnsigned ? "0" : '-' + std::to_string((ones >> 1) + 1);
        else
            text = std::to_string(isUnsigned ? ones : ones >> 1);
        text = "dense<" + text + "> : tensor<" + std::string(shardscope::name(dtype)) + '>';
    } else {
        text = constant({ { identity }, {} }, { dtype, {} });
    }
    const std::string init = "%init" + std::to_string(m_nextConstant++);
    const std::size_t lineBegin = m_out.text.rfind('\n') + 1;
    const auto indent = static_cast<int>(m_out.text.size() - lineBegin);
    add(init + " = stablehlo.constant " + text);
    newLine(indent);
    m_reduceInit = init;
}

} // namespace shardscope::mlir
