// SPDX-License-Identifier: GPL-3.0-or-later
// Regions, statements and the generic form of operations.
// A part of Reader, which is declared in reader.h.
#include <algorithm>

#include "base/codes.h"
#include "program/custom_calls.h"
#include "program/known_operations.h"
#include "program/op_row.h"
#include "program/value_shardings.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

/// The operation of the same dialect that may have been meant; "" for none.
std::string nearestOperation(std::string_view declared)
{
    const std::string dialect(declared.substr(0, declared.find('.') + 1));
    std::vector<std::string> known;
    for (std::size_t kind = 0; kind < opKindCount; ++kind) {
        const OpRow& row = opRow(static_cast<OpKind>(kind));
        if (!row.name.empty() && std::string(prefix(row.dialect)) + '.' == dialect)
            known.push_back(dialect + std::string(row.name));
    }
    return nearestName(declared, known);
}

bool isReturn(std::string_view name)
{
    return name == "return" || name == "stablehlo.return" || name == "func.return" || name == "sdy.return"
        || name == "mhlo.return";
}

/// Operations of StableHLO's tests, which only look at values.
bool isCheck(std::string_view name)
{
    return name.starts_with("check.") || name.starts_with("interpreter.");
}

/// Kinds whose operands and results all have the one type after the colon.
bool hasOneType(OpKind kind)
{
    if (kind == OpKind::Reshard || kind == OpKind::PropagationBarrier || kind == OpKind::DataFlowEdge
        || kind == OpKind::FuncDataFlowEdge || isShardyCollective(kind))
        return true; // they change how an array is sharded, never what it is
    return kind != OpKind::Select && kind != OpKind::Map && kind != OpKind::Complex && opRow(kind).elementwise;
}

} // namespace

bool startsName(char c)
{
    return isLetter(c) || c == '_';
}

OpKind kindOf(std::string_view name)
{
    if (name == "call")
        return OpKind::Call;
    if (name == "arith.constant")
        return OpKind::Constant;
    const bool hasDialect = name.find('.') != std::string_view::npos;
    return hasDialect ? parseOpKind(name).value_or(OpKind::Opaque) : OpKind::Opaque;
}

void Pending::clear()
{
    name = {};
    kind = OpKind::Opaque;
    generic = false;
    results.clear();
    operands.clear();
    attributes.clear();
    operandTypes.clear();
    resultTypes.clear();
    arrow = false;
    isDoubtful = false;
    made = {};
    isMade = false;
    steps.clear();
    lastOperands.clear();
    regions.clear();
    kept.clear();
    location = {};
}

std::uint32_t Pending::resultCount() const
{
    std::uint64_t count = 0;
    for (const ResultName& result : results)
        count += result.count;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, 0xffff'ffff));
}

Pending& Reader::pending()
{
    const auto depth = static_cast<std::size_t>(m_depth);
    while (m_pending.size() <= depth)
        m_pending.push_back(std::make_unique<Pending>());
    return *m_pending[depth];
}

std::size_t Reader::linesAfter(std::size_t position)
{
    const bool isNew = m_countedFrom > position;
    const std::size_t begin = isNew ? position : m_countedFrom, end = isNew ? m_end : position;
    const std::string_view text = m_text.substr(begin, end - begin);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    m_linesAfter = isNew ? lines : m_linesAfter - lines;
    m_countedFrom = position;
    return m_linesAfter;
}

/// Room for as many items as the rest of the text has, if it goes on as it began: what grows by doubling is held twice
/// while it is moved. Memory that is never touched costs nothing.
template <class T>
void Reader::makeRoom(std::vector<T>& items, std::size_t position)
{
    constexpr std::size_t sample = 1024, shortest = 8; // items; bytes of text per item
    if (items.size() < items.capacity() || items.size() < sample)
        return;
    const auto total = static_cast<double>(m_end - m_begin), done = static_cast<double>(position - m_begin + 1);
    const double left = std::min(
        static_cast<double>(items.size()) * (total - done) / done, (total - done) / static_cast<double>(shortest));
    // Most texts have an item on each line. Room that stays empty takes no memory; too little is copied.
    const auto lines = static_cast<double>(linesAfter(position));
    items.reserve(items.size() + static_cast<std::size_t>(std::clamp(lines, left * 1.25, left * 3)) + sample);
}

RegionId Reader::addRegion()
{
    m_program.regions.emplace_back();
    return RegionId(m_program.regions.size() - 1);
}

ValueId Reader::addArgument(RegionId region, TensorType type)
{
    Region& owner = m_program.regions[region.index];
    Value value;
    value.type = std::move(type);
    value.index = static_cast<std::uint32_t>(owner.arguments.size());
    m_program.values.push_back(std::move(value));
    const ValueId id(m_program.values.size() - 1);
    owner.arguments.push_back(id);
    return id;
}

bool Reader::bind(std::string_view name, ValueId value, std::uint32_t count)
{
    if (m_names.add(name, value)) {
        m_nameOffsets.resize(value.index, ReadProgram::noName);
        m_nameOffsets.resize(
            std::size_t{ value.index } + count, static_cast<std::uint32_t>(name.data() - m_text.data()));
        return true;
    }
    if (isUndefined(m_names.find(name)))
        return true; // used before: that has been said
    return wrong(Code::DefinedTwice, { { "what", "value" }, { "name", "%" + std::string(name) } },
        static_cast<std::size_t>(name.data() - m_text.data()) - 1);
}

bool Reader::readOperand(Scanner& s, ValueId& value)
{
    const std::size_t begin = s.position();
    if (s.raw() != '%')
        return s.expected("a value, “%name”");
    s.step();
    const std::string_view name = s.suffix();
    value = m_names.find(name);
    const auto undefined = [&] {
        if (!wrong(Code::UndefinedName, { { "what", "value" }, { "name", std::string(s.since(begin)) } }, begin))
            return false;
        value = undefinedValue();
        static_cast<void>(m_names.add(name, value)); // said once
        return true;
    };
    if (!value.valid())
        return undefined();
    if (s.raw() != '#')
        return true;
    s.step();
    std::int64_t index = 0;
    if (!s.digits(index))
        return s.expected("the number of a result");
    const OperationId definition = m_program.values[value.index].definition;
    const std::size_t wanted = value.index + static_cast<std::size_t>(std::min<std::int64_t>(index, 0x7fff'ffff));
    if (!definition.valid() || wanted >= m_program.values.size() || m_program.values[wanted].definition != definition)
        return undefined();
    value = ValueId(wanted);
    return true;
}

bool Reader::readOperands(Scanner& s, std::vector<ValueId>& operands)
{
    do {
        operands.emplace_back();
        if (!readOperand(s, operands.back()))
            return false;
    } while (s.accept(','));
    return true;
}

bool Reader::readParenthesised(Scanner& s, std::vector<ValueId>& operands)
{
    return s.require('(') && (s.accept(')') || (readOperands(s, operands) && s.require(')')));
}

bool Reader::readResultNames(Scanner& s, Pending& op)
{
    do {
        if (!s.accept('%'))
            return s.expected("the name of a result, “%name”");
        ResultName& result = op.results.emplace_back();
        result.name = s.suffix();
        if (result.name.empty())
            return s.expected("the name of a result after “%”");
        if (s.raw() == ':') {
            s.step();
            std::int64_t count = 0;
            const std::size_t begin = s.rawPosition();
            if (!s.digits(count) || count < 1)
                return s.expectedAt(begin, "the number of results");
            result.count = static_cast<std::uint32_t>(std::min<std::int64_t>(count, 0xffff'ffff));
        }
    } while (s.accept(','));
    return s.require('=');
}

bool Reader::readArguments(Scanner& s, RegionId region)
{
    return s.list('(', ')', [&] {
        if (!s.accept('%'))
            return s.expected("the name of an argument, “%name”");
        const std::string_view name = s.suffix();
        TensorType type;
        std::string_view location;
        return s.require(':') && readType(s, type) && bind(name, addArgument(region, std::move(type)))
            && acceptLocation(s, location);
    });
}

bool Reader::readBlockArguments(Scanner& s, RegionId region)
{
    // ^bb0(%a: tensor<f32> loc(...), %b: tensor<f32>):
    s.step();
    if (s.suffix().empty())
        return s.expected("the name of a block");
    return (!s.at('(') || readArguments(s, region)) && s.require(':');
}

bool Reader::readRegion(Scanner& s, RegionId region)
{
    const Deeper deeper(m_depth, maximumRegionDepth);
    if (!deeper.fits)
        return s.problem(
            Code::TooLarge, { { "what", "regions inside each other" }, { "limit", maximumRegionDepth } }, s.position());
    if (!s.require('{') || (s.at('^') && !readBlockArguments(s, region)))
        return false;
    return readStatements(s, region) && s.require('}');
}

bool Reader::readStatements(Scanner& s, RegionId region)
{
    bool returned = false;
    while (!returned) {
        const char c = s.peek();
        if (s.atEnd() || c == '}')
            return true;
        if (c == '^')
            return s.expected("one block: jumps between blocks are not part of StableHLO");
        if (!readStatement(s, region, returned))
            return false;
    }
    if (s.at('^'))
        return s.expected("one block: jumps between blocks are not part of StableHLO");
    return true;
}

bool Reader::readReturn(Scanner& s, RegionId region, bool generic)
{
    std::vector<ValueId> values;
    std::vector<TensorType> types, none;
    std::vector<NamedAttribute> ignored;
    const std::size_t begin = s.position();
    if (generic) {
        if (!readParenthesised(s, values))
            return false;
    } else if (s.raw() == '%' && !readOperands(s, values)) {
        return false;
    }
    if (s.at('{') && !readDictionary(s, ignored))
        return false;
    if (s.accept(':') && !(generic ? readFunctionType(s, types, none) : readTypes(s, types)))
        return false;
    std::string_view location;
    if (!acceptLocation(s, location))
        return false;
    if (types.size() != values.size()
        && !wrong(Code::CountMismatch,
            { { "what", "types" }, { "found", types.size() }, { "wanted", values.size() }, { "of", "return" } }, begin))
        return false;
    for (std::size_t i = 0; i < std::min(types.size(), values.size()); ++i)
        if (types[i] != typeOf(values[i]) && !isDoubtful(values[i])
            && !wrong(Code::OperandType,
                { { "op", "return" }, { "index", i }, { "given", typeText(types[i]) },
                    { "actual", typeText(typeOf(values[i])) } },
                begin))
            return false;
    dropUndefined(values);
    m_program.regions[region.index].results = std::move(values);
    return true;
}

bool Reader::readStatement(Scanner& s, RegionId region, bool& returned)
{
    Pending& op = pending();
    op.clear();
    op.begin = s.position();
    if (s.raw() == '%' && !readResultNames(s, op))
        return false;
    op.position = s.position();
    if (s.raw() == '"') {
        op.name = s.quoted();
        op.generic = true;
        if (op.name.size() < 3)
            return s.expectedAt(op.position, "an operation");
        op.name = op.name.substr(1, op.name.size() - 2);
        if (op.name.find('\\') != std::string_view::npos) {
            op.unescapedName = unescaped(op.name);
            op.name = op.unescapedName;
        }
    } else {
        op.name = s.word();
        if (op.name.empty())
            return s.expected("an operation");
    }
    if (isReturn(op.name)) {
        if (!op.results.empty())
            return s.expectedAt(op.position, "an operation that has results");
        returned = true;
        return readReturn(s, region, op.generic);
    }
    constexpr std::size_t maximumValues = 0xffff'fff0;
    const bool isFull = m_program.operations.size() >= m_options.maximumOperations;
    if (isFull || m_program.values.size() + op.resultCount() >= maximumValues)
        return s.problem(Code::TooLarge,
            { { "what", isFull ? "operations" : "values" },
                { "limit", isFull ? m_options.maximumOperations : maximumValues } },
            op.begin);
    op.kind = kindOf(op.name);
    op.source = addSource(op.begin);
    const OperationId id(m_program.operations.size());
    makeRoom(m_program.operations, op.begin);
    makeRoom(m_program.values, op.begin);
    makeRoom(m_nameOffsets, op.begin);
    makeRoom(m_program.sources, op.begin);
    m_program.operations.emplace_back();
    if (!(op.generic ? readGeneric(s, op) : readPretty(s, op)) || !acceptLocation(s, op.location))
        return false;
    return finishOperation(op, id, region);
}

bool Reader::readGeneric(Scanner& s, Pending& op)
{
    if (!readParenthesised(s, op.operands))
        return false;
    if (s.at('['))
        return s.expected("no jumps to other blocks: they are not part of StableHLO");
    if (s.accept("<")) {
        if (!readDictionary(s, op.attributes) || !s.require('>'))
            return false;
    }
    if (s.accept('(')) {
        do {
            const RegionId region = addRegion();
            op.regions.push_back(region);
            m_names.openScope();
            if (!readRegion(s, region))
                return false;
            m_names.closeScope();
        } while (s.accept(','));
        if (!s.require(')'))
            return false;
    }
    if (s.at('{') && !readDictionary(s, op.attributes))
        return false;
    op.arrow = true;
    return s.require(':') && readFunctionType(s, op.operandTypes, op.resultTypes);
}

bool Reader::readTypesAfter(Scanner& s, Pending& op)
{
    if (!s.require(':'))
        return false;
    if (!s.at('(')) {
        if (!readTypes(s, op.operandTypes))
            return false;
    } else {
        (void)s.accept('(');
        if (!s.accept(')') && (!readTypes(s, op.operandTypes) || !s.require(')')))
            return false;
    }
    if (!s.accept("->"))
        return true;
    op.arrow = true;
    if (s.accept('('))
        return s.accept(')') || (readTypes(s, op.resultTypes) && s.require(')'));
    return readTypes(s, op.resultTypes);
}

bool Reader::settleTypes(Pending& op)
{
    const auto mismatch = [&](const char* what, std::size_t found, std::size_t wanted) {
        return m_scanner.problem(Code::CountMismatch,
            { { "what", what }, { "found", found }, { "wanted", wanted }, { "of", std::string(op.name) } },
            op.position);
    };
    const std::size_t wanted = op.results.empty() ? 0 : op.resultCount();
    if (!op.arrow) {
        std::vector<TensorType>& types = op.operandTypes;
        if (op.kind == OpKind::ShardingGroup || types.empty() || (op.kind == OpKind::Opaque && wanted == 0)) {
            if (types.empty() && wanted > 0)
                return mismatch("types", 0, wanted);
        } else if (op.kind == OpKind::While || op.kind == OpKind::OptimizationBarrier
            || (op.kind == OpKind::Opaque && types.size() == wanted)) {
            op.resultTypes = types;
        } else if (wanted <= 1) {
            op.resultTypes.push_back(types.back());
        } else {
            return mismatch("types", types.size(), wanted);
        }
        const bool oneType = hasOneType(op.kind) && types.size() == 1;
        if (oneType || op.kind == OpKind::While || op.kind == OpKind::OptimizationBarrier) {
            if (oneType)
                types.resize(op.operands.size(), types.front());
            if (!checkOperandTypes(op)) {
                op.isDoubtful = oneType;
                return false;
            }
        }
    } else if ((op.kind != OpKind::Opaque || op.generic) && !checkOperandTypes(op)) {
        return false;
    }
    if (!op.results.empty() && wanted != op.resultTypes.size())
        return mismatch("results", wanted, op.resultTypes.size());
    return true;
}

bool Reader::checkOperandTypes(const Pending& op)
{
    if (op.operandTypes.size() != op.operands.size())
        return m_scanner.problem(Code::CountMismatch,
            { { "what", "types" }, { "found", op.operandTypes.size() }, { "wanted", op.operands.size() },
                { "of", std::string(op.name) } },
            op.position);
    for (std::size_t i = 0; i < op.operands.size(); ++i)
        if (op.operandTypes[i] != typeOf(op.operands[i]) && !isDoubtful(op.operands[i]))
            return m_scanner.problem(Code::OperandType,
                { { "op", std::string(op.name) }, { "index", i }, { "given", typeText(op.operandTypes[i]) },
                    { "actual", typeText(typeOf(op.operands[i])) } },
                op.position);
    return true;
}

bool Reader::bindResults(Pending& op, OperationId id, Operation& operation)
{
    const std::size_t first = m_program.values.size();
    const Role role = op.kind == OpKind::Constant || op.kind == OpKind::SdyConstant || op.kind == OpKind::ChloConstant
        ? Role::Constant
        : Role::Temporary;
    for (std::size_t i = 0; i < op.resultTypes.size(); ++i) {
        Value& value = m_program.values.emplace_back();
        value.type = std::move(op.resultTypes[i]);
        value.definition = id;
        value.index = static_cast<std::uint32_t>(i);
        value.role = role;
        operation.results.push_back(ValueId(first + i));
        if (op.isDoubtful)
            m_doubtful.emplace_back(first + i);
    }
    std::size_t next = first;
    for (const ResultName& result : op.results) {
        if (!bind(result.name, ValueId(next), result.count))
            return false;
        next += result.count;
    }
    return true;
}

bool Reader::settle(Pending& op, std::vector<ProgramSharding>& shardings)
{
    if (!settleTypes(op) || (!op.attributes.empty() && !takeResultShardings(op, shardings)))
        return false;
    // Of the pretty form and of the dictionary together. Pieces of an unknown form have names of our own.
    if (op.kind != OpKind::Opaque && !checkNames(op.attributes))
        return false;
    return (op.isMade || makeAttributes(op)) && (op.attributes.empty() || takeFrontend(op, shardings));
}

bool Reader::finishOperation(Pending& op, OperationId id, RegionId region)
{
    std::vector<ProgramSharding> shardings;
    const bool isFaulty = !settle(op, shardings)
        || std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return isUndefined(v); });
    if (isFaulty) {
        if (!keepFaulty(op))
            return false;
        shardings.clear();
    } else if (!op.lastOperands.empty()) {
        id = addSteps(op, id, region);
    }
    Operation& operation = m_program.operations[id.index];
    operation.kind = op.kind;
    operation.operands.assign(op.operands.begin(), op.operands.end());
    operation.regions = op.regions;
    operation.attributes = m_parts.attributes(std::move(op.made));
    operation.source = op.source;
    makeRoom(m_locations, op.begin);
    setLocation(op.source, op.location);
    if (!bindResults(op, id, operation))
        return false;
    addShardings(operation, id, std::move(shardings));
    if (!op.attributes.empty()) {
        readScope(op.attributes, operation);
        if (operation.results.size() == 1)
            readOwnNames(op.attributes, operation.results[0]);
        if (!operation.results.empty() && hasHloSharding(op.attributes)) {
            std::vector<HloShardingText> results;
            for (const ValueId result : operation.results)
                results.push_back({ .value = result });
            noteHloSharding(results, op.attributes, op.name);
        }
        if (!keep(op.attributes, operation.extra, std::move(op.kept)))
            return false;
    }
    if (!isFaulty)
        warnOf(op, operation);
    m_program.regions[region.index].operations.push_back(id);
    return !m_firstError.error;
}

/// Of what nothing is known: operations, and targets of custom calls, each of these once.
void Reader::warnOf(const Pending& op, const Operation& operation)
{
    if (op.kind == OpKind::Opaque && !isCheck(op.name) && !knownOperation(op.name)) {
        std::vector<Arg> args{ { "op", std::string(op.name) } };
        if (std::string nearest = nearestOperation(op.name); !nearest.empty())
            args.emplace_back("nearest", std::move(nearest));
        warn(Code::OpaqueOperation, std::move(args), op.position);
    }
    const auto* call = attributesAs<CustomCallAttributes>(operation.attributes);
    if (!call || customCallFamily(call->target) != CustomCallFamily::Unknown || m_unknownTargets.contains(call->target))
        return;
    const Dictionary& further = m_program.dictionaries[operation.extra];
    if (std::any_of(further.begin(), further.end(), [](const NamedText& t) { return t.name == "sdy.sharding_rule"; }))
        return; // the text says how axes go through it
    m_unknownTargets.insert(call->target);
    warn(Code::UnknownCustomCall, { { "target", call->target } }, op.position);
}

void Reader::addShardings(const Operation& operation, OperationId id, std::vector<ProgramSharding> shardings)
{
    std::vector<ShardingIndex> indices;
    for (ProgramSharding& sharding : shardings)
        indices.push_back(addSharding(std::move(sharding)));
    if (indices.size() == operation.results.size()) {
        for (std::size_t i = 0; i < indices.size(); ++i)
            shard(operation.results[i], indices[i]);
    } else if (!indices.empty()) { // operations end in another order than they begin
        std::vector<UnmatchedShardings>& unmatched = m_program.unmatchedShardings;
        const auto after = std::upper_bound(unmatched.begin(), unmatched.end(), id.index,
            [](std::uint32_t index, const UnmatchedShardings& one) { return index < one.operation.index; });
        unmatched.insert(after, { id, std::move(indices) });
    }
}

void Reader::warn(Code code, std::vector<Arg> args, std::size_t position)
{
    constexpr std::size_t most = 1000;
    if (m_warnings.size() >= most)
        return;
    Where where;
    const Places::Place place = m_warningPlaces.of(position);
    where.line = static_cast<int>(place.line);
    where.column = static_cast<int>(place.column);
    m_warnings.push_back({ code, std::move(args), std::move(where) });
}

} // namespace shardscope::mlir
