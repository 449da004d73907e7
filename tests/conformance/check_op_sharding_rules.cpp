// SPDX-License-Identifier: GPL-3.0-or-later
// op_sharding_rules: the factor rules of operations.
#include "conformance/checker.h"
#include "conformance/program_compare.h"

namespace shardscope::conformance {

CaseResult checkOpShardingRules(const Json& oneCase, const Json&)
{
    const auto built = buildProgram(oneCase);
    if (!built)
        return CaseResult::unsupported(built.error());
    const Program& program = built->program;
    if (const std::vector<Diagnostic> found = verify(program); !found.empty())
        return CaseResult::failed(
            "the program does not verify: " + found[0].text("op") + ": " + found[0].text("detail"));
    RuleOptions options;
    for (const Json& pass : oneCase.at("passes"))
        options.conservative = pass.at("options").value("conservative-propagation", options.conservative);
    CaseExtras extras;
    extras.rule = [&](OperationId id) { return factorRule(program, program.operation(id), options); };
    return compareProgram(oneCase, *built, program, extras);
}

} // namespace shardscope::conformance
