// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in edits.h.
#include <algorithm>

#include "base/text.h"
#include "experiment/edit_support.h"
#include "experiment/edits.h"
#include "program/path.h"
#include "program/rule_override.h"

namespace shardscope {

namespace {

auto ruleOf(std::vector<RuleOverride>& rules, const std::string& path)
{
    return std::find_if(rules.begin(), rules.end(), [&](const RuleOverride& own) { return own.path == path; });
}

} // namespace

Result<Experiment> withPropagation(const Experiment& before, PropagationSetting setting)
{
    Experiment after = before;
    after.propagation = setting;
    return after;
}

Result<Experiment> withShardingRule(
    const Experiment& before, const Program& program, const std::string& path, const std::string& rule)
{
    Experiment after = before;
    auto* model = std::get_if<ProgramModel>(&after.model);
    if (!model)
        return fail(Code::InvalidAttribute, { { "op", path }, { "wrong", "own_rule" } });
    const OperationId operation = operationAt(program, path);
    if (!operation.valid()) {
        SHARDSCOPE_TRY(value, findValue(program, path));
        return fail(Code::BadRule, { { "wrong", "argument" }, { "found", path } });
    }
    SHARDSCOPE_TRY(checked, checkedRule(program, operation, rule));
    if (const auto own = ruleOf(model->shardingRules, path); own != model->shardingRules.end())
        own->rule = std::move(*checked);
    else
        model->shardingRules.push_back({ path, std::move(*checked) });
    return after;
}

Result<Experiment> withoutShardingRule(const Experiment& before, const std::string& path)
{
    Experiment after = before;
    auto* model = std::get_if<ProgramModel>(&after.model);
    if (!model)
        return fail(Code::InvalidAttribute, { { "op", path }, { "wrong", "own_rule" } });
    const auto own = ruleOf(model->shardingRules, path);
    if (own == model->shardingRules.end())
        return fail(Code::UnknownTensor, { { "path", path } });
    model->shardingRules.erase(own);
    return after;
}

std::vector<Diagnostic> attachRules(Program& program, const ProgramModel& model)
{
    std::vector<Diagnostic> wrong;
    for (const RuleOverride& own : model.shardingRules) {
        const auto refuse = [&](Diagnostic diagnostic) {
            diagnostic.where.pointer = "/model/sharding_rules/" + pointerPart(own.path);
            diagnostic.where.path = own.path;
            diagnostic.where.line = diagnostic.where.column = 0; // of the program's text: the rule does not stand there
            wrong.push_back(std::move(diagnostic));
        };
        const OperationId operation = operationAt(program, own.path);
        if (!operation.valid()) {
            Result<ValueId> value = findValue(program, own.path);
            refuse(value ? Diagnostic{ Code::BadRule, { { "wrong", "argument" }, { "found", own.path } }, {} }
                         : std::move(value.error()));
        } else if (Result<std::string> checked = checkedRule(program, operation, own.rule)) {
            attachRule(program, operation, *checked);
        } else {
            refuse(std::move(checked.error()));
        }
    }
    return wrong;
}

} // namespace shardscope
