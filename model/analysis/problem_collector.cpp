// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/problem_collector.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/codes.h"
#include "program/differentiate.h"

namespace shardscope {

namespace {

/// E101, and E105 as which it is said of heads and experts.
bool isAboutSize(const Diagnostic& diagnostic)
{
    return diagnostic.code == Code::Indivisible || diagnostic.code == Code::AtomSplit;
}

/// Equal for equal findings. A dimension that does not divide is the same in whatever place it stands; nameless values
/// have only its size.
std::string fingerprint(const Diagnostic& diagnostic)
{
    const Code code = isAboutSize(diagnostic) ? Code::Indivisible : diagnostic.code;
    std::string text = std::to_string(static_cast<int>(code));
    const auto add = [&text](const auto& part) {
        text += '\x1e';
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
            text += std::to_string(part);
        else
            text += part;
    };
    const auto addAll = [&](const std::vector<std::string>& parts) {
        add(parts.size());
        for (const std::string& part : parts)
            add(part);
    };
    if (isAboutSize(diagnostic)) {
        const std::string name = diagnostic.text("dim_name");
        add(name);
        add(name.empty() ? diagnostic.number("dim") : std::int64_t{ -1 });
        add(diagnostic.number("size"));
        addAll(diagnostic.list("axes"));
        return text;
    }
    for (const Arg& arg : diagnostic.args) {
        add(arg.name);
        std::visit(
            [&](const auto& value) {
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::string>>)
                    addAll(value);
                else
                    add(value);
            },
            arg.value);
    }
    return text;
}

} // namespace

Problem* ProblemCollector::add(Diagnostic diagnostic, const std::string& subject, ValueId value, std::vector<Fix> fixes)
{
    const std::string finding = fingerprint(diagnostic);
    m_known.insert(finding);
    const auto [place, isNew] = m_places.try_emplace(finding + '\x1f' + subject, m_problems.size());
    if (!isNew) {
        std::vector<ValueId>& values = m_problems[place->second].values;
        if (value.valid() && std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(value);
        return nullptr;
    }
    Problem problem{ std::move(diagnostic), std::move(fixes), {} };
    if (value.valid())
        problem.values.push_back(value);
    return &m_problems.emplace_back(std::move(problem));
}

bool ProblemCollector::knows(const Diagnostic& diagnostic) const
{
    return m_known.contains(fingerprint(diagnostic));
}

void ProblemCollector::countTensors()
{
    for (Problem& problem : m_problems)
        if (isAboutSize(problem.diagnostic) && problem.values.size() > 1)
            problem.diagnostic.args.emplace_back("tensors", problem.values.size());
}

void sayList(Diagnostic& diagnostic, const RulesSetting& rules, RuleList list)
{
    if (!list.isOuter())
        diagnostic.args.emplace_back("within", withinOf(rules, list));
}

std::vector<const ResolvedAnnotation*> declaredAnnotations(const Program& program, const Annotations& annotations)
{
    std::vector<const ResolvedAnnotation*> declared;
    for (const ResolvedAnnotation& annotation : annotations.arguments) {
        const Role role = program.value(annotation.value).role;
        if (role == Role::Parameter || role == Role::Input || annotation.hasOptimizerRules)
            declared.push_back(&annotation);
    }
    for (const ResolvedAnnotation& annotation : annotations.constraints)
        if (!isBackward(program.scopes[program.operation(annotation.operation).scope]))
            declared.push_back(&annotation);
    return declared;
}

} // namespace shardscope
