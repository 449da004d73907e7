// SPDX-License-Identifier: GPL-3.0-or-later
// The command export, declared in commands.h: what a view shows, to be taken along.
#include <QFileInfo>
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "input.h"
#include "interchange/maxtext_of.h"
#include "report.h"
#include "report/exports.h"
#include "report/maxtext_code.h"
#include "screenshot.h"
#include "views/export_picture/export_picture.h"
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

const std::vector<std::string> pictureForms{ "png", "svg", "pdf" };

bool isIn(const std::vector<std::string>& all, const std::string& one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

/// What can be exported as text, then what is in the window alone.
std::vector<std::string> viewIds()
{
    std::vector<std::string> ids;
    for (const ExportedView& view : exportedViews())
        ids.push_back(view.id);
    std::copy_if(partsOfWindow().begin(), partsOfWindow().end(), std::back_inserter(ids),
        [texts = ids](const std::string& id) { return !isIn(texts, id); });
    return ids;
}

/// The first one is that without --as.
std::vector<std::string> formsOfView(const std::string& id)
{
    std::vector<std::string> forms;
    if (const ExportedView* view = findExportedView(id))
        forms = view->forms;
    if (isIn(partsOfWindow(), id))
        forms.insert(forms.end(), pictureForms.begin(), pictureForms.end());
    return forms;
}

/// By the ending of --output, where that is one of these. Throws UsageError for that of a picture where there is none.
std::optional<std::string> formOfEnding(const ExportOptions& options, const std::vector<std::string>& forms)
{
    const std::string ending = QFileInfo(QString::fromStdString(options.output)).suffix().toLower().toStdString();
    if (isIn(forms, ending))
        return ending;
    if (!isIn(pictureForms, ending))
        return std::nullopt;
    throw UsageError("--output",
        options.output + " is the name of a picture, and --view " + options.view + " gives none: " + listedWithOr(forms)
            + " would do");
}

std::string chosenForm(const ExportOptions& options)
{
    const std::vector<std::string> forms = formsOfView(options.view);
    if (options.form.empty())
        return formOfEnding(options, forms).value_or(forms.front());
    if (!isIn(forms, options.form))
        throw UsageError(
            "--as", options.form + " does not fit --view " + options.view + ": " + listedWithOr(forms) + " would");
    return options.form;
}

/// Of the view alone, in the size that it has in the window.
int exportPicture(const ExportOptions& options, const std::string& form)
{
    const std::string name = options.view + '.' + form;
    if (options.output.empty())
        throw UsageError(options.form.empty() ? "--view" : "--as",
            (options.form.empty() ? options.view : form) + " is a picture, which needs a file: -o " + name);
    if (pictureForm(QFileInfo(QString::fromStdString(options.output)).fileName())
        != pictureForm(QString::fromStdString(name)))
        throw UsageError("--output", options.output + " does not end in ." + form);
    PictureOptions picture;
    picture.file = options.file;
    picture.output = options.output;
    picture.dock = options.view;
    picture.viewAlone = true;
    if (!isIn({ "timing", "timeline", "values", "compare" }, options.view))
        picture.steps = 0; // the others show nothing of them
    return screenshot(picture);
}

int exportView(const ExportOptions& options)
{
    const std::string form = chosenForm(options);
    if (isIn(pictureForms, form))
        return exportPicture(options, form);
    const ExportedView& view = *findExportedView(options.view);
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
    Command command(app, "export",
        "Write what a view shows: a picture, a table, a report, JAX code, or a configuration of MaxText");
    const auto options = std::make_shared<ExportOptions>();
    command.addFile(options->file);
    command
        .addOption("--view", options->view,
            ("What: report (default), code for JAX, maxtext, its configuration, or a view or part of the window: "
                + listedWithOr(partsOfWindow()))
                .c_str())
        .oneOf(viewIds())
        .optionText("VIEW");
    command
        .addOption("--as", options->form,
            "How: csv, md or txt of tables (mesh, rules, tensors, collectives, memory, problems), md of the report, py "
            "of code, yml of maxtext, or sh: its flags; png, svg or pdf of what the window has. Default: the first")
        .oneOf({ "csv", "md", "txt", "py", "yml", "sh", "png", "svg", "pdf" })
        .optionText("FORM");
    Option output = command.addOption(
        "-o,--output", options->output, "The file to write (default: standard output, but for pictures)");
    output.optionText("OUT");
    output.excludes(command.addJson(options->json));
    command.footer(
        "Pictures need -o with an ending that fits; the command screenshot has their size, theme and more.\n"
        "Exit codes: 0 done; 1 the experiment has errors; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return exportView(*options); });
}

} // namespace shardscope::cli
