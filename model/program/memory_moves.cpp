// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/memory_moves.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "program/editor.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

std::string quotedKind(MemoryKind kind)
{
    return '"' + std::string(toString(kind)) + '"';
}

std::optional<MemoryKind> kindAt(const std::vector<std::optional<MemoryKind>>& kinds, std::size_t index)
{
    return index < kinds.size() ? kinds[index] : std::nullopt;
}

class MoveWriter {
public:
    MoveWriter(Program program, MemoryKind own)
        : m_edit(std::move(program))
        , m_own(own)
    {
        const std::vector<OperationId>& operations = m_edit.region(mainBody).operations;
        m_places.resize(m_edit.program().operations.size(), nowhere);
        for (std::size_t i = 0; i < operations.size(); ++i)
            m_places[operations[i].index] = i;
    }

    void takeArgument(std::size_t index, MemoryKind kind, const MainMemory& memory)
    {
        const ValueId argument = m_edit.region(mainBody).arguments[index];
        state(m_edit.raw().functions.front().argumentExtras, m_edit.region(mainBody).arguments.size(), index, kind);
        const auto isReturned = [](const Use& use) { return !use.operation.valid() && use.region == mainBody; };
        const auto stays = [&](const Use& use) { return isReturned(use) && kindAt(memory.results, use.slot) == kind; };
        std::size_t first = nowhere;
        bool returned = false;
        for (const Use& use : m_edit.uses(argument)) {
            if (isReturned(use))
                returned = returned || !stays(use);
            else
                first = std::min(first, placeOf(use.operation.valid() ? use.operation : m_edit.ownerOf(use.region)));
        }
        if (first == nowhere && !returned)
            return;
        const OperationId move = moveOf(argument, m_own);
        if (first == nowhere)
            m_edit.placeLast(mainBody, move);
        else
            m_edit.placeBefore(m_edit.region(mainBody).operations[first], move);
        m_edit.replaceUsesIf(
            argument, m_edit.result(move), [&](const Use& use) { return use.operation != move && !stays(use); });
    }

    void giveResult(std::size_t index, MemoryKind kind, const MainMemory& memory)
    {
        const Region& body = m_edit.region(mainBody);
        const ValueId value = body.results[index];
        state(m_edit.raw().functions.front().resultExtras, body.results.size(), index, kind);
        const auto argument = std::find(body.arguments.begin(), body.arguments.end(), value);
        if (argument != body.arguments.end()
            && kindAt(memory.arguments, static_cast<std::size_t>(argument - body.arguments.begin())) == kind)
            return;
        const OperationId move = moveOf(value, kind);
        m_edit.placeLast(mainBody, move);
        m_edit.setReturned(mainBody, index, m_edit.result(move));
    }

    Program finish() && { return std::move(m_edit).finish(); }

private:
    static constexpr RegionId mainBody{ std::size_t{ 0 } };
    static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

    /// Of the operation of main that is it or holds it.
    [[nodiscard]] std::size_t placeOf(OperationId id) const
    {
        while (id.valid() && m_edit.regionOf(id) != mainBody)
            id = m_edit.regionOf(id).valid() ? m_edit.ownerOf(m_edit.regionOf(id)) : OperationId();
        return id.valid() && id.index < m_places.size() ? m_places[id.index] : nowhere;
    }

    /// One more entry in the attributes of an argument or a result.
    void state(std::vector<std::uint32_t>& extras, std::size_t count, std::size_t index, MemoryKind kind)
    {
        extras.resize(count, 0);
        Dictionary dictionary = m_edit.program().dictionaries[extras[index]];
        dictionary.push_back({ "mhlo.memory_kind", quotedKind(kind) });
        extras[index] = addDictionary(std::move(dictionary));
    }

    std::uint32_t addDictionary(Dictionary dictionary)
    {
        std::vector<Dictionary>& all = m_edit.raw().dictionaries;
        all.push_back(std::move(dictionary));
        return static_cast<std::uint32_t>(all.size() - 1);
    }

    OperationId moveOf(ValueId value, MemoryKind to)
    {
        const OperationId move = m_edit.addLike(OpKind::CustomCall, { value },
            otherAttributes(CustomCallAttributes{ "annotate_device_placement", true, "", 0, {} }));
        const std::uint32_t extra =
            addDictionary({ { "mhlo.frontend_attributes", "{_xla_buffer_placement = " + quotedKind(to) + '}' } });
        Program& program = m_edit.raw();
        program.operations[move.index].extra = extra;
        if (const std::string& path = program.value(value).path; !path.empty())
            program.values[m_edit.result(move).index].path = std::string(toString(to)) + '(' + path + ')';
        return move;
    }

    Editor m_edit;
    MemoryKind m_own;
    std::vector<std::size_t> m_places; ///< per operation: where it stands in main
};

} // namespace

Program withMemoryMoves(Program program, const MainMemory& memory, MemoryKind own)
{
    if (program.functions.empty()) {
        Function function;
        function.name = "main";
        function.body = RegionId(std::size_t{ 0 });
        program.functions.push_back(std::move(function));
    }
    const std::size_t arguments = program.main().arguments.size(), results = program.main().results.size();
    MoveWriter writer(std::move(program), own);
    for (std::size_t i = 0; i < arguments; ++i)
        if (const auto kind = kindAt(memory.arguments, i))
            writer.takeArgument(i, *kind, memory);
    for (std::size_t r = 0; r < results; ++r)
        if (const auto kind = kindAt(memory.results, r))
            writer.giveResult(r, *kind, memory);
    return std::move(writer).finish();
}

} // namespace shardscope
