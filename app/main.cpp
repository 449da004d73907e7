// SPDX-License-Identifier: GPL-3.0-or-later
// The executable: the command line without a display, or the window.
#include <CLI/CLI.hpp>

#include <string>

#include "commands.h"
#include "report.h"
#include "views/main_window/application.h"

namespace shardscope::cli {

void addFile(CLI::App& command, std::string& file)
{
    command.add_option("FILE", file, "Experiment file, - for standard input, or the id of a built-in example")
        ->required();
}

void addJson(CLI::App& command, std::string& target)
{
    // A flag that may carry a value: the value has to be attached, so that --json FILE does not swallow the file.
    command.add_flag("--json{-}", target, "Print JSON instead of text; --json=OUT writes it to a file");
}

} // namespace shardscope::cli

int main(int argc, char** argv)
{
    namespace cli = shardscope::cli;
    CLI::App app{ "Explore how array programs are sharded over device meshes.", "shardscope" };
    app.set_version_flag("--version", std::string("shardscope ") + SHARDSCOPE_VERSION);
    app.require_subcommand(0, 1);
    app.footer("Without a command the window opens on FILE.\nExit codes: 0 done, 1 findings, 2 bad input.");
    std::string file;
    app.add_option("FILE", file, "Experiment file to open, - for standard input, or the id of a built-in example");
    int status = cli::Done;
    cli::addRun(app, status);
    cli::addShow(app, status);
    cli::addResolve(app, status);
    cli::addCheck(app, status);
    cli::addExplain(app, status);
    cli::addScreenshot(app, status);
    cli::addSchema(app, status);
    cli::addExamples(app, status);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? cli::Done : cli::BadInput;
    }
    if (!app.get_subcommands().empty())
        return status;
    return shardscope::runWindow(argc, argv, QString::fromStdString(file));
}
