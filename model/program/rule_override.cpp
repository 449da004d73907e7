// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/rule_override.h"

#include <optional>

#include "base/codes.h"
#include "program/declared_rule.h"
#include "program/factor_rule_text.h"
#include "program/name_values.h"
#include "program/verify_findings.h"

namespace shardscope {

namespace {

constexpr std::string_view frame = "#sdy.op_sharding_rule<";

} // namespace

OperationId operationAt(const Program& program, std::string_view path)
{
    const ValueId value = valueNamed(program, path);
    if (!value.valid() || program.value(value).index != 0)
        return {};
    return program.value(value).definition;
}

bool canHaveRule(const Operation& operation)
{
    switch (operation.kind) {
    case OpKind::Call:
    case OpKind::Composite:
    case OpKind::Case:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge:
    case OpKind::If:
    case OpKind::ManualComputation:
    case OpKind::NamedComputation:
    case OpKind::OptimizationBarrier:
    case OpKind::PropagationBarrier:
    case OpKind::Reshard:
    case OpKind::ShardingConstraint:
    case OpKind::ShardingGroup:
    case OpKind::While:
        return false;
    default:
        return !operation.results.empty();
    }
}

Result<std::string> checkedRule(const Program& program, OperationId operation, std::string_view text)
{
    const Operation& of = program.operation(operation);
    const verification::Place place{ .operation = operation, .role = "rule" };
    std::optional<Diagnostic> first;
    const verification::Report report = [&](Code code, std::vector<Arg> args) {
        if (!first)
            first = verification::diagnosticAt(program, code, std::move(args), place);
    };
    if (canHaveRule(of))
        verification::checkRule(program, of, std::string(text), report);
    else
        report(Code::BadRule, { { "wrong", "none" } });
    if (first) {
        if (!of.results.empty())
            first->where.path = program.value(of.results[0]).path;
        return tl::unexpected<Error>(std::move(*first));
    }
    FactorRule rule = toFactorRule(*parseDeclaredRule(text));
    rule.custom = false;
    return toString(rule);
}

void attachRule(Program& program, OperationId operation, const std::string& rule)
{
    Operation& of = program.operations[operation.index];
    Dictionary dictionary = program.dictionaries[of.extra];
    std::erase_if(dictionary, [](const NamedText& entry) { return entry.name == shardingRuleName; });
    dictionary.push_back({ std::string(shardingRuleName), std::string(frame) + rule + ", custom>" });
    of.extra = static_cast<std::uint32_t>(program.dictionaries.size());
    program.dictionaries.push_back(std::move(dictionary));
}

} // namespace shardscope
