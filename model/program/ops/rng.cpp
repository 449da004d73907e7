// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<void> checkRng(const Subject& rng)
{
    SHARDSCOPE_CHECK(expectResults(rng, 1));
    for (const std::size_t bound : { 0U, 1U })
        SHARDSCOPE_CHECK(
            expectType(rng, "operand " + std::to_string(bound), rng.operands[bound], { rng.results[0].dtype, {} }));
    const TensorType& shape = rng.operands[2];
    if (!isInteger(shape.dtype) || shape.rank() != 1
        || shape.shape[0] != static_cast<std::int64_t>(rng.results[0].rank()))
        return rng.mismatch(
            "the shape is " + toString(shape) + "; " + counted(rng.results[0].rank(), "integer") + " are needed");
    return {};
}

Result<void> checkBitGenerator(const Subject& rng)
{
    SHARDSCOPE_CHECK(expectResults(rng, 2));
    const TensorType& state = rng.operands[0];
    if (state.rank() != 1 || !isInteger(state.dtype))
        return rng.mismatch("the state is " + toString(state) + "; a vector of integers is needed");
    SHARDSCOPE_CHECK(expectType(rng, "result 0", rng.results[0], state));
    if (!isInteger(rng.results[1].dtype) && !isFloat(rng.results[1].dtype))
        return rng.mismatch("no result of type " + toString(rng.results[1]));
    return {};
}

/// Every device needs the whole state; the numbers may be made anywhere.
FactorRule bitGeneratorRule(const Program& program, const Operation& operation, RuleOptions)
{
    const Shape& state = program.value(operation.operands[0]).type.shape;
    const Shape& numbers = program.value(operation.results[1]).type.shape;
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < state.size(); ++i) {
        const auto d = static_cast<std::int64_t>(i);
        rule.add(std::array{ d }, std::array{ d, absent }, state[i], FactorKind::NeedReplication, true);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i)
        rule.add(std::array{ absent }, std::array{ absent, static_cast<std::int64_t>(i) }, numbers[i]);
    return std::move(rule).build();
}

constexpr std::array rngTable{
    OpRow{ .kind = OpKind::Rng,
        .name = "rng",
        .operandCount = 3,
        .factors = noFactors,
        .check = checkRng,
        .work = movementWork },
    OpRow{ .kind = OpKind::RngBitGenerator,
        .name = "rng_bit_generator",
        .operandCount = 1,
        .rule = bitGeneratorRule,
        .check = checkBitGenerator,
        .work = movementWork },
};

} // namespace

std::span<const OpRow> rngRows()
{
    return rngTable;
}

} // namespace shardscope::ops
