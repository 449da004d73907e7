// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that Shardy rejects, and those that it accepts.
#include <algorithm>

#include "conformance/error_names.h"
#include "conformance/forms.h"
#include "conformance/program_case.h"
#include "program/verify_shardings.h"

namespace shardscope::conformance {

namespace {

std::string linesOf(const std::vector<Diagnostic>& all)
{
    std::string lines;
    for (const Diagnostic& found : all)
        lines += (lines.empty() ? "" : "; ") + lineOf(found);
    return lines.empty() ? "no finding" : lines;
}

/// What the case says of its functions together.
struct Expected {
    bool error = false;
    std::vector<std::string> topics;
};
Expected expectedOf(const Json& oneCase)
{
    Expected expected;
    for (const auto& [name, function] : oneCase.at("expect").at("functions").items()) {
        const Json diagnostics = function.value("diagnostics", Json());
        expected.error =
            expected.error || (diagnostics.is_array() && !diagnostics.empty() && diagnostics[0] == "error");
        const Json topics = function.value("diagnostic_topics", Json());
        if (topics.is_array())
            for (const Json& topic : topics)
                expected.topics.push_back(topic.get<std::string>());
    }
    return expected;
}

} // namespace

CaseResult checkVerification(const Json& oneCase, const Json&)
{
    const auto built = buildProgram(oneCase);
    if (!built)
        return CaseResult::unsupported(built.error());
    const std::vector<Diagnostic> found = verifyShardings(built->program);
    const Expected expected = expectedOf(oneCase);
    if (!expected.error)
        return found.empty() ? CaseResult::passed() : CaseResult::failed("is legal, but: " + linesOf(found));
    const bool hasError = std::any_of(
        found.begin(), found.end(), [](const Diagnostic& one) { return one.severity() == Severity::Error; });
    if (!hasError)
        return CaseResult::failed("is illegal, but: " + linesOf(found));
    for (const std::string& topic : expected.topics) // not asserted where one is "other"
        if (topic == "other" || std::any_of(found.begin(), found.end(), [&](const Diagnostic& one) {
                return errorName(Vocabulary::Shardy, one) == topic;
            }))
            return CaseResult::passed();
    if (expected.topics.empty())
        return CaseResult::passed();
    return CaseResult::failed("expected " + expected.topics.front() + ", got " + linesOf(found));
}

} // namespace shardscope::conformance
