// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/repeated_blocks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace shardscope {

namespace {

constexpr int shortestBlock = 4; ///< operations
constexpr int fewestCopies = 3, fewestLike = 2;
constexpr int window = 4; ///< operations that must agree before a period is tried
constexpr int maxPeriods = 24; ///< tried from one unit on

template <class T>
auto& at(T& list, int index)
{
    return list[static_cast<std::size_t>(index)];
}

} // namespace

RepeatFinder::RepeatFinder(const Program& program)
    : m_program(program)
    , m_comparison(program)
    , m_wiring(program)
{
}

/// How many blocks are the same as `model` and wired alike, from the first one on. Looks at few of them first: most
/// that cannot be are told apart soon.
int RepeatFinder::copiesAlike(const std::vector<Stretch>& blocks, Stretch model, int fewest)
{
    const int count = static_cast<int>(blocks.size());
    const auto isSame = [&](Stretch block) { // itself, of course
        return block.data() == model.data() || m_comparison.same(model, block);
    };
    int same = 0;
    for (int wanted = std::min(fewest, count);; wanted = std::min(2 * wanted, count)) {
        while (same < wanted && isSame(blocks[static_cast<std::size_t>(same)]))
            ++same;
        if (same < fewest)
            return 0;
        const int alike = m_wiring.alike(std::span(blocks).first(static_cast<std::size_t>(same)));
        if (alike < same || same < wanted || same == count)
            return alike < fewest ? 0 : alike;
    }
}

struct RepeatFinder::Search {
    RepeatFinder& finder;
    const Stretch operations;
    const std::vector<RepeatUnit>& units;
    const int count;
    std::vector<std::uint64_t> labels; ///< by unit
    std::vector<std::uint64_t> grams; ///< by unit: of itself and the ones after it; 0 for none
    std::vector<int> next; ///< where the same gram comes next
    std::vector<int> alikeUpTo; ///< by period: where units have their like one period further on
    std::vector<RepeatedBlocks> found = {};
    std::unordered_map<std::uint64_t, std::vector<int>> foundWith = {}; ///< by gram of the first block

    Search(RepeatFinder& of, Stretch in, const std::vector<RepeatUnit>& parts)
        : finder(of)
        , operations(in)
        , units(parts)
        , count(static_cast<int>(parts.size()))
        , labels(parts.size())
        , grams(parts.size())
        , next(parts.size(), -1)
        , alikeUpTo(parts.size(), 0)
    {
        for (int i = 0; i < count; ++i)
            at(labels, i) = stretchLabel(finder.m_program, block(i, 1));
        std::unordered_map<std::uint64_t, int> last;
        for (int i = count - 1; i >= 0; --i) {
            std::uint64_t gram = 1;
            int operationsIn = 0;
            for (int k = i; k < count && operationsIn < window; ++k) {
                gram = (gram ^ at(labels, k)) * 0x9e3779b97f4a7c15ULL + (gram >> 9);
                operationsIn = at(units, k).scope ? window : operationsIn + 1;
            }
            if (operationsIn < window)
                continue;
            at(grams, i) = gram;
            const auto [place, fresh] = last.try_emplace(gram, i);
            if (!fresh)
                at(next, i) = std::exchange(place->second, i);
        }
    }

    [[nodiscard]] Stretch block(int first, int length) const
    {
        const RepeatUnit &begin = at(units, first), &last = at(units, first + length - 1);
        return operations.subspan(begin.first, last.first + last.count - begin.first);
    }
    [[nodiscard]] std::vector<Stretch> blocks(int first, int length, int copies) const
    {
        std::vector<Stretch> all;
        for (int copy = 0; copy < copies; ++copy)
            all.push_back(block(first + copy * length, length));
        return all;
    }
    [[nodiscard]] bool isLongEnough(int first, int length) const
    {
        return block(first, length).size() >= shortestBlock
            || std::any_of(units.begin() + first, units.begin() + first + length,
                [](const RepeatUnit& unit) { return unit.scope != nullptr; });
    }

    void accept(RepeatedBlocks blocksFound)
    {
        const std::vector<Stretch> all = blocks(blocksFound.first, blocksFound.length, blocksFound.copies);
        blocksFound.copies = finder.m_wiring.alike(all); // once more, for what they mirror
        blocksFound.mirror = finder.m_wiring.mirror();
        blocksFound.run = finder.m_wiring.add(all);
        if (blocksFound.like < 0)
            foundWith[at(grams, blocksFound.first)].push_back(static_cast<int>(found.size()));
        found.push_back(blocksFound);
    }

    /// The repetition that begins here and covers most.
    [[nodiscard]] RepeatedBlocks repetition(int i)
    {
        RepeatedBlocks best;
        int other = at(next, i);
        for (int tried = 0; other >= 0 && tried < maxPeriods; ++tried, other = at(next, other)) {
            const int length = other - i;
            if (i + length * fewestCopies > count)
                break;
            if (!isLongEnough(i, length))
                continue;
            int& upTo = at(alikeUpTo, length);
            for (upTo = std::max(upTo, i); upTo + length < count && at(labels, upTo) == at(labels, upTo + length);)
                ++upTo;
            const int mayBe = (upTo - i) / length + 1;
            if (mayBe < fewestCopies || mayBe * length <= best.length * best.copies)
                continue;
            const Stretch model = block(i, length);
            if (finder.copiesAlike(blocks(i, length, fewestCopies), model, fewestCopies) == 0)
                continue; // most are told apart here
            const int copies = finder.copiesAlike(blocks(i, length, mayBe), model, fewestCopies);
            if (copies * length > best.length * best.copies)
                best = { i, length, copies };
        }
        return best;
    }

    /// What was found before begins here again.
    [[nodiscard]] RepeatedBlocks again(int i)
    {
        const auto known = foundWith.find(at(grams, i));
        if (at(grams, i) == 0 || known == foundWith.end())
            return {};
        for (const int index : known->second) {
            const RepeatedBlocks before = at(found, index);
            int mayBe = 0;
            while (i + (mayBe + 1) * before.length <= count
                && isLike(before.first, i + mayBe * before.length, before.length))
                ++mayBe;
            if (mayBe < fewestLike)
                continue;
            const int copies =
                finder.copiesAlike(blocks(i, before.length, mayBe), block(before.first, before.length), fewestLike);
            if (copies > 0)
                return { i, before.length, copies, index };
        }
        return {};
    }
    [[nodiscard]] bool isLike(int a, int b, int length) const
    {
        return std::equal(labels.begin() + a, labels.begin() + a + length, labels.begin() + b);
    }

    void run()
    {
        for (int i = 0; i < count;) {
            RepeatedBlocks best = again(i);
            if (best.copies == 0)
                best = repetition(i);
            if (best.copies > 0)
                accept(best);
            i += std::max(1, best.length * best.copies);
        }
    }
};

std::vector<RepeatedBlocks> RepeatFinder::find(Stretch operations, const std::vector<RepeatUnit>& units)
{
    if (units.size() < fewestCopies)
        return {};
    Search search(*this, operations, units);
    search.run();
    return std::move(search.found);
}

} // namespace shardscope
