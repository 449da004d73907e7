// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/program_compare.h"

#include <algorithm>

#include "conformance/operation_compare.h"

namespace shardscope::conformance {

namespace {

/// Operations in the order of the text: an operation, what its regions hold, the end of each region, its own end.
void flatten(const Program& program, RegionId region, const std::string& terminator, std::vector<Place>& places)
{
    for (const OperationId id : program.regions[region.index].operations) {
        const Operation& operation = program.operation(id);
        places.push_back({ Place::Kind::Operation, qualifiedName(operation), id, region });
        const bool ofShardy = opRow(operation.kind).dialect == OpDialect::Sdy;
        for (const RegionId inner : operation.regions)
            flatten(program, inner, ofShardy ? "sdy.return" : "stablehlo.return", places);
        if (!operation.regions.empty())
            places.push_back({ Place::Kind::Close, qualifiedName(operation), id, region });
    }
    places.push_back({ Place::Kind::Terminator, terminator, {}, region });
}

/// Finds a place for every expected entry, in order, trying others where one leads nowhere.
class Matcher {
public:
    Matcher(const Json& expected, const FunctionIds& ids, const ProgramCase& input, const Program& output,
        const Function& function, const CaseExtras& extras)
        : m_entries(expected.at("ops"))
        , m_forbidden(expected.value("forbidden", Json::array()))
        , m_exact(expected.at("sequence") == "exact")
        , m_ids(ids)
        , m_names(input, ids, output, function)
        , m_output(output)
        , m_extras(extras)
    {
        flatten(output, function.body, "func.return", m_places);
        for (const Place& place : m_places)
            if (place.kind == Place::Kind::Terminator)
                m_names.regions.insert(place.region.index);
            else
                m_names.operations.insert(place.operation.index);
    }

    /// "" or the difference.
    std::string run()
    {
        if (search(0, 0))
            return {};
        if (!m_unsupported.empty())
            return m_unsupported;
        return m_difference.empty() ? "no place for the operations" : m_difference;
    }

private:
    bool search(std::size_t entry, std::size_t from)
    {
        if (++m_tries > 200'000)
            return false;
        if (entry == m_entries.size()) {
            for (std::size_t p = from; p < m_places.size() && m_exact; ++p)
                if (m_places[p].kind != Place::Kind::Close)
                    return complain(entry, m_places[p].name + " stands behind the last expected operation");
            return allowed(entry, from, m_places.size());
        }
        for (std::size_t p = from; p < m_places.size(); ++p) {
            if (fits(entry, p)) {
                NameTable saved = m_names;
                bind(m_entries[entry], m_places[p]);
                if (allowed(entry, from, p) && search(entry + 1, p + 1))
                    return true;
                m_names = std::move(saved);
            }
            if (m_exact && m_places[p].kind != Place::Kind::Close)
                return complain(entry, m_places[p].name + " stands where " + describe(entry) + " is expected");
        }
        return complain(entry, "nothing is " + describe(entry));
    }

    bool complain(std::size_t entry, const std::string& what)
    {
        if (entry > m_furthest || m_difference.empty()) {
            m_furthest = entry;
            m_difference = "/ops/" + std::to_string(entry) + ": " + what;
        }
        return false;
    }
    [[nodiscard]] std::string describe(std::size_t entry) const
    {
        return m_entries[entry].at("op").get<std::string>() + " (match " + m_entries[entry].at("match").dump() + ")";
    }

    /// Nothing forbidden stands between entry number `entry` - 1 and the next one.
    bool allowed(std::size_t entry, std::size_t from, std::size_t to)
    {
        for (const Json& rule : m_forbidden) {
            if (rule.at("after_expect_op").get<int>() != static_cast<int>(entry) - 1)
                continue;
            const std::string text = rule.at("text").get<std::string>();
            for (std::size_t p = from; p < to; ++p) {
                const Place& place = m_places[p];
                if (place.name == text)
                    return complain(entry, text + " is forbidden there");
                if (text == "sdy.sharding" && place.kind == Place::Kind::Operation && hasSharding(place.operation))
                    return complain(entry, "a sharding is forbidden on " + place.name);
            }
        }
        return true;
    }
    [[nodiscard]] bool hasSharding(OperationId id) const
    {
        const auto& results = m_output.operation(id).results;
        return std::any_of(
            results.begin(), results.end(), [&](ValueId value) { return m_output.shardingOf(value) != nullptr; });
    }

    bool fits(std::size_t number, std::size_t p)
    {
        const Json& entry = m_entries[number];
        const Place& place = m_places[p];
        // An entry that upstream's text gives by attributes alone may be the end of an operation that has had one.
        const bool again = entry.value("anonymous", false) && entry.at("match").is_number()
            && m_names.matched.contains(entry["match"].get<int>());
        if ((entry.value("close", false) || again) != (place.kind == Place::Kind::Close))
            return false;
        // The cases name every terminator of which the text says "return" alone func.return, and give it the
        // function's.
        const bool otherReturn =
            entry.at("op") == "func.return" && place.kind == Place::Kind::Terminator && place.name != "func.return";
        if (!otherReturn && entry["op"] != place.name)
            return false;
        if (entry.at("match").is_number()
            && !(otherReturn ? m_ids.terminators.contains(entry["match"].get<int>()) : standsFor(entry, place)))
            return false;
        if (std::string unlike = operationDifference(m_output, entry, place, m_names, m_extras); !unlike.empty()) {
            if (unlike.starts_with(unsupportedMark))
                m_unsupported = unlike;
            return complain(number, describe(number) + ": " + unlike);
        }
        return true;
    }
    /// The input has such an operation; where it stands in the output still, it is that one.
    [[nodiscard]] bool standsFor(const Json& entry, const Place& place) const
    {
        const int id = entry["match"].get<int>();
        const bool cloned = entry.value("cloned_or_rewritten", false);
        if (place.kind == Place::Kind::Terminator) {
            const auto found = m_ids.terminators.find(id);
            return found != m_ids.terminators.end()
                && (cloned || !m_names.regions.contains(found->second.index) || found->second == place.region);
        }
        const auto found = m_ids.operations.find(id);
        if (found == m_ids.operations.end() || cloned)
            return found != m_ids.operations.end();
        const auto bound = m_names.matched.find(id);
        if (place.kind == Place::Kind::Close && bound != m_names.matched.end())
            return bound->second == place.operation;
        return !m_names.operations.contains(found->second.index) || found->second == place.operation;
    }

    void bind(const Json& entry, const Place& place)
    {
        if (place.kind != Place::Kind::Operation)
            return;
        const Operation& operation = m_output.operation(place.operation);
        const auto bindResults = [&](const std::string& prefix) {
            for (std::size_t k = 0; k < operation.results.size(); ++k)
                m_names.bound[prefix + "." + std::to_string(k)] = operation.results[k];
        };
        if (entry.contains("inserted"))
            bindResults(entry["inserted"].get<std::string>());
        if (!entry.at("match").is_number())
            return;
        const int id = entry["match"].get<int>();
        m_names.matched[id] = place.operation;
        bindResults("v" + std::to_string(id));
        for (std::size_t r = 0; r < operation.regions.size(); ++r) {
            const std::vector<ValueId>& arguments = m_output.regions[operation.regions[r].index].arguments;
            for (std::size_t k = 0; k < arguments.size(); ++k)
                m_names.bound["b" + std::to_string(id) + "." + std::to_string(r) + "." + std::to_string(k)] =
                    arguments[k];
        }
    }

    const Json m_entries, m_forbidden;
    bool m_exact;
    const FunctionIds& m_ids;
    NameTable m_names;
    const Program& m_output;
    const CaseExtras& m_extras;
    std::vector<Place> m_places;
    std::string m_difference, m_unsupported;
    std::size_t m_furthest = 0;
    std::size_t m_tries = 0;
};

std::string statusDifference(const Json& expected, const Program& program, ShardingIndex index)
{
    const std::string status = expected.at("status").get<std::string>();
    const std::string got = index == 0 ? "none" : shardingText(program, program.shardings[index - 1]);
    if (status != "exact" && status != "none")
        return {};
    const std::string wanted = status == "none" ? "none" : shardingText(program, expected.at("sharding"));
    return wanted == got ? std::string() : "expected " + wanted + ", got " + got;
}

std::string signatureDifference(
    const Json& expected, const Program& program, const Function& function, const CaseExtras& extras)
{
    const std::vector<ValueId>& arguments = program.regions[function.body.index].arguments;
    for (std::size_t i = 0; i < expected.at("args").size(); ++i) {
        const Json& entry = expected["args"][i];
        const std::string place = "/args/" + std::to_string(i) + ": ";
        if (i >= arguments.size())
            return place + "no such argument";
        const ShardingIndex index =
            arguments[i].index < program.valueShardings.size() ? program.valueShardings[arguments[i].index] : 0;
        if (std::string found = statusDifference(entry, program, index); !found.empty())
            return place + found;
        if (!entry.contains("attrs"))
            continue;
        if (!extras.argument)
            return std::string(unsupportedMark) + "provenance of an argument";
        if (std::string found = extras.argument(entry["attrs"], function, i); !found.empty())
            return place + found;
    }
    for (std::size_t i = 0; i < expected.at("results").size(); ++i) {
        const Json& entry = expected["results"][i];
        const std::string place = "/results/" + std::to_string(i) + ": ";
        const ShardingIndex index = i < function.resultShardings.size() ? function.resultShardings[i] : 0;
        if (std::string found = statusDifference(entry, program, index); !found.empty())
            return place + found;
        if (!entry.contains("attrs"))
            continue;
        if (!extras.result)
            return std::string(unsupportedMark) + "provenance of a result";
        if (std::string found = extras.result(entry["attrs"], function, i); !found.empty())
            return place + found;
    }
    return {};
}

int signatureFacts(const Json& expected)
{
    int facts = 0;
    for (const char* list : { "args", "results" })
        for (const Json& entry : expected.at(list))
            facts += (entry.at("status") == "exact" || entry["status"] == "none" ? 1 : 0)
                + (entry.contains("attrs") ? 1 : 0);
    return facts;
}

bool expects(const Json& oneCase, const char* severity)
{
    const Json& functions = oneCase.at("expect").at("functions");
    return std::any_of(functions.begin(), functions.end(), [&](const Json& function) {
        const Json list = function.value("diagnostics", Json::array());
        return std::find(list.begin(), list.end(), Json(severity)) != list.end();
    });
}

} // namespace

std::string signatureSizeDifference(const Json& oneCase, const ProgramCase& input)
{
    for (const auto& [name, expected] : oneCase.at("expect").at("functions").items()) {
        const Function* function = input.program.function(name);
        if (!function)
            return "/" + name + ": no function of the input";
        const std::size_t arguments = input.program.regions[function->body.index].arguments.size();
        for (const auto& [list, count] : { std::pair<const char*, std::size_t>("args", arguments),
                 std::pair<const char*, std::size_t>("results", function->resultShardings.size()) })
            if (!expected.at(list).is_array() || expected[list].size() != count)
                return "/" + name + "/" + list + ": the input has " + std::to_string(count);
    }
    return {};
}

CaseResult compareProgram(
    const Json& oneCase, const ProgramCase& input, const Program& output, const CaseExtras& extras)
{
    if (std::string found = signatureSizeDifference(oneCase, input); !found.empty())
        return CaseResult::failed(std::move(found));
    int facts = 0;
    for (const auto& [name, expected] : oneCase.at("expect").at("functions").items()) {
        const int mine = signatureFacts(expected)
            + static_cast<int>(expected.at("ops").size() + expected.value("forbidden", Json::array()).size());
        facts += mine;
        const Function* function = output.function(name);
        if (!function && mine == 0)
            continue;
        if (!function)
            return CaseResult::failed("/" + name + ": no function of that name is left");
        const auto ids = input.functions.find(name);
        if (ids == input.functions.end())
            return CaseResult::failed("/" + name + ": no function of the input");
        std::string found = signatureDifference(expected, output, *function, extras);
        if (found.empty()
            && (expected.at("sequence") == "exact" || !expected.at("ops").empty() || expected.contains("forbidden")))
            found = Matcher(expected, ids->second, input, output, *function, extras).run();
        if (found.starts_with(unsupportedMark))
            return CaseResult::unsupported(found.substr(unsupportedMark.size()));
        if (!found.empty())
            return CaseResult::failed("/" + name + found);
    }
    const int promised = oneCase.value("num_checked", 0);
    if (facts < promised)
        return CaseResult::failed("compared " + std::to_string(facts) + " facts of " + std::to_string(promised));
    return CaseResult::passed();
}

bool expectsError(const Json& oneCase)
{
    return expects(oneCase, "error");
}

bool expectsWarning(const Json& oneCase)
{
    return expects(oneCase, "warning");
}

} // namespace shardscope::conformance
