// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that the reader keeps by their names: checks of what was computed, functions on several devices, and
// those whose shapes are operands.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "program/custom_calls.h"
#include "program/extra_text.h"
#include "simulate/evaluate/body.h"
#include "simulate/evaluate/element_types.h"
#include "simulate/evaluate/interpreter.h"
#include "stablehlo/element_values.h"
#include "stablehlo/read.h"

namespace shardscope::evaluate {

namespace {

std::string_view nameOf(const Operation& op)
{
    if (const auto* opaque = wideAs<OpaqueAttributes>(op.attributes))
        return opaque->name;
    if (const auto* call = wideAs<CustomCallAttributes>(op.attributes))
        return call->target;
    return {};
}

/// The number that an attribute begins with: "0.1 : f64".
double numberOf(std::string_view text, double otherwise)
{
    const std::string held(text);
    char* end = nullptr;
    const double value = std::strtod(held.c_str(), &end);
    return end == held.c_str() ? otherwise : value;
}

std::string elementText(const Array& array, std::int64_t index)
{
    std::string text;
    mlir::appendElement(text, array.type.dtype, array.data() + index * array.elementBytes());
    return text;
}

/// How many numbers of the type lie between two, plus one; a large number where one of them is NaN or infinite alone.
std::int64_t stepsBetween(const Array& a, const Array& b, std::int64_t index)
{
    const double x = numberAt(a, index), y = numberAt(b, index);
    constexpr std::int64_t far = INT64_MAX;
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) && std::isnan(y) ? 0 : far;
    if (x == y)
        return 0;
    if (std::isinf(x) || std::isinf(y))
        return far;
    const auto place = [&](const Array& array) {
        std::int64_t bits = 0;
        const auto bytes = static_cast<std::size_t>(array.elementBytes());
        std::memcpy(&bits, array.data() + index * array.elementBytes(), bytes);
        const std::int64_t sign = std::int64_t{ 1 } << (bytes * 8 - 1);
        if (bytes == 8)
            return bits < 0 ? -(bits & INT64_MAX) : bits;
        return (bits & sign) != 0 ? -(bits & (sign - 1)) : bits;
    };
    const std::int64_t from = place(a), to = place(b);
    // Of opposite signs they may be further apart than there are numbers.
    if ((from < 0) != (to < 0) && (std::abs(from) > far / 2 || std::abs(to) > far / 2))
        return far;
    return std::abs(from - to);
}

bool agree(const Array& a, const Array& b, std::int64_t index, std::string_view how, double tolerance, double steps)
{
    const bool floats = isFloat(a.type.dtype);
    if (!floats)
        return std::memcmp(a.data() + index * a.elementBytes(), b.data() + index * b.elementBytes(),
                   static_cast<std::size_t>(a.elementBytes()))
            == 0;
    const double x = numberAt(a, index), y = numberAt(b, index);
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) && std::isnan(y);
    if (x == y)
        return true;
    if (how == "eq")
        return false;
    if (how == "almost_eq")
        return std::fabs(x - y) <= tolerance;
    return static_cast<double>(stepsBetween(a, b, index)) <= steps;
}

/// A value in a text, "dense<[1, 2]> : tensor<2xi32>".
std::optional<Array> writtenValue(std::string_view text, const TensorType& type)
{
    const std::string name = toString(type);
    std::string program = "func.func @main() -> " + name + " {\n  %0 = stablehlo.constant " + std::string(text);
    if (text.find(" : ") == std::string_view::npos)
        program += " : " + name;
    program += "\n  return %0 : " + name + "\n}\n";
    const auto read = readStableHlo(program);
    if (!read || read->program.operations.empty())
        return std::nullopt;
    const auto* constant = std::get_if<ConstantAttributes>(&read->program.operations[0].attributes);
    return constant ? std::optional(constantArray(*constant, type)) : std::nullopt;
}

Arrays dynamicPad(const Call& call)
{
    // As pad, with its numbers from operands.
    PadAttributes own;
    for (std::size_t list = 0; list < 3; ++list)
        for (std::int64_t d = 0; d < call.operands[2 + list].count(); ++d)
            (list == 0          ? own.low
                    : list == 1 ? own.high
                                : own.interior)
                .push_back(integerAt(call.operands[2 + list], d));
    Operation pad = call.operation;
    pad.kind = OpKind::Pad;
    pad.attributes = wide(own);
    return evaluator(OpKind::Pad)({ call.program, pad, call.operands.first(2), call.scope });
}

} // namespace

bool isCheck(const Operation& op)
{
    const std::string_view name = nameOf(op);
    for (const std::string_view known : { "check.expect_eq", "check.expect_eq_const", "check.expect_almost_eq",
             "check.expect_almost_eq_const", "check.expect_close" })
        if (name == known)
            return true;
    return false;
}

Result<void> check(Interpreter& state, OperationId id, const Devices& active)
{
    const Program& program = state.program();
    const Operation& op = program.operation(id);
    std::string_view how = nameOf(op);
    how.remove_prefix(std::string_view("check.expect_").size());
    const bool constant = how.ends_with("_const");
    if (constant)
        how.remove_suffix(std::string_view("_const").size());
    if (op.operands.size() < (constant ? 1U : 2U))
        return cannot(program, op, { { "wrong", "unknown" } });
    const double tolerance = numberOf(extraText(program, op, "tolerance"), 1e-4),
                 steps = numberOf(extraText(program, op, "max_ulp_difference"), 3);
    std::optional<Array> written;
    if (constant) {
        written = writtenValue(extraText(program, op, "value"), program.value(op.operands[0]).type);
        if (!written)
            return cannot(program, op, { { "wrong", "unknown" } });
    }
    for (const std::int32_t device : active) {
        const Array &value = state.at(op.operands[0], device),
                    &expected = constant ? *written : state.at(op.operands[1], device);
        CheckFinding finding{ id, device, -1, {}, {} };
        if (value.type != expected.type) {
            finding.value = toString(value.type);
            finding.expected = toString(expected.type);
        } else {
            for (std::int64_t i = 0; i < value.count() && finding.passed(); ++i) {
                if (agree(value, expected, i, how, tolerance, steps))
                    continue;
                finding.element = i;
                finding.value = elementText(value, i);
                finding.expected = elementText(expected, i);
            }
        }
        state.checks().push_back(std::move(finding));
    }
    return {};
}

namespace {

/// Of a constant of another dialect: "arith.constant".
std::optional<Array> constantOf(const Program& program, const Operation& op)
{
    const TensorType& type = program.value(op.results[0]).type;
    std::optional<Array> value = writtenValue(extraText(program, op, "value"), type);
    return value && value->type == type ? value : std::nullopt;
}

} // namespace

bool isKnownOpaque(const Program& program, const Operation& op)
{
    if (op.kind != OpKind::Opaque || op.results.size() != 1)
        return false;
    const std::string_view name = nameOf(op);
    const auto type = [&](std::size_t operand) -> const TensorType& {
        return program.value(op.operands[operand]).type;
    };
    const TensorType& made = program.value(op.results[0]).type;
    if (name == "stablehlo.dynamic_pad" && op.operands.size() == 5) {
        const auto isList = [&](std::size_t operand) {
            return type(operand).rank() == 1 && !isFloat(type(operand).dtype) && !isComplex(type(operand).dtype)
                && type(operand).shape[0] == static_cast<std::int64_t>(made.rank());
        };
        return type(0).dtype == made.dtype && type(0).rank() == made.rank() && type(1) == TensorType{ made.dtype, {} }
        && isList(2) && isList(3) && isList(4);
    }
    if (name == "stablehlo.dynamic_reshape" && op.operands.size() == 2)
        return type(0).dtype == made.dtype && type(0).elementCount() == made.elementCount();
    return name == "arith.constant" && op.operands.empty() && constantOf(program, op);
}

std::optional<TensorType> otherResult(const Program& program, const Operation& op, std::span<const Array> operands)
{
    const TensorType& declared = program.value(op.results[0]).type;
    if (op.kind != OpKind::Opaque || operands.size() != 5) // dynamic_pad alone has so many
        return {};
    TensorType made = operands[0].type;
    for (std::size_t d = 0; d < made.rank(); ++d) {
        const auto number = [&](std::size_t operand) {
            return integerAt(operands[operand], static_cast<std::int64_t>(d));
        };
        const std::int64_t size = made.shape[d], between = std::max<std::int64_t>(size - 1, 0);
        std::int64_t inside = 0;
        if (number(4) < 0 || __builtin_mul_overflow(number(4), between, &inside)
            || __builtin_add_overflow(inside, size, &inside) || __builtin_add_overflow(inside, number(2), &inside)
            || __builtin_add_overflow(inside, number(3), &inside))
            inside = -1;
        made.shape[d] = inside;
    }
    return made == declared ? std::nullopt : std::optional(made);
}

Arrays evaluateOpaque(const Call& call)
{
    if (nameOf(call.operation) == "stablehlo.dynamic_pad")
        return dynamicPad(call);
    if (call.operation.operands.empty())
        return { *constantOf(call.program, call.operation) };
    return { call.operands[0].reshaped(call.type()) };
}

bool isParallel(const Operation& op)
{
    return op.kind == OpKind::Opaque && nameOf(op) == "interpreter.run_parallel";
}

ParallelPrograms parallelPrograms(const Program& program, const Operation& op)
{
    const std::string_view text = extraText(program, op, "programs");
    ParallelPrograms found;
    std::int64_t rows = 0, names = 0;
    std::string_view name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[')
            ++rows;
        if (text[i] != '@')
            continue;
        std::size_t end = i + 1;
        while (end < text.size() && text[end] != ',' && text[end] != ']' && text[end] != ' ')
            ++end;
        const std::string_view own = text.substr(i + 1, end - i - 1);
        if (names++ > 0 && own != name)
            return {};
        name = own;
    }
    --rows; // the list itself
    if (rows < 1 || names % rows != 0)
        return {};
    found.function = program.function(name);
    found.replicas = rows;
    found.partitions = names / rows;
    return found;
}

Result<void> runParallel(Interpreter& state, const Operation& op, const Devices& active)
{
    const Program& program = state.program();
    const ParallelPrograms programs = parallelPrograms(program, op);
    const Region& body = program.regions[programs.function->body.index];
    ExecuteOptions options = state.options();
    options.replicas = programs.replicas;
    options.partitions = programs.partitions;
    options.observer = nullptr;
    Lifetimes lifetimes(program, programs.function->body);
    for (const std::int32_t outer : active) {
        Interpreter inner(program, options, lifetimes,
            { state.machine().workers, { state.machine().store(outer) }, state.machine().trips });
        Devices all;
        std::size_t next = 0;
        for (std::int32_t device = 0; device < inner.deviceCount(); ++device) {
            all.push_back(device);
            for (const ValueId argument : body.arguments)
                inner.set(argument, device, state.at(op.operands[next++], outer));
        }
        if (auto done = inner.run(programs.function->body, all); !done)
            return done;
        next = 0;
        for (const std::int32_t device : all)
            for (const ValueId result : body.results)
                state.set(op.results[next++], outer, inner.at(result, device));
        for (CheckFinding& finding : inner.checks())
            state.checks().push_back(std::move(finding));
    }
    return {};
}

} // namespace shardscope::evaluate
