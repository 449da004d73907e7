// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/op_row.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_map>

#include "program/factor_rule_text.h"
#include "program/known_types.h"
#include "program/ops/rows.h"
#include "program/ops/support.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

using Table = std::array<OpRow, opKindCount>;

Table makeTable()
{
    Table table{};
    std::array<bool, opKindCount> filled{};
    for (const std::span<const OpRow> rows : { ops::unaryRows(), ops::binaryRows(), ops::compareConvertRows(),
             ops::constantIotaRows(), ops::broadcastRows(), ops::reshapeRows(), ops::transposeRows(),
             ops::dotGeneralRows(), ops::reduceRows(), ops::shardingConstraintRows(), ops::chloRows(),
             ops::chloBroadcastRows(), ops::slicePadRows(), ops::concatenateRows(), ops::dynamicSliceRows(),
             ops::gatherRows(), ops::scatterRows(), ops::sortRows(), ops::convolutionRows(), ops::reduceWindowRows(),
             ops::linearAlgebraRows(), ops::rngRows(), ops::batchNormRows(), ops::loopRows(), ops::callRows(),
             ops::customCallRows(), ops::tokenRows(), ops::collectiveRows(), ops::shardingRows(), ops::opaqueRows() }) {
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

bool hasDerivative(const Program& program, const Operation& operation)
{
    const OpRow& row = opRow(operation.kind);
    return row.pullback && (row.anyType || hasKnownTypes(program, operation))
        && (!row.hasPullback || row.hasPullback(program, operation));
}

std::string_view name(OpKind kind)
{
    return opRow(kind).name;
}

std::string_view prefix(OpDialect dialect)
{
    switch (dialect) {
    case OpDialect::StableHlo:
        return "stablehlo";
    case OpDialect::Chlo:
        return "chlo";
    case OpDialect::Sdy:
        return "sdy";
    case OpDialect::Func:
        return "func";
    case OpDialect::None:
        break;
    }
    return {};
}

namespace {

std::string qualified(const OpRow& row)
{
    return std::string(prefix(row.dialect)) + '.' + std::string(row.name);
}

} // namespace

std::optional<OpKind> parseOpKind(std::string_view name)
{
    static const std::unordered_map<std::string_view, OpKind> byName = [] {
        static std::vector<std::string> names; // what the views are of
        names.reserve(opKindCount);
        std::unordered_map<std::string_view, OpKind> made;
        for (const OpRow& row : table()) {
            if (row.kind == OpKind::Opaque)
                continue;
            names.push_back(qualified(row));
            made.insert_or_assign(names.back(), row.kind);
            if (row.dialect == OpDialect::StableHlo)
                made.emplace(row.name, row.kind);
        }
        return made;
    }();
    const auto found = byName.find(name);
    return found == byName.end() ? std::nullopt : std::optional(found->second);
}

const std::string& qualifiedName(const Operation& operation)
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> made;
        for (const OpRow& row : table())
            made.push_back(qualified(row));
        return made;
    }();
    if (const auto* opaque = attributesAs<OpaqueAttributes>(operation.attributes))
        return opaque->name;
    return names[static_cast<std::size_t>(operation.kind)];
}

FactorRule registryRule(const Program& program, const Operation& operation, RuleOptions options)
{
    const OpRow& row = opRow(operation.kind);
    if (!row.anyType && !hasKnownTypes(program, operation))
        return {};
    if (row.rule)
        return row.rule(program, operation, options);
    if (!row.factors || operation.results.size() != 1)
        return {};
    return row.factors(
        ops::TypeList(program, operation.operands), program.value(operation.results[0]).type, operation.attributes);
}

FactorRule factorRule(const Program& program, const Operation& operation, RuleOptions options)
{
    if (std::optional<FactorRule> specified = attachedRule(program, operation))
        return std::move(*specified);
    return registryRule(program, operation, options);
}

OperationCost operationCost(const Program& program, const Operation& operation)
{
    const OpRow& row = opRow(operation.kind);
    if (!row.anyType && !hasKnownTypes(program, operation))
        return {};
    if (row.work)
        return row.work(program, operation);
    if (!row.cost || operation.results.size() != 1)
        return {};
    return row.cost(
        ops::TypeList(program, operation.operands), program.value(operation.results[0]).type, operation.attributes);
}

} // namespace shardscope
