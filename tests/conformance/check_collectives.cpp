// SPDX-License-Identifier: GPL-3.0-or-later
// reshard_to_collectives: the pass that makes collectives of reshards.
#include "conformance/program_compare.h"
#include "partition/reshard_to_collectives.h"
#include "program/verify_shardings.h"

namespace shardscope::conformance {

CaseResult checkReshardToCollectives(const Json& oneCase, const Json& /*file*/)
{
    const auto input = buildProgram(oneCase);
    if (!input)
        return CaseResult::unsupported(input.error());
    const Json& options = oneCase.at("passes").at(0).at("options");
    const Program output = passes::reshardToCollectives(
        input->program, { .keepRedundant = options.value("keep-redundant-reshards", false) });
    if (verify(input->program).empty() && verifyShardings(input->program).empty())
        for (const auto& found : { verify(output), verifyShardings(output) })
            if (!found.empty())
                return CaseResult::failed("the program is not legal any more: " + std::string(found.front().kind()));
    return compareProgram(oneCase, *input, output);
}

} // namespace shardscope::conformance
