// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/array_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/codes.h"
#include "document/atomic_file.h"
#include "interchange/npy.h"
#include "interchange/npz.h"
#include "program/element_bits.h"

namespace shardscope {

namespace {

constexpr qint64 largestArchive = qint64{ 16 } << 30; ///< bytes of a .npz; it may hold more than one program takes

Result<void> fits(const NpyHeader& header, const TensorType& type, const std::string& name)
{
    if (header.holds(type))
        return {};
    return fail(Code::TypeMismatch,
        { { "op", name }, { "wrong", "argument" }, { "given", header.text() }, { "type", toString(type) } });
}

/// The array of a .npz that an argument of these names begins with.
Result<std::string_view> entryFor(
    const std::vector<NpzEntry>& entries, std::size_t number, const std::vector<std::string>& names)
{
    std::vector<std::string> known;
    for (const NpzEntry& entry : entries) {
        if (entry.name == "arr_" + std::to_string(number)
            || std::find(names.begin(), names.end(), entry.name) != names.end())
            return entry.file;
        known.push_back(entry.name);
    }
    if (entries.size() == 1)
        return entries.front().file;
    return fail(Code::UnknownValue,
        { { "key", "array" }, { "value", names.back() }, { "nearest", nearestName(names.back(), known) },
            { "known", known } });
}

} // namespace

Result<kernels::Array> arrayOfNpy(std::string_view file, const TensorType& type, const std::string& name)
{
    SHARDSCOPE_TRY(header, readNpyHeader(file));
    SHARDSCOPE_CHECK(fits(*header, type, name));
    SHARDSCOPE_TRY(bytes, readNpyElements(file, *header));
    // Integers of fewer than 8 bits come in 8.
    if (const int bits = elementBits(type.dtype); !isFloat(type.dtype) && (bits == 2 || bits == 4)) {
        const bool isUnsigned = isUnsignedInteger(type.dtype);
        const int min = isUnsigned ? 0 : -(1 << (bits - 1)), max = (1 << (isUnsigned ? bits : bits - 1)) - 1;
        for (const std::byte byte : *bytes) {
            const int value = isUnsigned ? static_cast<int>(byte) : static_cast<std::int8_t>(byte);
            if (value < min || value > max)
                return fail(Code::OutOfRange,
                    { { "key", name }, { "value", std::to_string(value) }, { "min", std::to_string(min) },
                        { "max", std::to_string(max) } });
        }
    }
    return kernels::arrayOfBytes(type, std::move(*bytes));
}

Result<kernels::Array> readNpyFile(const QString& path, const TensorType& type, const std::string& name)
{
    QFile file(path);
    const auto unreadable = [&] {
        return fail(
            Code::Unreadable, { { "file", path.toStdString() }, { "reason", file.errorString().toStdString() } });
    };
    if (!file.open(QIODevice::ReadOnly))
        return unreadable();
    QByteArray content = file.read(static_cast<qint64>(npyHeaderBytes));
    if (file.error() != QFileDevice::NoError)
        return unreadable();
    const auto view = [&] { return std::string_view(content.constData(), static_cast<std::size_t>(content.size())); };
    SHARDSCOPE_TRY(header, readNpyHeader(view()));
    SHARDSCOPE_CHECK(fits(*header, type, name));
    const std::int64_t wanted = header->dataBytes() + static_cast<std::int64_t>(header->dataBegin);
    if (wanted > content.size())
        content += file.read(wanted - content.size() + 1);
    return arrayOfNpy(view(), type, name);
}

Result<void> readInitialFiles(InitialValues& values, const Program& program, const QString& folder)
{
    values.files.clear();
    const std::vector<ValueId>& arguments = program.main().arguments;
    std::vector<TensorType> types;
    for (const ValueId argument : arguments)
        types.push_back(program.value(argument).type);
    std::map<std::string, QByteArray> archives; // a .npz is read once
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& path = program.value(arguments[i]).path;
        const std::optional<std::size_t> choice = choiceFor(values.chosen, i, path, types[i].dtype);
        if (!choice || values.chosen[*choice].value.kind != InitialValue::Kind::File)
            continue;
        const std::string& name = values.chosen[*choice].value.file;
        const std::vector<std::string> names = namesOfArgument(i, path);
        const QString place = QDir(folder).absoluteFilePath(QString::fromStdString(name));
        Result<kernels::Array> array = [&]() -> Result<kernels::Array> {
            if (name.ends_with(".npy"))
                return readNpyFile(place, types[i], names.back());
            auto archive = archives.find(name);
            if (archive == archives.end()) {
                SHARDSCOPE_TRY(content, readFile(place, largestArchive));
                archive = archives.emplace(name, std::move(*content)).first;
            }
            const auto entries =
                readNpz({ archive->second.constData(), static_cast<std::size_t>(archive->second.size()) });
            SHARDSCOPE_CHECK(entries);
            SHARDSCOPE_TRY(entry, entryFor(*entries, i, names));
            return arrayOfNpy(*entry, types[i], names.back());
        }();
        if (!array) {
            Error error = std::move(array.error());
            if (error.where.file.empty() || error.code == Code::Unreadable)
                error.where.file = name;
            for (Arg& arg : error.args)
                if (arg.name == "file")
                    arg.value = name;
            return tl::unexpected(std::move(error));
        }
        values.files.emplace(i, std::move(*array));
    }
    return {};
}

QString folderOf(const QString& experimentFile)
{
    return experimentFile.isEmpty() ? QDir::currentPath() : QFileInfo(experimentFile).absolutePath();
}

} // namespace shardscope
