// SPDX-License-Identifier: GPL-3.0-or-later
// The command export, declared in commands.h: what a view shows, to be taken along.
#include <algorithm>
#include <functional>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "command.h"
#include "commands.h"
#include "input.h"
#include "interchange/maxtext_of.h"
#include "report.h"
#include "report/exports.h"
#include "report/maxtext_code.h"
#include "words/dialects.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

struct ExportOptions {
    std::string file;
    std::string view = "report";
    std::string form;
    std::string output;
    JsonTarget json;
};

std::vector<std::string> viewIds()
{
    std::vector<std::string> ids;
    for (const ExportedView& view : exportedViews())
        ids.push_back(view.id);
    return ids;
}

std::string formOf(const ExportOptions& options, const ExportedView& view)
{
    if (options.form.empty())
        return view.forms.front();
    if (std::find(view.forms.begin(), view.forms.end(), options.form) == view.forms.end())
        throw UsageError("--as",
            options.form + " does not fit --view " + view.id + ": " + join(view.forms, " or ", std::identity())
                + " would; pictures are written by the command screenshot");
    return options.form;
}

int exportView(const ExportOptions& options)
{
    const ExportedView& view = *findExportedView(options.view);
    const std::string form = formOf(options, view);
    const auto input = loadExperiment(options.file);
    if (!input)
        return reject(options.json, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment);
    const std::string text = exportedText(*snapshot, view, form);
    const int status = snapshot->errorCount() == 0 ? Done : Findings;
    const std::vector<std::string> unknown =
        view.id == "maxtext" ? namesUnknownToMaxText(snapshot->experiment->rules.rules) : std::vector<std::string>();
    if (!options.json.empty()) {
        Json out = envelope(options.json, *input);
        out["exported"] = { { "view", view.id }, { "form", form }, { "text", text } };
        if (view.id == "maxtext") {
            out["exported"]["unknown_names"] = unknown;
            Json& axes = out["exported"]["unknown_axes"] = Json::array();
            for (const MeshAxis& axis : snapshot->experiment->mesh.axes)
                if (!isMaxTextAxis(axis.name))
                    axes.push_back(axis.name);
        }
        out["problems"] = problems(*input, *snapshot);
        return emitJson(out, options.json, status);
    }
    printFindings(*input, *snapshot);
    if (!unknown.empty())
        Console(stderr).line(words::namesUnknownToMaxText(unknown), Emphasis::Warning);
    return emitText(text, options.output.empty() ? "-" : options.output, status);
}

} // namespace

void addExport(CLI::App& app, int& status)
{
    Command command(
        app, "export", "Write what a view shows: a table, a report, JAX code, or a configuration of MaxText");
    const auto options = std::make_shared<ExportOptions>();
    command.addFile(options->file);
    command
        .addOption(
            "--view", options->view, "What: report (default), a table, code for JAX, or maxtext, its configuration")
        .oneOf(viewIds())
        .optionText("VIEW");
    command
        .addOption("--as", options->form,
            "How: csv or md of tables, md of the report, py of code, yml of maxtext, or sh: its flags. Default: the "
            "first")
        .oneOf({ "csv", "md", "py", "yml", "sh" })
        .optionText("FORM");
    Option output = command.addOption("-o,--output", options->output, "The file to write (default: standard output)");
    output.optionText("OUT");
    output.excludes(command.addJson(options->json));
    command.footer(
        "Pictures of a view, as PNG, SVG or PDF: shardscope screenshot FILE --dock ID --alone -o grid.svg\n"
        "Exit codes: 0 done; 1 the experiment has errors; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return exportView(*options); });
}

} // namespace shardscope::cli
