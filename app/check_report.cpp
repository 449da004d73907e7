// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in run_report.h.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "program/op_row.h"
#include "run_report.h"
#include "words/run_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

Json indexJson(const Program& program, ValueId value, std::int64_t element)
{
    Shape index = program.value(value).type.shape;
    for (std::size_t d = index.size(); d-- > 0;) {
        const std::int64_t extent = index[d];
        index[d] = element % extent;
        element /= extent;
    }
    return std::vector<std::int64_t>(index.begin(), index.end());
}

/// null where it is no number that JSON has.
Json finite(double number)
{
    return std::isfinite(number) ? Json(number) : Json();
}

const char* verdictName(CheckVerdict verdict)
{
    switch (verdict) {
    case CheckVerdict::Agrees:
        return "agrees";
    case CheckVerdict::Differs:
        return "differs";
    case CheckVerdict::NotCompared:
        break;
    }
    return "not_compared";
}

Json valueJson(const ValueCheck& value, const Program& program)
{
    Json out{ { "path", value.path }, { "passed", value.passed() }, { "compared", value.compared },
        { "not_finite", value.notFinite }, { "beyond", value.beyond }, { "largest_error", finite(value.largestError) },
        { "tolerance", finite(value.tolerance) }, { "largest_magnitude", value.largestMagnitude },
        { "replicas_agree", !value.copiesDiffer } };
    if (!value.results.empty())
        out["result"] = value.results.front();
    if (value.worstElement >= 0)
        out["worst"] = { { "element", indexJson(program, value.value, value.worstElement) },
            { "device", value.worstDevice }, { "value", finite(value.ours) },
            { "reference", finite(value.reference) } };
    if (const auto& copies = value.copiesDiffer)
        out["copies_differ"] = { { "element", indexJson(program, value.value, copies->element) },
            { "device_ids", { copies->device, copies->other } },
            { "values", { finite(copies->value), finite(copies->otherValue) } } };
    return out;
}

Json firstDifferenceJson(const ValueCheck& value, const Program& program)
{
    Json out{ { "value", value.path } };
    if (const auto& copies = value.copiesDiffer) {
        out["element"] = indexJson(program, value.value, copies->element);
        out["device"] = copies->device;
        out["found"] = finite(copies->value);
        out["other_device"] = copies->other;
        out["other"] = finite(copies->otherValue);
    } else if (value.worstElement >= 0) {
        out["element"] = indexJson(program, value.value, value.worstElement);
        out["device"] = value.worstDevice;
        out["found"] = finite(value.ours);
        out["reference"] = finite(value.reference);
    }
    const OperationId by = program.value(value.value).definition;
    if (by.valid()) {
        const Operation& operation = program.operation(by);
        out["operation"] = qualifiedName(operation);
        if (operation.source < program.sources.size() && program.sources[operation.source].line > 0)
            out["line"] = program.sources[operation.source].line;
    }
    return out;
}

void printTable(Console& console, const CheckReport& report)
{
    constexpr std::int64_t maxShown = 64;
    const auto count = static_cast<std::int64_t>(report.values.size());
    const std::int64_t failed = std::count_if(
        report.values.begin(), report.values.end(), [](const ValueCheck& value) { return !value.passed(); });
    Table table{ "Tensor", "Largest error>", "Tolerance>", "Compared>", "Copies", "Result" };
    std::int64_t good = 0;
    for (const ValueCheck& value : report.values) { // those that failed before all others
        if (value.passed() && ++good > std::max<std::int64_t>(maxShown - failed, 0))
            continue;
        const bool isEqual = value.worstElement < 0;
        table.rows.push_back({ words::fromStd(value.path),
            isEqual ? QStringLiteral("none") : QString::number(value.largestError, 'g', 3),
            isEqual ? QStringLiteral("–") : QString::number(value.tolerance, 'g', 3), QString::number(value.compared),
            value.copiesDiffer ? QStringLiteral("differ") : QStringLiteral("equal"),
            value.passed() ? QStringLiteral("ok") : QStringLiteral("failed") });
    }
    console.table(table);
    if (const auto more = count - static_cast<std::int64_t>(table.rows.size()); more > 0)
        console.line(QStringLiteral("  and %1 more, all ok").arg(more));
}

void printNotCompared(Console& console, const CheckReport& report)
{
    for (const ValueCheck& value : report.values)
        if (!value.results.empty() && value.compared == 0 && value.notFinite > 0)
            console.line(QStringLiteral("  result %1 could not be compared: all of it, %2, is NaN or infinite, on the "
                                        "devices and in the reference")
                             .arg(value.results.front())
                             .arg(words::counted(value.notFinite, words::Noun::Element)),
                Emphasis::Bad);
}

void printFailures(Console& console, const CheckReport& report, const Program& program)
{
    const auto count = static_cast<std::int64_t>(report.values.size());
    const std::int64_t failed = std::count_if(
        report.values.begin(), report.values.end(), [](const ValueCheck& value) { return !value.passed(); });
    console.line((failed == 1 ? QStringLiteral("  %1 of %2 does not agree; in the order of the step:")
                              : QStringLiteral("  %1 of %2 do not agree; in the order of the step:"))
                     .arg(failed)
                     .arg(words::counted(count, words::Noun::Array)),
        Emphasis::Bad);
    constexpr int maxFindings = 8; // what follows is wrong because of the first ones, mostly
    int found = 0;
    for (const ValueCheck& value : report.values) {
        for (const QString& finding : words::checkFindings(value, program))
            if (++found <= maxFindings)
                console.line(QStringLiteral("  ") + finding, Emphasis::Bad);
        if (&value != report.firstDifference())
            continue;
        for (const QString& more : words::firstDifference(program, value))
            console.line(QStringLiteral("  ") + more);
    }
    if (found > maxFindings)
        console.line(QStringLiteral("  and %1 more").arg(found - maxFindings), Emphasis::Bad);
}

} // namespace

Json checkJson(const CheckReport& report, const Program& program)
{
    Json values = Json::array();
    for (const ValueCheck& value : report.values)
        values.push_back(valueJson(value, program));
    Json out{ { "passed", report.passed() }, { "verdict", verdictName(report.verdict()) },
        { "compared", report.compared() }, { "not_finite", report.notFinite() } };
    if (report.loss) {
        out["loss"] = finite(*report.loss);
        out["loss_reference"] = finite(*report.lossReference);
    }
    out["values"] = std::move(values);
    if (const ValueCheck* first = report.firstDifference())
        out["first_difference"] = firstDifferenceJson(*first, program);
    return out;
}

void printCheck(Console& console, const CheckReport& report, const Program& program)
{
    console.heading(QStringLiteral("Check against the unsharded reference"));
    if (report.values.empty()) {
        console.line(QStringLiteral("  nothing is computed, so there is nothing to compare"));
        return;
    }
    printTable(console, report);
    if (report.loss)
        console.line(QStringLiteral("  loss %1, reference %2")
                         .arg(QString::number(*report.loss, 'g', 12), QString::number(*report.lossReference, 'g', 12)));
    const auto count = static_cast<std::int64_t>(report.values.size());
    switch (report.verdict()) {
    case CheckVerdict::NotCompared:
        printNotCompared(console, report);
        return;
    case CheckVerdict::Differs:
        printFailures(console, report, program);
        return;
    case CheckVerdict::Agrees:
        break;
    }
    console.line((count == 1 ? QStringLiteral("  %1 agrees") : QStringLiteral("  all %1 agree"))
                     .arg(words::counted(count, words::Noun::Array)),
        Emphasis::Good);
    if (const std::int64_t notFinite = report.notFinite(); notFinite > 0)
        console.line(
            QStringLiteral("  %1 of %2 could not be compared: NaN or infinite on both sides")
                .arg(words::count(notFinite), words::counted(notFinite + report.compared(), words::Noun::Element)));
}

} // namespace shardscope::cli
