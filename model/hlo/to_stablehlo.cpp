// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/to_stablehlo.h"

#include <algorithm>

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
    std::vector<MeshAxis> partitionedOver; ///< of a compiled one
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

Result<Translation> translate(std::string_view hloText)
{
    SHARDSCOPE_TRY(module, readHlo(hloText));
    SHARDSCOPE_TRY(found, collectivesOf(*module));
    const bool compiled = isCompiled(*module);
    hlo::Translator translator(*module, *found, compiled);
    SHARDSCOPE_CHECK(translator.translate());
    Translation made{ translator.takeText(), translator.takeOrigins(), {}, {} };
    if (compiled) {
        made.partitionedOver = explainingMesh(*module, *found);
        Result<Mesh> mesh = Mesh::create(made.partitionedOver);
        if (!mesh) { // more axes than a mesh has
            mesh.error().where = placeOfAxes(*module, std::move(*found), maximumMeshAxes);
            return tl::unexpected(std::move(mesh.error()));
        }
        made.partsOf = argumentShardings(*module, *mesh);
    }
    return made;
}

/// Places and names of a program that was read from the text of a translator, as those of the HLO text.
class HloPlaces {
public:
    HloPlaces(std::string_view text, const Translation& translation)
        : m_text(text)
        , m_translation(translation)
    {
    }
    [[nodiscard]] std::uint32_t originOf(std::size_t line) const
    {
        const std::vector<std::uint32_t>& origins = m_translation.origins;
        return line == 0 || line > origins.size() ? 0 : origins[line - 1];
    }
    void move(Where& where) const
    {
        if (where.line <= 0)
            return;
        const Where moved = mlir::placeOf(m_text, originOf(static_cast<std::size_t>(where.line)));
        where.line = moved.line;
        where.column = moved.column;
    }
    void move(std::vector<Diagnostic>& list) const
    {
        for (Diagnostic& diagnostic : list)
            move(diagnostic.where);
    }
    void move(Program& program) const
    {
        mlir::Places places(m_text);
        std::vector<std::pair<std::uint32_t, SourcePlace*>> moved;
        for (SourcePlace& source : program.sources)
            if (source.line != 0)
                moved.emplace_back(originOf(source.line), &source);
        std::sort(moved.begin(), moved.end()); // places that ascend are found fast
        for (const auto& [origin, source] : moved) {
            const mlir::Places::Place place = places.of(origin);
            source->line = place.line;
            source->column = place.column;
        }
    }
    void move(std::vector<std::uint32_t>& names) const
    {
        std::vector<std::pair<std::uint32_t, std::uint32_t*>> moved;
        for (std::uint32_t& offset : names)
            if (offset != ReadProgram::noName)
                moved.emplace_back(offset, &offset);
        std::sort(moved.begin(), moved.end());
        mlir::Places places(m_translation.text);
        for (const auto& [offset, name] : moved)
            *name = originOf(places.of(offset).line);
    }

private:
    std::string_view m_text;
    const Translation& m_translation;
};

} // namespace

bool isCompiled(const HloModule& module)
{
    if (module.moduleAttribute("is_scheduled"))
        return true;
    const auto isPartitioned = [&](const HloComputation& computation) {
        return module.view(computation.name).ends_with("_spmd");
    };
    return std::any_of(module.computations.begin(), module.computations.end(), isPartitioned);
}

Result<ReadProgram> readProgram(std::string_view text, ReadOptions options)
{
    if (!isHloText(text))
        return readStableHlo(text, options);
    SHARDSCOPE_TRY(translation, translate(text));
    const HloPlaces places(text, *translation);
    const std::size_t before = options.findings ? options.findings->size() : 0;
    Result<ReadProgram> read = readStableHlo(translation->text, options);
    if (options.findings)
        for (std::size_t i = before; i < options.findings->size(); ++i)
            places.move((*options.findings)[i].where);
    if (!read) {
        places.move(read.error().where);
        return read;
    }
    places.move(read->warnings);
    places.move(read->program);
    places.move(read->names);
    read->partitionedOver = std::move(translation->partitionedOver);
    read->partsOf = std::move(translation->partsOf);
    return read;
}

} // namespace shardscope
