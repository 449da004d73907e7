// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_inputs.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "base/codes.h"
#include "document/array_file.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/array_text.h"
#include "input.h"
#include "interchange/npz.h"
#include "program/path.h"

namespace shardscope::cli {

namespace {

bool isDrawn(const InitialValue& value)
{
    using Kind = InitialValue::Kind;
    return value.kind != Kind::Zeros && value.kind != Kind::Ones && value.kind != Kind::Constant
        && value.kind != Kind::Iota && value.kind != Kind::File;
}

/// What every argument of main is called: "arg0", and its own name where it has one.
std::vector<std::vector<std::string>> argumentNames(const Program& program)
{
    std::vector<std::vector<std::string>> names;
    for (const ValueId value : program.main().arguments)
        names.push_back(namesOfArgument(names.size(), program.value(value).path));
    return names;
}

/// "random, seed 7" of what an argument's use decides, else "normal 0.02, seed 7", "zeros", "file w.npy".
std::string originOf(const ArgumentStart& start, std::uint64_t seed)
{
    const std::string drawn = ", seed " + std::to_string(seed);
    const bool isByUse = start.reason != InitialReason::Chosen && start.reason != InitialReason::Parameter
        && start.reason != InitialReason::State && start.reason != InitialReason::Input;
    if (isByUse && isDrawn(start.value))
        return "random" + drawn;
    return toString(start.value) + (isDrawn(start.value) ? drawn : std::string());
}

class Inputs {
public:
    explicit Inputs(const Program& program)
        : m_names(argumentNames(program))
    {
        for (const ValueId value : program.main().arguments)
            m_types.push_back(program.value(value).type);
        m_arrays.resize(m_types.size());
        m_from.resize(m_types.size());
    }

    /// The first thing that is wrong.
    Result<void> read(const std::string& specified)
    {
        std::string path = specified;
        std::optional<std::size_t> argument;
        if (const std::size_t equals = specified.find('=');
            equals != std::string::npos && !QFile::exists(QString::fromStdString(specified))) {
            SHARDSCOPE_TRY(found, argumentNamed(specified.substr(0, equals)));
            argument = *found;
            path = specified.substr(equals + 1);
        }
        const bool isNpy = path.ends_with(".npy"), isNpz = path.ends_with(".npz") && !argument,
                   isJson = (path.ends_with(".json") || path == "-") && !argument;
        if (!isNpy && !isNpz && !isJson)
            return fail(Code::UnknownValue,
                { { "key", "--inputs" }, { "value", specified },
                    { "known",
                        std::vector<std::string>{
                            "FILE.json", "FILE.npy", "NAME=FILE.npy", "FILE.npz", "- (JSON on standard input)" } } });
        const Result<void> done = isNpy ? readNpy(path, argument) : isNpz ? readNpzs(path) : readJsonFile(path);
        if (done)
            return {};
        Error error = done.error();
        if (error.where.file.empty())
            error.where.file = shownName(path);
        return tl::unexpected(std::move(error));
    }

    /// With what no file gave. Without `drawn` that is only what was chosen.
    Result<Starts> finish(const Program& program, InitialValues initial, bool drawn) &&
    {
        Starts out;
        initial.arrays.resize(m_types.size());
        for (std::size_t i = 0; i < m_types.size(); ++i)
            if (m_arrays[i])
                initial.arrays[i] = std::move(*m_arrays[i]);
        out.arrays = InitialArrays(program, initial);
        for (std::size_t i = 0; i < m_types.size(); ++i) {
            if (m_arrays[i]) {
                out.chosen.emplace_back();
                continue;
            }
            const ArgumentStart& start = out.arrays.starts()[i];
            if (!drawn && start.reason != InitialReason::Chosen)
                return fail(Code::MissingKey, { { "key", m_names[i].front() }, { "type", toString(m_types[i]) } });
            m_from[i] = initial.perStep.contains(i) ? "another batch in every step" : originOf(start, initial.seed);
            out.chosen.emplace_back(start.value);
        }
        out.from = std::move(m_from);
        out.initial = std::move(initial);
        return out;
    }

private:
    Result<std::size_t> argumentNamed(std::string name) const
    {
        const std::string asked = name;
        if (name.starts_with('%'))
            name.erase(0, 1);
        std::vector<std::string> known;
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            if (name == std::to_string(i) || std::find(m_names[i].begin(), m_names[i].end(), name) != m_names[i].end())
                return i;
            known.insert(known.end(), m_names[i].begin(), m_names[i].end());
        }
        return tl::unexpected(unknownValue("argument", asked, std::move(known)));
    }

    Result<void> set(std::size_t argument, Result<kernels::Array> array, const std::string& from)
    {
        SHARDSCOPE_CHECK(array);
        m_arrays[argument] = std::move(*array);
        m_from[argument] = from;
        return {};
    }

    /// The argument that a file without a name is for: the first that has none yet.
    Result<std::size_t> nextArgument() const
    {
        const auto free = std::find_if(m_arrays.begin(), m_arrays.end(), [](const auto& array) { return !array; });
        if (free == m_arrays.end())
            return fail(Code::CountMismatch,
                { { "what", "arrays" }, { "found", m_arrays.size() + 1 }, { "wanted", m_arrays.size() },
                    { "of", "--inputs" } });
        return static_cast<std::size_t>(free - m_arrays.begin());
    }
    Result<void> free(std::size_t argument) const
    {
        if (m_arrays[argument])
            return fail(Code::DuplicateKey, { { "key", m_names[argument].front() } });
        return {};
    }

    Result<void> readNpy(const std::string& path, std::optional<std::size_t> argument)
    {
        if (!argument) {
            SHARDSCOPE_TRY(next, nextArgument());
            argument = *next;
        } else if (auto isFree = free(*argument); !isFree) {
            return isFree;
        }
        return set(
            *argument, readNpyFile(QString::fromStdString(path), m_types[*argument], m_names[*argument].front()), path);
    }

    Result<void> readNpzs(const std::string& path)
    {
        std::size_t limit = std::size_t{ 1 } << 20;
        for (const TensorType& type : m_types)
            limit += static_cast<std::size_t>(std::min<std::int64_t>(type.byteCount(), std::int64_t{ 1 } << 40));
        SHARDSCOPE_TRY(text, readText(path, limit));
        SHARDSCOPE_TRY(entries, readNpz(*text));
        for (const NpzEntry& entry : *entries) {
            // Arrays that numpy.savez() was given without names are arr_0, arr_1 and so on.
            const bool isNumbered = entry.name.starts_with("arr_");
            SHARDSCOPE_TRY(argument, argumentNamed(isNumbered ? entry.name.substr(4) : entry.name));
            SHARDSCOPE_CHECK(free(*argument));
            if (auto done =
                    set(*argument, arrayOfNpy(entry.file, m_types[*argument], m_names[*argument].front()), path);
                !done)
                return done;
        }
        return {};
    }

    Result<void> readJsonFile(const std::string& path)
    {
        SHARDSCOPE_TRY(text, readText(path));
        const JsonText json = parseJson(*text);
        if (!json.errors.empty())
            return tl::unexpected(json.errors.front());
        const auto at = [&](Error error, TextPosition place) {
            error.where.line = place.line;
            error.where.column = place.column;
            return tl::unexpected(std::move(error));
        };
        const auto take = [&](const JsonNode& node, std::size_t argument) -> Result<void> {
            SHARDSCOPE_TRY(bytes, readArrayText(node, m_types[argument], m_names[argument].front()));
            return set(argument, kernels::arrayOfBytes(m_types[argument], std::move(*bytes)), shownName(path));
        };
        if (json.root.type == JsonNode::Type::Object) {
            for (const JsonNode& child : json.root.children) {
                const auto argument = argumentNamed(child.key);
                if (!argument)
                    return at(argument.error(), child.keyAt);
                if (auto isFree = free(*argument); !isFree)
                    return at(isFree.error(), child.keyAt);
                SHARDSCOPE_CHECK(take(child, *argument));
            }
            return {};
        }
        if (json.root.type != JsonNode::Type::Array)
            return at({ Code::WrongType,
                          { { "key", "--inputs" }, { "found", "a single value" },
                              { "expected", "a list with an entry for each argument, or an object" } },
                          {} },
                json.root.at);
        if (json.root.children.size() != m_types.size())
            return at({ Code::CountMismatch,
                          { { "what", "arguments" }, { "found", json.root.children.size() },
                              { "wanted", m_types.size() }, { "of", "the list" } },
                          {} },
                json.root.at);
        for (std::size_t i = 0; i < m_types.size(); ++i) {
            SHARDSCOPE_CHECK(free(i));
            SHARDSCOPE_CHECK(take(json.root.children[i], i));
        }
        return {};
    }

    std::vector<std::vector<std::string>> m_names;
    std::vector<TensorType> m_types;
    std::vector<std::optional<kernels::Array>> m_arrays;
    std::vector<std::string> m_from;
};

} // namespace

std::vector<std::string> byNumber(const Experiment& experiment, const std::vector<std::string>& chosen)
{
    const auto isPlain = [](const std::string& text) {
        return text.substr(0, text.find('=')).find_first_of(".['") == std::string::npos;
    };
    if (!std::holds_alternative<ProgramModel>(experiment.model) || std::all_of(chosen.begin(), chosen.end(), isPlain))
        return chosen;
    const Result<SourceProgram> built = buildProgram(experiment);
    if (!built || built->program.functions.empty())
        return chosen;
    const std::vector<std::string>& names = built->program.functions.front().argumentNames;
    std::vector<std::string> found;
    for (const std::string& text : chosen) {
        const std::size_t equals = std::min(text.find('='), text.size()), before = found.size();
        const std::string pattern = text.substr(0, equals);
        for (std::size_t i = 0; i < names.size() && equals < text.size(); ++i)
            if (!names[i].empty() && (names[i] == pattern || globMatches(pattern, names[i])))
                found.push_back("arg" + std::to_string(i) + text.substr(equals));
        if (found.size() == before)
            found.push_back(text);
    }
    return found;
}

Result<void> choose(Experiment& experiment, const std::vector<std::string>& chosen)
{
    for (const std::string& text : chosen) {
        Result<ChosenInitial> one = parseChosenInitial(text);
        if (!one) {
            Error error = std::move(one.error());
            for (Arg& arg : error.args)
                if (arg.name == "key")
                    arg.value = "--init " + text.substr(0, text.find('='));
            error.where.file = "--init";
            return tl::unexpected(std::move(error));
        }
        if (one->value.kind == InitialValue::Kind::File) // named from where the command is run
            one->value.file = QFileInfo(QString::fromStdString(one->value.file)).absoluteFilePath().toStdString();
        experiment = withInitial(std::move(experiment), one->argument, one->value);
    }
    return {};
}

Result<void> checkChosen(const Program& program, const std::vector<std::string>& chosen)
{
    std::vector<ChosenInitial> all;
    for (const std::string& text : chosen)
        if (auto one = parseChosenInitial(text))
            all.push_back(std::move(*one));
    const std::vector<UnusedChoice> unused = unusedChoices(program, all);
    if (unused.empty())
        return {};
    const ChosenInitial& first = all[unused.front().choice];
    Error error;
    if (const std::optional<std::size_t> argument = unused.front().argument) {
        const TensorType& type = program.value(program.main().arguments[*argument]).type;
        error = unknownValue("--init " + first.argument, toString(first.value), initialValueForms(type.dtype));
        std::erase_if(error.args, [](const Arg& arg) { return arg.name == "nearest"; }); // a kind that does not fit
        error.args.emplace_back("type", toString(type));
    } else {
        std::vector<std::string> known;
        for (const std::vector<std::string>& names : argumentNames(program))
            known.insert(known.end(), names.begin(), names.end());
        error = unknownValue("argument", first.argument, std::move(known));
    }
    error.where.file = "--init";
    return tl::unexpected(std::move(error));
}

Result<Starts> startsOf(
    const Program& program, const std::vector<std::string>& files, InitialValues initial, bool drawn)
{
    Inputs inputs(program);
    for (const std::string& file : files)
        SHARDSCOPE_CHECK(inputs.read(file));
    return std::move(inputs).finish(program, std::move(initial), drawn);
}

} // namespace shardscope::cli
