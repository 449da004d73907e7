// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope comms: every collective of a step, what it sends and why it is there.
// The command comms, declared in commands.h.
#include <algorithm>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "collectives_report.h"
#include "command.h"
#include "commands.h"
#include "compiled_report.h"
#include "interchange/csv_text.h"
#include "memory_report.h"
#include "pipeline/stage_results.h"
#include "report/report_table.h"
#include "stablehlo/read.h"
#include "words/collective_words.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

struct CommsOptions {
    std::string file;
    std::string by;
    bool csv = false;
    bool groups = false;
    JsonTarget json;
};

CollectiveKey keyNamed(const std::string& name)
{
    return name == "kind"  ? CollectiveKey::Kind
        : name == "layer"  ? CollectiveKey::Layer
        : name == "source" ? CollectiveKey::Source
                           : CollectiveKey::Axes;
}

QString orDash(const std::string& text)
{
    return text.empty() ? QStringLiteral("-") : words::fromStd(text);
}

void printList(Console& console, const CollectiveList& list, bool groups)
{
    Table table{ "#>", "Collective", "Along", "Groups", "Sent per device>", "Bytes>", "Times>", "Bytes per step>",
        "Layer", "Value", "Cause" };
    if (groups)
        table.columns.push_back({ QStringLiteral("Devices") });
    for (std::size_t i = 0; i < list.entries.size(); ++i) {
        const CollectiveEntry& entry = list.entries[i];
        table.rows.push_back({ words::count(static_cast<qint64>(i) + 1), words::collective(entry.kind),
            orDash(keyOf(entry, CollectiveKey::Axes)), words::groupCounts(entry), words::bytes(entry.sentBytes),
            exactCount(entry.sentBytes), timesText(entry), exactCount(entry.sentPerStep()), orDash(entry.scope),
            valueText(list, entry), words::causeName(entry) });
        if (groups)
            table.rows.back() << words::groupList(entry);
    }
    console.heading(QStringLiteral("Collectives"));
    console.foldedTable(table);
}

void printSums(Console& console, const CollectiveList& list, const std::string& by)
{
    Table table{ by == "kind" ? "Collective"
            : by == "layer"   ? "Layer"
            : by == "source"  ? "Source"
                              : "Along",
        "Collectives>", "Times>", "Sent per device>", "Bytes per step>" };
    const CollectiveKey key = keyNamed(by);
    // Kinds as the list has them.
    const auto shown = [&](const CollectiveSum& sum) {
        const auto entry = std::find_if(list.entries.begin(), list.entries.end(),
            [&](const CollectiveEntry& each) { return key == CollectiveKey::Kind && keyOf(each, key) == sum.key; });
        return entry == list.entries.end() ? orDash(sum.key) : words::collective(entry->kind);
    };
    for (const CollectiveSum& sum : sums(list, key))
        table.rows.push_back({ shown(sum), words::count(sum.collectives), words::count(sum.timesPerStep),
            words::bytes(sum.sent), exactCount(sum.sent) });
    // It is in the list above, and in none of the sums.
    const bool loss = std::any_of(
        list.entries.begin(), list.entries.end(), [](const CollectiveEntry& entry) { return entry.scalarLoss; });
    console.heading(
        QStringLiteral("Sums by %1%2")
            .arg(QString::fromStdString(by), loss ? QStringLiteral(", without the scalar loss") : QString()));
    console.table(table);
}

void printText(const Communication& found, const CommsOptions& options)
{
    Console console;
    const CollectiveList& list = found.list;
    if (list.entries.empty()) {
        console.line(QStringLiteral("No device has to send anything: there are no collectives."));
        printTransfers(console, *found.snapshot);
        return;
    }
    if (options.by.empty())
        printList(console, list, options.groups);
    printSums(console, list, options.by.empty() ? "axes" : options.by);
    const SentBytes sent = sentBytes(list);
    console.line();
    console.line(QStringLiteral("%1 %2 per step%3.")
                     .arg(whoSends(allSend(list)), bytesAndCount(sent.step),
                         sent.scalarLoss == Rational(0)
                             ? QString()
                             : QStringLiteral(", and %1 for the scalar loss").arg(words::bytes(sent.scalarLoss))));
    if (std::any_of(list.entries.begin(), list.entries.end(),
            [](const CollectiveEntry& entry) { return entry.conditional && isExchange(entry); }))
        sayBranches(console);
    for (const CollectiveEntry& entry : list.entries)
        if (!entry.timesKnown) {
            console.line(QStringLiteral("? how often a loop around it runs is known only when it runs; it is counted "
                                        "once."));
            break;
        }
    sayRounded(console, std::any_of(list.entries.begin(), list.entries.end(), [](const CollectiveEntry& entry) {
        return entry.sentBytes.denominator() != 1;
    }));
    printTransfers(console, *found.snapshot);
}

std::string csvText(const Communication& found, const CommsOptions& options)
{
    if (options.by.empty())
        return toCsv(collectivesTable(*found.snapshot, options.groups));
    std::string text = csvLine({ options.by, "collectives", "times_per_step", "sent_bytes_per_step" });
    for (const CollectiveSum& sum : sums(found.list, keyNamed(options.by)))
        text += csvLine(
            { sum.key, std::to_string(sum.collectives), std::to_string(sum.timesPerStep), toJson(sum.sent).dump() });
    return text;
}

Json sumsJson(const CollectiveList& list, CollectiveKey key)
{
    Json out = Json::array();
    for (const CollectiveSum& sum : sums(list, key))
        out.push_back({ { "key", sum.key }, { "count", sum.collectives }, { "times", sum.timesPerStep },
            { "sent_bytes", toJson(sum.sent) } });
    return out;
}

int printJson(const Communication& found, const CommsOptions& options, int status)
{
    const CollectiveList& list = found.list;
    Json out = envelope(options.json, found.input);
    if (list.mesh)
        out["mesh"] = toJson(*list.mesh);
    if (const Result<std::uint64_t> program = deviceProgramHash(*found.snapshot))
        out["device_program"] = hashJson(*program);
    const SentBytes sent = sentBytes(list);
    out["sent_bytes"] = toJson(sent.step);
    out["sent_bytes_scalar_loss"] = toJson(sent.scalarLoss);
    out["collectives"] = Json::array();
    for (std::size_t i = 0; i < list.entries.size(); ++i)
        out["collectives"].push_back(toJson(list, i, options.groups));
    out["sums"] = { { "by_kind", sumsJson(list, CollectiveKey::Kind) },
        { "by_axes", sumsJson(list, CollectiveKey::Axes) }, { "by_layer", sumsJson(list, CollectiveKey::Layer) },
        { "by_source", sumsJson(list, CollectiveKey::Source) } };
    out["memory_transfers"] = transfersJson(*found.snapshot);
    out["problems"] = problems(found.input, *found.snapshot);
    return emitJson(out, options.json, status);
}

int showComms(const CommsOptions& options)
{
    // What is not there may be a built-in example, which is looked for after this.
    std::optional<std::string> text;
    if (Result<std::string> read = readText(options.file, maximumText)) {
        if (const auto status =
                reportCompiled(*read, { options.file, options.by, options.csv, options.groups, options.json }))
            return *status;
        // Experiments have a limit of their own, which their reader holds.
        if (read->size() <= maximumExperiment || isProgramText(options.file, *read))
            text = std::move(*read);
    }
    const auto found = loadCommunication(options.file, std::move(text));
    if (!found)
        return refuse(options.json, found.error());
    const int status = found->snapshot->errorCount() == 0 ? Done : Findings;
    if (!options.json.empty())
        return printJson(*found, options, status);
    if (options.csv) {
        writeTo(stdout, csvText(*found, options));
    } else {
        printText(*found, options);
    }
    printFindings(found->input, *found->snapshot);
    return status;
}

} // namespace

void addComms(CLI::App& app, int& status)
{
    Command command(app, "comms", "List every collective of a step: what it sends, how often, and why");
    const auto options = std::make_shared<CommsOptions>();
    command.addFile(options->file);
    const Option by =
        command
            .addOption("--by", options->by,
                "Print sums by kind, by mesh axes, by layer or by line of the source instead of the list (JSON "
                "has both)")
            .oneOf({ "kind", "axes", "layer", "source" })
            .optionText("KEY");
    command.addFlag("--groups", options->groups, "Print in the list which devices exchange with each other")
        .excludes(by);
    Option csv =
        command.addFlag("--csv", options->csv, "Print comma separated values, as export --view collectives does");
    csv.excludes(command.addJson(options->json));
    command.footer(
        "`shardscope explain FILE --collective N` says why number N is there and what else would do.\n"
        "Bytes are those of the ring model, per device; a collective in a loop counts with its trips.\n"
        "What goes between the memory of devices and that of their hosts is listed apart from them.\n"
        "Of HLO text that XLA has compiled the collectives are those in it, with the lines where they stand;\n"
        "--by axes sums up by groups of devices, --by layer by the names of operations. In a terminal long cells\n"
        "of the list go on in the next line; in a file or pipe every row is one line. ≈ stands before bytes that\n"
        "devices send in the mean, rounded; --json has the mean itself.\n"
        "Exit codes: 0 done; 1 the experiment has errors, or cannot be partitioned; 2 arguments, input or\n"
        "output that cannot be used.");
    command.run(status, [options] { return showComms(*options); });
}

} // namespace shardscope::cli
