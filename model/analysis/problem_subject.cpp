// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/problem_subject.h"

#include "base/text.h"
#include "experiment/model_settings.h"
#include "experiment/rule_lists.h"

namespace shardscope {

namespace {

/// The axis of a pointer to it or into it, -1 for none.
int meshAxisAt(std::string_view pointer)
{
    constexpr std::string_view axes = "/mesh/axes/";
    if (!pointer.starts_with(axes))
        return -1;
    pointer.remove_prefix(axes.size());
    return wholeNumber<int>(pointer.substr(0, pointer.find('/'))).value_or(-1);
}

} // namespace

ProblemSubject problemSubject(const Problem& problem, const Snapshot* snapshot, const Experiment* experiment)
{
    const auto& where = problem.diagnostic.where;
    ProblemSubject subject;
    if (const auto place = rulePlaceOf(where.pointer))
        subject.rule = ruleNumber(*place);
    subject.meshAxis = meshAxisAt(where.pointer);
    if (experiment && sourceText(*experiment) && where.pointer.empty())
        subject.textLine = where.line;
    subject.tensor = where.path;
    if (subject.tensor.empty() && snapshot && snapshot->program)
        for (const ValueId value : problem.values)
            if (subject.tensor.empty())
                subject.tensor = snapshot->program->value(value).path;
    return subject;
}

} // namespace shardscope
