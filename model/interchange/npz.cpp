// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/npz.h"

#include <set>

#include "base/codes.h"
#include "interchange/npy.h"

namespace shardscope {

namespace {

constexpr std::string_view endMark = "PK\x05\x06", entryMark = "PK\x01\x02", fileMark = "PK\x03\x04";
constexpr std::size_t endBytes = 22, entryBytes = 46, fileBytes = 30;

/// Numbers of the archive, lowest byte first. Asked for only where the bytes are there.
class Bytes {
public:
    explicit Bytes(std::string_view archive)
        : m_archive(archive)
    {
    }
    [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const
    {
        std::uint64_t value = 0;
        for (std::size_t i = size; i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(m_archive[at + i]);
        return value;
    }
    [[nodiscard]] bool has(std::uint64_t at, std::uint64_t size) const
    {
        return at <= m_archive.size() && size <= m_archive.size() - at;
    }
    [[nodiscard]] bool isMark(std::uint64_t at, std::string_view mark) const
    {
        return has(at, mark.size()) && m_archive.substr(at, mark.size()) == mark;
    }

private:
    std::string_view m_archive;
};

} // namespace

Result<std::vector<NpzEntry>> readNpz(std::string_view archive)
{
    const Bytes bytes(archive);
    // The end record is the last one; a comment of up to 64 KiB may stand after it.
    const std::size_t end = archive.rfind(endMark);
    if (end == std::string_view::npos || !bytes.has(end, endBytes) || archive.size() - end > endBytes + 0xffff)
        return npySyntax("the directory of a ZIP archive", archive.empty() ? "an empty file" : "none", 0);
    const std::uint64_t count = bytes.number(end + 10, 2);
    if (count == 0xffff)
        return fail(Code::TooLarge, { { "what", "arrays" }, { "count", count }, { "limit", 0xfffe } });
    std::uint64_t at = bytes.number(end + 16, 4);
    std::vector<NpzEntry> entries;
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!bytes.isMark(at, entryMark) || !bytes.has(at, entryBytes))
            return npySyntax("entry " + std::to_string(i) + " of the directory", "other bytes",
                std::min<std::uint64_t>(at, archive.size()));
        const std::uint64_t nameBytes = bytes.number(at + 28, 2);
        if (!bytes.has(at + entryBytes, nameBytes))
            return npySyntax("a name", "the end of the file", archive.size());
        std::string name(archive.substr(at + entryBytes, nameBytes));
        if (bytes.number(at + 10, 2) != 0 || (bytes.number(at + 8, 2) & 1) != 0)
            return fail(Code::UnknownValue,
                { { "key", "the form of " + name }, { "value", "compressed or encrypted" },
                    { "known", std::vector<std::string>{ "plain, as numpy.savez() writes it" } } });
        const std::uint64_t size = bytes.number(at + 24, 4), file = bytes.number(at + 42, 4);
        if (!bytes.isMark(file, fileMark) || !bytes.has(file, fileBytes))
            return npySyntax("the array " + name, "other bytes", std::min<std::uint64_t>(file, archive.size()));
        const std::uint64_t data = file + fileBytes + bytes.number(file + 26, 2) + bytes.number(file + 28, 2);
        if (!bytes.has(data, size))
            return npySyntax("the array " + name, "the end of the file", archive.size());
        if (name.ends_with(".npy"))
            name.resize(name.size() - 4);
        if (!names.insert(name).second)
            return fail(Code::DuplicateKey, { { "key", name } });
        entries.push_back({ std::move(name), archive.substr(data, size) });
        at += entryBytes + nameBytes + bytes.number(at + 30, 2) + bytes.number(at + 32, 2);
    }
    return entries;
}

} // namespace shardscope
