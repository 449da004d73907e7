// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/t5x_partitioner.h"

#include <algorithm>

#include "base/codes.h"

namespace shardscope {

namespace {

std::vector<Diagnostic> loggedErrors(const PartitionerSettings& settings)
{
    std::vector<Diagnostic> logged;
    if (settings.submesh && settings.submesh->size() != 4)
        logged.push_back({ Code::SubmeshNotFourSizes, { { "length", settings.submesh->size() } }, {} });
    if (settings.partitions.value_or(0) != 0 && settings.submesh && !settings.submesh->empty())
        logged.push_back({ Code::PartitionsAndSubmesh, { { "partitions", *settings.partitions } }, {} });
    return logged;
}

} // namespace

std::int64_t Partitioner::dataParts(const Mesh& mesh) const
{
    std::int64_t parts = 1;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        if (std::find(dataAxis.axes.begin(), dataAxis.axes.end(), mesh.axis(axis).name) != dataAxis.axes.end())
            parts *= mesh.size(axis);
    return parts;
}

Result<LogicalRules> hybridRules(const LogicalRules& rules)
{
    if (!rules.isSequence)
        return fail(Code::RulesType);
    LogicalRules rewritten = rules;
    for (std::size_t i = 0; i < rewritten.list.size(); ++i) {
        LogicalRule& rule = rewritten.list[i];
        if (rule.arity != 2)
            return fail(Code::RuleArity, { { "rule", i }, { "length", rule.arity } });
        if (rule.name == LogicalName::of("batch")) {
            rule.target = SpecEntry::tuple({ "replica", "data" });
            rule.nested = false;
        }
    }
    return rewritten;
}

Result<Partitioner> makePartitioner(const PartitionerSettings& settings)
{
    if (settings.partitions.value_or(0) == 0 && (!settings.submesh || settings.submesh->empty()))
        return fail(Code::NoPartitionsAndNoSubmesh);
    Partitioner partitioner;
    partitioner.logged = loggedErrors(settings);
    Result<LogicalRules> rules =
        settings.rules ? Result<LogicalRules>(*settings.rules) : t5xStandardRules(1, 1, LogicalRules());
    if (rules && settings.iciShape && settings.dcnShape)
        rules = hybridRules(*rules);
    SHARDSCOPE_CHECK(rules);
    SHARDSCOPE_TRY(batch, resolve({ LogicalName::of("batch") }, *rules, FlaxVersion::Current));
    partitioner.dataAxis = batch->spec().entries.front();
    partitioner.rules = std::move(*rules);
    return partitioner;
}

Error failedToMap(const std::string& parameter, const Error& error)
{
    Error failed{ Code::FailedToMap, { { "parameter", parameter }, { "cause", error.kind() } }, {} };
    failed.args.insert(failed.args.end(), error.args.begin(), error.args.end());
    failed.where.path = parameter;
    return failed;
}

} // namespace shardscope
