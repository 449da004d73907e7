// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_inputs.h"

#include <QFile>
#include <algorithm>

#include "base/codes.h"
#include "experiment_file/array_text.h"
#include "input.h"
#include "interchange/npy.h"
#include "interchange/npz.h"
#include "program/element_bits.h"
#include "simulate/evaluate/random_arguments.h"

namespace shardscope::cli {

namespace {

/// The elements stay where they are.
evaluate::Array toArray(const TensorType& type, std::vector<std::byte> bytes)
{
    evaluate::Array array{ type, {}, {} };
    if (!bytes.empty()) {
        const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
        array.bytes = std::shared_ptr<std::byte[]>(owner, owner->data());
    }
    return array;
}

class Inputs {
public:
    explicit Inputs(const Program& program)
        : m_names(argumentNames(program))
    {
        for (const ValueId value : program.main().arguments)
            m_types.push_back(program.value(value).type);
        m_ranges = evaluate::argumentRanges(program);
        m_arrays.resize(m_types.size());
        m_from.resize(m_types.size());
    }

    /// The first thing that is wrong.
    Result<void> read(const std::string& given)
    {
        std::string path = given;
        std::optional<std::size_t> argument;
        if (const std::size_t equals = given.find('=');
            equals != std::string::npos && !QFile::exists(QString::fromStdString(given))) {
            auto found = argumentNamed(given.substr(0, equals));
            if (!found)
                return tl::unexpected(found.error());
            argument = *found;
            path = given.substr(equals + 1);
        }
        const bool isNpy = path.ends_with(".npy"), isNpz = path.ends_with(".npz") && !argument,
                   isJson = (path.ends_with(".json") || path == "-") && !argument;
        if (!isNpy && !isNpz && !isJson)
            return fail(Code::UnknownValue,
                { { "key", "--inputs" }, { "value", given },
                    { "known",
                        std::vector<std::string>{
                            "FILE.json", "FILE.npy", "NAME=FILE.npy", "FILE.npz", "- (JSON on standard input)" } } });
        const Result<void> done = isNpy ? readNpyFile(path, argument) : isNpz ? readNpzFile(path) : readJsonFile(path);
        if (done)
            return {};
        Error error = done.error();
        if (error.where.file.empty())
            error.where.file = shownName(path);
        return tl::unexpected(std::move(error));
    }

    /// What no file gave.
    Result<GivenArrays> finish(const std::optional<std::uint64_t>& seed) &&
    {
        GivenArrays out;
        for (std::size_t i = 0; i < m_types.size(); ++i) {
            if (!m_arrays[i]) {
                if (!seed)
                    return fail(Code::MissingKey, { { "key", m_names[i].front() }, { "type", toString(m_types[i]) } });
                m_arrays[i] = evaluate::randomArray(m_types[i], *seed, static_cast<std::uint32_t>(i), m_ranges[i]);
                m_from[i] = "random, seed " + std::to_string(*seed);
            }
            out.arrays.push_back(std::move(*m_arrays[i]));
        }
        out.from = std::move(m_from);
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

    Result<void> set(std::size_t argument, std::vector<std::byte> bytes, const std::string& from)
    {
        m_arrays[argument] = toArray(m_types[argument], std::move(bytes));
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

    Result<void> fits(const NpyHeader& header, std::size_t argument) const
    {
        if (header.holds(m_types[argument]))
            return {};
        return fail(Code::TypeMismatch,
            { { "op", m_names[argument].front() }, { "wrong", "argument" }, { "given", header.text() },
                { "type", toString(m_types[argument]) } });
    }

    /// Integers of fewer than 8 bits come in 8.
    Result<void> setNpy(std::string_view file, const NpyHeader& header, std::size_t argument, const std::string& from)
    {
        auto bytes = readNpyElements(file, header);
        if (!bytes)
            return tl::unexpected(bytes.error());
        const DType dtype = m_types[argument].dtype;
        if (const int bits = elementBits(dtype); !isFloat(dtype) && (bits == 2 || bits == 4)) {
            const bool isUnsigned = isUnsignedInteger(dtype);
            const int min = isUnsigned ? 0 : -(1 << (bits - 1)), max = (1 << (isUnsigned ? bits : bits - 1)) - 1;
            for (const std::byte byte : *bytes) {
                const int value = isUnsigned ? static_cast<int>(byte) : static_cast<std::int8_t>(byte);
                if (value < min || value > max)
                    return fail(Code::OutOfRange,
                        { { "key", m_names[argument].front() }, { "value", std::to_string(value) },
                            { "min", std::to_string(min) }, { "max", std::to_string(max) } });
            }
        }
        return set(argument, std::move(*bytes), from);
    }

    /// The header first: what does not fit is not read.
    Result<void> readNpyFile(const std::string& path, std::optional<std::size_t> argument)
    {
        if (!argument) {
            const auto next = nextArgument();
            if (!next)
                return tl::unexpected(next.error());
            argument = *next;
        } else if (auto isFree = free(*argument); !isFree) {
            return isFree;
        }
        QFile file(QString::fromStdString(path));
        const auto unreadable = [&] {
            return fail(Code::Unreadable, { { "file", path }, { "reason", file.errorString().toStdString() } });
        };
        if (!file.open(QIODevice::ReadOnly))
            return unreadable();
        QByteArray content = file.read(static_cast<qint64>(npyHeaderBytes));
        if (file.error() != QFileDevice::NoError)
            return unreadable();
        const auto view = [&] {
            return std::string_view(content.constData(), static_cast<std::size_t>(content.size()));
        };
        const Result<NpyHeader> header = readNpyHeader(view());
        if (!header)
            return tl::unexpected(header.error());
        if (auto done = fits(*header, *argument); !done)
            return done;
        const std::int64_t wanted = header->dataBytes() + static_cast<std::int64_t>(header->dataBegin);
        if (wanted > content.size())
            content += file.read(wanted - content.size() + 1);
        return setNpy(view(), *header, *argument, path);
    }

    Result<void> readNpzFile(const std::string& path)
    {
        std::size_t limit = std::size_t{ 1 } << 20;
        for (const TensorType& type : m_types)
            limit += static_cast<std::size_t>(std::min<std::int64_t>(type.byteCount(), std::int64_t{ 1 } << 40));
        const Result<std::string> text = readText(path, limit);
        if (!text)
            return tl::unexpected(text.error());
        const auto entries = readNpz(*text);
        if (!entries)
            return tl::unexpected(entries.error());
        for (const NpzEntry& entry : *entries) {
            // Arrays that numpy.savez() was given without names are arr_0, arr_1 and so on.
            const bool isNumbered = entry.name.starts_with("arr_");
            const auto argument = argumentNamed(isNumbered ? entry.name.substr(4) : entry.name);
            if (!argument)
                return tl::unexpected(argument.error());
            if (auto isFree = free(*argument); !isFree)
                return isFree;
            const Result<NpyHeader> header = readNpyHeader(entry.file);
            if (!header)
                return tl::unexpected(header.error());
            if (auto done = fits(*header, *argument); !done)
                return done;
            if (auto done = setNpy(entry.file, *header, *argument, path); !done)
                return done;
        }
        return {};
    }

    Result<void> readJsonFile(const std::string& path)
    {
        const Result<std::string> text = readText(path);
        if (!text)
            return tl::unexpected(text.error());
        const JsonText json = parseJson(*text);
        if (!json.errors.empty())
            return tl::unexpected(json.errors.front());
        const auto at = [&](Error error, TextPosition place) {
            error.where.line = place.line;
            error.where.column = place.column;
            return tl::unexpected(std::move(error));
        };
        const auto take = [&](const JsonNode& node, std::size_t argument) -> Result<void> {
            auto bytes = readArrayText(node, m_types[argument], m_names[argument].front());
            if (!bytes)
                return tl::unexpected(bytes.error());
            return set(argument, std::move(*bytes), shownName(path));
        };
        if (json.root.type == JsonNode::Type::Object) {
            for (const JsonNode& child : json.root.children) {
                const auto argument = argumentNamed(child.key);
                if (!argument)
                    return at(argument.error(), child.keyAt);
                if (auto isFree = free(*argument); !isFree)
                    return at(isFree.error(), child.keyAt);
                if (auto done = take(child, *argument); !done)
                    return done;
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
            if (auto isFree = free(i); !isFree)
                return isFree;
            if (auto done = take(json.root.children[i], i); !done)
                return done;
        }
        return {};
    }

    std::vector<std::vector<std::string>> m_names;
    std::vector<TensorType> m_types;
    std::vector<evaluate::ArgumentRange> m_ranges; ///< for random ones
    std::vector<std::optional<evaluate::Array>> m_arrays;
    std::vector<std::string> m_from;
};

} // namespace

std::vector<std::vector<std::string>> argumentNames(const Program& program)
{
    std::vector<std::vector<std::string>> names;
    for (const ValueId value : program.main().arguments) {
        names.push_back({ "arg" + std::to_string(names.size()) });
        const std::string& path = *program.value(value).path;
        if (!path.empty() && path != names.back().front())
            names.back().push_back(path);
    }
    return names;
}

std::string argumentList(const Program& program)
{
    constexpr std::size_t most = 6;
    const std::vector<ValueId>& arguments = program.main().arguments;
    std::string text;
    for (std::size_t i = 0; i < std::min(arguments.size(), most); ++i)
        text += (i == 0 ? "arg" : ", arg") + std::to_string(i) + ' ' + toString(program.value(arguments[i]).type);
    if (arguments.size() > most)
        text += " and " + std::to_string(arguments.size() - most) + " more";
    return text;
}

tl::expected<GivenArrays, std::vector<Diagnostic>> readInputs(const Program& program, const InputOptions& options)
{
    Inputs inputs(program);
    for (const std::string& file : options.files)
        if (auto done = inputs.read(file); !done)
            return tl::unexpected(std::vector{ std::move(done.error()) });
    auto all = std::move(inputs).finish(options.seed);
    if (!all)
        return tl::unexpected(std::vector{ std::move(all.error()) });
    return std::move(*all);
}

} // namespace shardscope::cli
