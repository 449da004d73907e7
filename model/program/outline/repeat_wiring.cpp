// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/repeat_wiring.h"

#include <algorithm>
#include <cstdlib>

#include "program/name_values.h"

namespace shardscope {

namespace {

/// "params/layers.3/W1" and "params/layers.12/W1" are called alike.
bool isCalledAlike(std::string_view a, std::string_view b)
{
    const auto isDigit = [](char letter) { return letter >= '0' && letter <= '9'; };
    std::size_t i = 0, k = 0;
    for (;; ++i, ++k) {
        while (i < a.size() && isDigit(a[i]))
            ++i;
        while (k < b.size() && isDigit(b[k]))
            ++k;
        if (i == a.size() || k == b.size())
            return i == a.size() && k == b.size();
        if (a[i] != b[k])
            return false;
    }
}

/// What names a value among others of its kind: of an argument that goes by its location what the text calls it, since
/// copies may read arguments of any name.
std::string_view nameAmongCopies(const Program& program, ValueId id)
{
    return program.namedByText && !isNamedByText(program, id) ? nameInText(program, id)
                                                              : std::string_view(program.value(id).path);
}

/// Two values that could be what two copies have of their own. What a text calls the results of operations says
/// nothing: "%12", "%cst_3", "%copy1_of_cst_3".
bool areOfAKind(const Program& program, ValueId first, ValueId second)
{
    const Value &a = program.value(first), &b = program.value(second);
    const bool byName = !program.namedByText || !a.definition.valid();
    return a.definition.valid() == b.definition.valid() && a.role == b.role
        && (!byName || isCalledAlike(nameAmongCopies(program, first), nameAmongCopies(program, second)));
}

} // namespace

RepeatWiring::RepeatWiring(const Program& program)
    : m_program(program)
    , m_places(program.values.size())
    , m_own(program.values.size())
    , m_readBy(program.values.size(), -1)
{
}

/// All values that the operations make, bodies included, and all that they read, in an order that is the same for
/// copies.
void RepeatWiring::collect(Stretch operations, std::vector<ValueId>& made, std::vector<ValueId>* read) const
{
    for (const OperationId id : operations) {
        const Operation& operation = m_program.operation(id);
        if (read)
            read->insert(read->end(), operation.operands.begin(), operation.operands.end());
        for (const RegionId region : operation.regions) {
            const Region& body = m_program.regions[region.index];
            made.insert(made.end(), body.arguments.begin(), body.arguments.end());
            collect(body.operations, made, read);
            if (read)
                read->insert(read->end(), body.results.begin(), body.results.end());
        }
        made.insert(made.end(), operation.results.begin(), operation.results.end());
    }
}

int RepeatWiring::alike(std::span<const Stretch> copies)
{
    ++m_stamp;
    m_reads.resize(copies.size());
    std::vector<ValueId> made;
    for (std::size_t copy = 0; copy < copies.size(); ++copy) {
        made.clear();
        m_reads[copy].clear();
        collect(copies[copy], made, &m_reads[copy]);
        for (std::size_t i = 0; i < made.size(); ++i)
            m_own[made[i].index] = { m_stamp, static_cast<int>(copy), static_cast<int>(i) };
        // What it makes itself is compared elsewhere.
        std::erase_if(m_reads[copy], [&](ValueId value) {
            const Place& own = m_own[value.index];
            return own.run == m_stamp && own.copy == static_cast<int>(copy);
        });
    }
    m_mirrors.clear();
    int count = static_cast<int>(copies.size());
    for (std::size_t slot = 0; count > 1 && slot < m_reads.front().size(); ++slot)
        count = alikeAt(slot, count);
    m_mirror = {};
    int most = 0;
    for (const auto& [mirror, times] : m_mirrors) {
        const int size = m_sizes[static_cast<std::size_t>(mirror.run)];
        if (times > most && mirror.from < size && mirror.from - count + 1 >= 0) {
            most = times;
            m_mirror = mirror;
        }
    }
    return count;
}

bool RepeatWiring::isAtEnd(const Place& place) const
{
    return place.copy == 0 || place.copy == m_sizes[static_cast<std::size_t>(place.run)] - 1;
}

int RepeatWiring::alikeAt(std::size_t slot, int copies)
{
    enum class Mode { Unknown, Same, Own, Shift, Partner, Left };
    Mode mode = Mode::Unknown;
    int shift = 0, step = 0;
    const int number = ++m_slots;
    const auto read = [&](int copy) { return m_reads[static_cast<std::size_t>(copy)][slot]; };
    const auto placeOf = [&](ValueId value, bool& own) {
        const Place& inCopies = m_own[value.index];
        own = inCopies.run == m_stamp;
        return own ? inCopies : m_places[value.index];
    };
    const auto set = [&](Mode found) {
        const bool fits = mode == Mode::Unknown || mode == found
            || (mode == Mode::Left && (found == Mode::Same || found == Mode::Own));
        if (mode != Mode::Left)
            mode = found;
        return fits;
    };
    m_readBy[read(0).index] = number;
    for (int copy = 1; copy < copies; ++copy) {
        const ValueId a = read(copy - 1), b = read(copy);
        bool ownA = false, ownB = false;
        const Place from = placeOf(a, ownA), to = placeOf(b, ownB);
        bool fits = false;
        if (a == b) {
            fits = set(Mode::Same);
        } else if (m_readBy[b.index] == number) {
            fits = false; // an earlier copy's own
        } else if (ownA && ownB) {
            const int back = copy - to.copy;
            fits = copy - 1 - from.copy == back && from.offset == to.offset
                && (mode == Mode::Unknown || (mode == Mode::Shift && shift == back));
            mode = Mode::Shift;
            shift = back;
        } else if (ownB) { // the first copy comes into reach
            fits = to.copy == 0 && (mode == Mode::Unknown || mode == Mode::Own || mode == Mode::Same);
            mode = Mode::Shift;
            shift = copy;
        } else if (ownA) {
            fits = false;
        } else if (from.run >= 0 && from.run == to.run && from.copy == to.copy) {
            fits = set(Mode::Own) && areOfAKind(m_program, a, b);
        } else if (from.run >= 0 && from.run == to.run) {
            const int by = to.copy - from.copy;
            fits = std::abs(by) == 1 && from.offset == to.offset
                && (mode == Mode::Unknown || (mode == Mode::Partner && step == by));
            if (fits && mode == Mode::Unknown && by == -1) {
                const Mirror mirror{ to.run, to.copy + copy };
                const auto known = std::find_if(m_mirrors.begin(), m_mirrors.end(),
                    [&](const auto& each) { return each.first.run == mirror.run && each.first.from == mirror.from; });
                if (known == m_mirrors.end())
                    m_mirrors.emplace_back(mirror, 1);
                else
                    ++known->second;
            }
            mode = Mode::Partner;
            step = by;
        } else if (from.run >= 0 && (mode == Mode::Unknown || mode == Mode::Partner) && isAtEnd(from)) {
            fits = true; // after the last one
            mode = to.run >= 0 && isAtEnd(to) ? Mode::Unknown : Mode::Left;
        } else if (to.run >= 0 && from.run < 0) {
            fits = isAtEnd(to) && copy == 1; // before the first one
            mode = Mode::Unknown;
        } else if (from.run < 0 && to.run < 0) {
            fits = set(Mode::Own) && areOfAKind(m_program, a, b);
        }
        if (!fits)
            return copy;
        m_readBy[b.index] = number;
    }
    return copies;
}

int RepeatWiring::add(std::span<const Stretch> copies)
{
    const int run = static_cast<int>(m_sizes.size());
    m_sizes.push_back(static_cast<int>(copies.size()));
    std::vector<ValueId> made;
    for (std::size_t copy = 0; copy < copies.size(); ++copy) {
        made.clear();
        collect(copies[copy], made, nullptr);
        for (std::size_t i = 0; i < made.size(); ++i)
            if (Place& place = m_places[made[i].index]; place.run < 0) // outer ones come first
                place = { run, static_cast<int>(copy), static_cast<int>(i) };
    }
    return run;
}

} // namespace shardscope
