// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/to_stablehlo.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/codes.h"
#include "hlo/argument_shardings.h"
#include "hlo/collectives.h"
#include "hlo/explaining_mesh.h"
#include "hlo/read.h"
#include "hlo/translator.h"
#include "stablehlo/scanner.h"

namespace shardscope {

namespace {

/// What a module becomes. The module itself, which takes as much memory as its text, is gone by then.
struct Translation {
    std::string text; ///< StableHLO's
    std::vector<std::uint32_t> origins; ///< by line: offset in the HLO text
    std::unordered_map<std::uint32_t, std::uint32_t> names; ///< likewise, of names that stand elsewhere
    std::optional<Mesh> partitionedOver; ///< of a compiled one
    std::vector<std::optional<TensorSharding>> partsOf;
};

/// The first collective whose groups take more axes than `most`, with those before it; nothing where arguments do.
Where placeOfAxes(const HloModule& module, HloCollectives found, std::size_t most)
{
    const std::vector<HloCollective> all = std::move(found.list);
    std::size_t first = 0, end = all.size();
    while (first < end) {
        const std::size_t middle = first + (end - first) / 2;
        found.list.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(middle) + 1);
        if (explainingMesh(module, found).size() > most)
            end = middle;
        else
            first = middle + 1;
    }
    return first < all.size() ? module.placeOf(module.instructions[all[first].instruction].name.begin) : Where();
}

Result<Translation> translate(std::string_view hloText, const ReadOptions& options)
{
    SHARDSCOPE_TRY(module, readHlo(hloText));
    if (const std::size_t count = module->instructions.size(); count > options.maximumOperations)
        return fail(
            Code::TooLarge, { { "what", "operations" }, { "count", count }, { "limit", options.maximumOperations } });
    SHARDSCOPE_TRY(found, collectivesOf(*module));
    const bool compiled = isCompiled(*module);
    hlo::Translator translator(*module, *found, compiled);
    SHARDSCOPE_CHECK(translator.translate());
    Translation made{ translator.takeText(), translator.takeOrigins(), translator.takeNames(), {}, {} };
    if (compiled) {
        Result<Mesh> mesh = Mesh::create(explainingMesh(*module, *found));
        if (!mesh) { // more axes than a mesh has
            mesh.error().where = placeOfAxes(*module, std::move(*found), maximumMeshAxes);
            return tl::unexpected(std::move(mesh.error()));
        }
        made.partsOf = argumentShardings(*module, *mesh);
        made.partitionedOver = std::move(*mesh);
    }
    return made;
}

/// Of each line of a translation, as a place of the HLO text.
std::vector<mlir::Places::Place> placesOf(std::string_view text, const std::vector<std::uint32_t>& origins)
{
    std::vector<std::uint32_t> order(origins.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return origins[a] < origins[b]; });
    std::vector<mlir::Places::Place> found(origins.size());
    mlir::Places places(text); // that ascend are found fast
    for (const std::uint32_t line : order)
        found[line] = places.of(origins[line]);
    return found;
}

/// Makes the places of what was read from the text of a translator those of the HLO text.
class HloPlaces {
public:
    explicit HloPlaces(std::vector<mlir::Places::Place> byLine)
        : m_byLine(std::move(byLine))
    {
    }
    void move(Where& where) const
    {
        if (where.line <= 0)
            return;
        const mlir::Places::Place moved = of(static_cast<std::size_t>(where.line));
        where.line = static_cast<int>(moved.line);
        where.column = static_cast<int>(moved.column);
    }
    void move(std::vector<Diagnostic>& list, std::size_t first = 0) const
    {
        for (std::size_t i = first; i < list.size(); ++i)
            move(list[i].where);
    }
    void move(Program& program) const
    {
        for (SourcePlace& source : program.sources)
            if (source.line != 0) {
                const mlir::Places::Place place = of(source.line);
                source.line = place.line;
                source.column = place.column;
            }
    }

private:
    [[nodiscard]] mlir::Places::Place of(std::size_t line) const
    {
        return line <= m_byLine.size() ? m_byLine[line - 1] : mlir::Places::Place();
    }

    std::vector<mlir::Places::Place> m_byLine;
};

/// Names, as offsets of a translator's text, become those of the HLO text.
void moveNames(std::vector<std::uint32_t>& names, const Translation& translation)
{
    std::vector<std::pair<std::uint32_t, std::uint32_t*>> moved;
    for (std::uint32_t& offset : names)
        if (offset != ReadProgram::noName)
            moved.emplace_back(offset, &offset);
    std::sort(moved.begin(), moved.end());
    mlir::Places places(translation.text);
    for (const auto& [offset, name] : moved) {
        const std::size_t line = places.of(offset).line;
        const auto named = translation.names.find(static_cast<std::uint32_t>(line) - 1);
        *name = named != translation.names.end() ? named->second
            : line > translation.origins.size()  ? 0
                                                 : translation.origins[line - 1];
    }
}

Result<ReadProgram> read(Translation& translation, const HloPlaces& places, ReadOptions options)
{
    const std::size_t before = options.findings ? options.findings->size() : 0;
    Result<ReadProgram> read = readStableHlo(translation.text, options);
    if (options.findings)
        places.move(*options.findings, before);
    if (!read) {
        places.move(read.error().where);
        return read;
    }
    places.move(read->warnings);
    places.move(read->program);
    read->partitionedOver = std::move(translation.partitionedOver);
    if (read->partitionedOver)
        for (Diagnostic& warning : read->warnings)
            if (warning.code == Code::OpaqueOperation || warning.code == Code::UnknownCustomCall)
                warning.args.emplace_back("compiled", 1); // nothing is to be propagated through it
    read->partsOf = std::move(translation.partsOf);
    return read;
}

} // namespace

Result<ReadProgram> readProgram(std::string_view text, ReadOptions options)
{
    if (!isHloText(text))
        return readStableHlo(text, options);
    SHARDSCOPE_TRY(translation, translate(text, options));
    Result<ReadProgram> made = read(*translation, HloPlaces(placesOf(text, translation->origins)), options);
    if (made)
        moveNames(made->names, *translation);
    return made;
}

Result<ReadProgram> takeProgram(std::string& text, ReadOptions options)
{
    const auto letGo = [&] { std::string().swap(text); };
    if (!isHloText(text)) {
        Result<ReadProgram> made = readStableHlo(text, options);
        letGo();
        if (made)
            made->names = {};
        return made;
    }
    SHARDSCOPE_TRY(translation, translate(text, options));
    const HloPlaces places(placesOf(text, translation->origins));
    letGo();
    translation->origins = {};
    Result<ReadProgram> made = read(*translation, places, options);
    if (made)
        made->names = {};
    return made;
}

} // namespace shardscope
