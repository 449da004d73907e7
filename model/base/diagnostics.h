// SPDX-License-Identifier: GPL-3.0-or-later
// Errors, warnings and information as values.
//
// A diagnostic has a stable code, a place and named arguments, and no sentence: the sentence is made from the code
// and the arguments in words/, so that the window and the command line say the same thing in the same language.
// The codes are in base/codes.h.
//
//     return fail(Code::Indivisible, { { "dim", 0 }, { "size", 10 }, { "partitions", 4 } });
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

/// Hands an error on; of a result nothing else is used: SHARDSCOPE_CHECK(checkShape(type)).
#define SHARDSCOPE_CHECK(...)                                                                                          \
    do {                                                                                                               \
        if (auto&& checked = (__VA_ARGS__); !checked)                                                                  \
            return tl::unexpected(checked.error());                                                                    \
    } while (false)
/// Declares a result that holds a value, `*spec`, or hands its error on: SHARDSCOPE_TRY(spec, parseSpec(text)).
#define SHARDSCOPE_TRY(name, ...)                                                                                      \
    auto name = __VA_ARGS__;                                                                                           \
    if (!name) {                                                                                                       \
        return tl::unexpected(std::move(name.error()));                                                                \
    }

namespace shardscope {

enum class Severity : std::uint8_t { Error, Warning, Info };

/// What a diagnostic says. The codes themselves are in base/codes.h, which only those include that name one: a new code
/// then does not rebuild everything that can fail.
enum class Code : std::uint16_t;

/// One row of the registry. `kind` is the short machine name under which reference data and JSON output list it.
struct CodeRow {
    Code code;
    std::string_view id; ///< "E101"
    Severity severity;
    std::string_view kind; ///< "not_divisible"
    std::string_view summary; ///< a few words, for lists of codes
};

[[nodiscard]] std::span<const CodeRow> codeRegistry();
[[nodiscard]] const CodeRow& codeRow(Code code);

/// Copied by way of Arg, which is safe when memory runs out.
using ArgValue = std::variant<std::int64_t, double, std::string, std::vector<std::string>>;

struct Arg {
    std::string name;
    ArgValue value;

    // When the copy of such a variant throws, libstdc++ 12 destroys what was not made: it takes strings and vectors for
    // types that never leave a variant empty. Making the one alternative is safe.
    Arg(const Arg& other)
        : name(other.name)
        , value(std::visit([](const auto& held) { return ArgValue(held); }, other.value))
    {
    }
    Arg(Arg&&) = default;
    Arg& operator=(const Arg& other)
    {
        Arg copy(other);
        return *this = std::move(copy);
    }
    Arg& operator=(Arg&&) = default;

    Arg(std::string n, std::string v)
        : name(std::move(n))
        , value(std::move(v))
    {
    }
    Arg(std::string n, std::vector<std::string> v)
        : name(std::move(n))
        , value(std::move(v))
    {
    }
    Arg(std::string n, double v)
        : name(std::move(n))
        , value(v)
    {
    }
    template <std::integral T>
    Arg(std::string n, T v)
        : name(std::move(n))
        , value(static_cast<std::int64_t>(v))
    {
    }
    Arg(std::string n, const char* v)
        : name(std::move(n))
        , value(std::string(v))
    {
    }
    Arg(std::string n, std::string_view v)
        : name(std::move(n))
        , value(std::string(v))
    {
    }
    bool operator==(const Arg&) const = default;
};

/// Where a diagnostic belongs. Every part is optional; line and column count from 1, 0 means unknown.
struct Where {
    std::string file;
    int line = 0;
    int column = 0;
    std::string pointer; ///< JSON pointer into the experiment, "/mesh/axes/0/1"
    std::string path; ///< tensor path, "params/layers.0/W1"
    int dimension = -1; ///< dimension of that tensor
    bool operator==(const Where&) const = default;
};

struct Diagnostic {
    Code code;
    std::vector<Arg> args;
    Where where;

    [[nodiscard]] Severity severity() const { return codeRow(code).severity; }
    [[nodiscard]] std::string_view id() const { return codeRow(code).id; }
    [[nodiscard]] std::string_view kind() const { return codeRow(code).kind; }
    /// The argument of that name, or null.
    [[nodiscard]] const ArgValue* arg(std::string_view name) const;
    /// The argument as text or number; a neutral value when it is absent or of another type.
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
    bool operator==(const Diagnostic&) const = default;
};

using Error = Diagnostic;

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(Code code, std::vector<Arg> args = {}, Where where = {})
{
    return tl::unexpected<Error>(Error{ code, std::move(args), std::move(where) });
}

/// The known name that is meant by `name`: the shortest that begins with it, else the nearest by edit distance; "" when
/// none is near enough.
[[nodiscard]] std::string nearestName(std::string_view name, std::span<const std::string> known);
/// The arguments with "nearest", if there is a known name near enough.
[[nodiscard]] std::vector<Arg> withNearest(
    std::vector<Arg> args, std::string_view name, std::span<const std::string> known);

} // namespace shardscope
