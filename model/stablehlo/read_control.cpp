// SPDX-License-Identifier: GPL-3.0-or-later
// Pretty forms with bodies: while and reduce.
// A part of Reader, which is declared in reader.h.

#include "base/codes.h"
#include "program/body.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

bool Reader::readWhile(Scanner& s, Pending& op)
{
    // (%i = %a, %j = %b) : types attributes {...} cond {...} do {...}
    std::vector<std::string_view> names;
    if (!s.list('(', ')', [&] {
            if (!s.accept('%'))
                return s.expected("the name of what the loop carries, “%name”");
            names.push_back(s.suffix());
            return s.require('=') && readOperand(s, op.operands.emplace_back());
        }))
        return false;
    if (!names.empty() || s.at(':')) {
        if (!s.require(':'))
            return false;
        if (!names.empty() && !readTypes(s, op.operandTypes))
            return false;
    }
    if (op.operandTypes.size() != names.size())
        return s.problem(Code::CountMismatch,
            { { "what", "types" }, { "found", op.operandTypes.size() }, { "wanted", names.size() },
                { "of", "stablehlo.while" } },
            op.position);
    if (s.acceptWord("attributes") && !readDictionary(s, op.attributes))
        return false;
    for (const char* keyword : { "cond", "do" }) {
        if (!s.acceptWord(keyword))
            return s.expected("“" + std::string(keyword) + "”");
        const RegionId region = addRegion();
        op.regions.push_back(region);
        m_names.openScope();
        for (std::size_t i = 0; i < names.size(); ++i)
            if (!bind(names[i], addArgument(region, op.operandTypes[i])))
                return false;
        if (!readRegion(s, region))
            return false;
        m_names.closeScope();
    }
    op.isMade = true;
    return true;
}

bool Reader::readReduce(Scanner& s, Pending& op)
{
    // (%a init: %x), (%b init: %y) applies stablehlo.add across dimensions = [0] {attributes} : (...) -> ...
    // or without "applies" and with "reducer(%p: t, %q: t) (%r: t, %s: t) {...}" after the types.
    std::vector<ValueId> inits;
    do {
        if (!s.require('(') || !readOperand(s, op.operands.emplace_back()))
            return false;
        if (!s.acceptWord("init") || !s.require(':'))
            return s.expected("“init: %name”");
        if (!readOperand(s, inits.emplace_back()) || !s.require(')'))
            return false;
    } while (s.accept(','));
    const std::size_t inputs = op.operands.size();
    op.operands.insert(op.operands.end(), inits.begin(), inits.end());
    std::string_view applied;
    if (s.acceptWord("applies")) {
        const std::size_t begin = s.position();
        applied = s.word();
        if (kindOf(applied) == OpKind::Opaque)
            return s.expectedAt(begin, "the operation that is applied, as “stablehlo.add”");
    }
    if (!s.acceptWord("across") || !s.acceptWord("dimensions") || !s.require('='))
        return s.expected("“across dimensions = [...]”");
    VariadicReduceAttributes reduce;
    if (!readDimensions(s, reduce.dimensions) || !readAttributesAfter(s, op) || !readTypesAfter(s, op))
        return false;
    if (!applied.empty() && inputs == 1)
        reduce.kind = reductionBy(kindOf(applied));
    if (!reduce.kind && !(applied.empty() ? readReducer(s, op, inputs) : makeReduceBody(op, applied, inputs)))
        return false;
    op.made = otherAttributes(std::move(reduce));
    op.isMade = true;
    return true;
}

bool Reader::readReducer(Scanner& s, Pending& op, std::size_t inputs)
{
    if (!s.acceptWord("reducer"))
        return s.expected("the body, “reducer(...)”");
    std::vector<std::string_view> names(2 * inputs);
    std::vector<TensorType> types(2 * inputs);
    for (std::size_t i = 0; i < inputs; ++i) {
        if (!s.require('('))
            return false;
        for (const std::size_t slot : { i, inputs + i }) {
            std::string_view location;
            if (!s.accept('%'))
                return s.expected("the name of an argument, “%name”");
            names[slot] = s.suffix();
            if (!s.require(':') || !readType(s, types[slot]) || !acceptLocation(s, location))
                return false;
            if (slot == i && !s.require(','))
                return false;
        }
        if (!s.require(')'))
            return false;
    }
    const RegionId region = addRegion();
    op.regions.push_back(region);
    m_names.openScope();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!bind(names[i], addArgument(region, std::move(types[i]))))
            return false;
    if (!readRegion(s, region))
        return false;
    m_names.closeScope();
    return true;
}

bool Reader::makeReduceBody(Pending& op, std::string_view name, std::size_t inputs)
{
    const RegionId region = addRegion();
    op.regions.push_back(region);
    // The types of the initial values are those of the body; of several inputs there is no short form.
    if (inputs != 1 || op.operands.size() != 2)
        return m_scanner.expectedAt(op.position, "one input before “applies”");
    const TensorType type = typeOf(op.operands[1]);
    Operation body;
    body.kind = kindOf(name);
    for (int i = 0; i < 2; ++i)
        body.operands.push_back(addArgument(region, type));
    const OperationId id(m_program.operations.size());
    Value& result = m_program.values.emplace_back();
    result.type = type;
    result.definition = id;
    const ValueId value(m_program.values.size() - 1);
    body.results.push_back(value);
    body.source = op.source;
    m_program.operations.push_back(std::move(body));
    m_program.regions[region.index].operations.push_back(id);
    m_program.regions[region.index].results.push_back(value);
    return true;
}

} // namespace shardscope::mlir
