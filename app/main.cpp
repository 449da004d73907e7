// SPDX-License-Identifier: GPL-3.0-or-later
// The executable: the command line without a display, or the window.
// The main function; nothing declares it.
#include <CLI/CLI.hpp>

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/codes.h"
#include "commands.h"
#include "experiment_file/gallery.h"
#include "input.h"
#include "manual.h"
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

void addCommands(CLI::App& app, int& status)
{
    app.set_version_flag("--version", std::string("shardscope ") + SHARDSCOPE_VERSION);
    app.require_subcommand(0, 1);
    app.formatter(std::make_shared<HelpText>());
    addNew(app, status);
    addRun(app, status);
    addTrain(app, status);
    addShow(app, status);
    addParams(app, status);
    addDiff(app, status);
    addSearch(app, status);
    addCompareHlo(app, status);
    addExport(app, status);
    addResolve(app, status);
    addMesh(app, status);
    addPropagate(app, status);
    addPartition(app, status);
    addComms(app, status);
    addSharding(app, status);
    addConvert(app, status);
    addRules(app, status);
    addCheck(app, status);
    addVerify(app, status);
    addExplain(app, status);
    addScreenshot(app, status);
    addSchema(app, status);
    addExamples(app, status);
    addTasks(app, status);
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
}

char helpOption[] = "--help";

/// `help` and `help COMMAND` as the options that say the same; a file of that name is opened.
std::vector<char*> asOptions(int argc, char** argv)
{
    std::vector<char*> arguments(argv, argv + argc);
    if (argc >= 2 && argc <= 3 && std::string_view(argv[1]) == "help" && !QFileInfo::exists(QStringLiteral("help"))) {
        arguments.erase(arguments.begin() + 1);
        arguments.push_back(helpOption);
    }
    return arguments;
}

/// Where errors of usage go: a file that --json=FILE names is left alone, since nothing was understood.
JsonTarget targetOf(const CLI::App& app, const std::vector<char*>& arguments)
{
    JsonTarget target;
    for (const CLI::App* command : app.get_subcommands()) {
        target.command = command->get_name();
        for (const CLI::Option* option : command->get_options())
            if (option->get_positional() && option->count() > 0)
                target.input = shownName(option->results().front());
    }
    if (std::any_of(
            arguments.begin(), arguments.end(), [](const char* each) { return std::strcmp(each, "--json") == 0; }))
        target.file = "-";
    return target;
}

bool isCommand(const CLI::App& app, std::string_view name)
{
    const std::vector<const CLI::App*> commands = app.get_subcommands({});
    return std::any_of(
        commands.begin(), commands.end(), [name](const CLI::App* command) { return command->get_name() == name; });
}

/// Why `file` is nothing that can be opened or done; nothing where it is. `alone`: no further arguments follow it.
std::optional<Diagnostic> unknown(const std::string& file, bool alone, const CLI::App& app)
{
    if (file.empty() || file == "-" || QFileInfo::exists(QString::fromStdString(file)) || findExample(file))
        return std::nullopt;
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    std::string nearest = nearestName(file, names);
    if (nearest.empty() && alone) {
        names.clear();
        for (const GalleryExample& example : gallery())
            names.emplace_back(example.id);
        nearest = nearestName(file, names);
    }
    if (nearest.empty() && file.find_first_of("./") != std::string::npos)
        return readText(file).error();
    std::vector<Arg> args{ { "name", file } };
    if (!nearest.empty())
        args.emplace_back("nearest", std::move(nearest));
    return Diagnostic{ Code::UnknownCommand, std::move(args), {} };
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

/// What CLI11 says, in our words where its own are those of a parser.
std::string statedBy(const CLI::Error& error)
{
    std::string text = error.what();
    const auto replace = [&text](std::string_view from, std::string_view to) {
        if (const std::size_t at = text.find(from); at != std::string::npos)
            text.replace(at, from.size(), to);
    };
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
        replace(" excludes ", " does not go with ");
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.find(" required ") != std::string::npos)
        return text.substr(0, text.find(':')) + " needs a value";
    return text;
}

/// What is wrong with the arguments, and where to read more.
Diagnostic problemOf(const CLI::App& app, const CLI::Error& error, const std::string& file)
{
    const bool further = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (chosen.empty()) {
        if (further)
            if (const auto problem = unknown(file, false, app))
                return *problem;
        return usageProblem({}, statedBy(error));
    }
    const CLI::App& command = *chosen.front();
    Diagnostic problem = usageProblem(command.get_name(), statedBy(error));
    const CLI::Option* json = command.get_option_no_throw("--json");
    if (!further)
        return problem;
    if (const std::string meant = meantOption(command); !meant.empty())
        problem.args.emplace_back("option", meant);
    else if (json != nullptr && json->count() > 0)
        problem.args.front() = { "what",
            error.what() + std::string("; --json takes its file after an equals sign: --json=FILE") };
    return problem;
}

/// Help, or what is wrong with the arguments.
int leave(const CLI::App& app, const CLI::ParseError& error, const std::string& file, const JsonTarget& target)
{
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
        return reject(target, { problemOf(app, error, file) });
    std::ostringstream out;
    (void)app.exit(error, out, out);
    Console().lines(QString::fromStdString(out.str()).trimmed().split(QLatin1Char('\n')));
    return Done;
}

/// The command that the arguments name, or the window.
int runArguments(CLI::App& app, int argc, char** argv)
{
    std::string file;
    app.add_option("FILE", file,
        "Experiment or program (.mlir, .hlo) to open, - for standard input, or the id of a built-in example");
    bool manual = false;
    app.add_flag("--man-page", manual, "Print the manual page, as man reads it");
    bool completion = false;
    app.add_flag(
        "--bash-completion", completion, "Print a script that makes bash complete commands, options and names");
    int status = Done;
    addCommands(app, status);
    const std::vector<char*> arguments = asOptions(argc, argv);
    if (arguments.size() == 3 && arguments[2] == helpOption && !isCommand(app, arguments[1]))
        if (const auto problem = unknown(arguments[1], false, app))
            return reject({}, { *problem });
    try {
        app.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const CLI::ParseError& error) {
        return leave(app, error, file, targetOf(app, arguments));
    } catch (const std::bad_alloc&) {
        return refuseForMemory(targetOf(app, arguments));
    }
    if (manual || completion)
        writeTo(stdout, manual ? manualPage(app) : bashCompletion(app));
    if (manual || completion || !app.get_subcommands().empty())
        return status;
    if (const auto problem = unknown(file, true, app))
        return reject({}, { *problem });
    QCoreApplication::setApplicationVersion(QStringLiteral(SHARDSCOPE_VERSION));
    return runWindow(argc, argv, QString::fromStdString(file));
}

} // namespace

} // namespace shardscope::cli

int main(int argc, char** argv)
{
    CLI::App app{ "Explore how array programs are sharded over device meshes.", "shardscope" };
    const int status = shardscope::cli::runArguments(app, argc, argv);
    return std::ferror(stdout) != 0 ? shardscope::cli::BadInput : status;
}
