// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>

#include <QString>

#include "base/text.h"
#include "input.h"
#include "report.h"

namespace shardscope::cli {

namespace {

/// What is left for saying that there is no more.
class LastMemory {
public:
    explicit LastMemory(const JsonTarget& target)
    {
        s_target = &target;
        s_reserve = std::make_unique_for_overwrite<char[]>(4 << 20); // addresses: pages that nobody writes cost no time
        s_before = std::set_terminate(&LastMemory::end);
    }
    ~LastMemory()
    {
        std::set_terminate(s_before);
        s_reserve.reset();
        s_target = nullptr;
    }
    LastMemory(const LastMemory&) = delete;
    LastMemory& operator=(const LastMemory&) = delete;

private:
    /// A std::bad_alloc may leave a destructor, which no catch ever sees: nlohmann's of nested values takes memory.
    [[noreturn]] static void end()
    {
        try {
            if (const std::exception_ptr thrown = std::current_exception())
                std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
            s_reserve.reset();
            const int status = refuseForMemory(*s_target);
            std::fflush(nullptr);
            std::_Exit(status);
        } catch (...) {
        }
        s_before();
        std::abort();
    }
    static inline const JsonTarget* s_target = nullptr;
    static inline std::unique_ptr<char[]> s_reserve;
    static inline std::terminate_handler s_before = nullptr;
};

} // namespace

Option& Option::required()
{
    m_option->required();
    return *this;
}

Option& Option::optionText(const std::string& text)
{
    m_option->option_text(text);
    return *this;
}

Option& Option::repeated()
{
    m_option->allow_extra_args(false);
    return *this;
}

Option& Option::check(std::function<std::string(const std::string&)> problem)
{
    m_option->check(CLI::Validator(std::move(problem), ""));
    return *this;
}

Option& Option::oneOf(std::vector<std::string> values)
{
    std::string name = join(values, " "); // by it the completion of arguments knows the values
    m_option->transform(CLI::Validator(
        [values = std::move(values)](std::string& value) -> std::string {
            if (std::find(values.begin(), values.end(), value) != values.end())
                return {};
            for (const std::string& each : values) // "Learn", as the window writes it
                if (CLI::detail::to_lower(each) == CLI::detail::to_lower(value)) {
                    value = each;
                    return {};
                }
            return "'" + value + "' is none of: " + join(values, ", ");
        },
        "", std::move(name)));
    return *this;
}

Option& Option::wholeNumber(std::int64_t least, std::int64_t most)
{
    return check([least, most](const std::string& value) -> std::string {
        const std::size_t digits = value.starts_with('-') || value.starts_with('+') ? 1 : 0;
        if (digits == value.size() || value.find_first_not_of("0123456789", digits) != std::string::npos)
            return "'" + value + "' is no whole number";
        std::int64_t number = 0;
        const char* const begin = value.data() + (value.front() == '+' ? 1 : 0);
        const auto [end, error] = std::from_chars(begin, value.data() + value.size(), number);
        if (error == std::errc() && number >= least && number <= most)
            return {};
        return "'" + value + "' is not from " + std::to_string(least) + " to " + std::to_string(most);
    });
}

Option& Option::range(double least, double most)
{
    return check([least, most](const std::string& value) -> std::string {
        double number = 0;
        const char* const begin = value.data() + (value.starts_with('+') ? 1 : 0);
        const auto [end, error] = std::from_chars(begin, value.data() + value.size(), number);
        if (error == std::errc::invalid_argument || end != value.data() + value.size() || std::isnan(number))
            return "'" + value + "' is no number";
        if (error == std::errc() && number >= least && number <= most)
            return {};
        const auto text = [](double bound) { return QString::number(bound).toStdString(); };
        return "'" + value + "' is not from " + text(least) + " to " + text(most);
    });
}

Option& Option::excludes(const Option& other)
{
    m_option->excludes(other.m_option);
    return *this;
}

bool Option::isSet() const
{
    return m_option->count() > 0;
}

struct Command::Bound {
    JsonTarget noJson; ///< of commands that print none
    JsonTarget* json = &noJson;
    const std::string* input = nullptr;
    std::string* file = nullptr; ///< whose variant is asked for
    std::string variant;
};

std::string listedWithOr(const std::vector<std::string>& words)
{
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i)
        all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return all;
}

Command::Command(CLI::App& app, const char* name, const char* description)
    : m_command(app.add_subcommand(name, description))
    , m_bound(std::make_shared<Bound>())
{
}

template <class Value>
Option Command::addOption(const char* name, Value& value, const char* description)
{
    return Option(m_command->add_option(name, value, description));
}
template Option Command::addOption(const char*, std::string&, const char*);
template Option Command::addOption(const char*, std::vector<std::string>&, const char*);
template Option Command::addOption(const char*, int&, const char*);
template Option Command::addOption(const char*, std::int64_t&, const char*);
template Option Command::addOption(const char*, double&, const char*);
template Option Command::addOption(const char*, std::optional<int>&, const char*);
template Option Command::addOption(const char*, std::optional<std::int64_t>&, const char*);
template Option Command::addOption(const char*, std::optional<std::uint64_t>&, const char*);

Option Command::addFlag(const char* name, bool& value, const char* description)
{
    return Option(m_command->add_flag(name, value, description));
}

Option Command::addFlag(const char* name, std::string& value, const char* description)
{
    return Option(m_command->add_flag(name, value, description));
}

Option Command::addFile(std::string& file)
{
    setInput(file);
    Option option = addOption("FILE", file,
        "Experiment file, program in StableHLO text (.mlir) or HLO text (.hlo), - for standard input, or the id of a "
        "built-in example");
    addVariant(file);
    return option.required();
}

Option Command::addVariant(std::string& file)
{
    m_bound->file = &file;
    return addOption("--variant", m_bound->variant, "One of the experiment's variants; FILE#NAME is the same")
        .optionText("NAME");
}

Option Command::addJson(JsonTarget& target)
{
    target.command = m_command->get_name();
    m_bound->json = &target;
    // A flag that may have a value: the value has to be attached, so that --json FILE does not swallow the file.
    return addFlag("--json{-}", target.file, "Print JSON instead of text; --json=OUT writes it to a file");
}

void Command::setInput(const std::string& input)
{
    m_bound->input = &input;
}

void Command::footer(const std::string& text)
{
    m_command->footer(text);
}

bool Command::isSet(const char* option) const
{
    return m_command->get_option(option)->count() > 0;
}

void Command::run(int& status, std::function<int()> body)
{
    m_command->callback([bound = m_bound, &status, body = std::move(body)] {
        JsonTarget& json = *bound->json;
        if (bound->file && !bound->variant.empty())
            *bound->file += '#' + bound->variant;
        if (bound->input && !bound->input->empty())
            json.input = shownName(*bound->input);
        try {
            const LastMemory reserve(json);
            status = body();
        } catch (const UsageError& error) {
            status = reject(json, { usageProblem(json.command, error.what()) });
        } catch (const std::bad_alloc&) {
            status = refuseForMemory(json);
        } catch (const std::length_error&) { // more elements than any memory has
            status = refuseForMemory(json);
        } catch (const std::system_error& error) { // no room for the stack of a thread
            if (error.code() != std::errc::resource_unavailable_try_again)
                throw;
            status = refuseForMemory(json);
        }
    });
}

} // namespace shardscope::cli
