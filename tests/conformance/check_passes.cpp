// SPDX-License-Identifier: GPL-3.0-or-later
// import_passes, export_misc, propagation_pipeline, canonicalization: the passes around propagation.
#include <array>

#include "base/codes.h"
#include "conformance/program_compare.h"
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

} // namespace

CaseResult checkPasses(const Json& oneCase, const Json& /*file*/)
{
    const auto input = buildProgram(oneCase);
    if (!input)
        return CaseResult::unsupported(input.error());
    const auto output = passes::run(input->program, passesOf(oneCase));
    if (!output && output.error().code == Code::UnknownValue)
        return CaseResult::unsupported("the pass " + output.error().text("value"));
    if (!output)
        return expectsError(oneCase) ? CaseResult::passed()
                                     : CaseResult::failed("an error: " + std::string(output.error().id()));
    if (expectsError(oneCase))
        return CaseResult::failed("no error");
    return compareProgram(oneCase, *input, output->program);
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
