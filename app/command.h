// SPDX-License-Identifier: GPL-3.0-or-later
// A command while its options are declared, and when it runs. CLI11 does the work: its header takes seconds in every
// file that includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace shardscope::cli {

struct JsonTarget;

/// Options that do not go together, or not with what the input turned out to be. Command::run() says so.
class UsageError : public std::runtime_error {
public:
    explicit UsageError(const std::string& what)
        : std::runtime_error(what)
    {
    }
    UsageError(const std::string& option, const std::string& what)
        : std::runtime_error(option + " " + what)
    {
    }
};

/// "csv, md or txt"
[[nodiscard]] std::string listedWithOr(const std::vector<std::string>& words);

class Option {
public:
    explicit Option(CLI::Option* option)
        : m_option(option)
    {
    }
    Option& required();
    Option& optionText(const std::string& text); ///< what stands for the value in the help
    /// Takes one value each time it is given.
    Option& repeated();
    /// These values alone.
    Option& oneOf(std::vector<std::string> values); ///< in upper or lower case
    /// Whole numbers from `least` to `most`. Says of others whether they are none or out of range.
    Option& wholeNumber(std::int64_t least, std::int64_t most);
    Option& range(double least, double most);
    /// Says what is wrong with a value; nothing where it is right.
    Option& check(std::function<std::string(const std::string&)> problem);
    Option& excludes(const Option& other);
    [[nodiscard]] bool isSet() const;

private:
    CLI::Option* m_option;
};

/// A handle: copies mean the same command. What options are read into has to live as long as the parser, which is what
/// capturing it in the function of run() does.
class Command {
public:
    Command(CLI::App& app, const char* name, const char* description);

    /// Into texts, lists of texts and numbers (command.cpp lists their types).
    template <class Value>
    Option addOption(const char* name, Value& value, const char* description);
    Option addFlag(const char* name, bool& value, const char* description);
    /// A flag that may have a value: --hlo, --hlo=v1.
    Option addFlag(const char* name, std::string& value, const char* description);
    /// The positional FILE, with the option for one of its variants.
    Option addFile(std::string& file);
    /// --variant NAME: when the command runs, `file` is "FILE#NAME", which loadExperiment() reads.
    Option addVariant(std::string& file);
    /// --json[=OUT]
    Option addJson(JsonTarget& target);
    /// What the JSON calls the command's input; addFile() says so of its own.
    void setInput(const std::string& input);
    void footer(const std::string& text);

    [[nodiscard]] bool isSet(const char* option) const;

    /// What the command does, once the options are read: its result is the exit code, left in `status`. A UsageError
    /// and memory that is not there become problems.
    void run(int& status, std::function<int()> body);

private:
    CLI::App* m_command;
    struct Bound;
    std::shared_ptr<Bound> m_bound; ///< what addJson(), setInput() and addVariant() were told
};

} // namespace shardscope::cli
