// SPDX-License-Identifier: GPL-3.0-or-later
// The command diff, declared in commands.h.
#include <memory>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "comparison/compare_goldens.h"
#include "comparison/comparison.h"
#include "goldens_input.h"
#include "input.h"
#include "program/op_row.h"
#include "report.h"
#include "sharding/text.h"
#include "words/comparison_words.h"
#include "words/golden_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

std::string sentAlong(const ComparedAxes& along)
{
    return along.axes.empty() ? "sent between single devices" : "sent along " + along.axes;
}

struct DiffOptions {
    std::string before, after;
    JsonTarget json;
};

/// An amount of both, alike or not; absent where no step can run.
struct Total {
    std::string name; ///< "sent per device and step"
    std::optional<double> before, after; ///< bytes
};

std::vector<Total> totalsOf(const SnapshotComparison& comparison)
{
    const auto amount = [](const auto& bytes) {
        return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
    };
    const auto sent = [](const std::optional<Rational>& bytes) {
        return bytes ? std::optional(bytes->value()) : std::nullopt;
    };
    std::vector<Total> totals;
    if (comparison.before->laidOut() && comparison.after->laidOut())
        totals.push_back({ "state and gradients per device", amount(std::optional(comparison.stateBefore)),
            amount(std::optional(comparison.stateAfter)) });
    totals.push_back({ "peak per device", amount(comparison.peakBefore), amount(comparison.peakAfter) });
    totals.push_back({ "sent per device and step", sent(comparison.sentBefore), sent(comparison.sentAfter) });
    for (const ComparedAxes& along : comparison.sent)
        totals.push_back({ sentAlong(along), along.sentBefore.value(), along.sentAfter.value() });
    std::erase_if(totals, [](const Total& each) { return !each.before && !each.after; });
    return totals;
}

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
        addExact("state and gradients per device", m_comparison.stateBefore, m_comparison.stateAfter);
        for (const ComparedRole& held : m_comparison.held)
            addExact(words::role(held.role).toLower().toStdString() + " per device", held.bytesBefore, held.bytesAfter);
        addAmount("peak per device", m_comparison.peakBefore, m_comparison.peakAfter, exact);
        for (const ComparedOwner& held : m_comparison.peak)
            addExact(words::owner(held.owner, *m_comparison.after->program).toStdString() + " at the peak",
                held.bytesBefore, held.bytesAfter);
        addAmount("sent per device and step", m_comparison.sentBefore, m_comparison.sentAfter, rounded);
        for (const ComparedAxes& along : m_comparison.sent)
            addAmount(sentAlong(along), std::optional(along.sentBefore), std::optional(along.sentAfter), rounded);
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

/// The form for people of what stands in the file as a list or an object.
QString sideText(const Difference& difference, const std::optional<std::string>& side)
{
    const bool isLong = difference.path == "/model/text" || difference.path == "/mesh/axes";
    return isLong ? words::settingValue(side, difference.path) : words::fromStd(*side);
}

void printTotals(Console& console, const SnapshotComparison& comparison)
{
    Table table{ "In all", "A>", "B>", "B − A>" };
    const auto text = [](const std::optional<double>& bytes) {
        return bytes ? words::bytes(*bytes) : QStringLiteral("-");
    };
    for (const Total& each : totalsOf(comparison))
        table.rows.push_back({ words::fromStd(each.name), text(each.before), text(each.after),
            each.before && each.after ? words::signedBytes(*each.after - *each.before) : QStringLiteral("-") });
    if (table.rows.empty())
        return;
    console.table(table, {});
    console.line();
}

void printComparison(const SnapshotComparison& comparison, const std::vector<Difference>& differences)
{
    Console console;
    if (differences.empty()) {
        console.line(QStringLiteral("no differences"), Emphasis::Good);
        return;
    }
    printTotals(console, comparison);
    console.line(words::largestDifference(comparison));
    if (const QString renamed = words::renamedAxes(comparison); !renamed.isEmpty())
        console.line(renamed);
    std::string section;
    for (const Difference& each : differences) {
        if (each.section != section) {
            section = each.section;
            console.heading(words::fromStd(section));
        }
        console.line(QStringLiteral("  ") + words::fromStd(each.path));
        if (each.before)
            console.line(QStringLiteral("    - ") + sideText(each, each.before), Emphasis::Bad);
        if (each.after)
            console.line(QStringLiteral("    + ") + sideText(each, each.after), Emphasis::Good);
    }
}

Json totalsJson(const SnapshotComparison& comparison)
{
    const auto amount = [](const std::optional<double>& bytes) { return bytes ? Json(*bytes) : Json(nullptr); };
    Json totals = Json::array();
    for (const Total& each : totalsOf(comparison))
        totals.push_back(
            { { "name", each.name }, { "bytes_before", amount(each.before) }, { "bytes_after", amount(each.after) } });
    return totals;
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

std::string_view goldenId(ComparedGolden::Kind kind)
{
    constexpr std::string_view ids[] = { "same", "other_form", "other_spec", "other_shape", "no_spec", "only_golden",
        "only_ours" };
    return ids[static_cast<std::size_t>(kind)];
}

std::string sectionOf(const ComparedGolden& compared)
{
    return compared.isActivation ? "activations" : "state";
}

std::optional<std::string> specText(const std::optional<PartitionSpec>& spec)
{
    return spec ? std::optional(toJax(*spec)) : std::nullopt;
}

void printGoldens(const GoldenComparison& comparison)
{
    Console console;
    std::string section;
    const auto begin = [&](const std::string& name) {
        if (name != section)
            console.heading(words::fromStd(section = name));
    };
    const auto line = [&](const char* sign, const std::string& text, Emphasis emphasis) {
        console.line(QStringLiteral("    %1 %2").arg(QLatin1String(sign), words::fromStd(text)), emphasis);
    };
    for (const ComparedAxis& axis : comparison.mesh) {
        begin("mesh");
        console.line(QStringLiteral("  ") + words::fromStd(axis.name));
        if (axis.found > 0)
            line("-", std::to_string(axis.found), Emphasis::Bad);
        if (axis.expected > 0)
            line("+", std::to_string(axis.expected), Emphasis::Good);
    }
    for (const ComparedGolden& each : comparison.arrays) {
        if (each.kind == ComparedGolden::Kind::Same)
            continue;
        begin(sectionOf(each));
        console.line(QStringLiteral("  ") + words::fromStd(each.path));
        if (each.found)
            line("-", toJax(*each.found), Emphasis::Bad);
        if (each.expected)
            line("+", toJax(*each.expected), Emphasis::Good);
        console.line(QStringLiteral("    ") + words::goldenDifference(each));
    }
    if (!section.empty())
        console.line();
    console.line(words::goldenSummary(comparison), comparison.isSame() ? Emphasis::Good : Emphasis::None);
    if (comparison.withoutNames > 0)
        console.line(QStringLiteral("%1 more of the goldens have no names and are not compared.")
                         .arg(words::counted(static_cast<qint64>(comparison.withoutNames), words::Noun::Array)),
            Emphasis::Faint);
    if (comparison.ofOptimizer > 0)
        console.line(QStringLiteral("%1 more of the goldens are an optimizer's, which the experiment does not have.")
                         .arg(words::counted(static_cast<qint64>(comparison.ofOptimizer), words::Noun::Array)),
            Emphasis::Faint);
}

Json goldensJson(const GoldenComparison& comparison)
{
    Json counts{ { "without_names", comparison.withoutNames }, { "of_optimizer", comparison.ofOptimizer } };
    for (int kind = 0; kind <= static_cast<int>(ComparedGolden::Kind::OnlyOurs); ++kind)
        counts[std::string(goldenId(static_cast<ComparedGolden::Kind>(kind)))] =
            comparison.count(static_cast<ComparedGolden::Kind>(kind));
    return counts;
}

Json goldenRows(const GoldenComparison& comparison)
{
    Json rows = Json::array();
    const auto size = [](std::int64_t number) {
        return number > 0 ? std::optional(std::to_string(number)) : std::nullopt;
    };
    for (const ComparedAxis& axis : comparison.mesh)
        rows.push_back(rowOf({ "mesh", axis.name, size(axis.found), size(axis.expected) }));
    for (const ComparedGolden& each : comparison.arrays) {
        if (each.kind == ComparedGolden::Kind::Same)
            continue;
        Json row = rowOf({ sectionOf(each), each.path, specText(each.found), specText(each.expected) });
        row["kind"] = goldenId(each.kind);
        row["text"] = words::goldenDifference(each).toStdString();
        if (each.where.line > 0)
            row["where"] = { { "file", each.where.file }, { "line", each.where.line },
                { "column", each.where.column } };
        rows.push_back(std::move(row));
    }
    return rows;
}

int compareWithGoldens(const DiffOptions& options)
{
    const auto before = loadExperiment(options.before);
    if (!before)
        return reject(options.json, before.error());
    const ReadGoldens goldens = loadGoldens(options.after);
    if (!goldens)
        return reject(options.json, goldens.error());
    const Result<GoldenComparison> comparison = compareGoldens(*goldens, before->experiment);
    if (!comparison)
        return reject(options.json, { comparison.error() });
    const int status = comparison->isSame() ? Done : Findings;
    if (options.json.empty()) {
        printGoldens(*comparison);
        return status;
    }
    Json out = envelope(options.json, *before);
    out["compared_with"] = options.after;
    out["goldens"] = goldensJson(*comparison);
    out["differences"] = goldenRows(*comparison);
    out["problems"] = cli::toJson(before->warnings);
    return emitJson(out, options.json, status);
}

int compareInputs(const DiffOptions& options)
{
    if (isFolder(options.after))
        return compareWithGoldens(options);
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
    out["totals"] = totalsJson(comparison);
    out["renamed_axes"] = Json::array();
    for (const RenamedAxis& each : comparison.renamed)
        out["renamed_axes"].push_back({ { "before", each.before }, { "after", each.after }, { "size", each.size } });
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
    const char* description =
        "Experiment file, FILE#NAME for one of its variants, program in StableHLO text (.mlir) or HLO "
        "text (.hlo), or the id of a built-in example";
    command.addOption("A", options->before, description).required();
    command
        .addOption(
            "B", options->after, "As A, or a folder of MaxText's goldens: what A's rules and mesh give otherwise")
        .required();
    command.addJson(options->json);
    command.setInput(options->before);
    command.footer(
        "Lines with - are A's, lines with + are B's. Titles, notes and run settings do not count.\n"
        "A folder of MaxText's goldens holds named_shardings.json and, where they are known, "
        "logical_shardings.json\nand input_shardings.json: arrays of the state are found by their paths, and "
        "activations by their names,\nwhich A's rules resolve on A's mesh. What differs in mesh axes of size 1 "
        "alone is a difference, too.\n"
        "Exit codes: 0 no differences; 1 differences; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return compareInputs(*options); });
}

} // namespace shardscope::cli
