// SPDX-License-Identifier: GPL-3.0-or-later
// explicit_types: what JAX' explicit mode makes of the results of programs, or how it refuses them. A program goes the
// way of `verify --explicit`.
#include "analysis/explicit_check.h"
#include "conformance/error_names.h"
#include "conformance/jax_program.h"
#include "conformance/plain_shardings.h"

namespace shardscope::conformance {

CaseResult checkExplicitTypes(const Json& oneCase, const Json& file)
{
    std::vector<std::string> shardings;
    for (const Json& spec : oneCase.at("specs"))
        shardings.push_back(shardyText(spec));
    const SnapshotPtr snapshot = laidOutProgram(jaxText(oneCase, file, shardings));
    const std::optional<ExplicitReport> report = explicitReport(*snapshot);
    if (!report)
        return CaseResult::failed("nothing was propagated");
    if (!report->accepts()) {
        const std::string_view kind = kindName(report->refusals.front().problem);
        if (!oneCase.contains("error"))
            return CaseResult::failed("/outputs: got " + std::string(kind));
        return isErrorOfJax(oneCase.at("error").get<std::string>(), kind)
            ? CaseResult::passed()
            : CaseResult::failed("/error: expected " + oneCase.at("error").dump() + ", got " + std::string(kind));
    }
    if (!report->unjudged.empty())
        return CaseResult::failed("not judged: " + report->unjudged.front().first);
    Json outputs = Json::array();
    const std::vector<ValueId>& results = snapshot->program->main().results;
    for (std::size_t r = 0; r < results.size(); ++r) {
        const Shape& shape = snapshot->program->value(results[r]).type.shape;
        const std::optional<TensorSharding>& type = report->results.at(r);
        outputs.push_back({ { "shape", std::vector<std::int64_t>(shape.begin(), shape.end()) },
            { "spec", type ? specJson(*snapshot->mesh, *type) : Json() } });
    }
    return compareMembers(oneCase, { { "outputs", std::move(outputs) } });
}

} // namespace shardscope::conformance
