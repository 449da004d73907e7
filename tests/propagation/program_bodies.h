// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs: loops, branches, manual and named computations, calls, groups.
#pragma once

#include "propagation/program_movement.h"

namespace program_texts {

inline void Drafter::dataFlow(Scope& scope)
{
    const Value a = any(scope);
    if (scope.depth > 1 || a.shape.empty()) {
        put(scope, "stablehlo.optimization_barrier " + a.name + " : " + type(a.shape), a.shape);
        return;
    }
    switch (m_random.below(5)) {
    case 0:
        return m_runs ? countedLoop(scope, a) : loop(scope, a);
    case 1:
        return branch(scope, a);
    case 2:
        return named(scope, a);
    case 3:
        return group(scope, a);
    default:
        return m_runs ? honestManual(scope, a) : manual(scope, a);
    }
}

inline void Drafter::group(Scope& scope, const Value& a)
{
    if (scope.depth > 0) // members have to stand in one computation
        return;
    std::size_t number = 0;
    while (number < m_groups.size() && (m_groups[number] != a.shape || m_random.once(3)))
        ++number;
    if (number == m_groups.size())
        m_groups.push_back(a.shape);
    line(scope, "sdy.sharding_group " + a.name + " group_id=" + std::to_string(number) + " : " + type(a.shape));
}

inline void Drafter::loop(Scope& scope, const Value& a)
{
    const Value b = any(scope);
    const std::string types = type(a.shape) + ", " + type(b.shape);
    const std::string result = fresh(), first = fresh(), second = fresh(), flag = fresh();
    line(scope,
        result + ":2 = stablehlo.while(" + first + " = " + a.name + ", " + second + " = " + b.name + ") : " + types);
    line(scope, "cond {");
    line(scope, "  " + flag + " = stablehlo.constant dense<true> : tensor<i1>");
    line(scope, "  stablehlo.return " + flag + " : tensor<i1>");
    line(scope, "} do {");
    Scope body = inside(scope, false);
    body.values.push_back({ first, a.shape });
    body.values.push_back({ second, b.shape });
    statements(body, 1 + m_random.below(3));
    line(body, "stablehlo.return " + alike(body, a.shape).name + ", " + alike(body, b.shape).name + " : " + types);
    line(scope, "}");
    scope.values.push_back({ result + "#0", a.shape });
    scope.values.push_back({ result + "#1", b.shape });
}

inline void Drafter::branch(Scope& scope, const Value& a)
{
    const std::string choice = fresh(), result = fresh();
    line(scope, choice + " = stablehlo.constant dense<0> : tensor<i32>");
    line(scope, result + " = \"stablehlo.case\"(" + choice + ") ({");
    for (int i = 0; i < 2; ++i) {
        Scope body = inside(scope, false);
        statements(body, m_random.below(3));
        const std::string returned = alike(body, a.shape).name;
        line(body, "stablehlo.return " + returned + " : " + type(a.shape));
        line(scope, i == 0 ? "}, {" : "}) : (tensor<i32>) -> " + type(a.shape));
    }
    scope.values.push_back({ result, a.shape });
}

inline void Drafter::manual(Scope& scope, const Value& a)
{
    // Some axes are taken over; where one divides a dimension there, it may cut it at the boundary.
    std::vector<std::string> manualAxes;
    std::vector<int> taken;
    Scope body = inside(scope, true);
    for (int axis = 0; axis < static_cast<int>(m_draft.axes.size()); ++axis)
        if (!scope.manual[static_cast<std::size_t>(axis)] && m_random.once(2)) {
            taken.push_back(axis);
            body.manual[static_cast<std::size_t>(axis)] = true;
        }
    if (taken.empty())
        return;
    const auto boundary = [&](const Shape& global, Shape& local) {
        Sharding made;
        made.dims.resize(global.size());
        local = global;
        for (const int axis : taken) {
            const int size = m_draft.axes[static_cast<std::size_t>(axis)];
            const std::size_t d = m_random.below(global.size() + 1);
            if (d < global.size() && local[d] % size == 0) {
                local[d] /= size;
                made.dims[d].axes.push_back({ axis, 0, size });
            } else {
                made.replicated.push_back({ axis, 0, size });
            }
        }
        for (Dimension& dim : made.dims)
            dim.open = !m_random.once(4);
        made.isBorder = true;
        return add(std::move(made));
    };
    const Value b = any(scope);
    Shape localA, localB, localOut;
    const std::string inA = boundary(a.shape, localA), inB = boundary(b.shape, localB);
    const std::string argumentA = fresh(), argumentB = fresh(), result = fresh();
    std::string axes;
    for (const int axis : taken)
        axes += (axes.empty() ? "" : ", ") + ("\"$a" + std::to_string(axis)) + "$\"";
    body.values.push_back({ argumentA, localA });
    body.values.push_back({ argumentB, localB });
    std::string before = std::move(m_draft.body);
    m_draft.body.clear();
    statements(body, 1 + m_random.below(3));
    Value returned = any(body);
    if (returned.shape.empty())
        returned = body.values.front();
    line(body, "sdy.return " + returned.name + " : " + type(returned.shape));
    // What comes out is as large as the axes that cut it make it.
    Sharding out;
    out.dims.resize(returned.shape.size());
    Shape global = returned.shape;
    for (const int axis : taken) {
        const int size = m_draft.axes[static_cast<std::size_t>(axis)];
        const std::size_t d = m_random.below(global.size() + 1);
        if (d < global.size() && global[d] * size <= 64) {
            global[d] *= size;
            out.dims[d].axes.push_back({ axis, 0, size });
        } else {
            out.replicated.push_back({ axis, 0, size });
        }
    }
    out.isBorder = true;
    const std::string outText = add(std::move(out));
    m_draft.body = before + scope.indent + result + " = sdy.manual_computation(" + a.name + ", " + b.name
        + ") in_shardings=[" + inA + ", " + inB + "] out_shardings=[" + outText + "] manual_axes={" + axes + "} ("
        + argumentA + ": " + type(localA) + ", " + argumentB + ": " + type(localB) + ") {\n" + m_draft.body;
    line(scope, "} : (" + type(a.shape) + ", " + type(b.shape) + ") -> " + type(global));
    scope.values.push_back({ result, global });
}

inline void Drafter::named(Scope& scope, const Value& a)
{
    Scope body = inside(scope, true);
    const std::string argument = fresh(), result = fresh();
    std::string in;
    if (m_random.once(2))
        in = " in_shardings=[" + anySharding(a.shape.size(), scope.manual) + ']';
    line(scope,
        result + " = sdy.named_computation<\"$n$\">(" + a.name + ')' + in + " (" + argument + ": " + type(a.shape)
            + ") {");
    body.values.push_back({ argument, a.shape });
    statements(body, 1 + m_random.below(2));
    const Value returned = body.values.back();
    line(body, "sdy.return " + returned.name + " : " + type(returned.shape));
    line(scope, "} : (" + type(a.shape) + ") -> " + type(returned.shape));
    scope.values.push_back({ result, returned.shape });
}

inline Draft Drafter::runThereAndBack()
{
    drawAxes();
    Scope scope;
    scope.manual.assign(m_draft.axes.size(), false);
    scope.indent = "    ";
    Shape shape = anyShape();
    // Dimensions that pad alike may exchange their axes.
    const bool trades = m_uneven && shape.size() > 1 && m_random.once(2);
    if (trades)
        shape[1] = shape[0];
    const std::string home = anySharding(shape.size(), scope.manual), t = type(shape);
    const auto next = [&] {
        if (!trades || m_random.once(4))
            return anySharding(shape.size(), scope.manual);
        Sharding traded = m_draft.shardings.back();
        std::swap(traded.dims[0], traded.dims[m_random.below(shape.size())]);
        std::swap(traded.dims[0], traded.dims[1]);
        return add(std::move(traded));
    };
    Value at{ fresh(), shape };
    const std::string head = "  func.func public @main(" + at.name + ": " + t + " {sdy.sharding = #sdy.sharding" + home
        + "}) -> (" + t + " {sdy.sharding = #sdy.sharding" + home + "}) {\n";
    // Twice turned over each time: reshards one behind the other would become one, and that none.
    for (std::size_t i = 1 + m_random.below(3); i > 0; --i) {
        at = put(scope, "sdy.reshard " + at.name + ' ' + next() + " : " + t, shape);
        for (int turned = 0; turned < 2; ++turned)
            at = put(scope, std::string("stablehlo.") + (m_runs ? "not " : "negate ") + at.name + " : " + t, shape);
    }
    m_draft.body = head + m_draft.body + "    return " + at.name + " : " + t + "\n  }\n";
    return std::move(m_draft);
}

inline void Drafter::call(Scope& scope)
{
    if (std::find(scope.manual.begin(), scope.manual.end(), true) != scope.manual.end())
        return; // shardings of the function may use the axes that are taken over
    const Function callee = m_random.of(m_functions);
    std::string names, types, results;
    for (const Shape& shape : callee.arguments) {
        names += (names.empty() ? "" : ", ") + alike(scope, shape).name;
        types += (types.empty() ? "" : ", ") + type(shape);
    }
    for (const Shape& shape : callee.results)
        results += (results.empty() ? "" : ", ") + type(shape);
    const std::string result = fresh();
    const std::size_t count = callee.results.size();
    line(scope,
        result + (count > 1 ? ":" + std::to_string(count) : "") + " = call @" + callee.name + '(' + names + ") : ("
            + types + ") -> " + (count > 1 ? '(' + results + ')' : results));
    for (std::size_t i = 0; i < count; ++i)
        scope.values.push_back({ count > 1 ? result + '#' + std::to_string(i) : result, callee.results[i] });
}

[[nodiscard]] inline Draft draft(std::uint64_t seed, Purpose purpose = Purpose::Propagate)
{
    return Drafter(seed, purpose).run();
}

/// main(a) returns a, which goes from one sharding to others and back to the first on its way.
[[nodiscard]] inline Draft thereAndBack(std::uint64_t seed, Purpose purpose = Purpose::Run)
{
    return Drafter(seed, purpose).runThereAndBack();
}

} // namespace program_texts
