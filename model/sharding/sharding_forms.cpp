// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/sharding_forms.h"

#include <algorithm>
#include <array>

#include "base/codes.h"
#include "base/text.h"
#include "sharding/text_readers.h"

namespace shardscope {

namespace {

constexpr std::array allForms{ ShardingForm::Spec, ShardingForm::Named, ShardingForm::Positional,
    ShardingForm::PositionalCode, ShardingForm::HloV1, ShardingForm::HloV2, ShardingForm::Gspmd, ShardingForm::Shardy };

tl::unexpected<Error> unsupported(std::string_view form)
{
    return fail(Code::UnsupportedSharding, { { "form", form } });
}

std::string memoryArgument(const Sharding& sharding)
{
    const std::optional<MemoryKind> kind = memoryKindOf(sharding);
    return kind ? ", memory_kind=" + std::string(toString(*kind)) : std::string();
}

bool hasPartsOfAxes(const TensorSharding& sharding, const Mesh& mesh)
{
    return std::ranges::any_of(sharding.dims, [&](const DimensionSharding& dim) {
        return std::ranges::any_of(dim.axes, [&](const AxisRef& ref) { return !isFull(mesh, ref); });
    });
}

/// The spec as it was written, or one that says the same by full axes of the mesh.
Result<PartitionSpec> specOf(const Sharding& sharding, const FormContext& context)
{
    if (const auto* named = std::get_if<NamedSharding>(&sharding); named && *named->mesh == *context.mesh) {
        SHARDSCOPE_CHECK(toHloSharding(sharding, context.rank));
        return named->spec;
    }
    SHARDSCOPE_TRY(axes, toTensorSharding(sharding, *context.mesh, context.rank));
    if (!axes->unreduced.empty())
        return unsupported("partial");
    if (hasPartsOfAxes(*axes, *context.mesh))
        return unsupported("part of an axis");
    return toPartitionSpec(*axes, *context.mesh);
}

/// The spec as JAX prints it. The current one has a word for axes whose devices hold parts of a sum.
Result<std::string> specText(const Sharding& sharding, const FormContext& context)
{
    const Result<PartitionSpec> spec = specOf(sharding, context);
    if (spec)
        return toJax(*spec, context.version);
    Result<TensorSharding> axes = toTensorSharding(sharding, *context.mesh, context.rank);
    const bool full = axes && !hasPartsOfAxes(*axes, *context.mesh)
        && std::ranges::all_of(axes->unreduced, [&](const AxisRef& ref) { return isFull(*context.mesh, ref); });
    if (context.version != JaxVersion::Current || !full)
        return tl::unexpected(spec.error());
    std::string names;
    for (const AxisRef& ref : axes->unreduced)
        names += (names.empty() ? "'" : ", '") + context.mesh->axis(static_cast<std::size_t>(ref.axis)).name + "'";
    axes->unreduced.clear();
    std::string text = toJax(toPartitionSpec(*axes, *context.mesh), context.version);
    text.pop_back();
    return text + (text.ends_with('(') ? "" : ", ") + "unreduced={" + names + "})";
}

Result<std::string> shardyText(const Sharding& sharding, const FormContext& context)
{
    constexpr std::string_view attribute = "#sdy.sharding";
    if (const auto* named = std::get_if<NamedSharding>(&sharding); named && *named->mesh == *context.mesh) {
        SHARDSCOPE_CHECK(toHloSharding(sharding, context.rank));
        return std::string(attribute) + toShardy(named->spec, context.rank);
    }
    SHARDSCOPE_TRY(axes, toTensorSharding(sharding, *context.mesh, context.rank));
    return std::string(attribute) + toShardy(*axes, *context.mesh);
}

/// The operations that lay devices in plain order into the tiles of an iota, and join those of a cell.
std::string chainOf(const TileAssignment& tiles, bool copies)
{
    const Shape& dims = tiles.dims();
    const Shape& grid = tiles.reshape();
    const std::size_t rank = dims.size() - (copies ? 1 : 0);
    // Axes of size 1 can be left out of the transpose, and the copies joined where they lie.
    if (copies && grid.size() == rank) {
        Shape joinedGrid = grid;
        const std::size_t last = static_cast<std::size_t>(tiles.transpose().back());
        bool ascending = grid[last] == dims.back();
        for (std::size_t i = 0; i + 2 < grid.size(); ++i)
            ascending = ascending && tiles.transpose()[i] < tiles.transpose()[i + 1];
        joinedGrid[last] = 1;
        if (ascending && std::equal(joinedGrid.begin(), joinedGrid.end(), dims.begin()))
            return ".reshape(" + join(grid, ", ") + ").replicate(" + std::to_string(last) + ")";
    }
    if (copies && grid.size() == 1 && rank > 1 && dims[rank - 1] == 1) {
        Shape cells(dims.begin(), dims.begin() + rank);
        cells[rank - 1] = dims.back();
        return ".reshape(" + join(cells, ", ") + ").replicate(" + std::to_string(rank - 1) + ")";
    }
    std::string chain;
    if (grid.size() > 1) {
        const std::vector<std::int64_t> order(tiles.transpose().begin(), tiles.transpose().end());
        chain = ".reshape(" + join(grid, ", ") + ").transpose(" + join(order, ", ") + ")";
    }
    Shape after;
    for (std::size_t i = 0; i < grid.size(); ++i)
        after.push_back(grid[static_cast<std::size_t>(tiles.transpose()[i])]);
    if (after != dims)
        chain += ".reshape(" + join(dims, ", ") + ")";
    if (copies)
        chain += ".replicate(" + std::to_string(rank) + ", keepdims=False)";
    return chain;
}

/// "devices" where these are the mesh's, in its order; a list of ids otherwise.
std::string devicesCode(const std::vector<std::int32_t>& devices, const MeshPtr& mesh)
{
    if (mesh && devicesOf(Sharding(NamedSharding{ mesh, {} })) == devices)
        return "devices";
    const std::vector<std::int64_t> ids(devices.begin(), devices.end());
    return "[" + join(ids, ", ") + "]";
}

/// What PositionalSharding can say of an HLO sharding: cells, and copies in each.
Result<void> checkPositional(const HloSharding& hlo)
{
    switch (hlo.kind) {
    case HloSharding::Kind::Replicated:
        return {};
    case HloSharding::Kind::Maximal:
        return unsupported("maximal");
    case HloSharding::Kind::Manual:
        return unsupported("manual");
    case HloSharding::Kind::Unknown:
        return unsupported("unknown");
    case HloSharding::Kind::Unreduced:
        return unsupported("partial");
    case HloSharding::Kind::Tiled:
        break;
    }
    if (hlo.subgroupSize(HloSharding::Subgroup::Unreduced) > 1)
        return unsupported("partial");
    if (hlo.subgroupSize(HloSharding::Subgroup::Manual) > 1)
        return unsupported("manual subgroup");
    return {};
}

Result<std::string> positionalCode(const Sharding& sharding, const FormContext& context)
{
    SHARDSCOPE_TRY(hlo, toHloSharding(sharding, context.rank));
    SHARDSCOPE_CHECK(checkPositional(*hlo));
    std::string code = "PositionalSharding(";
    const std::vector<std::int32_t> devices = devicesOf(sharding);
    std::string chain;
    if (hlo->kind == HloSharding::Kind::Tiled) {
        const bool copies = !hlo->subgroups.empty();
        if (const std::optional<TileAssignment> iota = hlo->tiles.asIota()) {
            code += devicesCode(devices, context.mesh);
            chain = chainOf(*iota, copies);
        } else {
            // In the order of the cells, then, which no operation gives.
            std::vector<std::int64_t> ids;
            for (const std::int32_t device : hlo->tiles.devices())
                ids.push_back(devices[static_cast<std::size_t>(device)]);
            code += "[" + join(ids, ", ") + "]";
            chain = ".reshape(" + join(hlo->tiles.dims(), ", ") + ")";
            if (copies)
                chain += ".replicate(" + std::to_string(hlo->tiledRank()) + ", keepdims=False)";
        }
    } else {
        code += devicesCode(devices, context.mesh);
        chain = devices.size() > 1 ? ".replicate()" : "";
    }
    code += ")" + chain;
    if (const std::optional<MemoryKind> kind = memoryKindOf(sharding))
        code += ".with_memory_kind('" + std::string(toString(*kind)) + "')";
    return code;
}

/// As JAX prints it.
Result<std::string> gspmdText(const Sharding& sharding, std::size_t rank)
{
    SHARDSCOPE_TRY(hlo, toHloSharding(sharding, rank));
    return "GSPMDSharding(" + toHlo(*hlo, HloForm::V2) + memoryArgument(sharding) + ")";
}

Result<std::string> hloText(const Sharding& sharding, std::size_t rank, HloForm form)
{
    SHARDSCOPE_TRY(hlo, toHloSharding(sharding, rank));
    return toHlo(*hlo, form);
}

/// How text begins that is no spec.
bool isOtherForm(std::string_view text)
{
    Tokens python(text);
    for (const std::string_view name : { "NamedSharding", "PositionalSharding", "SingleDeviceSharding" })
        if (openCall(python, name))
            return true;
    Tokens tokens(text, Tokens::Language::Mlir);
    if (openCall(tokens, "GSPMDSharding") || tokens.at('{') || tokens.at('#') || tokens.at('<'))
        return true;
    const Tokens::Token& first = tokens.peek();
    return first.kind == Tokens::Kind::Name
        && (first.text == "sdy.sharding" || first.text == "sharding" || first.text == "mhlo.sharding");
}

bool isDeclaredSpec(std::string_view text)
{
    Tokens tokens(text);
    return openCall(tokens, "PartitionSpec") || openCall(tokens, "P");
}

} // namespace

std::span<const ShardingForm> shardingForms()
{
    return allForms;
}

std::int64_t listedDevices(const Sharding& sharding, ShardingForm form, const FormContext& context)
{
    if (form != ShardingForm::HloV1 && form != ShardingForm::Positional && form != ShardingForm::PositionalCode)
        return 0;
    const Result<HloSharding> hlo = toHloSharding(sharding, context.rank);
    if (!hlo)
        return 0;
    const bool tiled = hlo->kind == HloSharding::Kind::Tiled;
    const auto devices = static_cast<std::int64_t>(devicesOf(sharding).size());
    if (form == ShardingForm::HloV1)
        return tiled ? hlo->tiles.size() : 0;
    if (!checkPositional(*hlo))
        return 0;
    if (form == ShardingForm::Positional)
        return devices;
    return (tiled && !hlo->tiles.asIota()) || devicesCode(devicesOf(sharding), context.mesh) != "devices" ? devices : 0;
}

Result<PositionalSharding> toPositional(const Sharding& sharding, std::size_t rank, const std::string& platform)
{
    if (const auto* positional = std::get_if<PositionalSharding>(&sharding))
        return *positional;
    SHARDSCOPE_TRY(hlo, toHloSharding(sharding, rank));
    SHARDSCOPE_CHECK(checkPositional(*hlo));
    std::vector<std::int32_t> devices = devicesOf(sharding);
    const std::optional<MemoryKind> kind = memoryKindOf(sharding);
    if (hlo->kind == HloSharding::Kind::Replicated) {
        Shape cells(rank, 1);
        if (cells.empty())
            cells.push_back(1);
        const std::vector<std::vector<std::int32_t>> all{ devices };
        return PositionalSharding::ofSets(std::move(devices), std::move(cells), all, platform, kind);
    }
    const std::vector<std::int32_t> order = hlo->tiles.devices();
    const auto copies = static_cast<std::size_t>(hlo->subgroupSize(HloSharding::Subgroup::Replicated));
    Shape cells;
    for (std::size_t d = 0; d < hlo->tiledRank(); ++d)
        cells.push_back(hlo->tiles.dims()[d]);
    std::vector<std::vector<std::int32_t>> sets;
    for (std::size_t first = 0; first < order.size(); first += copies) {
        std::vector<std::int32_t>& set = sets.emplace_back();
        for (std::size_t i = first; i < first + copies; ++i)
            set.push_back(devices[static_cast<std::size_t>(order[i])]);
    }
    return PositionalSharding::ofSets(std::move(devices), std::move(cells), sets, platform, kind);
}

Result<std::string> formText(const Sharding& sharding, ShardingForm form, const FormContext& context)
{
    switch (form) {
    case ShardingForm::Spec:
        return specText(sharding, context);
    case ShardingForm::Named: {
        Result<PartitionSpec> spec = specOf(sharding, context);
        if (!spec) { // with parts of a sum it is text alone
            const Result<std::string> partial = specText(sharding, context);
            if (!partial)
                return tl::unexpected(std::move(spec.error()));
            return "NamedSharding(mesh=" + toJax(*context.mesh, context.version) + ", spec=" + *partial
                + memoryArgument(sharding) + ")";
        }
        return toJax(
            Sharding(NamedSharding{ context.mesh, std::move(*spec), memoryKindOf(sharding) }), context.version);
    }
    case ShardingForm::Positional: {
        SHARDSCOPE_TRY(positional, toPositional(sharding, context.rank, context.platform));
        return toJax(Sharding(std::move(*positional)), context.version);
    }
    case ShardingForm::PositionalCode:
        return positionalCode(sharding, context);
    case ShardingForm::HloV1:
        return hloText(sharding, context.rank, HloForm::V1);
    case ShardingForm::HloV2:
        return hloText(sharding, context.rank, HloForm::V2);
    case ShardingForm::Gspmd:
        return gspmdText(sharding, context.rank);
    case ShardingForm::Shardy:
        return shardyText(sharding, context);
    }
    return unsupported("unknown");
}

Result<Sharding> readForm(std::string_view text, ShardingForm form, const MeshPtr& mesh)
{
    if (form == ShardingForm::Spec || isOtherForm(text) || isDeclaredSpec(text))
        return parseSharding(text, mesh);
    Tokens tokens(text, Tokens::Language::Mlir);
    switch (form) {
    case ShardingForm::Named:
        return tokens.unexpected("NamedSharding(mesh=mesh, spec=P(…))");
    case ShardingForm::Positional:
    case ShardingForm::PositionalCode:
        return tokens.unexpected("PositionalSharding(devices), with .reshape(…) and so on after it");
    case ShardingForm::Gspmd:
        return tokens.unexpected("GSPMDSharding({…})");
    case ShardingForm::HloV1:
    case ShardingForm::HloV2:
        SHARDSCOPE_CHECK(parseHlo(text));
        break;
    case ShardingForm::Shardy:
        SHARDSCOPE_CHECK(parseShardy(text, *mesh));
        break;
    case ShardingForm::Spec:
        break;
    }
    return parseSharding(text, mesh);
}

std::vector<PositionalStep> positionalSteps(std::string_view text, const MeshPtr& mesh)
{
    // A step ends before every dot outside of brackets, once the devices have been named.
    std::vector<std::size_t> ends;
    int depth = 0;
    bool called = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '(' || c == '[' || c == '{')
            ++depth;
        if (c == ')' || c == ']' || c == '}') {
            --depth;
            called = true;
        }
        if (c == '.' && depth == 0 && called)
            ends.push_back(at);
    }
    ends.push_back(text.size());
    std::vector<PositionalStep> steps;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        const Result<Sharding> read = parseSharding(text.substr(0, end), mesh);
        const auto* positional = read ? std::get_if<PositionalSharding>(&*read) : nullptr;
        if (!positional)
            break; // what stands here is said where the text is read
        steps.push_back({ std::string(text.substr(begin, end - begin)), positional->shape(), positional->copies() });
        begin = end;
    }
    return steps;
}

} // namespace shardscope
