// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiled_report.h"

#include <nlohmann/json.hpp>

#include "analysis/compiled_program.h"
#include "collectives_report.h"
#include "hlo/read.h"
#include "hlo/to_stablehlo.h"
#include "input.h"
#include "interchange/csv_text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

QString textOr(std::string_view text, const QString& otherwise = QStringLiteral("-"))
{
    return text.empty() ? otherwise : words::fromStd(std::string(text));
}

QString executionsText(const std::optional<std::int64_t>& executions)
{
    return executions ? words::count(*executions) : QStringLiteral("?");
}

std::string sourceOf(const HloCollective& collective)
{
    const HloPlace& place = collective.metadata.place;
    return place.file.empty() ? std::string() : std::string(place.file) + ':' + std::to_string(place.line);
}

CompiledKey compiledKey(const std::string& by)
{
    return by == "kind"  ? CompiledKey::Kind
        : by == "layer"  ? CompiledKey::Cause
        : by == "source" ? CompiledKey::Source
                         : CompiledKey::Groups;
}

/// groupsText(); of a permutation only `inFull`: "{{0,1},{1,2}}".
std::string devicesText(const HloModule& module, const HloCollective& collective, bool inFull)
{
    if (!inFull || collective.pairs.empty())
        return groupsText(module, collective);
    std::string text;
    for (const auto& [from, to] : collective.pairs)
        text += (text.empty() ? "{" : ",{") + std::to_string(from) + ',' + std::to_string(to) + '}';
    return '{' + text + '}';
}

void printCompiledList(Console& console, const HloModule& module, const HloCollectives& found, bool groups)
{
    Table table{ "#>", "Collective", "Groups", "In>", "Out>", "Sent per device>", "Times>", "Bytes per step>", "Line>",
        "Source", "Cause" };
    for (std::size_t i = 0; i < found.list.size(); ++i) {
        const HloCollective& collective = found.list[i];
        table.rows.push_back({ words::count(static_cast<qint64>(i) + 1), textOr(name(collective.kind)),
            textOr(devicesText(module, collective, groups)), words::bytes(Rational(collective.bytesIn)),
            words::bytes(Rational(collective.bytesOut)), words::bytes(sentBytes(collective)),
            executionsText(collective.executions), exactCount(sentPerStep(collective)),
            QString::number(collective.line), textOr(sourceOf(collective)), textOr(collective.metadata.opName) });
    }
    console.heading(QStringLiteral("Collectives"));
    console.foldedTable(table);
}

void printCompiledSums(Console& console, const HloModule& module, const HloCollectives& found, const std::string& by)
{
    Table table{ by == "layer" ? "Cause"
            : by == "source"   ? "Source"
                               : "Collective",
        "Collectives>", "Times>", "In>", "Out>", "Sent per device>", "Bytes per step>" };
    for (const CompiledSum& sum : sums(module, found, compiledKey(by)))
        table.rows.push_back({ textOr(sum.key), words::count(sum.collectives), executionsText(sum.executions),
            words::bytes(Rational(sum.bytesIn)), words::bytes(Rational(sum.bytesOut)), words::bytes(sum.sent),
            exactCount(sum.sent) });
    console.heading(by == "kind" ? QStringLiteral("Sums by kind")
            : by == "layer"      ? QStringLiteral("Sums by cause")
            : by == "source"     ? QStringLiteral("Sums by line of the source")
                                 : QStringLiteral("Sums by groups"));
    console.foldedTable(table);
}

void printCompiled(const HloModule& module, const HloCollectives& found, const CompiledReport& options)
{
    Console console;
    console.line(QStringLiteral("%1, as XLA has compiled it for %2 devices.")
                     .arg(textOr(module.view(module.name)), words::count(found.devices)));
    if (module.endsEarly)
        console.line(QStringLiteral("The text ends before the module does: what comes after that is missing, and how "
                                    "often anything runs is not known."));
    if (found.list.empty()) {
        console.line(QStringLiteral("No device has to send anything: there are no collectives."));
        return;
    }
    if (options.by.empty())
        printCompiledList(console, module, found, options.groups);
    printCompiledSums(console, module, found, options.by);
    Rational sent;
    bool isExact = true, isRounded = false;
    for (const CompiledSum& sum : sums(module, found, CompiledKey::Kind))
        sent += sum.sent;
    bool isConditional = false;
    for (const HloCollective& collective : found.list) {
        isRounded = isRounded || sentPerStep(collective).denominator() != 1;
        isExact = isExact && collective.executions;
        isConditional = isConditional || !collective.branches.empty();
    }
    console.line();
    console.line(QStringLiteral("%1 %2 per step.").arg(whoSends(allSend(found)), bytesAndCount(sent)));
    if (isConditional)
        sayBranches(console);
    if (!isExact)
        console.line(QStringLiteral("? how often it runs cannot be told from the text; it is counted once."));
    sayRounded(console, isRounded);
}

Json compiledSumsJson(const HloModule& module, const HloCollectives& found, CompiledKey key)
{
    Json list = Json::array();
    for (const CompiledSum& sum : sums(module, found, key)) {
        Json each = { { "key", sum.key }, { "count", sum.collectives }, { "bytes_in", sum.bytesIn },
            { "bytes_out", sum.bytesOut }, { "sent_bytes", toJson(sum.sent) }, { "exact", sum.isExact } };
        if (sum.executions)
            each["times"] = *sum.executions;
        list.push_back(std::move(each));
    }
    return list;
}

Json compiledJson(const HloModule& module, const HloCollective& collective, bool inSums)
{
    Json out = { { "name", module.view(module.instructions[collective.instruction].name) },
        { "kind", name(collective.kind) }, { "line", collective.line },
        { "groups_text", groupsText(module, collective) }, { "groups", collective.groups.count() },
        { "group_size", collective.groups.size() }, { "bytes_in", collective.bytesIn },
        { "bytes_out", collective.bytesOut }, { "sent_bytes", toJson(sentBytes(collective)) },
        { "op_name", collective.metadata.opName }, { "source", sourceOf(collective) }, { "async", collective.isAsync },
        { "sliced_right_after", collective.slicedRightAfter.has_value() },
        { "conditional", !collective.branches.empty() }, { "in_sums", inSums } };
    if (collective.executions)
        out["times"] = *collective.executions;
    if (!collective.reduction.empty())
        out["reduction"] = collective.reduction;
    if (!collective.pairs.empty())
        out["source_target_pairs"] = collective.pairs;
    return out;
}

int printCompiledJson(const HloModule& module, const HloCollectives& found, const JsonTarget& target)
{
    Json out = envelope(target);
    Json& compiled = out["compiled"] = { { "module", module.view(module.name) }, { "device_count", found.devices },
        { "ends_early", module.endsEarly }, { "collectives", Json::array() } };
    const std::vector<bool> counted = countedInSums(found);
    for (std::size_t i = 0; i < found.list.size(); ++i)
        compiled["collectives"].push_back(compiledJson(module, found.list[i], counted[i]));
    compiled["sums"] = { { "by_kind", compiledSumsJson(module, found, CompiledKey::Kind) },
        { "by_groups", compiledSumsJson(module, found, CompiledKey::Groups) },
        { "by_cause", compiledSumsJson(module, found, CompiledKey::Cause) },
        { "by_source", compiledSumsJson(module, found, CompiledKey::Source) } };
    return emitJson(out, target, Done);
}

std::string compiledCsv(const HloModule& module, const HloCollectives& found, const CompiledReport& options)
{
    const auto timesOf = [](const std::optional<std::int64_t>& times) {
        return times ? std::to_string(*times) : std::string();
    };
    std::string text;
    if (!options.by.empty()) {
        text = csvLine({ options.by, "collectives", "times_per_step", "sent_bytes_per_step" });
        for (const CompiledSum& sum : sums(module, found, compiledKey(options.by)))
            text +=
                csvLine({ sum.key, std::to_string(sum.collectives), timesOf(sum.executions), toJson(sum.sent).dump() });
        return text;
    }
    text = csvLine({ "number", "kind", "groups", "group_size", "bytes_in", "bytes_out", "sent_bytes", "times",
        "sent_bytes_per_step", "line", "source", "cause" });
    for (std::size_t i = 0; i < found.list.size(); ++i) {
        const HloCollective& collective = found.list[i];
        text += csvLine({ std::to_string(i + 1), std::string(name(collective.kind)),
            devicesText(module, collective, options.groups), std::to_string(collective.groups.size()),
            std::to_string(collective.bytesIn), std::to_string(collective.bytesOut),
            toJson(sentBytes(collective)).dump(), timesOf(collective.executions),
            toJson(sentPerStep(collective)).dump(), std::to_string(collective.line), sourceOf(collective),
            collective.metadata.opName });
    }
    return text;
}

} // namespace

std::optional<int> reportCompiled(const std::string& text, const CompiledReport& options)
{
    if (!isHloText(text))
        return std::nullopt;
    const auto refused = [&](Error error) {
        error.where.file = shownName(options.name);
        return refuse(options.json, Refused{ { std::move(error) } });
    };
    const Result<HloModule> module = readHlo(text);
    if (!module)
        return refused(module.error());
    if (!isCompiled(*module))
        return std::nullopt;
    const Result<HloCollectives> found = collectivesOf(*module);
    if (!found)
        return refused(found.error());
    if (!options.json.empty())
        return printCompiledJson(*module, *found, options.json);
    if (options.csv)
        writeTo(stdout, compiledCsv(*module, *found, options));
    else
        printCompiled(*module, *found, options);
    return Done;
}

} // namespace shardscope::cli
