// SPDX-License-Identifier: GPL-3.0-or-later
// propagation_*: programs propagated, with the passes that a case lists around it.
#include "conformance/program_compare.h"
#include "conformance/run_passes.h"

namespace shardscope::conformance {

CaseResult checkPropagation(const Json& oneCase, const Json&)
{
    auto input = buildProgram(oneCase);
    if (!input)
        return CaseResult::failed(input.error());
    const auto run = runPasses(oneCase, input->program);
    if (!run)
        return CaseResult::unsupported(run.error());
    return compareProgram(oneCase, *input, run->output);
}

} // namespace shardscope::conformance
