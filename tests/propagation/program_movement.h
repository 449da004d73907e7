// SPDX-License-Identifier: GPL-3.0-or-later
// Random statements of programs that are to be run: what moves elements about, loops that end, manual computations
// whose copies are equal.
#pragma once

#include "propagation/program_drafter.h"

namespace program_texts {

/// Whether a statement was written.
inline bool Drafter::movement(Scope& scope, const Value& a)
{
    const std::size_t rank = a.shape.size();
    if (rank == 0)
        return false;
    const std::string t = type(a.shape);
    const std::size_t d = m_random.below(rank);
    const auto scalar = [&](int value) {
        return put(scope, "stablehlo.constant dense<" + std::to_string(value) + "> : " + type({}), {}).name;
    };
    // Starts of a slice, some of them out of range: they are moved back into it.
    const auto starts = [&] {
        std::string names;
        for (std::size_t i = 0; i < rank; ++i)
            names += ", " + scalar(static_cast<int>(m_random.below(static_cast<std::size_t>(a.shape[i]) + 2)) - 1);
        return names;
    };
    const auto scalarTypes = [&] {
        std::string types;
        for (std::size_t i = 0; i < rank; ++i)
            types += ", " + type({});
        return types;
    };
    const auto smaller = [&] {
        Shape shape = a.shape;
        for (int& size : shape)
            size = size > 1 && m_random.once(2) ? size / 2 : size;
        return shape;
    };
    switch (m_random.below(8)) {
    case 0: {
        Shape shape = a.shape;
        Shape low(rank), high(rank), inner(rank);
        for (std::size_t i = 0; i < rank; ++i) {
            low[i] = static_cast<int>(m_random.below(4)) - 1;
            high[i] = static_cast<int>(m_random.below(3));
            inner[i] = m_random.once(4) ? 1 : 0;
            shape[i] += low[i] + high[i] + inner[i] * (shape[i] - 1);
            if (shape[i] < 1 || shape[i] > 32)
                return false;
        }
        const std::string value = scalar(7);
        put(scope,
            "stablehlo.pad " + a.name + ", " + value + ", low = " + list(low) + ", high = " + list(high)
                + ", interior = " + list(inner) + " @@ : (" + t + ", " + type({}) + ") -> " + type(shape),
            shape);
        return true;
    }
    case 1: {
        const Shape shape = smaller();
        const std::string at = starts();
        put(scope,
            "stablehlo.dynamic_slice " + a.name + at + ", sizes = " + list(shape) + " @@ : (" + t + scalarTypes()
                + ") -> " + type(shape),
            shape);
        return true;
    }
    case 2: {
        const Value update = alike(scope, smaller());
        const std::string at = starts();
        put(scope,
            "stablehlo.dynamic_update_slice " + a.name + ", " + update.name + at + " @@ : (" + t + ", "
                + type(update.shape) + scalarTypes() + ") -> " + t,
            a.shape);
        return true;
    }
    case 3:
        put(scope, "stablehlo.iota dim = " + std::to_string(d) + " @@ : " + t, a.shape);
        return true;
    case 4: {
        const Value b = alike(scope, a.shape);
        const std::string flags = fresh();
        line(scope,
            flags + " = stablehlo.compare LT, " + a.name + ", " + b.name + ", SIGNED : (" + t + ", " + t + ") -> "
                + type(a.shape, "i1"));
        put(scope,
            "stablehlo.select " + flags + ", " + b.name + ", " + a.name + " @@ : " + type(a.shape, "i1") + ", " + t,
            a.shape);
        return true;
    }
    case 5: {
        const std::string left = fresh(), right = fresh(), flag = fresh(), zero = type({});
        put(scope,
            "\"stablehlo.sort\"(" + a.name + ") <{dimension = " + std::to_string(d) + " : i64, is_stable = true}> ({\n"
                + scope.indent + "^bb0(" + left + ": " + zero + ", " + right + ": " + zero + "):\n" + scope.indent
                + "  " + flag + " = stablehlo.compare LT, " + left + ", " + right + ", SIGNED : (" + zero + ", " + zero
                + ") -> tensor<i1>\n" + scope.indent + "  stablehlo.return " + flag + " : tensor<i1>\n" + scope.indent
                + "}) : (" + t + ") -> " + t,
            a.shape);
        return true;
    }
    case 6: {
        // Rows by number, some of the numbers out of range.
        const int count = m_random.once(2) ? 4 : 6;
        std::string numbers;
        for (int i = 0; i < count; ++i)
            numbers += (i == 0 ? "" : ", ")
                + std::to_string(static_cast<int>(m_random.below(static_cast<std::size_t>(a.shape[0]) + 2)) - 1);
        const Value index = put(scope, "stablehlo.constant dense<[" + numbers + "]> : " + type({ count }), { count });
        Shape shape = a.shape, sizes = a.shape;
        shape[0] = count;
        sizes[0] = 1;
        std::vector<int> offsets;
        std::string sizeText;
        for (std::size_t i = 0; i < rank; ++i) {
            sizeText += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
            if (i > 0)
                offsets.push_back(static_cast<int>(i));
        }
        put(scope,
            "\"stablehlo.gather\"(" + a.name + ", " + index.name
                + ") <{dimension_numbers = #stablehlo.gather<offset_dims = " + list(offsets)
                + ", collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
                  "indices_are_sorted = false, slice_sizes = array<i64: "
                + sizeText + ">}> : (" + t + ", " + type({ count }) + ") -> " + type(shape),
            shape);
        return true;
    }
    default: {
        // Sums over windows of three, as long as before.
        if (a.shape[d] < 3)
            return false;
        std::string window, low;
        for (std::size_t i = 0; i < rank; ++i) {
            window += (i == 0 ? "" : ", ") + std::string(i == d ? "3" : "1");
            low += (i == 0 ? "[" : ", [") + std::string(i == d ? "1, 1]" : "0, 0]");
        }
        const std::string zero = scalar(0), left = fresh(), right = fresh(), sum = fresh(), s = type({});
        put(scope,
            "\"stablehlo.reduce_window\"(" + a.name + ", " + zero + ") <{padding = dense<[" + low + "]> : tensor<"
                + std::to_string(rank) + "x2xi64>, window_dimensions = array<i64: " + window + ">}> ({\n" + scope.indent
                + "^bb0(" + left + ": " + s + ", " + right + ": " + s + "):\n" + scope.indent + "  " + sum
                + " = stablehlo.add " + left + ", " + right + " : " + s + '\n' + scope.indent + "  stablehlo.return "
                + sum + " : " + s + '\n' + scope.indent + "}) : (" + t + ", " + s + ") -> " + t,
            a.shape);
        return true;
    }
    }
}

inline void Drafter::countedLoop(Scope& scope, const Value& a)
{
    const Value b = any(scope);
    const std::string s = type({}), types = type(a.shape) + ", " + type(b.shape);
    const std::string result = fresh(), first = fresh(), second = fresh(), count = fresh(), flag = fresh();
    const std::string next = fresh();
    const std::string zero = put(scope, "stablehlo.constant dense<0> : " + s, {}).name;
    const std::string one = put(scope, "stablehlo.constant dense<1> : " + s, {}).name;
    const std::string trips =
        put(scope, "stablehlo.constant dense<" + std::to_string(m_random.below(4)) + "> : " + s, {}).name;
    line(scope,
        result + ":3 = stablehlo.while(" + count + " = " + zero + ", " + first + " = " + a.name + ", " + second + " = "
            + b.name + ") : " + s + ", " + types);
    line(scope, "cond {");
    line(scope,
        "  " + flag + " = stablehlo.compare LT, " + count + ", " + trips + ", SIGNED : (" + s + ", " + s
            + ") -> tensor<i1>");
    line(scope, "  stablehlo.return " + flag + " : tensor<i1>");
    line(scope, "} do {");
    Scope body = inside(scope, false);
    body.values.push_back({ first, a.shape });
    body.values.push_back({ second, b.shape });
    statements(body, 1 + m_random.below(3));
    line(body, next + " = stablehlo.add " + count + ", " + one + " : " + s);
    const std::string newFirst = alike(body, a.shape).name, newSecond = alike(body, b.shape).name;
    line(body, "stablehlo.return " + next + ", " + newFirst + ", " + newSecond + " : " + s + ", " + types);
    line(scope, "}");
    scope.values.push_back({ result + "#1", a.shape });
    scope.values.push_back({ result + "#2", b.shape });
}

inline void Drafter::honestManual(Scope& scope, const Value& a)
{
    // What comes out lies as what goes in, and each element depends on its own place alone.
    std::vector<int> taken;
    for (int axis = 0; axis < static_cast<int>(m_draft.axes.size()); ++axis)
        if (!scope.manual[static_cast<std::size_t>(axis)] && m_random.once(2))
            taken.push_back(axis);
    if (taken.empty())
        return;
    Sharding boundary;
    boundary.dims.resize(a.shape.size());
    boundary.isBorder = true;
    Shape local = a.shape;
    std::string axes;
    for (const int axis : taken) {
        const int size = m_draft.axes[static_cast<std::size_t>(axis)];
        const std::size_t d = m_random.below(a.shape.size() + 1);
        if (d < local.size() && local[d] % size == 0) {
            local[d] /= size;
            boundary.dims[d].axes.push_back({ axis, 0, size });
        } else {
            boundary.replicated.push_back({ axis, 0, size });
        }
        axes += (axes.empty() ? "" : ", ") + ("\"$a" + std::to_string(axis)) + "$\"";
    }
    for (Dimension& dim : boundary.dims)
        dim.open = !m_random.once(4);
    const std::string in = add(boundary), out = add(boundary), argument = fresh(), doubled = fresh(), flipped = fresh();
    const std::string result = fresh();
    line(scope,
        result + " = sdy.manual_computation(" + a.name + ") in_shardings=[" + in + "] out_shardings=[" + out
            + "] manual_axes={" + axes + "} (" + argument + ": " + type(local) + ") {");
    line(scope, "  " + doubled + " = stablehlo.add " + argument + ", " + argument + " : " + type(local));
    line(scope, "  " + flipped + " = stablehlo.not " + doubled + " : " + type(local));
    line(scope, "  sdy.return " + flipped + " : " + type(local));
    line(scope, "} : (" + type(a.shape) + ") -> " + type(a.shape));
    scope.values.push_back({ result, a.shape });
}

} // namespace program_texts
