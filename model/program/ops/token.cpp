// SPDX-License-Identifier: GPL-3.0-or-later
// Operations on tokens (which order what has side effects), on tuples, and on the number of the device itself.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

const TensorType token{ DType::Token, {} };

Result<void> checkAfterAll(const Subject& op)
{
    SHARDSCOPE_CHECK(expectResults(op, 1));
    for (std::size_t i = 0; i < op.operands.size(); ++i)
        SHARDSCOPE_CHECK(expectType(op, "operand " + std::to_string(i), op.operands[i], token));
    return expectType(op, "the result", op.results[0], token);
}

/// What goes out (send, outfeed), a token last, and a token as the result.
Result<void> checkOutgoing(const Subject& op)
{
    if (op.operands.empty())
        return op.operand("no operand; a token is needed");
    SHARDSCOPE_CHECK(expectResults(op, 1));
    SHARDSCOPE_CHECK(expectType(op, "the last operand", op.operands.back(), token));
    return expectType(op, "the result", op.results[0], token);
}

/// What comes in (recv, infeed): a token as operand, a token last among the results.
Result<void> checkIncoming(const Subject& op)
{
    if (op.results.empty())
        return op.operand("no result; a token is needed");
    SHARDSCOPE_CHECK(expectType(op, "the operand", op.operands[0], token));
    return expectType(op, "the last result", op.results.back(), token);
}

Result<void> checkDeviceNumber(const Subject& op)
{
    SHARDSCOPE_CHECK(expectResults(op, 1));
    return expectType(op, "the result", op.results[0], { DType::U32, {} });
}

/// The elements of the text of a tuple type, without spaces; nothing if it is none.
std::optional<std::vector<std::string>> tupleElements(const Program& program, const TensorType& type)
{
    if (type.dtype != DType::Other || type.other >= program.otherTypes.size())
        return std::nullopt;
    std::string text;
    for (const char c : program.otherTypes[type.other])
        if (c != ' ')
            text += c;
    if (!text.starts_with("tuple<") || !text.ends_with('>'))
        return std::nullopt;
    std::vector<std::string> elements;
    int depth = 0;
    for (const char c : std::string_view(text).substr(6, text.size() - 7)) {
        depth += c == '<' || c == '(' || c == '[' || c == '{' ? 1
            : c == '>' || c == ')' || c == ']' || c == '}'    ? -1
                                                              : 0;
        if (elements.empty())
            elements.emplace_back();
        if (c == ',' && depth == 0)
            elements.emplace_back();
        else
            elements.back() += c;
    }
    return elements;
}

Result<void> checkTuple(const Subject& op)
{
    SHARDSCOPE_CHECK(expectResults(op, 1));
    const auto elements = tupleElements(op.program, op.results[0]);
    if (!elements)
        return op.mismatch("the result is no tuple");
    if (elements->size() != op.operands.size())
        return op.mismatch(
            "a tuple of " + std::to_string(elements->size()) + " of " + counted(op.operands.size(), "operand"));
    return {};
}

Result<void> checkTupleElement(const Subject& op)
{
    SHARDSCOPE_TRY(own, op.otherAttributes<TupleElementAttributes>());
    SHARDSCOPE_CHECK(expectResults(op, 1));
    const auto elements = tupleElements(op.program, op.operands[0]);
    if (!elements)
        return op.mismatch("the operand is no tuple");
    const std::int64_t index = (*own)->index;
    if (index < 0 || index >= static_cast<std::int64_t>(elements->size()))
        return op.attribute("element " + std::to_string(index) + " of a tuple of " + std::to_string(elements->size()));
    const std::string& element = (*elements)[at(index)];
    const TensorType& result = op.results[0];
    const bool plain = element.starts_with("tensor<") && element.find_first_of(",#*?") == std::string::npos;
    const bool dynamic = std::find(result.shape.begin(), result.shape.end(), dynamicSize) != result.shape.end();
    if ((plain || result.dtype == DType::Token) && result.dtype != DType::Other && !dynamic
        && element != toString(result))
        return op.mismatch("the result is " + toString(result) + " and should be " + element);
    return {};
}

constexpr OpRow tokenRow(OpKind kind, std::string_view name, std::int8_t operands, decltype(OpRow::check) check)
{
    return { .kind = kind,
        .name = name,
        .operandCount = operands,
        .factors = noFactors,
        .check = check,
        .work = noWork,
        .anyType = true };
}

using enum OpKind;
constexpr std::array tokenTable{
    tokenRow(AfterAll, "after_all", -1, checkAfterAll),
    tokenRow(CreateToken, "create_token", 0, checkAfterAll),
    tokenRow(Send, "send", -1, checkOutgoing),
    tokenRow(Outfeed, "outfeed", -1, checkOutgoing),
    tokenRow(Recv, "recv", 1, checkIncoming),
    tokenRow(Infeed, "infeed", 1, checkIncoming),
    tokenRow(PartitionId, "partition_id", 0, checkDeviceNumber),
    tokenRow(ReplicaId, "replica_id", 0, checkDeviceNumber),
    tokenRow(Tuple, "tuple", -1, checkTuple),
    tokenRow(GetTupleElement, "get_tuple_element", 1, checkTupleElement),
};

} // namespace

std::span<const OpRow> tokenRows()
{
    return tokenTable;
}

} // namespace shardscope::ops
