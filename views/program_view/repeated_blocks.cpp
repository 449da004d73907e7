// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/repeated_blocks.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace shardscope {

namespace {

constexpr int shortestBlock = 4;
constexpr int fewestCopies = 3;
constexpr int window = 4; ///< operations that must agree before a period is tried
constexpr int mostPeriods = 24; ///< tried from one operation on

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value)
{
    return (seed ^ value) * 0x9e3779b97f4a7c15ULL + (seed >> 7);
}

/// The same for operations that could be partners.
std::uint64_t label(const Program& program, const Operation& operation)
{
    std::uint64_t seed = mixed(static_cast<std::uint64_t>(operation.kind), operation.operands.size());
    seed = mixed(seed, operation.attributes.index());
    for (const ValueId result : operation.results) {
        const TensorType& type = program.value(result).type;
        seed = mixed(seed, static_cast<std::uint64_t>(type.dtype));
        for (const std::int64_t size : type.shape)
            seed = mixed(seed, static_cast<std::uint64_t>(size));
    }
    return seed;
}

} // namespace

BlockComparison::BlockComparison(const Program& program)
    : m_program(program)
    , m_partnerOfA(program.values.size())
    , m_partnerOfB(program.values.size())
{
}

bool BlockComparison::same(std::span<const OperationId> a, std::span<const OperationId> b)
{
    const bool equal = sameLists(a, b);
    for (const ValueId value : m_touchedA)
        m_partnerOfA[value.index] = {};
    for (const ValueId value : m_touchedB)
        m_partnerOfB[value.index] = {};
    m_touchedA.clear();
    m_touchedB.clear();
    return equal;
}

bool BlockComparison::sameLists(std::span<const OperationId> a, std::span<const OperationId> b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!sameOperation(m_program.operation(a[i]), m_program.operation(b[i])))
            return false;
    return true;
}

bool BlockComparison::sameOperation(const Operation& a, const Operation& b)
{
    if (a.kind != b.kind || a.operands.size() != b.operands.size() || a.results.size() != b.results.size()
        || a.regions.size() != b.regions.size() || !(a.attributes == b.attributes))
        return false;
    for (std::size_t i = 0; i < a.operands.size(); ++i)
        if (!pair(a.operands[i], b.operands[i]))
            return false;
    for (std::size_t i = 0; i < a.regions.size(); ++i) {
        const Region& inA = m_program.regions[a.regions[i].index];
        const Region& inB = m_program.regions[b.regions[i].index];
        if (inA.arguments.size() != inB.arguments.size() || inA.results.size() != inB.results.size())
            return false;
        for (std::size_t k = 0; k < inA.arguments.size(); ++k)
            if (!pair(inA.arguments[k], inB.arguments[k]))
                return false;
        if (!sameLists(inA.operations, inB.operations))
            return false;
        for (std::size_t k = 0; k < inA.results.size(); ++k)
            if (!pair(inA.results[k], inB.results[k]))
                return false;
    }
    for (std::size_t i = 0; i < a.results.size(); ++i)
        if (!pair(a.results[i], b.results[i]))
            return false;
    return true;
}

bool BlockComparison::pair(ValueId a, ValueId b)
{
    ValueId& partnerOfA = m_partnerOfA[a.index];
    ValueId& partnerOfB = m_partnerOfB[b.index];
    if (partnerOfA.valid() || partnerOfB.valid())
        return partnerOfA == b && partnerOfB == a;
    if (!(m_program.value(a).type == m_program.value(b).type))
        return false;
    partnerOfA = b;
    partnerOfB = a;
    m_touchedA.push_back(a);
    m_touchedB.push_back(b);
    return true;
}

std::vector<RepeatedBlocks> repeatedBlocks(
    const Program& program, std::span<const OperationId> operations, BlockComparison& comparison)
{
    std::vector<RepeatedBlocks> found;
    const int count = static_cast<int>(operations.size());
    if (count < shortestBlock * fewestCopies)
        return found;
    std::vector<std::uint64_t> labels(operations.size());
    for (std::size_t i = 0; i < operations.size(); ++i)
        labels[i] = label(program, program.operation(operations[i]));
    const auto at = [&labels](int i) { return labels[static_cast<std::size_t>(i)]; };

    // Where the same few operations come next: the periods that are worth a look.
    std::vector<int> next(operations.size(), -1);
    std::unordered_map<std::uint64_t, int> last;
    for (int i = count - window; i >= 0; --i) {
        std::uint64_t gram = 0;
        for (int k = 0; k < window; ++k)
            gram = mixed(gram, at(i + k));
        const auto [place, fresh] = last.try_emplace(gram, i);
        if (!fresh)
            next[static_cast<std::size_t>(i)] = std::exchange(place->second, i);
    }

    const auto block = [&](int first, int length) {
        return operations.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(length));
    };
    // For each period tried: up to where operations have their like one period further on.
    std::unordered_map<int, int> alikeUpTo;
    for (int i = 0; i + shortestBlock * fewestCopies <= count;) {
        RepeatedBlocks best;
        int other = next[static_cast<std::size_t>(i)];
        for (int tried = 0; other >= 0 && tried < mostPeriods; ++tried, other = next[static_cast<std::size_t>(other)]) {
            const int length = other - i;
            if (length < shortestBlock)
                continue;
            if (i + length * fewestCopies > count)
                break;
            int& upTo = alikeUpTo[length];
            for (upTo = std::max(upTo, i); upTo + length < count && at(upTo) == at(upTo + length);)
                ++upTo;
            const int mayBe = (upTo - i) / length + 1;
            if (mayBe < fewestCopies || mayBe * length <= best.length * best.copies)
                continue;
            int copies = 1;
            while (copies < mayBe && comparison.same(block(i, length), block(i + copies * length, length)))
                ++copies;
            if (copies >= fewestCopies && copies * length > best.length * best.copies)
                best = { i, length, copies };
        }
        if (best.copies > 0) {
            found.push_back(best);
            i += best.length * best.copies;
        } else {
            ++i;
        }
    }
    return found;
}

} // namespace shardscope
