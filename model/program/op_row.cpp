// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/op_row.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "program/ops/rows.h"

namespace shardscope {

namespace {

using Table = std::array<OpRow, opKindCount>;

Table makeTable()
{
    Table table{};
    std::array<bool, opKindCount> filled{};
    for (const std::span<const OpRow> rows : { ops::unaryRows(), ops::binaryRows(), ops::selectClampRows(),
             ops::compareConvertRows(), ops::constantIotaRows(), ops::broadcastRows(), ops::reshapeRows(),
             ops::transposeRows(), ops::dotGeneralRows(), ops::reduceRows(), ops::shardingConstraintRows() }) {
        for (const OpRow& row : rows) {
            const auto index = static_cast<std::size_t>(row.kind);
            if (filled[index])
                std::abort(); // two rows for one kind
            table[index] = row;
            filled[index] = true;
        }
    }
    if (std::find(filled.begin(), filled.end(), false) != filled.end())
        std::abort(); // a kind without a row
    return table;
}

const Table& table()
{
    static const Table rows = makeTable();
    return rows;
}

} // namespace

const OpRow& opRow(OpKind kind)
{
    return table()[static_cast<std::size_t>(kind)];
}

std::string_view name(OpKind kind)
{
    return opRow(kind).name;
}

std::optional<OpKind> parseOpKind(std::string_view name)
{
    const auto found = std::find_if(table().begin(), table().end(), [&](const OpRow& row) { return row.name == name; });
    return found == table().end() ? std::nullopt : std::optional(found->kind);
}

FactorRule factorRule(const Program& program, const Operation& operation)
{
    std::vector<TensorType> operands;
    for (const ValueId operand : operation.operands)
        operands.push_back(program.value(operand).type);
    return opRow(operation.kind).factors(operands, program.value(operation.results[0]).type, operation.attributes);
}

} // namespace shardscope
