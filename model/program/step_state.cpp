// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/step_state.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "base/codes.h"
#include "base/text.h"

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
        const ProgramSharding* specified = m_program.shardingOf(m_region.arguments[a]);
        const ProgramSharding* made = resultSharding(r);
        return !specified || !made || *specified == *made;
    }
    /// What a named location calls the argument; "" for nothing.
    [[nodiscard]] std::string_view argumentName(std::size_t a) const
    {
        if (m_program.functions.empty() || a >= m_program.functions.front().argumentNames.size())
            return {};
        return m_program.functions.front().argumentNames[a];
    }
    /// What jax.result_info calls the result; "" for nothing.
    [[nodiscard]] std::string_view resultName(std::size_t r) const
    {
        if (m_program.functions.empty() || r >= m_program.functions.front().resultExtras.size())
            return {};
        const Dictionary& entries = m_program.dictionaries[m_program.functions.front().resultExtras[r]];
        const auto found = std::find_if(
            entries.begin(), entries.end(), [](const NamedText& entry) { return entry.name == "jax.result_info"; });
        return found == entries.end() ? std::string_view() : std::string_view(found->text);
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

/// "params['layer']['w']" as params, layer, w; "[0].mu" as 0, mu.
std::vector<std::string> partsOfName(std::string_view name)
{
    std::vector<std::string> parts;
    bool begins = true;
    for (const char c : name) {
        if (std::string_view(".[]'\"\\/ ").find(c) != std::string_view::npos) {
            begins = true;
            continue;
        }
        if (std::exchange(begins, false))
            parts.emplace_back();
        parts.back() += c;
    }
    return parts;
}

bool isNumber(const std::string& part)
{
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A result's name: which of several results of the Python function it lies under, and where in it.
struct ResultName {
    std::string group; ///< "0"; "" where the function returns one tree
    std::vector<std::string> rest;
};

class NameMatcher {
public:
    explicit NameMatcher(const Main& main)
        : m_main(main)
        , m_taken(main.results())
    {
        for (std::size_t a = 0; a < main.arguments(); ++a)
            m_arguments.push_back(partsOfName(main.argumentName(a)));
        for (std::size_t r = 0; r < main.results(); ++r) {
            std::vector<std::string> parts = partsOfName(main.resultName(r));
            if (!parts.empty() && parts.front() == "result")
                parts.erase(parts.begin());
            ResultName& name = m_results.emplace_back();
            if (!parts.empty() && isNumber(parts.front())) {
                name.group = parts.front();
                parts.erase(parts.begin());
            }
            name.rest = std::move(parts);
        }
    }

    [[nodiscard]] std::vector<StatePair> pairs() &&
    {
        for (std::size_t a = 0; a < m_arguments.size();) {
            const std::size_t end = endOfRoot(a);
            if (!m_arguments[a].empty())
                matchRoot(a, end);
            a = end;
        }
        return std::move(m_pairs);
    }

private:
    /// Arguments from `a` on with the same first part: one argument of the Python function.
    [[nodiscard]] std::size_t endOfRoot(std::size_t a) const
    {
        std::size_t end = a + 1;
        while (end < m_arguments.size() && !m_arguments[a].empty() && !m_arguments[end].empty()
            && m_arguments[end].front() == m_arguments[a].front())
            ++end;
        return end;
    }

    void matchRoot(std::size_t begin, std::size_t end)
    {
        // By their whole names first, then all of them under one result.
        if (matchAll(begin, end, 0, nullptr) || m_arguments[begin].size() < 2)
            return;
        std::vector<std::string> tried;
        for (const ResultName& result : m_results)
            if (std::find(tried.begin(), tried.end(), result.group) == tried.end()) {
                tried.push_back(result.group);
                if (matchAll(begin, end, 1, &tried.back()))
                    return;
            }
    }

    /// Pairs of all the arguments or of none. `skipped` parts of an argument's name do not count.
    bool matchAll(std::size_t begin, std::size_t end, std::size_t skipped, const std::string* group)
    {
        std::vector<StatePair> found;
        std::vector<bool> taken = m_taken;
        for (std::size_t a = begin; a < end; ++a) {
            const std::vector<std::string> wanted(
                m_arguments[a].begin() + static_cast<std::ptrdiff_t>(skipped), m_arguments[a].end());
            std::size_t r = 0;
            while (r < m_results.size()
                && (wanted.empty() || taken[r] || (group && m_results[r].group != *group) || m_results[r].rest != wanted
                    || !m_main.fit(a, r)))
                ++r;
            if (r == m_results.size())
                return false;
            taken[r] = true;
            found.push_back(m_main.pair(a, r));
        }
        m_taken = std::move(taken);
        m_pairs.insert(m_pairs.end(), found.begin(), found.end());
        return true;
    }

    const Main& m_main;
    std::vector<std::vector<std::string>> m_arguments;
    std::vector<ResultName> m_results;
    std::vector<bool> m_taken; ///< per result
    std::vector<StatePair> m_pairs;
};

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
    const Main main(program);
    StepState state{ StateSource::Aliases, aliases(main) };
    const std::size_t aliased = state.pairs.size();
    addDonors(main, state.pairs);
    if (state.pairs.size() > aliased)
        state.source = StateSource::Donors;
    if (state.pairs.empty())
        state = { StateSource::Names, NameMatcher(main).pairs() };
    if (state.pairs.empty())
        state = { StateSource::Order, longestRun(main) };
    if (state.pairs.empty())
        return {};
    std::sort(state.pairs.begin(), state.pairs.end(), [&](const StatePair& a, const StatePair& b) {
        return program.value(a.argument).index < program.value(b.argument).index;
    });
    return state;
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
    const Main main(program);
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

StepState withPair(const Program& program, StepState state, std::size_t argument, std::optional<std::size_t> result)
{
    const Main main(program);
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
    const Main main(program);
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
