// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/calls/call_graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/codes.h"
#include "program/calls.h"
#include "program/other_attributes.h"
#include "program/program.h"
#include "propagation/pass_support.h"

namespace shardscope::passes {

namespace {

/// The function that a call means, under a name that copies of one function have in common.
using CalleeName = std::function<std::string(const std::string& callee)>;

class Comparison {
public:
    Comparison(const Program& program, const CalleeName& calleeName)
        : m_program(program)
        , m_calleeName(calleeName)
    {
    }

    bool same(RegionId first, RegionId second)
    {
        const Region& a = m_program.regions[first.index];
        const Region& b = m_program.regions[second.index];
        if (a.operations.size() != b.operations.size() || !match(a.arguments, b.arguments))
            return false;
        for (std::size_t i = 0; i < a.operations.size(); ++i)
            if (!same(m_program.operation(a.operations[i]), m_program.operation(b.operations[i])))
                return false;
        return same(a.results, b.results);
    }

private:
    /// From now on the values of the one body are those of the other.
    template <class Values>
    bool match(const Values& a, const Values& b)
    {
        if (a.size() != b.size())
            return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!(m_program.value(a[i]).type == m_program.value(b[i]).type))
                return false;
            m_match.emplace(a[i], b[i]);
        }
        return true;
    }
    template <class Values>
    bool same(const Values& a, const Values& b)
    {
        if (a.size() != b.size())
            return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto found = m_match.find(a[i]);
            if ((found == m_match.end() ? a[i] : found->second) != b[i])
                return false;
        }
        return true;
    }
    bool same(const Operation& a, const Operation& b)
    {
        if (a.kind != b.kind || a.regions.size() != b.regions.size() || !same(a.operands, b.operands)
            || !sameAttributes(a, b))
            return false;
        for (std::size_t i = 0; i < a.regions.size(); ++i)
            if (!same(a.regions[i], b.regions[i]))
                return false;
        return match(a.results, b.results);
    }
    bool sameAttributes(const Operation& a, const Operation& b)
    {
        switch (a.kind) {
        case OpKind::ShardingConstraint:
        case OpKind::Reshard:
        case OpKind::DataFlowEdge:
        case OpKind::FuncDataFlowEdge:
        case OpKind::ShardingGroup:
        case OpKind::NamedComputation:
            return true; // shardings, and names
        case OpKind::ManualComputation:
            return attributesAs<ManualComputationAttributes>(a.attributes)->manualAxes
                == attributesAs<ManualComputationAttributes>(b.attributes)->manualAxes;
        case OpKind::Call:
        case OpKind::Composite: {
            const std::string callee = m_calleeName(*calleeOf(a));
            return callee == m_calleeName(*calleeOf(b))
                && withCallee(a.attributes, callee) == withCallee(b.attributes, callee);
        }
        default:
            return a.attributes == b.attributes;
        }
    }

    const Program& m_program;
    const CalleeName& m_calleeName;
    std::unordered_map<ValueId, ValueId> m_match;
};

/// Same operations on the same values in the same order, with the same results. Shardings, places in the text and kept
/// attributes do not count.
bool sameBody(const Program& program, RegionId a, RegionId b, const CalleeName& calleeName)
{
    return Comparison(program, calleeName).same(a, b);
}

} // namespace

CallGraph callGraph(const Program& program)
{
    CallGraph graph;
    const FunctionNames names(program);
    const std::size_t count = program.functions.size();
    graph.calls.resize(count);
    graph.callees.resize(count);
    for (std::size_t f = 0; f < count; ++f)
        walk(program, program.functions[f].body, [&](OperationId id) {
            const std::string* name = calleeOf(program.operation(id));
            if (!name)
                return;
            if (const auto callee = names.index(*name)) {
                graph.calls[f].push_back(id);
                graph.callees[f].push_back(*callee);
            }
        });
    enum class State : char { New, Open, Done };
    std::vector<State> states(count, State::New);
    std::vector<std::pair<std::size_t, std::size_t>> open; // a function, and how many of its callees are done
    const auto enter = [&](std::size_t f) {
        if (states[f] == State::Open)
            graph.recursive = true;
        if (states[f] != State::New)
            return;
        states[f] = State::Open;
        graph.callersFirst.push_back(f);
        open.emplace_back(f, 0);
    };
    for (std::size_t f = 0; f < count; ++f) {
        enter(f);
        while (!open.empty()) {
            auto& [at, done] = open.back();
            if (done < graph.callees[at].size()) {
                enter(graph.callees[at][done++]);
                continue;
            }
            states[at] = State::Done;
            graph.calleesFirst.push_back(at);
            open.pop_back();
        }
    }
    return graph;
}

Program dropUnusedFunctions(Program program)
{
    const CallGraph graph = callGraph(program);
    std::vector<char> used(program.functions.size(), 0);
    std::vector<std::size_t> waiting;
    const auto use = [&](std::size_t first) {
        for (waiting.push_back(first); !waiting.empty();) {
            const std::size_t f = waiting.back();
            waiting.pop_back();
            if (std::exchange(used[f], 1) == 0)
                waiting.insert(waiting.end(), graph.callees[f].begin(), graph.callees[f].end());
        }
    };
    const FunctionNames names(program);
    const auto named = [&](const std::string& name) {
        if (const auto index = names.index(name))
            use(*index);
    };
    for (std::size_t f = 0; f < program.functions.size(); ++f)
        if (f == 0 || program.functions[f].isPublic)
            use(f);
    for (const Operation& operation : program.operations) // comparators of custom calls
        if (const auto* call = attributesAs<CustomCallAttributes>(operation.attributes))
            for (const std::string& called : call->calledComputations)
                named(called);
    std::vector<Function> kept;
    for (std::size_t f = 0; f < program.functions.size(); ++f)
        if (used[f] != 0)
            kept.push_back(std::move(program.functions[f]));
    program.functions = std::move(kept);
    return program;
}

Program orderFunctions(Program program)
{
    const CallGraph graph = callGraph(program);
    std::vector<Function> ordered;
    for (const std::size_t f : graph.callersFirst)
        ordered.push_back(std::move(program.functions[f]));
    program.functions = std::move(ordered);
    return program;
}

namespace {

/// How deep operations stand in bodies once every call has one; those of callees are known.
std::int64_t levelsOf(const Program& program, std::size_t function, const FunctionNames& names,
    const std::vector<std::int64_t>& ofCallees)
{
    std::int64_t deepest = 0;
    std::vector<std::pair<RegionId, std::int64_t>> waiting{ { program.functions[function].body, 1 } };
    while (!waiting.empty()) {
        const auto [region, level] = waiting.back();
        waiting.pop_back();
        deepest = std::max(deepest, level);
        for (const OperationId id : program.regions[region.index].operations) {
            const Operation& operation = program.operation(id);
            for (const RegionId body : operation.regions)
                waiting.emplace_back(body, level + 1);
            const std::string* name = calleeOf(operation);
            if (const auto callee = name ? names.index(*name) : std::nullopt)
                deepest = std::max(deepest, level + ofCallees[*callee]);
        }
    }
    return deepest;
}

} // namespace

Result<void> checkFlattened(const Program& program)
{
    constexpr std::int64_t limit = maximumOperations, most = std::int64_t{ 1 } << 61;
    const CallGraph graph = callGraph(program);
    if (graph.recursive)
        return {};
    std::vector<std::int64_t> operations(program.functions.size(), 0); // with those of all callees
    for (const std::size_t f : graph.calleesFirst) {
        walk(program, program.functions[f].body, [&](OperationId) { ++operations[f]; });
        for (const std::size_t callee : graph.callees[f])
            operations[f] = std::min(operations[f] + operations[callee], most);
    }
    const auto largest = std::max_element(operations.begin(), operations.end());
    if (largest != operations.end() && *largest > limit)
        return fail(Code::TooLarge,
            { { "what", std::string("operations when every call has a body of its own") }, { "count", *largest },
                { "limit", limit } });
    constexpr std::int64_t deepest = 500; // what goes through bodies in bodies has room on a stack for these
    const FunctionNames names(program);
    std::vector<std::int64_t> levels(program.functions.size(), 0);
    for (const std::size_t f : graph.calleesFirst)
        levels[f] = levelsOf(program, f, names, levels);
    const auto highest = std::max_element(levels.begin(), levels.end());
    if (highest != levels.end() && *highest > deepest)
        return fail(Code::TooLarge,
            { { "what", std::string("levels of bodies and calls in each other") }, { "count", *highest },
                { "limit", deepest } });
    return {};
}

Program flattenCallGraph(Program program)
{
    const CallGraph graph = callGraph(program);
    if (graph.recursive)
        return program;
    Editor edit(std::move(program));
    FunctionNames names(edit.program());
    std::vector<char> taken(edit.program().functions.size(), 0);
    // A function of its own for a call: the callee with all that it calls in turn.
    const std::function<std::string(std::size_t)> copy = [&](std::size_t f) {
        Function made = edit.program().functions[f];
        made.originalName = made.originalName.empty() ? made.name : made.originalName;
        made.name = names.numbered(made.originalName);
        names.add(made.name, edit.program().functions.size());
        made.isPublic = false;
        ValueMap map;
        made.body = edit.copyRegion(made.body, {}, map);
        const RegionId body = made.body;
        edit.raw().functions.push_back(made);
        taken.push_back(1);
        std::vector<OperationId> calls;
        walk(edit.program(), body, [&](OperationId id) {
            if (isCall(edit.operation(id).kind))
                calls.push_back(id);
        });
        for (const OperationId id : calls)
            if (const auto callee = names.index(*calleeOf(edit.operation(id)))) {
                std::string copied = copy(*callee);
                edit.raw().operations[id.index].attributes =
                    withCallee(edit.operation(id).attributes, std::move(copied));
            }
        return made.name;
    };
    for (const std::size_t f : graph.calleesFirst)
        for (std::size_t c = 0; c < graph.calls[f].size(); ++c) {
            const std::size_t callee = graph.callees[f][c];
            if (taken[callee] == 0 && callee != 0) {
                taken[callee] = 1;
                continue;
            }
            const std::string name = copy(callee);
            Operation& call = edit.raw().operations[graph.calls[f][c].index];
            call.attributes = withCallee(call.attributes, name);
        }
    return std::move(edit).finish();
}

std::vector<std::string> manualAxesAround(const Editor& edit, RegionId region)
{
    std::vector<std::string> around;
    for (OperationId owner = edit.ownerOf(region); owner.valid(); owner = edit.ownerOf(edit.regionOf(owner)))
        if (const auto* manual = attributesAs<ManualComputationAttributes>(edit.operation(owner).attributes))
            around.insert(around.end(), manual->manualAxes.begin(), manual->manualAxes.end());
    return around;
}

std::vector<std::vector<std::string>> manualAxesOfFunctions(const Editor& edit, const CallGraph& graph)
{
    std::vector<std::vector<std::string>> axes(graph.calls.size());
    for (std::size_t i = graph.calleesFirst.size(); i-- > 0;) { // all callers of a function before it
        const std::size_t f = graph.calleesFirst[i];
        for (std::size_t c = 0; c < graph.calls[f].size(); ++c) {
            std::vector<std::string> around = manualAxesAround(edit, edit.regionOf(graph.calls[f][c]));
            around.insert(around.end(), axes[f].begin(), axes[f].end());
            std::sort(around.begin(), around.end());
            axes[graph.callees[f][c]] = std::move(around);
        }
    }
    return axes;
}

Program unflattenCallGraph(Program program)
{
    const CallGraph graph = callGraph(program);
    if (graph.recursive)
        return program;
    Editor edit(std::move(program));
    const std::vector<std::vector<std::string>> manualAxes = manualAxesOfFunctions(edit, graph);
    // Copies of one function with equal shardings, called inside the same manual computations, are one.
    using Key = std::tuple<std::string, std::vector<std::string>, std::vector<ShardingIndex>>;
    const auto keyOf = [&](std::size_t f) {
        const Function& function = edit.program().functions[f];
        std::vector<ShardingIndex> shardings;
        const Region& body = edit.region(function.body);
        for (const ValueId argument : body.arguments)
            shardings.push_back(edit.program().valueShardings[argument.index]);
        std::vector<ShardingIndex> results = function.resultShardings;
        results.resize(body.results.size(), 0);
        shardings.insert(shardings.end(), results.begin(), results.end());
        return Key(function.originalName, manualAxes[f], std::move(shardings));
    };
    const FunctionNames names(edit.program());
    const auto calleeName = [&](const std::string& callee) {
        const std::optional<std::size_t> index = names.index(callee);
        return index && !edit.program().functions[*index].originalName.empty()
            ? edit.program().functions[*index].originalName
            : callee;
    };
    // A named computation may have been written under the name of something else: names alone do not tell.
    const auto isCopy = [&](std::size_t f, std::size_t of) {
        return f == of
            || sameBody(
                edit.program(), edit.program().functions[f].body, edit.program().functions[of].body, calleeName);
    };
    std::map<Key, std::vector<std::size_t>> first;
    std::vector<char> dropped(graph.calls.size(), 0);
    for (const std::size_t f : graph.calleesFirst)
        for (std::size_t c = 0; c < graph.calls[f].size(); ++c) {
            const std::size_t callee = graph.callees[f][c];
            if (dropped[f] != 0 || edit.program().functions[callee].originalName.empty())
                continue;
            std::vector<std::size_t>& known = first[keyOf(callee)];
            const auto same =
                std::find_if(known.begin(), known.end(), [&](std::size_t other) { return isCopy(callee, other); });
            if (same == known.end()) {
                known.push_back(callee);
                continue;
            }
            if (*same == callee)
                continue;
            dropped[callee] = 1;
            Operation& call = edit.raw().operations[graph.calls[f][c].index];
            call.attributes = withCallee(call.attributes, edit.program().functions[*same].name);
        }
    std::vector<Function> kept;
    for (std::size_t f = 0; f < graph.calls.size(); ++f) {
        Function& function = edit.raw().functions[f];
        function.originalName.clear();
        if (dropped[f] == 0)
            kept.push_back(std::move(function));
    }
    edit.raw().functions = std::move(kept);
    return std::move(edit).finish();
}

} // namespace shardscope::passes
