// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/step_state.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/codes.h"

namespace shardscope {

namespace {

/// What is said of main's arguments and results, from one place.
class Main {
public:
    explicit Main(const Program& program)
        : m_program(program)
        , m_region(program.main())
    {
    }

    [[nodiscard]] std::size_t arguments() const { return m_region.arguments.size(); }
    [[nodiscard]] std::size_t results() const { return m_region.results.size(); }
    [[nodiscard]] const TensorType& argumentType(std::size_t a) const
    {
        return m_program.value(m_region.arguments[a]).type;
    }
    [[nodiscard]] const TensorType& resultType(std::size_t r) const
    {
        return m_program.value(m_region.results[r]).type;
    }
    /// The text of an attribute of the argument; nothing where it has none.
    [[nodiscard]] const NamedText* attribute(std::size_t a, std::string_view key) const
    {
        if (m_program.functions.empty() || a >= m_program.functions.front().argumentExtras.size())
            return nullptr;
        const Dictionary& entries = m_program.dictionaries[m_program.functions.front().argumentExtras[a]];
        const auto found =
            std::find_if(entries.begin(), entries.end(), [&](const NamedText& entry) { return entry.name == key; });
        return found == entries.end() ? nullptr : &*found;
    }
    /// Whether result `r` can be argument `a` of the next step as it lies: a sharding that one of them lacks is open.
    [[nodiscard]] bool fit(std::size_t a, std::size_t r) const
    {
        if (argumentType(a) != resultType(r) || !isTensor(argumentType(a).dtype))
            return false;
        const ProgramSharding* given = m_program.shardingOf(m_region.arguments[a]);
        const ProgramSharding* made = resultSharding(r);
        return !given || !made || *given == *made;
    }
    [[nodiscard]] StatePair pair(std::size_t a, std::size_t r) const
    {
        return { m_region.arguments[a], static_cast<std::uint32_t>(r) };
    }

private:
    [[nodiscard]] const ProgramSharding* resultSharding(std::size_t r) const
    {
        if (m_program.functions.empty() || r >= m_program.functions.front().resultShardings.size())
            return nullptr;
        const ShardingIndex index = m_program.functions.front().resultShardings[r];
        return index == 0 ? nullptr : &m_program.shardings[index - 1];
    }

    const Program& m_program;
    const Region& m_region;
};

/// The number at the beginning of "3 : i32".
std::optional<std::size_t> numberIn(std::string_view text)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::vector<StatePair> aliases(const Main& main)
{
    std::vector<StatePair> pairs;
    std::vector<bool> taken(main.results());
    for (std::size_t a = 0; a < main.arguments(); ++a) {
        const NamedText* alias = main.attribute(a, "tf.aliasing_output");
        const std::optional<std::size_t> r = alias ? numberIn(alias->text) : std::nullopt;
        if (!r || *r >= main.results() || taken[*r] || main.argumentType(a) != main.resultType(*r))
            continue;
        taken[*r] = true;
        pairs.push_back(main.pair(a, *r));
    }
    return pairs;
}

/// Adds what donated arguments say to the pairs that are known.
void addDonors(const Main& main, std::vector<StatePair>& pairs)
{
    std::vector<bool> taken(main.results());
    for (const StatePair& pair : pairs)
        taken[pair.result] = true;
    for (std::size_t a = 0; a < main.arguments(); ++a) {
        const NamedText* donor = main.attribute(a, "jax.buffer_donor");
        if (!donor || donor->text == "false")
            continue;
        for (std::size_t r = 0; r < main.results(); ++r)
            if (!taken[r] && main.fit(a, r)) {
                taken[r] = true;
                pairs.push_back(main.pair(a, r));
                break;
            }
    }
}

std::vector<StatePair> longestRun(const Main& main)
{
    std::size_t bestArgument = 0, bestResult = 0, best = 0;
    // before[r + 1]: how long the run is that ends at the argument before and result r
    std::vector<std::size_t> before(main.results() + 1), now(main.results() + 1);
    for (std::size_t a = 0; a < main.arguments(); ++a) {
        for (std::size_t r = 0; r < main.results(); ++r) {
            now[r + 1] = main.fit(a, r) ? before[r] + 1 : 0;
            if (now[r + 1] > best) {
                best = now[r + 1];
                bestArgument = a + 1 - best;
                bestResult = r + 1 - best;
            }
        }
        before.swap(now);
    }
    const auto looksLikeLoss = [&](std::size_t r) {
        return main.resultType(r).rank() == 0 && isFloat(main.resultType(r).dtype);
    };
    while (best > 0 && looksLikeLoss(bestResult + best - 1))
        --best;
    for (; best > 0 && looksLikeLoss(bestResult); --best) {
        ++bestArgument;
        ++bestResult;
    }
    std::vector<StatePair> pairs;
    bool hasDimensions = false;
    for (std::size_t i = 0; i < best; ++i) {
        pairs.push_back(main.pair(bestArgument + i, bestResult + i));
        hasDimensions = hasDimensions || main.argumentType(bestArgument + i).rank() > 0;
    }
    return hasDimensions ? pairs : std::vector<StatePair>();
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
    const Main main(program);
    StepState state{ StateSource::Aliases, aliases(main) };
    const std::size_t aliased = state.pairs.size();
    addDonors(main, state.pairs);
    if (state.pairs.size() > aliased)
        state.source = StateSource::Donors;
    if (state.pairs.empty())
        state = { StateSource::Order, longestRun(main) };
    if (state.pairs.empty())
        return {};
    std::sort(state.pairs.begin(), state.pairs.end(), [&](const StatePair& a, const StatePair& b) {
        return program.value(a.argument).index < program.value(b.argument).index;
    });
    return state;
}

Result<StepState> parseState(const Program& program, std::string_view text)
{
    StepState state{ StateSource::Stated, {} };
    if (text == "none")
        return state;
    const Main main(program);
    for (std::string_view rest = text; true;) {
        const std::size_t comma = rest.find(',');
        const std::string_view entry = rest.substr(0, comma);
        const std::size_t equals = entry.find('=');
        std::size_t numbers[2] = {};
        const std::string_view parts[2] = { entry.substr(0, equals),
            equals == std::string_view::npos ? std::string_view() : entry.substr(equals + 1) };
        for (int i = 0; i < 2; ++i) {
            const auto [end, error] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]);
            if (error != std::errc() || end != parts[i].data() + parts[i].size())
                return fail(Code::Syntax,
                    { { "expected", "ARGUMENT=RESULT, two numbers from 0, or none" }, { "found", entry } });
        }
        const std::size_t counts[2] = { main.arguments(), main.results() };
        for (int i = 0; i < 2; ++i)
            if (numbers[i] >= counts[i])
                return fail(Code::OutOfRange,
                    { { "key", i == 0 ? "argument" : "result" }, { "value", static_cast<std::int64_t>(numbers[i]) },
                        { "min", std::int64_t{ 0 } }, { "below", static_cast<std::int64_t>(counts[i]) } });
        if (main.argumentType(numbers[0]) != main.resultType(numbers[1]))
            return fail(Code::TypeMismatch,
                { { "op", "result " + std::to_string(numbers[1]) }, { "wrong", "argument" },
                    { "given", toString(main.resultType(numbers[1])) },
                    { "type", toString(main.argumentType(numbers[0])) } });
        const StatePair pair = main.pair(numbers[0], numbers[1]);
        for (const StatePair& other : state.pairs)
            if (other.argument == pair.argument || other.result == pair.result)
                return fail(Code::DuplicateKey,
                    { { "key",
                        other.argument == pair.argument ? "argument " + std::to_string(numbers[0])
                                                        : "result " + std::to_string(numbers[1]) } });
        state.pairs.push_back(pair);
        if (comma == std::string_view::npos)
            return state;
        rest.remove_prefix(comma + 1);
    }
}

std::string stateText(const Program& program, const StepState& state)
{
    std::string text;
    for (const StatePair& pair : state.pairs)
        text += (text.empty() ? "" : ",") + std::to_string(program.value(pair.argument).index) + "="
            + std::to_string(pair.result);
    return text.empty() ? "none" : text;
}

std::optional<std::size_t> lossResult(const Program& program, const StepState& state)
{
    const std::vector<ValueId>& results = program.main().results;
    std::optional<std::size_t> scalar;
    for (std::size_t r = 0; r < results.size(); ++r) {
        const Value& value = program.value(results[r]);
        if (value.role == Role::Loss)
            return r;
        const bool isState = std::any_of(
            state.pairs.begin(), state.pairs.end(), [&](const StatePair& pair) { return pair.result == r; });
        if (!scalar && !isState && value.type.rank() == 0 && isFloat(value.type.dtype))
            scalar = r;
    }
    return scalar;
}

} // namespace shardscope
