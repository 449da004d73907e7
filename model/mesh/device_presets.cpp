// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/device_presets.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/codes.h"
#include "base/trimmed.h"
#include "mesh/device_array.h"

namespace shardscope {

namespace {

constexpr std::array presets{
    DevicePreset{ "cpu", "generic-cpu", "cpu", 2, 1, "cpu:8" },
    DevicePreset{ "gpu", "generic-gpu", "gpu", 2, 1, "gpu:4x8" },
    DevicePreset{ "tpu-v2", "TPU v2", "tpu", 2, 2, "tpu-v2:4x4" },
    DevicePreset{ "tpu-v3", "TPU v3", "tpu", 2, 2, "tpu-v3:4x4" },
    DevicePreset{ "tpu-v4", "TPU v4", "tpu", 3, 1, "tpu-v4:4x4x4" },
    DevicePreset{ "tpu-v5e", "TPU v5 lite", "tpu", 2, 1, "tpu-v5e:2x4" },
    DevicePreset{ "tpu-v5p", "TPU v5p", "tpu", 3, 1, "tpu-v5p:4x4x8" },
    DevicePreset{ "tpu-v6e", "TPU v6 lite", "tpu", 2, 1, "tpu-v6e:4x4" },
    DevicePreset{ "tpu-v7", "TPU7x", "tpu", 3, 2, "tpu-v7:2x2x4" },
};

std::vector<std::string> presetNames()
{
    std::vector<std::string> names;
    for (const DevicePreset& preset : presets)
        names.emplace_back(preset.name);
    return names;
}

const DevicePreset* findPreset(std::string_view name)
{
    const auto found =
        std::find_if(presets.begin(), presets.end(), [name](const DevicePreset& p) { return p.name == name; });
    return found == presets.end() ? nullptr : &*found;
}

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

Where whereOf(std::string_view full, std::string_view part, int line = 1)
{
    Where where;
    where.line = line;
    where.column = static_cast<int>(part.data() - full.data()) + 1;
    return where;
}

std::string quotedOrNothing(std::string_view text)
{
    return text.empty() ? "nothing" : "'" + std::string(text) + "'";
}

/// A whole number from `least` on that the limits of devices allow.
Result<std::int32_t> toNumber(std::string_view part, const char* key, std::int32_t least, const Where& where)
{
    std::int64_t number = 0;
    const char* end = part.data() + part.size();
    const auto [stopped, error] = std::from_chars(part.data(), end, number);
    if (part.empty() || stopped != end)
        return fail(Code::Syntax, { { "expected", "a whole number" }, { "found", quotedOrNothing(part) } }, where);
    if (error == std::errc::result_out_of_range || number < least || number > maximumDevices)
        return fail(Code::OutOfRange,
            { { "key", key }, { "value", std::string(part) }, { "min", least }, { "max", maximumDevices } }, where);
    return static_cast<std::int32_t>(number);
}

std::string lower(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return result;
}

struct Sizes {
    std::array<std::int32_t, 3> values{ 1, 1, 1 };
    std::size_t count = 0;
};

Result<Sizes> readSizes(std::string_view full, std::string_view rest, const DevicePreset& preset)
{
    Sizes sizes;
    while (true) {
        const std::size_t cross = rest.find_first_of("xX");
        const std::string_view part = trimmed(rest.substr(0, cross));
        if (sizes.count == static_cast<std::size_t>(preset.dimensions))
            return fail(Code::Syntax,
                { { "expected",
                      "at most " + std::to_string(preset.dimensions) + " sizes, as in " + std::string(preset.example) },
                    { "found", quotedOrNothing(part) } },
                whereOf(full, part));
        SHARDSCOPE_TRY(number, toNumber(part, "size", 1, whereOf(full, part)));
        sizes.values[sizes.count++] = *number;
        if (cross == std::string_view::npos)
            return sizes;
        rest.remove_prefix(cross + 1);
    }
}

/// That a device can have: id, process, x, y, z, core and slice.
constexpr std::size_t maxNumbers = 7;

/// Numbers of a line of an own list.
struct Row {
    std::vector<std::int32_t> numbers;
    int line = 1;
};

Result<DevicePlace> toPlace(const Row& row, bool coordinates)
{
    const std::vector<std::int32_t>& n = row.numbers;
    const bool complete = n.size() >= (coordinates ? 5 : 2) && n.size() <= maxNumbers;
    if (!complete) {
        Where where;
        where.line = row.line;
        where.column = 1;
        return fail(Code::Syntax,
            { { "expected", coordinates ? "id, process, x, y, z, and if need be core and slice" : "id and process" },
                { "found",
                    n.size() > maxNumbers ? "more than " + std::to_string(maxNumbers) + " numbers"
                                          : std::to_string(n.size()) + " numbers" } },
            where);
    }
    const auto at = [&](std::size_t i) { return i < n.size() ? n[i] : 0; };
    return DevicePlace{ at(0), at(1), { at(2), at(3), at(4) }, at(5), at(6) };
}

class ListReader {
public:
    Result<DeviceSet> read(std::string_view text)
    {
        for (int line = 1; !text.empty(); ++line) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            SHARDSCOPE_CHECK(readLine(text.substr(0, end), line));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        const bool tpu = m_platform == "tpu";
        std::vector<DevicePlace> places;
        for (const Row& row : m_rows) {
            SHARDSCOPE_TRY(place, toPlace(row, tpu));
            places.push_back(*place);
        }
        if (m_kind.empty())
            m_kind = tpu ? "TPU v4" : "generic-" + m_platform;
        return DeviceSet::ofList(m_kind, m_platform, std::move(places));
    }

private:
    Result<void> readLine(std::string_view full, int line)
    {
        const std::string_view content = trimmed(full.substr(0, full.find('#')));
        if (const std::size_t colon = content.find(':'); colon != std::string_view::npos)
            return readHeader(full, trimmed(content.substr(0, colon)), trimmed(content.substr(colon + 1)), line);
        Row row{ {}, line };
        for (std::size_t i = 0; i < content.size();) {
            const char c = content[i];
            if (c == ']' || c == ')')
                SHARDSCOPE_CHECK(finish(row));
            if (isBlank(c) || std::string_view(",;[]()").find(c) != std::string_view::npos) {
                ++i;
                continue;
            }
            const std::size_t end = std::min(content.find_first_of(" \t\r,;[]()", i), content.size());
            const std::string_view part = content.substr(i, end - i);
            SHARDSCOPE_TRY(number, toNumber(part, "number", 0, whereOf(full, part, line)));
            if (row.numbers.size() <= maxNumbers) // one more is refused, and many more need no memory
                row.numbers.push_back(*number);
            i = end;
        }
        return finish(row);
    }

    Result<void> readHeader(std::string_view full, std::string_view key, std::string_view value, int line)
    {
        if (key == "kind") {
            m_kind = value;
        } else if (key == "platform") {
            const std::vector<std::string> known{ "cpu", "gpu", "tpu" };
            if (std::find(known.begin(), known.end(), value) == known.end())
                return fail(Code::UnknownValue,
                    { { "key", "platform" }, { "value", std::string(value) }, { "known", known },
                        { "nearest", nearestName(value, known) } },
                    whereOf(full, value, line));
            m_platform = value;
        } else {
            const std::vector<std::string> known{ "kind", "platform" };
            return fail(Code::UnknownValue,
                { { "key", "the word before the colon" }, { "value", std::string(key) }, { "known", known },
                    { "nearest", nearestName(key, known) } },
                whereOf(full, key, line));
        }
        return {};
    }

    Result<void> finish(Row& row)
    {
        if (row.numbers.empty())
            return {};
        if (m_rows.size() == static_cast<std::size_t>(maximumDevices)) {
            Where where;
            where.line = row.line;
            where.column = 1;
            return fail(Code::TooLarge, { { "what", "devices" }, { "limit", maximumDevices } }, std::move(where));
        }
        m_rows.push_back(row);
        row.numbers.clear();
        return {};
    }

    std::string m_kind;
    std::string m_platform = "tpu";
    std::vector<Row> m_rows;
};

} // namespace

std::span<const DevicePreset> devicePresets()
{
    return presets;
}

Result<DeviceSet> parseDevices(std::string_view text)
{
    std::string_view rest = trimmed(text);
    std::int32_t slices = 1;
    const std::size_t star = rest.find('*');
    if (star != std::string_view::npos) {
        const std::string_view part = trimmed(rest.substr(0, star));
        SHARDSCOPE_TRY(number, toNumber(part, "number of slices", 1, whereOf(text, part)));
        slices = *number;
        rest = trimmed(rest.substr(star + 1));
    }
    const std::size_t colon = rest.find(':');
    const std::string_view name = trimmed(rest.substr(0, colon));
    if (name.empty())
        return fail(Code::Syntax,
            { { "expected", "devices such as cpu:8 or tpu-v4:4x4x4" }, { "found", quotedOrNothing(rest) } },
            whereOf(text, rest));
    const DevicePreset* preset = findPreset(lower(name));
    if (!preset) {
        const std::vector<std::string> known = presetNames();
        // Of another generation no other one is meant.
        constexpr std::string_view generation = "tpu-v";
        const std::string typed = lower(name);
        const std::string beginning = typed.substr(0, generation.size() + 1);
        const bool isGeneration = beginning.size() > generation.size() && beginning.starts_with(generation)
            && beginning.back() >= '0' && beginning.back() <= '9'
            && std::none_of(
                known.begin(), known.end(), [&](const std::string& each) { return each.starts_with(beginning); });
        return fail(Code::UnknownValue,
            { { "key", "devices" }, { "value", std::string(name) }, { "known", known },
                { "nearest", isGeneration ? std::string() : nearestName(typed, known) } },
            whereOf(text, name));
    }
    if (colon == std::string_view::npos)
        return fail(Code::Syntax,
            { { "expected", "a size after the name, as in " + std::string(preset->example) },
                { "found", quotedOrNothing(rest) } },
            whereOf(text, name));
    SHARDSCOPE_TRY(sizes, readSizes(text, rest.substr(colon + 1), *preset));
    if (preset->platform == "tpu")
        return DeviceSet::ofChips(std::string(preset->kind), sizes->values, DeviceSet::usualHostChips(sizes->values),
            preset->coresPerChip, slices);
    if (star != std::string_view::npos)
        return fail(Code::Syntax,
            { { "expected", "hosts x devices of a host, as in gpu:4x8; slices are of TPUs" },
                { "found", quotedOrNothing(trimmed(text)) } },
            whereOf(text, rest));
    const std::int32_t hosts = sizes->count == 2 ? sizes->values[0] : 1;
    const std::int32_t perHost = sizes->values[sizes->count - 1];
    if (std::int64_t{ hosts } * perHost > maximumDevices)
        return fail(Code::TooLarge,
            { { "what", "devices" }, { "count", std::int64_t{ hosts } * perHost }, { "limit", maximumDevices } });
    return DeviceSet::ofHosts(std::string(preset->kind), std::string(preset->platform), hosts, perHost);
}

Result<DeviceSet> parseDeviceList(std::string_view text)
{
    return ListReader().read(text);
}

std::string toListText(const DeviceSet& set)
{
    const bool grid = set.hasCoordinates();
    std::string text = "platform: " + set.platform + "\nkind: " + set.kind + "\n"
        + (grid ? "# id process x y z core slice\n" : "# id process\n");
    DeviceList(set).forEach([&](const DevicePlace& place) {
        text += std::to_string(place.id) + " " + std::to_string(place.process);
        if (grid) {
            for (const std::int32_t along : place.coordinates)
                text += " " + std::to_string(along);
            text += " " + std::to_string(place.core) + " " + std::to_string(place.slice);
        }
        text += "\n";
    });
    return text;
}

std::string toText(const DeviceSet& set)
{
    const auto preset = std::find_if(presets.begin(), presets.end(),
        [&](const DevicePreset& p) { return p.kind == set.kind && p.platform == set.platform; });
    const std::string name = preset == presets.end() ? set.kind : std::string(preset->name);
    if (!set.own.empty())
        return "list of " + std::to_string(set.count()) + " " + set.kind + " devices";
    if (!set.hasChipGrid())
        return name + ":" + (set.hosts > 1 ? std::to_string(set.hosts) + "x" : "") + std::to_string(set.devicesPerHost);
    const std::size_t dimensions = preset != presets.end() && preset->dimensions == 2 && set.chips[2] == 1 ? 2 : 3;
    return (set.slices > 1 ? std::to_string(set.slices) + "*" : "") + name + ":"
        + shapeText(std::span(set.chips).first(dimensions));
}

} // namespace shardscope
