// SPDX-License-Identifier: GPL-3.0-or-later
// import_passes, export_misc, propagation_pipeline, canonicalization, and of explicit_reshards those at calls: the
// passes around propagation.
#include <array>

#include "base/codes.h"
#include "conformance/program_compare.h"
#include "program/verify_shardings.h"
#include "propagation/passes/passes.h"

namespace shardscope::conformance {

namespace {

/// Canonicalisation of reshards and collectives belongs to the export of shardings to collectives.
constexpr std::array<std::string_view, 4> canonicalized{ "unused_args", "inline_", "erase_", "redundant_" };

std::string nameOf(const Json& oneCase)
{
    const std::string id = oneCase.at("id").get<std::string>();
    const std::size_t hash = id.find('#');
    return hash == std::string::npos ? id : id.substr(hash + 1);
}

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

/// Expects operations that only the export to collectives makes.
bool needsCollectives(const Json& oneCase)
{
    for (const Json& function : oneCase.at("expect").at("functions"))
        for (const Json& entry : function.at("ops"))
            if (entry.at("match").is_null() && entry.at("op") == "sdy.all_reduce")
                return true;
    return false;
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
    if (needsCollectives(oneCase))
        return CaseResult::unsupported("explicit reshards and collectives are no part of the export yet");
    const auto output = passes::run(input->program, passesOf(oneCase));
    if (!output && output.error().code == Code::UnknownValue)
        return CaseResult::unsupported("the pass " + output.error().text("value"));
    if (!output)
        return expectsError(oneCase) ? CaseResult::passed()
                                     : CaseResult::failed("an error: " + std::string(output.error().id()));
    if (expectsError(oneCase))
        return CaseResult::failed("no error");
    const CaseResult result = compareProgram(oneCase, *input, output->program);
    if (result.status != CaseResult::Status::Passed)
        return result;
    std::string wrong = illegality(input->program, output->program);
    return wrong.empty() ? result : CaseResult::failed(std::move(wrong));
}

CaseResult checkCanonicalization(const Json& oneCase, const Json& file)
{
    const std::string name = nameOf(oneCase);
    for (const std::string_view group : canonicalized)
        if (name.starts_with(group))
            return checkPasses(oneCase, file);
    return CaseResult::unsupported("canonicalisation of reshards and collectives");
}

} // namespace shardscope::conformance
