// SPDX-License-Identifier: GPL-3.0-or-later
// Pretty forms. Most are "%a, %b, name = value {attributes} : types"; the others are read one by one.
// Declared in reader.h.

#include "stablehlo/reader.h"

namespace shardscope::mlir {

bool Reader::readPretty(Scanner& s, Pending& op)
{
    switch (op.kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::ChloConstant:
        return readConstant(s, op);
    case OpKind::Slice:
        return readSlice(s, op);
    case OpKind::Compare:
        return readCompare(s, op);
    case OpKind::Convolution:
        return readConvolution(s, op);
    case OpKind::Call:
    case OpKind::CustomCall:
        return readCall(s, op);
    case OpKind::Composite:
        return readComposite(s, op);
    case OpKind::GetTupleElement:
        return readTupleElement(s, op);
    case OpKind::ChloTopK:
        return readTopK(s, op);
    case OpKind::While:
        return readWhile(s, op);
    case OpKind::VariadicReduce:
        return readReduce(s, op);
    case OpKind::Opaque:
        if (isEarlierOperation(op.name))
            break;
        return readOpaque(s, op);
    case OpKind::OptimizationBarrier: // {attributes} %a, %b : ...
        if (!readAttributesAfter(s, op))
            return false;
        break;
    default:
        break;
    }
    if (opRow(op.kind).dialect == OpDialect::Sdy)
        return readSdy(s, op);
    return readItems(s, op) && readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::readAttributesAfter(Scanner& s, Pending& op)
{
    return !s.at('{') || readDictionary(s, op.attributes);
}

bool Reader::readItems(Scanner& s, Pending& op)
{
    // Items separated by commas, up to ":" or "{".
    if (s.at(':') || s.at('{'))
        return true;
    do {
        if (s.at('%')) {
            op.operands.emplace_back();
            if (!readOperand(s, op.operands.back()))
                return false;
        } else if (startsName(s.peek())) {
            NamedAttribute& attribute = op.attributes.emplace_back();
            if (!readNamed(s, attribute, true))
                return false;
        } else {
            return s.expected("an operand, “%name”");
        }
    } while (s.accept(','));
    return true;
}

bool Reader::readConstant(Scanner& s, Pending& op)
{
    // {attributes} dense<...> : type; or as any operation is written, () <{value = dense<...> : type}> : () -> type
    if (s.at('('))
        return readGeneric(s, op);
    if (!readAttributesAfter(s, op))
        return false;
    if (op.name.starts_with("arith.") && !s.at('#') && !s.peekWord().starts_with("dense")) {
        op.kind = OpKind::Opaque; // a number by itself, which is no array
        return readOpaque(s, op);
    }
    const std::size_t begin = s.position();
    ConstantAttributes constant;
    op.arrow = true;
    TensorType& type = op.resultTypes.emplace_back();
    std::string_view value;
    if (s.raw() == '#') {
        if (!s.skipItem())
            return false;
        value = s.since(begin);
        if (!resolve(value))
            return false;
        Scanner alias = s.within(value);
        if (!readElements(alias, constant, type) || (s.accept(':') && !readType(s, type)))
            return false;
    } else {
        if (!readElements(s, constant, type))
            return false;
        value = s.since(begin);
    }
    op.isMade = true;
    if (constant.bytes) {
        op.made = std::move(constant);
        return true;
    }
    op.made = otherAttributes(OpaqueAttributes{ std::string(op.name) }); // elements of a type that is not known
    op.kind = OpKind::Opaque;
    op.attributes.push_back({ "value", value, begin, false });
    return true;
}

bool Reader::readSlice(Scanner& s, Pending& op)
{
    // %0 [0:4, 2:8:2] : (...) -> ...
    op.operands.emplace_back();
    if (!readOperand(s, op.operands.back()))
        return false;
    SliceAttributes slice;
    if (!s.list('[', ']', [&] {
            std::int64_t start = 0, limit = 0, stride = 1;
            if (!s.integer(start) || !s.require(':') || !s.integer(limit) || (s.accept(':') && !s.integer(stride)))
                return false;
            slice.starts.push_back(start);
            slice.limits.push_back(limit);
            slice.strides.push_back(stride);
            return true;
        }))
        return false;
    op.made = otherAttributes(std::move(slice));
    op.isMade = true;
    return readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::readCompare(Scanner& s, Pending& op)
{
    // LT, %a, %b, SIGNED : (...) -> ...
    const std::size_t begin = s.position();
    op.attributes.push_back({ "comparison_direction", s.word(), begin, false });
    if (!s.require(',') || !readOperand(s, op.operands.emplace_back()) || !s.require(',')
        || !readOperand(s, op.operands.emplace_back()))
        return false;
    if (s.accept(',')) {
        const std::size_t type = s.position();
        op.attributes.push_back({ "compare_type", s.word(), type, false });
    }
    return readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::readConvolution(Scanner& s, Pending& op)
{
    // (%lhs, %rhs) dim_numbers = [...]x[...]->[...], window = {...} {attributes} : (...) -> ...
    if (!readParenthesised(s, op.operands))
        return false;
    do {
        NamedAttribute& attribute = op.attributes.emplace_back();
        if (!readNamed(s, attribute, true))
            return false;
        if (attribute.name != "window")
            continue;
        attribute.taken = true; // its parts take its place
        std::vector<NamedAttribute> parts;
        Scanner inside = s.within(attribute.value);
        if (!inside.listWithTrailingComma('{', '}', [&] { return readNamed(inside, parts.emplace_back(), false); })
            || !checkNames(parts))
            return false;
        op.attributes.insert(op.attributes.end(), parts.begin(), parts.end());
    } while (s.accept(','));
    return readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::readCall(Scanner& s, Pending& op)
{
    // @name(%a, %b) {attributes} : (...) -> ...
    const std::size_t begin = s.position();
    std::string ignored;
    if (!s.symbol(ignored))
        return false;
    op.attributes.push_back({ op.kind == OpKind::Call ? "callee" : "call_target_name", s.since(begin), begin, false });
    return readParenthesised(s, op.operands) && readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::readComposite(Scanner& s, Pending& op)
{
    // "name" %a, %b {attributes} : (...) -> ...
    const std::size_t begin = s.position();
    if (s.quoted().empty())
        return s.expected("the name of the composite as a string");
    op.attributes.push_back({ "name", s.since(begin), begin, false });
    if (s.at('%') && !readOperands(s, op.operands))
        return false;
    return readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::readTupleElement(Scanner& s, Pending& op)
{
    // %tuple[1] : (tuple<...>) -> ...
    TupleElementAttributes element;
    if (!readOperand(s, op.operands.emplace_back()) || !s.require('[') || !s.integer(element.index) || !s.require(']'))
        return false;
    op.made = otherAttributes(element);
    op.isMade = true;
    return readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::readTopK(Scanner& s, Pending& op)
{
    // (%0, k = 2) {attributes} : ... -> (..., ...)
    return s.require('(') && readItems(s, op) && s.require(')') && readAttributesAfter(s, op) && readTypesAfter(s, op);
}

} // namespace shardscope::mlir
