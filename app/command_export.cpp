// SPDX-License-Identifier: GPL-3.0-or-later
// The command export, declared in commands.h: what a view shows, to be taken along.
#include <algorithm>
#include <memory>

#include "command.h"
#include "commands.h"
#include "input.h"
#include "report.h"
#include "report/experiment_report.h"
#include "report/jax_code.h"
#include "report/report_table.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

struct ExportOptions {
    std::string file;
    std::string view = "report";
    std::string form;
    std::string output;
};

std::vector<std::string> exportedViews()
{
    std::vector<std::string> names = reportSubjectNames();
    names.insert(names.begin(), "report");
    names.emplace_back("code");
    return names;
}

/// Without --as: a page is Markdown, code is code, and rows are CSV.
std::string formOf(const ExportOptions& options)
{
    const std::string usual = options.view == "report" ? "md" : options.view == "code" ? "jax" : "csv";
    if (options.form.empty())
        return usual;
    const bool isTable = usual == "csv";
    if (options.form != usual && !(isTable && options.form == "md"))
        throw UsageError("--as",
            options.form + " does not fit --view " + options.view + ": " + (isTable ? "csv or md" : usual)
                + " would; pictures are written by the command screenshot");
    return options.form;
}

std::string exportedText(const Snapshot& snapshot, const ExportOptions& options, const std::string& form)
{
    if (options.view == "report")
        return experimentReport(snapshot).toStdString();
    if (options.view == "code")
        return jaxCode(snapshot);
    const std::vector<std::string>& names = reportSubjectNames();
    const auto subject = std::find(names.begin(), names.end(), options.view) - names.begin();
    const ReportTable table = reportTable(snapshot, static_cast<ReportSubject>(subject));
    return form == "csv" ? toCsv(table) : toMarkdown(table).toStdString();
}

int exportView(const ExportOptions& options)
{
    const std::string form = formOf(options);
    const auto input = loadExperiment(options.file);
    if (!input)
        return reject({}, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment);
    printFindings(*input, *snapshot);
    return emitText(exportedText(*snapshot, options, form), options.output.empty() ? "-" : options.output,
        snapshot->errorCount() == 0 ? Done : Findings);
}

} // namespace

void addExport(CLI::App& app, int& status)
{
    Command command(app, "export", "Write what a view shows: a table, a report, or JAX code");
    const auto options = std::make_shared<ExportOptions>();
    command.addFile(options->file);
    command.addOption("--view", options->view, "What: report (default), a table, or code")
        .oneOf(exportedViews())
        .optionText("VIEW");
    command
        .addOption(
            "--as", options->form, "How: csv (tables), md (tables and the report), jax (code). Default: the first")
        .oneOf({ "csv", "md", "jax" })
        .optionText("FORM");
    command.addOption("-o,--output", options->output, "The file to write (default: standard output)").optionText("OUT");
    command.footer(
        "Pictures of a view, as PNG, SVG or PDF: shardscope screenshot FILE --dock ID --alone -o grid.svg\n"
        "Exit codes: 0 done; 1 the experiment has errors; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return exportView(*options); });
}

} // namespace shardscope::cli
