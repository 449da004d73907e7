// SPDX-License-Identifier: GPL-3.0-or-later
// The command params, declared in commands.h.
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/parameter_tree.h"
#include "base/text.h"
#include "command.h"
#include "commands.h"
#include "input.h"
#include "report.h"
#include "report/report_table.h"
#include "words/spec_text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct ParamsOptions {
    std::string file;
    bool csv = false;
    JsonTarget json;
};

struct ParameterLine {
    const TensorRow* row = nullptr;
    LogicalNames names; ///< as the rules see the dimensions; none where it is not annotated by names
};

struct ParameterSum {
    std::int64_t count = 0; ///< of numbers
    std::int64_t bytes = 0, bytesPerDevice = 0;
};

std::vector<ParameterLine> parameterLines(const Snapshot& snapshot)
{
    std::vector<ParameterLine> lines;
    for (const TensorRow& row : snapshot.tensors) {
        if (!isParameter(snapshot, row))
            continue;
        const LogicalNames* names = logicalNamesOf(snapshot, row);
        lines.push_back({ &row, names ? *names : LogicalNames() });
    }
    return lines;
}

ParameterSum parameterSum(const std::vector<ParameterLine>& lines)
{
    ParameterSum sum;
    for (const ParameterLine& line : lines) {
        sum.count = saturatingSum(sum.count, line.row->type.elementCount());
        sum.bytes = saturatingSum(sum.bytes, line.row->bytesInAll);
        sum.bytesPerDevice = saturatingSum(sum.bytesPerDevice, line.row->bytesPerDevice);
    }
    return sum;
}

/// "embed, heads, -"
std::string logicalAxesText(const LogicalNames& names)
{
    return join(names, ", ", [](const LogicalName& name) {
        return name.kind == LogicalName::Kind::Name ? name.name
            : name.kind == LogicalName::Kind::None  ? std::string("-")
                                                    : std::string("?");
    });
}

int printParamsJson(const Input& input, const Snapshot& snapshot, const ParamsOptions& options, int status)
{
    const std::vector<ParameterLine> lines = parameterLines(snapshot);
    const ParameterSum sum = parameterSum(lines);
    Json out = envelope(options.json, input);
    out["tensors"] = Json::array();
    for (const ParameterLine& line : lines) {
        Json row = toJson(*line.row);
        row["logical_axes"] = Json::array();
        for (const LogicalName& name : line.names)
            row["logical_axes"].push_back(name.kind == LogicalName::Kind::Name ? Json(name.name) : Json(nullptr));
        out["tensors"].push_back(std::move(row));
    }
    out["parameter_count"] = sum.count;
    out["bytes"] = sum.bytes;
    out["bytes_per_device"] = sum.bytesPerDevice;
    out["problems"] = problems(input, snapshot);
    return emitJson(out, options.json, status);
}

void printParamsText(const Snapshot& snapshot)
{
    const std::vector<ParameterLine> lines = parameterLines(snapshot);
    const ParameterSum sum = parameterSum(lines);
    const auto bytes = [](std::int64_t count) { return words::bytes(static_cast<double>(count)); };
    Table table{ "Parameter", "Shape", "Type", "Logical axes", "Spec", "Bytes>", "Bytes per device>" };
    for (const ParameterLine& line : lines)
        table.rows.push_back({ words::fromStd(line.row->path), words::shape(line.row->type.shape),
            words::fromStd(name(line.row->type.dtype)), words::fromStd(logicalAxesText(line.names)),
            words::specText(*line.row), bytes(line.row->bytesInAll), bytes(line.row->bytesPerDevice) });
    Console console;
    if (lines.empty()) {
        console.line(QStringLiteral("The program has no parameters."));
        return;
    }
    console.table(table, {});
    console.line();
    console.line(QStringLiteral("%1 with %2: %3, %4 per device")
                     .arg(words::counted(static_cast<std::int64_t>(lines.size()), words::Noun::Array),
                         words::counted(sum.count, words::Noun::Element), bytes(sum.bytes), bytes(sum.bytesPerDevice)));
}

int listParams(const ParamsOptions& options)
{
    const auto input = loadExperiment(options.file);
    if (!input)
        return reject(options.json, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment, LastStage::Propagation);
    const int status = snapshot->errorCount() == 0 ? Done : Findings;
    if (!snapshot->program)
        return refuse(options.json, { allProblems(*input, *snapshot), Findings });
    if (!options.json.empty())
        return printParamsJson(*input, *snapshot, options, status);
    if (options.csv)
        writeTo(stdout, toCsv(tensorsTable(*snapshot, true)));
    else
        printParamsText(*snapshot);
    printFindings(*input, *snapshot);
    return status;
}

} // namespace

void addParams(CLI::App& app, int& status)
{
    Command command(app, "params", "List the parameters of a program: shapes, logical axes, specs and bytes");
    const auto options = std::make_shared<ParamsOptions>();
    command.addFile(options->file);
    Option csv = command.addFlag("--csv", options->csv,
        "Print comma separated values in the columns of export --view tensors, as resolve --table reads them");
    csv.excludes(command.addJson(options->json));
    command.footer(
        "Exit codes: 0 done; 1 the experiment has errors; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return listParams(*options); });
}

} // namespace shardscope::cli
