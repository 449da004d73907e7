// SPDX-License-Identifier: GPL-3.0-or-later
// Random whole programs, before they have names: functions that call each other, many families of operations, shardings
// of all kinds wherever they may stand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "split_mix.h"

namespace program_texts {

using Random = shardscope::test::SplitMix;
using Shape = std::vector<int>;

/// An axis, or a part of it: pre 0 = all of it.
struct Part {
    int axis = 0, pre = 0, size = 0;
};
struct Dimension {
    std::vector<Part> axes;
    bool open = true;
    int priority = -1;
};
struct Sharding {
    std::vector<Dimension> dims;
    std::vector<Part> replicated;
    bool isBorder = false; ///< of a manual computation, whose axes have to come first in each dimension
};

/// A program in which "$v12$" is a value, "$f0$" a function, "$m$" the mesh, "$a1$" an axis and "$s3$" a sharding.
struct Draft {
    std::vector<int> axes; ///< sizes
    bool reversedDevices = false;
    std::vector<Sharding> shardings;
    std::string body; ///< functions
    std::uint64_t seed = 0;
};

/// What a draft is for.
enum class Purpose {
    Propagate, ///< shardings count; loops may never end, and foreign operations occur
    /// Results can be computed and are the same on any number of devices: whole numbers, which wrap around and so do
    /// not care in which order they are added up; loops of a few trips; manual computations whose copies are equal.
    Run,
    /// Likewise, of sizes that few axes divide.
    RunUneven,
};

class Drafter {
public:
    explicit Drafter(std::uint64_t seed, Purpose purpose = Purpose::Propagate)
        : m_random(seed * 7919 + 17)
        , m_runs(purpose != Purpose::Propagate)
        , m_uneven(purpose == Purpose::RunUneven)
    {
        m_draft.seed = seed;
    }
    Draft runThereAndBack();
    Draft run()
    {
        drawAxes();
        for (std::size_t i = m_random.below(3); i > 0; --i)
            function(false);
        function(true);
        return std::move(m_draft);
    }

private:
    void drawAxes()
    {
        if (m_uneven) {
            const std::vector<std::vector<int>> meshes{ { 3 }, { 4 }, { 2, 3 }, { 5 }, { 2, 2 }, { 3, 4 }, { 8 },
                { 2, 2, 3 }, { 2, 3, 2 }, { 4, 3, 2 }, { 3, 2, 2 } };
            m_draft.axes = meshes[m_random.below(meshes.size())];
            m_draft.reversedDevices = m_random.once(4);
            return;
        }
        const std::vector<int> sizes{ 2, 2, 2, 3, 4, 4, 8 };
        constexpr int maxDevicesThatRun = 16;
        int devices = 1;
        for (std::size_t i = 1 + m_random.below(3); i > 0; --i) {
            const int size = sizes[m_random.below(sizes.size())];
            if (m_runs && devices * size > maxDevicesThatRun)
                continue;
            devices *= size;
            m_draft.axes.push_back(size);
        }
        m_draft.reversedDevices = m_random.once(4);
    }
    struct Value {
        std::string name;
        Shape shape;
    };
    /// What statements of a body may use.
    struct Scope {
        std::vector<Value> values;
        std::vector<bool> manual; ///< axes that a computation around it has taken over
        std::string indent;
        int depth = 0;
    };
    struct Function {
        std::string name;
        std::vector<Shape> arguments, results;
    };

    std::string fresh() { return "%$v" + std::to_string(m_values++) + "$"; }
    [[nodiscard]] std::string type(const Shape& shape) const { return type(shape, m_runs ? "i32" : "f32"); }
    static std::string type(const Shape& shape, const std::string& element)
    {
        std::string text = "tensor<";
        for (const int size : shape)
            text += std::to_string(size) + 'x';
        return text + element + '>';
    }
    /// A number as a literal of the element type.
    [[nodiscard]] std::string number(int value) const { return std::to_string(value) + (m_runs ? "" : ".0"); }
    static std::string list(const std::vector<int>& numbers)
    {
        std::string text = "[";
        for (std::size_t i = 0; i < numbers.size(); ++i)
            text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
        return text + ']';
    }
    Shape anyShape()
    {
        const std::vector<int> sizes =
            m_uneven ? std::vector{ 1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 12 } : std::vector{ 1, 2, 4, 6, 8, 8, 12, 16 };
        Shape shape;
        for (std::size_t i = 1 + m_random.below(3); i > 0; --i)
            shape.push_back(sizes[m_random.below(sizes.size())]);
        return shape;
    }
    std::string add(Sharding sharding)
    {
        m_draft.shardings.push_back(std::move(sharding));
        return "$s" + std::to_string(m_draft.shardings.size() - 1) + "$";
    }
    /// Any valid one of the axes that are not taken over.
    std::string anySharding(std::size_t rank, const std::vector<bool>& manual)
    {
        std::vector<Part> parts;
        for (int a = 0; a < static_cast<int>(m_draft.axes.size()); ++a) {
            const int size = m_draft.axes[static_cast<std::size_t>(a)];
            if (manual[static_cast<std::size_t>(a)])
                continue;
            if (size > 3 && size % 2 == 0 && m_random.once(3)) {
                parts.push_back({ a, 1, 2 });
                parts.push_back({ a, 2, size / 2 });
            } else {
                parts.push_back({ a, 0, size });
            }
        }
        Sharding made;
        made.dims.resize(rank);
        const std::size_t elsewhere = m_uneven && m_random.once(2) ? 1 : 3; // then most axes cut a dimension
        while (!parts.empty()) {
            const std::size_t pick = m_random.below(parts.size());
            const Part part = parts[pick];
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(pick));
            const std::size_t place = m_random.below(rank + elsewhere);
            std::vector<Part>* to = place < rank ? &made.dims[place].axes : place == rank ? &made.replicated : nullptr;
            // The two halves of an axis in a row would be written as the axis.
            if (to && (to->empty() || to->back().axis != part.axis || to->back().pre == 0 || part.pre < 2))
                to->push_back(part);
        }
        std::sort(made.replicated.begin(), made.replicated.end(),
            [](const Part& a, const Part& b) { return std::pair(a.axis, a.pre) < std::pair(b.axis, b.pre); });
        for (std::size_t i = 1; i < made.replicated.size(); ++i)
            if (made.replicated[i].axis == made.replicated[i - 1].axis)
                made.replicated.erase(made.replicated.begin() + static_cast<std::ptrdiff_t>(i--));
        for (Dimension& dim : made.dims) {
            dim.open = !m_random.once(4);
            if (m_random.once(5) && (dim.open || !dim.axes.empty()))
                dim.priority = static_cast<int>(m_random.below(3));
        }
        return add(std::move(made));
    }

    void line(Scope& scope, const std::string& text) { m_draft.body += scope.indent + text + '\n'; }
    /// A statement with one result: "%name = text", with a sharding of its own now and then (behind "@@").
    Value& put(Scope& scope, std::string text, Shape shape)
    {
        Value value{ fresh(), std::move(shape) };
        const std::size_t mark = text.find(" @@");
        std::string own;
        if (m_random.once(8))
            own = " {sdy.sharding = #sdy.sharding_per_value<[" + anySharding(value.shape.size(), scope.manual) + "]>}";
        if (mark != std::string::npos)
            text.replace(mark, 3, own);
        line(scope, value.name + " = " + text);
        scope.values.push_back(value);
        return scope.values.back();
    }
    Value any(Scope& scope) { return m_random.of(scope.values); }
    Value alike(Scope& scope, const Shape& shape)
    {
        std::vector<Value> same;
        for (const Value& value : scope.values)
            if (value.shape == shape)
                same.push_back(value);
        return same.empty() ? put(scope, "stablehlo.constant @@ dense<" + number(1) + "> : " + type(shape), shape)
                            : m_random.of(same);
    }

    void function(bool isMain);
    void statements(Scope& scope, std::size_t count)
    {
        for (; count > 0; --count)
            statement(scope);
    }
    void statement(Scope& scope);
    void reshape(Scope& scope, const Value& a);
    void product(Scope& scope, const Value& a);
    void dataFlow(Scope& scope);
    void group(Scope& scope, const Value& a);
    void loop(Scope& scope, const Value& a);
    void branch(Scope& scope, const Value& a);
    void manual(Scope& scope, const Value& a);
    void named(Scope& scope, const Value& a);
    void call(Scope& scope);
    bool movement(Scope& scope, const Value& a);
    void countedLoop(Scope& scope, const Value& a);
    void honestManual(Scope& scope, const Value& a);
    [[nodiscard]] Scope inside(const Scope& scope, bool isolated) const
    {
        Scope made = scope;
        if (isolated)
            made.values.clear();
        made.indent += "  ";
        ++made.depth;
        return made;
    }

    Random m_random;
    bool m_runs = false, m_uneven = false;
    Draft m_draft;
    int m_values = 0;
    std::vector<Function> m_functions;
    std::vector<Shape> m_groups; ///< shapes of the members of each
};

inline void Drafter::function(bool isMain)
{
    Function made{ isMain ? "main" : "$f" + std::to_string(m_functions.size()) + "$", {}, {} };
    Scope scope;
    scope.manual.assign(m_draft.axes.size(), false);
    scope.indent = "    ";
    std::string head = "  func.func " + std::string(isMain ? "public" : "private") + " @" + made.name + '(';
    for (std::size_t i = 1 + m_random.below(3); i > 0; --i) {
        scope.values.push_back({ fresh(), anyShape() });
        const Value& value = scope.values.back();
        head += (made.arguments.empty() ? "" : ", ") + value.name + ": " + type(value.shape);
        if (!m_random.once(isMain ? 3 : 2))
            head += " {sdy.sharding = #sdy.sharding" + anySharding(value.shape.size(), scope.manual) + '}';
        made.arguments.push_back(value.shape);
    }
    std::string outside = std::move(m_draft.body);
    m_draft.body.clear();
    statements(scope, isMain ? 3 + m_random.below(8) : 1 + m_random.below(4));
    std::string names, types, results;
    for (std::size_t i = 1 + m_random.below(2); i > 0; --i) {
        const Value value = m_random.once(3) ? any(scope) : scope.values.back();
        names += (names.empty() ? "" : ", ") + value.name;
        types += (types.empty() ? "" : ", ") + type(value.shape);
        results += (results.empty() ? "" : ", ") + type(value.shape);
        if (m_random.once(3))
            results += " {sdy.sharding = #sdy.sharding" + anySharding(value.shape.size(), scope.manual) + '}';
        made.results.push_back(value.shape);
    }
    m_draft.body = outside + head + ") -> (" + results + ") {\n" + m_draft.body + "    return " + names + " : " + types
        + "\n  }\n";
    m_functions.push_back(std::move(made));
}

inline void Drafter::statement(Scope& scope)
{
    const Value a = any(scope);
    const std::string t = type(a.shape);
    const int rank = static_cast<int>(a.shape.size());
    const std::string mapping = " : (" + t + ") -> ";
    if (m_runs && m_random.once(4) && movement(scope, a))
        return;
    switch (m_random.below(18)) {
    case 0: {
        const std::vector<std::string> kinds{ m_runs ? "not" : "tanh", "abs", "negate",
            m_runs ? "sign" : "exponential" };
        put(scope, "stablehlo." + kinds[m_random.below(4)] + ' ' + a.name + " @@ : " + t, a.shape);
        break;
    }
    case 1:
    case 2:
    case 3: {
        const std::vector<std::string> kinds{ "add", "multiply", "maximum", "subtract" };
        const Value b = alike(scope, a.shape);
        put(scope, "stablehlo." + kinds[m_random.below(4)] + ' ' + a.name + ", " + b.name + " @@ : " + t, a.shape);
        break;
    }
    case 4:
    case 5:
        product(scope, a);
        break;
    case 6: {
        std::vector<int> order;
        Shape shape;
        for (int d = 0; d < rank; ++d)
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(m_random.below(order.size() + 1)), d);
        for (const int d : order)
            shape.push_back(a.shape[static_cast<std::size_t>(d)]);
        put(scope, "stablehlo.transpose " + a.name + ", dims = " + list(order) + " @@" + mapping + type(shape), shape);
        break;
    }
    case 7:
        reshape(scope, a);
        break;
    case 8: {
        if (rank == 0 || rank > 3)
            break;
        const auto d = static_cast<int>(m_random.below(static_cast<std::size_t>(rank)));
        // The largest and the smallest of numbers and an initial value, now and then.
        const std::size_t kind = m_uneven ? m_random.below(6) : 0;
        const std::string start = number(kind == 1 ? -5 : kind == 2 ? 5 : kind == 3 ? 1 : kind == 4 ? -1 : 0);
        const std::string zero = put(scope, "stablehlo.constant dense<" + start + "> : " + type({}), {}).name;
        const std::vector<std::string> kinds{ "add", "maximum", "minimum", "multiply", "and", "add" };
        Shape shape = a.shape;
        shape.erase(shape.begin() + d);
        put(scope,
            "stablehlo.reduce(" + a.name + " init: " + zero + ") applies stablehlo." + kinds[kind]
                + " across dimensions = " + list({ d }) + " : (" + t + ", " + type({}) + ") -> " + type(shape),
            shape);
        break;
    }
    case 9: {
        if (rank > 2)
            break;
        std::vector<int> dims;
        Shape shape = a.shape;
        shape.insert(shape.begin(), 4);
        for (int d = 0; d < rank; ++d)
            dims.push_back(d + 1);
        put(scope, "stablehlo.broadcast_in_dim " + a.name + ", dims = " + list(dims) + " @@" + mapping + type(shape),
            shape);
        break;
    }
    case 10: {
        if (rank == 0)
            break;
        const Value b = alike(scope, a.shape);
        const std::size_t d = m_random.below(a.shape.size());
        Shape shape = a.shape;
        shape[d] *= 2;
        put(scope,
            "stablehlo.concatenate " + a.name + ", " + b.name + ", dim = " + std::to_string(d) + " @@ : (" + t + ", "
                + t + ") -> " + type(shape),
            shape);
        break;
    }
    case 11: {
        if (rank == 0)
            break;
        Shape shape = a.shape;
        std::string ranges;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const int begin = shape[d] > 1 && m_random.once(2) ? shape[d] / 2 : 0;
            ranges += (d == 0 ? "" : ", ") + std::to_string(begin) + ':' + std::to_string(shape[d]);
            shape[d] -= begin;
        }
        put(scope, "stablehlo.slice " + a.name + " [" + ranges + "] @@" + mapping + type(shape), shape);
        break;
    }
    case 12:
        put(scope, "sdy.sharding_constraint " + a.name + ' ' + anySharding(a.shape.size(), scope.manual) + " : " + t,
            a.shape);
        break;
    case 13: {
        const std::vector<std::string> ways{ "FORWARD", "BACKWARD", "NONE" };
        put(scope, "sdy.propagation_barrier " + a.name + " allowed_direction=" + ways[m_random.below(3)] + " : " + t,
            a.shape);
        break;
    }
    case 14:
        if (rank > 0 && m_random.once(2))
            put(scope,
                "stablehlo.reverse " + a.name + ", dims = " + list({ static_cast<int>(m_random.below(a.shape.size())) })
                    + " @@ : " + t,
                a.shape);
        else if (!m_runs)
            put(scope, "stablehlo.custom_call @$c$(" + a.name + ") @@" + mapping + t, a.shape);
        break;
    case 15:
        if (!m_functions.empty())
            call(scope);
        break;
    default:
        dataFlow(scope);
    }
}

inline void Drafter::reshape(Scope& scope, const Value& a)
{
    Shape shape;
    if (a.shape.size() > 1 && m_random.once(2)) {
        const std::size_t merged = m_random.below(a.shape.size() - 1);
        for (std::size_t d = 0; d < a.shape.size(); ++d)
            if (d == merged + 1)
                shape.back() *= a.shape[d];
            else
                shape.push_back(a.shape[d]);
    } else {
        bool split = false;
        for (const int size : a.shape) {
            if (!split && size % 2 == 0 && a.shape.size() < 4) {
                const int part = size % 4 == 0 && m_random.once(2) ? 4 : 2;
                shape.push_back(part);
                shape.push_back(size / part);
                split = true;
            } else {
                shape.push_back(size);
            }
        }
    }
    put(scope, "stablehlo.reshape " + a.name + " @@ : (" + type(a.shape) + ") -> " + type(shape), shape);
}

inline void Drafter::product(Scope& scope, const Value& a)
{
    // Contracts one dimension with an equal one of another value; in a row of equal leading dimensions some are
    // batches.
    if (a.shape.empty())
        return;
    const int lhs = static_cast<int>(m_random.below(a.shape.size()));
    const int contracted = a.shape[static_cast<std::size_t>(lhs)];
    std::vector<std::pair<Value, int>> fits;
    for (const Value& b : scope.values)
        for (std::size_t d = 0; d < b.shape.size(); ++d)
            if (b.shape[d] == contracted && a.shape.size() + b.shape.size() < 6)
                fits.emplace_back(b, static_cast<int>(d));
    if (fits.empty())
        fits.emplace_back(alike(scope, { contracted, 8 }), 0);
    const auto [b, rhs] = m_random.of(fits);
    const bool batched = lhs > 0 && rhs > 0 && a.shape[0] == b.shape[0] && m_random.once(2);
    Shape shape;
    if (batched)
        shape.push_back(a.shape[0]);
    for (std::size_t d = batched ? 1 : 0; d < a.shape.size(); ++d)
        if (static_cast<int>(d) != lhs)
            shape.push_back(a.shape[d]);
    for (std::size_t d = batched ? 1 : 0; d < b.shape.size(); ++d)
        if (static_cast<int>(d) != rhs)
            shape.push_back(b.shape[d]);
    put(scope,
        "stablehlo.dot_general " + a.name + ", " + b.name + (batched ? ", batching_dims = [0] x [0]" : "")
            + ", contracting_dims = " + list({ lhs }) + " x " + list({ rhs }) + " @@ : (" + type(a.shape) + ", "
            + type(b.shape) + ") -> " + type(shape),
        shape);
}

} // namespace program_texts
