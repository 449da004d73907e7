// SPDX-License-Identifier: GPL-3.0-or-later
// The members of a plain struct as a tuple of references, so that what treats all alike (hashing) need not list them.
//
//     struct Pair { int first; double second; };
//     std::apply([](const auto&... member) { ... }, fieldsOf(Pair{ 1, 2.5 }));
#pragma once

#include <cstddef>
#include <cstdlib>
#include <tuple>
#include <type_traits>
#include <utility>

namespace shardscope {

namespace detail {

template <class Owner>
struct AnyField {
    template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Owner>) operator T() const { std::abort(); } // is never called
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>)
{
    return requires
    {
        T{ ((void)I, AnyField<T>())... };
    };
}

template <class T, std::size_t N = 1>
constexpr std::size_t fieldCount()
{
    if constexpr (takes<T>(std::make_index_sequence<N + 1>()))
        return fieldCount<T, N + 1>();
    else
        return N;
}

} // namespace detail

/// T is an aggregate without base classes and arrays, with at most 9 members or 17.
template <class T>
constexpr auto fieldsOf(const T& value)
{
    constexpr std::size_t count = detail::fieldCount<T>();
    static_assert(std::is_aggregate_v<T> && count <= 17);
    if constexpr (count == 1) {
        const auto& [a] = value;
        return std::tie(a);
    } else if constexpr (count == 2) {
        const auto& [a, b] = value;
        return std::tie(a, b);
    } else if constexpr (count == 3) {
        const auto& [a, b, c] = value;
        return std::tie(a, b, c);
    } else if constexpr (count == 4) {
        const auto& [a, b, c, d] = value;
        return std::tie(a, b, c, d);
    } else if constexpr (count == 5) {
        const auto& [a, b, c, d, e] = value;
        return std::tie(a, b, c, d, e);
    } else if constexpr (count == 6) {
        const auto& [a, b, c, d, e, f] = value;
        return std::tie(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
        const auto& [a, b, c, d, e, f, g] = value;
        return std::tie(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
        const auto& [a, b, c, d, e, f, g, h] = value;
        return std::tie(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
        const auto& [a, b, c, d, e, f, g, h, i] = value;
        return std::tie(a, b, c, d, e, f, g, h, i);
    } else {
        static_assert(count == 17, "add a branch for structs of that size");
        const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = value;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
    }
}

} // namespace shardscope
