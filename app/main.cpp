// SPDX-License-Identifier: GPL-3.0-or-later
// The executable: the command line without a display, or the window.
#include <CLI/CLI.hpp>

#include <QFileInfo>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "experiment_file/gallery.h"
#include "report.h"
#include "views/main_window/application.h"

namespace shardscope::cli {

namespace {

/// Breaks lines that are longer than a terminal is wide; lines that are broken already stay as they are.
std::string wrapped(const std::string& text)
{
    constexpr std::size_t widest = 68;
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        out += out.empty() ? "" : "\n";
        while (line.size() > widest) {
            const std::size_t space = line.rfind(' ', widest);
            if (space == std::string::npos || space == 0)
                break;
            out += line.substr(0, space) + "\n";
            line.erase(0, space + 1);
        }
        out += line;
    }
    return out;
}

/// Flags without CLI11's marks of their values, and descriptions in lines that fit.
class HelpText : public CLI::Formatter {
public:
    std::string make_option_name(const CLI::Option* option, bool positional) const override
    {
        std::string name = CLI::Formatter::make_option_name(option, positional);
        const auto replace = [&name](const std::string& from, const std::string& to) {
            for (std::size_t at = name.find(from); at != std::string::npos; at = name.find(from))
                name.replace(at, from.size(), to);
        };
        replace("{false}", "");
        replace("{-}", "[=OUT]");
        replace("{v2}", "[=v1]");
        return name;
    }
    std::string make_option_desc(const CLI::Option* option) const override
    {
        return wrapped(CLI::Formatter::make_option_desc(option));
    }
    std::string make_option_opts(const CLI::Option* option) const override
    {
        std::string text = option->get_option_text();
        if (!text.empty())
            text.insert(0, " ");
        return option->get_required() ? text + " (required)" : text;
    }
};

/// `help` and `help COMMAND` as the options that say the same; a file of that name is opened.
std::vector<char*> asOptions(int argc, char** argv)
{
    static char option[] = "--help";
    std::vector<char*> arguments(argv, argv + argc);
    if (argc >= 2 && argc <= 3 && std::string_view(argv[1]) == "help" && !QFileInfo::exists(QStringLiteral("help"))) {
        arguments.erase(arguments.begin() + 1);
        arguments.push_back(option);
    }
    return arguments;
}

/// What to open the window on exists; if not, says so with the nearest name. `-` is standard input.
bool isKnown(const std::string& file, const CLI::App& app)
{
    if (file.empty() || file == "-" || QFileInfo::exists(QString::fromStdString(file)))
        return true;
    std::vector<std::string> names;
    for (const GalleryExample& example : gallery()) {
        if (example.id == file)
            return true;
        names.emplace_back(example.id);
    }
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    std::string said = "there is no file or example '" + file + "'";
    if (const std::string nearest = nearestName(file, names); !nearest.empty())
        said += "; did you mean '" + nearest + "'?";
    Console(stderr).line(QString::fromStdString(said), Emphasis::Bad);
    return false;
}

/// The option that was meant by the first argument that is none; empty if there is no such argument or option.
std::string meantOption(const CLI::App& command)
{
    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            known.push_back(name);
    for (const std::string& argument : command.remaining())
        if (argument.starts_with("--")) {
            const std::string meant = nearestName(argument.substr(2, argument.find('=') - 2), known);
            return meant.empty() ? meant : "--" + meant;
        }
    return {};
}

/// What is wrong with the arguments, and where to read more.
std::string failureText(const CLI::App* app, const CLI::Error& error)
{
    std::string command = app->get_name();
    std::string text = error.what();
    for (const CLI::App* chosen : app->get_subcommands()) {
        command += ' ' + chosen->get_name();
        const CLI::Option* json = chosen->get_option_no_throw("--json");
        if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr)
            continue;
        if (const std::string meant = meantOption(*chosen); !meant.empty())
            text += "\nDid you mean " + meant + "?";
        else if (json != nullptr && json->count() > 0)
            text += "\n--json takes its file behind an equals sign: --json=FILE";
    }
    return text + "\n`" + command + " --help` tells more.\n";
}

/// Help, or what is wrong with the arguments.
int leave(const CLI::App& app, const CLI::ParseError& error)
{
    std::ostringstream out;
    std::ostringstream errors;
    const int code = app.exit(error, out, errors);
    const auto print = [](std::FILE* stream, const std::string& text) {
        if (!text.empty())
            Console(stream).lines(QString::fromStdString(text).trimmed().split(QLatin1Char('\n')));
    };
    print(stdout, out.str());
    print(stderr, errors.str());
    return code == 0 ? Done : BadInput;
}

} // namespace

CLI::Validator oneOf(std::vector<std::string> values)
{
    return CLI::Validator(
        [values = std::move(values)](const std::string& value) -> std::string {
            if (std::find(values.begin(), values.end(), value) != values.end())
                return {};
            std::string known;
            for (const std::string& each : values)
                known += (known.empty() ? "" : ", ") + each;
            return "'" + value + "' is none of: " + known;
        },
        "");
}

void addFile(CLI::App& command, std::string& file)
{
    command
        .add_option("FILE", file,
            "Experiment file, program in StableHLO text (.mlir), - for standard input, or the id of a built-in example")
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
    app.formatter(std::make_shared<cli::HelpText>());
    std::string file;
    app.add_option(
        "FILE", file, "Experiment or program (.mlir) to open, - for standard input, or the id of a built-in example");
    int status = cli::Done;
    cli::addRun(app, status);
    cli::addShow(app, status);
    cli::addResolve(app, status);
    cli::addMesh(app, status);
    cli::addPropagate(app, status);
    cli::addPartition(app, status);
    cli::addComms(app, status);
    cli::addSharding(app, status);
    cli::addConvert(app, status);
    cli::addRules(app, status);
    cli::addCheck(app, status);
    cli::addVerify(app, status);
    cli::addExplain(app, status);
    cli::addScreenshot(app, status);
    cli::addSchema(app, status);
    cli::addExamples(app, status);
    // Now, since subcommands inherit what is set before them.
    app.footer("Without a command the window opens on FILE.\n"
               "\n"
               "Commands print their results on standard output, and what is wrong with their input on standard\n"
               "error. With --json standard output has both, as JSON; --json=OUT writes that to a file, all or\n"
               "nothing.\n"
               "\n"
               "Exit codes:\n"
               "  0  done\n"
               "  1  findings: the experiment, rules or table have errors, this machine cannot run it, or the\n"
               "     run does not agree with its reference. Warnings count for check alone.\n"
               "  2  arguments, input or output that cannot be used; no display for the window");
    app.failure_message(cli::failureText);
    try {
        const std::vector<char*> arguments = cli::asOptions(argc, argv);
        app.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const CLI::ParseError& error) {
        status = cli::leave(app, error);
        return std::ferror(stdout) != 0 ? cli::BadInput : status;
    }
    if (!app.get_subcommands().empty())
        return std::ferror(stdout) != 0 ? cli::BadInput : status;
    if (!cli::isKnown(file, app))
        return cli::BadInput;
    return shardscope::runWindow(argc, argv, QString::fromStdString(file));
}
