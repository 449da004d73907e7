// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/step_state.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/codes.h"
#include "base/text.h"
#include "program/aliased_results.h"
#include "program/contraction_parts.h"
#include "program/element_updates.h"
#include "program/main_interface.h"
#include "program/pairs_by_names.h"

namespace shardscope {

namespace {

std::vector<StatePair> aliases(const MainInterface& main)
{
    std::vector<StatePair> pairs;
    for (const AliasedResult& alias : aliasedResults(main))
        if (alias.fault == AliasFault::None)
            pairs.push_back(main.pair(alias.argument, *alias.result));
    return pairs;
}

/// Adds what donated arguments say to the pairs that are known.
void addDonors(const MainInterface& main, std::vector<StatePair>& pairs)
{
    std::vector<bool> taken(main.results()), isPaired(main.arguments());
    for (const StatePair& pair : pairs) {
        taken[pair.result] = true;
        isPaired[main.numberOf(pair.argument)] = true; // an alias says more than that it is donated
    }
    for (std::size_t a = 0; a < main.arguments(); ++a) {
        const NamedText* donor = main.attribute(a, "jax.buffer_donor");
        if (!donor || donor->text == "false" || isPaired[a])
            continue;
        for (std::size_t r = 0; r < main.results(); ++r)
            if (!taken[r] && main.fit(a, r)) {
                taken[r] = true;
                pairs.push_back(main.pair(a, r));
                break;
            }
    }
}

/// As donated arguments say: by names where the names of arguments and results pair them, the rest as JAX hands on
/// their memory, which goes to the first result of a type whatever that is.
StepState donatedState(const MainInterface& main, ElementUpdates& updates)
{
    StepState state{ StateSource::Aliases, aliases(main) };
    const std::size_t aliased = state.pairs.size();
    addDonors(main, state.pairs);
    if (state.pairs.size() > aliased)
        state.source = StateSource::Donors;
    if (state.pairs.empty())
        return state;
    std::vector<StatePair> pairs = pairsByNames(main, updates, NamedPairs::Donated);
    if (pairs.empty())
        return state;
    std::vector<bool> isPaired(main.arguments()), isTaken(main.results());
    const auto note = [&](const StatePair& pair) {
        isPaired[main.numberOf(pair.argument)] = true;
        isTaken[pair.result] = true;
    };
    std::for_each(pairs.begin(), pairs.end(), note);
    const std::size_t named = pairs.size();
    const auto pairUp = [&](ValueId argument, std::uint32_t result) {
        if (!isPaired[main.numberOf(argument)] && !isTaken[result])
            note(pairs.emplace_back(StatePair{ argument, result }));
    };
    for (const StatePair& pair : state.pairs)
        pairUp(pair.argument, pair.result);
    for (const StatePair& pair : state.pairs) // those whose result the names have given away
        for (std::size_t o = 0; o < state.pairs.size() && !isPaired[main.numberOf(pair.argument)]; ++o)
            if (main.typesFit(pair.argument, state.pairs[o].result))
                pairUp(pair.argument, state.pairs[o].result);
    std::vector<std::int64_t> donated(main.arguments(), -1); // the result of every argument, without names
    for (const StatePair& pair : state.pairs)
        donated[main.numberOf(pair.argument)] = pair.result;
    const bool isAsDonated = std::all_of(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(named),
        [&](const StatePair& pair) { return donated[main.numberOf(pair.argument)] == pair.result; });
    return { isAsDonated ? state.source : StateSource::DonatedNames, std::move(pairs) };
}

/// Whether pairs that look like a state are one: some parameter's next value is worked out from itself.
class StepEvidence {
public:
    StepEvidence(const Program& program, ElementUpdates& updates)
        : m_program(program)
        , m_updates(updates)
    {
    }

    /// By names.
    [[nodiscard]] bool hasUpdate(const std::vector<StatePair>& pairs)
    {
        return std::any_of(pairs.begin(), pairs.end(), [&](const StatePair& pair) { return isUpdate(pair); });
    }
    /// By order alone more is needed: a loss, or that what is computed for it depends on the state, as gradients do.
    [[nodiscard]] bool isStep(const std::vector<StatePair>& pairs)
    {
        constexpr int most = 8; // that are looked at closely
        const bool withLoss = hasLoss(m_program, { StateSource::Order, pairs });
        std::vector<ValueId> arguments;
        for (const StatePair& pair : pairs)
            arguments.push_back(pair.argument);
        int followed = 0;
        for (const StatePair& pair : pairs) {
            if (m_program.value(pair.argument).type.rank() == 0 || !isUpdate(pair))
                continue;
            const std::vector<ValueId>& others = m_updates.of(pair.result).others;
            if (withLoss || others.empty() || m_updates.dependOn(others, arguments))
                return true;
            if (++followed == most)
                break;
        }
        return false;
    }

private:
    /// Data that a layer adds something to are no parameter.
    [[nodiscard]] bool isUpdate(const StatePair& pair)
    {
        const Value& argument = m_program.value(pair.argument);
        if (!isFloat(argument.type.dtype) || !m_updates.updates(argument.index, pair.result))
            return false;
        if (m_parts.empty())
            m_parts = contractionParts(m_program);
        return m_parts[argument.index] != ContractionPart::Data;
    }

    const Program& m_program;
    ElementUpdates& m_updates;
    std::vector<ContractionPart> m_parts;
};

/// MainInterface::fit() for all pairs of a long list: types by number.
class FittingPairs {
public:
    explicit FittingPairs(const MainInterface& main)
    {
        for (std::size_t a = 0; a < main.arguments(); ++a)
            m_arguments.push_back({ numberOf(main.argumentType(a)), main.argumentSharding(a) });
        for (std::size_t r = 0; r < main.results(); ++r)
            m_results.push_back({ numberOf(main.resultType(r)), main.resultSharding(r) });
    }
    [[nodiscard]] bool fit(std::size_t a, std::size_t r) const
    {
        const Side &taken = m_arguments[a], &made = m_results[r];
        return taken.type == made.type && isTensor(m_types[taken.type].dtype)
            && (!taken.sharding || !made.sharding || taken.sharding == made.sharding
                || *taken.sharding == *made.sharding);
    }

private:
    struct Side {
        std::size_t type = 0;
        const ProgramSharding* sharding = nullptr;
    };
    std::size_t numberOf(const TensorType& type)
    {
        const auto found = std::find(m_types.begin(), m_types.end(), type);
        if (found != m_types.end())
            return static_cast<std::size_t>(found - m_types.begin());
        m_types.push_back(type);
        return m_types.size() - 1;
    }

    std::vector<TensorType> m_types; ///< each once
    std::vector<Side> m_arguments, m_results;
};

/// Neighbouring arguments whose types and shardings are those of neighbouring results; the longest first, of those as
/// long the one that begins first. Without loss-like scalars at the ends, which do not count from their arguments
/// on; at least one pair has dimensions.
std::vector<std::vector<StatePair>> runsOf(const Program& program, const MainInterface& main)
{
    struct Run {
        std::size_t argument = 0, result = 0, length = 0;
    };
    const FittingPairs pairs(main);
    std::vector<Run> runs;
    // before[r + 1]: how long the run is that ends at the argument before and result r
    std::vector<std::size_t> before(main.results() + 1), now(main.results() + 1);
    const auto finish = [&](std::size_t a, std::size_t r, std::size_t length) {
        runs.push_back({ a - length, r - length, length });
    };
    for (std::size_t a = 0; a <= main.arguments(); ++a) {
        for (std::size_t r = 0; r < main.results(); ++r) {
            now[r + 1] = a < main.arguments() && pairs.fit(a, r) ? before[r] + 1 : 0;
            if (now[r + 1] == 0 && before[r] > 0)
                finish(a, r, before[r]);
        }
        if (before[main.results()] > 0)
            finish(a, main.results(), before[main.results()]);
        before.swap(now);
    }
    const auto looksLikeLoss = [&](std::size_t a, std::size_t r) {
        return main.resultType(r).rank() == 0 && isFloat(main.resultType(r).dtype)
            && !isCounted(program, program.main().arguments[a], program.main().results[r]);
    };
    constexpr std::size_t most = 16; // that are tried
    const auto last = runs.begin() + static_cast<std::ptrdiff_t>(std::min(runs.size(), most));
    std::partial_sort(runs.begin(), last, runs.end(), [](const Run& x, const Run& y) {
        return std::tuple(y.length, x.argument, x.result) < std::tuple(x.length, y.argument, y.result);
    });
    runs.erase(last, runs.end());
    std::vector<std::vector<StatePair>> found;
    for (Run run : runs) {
        while (run.length > 0 && looksLikeLoss(run.argument + run.length - 1, run.result + run.length - 1))
            --run.length;
        for (; run.length > 0 && looksLikeLoss(run.argument, run.result); --run.length) {
            ++run.argument;
            ++run.result;
        }
        std::vector<StatePair> neighbours;
        bool hasDimensions = false;
        for (std::size_t i = 0; i < run.length; ++i) {
            neighbours.push_back(main.pair(run.argument + i, run.result + i));
            hasDimensions = hasDimensions || main.argumentType(run.argument + i).rank() > 0;
        }
        if (hasDimensions)
            found.push_back(std::move(neighbours));
    }
    return found;
}

/// Of arrays of one type the order says less than what results are computed from: (p, mu, nu) may be returned as (p,
/// nu, mu). Two pairs swap their results where one has no update of its argument, and both have after it.
void swapByUpdates(const MainInterface& main, ElementUpdates& updates, std::vector<StatePair>& pairs)
{
    const auto isUpdate = [&](const StatePair& pair, std::uint32_t result) {
        const std::size_t argument = main.numberOf(pair.argument);
        return updates.updates(argument, result) || updates.passes(argument, result);
    };
    const auto fits = [&](const StatePair& pair, std::uint32_t result) {
        return main.fit(main.numberOf(pair.argument), result);
    };
    for (StatePair& pair : pairs) {
        if (isUpdate(pair, pair.result))
            continue;
        const auto other = std::find_if(pairs.begin(), pairs.end(), [&](const StatePair& one) {
            return fits(pair, one.result) && fits(one, pair.result) && isUpdate(pair, one.result)
                && isUpdate(one, pair.result);
        });
        if (other != pairs.end())
            std::swap(pair.result, other->result);
    }
}

} // namespace

std::string_view name(StateSource source)
{
    switch (source) {
    case StateSource::None:
        break;
    case StateSource::Program:
        return "program";
    case StateSource::Aliases:
        return "aliases";
    case StateSource::Donors:
        return "donors";
    case StateSource::DonatedNames:
        return "donated_names";
    case StateSource::Names:
        return "names";
    case StateSource::Order:
        return "order";
    case StateSource::Stated:
        return "stated";
    }
    return "none";
}

StepState stateOf(const Program& program)
{
    if (!program.state.empty())
        return { StateSource::Program, program.state };
    const MainInterface main(program);
    ElementUpdates updates(program);
    StepState state = donatedState(main, updates);
    StepEvidence evidence(program, updates);
    if (state.pairs.empty()) {
        state = { StateSource::Names, pairsByNames(main, updates, NamedPairs::Updates) };
        if (!evidence.hasUpdate(state.pairs))
            state.pairs.clear();
    }
    if (state.pairs.empty())
        for (std::vector<StatePair>& run : runsOf(program, main))
            if (evidence.isStep(run)) {
                state = { StateSource::Order, std::move(run) };
                swapByUpdates(main, updates, state.pairs);
                break;
            }
    if (state.pairs.empty())
        return {};
    std::sort(state.pairs.begin(), state.pairs.end(), [&](const StatePair& a, const StatePair& b) {
        return program.value(a.argument).index < program.value(b.argument).index;
    });
    return state;
}

std::vector<StatePair> returnedGradients(const Program& program, const StepState& state)
{
    const MainInterface main(program);
    ElementUpdates updates(program);
    std::vector<StatePair> found = pairsByNames(main, updates, NamedPairs::Others);
    std::erase_if(found, [&](const StatePair& gradient) {
        return std::any_of(state.pairs.begin(), state.pairs.end(),
            [&](const StatePair& pair) { return pair.result == gradient.result; });
    });
    if (!found.empty() || !state.pairs.empty())
        return found;
    const bool withLoss = hasLoss(program, state);
    std::vector<std::vector<StatePair>> runs = runsOf(program, main);
    runs.resize(std::min<std::size_t>(runs.size(), 1));
    for (std::vector<StatePair>& run : runs)
        if ((withLoss || run.size() > 1) && std::none_of(run.begin(), run.end(), [&](const StatePair& pair) {
                const std::uint32_t argument = program.value(pair.argument).index;
                return updates.updates(argument, pair.result) || updates.passes(argument, pair.result);
            }))
            return std::move(run);
    return {};
}

StepState stateOf(const Program& program, std::string_view text)
{
    if (!text.empty())
        if (Result<StepState> stated = parseState(program, text))
            return std::move(*stated);
    return stateOf(program);
}

namespace {

struct NumberPair {
    std::size_t argument = 0, result = 0;
};

/// The pairs of a text, none for "none".
Result<std::vector<NumberPair>> readPairs(std::string_view text)
{
    std::vector<NumberPair> pairs;
    if (text == "none")
        return pairs;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view entry = text.substr(0, comma);
        const std::size_t equals = entry.find('=');
        const std::string_view right = equals == std::string_view::npos ? std::string_view() : entry.substr(equals + 1);
        const std::optional<std::size_t> argument = wholeNumber<std::size_t>(entry.substr(0, equals)),
                                         result = wholeNumber<std::size_t>(right);
        if (!argument || !result)
            return fail(
                Code::Syntax, { { "expected", "ARGUMENT=RESULT, two numbers from 0, or none" }, { "found", entry } });
        for (const NumberPair& other : pairs)
            if (other.argument == *argument || other.result == *result)
                return fail(Code::DuplicateKey,
                    { { "key",
                        other.argument == *argument ? "argument " + std::to_string(*argument)
                                                    : "result " + std::to_string(*result) } });
        pairs.push_back({ *argument, *result });
        if (comma == std::string_view::npos)
            return pairs;
        text.remove_prefix(comma + 1);
    }
}

} // namespace

Result<void> checkStateText(std::string_view text)
{
    SHARDSCOPE_CHECK(readPairs(text));
    return {};
}

Result<StepState> parseState(const Program& program, std::string_view text)
{
    SHARDSCOPE_TRY(pairs, readPairs(text));
    StepState state{ StateSource::Stated, {} };
    const MainInterface main(program);
    for (const auto& [argument, result] : *pairs) {
        const bool noArgument = argument >= main.arguments();
        if (noArgument || result >= main.results())
            return fail(Code::OutOfRange,
                { { "key", noArgument ? "argument" : "result" },
                    { "value", static_cast<std::int64_t>(noArgument ? argument : result) },
                    { "min", std::int64_t{ 0 } },
                    { "below", static_cast<std::int64_t>(noArgument ? main.arguments() : main.results()) } });
        if (main.argumentType(argument) != main.resultType(result))
            return fail(Code::TypeMismatch,
                { { "op", "result " + std::to_string(result) }, { "wrong", "argument" },
                    { "given", toString(main.resultType(result)) },
                    { "type", toString(main.argumentType(argument)) } });
        state.pairs.push_back(main.pair(argument, result));
    }
    return state;
}

std::optional<std::size_t> StepState::resultOf(ValueId argument) const
{
    const auto found =
        std::find_if(pairs.begin(), pairs.end(), [&](const StatePair& pair) { return pair.argument == argument; });
    return found == pairs.end() ? std::nullopt : std::optional<std::size_t>(found->result);
}

StepState withPair(const Program& program, StepState state, std::size_t argument, std::optional<std::size_t> result)
{
    const MainInterface main(program);
    const ValueId value = program.main().arguments[argument];
    std::erase_if(state.pairs,
        [&](const StatePair& pair) { return pair.argument == value || (result && pair.result == *result); });
    if (result)
        state.pairs.push_back(main.pair(argument, *result));
    std::sort(state.pairs.begin(), state.pairs.end(), [&](const StatePair& a, const StatePair& b) {
        return program.value(a.argument).index < program.value(b.argument).index;
    });
    state.source = StateSource::Stated;
    return state;
}

std::vector<std::size_t> resultsFor(const Program& program, std::size_t argument)
{
    const MainInterface main(program);
    std::vector<std::size_t> found;
    for (std::size_t r = 0; r < main.results(); ++r)
        if (main.argumentType(argument) == main.resultType(r) && isTensor(main.resultType(r).dtype))
            found.push_back(r);
    return found;
}

std::string stateText(const Program& program, const StepState& state)
{
    return state.pairs.empty() ? "none" : join(state.pairs, ",", [&](const StatePair& pair) {
        return std::to_string(program.value(pair.argument).index) + "=" + std::to_string(pair.result);
    });
}

} // namespace shardscope
