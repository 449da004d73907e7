// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "array_report.h"
#include "program/op_row.h"
#include "run_program.h"
#include "schedule/plan.h"
#include "simulate/check/rounding_noise.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

using kernels::Array;

/// null where it is no number that JSON has.
Json finite(double number)
{
    return std::isfinite(number) ? Json(number) : Json();
}

Json valueCheckJson(const ValueCheck& value, const Program& program)
{
    Json out{ { "path", value.path }, { "passed", value.passed() }, { "largest_error", value.largestError() },
        { "tolerance", value.tolerance }, { "largest_magnitude", value.largestMagnitude },
        { "replicas_agree", !value.copiesDiffer }, { "compared", value.compared } };
    if (value.worstElement >= 0)
        out["worst"] = { { "element", sizesOf(indexOf(value.worstElement, program.value(value.value).type.shape)) },
            { "device", value.worstDevice }, { "value", value.ours }, { "reference", value.reference } };
    if (const auto& copies = value.copiesDiffer)
        out["copies_differ"] = { { "element",
                                     sizesOf(indexOf(copies->element, program.value(value.value).type.shape)) },
            { "device_ids", { copies->device, copies->other } }, { "values", { copies->value, copies->otherValue } } };
    return out;
}

Json checkReportJson(const CheckReport& report, const Program& program)
{
    Json values = Json::array();
    for (const ValueCheck& value : report.values)
        values.push_back(valueCheckJson(value, program));
    const EndToEnd& agreement = report.endToEnd;
    return { { "passed", report.passed }, { "loss", report.lossOurs }, { "loss_reference", report.lossReference },
        { "end_to_end",
            { { "parameters", agreement.parameters }, { "agree", agreement.agree },
                { "gradient_difference", agreement.gradientDifference } } },
        { "beyond_rounding",
            { { "parameters", report.decided.parameters }, { "apart", report.decided.apart },
                { "unexplained", report.decided.unexplained } } },
        { "values", std::move(values) } };
}

constexpr const char* verdictIds[] = { "agrees", "differs", "not_compared" }; ///< by CheckVerdict

Json resultsJson(const ProgramRun& run, const RunCheck& check)
{
    Json results = Json::array();
    for (std::size_t i = 0; i < check.comparisons.size(); ++i) {
        const kernels::ArrayComparison& each = check.comparisons[i];
        const Array &ours = run.first.outputs[i], &theirs = check.reference[i];
        const bool copies = std::none_of(run.first.differences.begin(), run.first.differences.end(),
            [&](const DifferentCopies& copy) { return copy.output == i; });
        Json out{ { "result", i }, { "passed", each.passed() && copies }, { "compared", each.compared },
            { "not_finite", each.notFinite }, { "largest_error", finite(each.largestError) },
            { "tolerance", each.tolerance }, { "beyond", each.beyond }, { "replicas_agree", copies } };
        if (each.first >= 0)
            out["first"] = { { "element", sizesOf(indexOf(each.first, ours.type.shape)) },
                { "value", scalarJson(kernels::elementOf(ours, each.first)) },
                { "reference", scalarJson(kernels::elementOf(theirs, each.first)) } };
        results.push_back(std::move(out));
    }
    Json copies = Json::array();
    for (const DifferentCopies& each : run.first.differences)
        copies.push_back({ { "result", each.output }, { "device_ids", { each.device, each.other } },
            { "element_of_shard",
                sizesOf(indexOf(each.element,
                    run.first.shards[static_cast<std::size_t>(each.device)][each.output].type.shape)) } });
    Json out{ { "passed", check.verdict() == CheckVerdict::Agrees },
        { "verdict", verdictIds[static_cast<std::size_t>(check.verdict())] }, { "compared", check.compared() },
        { "not_finite", check.notFinite() }, { "results", std::move(results) },
        { "copies_differ", std::move(copies) } };
    if (const auto& first = check.first) {
        Json where{ { "value", *run.program().value(first->value).path }, { "element", sizesOf(first->index) },
            { "device", first->device }, { "found", scalarJson(first->found) } };
        if (first->other >= 0) {
            where["other_device"] = first->other;
            where["other"] = scalarJson(first->wanted);
        } else {
            where["reference"] = scalarJson(first->wanted);
        }
        if (first->operation.valid()) {
            const Operation& operation = run.program().operation(first->operation);
            where["operation"] = qualifiedName(operation);
            where["line"] = run.program().sources[operation.source].line;
            where["time"] = first->occurrence;
        }
        out["first_difference"] = std::move(where);
    }
    return out;
}

void printLinks(Console& console, const CheckReport& report, const Program& program)
{
    console.heading(QStringLiteral("Check against the unsharded reference, first step"));
    if (report.values.empty()) {
        console.line(QStringLiteral("  nothing is computed, so there is nothing to compare"));
        return;
    }
    constexpr std::int64_t maxShown = 64;
    const auto count = static_cast<std::int64_t>(report.values.size());
    const std::int64_t failed = std::count_if(
        report.values.begin(), report.values.end(), [](const ValueCheck& value) { return !value.passed(); });
    Table table{ "Tensor", "Largest error>", "Tolerance>", "Compared>", "Copies", "Result" };
    std::int64_t good = 0;
    for (const ValueCheck& value : report.values) { // those that failed before all others
        if (value.passed() && ++good > std::max<std::int64_t>(maxShown - failed, 0))
            continue;
        table.rows.push_back({ words::fromStd(value.path), QString::number(value.largestError(), 'g', 3),
            QString::number(value.tolerance, 'g', 3), QString::number(value.compared),
            value.copiesDiffer ? QStringLiteral("differ") : QStringLiteral("equal"),
            value.passed() ? QStringLiteral("ok") : QStringLiteral("failed") });
    }
    console.table(table);
    if (const auto more = count - static_cast<std::int64_t>(table.rows.size()); more > 0)
        console.line(QStringLiteral("  and %1 more, all ok").arg(more));
    console.line(QStringLiteral("  loss %1, reference %2")
                     .arg(QString::number(report.lossOurs, 'g', 12), QString::number(report.lossReference, 'g', 12)));
    if (const QString summary = words::endToEndSummary(report); !summary.isEmpty())
        console.line(QStringLiteral("  ") + summary);
    if (report.passed) {
        console.line((count == 1 ? QStringLiteral("  %1 agrees") : QStringLiteral("  all %1 agree"))
                         .arg(words::counted(count, words::Noun::Array)),
            Emphasis::Good);
        return;
    }
    console.line((failed == 1 ? QStringLiteral("  %1 of %2 does not agree; in the order of the step:")
                              : QStringLiteral("  %1 of %2 do not agree; in the order of the step:"))
                     .arg(failed)
                     .arg(words::counted(count, words::Noun::Array)),
        Emphasis::Bad);
    constexpr int maxFindings = 8; // what follows is wrong because of the first ones, mostly
    int found = 0;
    for (const ValueCheck& value : report.values)
        for (const QString& finding : words::checkFindings(value, program))
            if (++found <= maxFindings)
                console.line(QStringLiteral("  ") + finding, Emphasis::Bad);
    if (found > maxFindings)
        console.line(QStringLiteral("  and %1 more").arg(found - maxFindings), Emphasis::Bad);
}

QString elementOfResult(std::size_t result, const Shape& index)
{
    return QStringLiteral("result %1").arg(result) + (index.empty() ? QString() : words::shape(index));
}

void printResults(Console& console, const ProgramRun& run, const RunCheck& check)
{
    console.heading(QStringLiteral("Check against the unsharded reference"));
    Table table{ "Result>", "Largest error>", "Tolerance>", "Elements beyond>", "Not finite>", "Copies" };
    for (std::size_t i = 0; i < check.comparisons.size(); ++i) {
        const kernels::ArrayComparison& each = check.comparisons[i];
        const bool copies = std::none_of(run.first.differences.begin(), run.first.differences.end(),
            [&](const DifferentCopies& copy) { return copy.output == i; });
        table.rows.push_back({ QString::number(i),
            each.worst < 0 ? QStringLiteral("none") : QString::number(each.largestError, 'g', 3),
            each.worst < 0 ? QStringLiteral("–") : QString::number(each.tolerance, 'g', 3), words::count(each.beyond),
            words::count(each.notFinite), copies ? QStringLiteral("equal") : QStringLiteral("differ") });
    }
    console.table(table);
    const std::int64_t notFinite = check.notFinite();
    if (check.verdict() == CheckVerdict::NotCompared) {
        for (std::size_t i = 0; i < check.comparisons.size(); ++i)
            if (const kernels::ArrayComparison& each = check.comparisons[i]; each.compared == 0 && each.notFinite > 0)
                console.line(QStringLiteral("  result %1 could not be compared: all of it, %2, is NaN or infinite, on "
                                            "the devices and in the reference")
                                 .arg(i)
                                 .arg(words::counted(each.notFinite, words::Noun::Element)),
                    Emphasis::Bad);
        return;
    }
    if (check.verdict() == CheckVerdict::Agrees) {
        console.line(QStringLiteral("  the devices agree with the reference"), Emphasis::Good);
        if (notFinite > 0)
            console.line(
                QStringLiteral("  %1 of %2 could not be compared: NaN or infinite on both sides")
                    .arg(words::count(notFinite), words::counted(notFinite + check.compared(), words::Noun::Element)));
        return;
    }
    for (std::size_t i = 0; i < check.comparisons.size(); ++i)
        if (const std::int64_t at = check.comparisons[i].first; at >= 0)
            console.line(QStringLiteral("  %1 is %2, %3 in the reference")
                             .arg(elementOfResult(i, indexOf(at, run.first.outputs[i].type.shape)),
                                 scalarText(kernels::elementOf(run.first.outputs[i], at)),
                                 scalarText(kernels::elementOf(check.reference[i], at))),
                Emphasis::Bad);
    for (const DifferentCopies& each : run.first.differences) {
        if (check.first && check.first->other >= 0)
            break; // it says so of the value where they first differ
        const Array &ours = run.first.shards[static_cast<std::size_t>(each.device)][each.output],
                    &theirs = run.first.shards[static_cast<std::size_t>(each.other)][each.output];
        console.line(QStringLiteral("  %1 of the shard is %2 on %3 and %4 on %5, which should hold the same bits")
                         .arg(elementOfResult(each.output, indexOf(each.element, ours.type.shape)),
                             scalarText(kernels::elementOf(ours, each.element)), words::devices({ &each.device, 1 }),
                             scalarText(kernels::elementOf(theirs, each.element)), words::devices({ &each.other, 1 })),
            Emphasis::Bad);
    }
    if (check.first) {
        console.line(QStringLiteral("  ")
                + words::firstDifference(
                    run.program(), *check.first, scalarText(check.first->found), scalarText(check.first->wanted)),
            Emphasis::Bad);
        if (const QString remedy = words::firstDifferenceRemedy(run.program(), *check.first); !remedy.isEmpty())
            console.line(QStringLiteral("  ") + remedy);
    }
}

/// The results of the first step with those of the reference. Where they are further apart than their last digits can
/// be, by as much as roundings alone can carry in this program.
Result<void> compareResults(
    RunCheck& check, const ProgramRun& run, const kernels::Arrays& given, const RunCommandOptions& options)
{
    const auto compare = [&](const kernels::Arrays* noisy) {
        check.comparisons.clear();
        for (std::size_t i = 0; i < run.first.outputs.size(); ++i) {
            const kernels::Array& wanted = check.reference[i];
            check.comparisons.push_back(kernels::compareWithReference(
                run.first.outputs[i], wanted, noisy ? kernels::sensitivityOf(wanted, (*noisy)[i]) : 0));
        }
        return std::all_of(check.comparisons.begin(), check.comparisons.end(),
            [](const kernels::ArrayComparison& each) { return each.passed(); });
    };
    bool isNear = compare(nullptr);
    if (!isNear) {
        kernels::RoundingNoise noise(run.unsharded->device.program);
        ExecuteOptions how = executeOptions(options, { &noise });
        how.plainKernels = true;
        const auto noisy = execute(run.snapshot->annotated, run.unsharded, given, how);
        if (!noisy)
            return tl::unexpected<Error>(noisy.error());
        isNear = compare(&noisy->outputs);
    }
    if (isNear && check.copiesAgree)
        return {};
    const ExecuteOptions how = executeOptions(options);
    auto first = kernels::firstDifference(
        run.snapshot->annotated, run.unsharded, run.partitioned, given, how, static_cast<double>(how.memoryLimit) / 4);
    if (!first)
        return tl::unexpected<Error>(std::move(first.error()));
    check.first = std::move(*first);
    return {};
}

} // namespace

CheckVerdict RunCheck::verdict() const
{
    if (links)
        return links->passed ? CheckVerdict::Agrees : CheckVerdict::Differs;
    const bool isSame = copiesAgree
        && std::all_of(
            comparisons.begin(), comparisons.end(), [](const kernels::ArrayComparison& each) { return each.passed(); });
    if (!isSame)
        return CheckVerdict::Differs;
    const bool isUnknown = std::any_of(comparisons.begin(), comparisons.end(),
        [](const kernels::ArrayComparison& each) { return each.compared == 0 && each.notFinite > 0; });
    return isUnknown ? CheckVerdict::NotCompared : CheckVerdict::Agrees;
}

std::int64_t RunCheck::compared() const
{
    return std::accumulate(comparisons.begin(), comparisons.end(), std::int64_t{ 0 },
        [](std::int64_t sum, const kernels::ArrayComparison& each) { return sum + each.compared; });
}

std::int64_t RunCheck::notFinite() const
{
    return std::accumulate(comparisons.begin(), comparisons.end(), std::int64_t{ 0 },
        [](std::int64_t sum, const kernels::ArrayComparison& each) { return sum + each.notFinite; });
}

Result<RunCheck> checkRun(const ProgramRun& run, const Execution& reference, const RunCommandOptions& options)
{
    RunCheck check;
    if (run.state.source == StateSource::Program) {
        RunOptions how;
        how.threads = options.threads;
        how.initial = run.starts.initial;
        auto links = checkAgainstReference(run.plan->program, how, 1);
        if (!links)
            return tl::unexpected<Error>(std::move(links.error()));
        check.links = std::move(*links);
        return check;
    }
    check.reference = reference.outputs;
    check.copiesAgree = run.first.differences.empty();
    if (auto done = compareResults(check, run, run.starts.arrays.all(), options); !done)
        return tl::unexpected<Error>(std::move(done.error()));
    return check;
}

Json checkJson(const ProgramRun& run)
{
    return run.check->links ? checkReportJson(*run.check->links, *run.snapshot->program) : resultsJson(run, *run.check);
}

void printCheck(Console& console, const ProgramRun& run)
{
    if (run.check->links)
        printLinks(console, *run.check->links, *run.snapshot->program);
    else
        printResults(console, run, *run.check);
}

} // namespace shardscope::cli
