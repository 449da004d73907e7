// SPDX-License-Identifier: GPL-3.0-or-later
// import_passes, export_misc, propagation_pipeline, canonicalization, explicit_reshards, export_pipeline: the passes
// around propagation.
#include "base/codes.h"
#include "conformance/pass_rows.h"
#include "conformance/program_compare.h"
#include "program/verify_shardings.h"

namespace shardscope::conformance {

namespace {

std::vector<passes::PassCall> passesOf(const Json& oneCase)
{
    std::vector<passes::PassCall> calls;
    for (const Json& pass : oneCase.at("passes")) {
        passes::PassCall& call = calls.emplace_back();
        call.name = pass.at("pass").get<std::string>();
        for (const auto& [name, value] : pass.at("options").items())
            call.options.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return calls;
}

/// What passes make of a legal program is legal.
std::string illegality(const Program& input, const Program& output)
{
    if (!verify(input).empty() || !verifyShardings(input).empty())
        return {};
    std::vector<Diagnostic> found = verify(output);
    if (found.empty())
        found = verifyShardings(output);
    if (found.empty())
        return {};
    std::string text = "the program is not legal any more: " + std::string(found.front().kind());
    for (const Arg& arg : found.front().args)
        text += " " + arg.name + "=" + found.front().text(arg.name);
    return text;
}

} // namespace

CaseResult checkPasses(const Json& oneCase, const Json& /*file*/)
{
    const auto input = buildProgram(oneCase);
    if (!input)
        return CaseResult::unsupported(input.error());
    const auto output = passes::runAny(input->program, passesOf(oneCase));
    if (!output && output.error().code == Code::UnknownValue)
        return CaseResult::unsupported("the pass " + output.error().text("value"));
    if (!output && !expectsError(oneCase))
        return CaseResult::failed("an error: " + std::string(output.error().id()));
    if (!output) {
        std::string found = signatureSizeDifference(oneCase, *input);
        return found.empty() ? CaseResult::passed() : CaseResult::failed(std::move(found));
    }
    if (expectsError(oneCase))
        return CaseResult::failed("no error");
    const CaseResult result = compareProgram(oneCase, *input, output->program);
    if (result.status != CaseResult::Status::Passed)
        return result;
    std::string wrong = illegality(input->program, output->program);
    return wrong.empty() ? result : CaseResult::failed(std::move(wrong));
}

} // namespace shardscope::conformance
