// SPDX-License-Identifier: GPL-3.0-or-later
// The command diff, declared in commands.h.
#include <memory>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "comparison/comparison.h"
#include "input.h"
#include "program/op_row.h"
#include "report.h"
#include "sharding/text.h"
#include "words/comparison_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct DiffOptions {
    std::string before, after;
    JsonTarget json;
};

/// One line of the comparison. Without `before` it is new, without `after` it is gone.
struct Difference {
    std::string section; ///< "mesh", "shardings", "bytes", "collectives", "program", "problems"
    std::string path; ///< of a setting in the file or of an array; else what it is
    std::optional<std::string> before, after;
    std::optional<double> bytesBefore = {}, bytesAfter = {}; ///< of a device; absent where it is about no bytes
};

class Differences {
public:
    explicit Differences(const SnapshotComparison& comparison)
        : m_comparison(comparison)
    {
        addSettings();
        addShardings();
        addBytes();
        addCollectives();
        addProgram();
        addProblems();
    }
    [[nodiscard]] const std::vector<Difference>& list() const { return m_found; }

private:
    /// "P('data', None), 2 shards of [4, 8], f32"
    static std::string rowText(const TensorRow& row)
    {
        return toJax(row.spec, false) + ", " + std::string(name(row.type.dtype)) + ' '
            + words::shape(row.type.shape).toStdString() + " as " + words::shape(row.layout.shardShape()).toStdString()
            + ", " + words::bytes(static_cast<double>(row.bytesPerDevice)).toStdString() + " per device";
    }

    void addSettings()
    {
        for (const SettingDifference& each : m_comparison.inputs)
            m_found.push_back(
                { each.pointer.substr(1, each.pointer.find('/', 1) - 1), each.pointer, each.before, each.after });
    }

    void addShardings()
    {
        for (const ComparedArray& array : m_comparison.arrays) {
            Difference row{ "shardings", array.path, {}, {} };
            if (array.before) {
                row.before = rowText(m_comparison.before->tensors[*array.before]);
                row.bytesBefore = static_cast<double>(array.bytesBefore);
            }
            if (array.after) {
                row.after = rowText(m_comparison.after->tensors[*array.after]);
                row.bytesAfter = static_cast<double>(array.bytesAfter);
            }
            m_found.push_back(std::move(row));
        }
    }

    template <class Bytes, class Text>
    void addAmount(std::string path, const std::optional<Bytes>& before, const std::optional<Bytes>& after, Text text)
    {
        if (before == after)
            return;
        Difference row{ "bytes", std::move(path), {}, {} };
        if (before) {
            row.before = text(*before).toStdString();
            row.bytesBefore = amount(*before);
        }
        if (after) {
            row.after = text(*after).toStdString();
            row.bytesAfter = amount(*after);
        }
        m_found.push_back(std::move(row));
    }
    static double amount(std::int64_t bytes) { return static_cast<double>(bytes); }
    static double amount(Rational bytes) { return bytes.value(); }

    void addBytes()
    {
        const auto exact = [](std::int64_t bytes) { return exactBytes(bytes); };
        const auto rounded = [](Rational bytes) { return words::bytes(bytes); };
        const auto addExact = [&](std::string path, std::int64_t before, std::int64_t after) {
            addAmount(std::move(path), std::optional(before), std::optional(after), exact);
        };
        addExact("state per device", m_comparison.stateBefore, m_comparison.stateAfter);
        for (const ComparedRole& held : m_comparison.held)
            addExact(words::role(held.role).toLower().toStdString() + " per device", held.bytesBefore, held.bytesAfter);
        addAmount("peak per device", m_comparison.peakBefore, m_comparison.peakAfter, exact);
        for (const ComparedOwner& held : m_comparison.peak)
            addExact(words::owner(held.owner, *m_comparison.after->program).toStdString() + " at the peak",
                held.bytesBefore, held.bytesAfter);
        addAmount("sent per device and step", m_comparison.sentBefore, m_comparison.sentAfter, rounded);
        for (const ComparedAxes& along : m_comparison.sent)
            addAmount("sent along " + (along.axes.empty() ? "no axes" : along.axes), std::optional(along.sentBefore),
                std::optional(along.sentAfter), rounded);
    }

    void addCollectives()
    {
        for (const ComparedCollectives& each : m_comparison.collectives) {
            if (!each.isChanged())
                continue;
            Difference row{ "collectives", words::collectivesName(each, m_comparison).toStdString(), {}, {} };
            if (!each.isAdded()) {
                row.before = words::collectivesAmount(each.timesBefore, each.sentBefore).toStdString();
                row.bytesBefore = each.sentBefore.value();
            }
            if (!each.isGone()) {
                row.after = words::collectivesAmount(each.timesAfter, each.sentAfter).toStdString();
                row.bytesAfter = each.sentAfter.value();
            }
            m_found.push_back(std::move(row));
        }
    }

    void addProgram()
    {
        for (const ComparedProgram::Kind& each : m_comparison.program.kinds)
            m_found.push_back({ "program", std::string(name(each.kind)), {},
                words::operationCounts(each.added, each.removed, each.changed).toStdString() });
    }

    void addProblems()
    {
        for (const ComparedProblem& each : m_comparison.problems) {
            std::string text = words::oneLine(each.problem).toStdString();
            Difference row{ "problems", std::string(each.problem.id()), {}, {} };
            (each.isGone ? row.before : row.after) = std::move(text);
            m_found.push_back(std::move(row));
        }
    }

    const SnapshotComparison& m_comparison;
    std::vector<Difference> m_found;
};

void printComparison(const SnapshotComparison& comparison, const std::vector<Difference>& differences)
{
    Console console;
    if (differences.empty()) {
        console.line(QStringLiteral("no differences"), Emphasis::Good);
        return;
    }
    console.line(words::largestDifference(comparison));
    std::string section;
    for (const Difference& each : differences) {
        if (each.section != section) {
            section = each.section;
            console.heading(words::fromStd(section));
        }
        console.line(QStringLiteral("  ") + words::fromStd(each.path));
        if (each.before)
            console.line(QStringLiteral("    - ") + words::fromStd(*each.before), Emphasis::Bad);
        if (each.after)
            console.line(QStringLiteral("    + ") + words::fromStd(*each.after), Emphasis::Good);
    }
}

Json rowOf(const Difference& each)
{
    Json row{ { "section", each.section }, { "path", each.path } };
    row["before"] = each.before ? Json(*each.before) : Json(nullptr);
    row["after"] = each.after ? Json(*each.after) : Json(nullptr);
    if (each.bytesBefore || each.bytesAfter) {
        row["bytes_before"] = each.bytesBefore ? Json(*each.bytesBefore) : Json(nullptr);
        row["bytes_after"] = each.bytesAfter ? Json(*each.bytesAfter) : Json(nullptr);
    }
    return row;
}

int compareInputs(const DiffOptions& options)
{
    const auto before = loadExperiment(options.before), after = loadExperiment(options.after);
    for (const auto* input : { &before, &after })
        if (!*input)
            return reject(options.json, input->error());
    const SnapshotComparison comparison = compareSnapshots(analyse(before->experiment), analyse(after->experiment));
    const Differences differences(comparison);
    const int status = differences.list().empty() ? Done : Findings;
    if (options.json.empty()) {
        printComparison(comparison, differences.list());
        printFindings(*before, *comparison.before);
        printFindings(*after, *comparison.after);
        return status;
    }
    Json out = envelope(options.json, *before);
    out["compared_with"] = after->name;
    out["largest_difference"] = words::largestDifference(comparison).toStdString();
    out["differences"] = Json::array();
    for (const Difference& each : differences.list())
        out["differences"].push_back(rowOf(each));
    out["problems"] = problems(*before, *comparison.before);
    for (Json& problem : problems(*after, *comparison.after))
        out["problems"].push_back(std::move(problem));
    return emitJson(out, options.json, status);
}

} // namespace

void addDiff(CLI::App& app, int& status)
{
    Command command(app, "diff",
        "Compare two experiments: settings, shardings, bytes, collectives, operations, problems, and what differs "
        "most");
    const auto options = std::make_shared<DiffOptions>();
    const char* description = "Experiment file, FILE#NAME for one of its variants, program in StableHLO text (.mlir), "
                              "or the id of a built-in example";
    command.addOption("A", options->before, description).required();
    command.addOption("B", options->after, description).required();
    command.addJson(options->json);
    command.setInput(options->before);
    command.footer("Lines with - are A's, lines with + are B's. Titles, notes and run settings do not count.\n"
                   "Exit codes: 0 no differences; 1 differences; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return compareInputs(*options); });
}

} // namespace shardscope::cli
