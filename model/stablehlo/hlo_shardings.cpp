// SPDX-License-Identifier: GPL-3.0-or-later
// XLA's shardings (mhlo.sharding) as shardings over a mesh, where a program has no Shardy shardings: over its one mesh,
// or over one that is made for them.
// A part of Reader, which is declared in reader.h.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "base/codes.h"
#include "sharding/hlo_sharding.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

/// Number of devices that a sharding speaks of; 0 if it says nothing of them.
std::int64_t devicesOf(const HloSharding& sharding)
{
    if (sharding.kind != HloSharding::Kind::Tiled)
        return 0;
    std::int64_t devices = 1;
    for (const std::int64_t size : sharding.tiles.dims())
        devices *= size;
    return devices;
}

/// "{{a}, {{b}, {c}}}" has the parts {a}, {b} and {c}; "{a}" has itself. What does not close is one part.
bool takeTuple(std::string_view text, std::vector<std::string_view>& parts, int depth = 0)
{
    constexpr int maximumDepth = 64;
    const auto skip = [](std::string_view& rest) {
        while (!rest.empty() && (rest.front() == ' ' || rest.front() == ','))
            rest.remove_prefix(1);
    };
    std::string_view rest = text;
    skip(rest);
    std::string_view inner = rest;
    if (!inner.empty())
        inner.remove_prefix(1);
    skip(inner);
    if (!rest.starts_with('{') || !inner.starts_with('{') || depth == maximumDepth) {
        parts.emplace_back(rest);
        return true;
    }
    bool closes = true;
    while (inner.starts_with('{')) {
        int open = 0;
        std::size_t end = 0;
        do
            open += inner[end] == '{' ? 1 : inner[end] == '}' ? -1 : 0;
        while (++end < inner.size() && open > 0);
        closes = takeTuple(inner.substr(0, end), parts, depth + 1) && closes;
        inner.remove_prefix(end);
        skip(inner);
    }
    closes = closes && inner == "}"; // not more, nor less
    if (!closes && depth == 0)
        parts.assign(1, rest);
    return closes;
}

/// A mesh whose axes have the sizes by which tiles divide the devices: tiles of 2 x 4 and of 8 devices make axes of 2
/// and 4. Where these do not divide each other there is one axis, and shardings use parts of it.
Result<Mesh> meshFor(std::int64_t devices, const std::vector<HloSharding>& shardings)
{
    std::set<std::int64_t> products{ 1, devices };
    for (const HloSharding& sharding : shardings) {
        if (devicesOf(sharding) != devices)
            continue;
        if (const auto strides = sharding.tiles.strides()) {
            for (const std::int64_t stride : *strides)
                products.insert(devices / stride);
            continue;
        }
        std::int64_t product = 1; // a list in any order: no axis tells more than the tiles do
        for (const std::int64_t size : sharding.tiles.dims())
            products.insert(product *= size);
    }
    std::vector<MeshAxis> axes;
    std::int64_t before = 1;
    for (const std::int64_t next : products) {
        if (next % before != 0)
            return Mesh::create({ { "devices", devices } });
        if (next > before)
            axes.push_back({ "axis_" + std::to_string(axes.size()), next / before });
        before = next;
    }
    return Mesh::create(std::move(axes));
}

/// A number from 1, "4 : i32" or "4".
std::optional<std::int64_t> partitionsOf(std::string_view text)
{
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc() || count < 1 || (!text.empty() && text != " : i32" && text != " : i64"))
        return std::nullopt;
    return count;
}

/// How many devices the module says that it is for; 0 if it does not, or is not partitioned.
std::int64_t statedPartitions(const Program& program)
{
    for (const NamedText& entry : program.dictionaries[program.extra])
        if (entry.name == "mhlo.num_partitions") {
            const std::int64_t count = partitionsOf(entry.text).value_or(0);
            return count > 1 ? count : 0;
        }
    return 0;
}

/// A form that is a sharding elsewhere, and has no counterpart here.
bool isOtherForm(const Error& error)
{
    return error.code == Code::UnsupportedSharding;
}

} // namespace

/// What the texts say, each text once.
struct ReadHloShardings {
    std::unordered_map<std::string, std::size_t> indices;
    std::vector<HloSharding> shardings; ///< Unknown where a text has no counterpart here, or cannot be read
    std::vector<char> isOther; ///< has no counterpart
    std::vector<std::optional<Error>> errors; ///< where it cannot be read
    std::int64_t devices = 0; ///< that the shardings are to be over; 0 if they speak of none

    [[nodiscard]] const HloSharding& of(const HloShardingText& text) const { return shardings[indices.at(text.text)]; }
    /// Whether it asks for more than that every device has the array, or that propagation decides.
    [[nodiscard]] bool asksForSomething(const HloShardingText& text) const
    {
        const HloSharding& asked = of(text);
        switch (asked.kind) {
        case HloSharding::Kind::Unknown:
            return isOther[indices.at(text.text)] != 0;
        case HloSharding::Kind::Replicated:
            return false;
        case HloSharding::Kind::Maximal:
            return devices > 1 || asked.device > 0;
        case HloSharding::Kind::Tiled:
            return devicesOf(asked) > 1;
        case HloSharding::Kind::Manual:
        case HloSharding::Kind::Unreduced:
            break;
        }
        return true;
    }
};

bool Reader::hasHloSharding(const std::vector<NamedAttribute>& attributes)
{
    return std::any_of(
        attributes.begin(), attributes.end(), [](const NamedAttribute& a) { return a.name == "mhlo.sharding"; });
}

void Reader::noteHloSharding(
    std::span<const HloShardingText> of, const std::vector<NamedAttribute>& attributes, std::string_view owner)
{
    const auto found = std::find_if(
        attributes.begin(), attributes.end(), [](const NamedAttribute& a) { return a.name == "mhlo.sharding"; });
    if (found == attributes.end() || found->value.size() < 2 || found->value.front() != '"')
        return;
    const std::string_view inside = found->value.substr(1, found->value.size() - 2);
    const std::string text = unescaped(inside);
    std::size_t begin = found->position;
    if (inside.data() >= m_text.data() && inside.data() <= m_text.data() + m_text.size())
        begin = static_cast<std::size_t>(inside.data() - m_text.data());
    const bool isPlain = begin != found->position && text.size() == inside.size();
    std::vector<std::string_view> parts;
    const bool closes = takeTuple(text, parts);
    const bool isTuple = closes && (parts[0].data() != text.data() || parts[0].size() != text.size());
    if (parts.size() != of.size() && (isTuple || parts.size() != 1)) {
        warn(Code::ShardingIgnored,
            { { "op", std::string(owner) }, { "attribute", "mhlo.sharding" }, { "found", parts.size() },
                { "expected", of.size() } },
            found->position);
        return;
    }
    for (std::size_t i = 0; i < of.size(); ++i) { // what is no tuple is the sharding of all results
        const std::string_view part = parts[parts.size() == 1 ? 0 : i];
        HloShardingText one = of[i];
        one.text = part;
        one.position = found->position;
        one.begin = begin + (isPlain ? static_cast<std::size_t>(part.data() - text.data()) : 0);
        one.isPlain = isPlain;
        one.owner = owner;
        m_hloShardings.push_back(std::move(one));
    }
}

/// Null where it is not of a tensor.
const TensorType* Reader::typeOf(const HloShardingText& sharding) const
{
    ValueId value = sharding.value;
    if (!value.valid()) {
        const Function& function = m_program.functions[sharding.function];
        if (sharding.result >= m_program.regions[function.body.index].results.size())
            return nullptr; // faulty
        value = m_program.regions[function.body.index].results[sharding.result];
    }
    const TensorType& type = typeOf(value);
    return isTensor(type.dtype) ? &type : nullptr;
}

/// That they change nothing is worth a word where they ask for something that the value does not get otherwise: beside
/// Shardy's shardings, as Shardy's import has it, or where no mesh can say the same.
void Reader::warnIgnored(const HloShardingText& sharding, Ignored why)
{
    const auto index = std::size_t{ sharding.value.index };
    const bool isSpecified =
        sharding.value.valid() && index < m_program.valueShardings.size() && m_program.valueShardings[index] != 0;
    if (isSpecified || !typeOf(sharding))
        return;
    std::vector<Arg> args{ { "op", sharding.owner }, { "attribute", "mhlo.sharding" } };
    if (why == Ignored::NotOnMesh)
        args.emplace_back("sharding", sharding.text);
    warn(Code::ShardingIgnored, std::move(args), sharding.position);
}

/// Of those that no mesh can say.
void Reader::warnNotOnMesh(const ReadHloShardings& read, const HloShardingText& sharding)
{
    const HloSharding& asked = read.of(sharding);
    const bool isManual = asked.kind == HloSharding::Kind::Manual
        || (asked.kind == HloSharding::Kind::Tiled && asked.subgroupSize(HloSharding::Subgroup::Manual) > 1);
    // The boundaries of what XLA computes on shards: they are made a manual computation, or stay calls that are
    // refused.
    if (read.asksForSomething(sharding) && !(isManual && sharding.owner == "stablehlo.custom_call"))
        warnIgnored(sharding, Ignored::NotOnMesh);
}

/// What cannot be read is an error at its place in the text.
bool Reader::readHloShardings(ReadHloShardings& read)
{
    for (const HloShardingText& each : m_hloShardings) {
        const auto [found, added] = read.indices.emplace(each.text, read.shardings.size());
        if (added) {
            Result<HloSharding> parsed = parseHlo(each.text);
            if (!parsed && parsed.error().text("form") == "tuple") // a part of none is none, if it closes
                parsed = fail(Code::Syntax, { { "expected", "'}'" }, { "found", "end of text" } });
            const bool isOther = !parsed && isOtherForm(parsed.error());
            read.isOther.push_back(static_cast<char>(isOther));
            read.errors.push_back(parsed || isOther ? std::nullopt : std::optional(parsed.error()));
            read.shardings.push_back(parsed ? std::move(*parsed) : HloSharding::of(HloSharding::Kind::Unknown));
            read.devices = std::max(read.devices, devicesOf(read.shardings.back()));
        }
        if (const std::optional<Error>& error = read.errors[found->second]) {
            const bool isInside = each.isPlain && error->where.line == 1 && error->where.column > 0;
            const std::size_t offset = isInside ? static_cast<std::size_t>(error->where.column - 1) : 0;
            if (!wrong(error->code, error->args, each.begin + std::min(offset, each.text.size())))
                return false;
        }
    }
    if (const std::int64_t partitions = statedPartitions(m_program))
        read.devices = partitions;
    return true;
}

/// Neither is one that does not fit its array or the devices left out in silence.
bool Reader::checkHloShardings(const ReadHloShardings& read)
{
    std::map<std::pair<std::size_t, std::size_t>, Result<void>> checked; // by rank: lists of devices are long
    for (const HloShardingText& each : m_hloShardings) {
        const TensorType* type = typeOf(each);
        if (!type)
            continue;
        const std::size_t index = read.indices.at(each.text);
        auto found = checked.find({ index, type->rank() });
        if (found == checked.end())
            found = checked
                        .emplace(std::pair(index, type->rank()),
                            validate(read.shardings[index], type->shape,
                                read.devices > 0 ? std::optional(read.devices) : std::nullopt))
                        .first;
        // A tile of the only device is the array: JAX says so.
        if (!found->second && found->second.error().code != Code::SingleTile)
            if (!wrong(found->second.error().code, found->second.error().args, each.begin))
                return false;
    }
    return true;
}

/// Functions have their places in the program by now.
void Reader::findShardedFunctions()
{
    std::unordered_map<std::string_view, std::size_t> indices;
    for (std::size_t i = 0; i < m_program.functions.size(); ++i)
        indices.emplace(m_program.functions[i].name, i);
    for (HloShardingText& each : m_hloShardings)
        if (!each.value.valid())
            each.function = indices.at(each.functionName);
}

bool Reader::applyHloShardings()
{
    if (m_hloShardings.empty())
        return true;
    findShardedFunctions();
    std::stable_sort(m_hloShardings.begin(), m_hloShardings.end(),
        [](const HloShardingText& a, const HloShardingText& b) { return a.position < b.position; });
    ReadHloShardings read;
    if (!readHloShardings(read) || !checkHloShardings(read))
        return false;
    if (!m_program.shardings.empty()) {
        for (const HloShardingText& each : m_hloShardings)
            if (read.of(each).kind != HloSharding::Kind::Manual)
                warnIgnored(each, Ignored::BesideShardy);
        return true;
    }
    const std::optional<std::uint32_t> mesh = meshOfHloShardings(read);
    for (const HloShardingText& each : m_hloShardings) {
        const TensorType* type = typeOf(each);
        if (!type)
            continue;
        const Result<TensorSharding> on =
            mesh ? toTensorSharding(read.of(each), *m_program.meshes[*mesh].mesh, type->rank()) : fail(Code::NotOnMesh);
        if (!on) {
            warnNotOnMesh(read, each);
            continue;
        }
        const ShardingIndex sharding = addSharding({ *mesh, *on, ReduceKind::Sum });
        if (each.value.valid()) {
            shard(each.value, sharding);
            continue;
        }
        Function& function = m_program.functions[each.function];
        function.resultShardings.resize(m_program.regions[function.body.index].results.size());
        function.resultShardings[each.result] = sharding;
    }
    return true;
}

/// The first of the program with as many devices, or one that is made where the program has none. Nothing if there is
/// no such mesh.
std::optional<std::uint32_t> Reader::meshOfHloShardings(const ReadHloShardings& read)
{
    if (read.devices <= 1)
        return std::nullopt;
    if (m_program.meshes.empty()) {
        Result<Mesh> made = meshFor(read.devices, read.shardings);
        if (!made)
            return std::nullopt;
        m_program.meshes.push_back({ "mesh", std::make_shared<const Mesh>(std::move(*made)), {}, false });
        return 0;
    }
    const auto fits = [&](const ProgramMesh& m) { return m.mesh->deviceCount() == read.devices && !m.onlyDevice; };
    const auto found = std::find_if(m_program.meshes.begin(), m_program.meshes.end(), fits);
    if (found == m_program.meshes.end())
        return std::nullopt;
    return static_cast<std::uint32_t>(found - m_program.meshes.begin());
}

/// Of the module's attributes.
bool Reader::checkPartitions(const std::vector<NamedAttribute>& attributes)
{
    const auto found = std::find_if(
        attributes.begin(), attributes.end(), [](const NamedAttribute& a) { return a.name == "mhlo.num_partitions"; });
    return found == attributes.end() || partitionsOf(found->value)
        || wrong(Code::AttributeValue,
            { { "attribute", "mhlo.num_partitions" }, { "value", std::string(found->value.substr(0, 40)) },
                { "wanted", "a number of devices from 1" } },
            found->position);
}

} // namespace shardscope::mlir
