// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual.h"

#include <memory>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "experiment_file/gallery.h"
#include "rules/published_rules.h"

namespace shardscope::cli {

namespace {

/// Text that roff prints as it is.
std::string roff(std::string_view text)
{
    std::string out;
    bool lineBegins = true;
    for (const char c : text) {
        if (lineBegins && (c == '.' || c == '\''))
            out += "\\&";
        lineBegins = c == '\n';
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '\'')
            out += "\\(aq";
        else if (c == '`')
            out += "\\(ga";
        else if (c == '^')
            out += "\\(ha";
        else if (c == '~')
            out += "\\(ti";
        else
            out += c;
    }
    return out;
}

std::vector<CLI::Option*> shownOptions(CLI::App& command, bool positional)
{
    return command.get_options([positional](const CLI::Option* option) {
        return !option->get_group().empty() && option->get_positional() == positional;
    });
}

/// Names, texts of values and descriptions, as the help has them.
std::string describedOptions(CLI::App& command, bool positional)
{
    const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(command.get_formatter());
    std::string out;
    for (const CLI::Option* option : shownOptions(command, positional)) {
        out += ".TP\n\\fB" + roff(formatter->make_option_name(option, positional)) + "\\fR"
            + roff(formatter->make_option_opts(option)) + '\n';
        out += roff(option->get_description()) + '\n';
    }
    return out;
}

std::string asItStands(const std::string& text)
{
    return text.empty() ? std::string() : ".PP\n.nf\n" + roff(text) + "\n.fi\n";
}

std::vector<CLI::App*> commandsOf(CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// The values that an option takes, where these are few; oneOf() leaves them in the name of its check.
std::string choices(CLI::Option& option)
{
    try {
        return option.get_validator(0)->get_name();
    } catch (const CLI::OptionNotFound&) { // it has no check
        return {};
    }
}

/// All names of the command's options, as the shell sees them.
std::string optionWords(CLI::App& command)
{
    std::string words;
    for (const CLI::Option* option : shownOptions(command, false)) {
        for (const std::string& name : option->get_lnames())
            words += (words.empty() ? "--" : " --") + name;
        for (const std::string& name : option->get_snames())
            words += (words.empty() ? "-" : " -") + name;
    }
    return words;
}

bool takesValue(const CLI::Option& option)
{
    return option.get_expected_max() > 0 && option.get_type_size_max() > 0;
}

/// Patterns of a case statement: "run/--out | run/-o".
std::string patterns(const std::string& command, const CLI::Option& option)
{
    std::string out;
    for (const std::string& name : option.get_lnames())
        out += (out.empty() ? "" : " | ") + command + "/--" + name;
    for (const std::string& name : option.get_snames())
        out += (out.empty() ? "" : " | ") + command + "/-" + name;
    return out;
}

/// What a word may be depends on the command and on the option before it. `--option=value` comes as three words.
constexpr std::string_view completionScript =
    R"(# Completion of shardscope's arguments for bash, as shardscope --bash-completion prints it.
_shardscope()
{
    local examples='@EXAMPLES@'
    local rule_sets='@RULE_SETS@'
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' i
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
    done
    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $word != = ]] || word=''
    local options='@GENERAL_OPTIONS@' words='' files=yes
    [[ -n $command ]] || words="@COMMANDS@ $examples"
    case $command in
@OPTIONS@    esac
    case $command/$before in
@VALUES@    esac
    [[ $word != -* ]] || { words=$options; files=no; }
    [[ $files == no ]] || compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(
        compgen -W "$words" -- "$word"
        [[ $files == no ]] || compgen -f -- "$word"
    )
}
complete -F _shardscope shardscope
)";

void replaceMark(std::string& text, std::string_view mark, const std::string& by)
{
    text.replace(text.find(mark), mark.size(), by);
}

} // namespace

std::string manualPage(CLI::App& app)
{
    std::string out = ".\\\" Made by shardscope --man-page\n.TH SHARDSCOPE 1 \"\" \"" + roff(app.version())
        + "\" \"User Commands\"\n.SH NAME\nshardscope \\- "
        + roff("explore how array programs are sharded over device meshes")
        + "\n.SH SYNOPSIS\n.B shardscope\n[\\fIFILE\\fR]\n.br\n.B shardscope\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR ...]\n"
          ".SH DESCRIPTION\nShardscope shows how an array program, such as the train step of a neural network, is "
          "sharded "
          "over a mesh of devices: who holds what, what has to be sent, how much memory it takes, and why.\n"
          ".PP\nWithout a command it opens a window, which needs a display; every command works without one.\n"
          ".SH OPTIONS\n";
    out += describedOptions(app, true) + describedOptions(app, false);
    out += ".SH COMMANDS\n";
    for (CLI::App* command : commandsOf(app)) {
        out += ".SS " + roff(command->get_name()) + '\n' + roff(command->get_description()) + ".\n";
        out += describedOptions(*command, true) + describedOptions(*command, false);
        out += asItStands(command->get_footer());
    }
    out += ".SH OUTPUT AND EXIT STATUS\n" + asItStands(app.get_footer());
    out += ".SH ENVIRONMENT\n.TP\n\\fBDISPLAY\\fR, \\fBWAYLAND_DISPLAY\\fR, \\fBQT_QPA_PLATFORM\\fR\n"
           "Where the window is shown. If none of them is set, only commands work.\n"
           ".SH SEE ALSO\nThe documents in the folder docs of the sources, installed in /usr/share/doc/shardscope.\n";
    return out;
}

std::string bashCompletion(CLI::App& app)
{
    std::string commands;
    std::string options;
    std::string values;
    for (CLI::App* command : commandsOf(app)) {
        const std::string& name = command->get_name();
        commands += (commands.empty() ? "" : " ") + name;
        options += "    " + name + ") options='" + optionWords(*command) + "' ;;\n";
        for (CLI::Option* option : shownOptions(*command, false)) {
            if (!takesValue(*option))
                continue;
            const std::string known = option->check_lname("rules") ? "$rule_sets" : choices(*option);
            values += "    " + patterns(name, *option)
                + ") files=" + (known.empty() || known.front() == '$' ? "yes" : "no") + " words=\"" + known + "\" ;;\n";
        }
        for (CLI::Option* option : shownOptions(*command, true)) {
            const std::string known = choices(*option);
            values += "    " + name + "/*) files=" + (known.empty() ? "yes" : "no") + " words=\""
                + (known.empty() ? "$examples" : known)
                + (known.empty() && option->get_name() == "WHAT" ? " $rule_sets" : "") + "\" ;;\n";
        }
    }
    const std::string examples = join(gallery(), " ", [](const GalleryExample& example) { return example.id; });
    const std::string ruleSets = join(publishedRules(), " ", [](const PublishedRules& rules) { return rules.id; });
    std::string script(completionScript);
    replaceMark(script, "@EXAMPLES@", examples);
    replaceMark(script, "@RULE_SETS@", ruleSets);
    replaceMark(script, "@COMMANDS@", commands);
    replaceMark(script, "@GENERAL_OPTIONS@", optionWords(app));
    replaceMark(script, "@OPTIONS@", options);
    replaceMark(script, "@VALUES@", values);
    return script;
}

} // namespace shardscope::cli
