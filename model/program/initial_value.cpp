// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/initial_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/codes.h"
#include "program/element_bits.h"
#include "program/path.h"

namespace shardscope {

namespace {

struct InitialForm {
    std::string_view word;
    std::string_view form;
};

/// By kind.
constexpr std::array<InitialForm, 12> initialForms{ {
    { "zeros", "zeros" },
    { "ones", "ones" },
    { "constant", "constant NUMBER" },
    { "normal", "normal DEVIATION" },
    { "uniform", "uniform FROM TO" },
    { "fan_in", "fan_in" },
    { "xavier", "xavier" },
    { "non_negative", "non_negative" },
    { "integers", "integers BOUND" },
    { "iota", "iota" },
    { "numpy_normal", "numpy_normal SEED FIRST" },
    { "file", "file NAME.npy" },
} };

std::string_view withoutBlanks(std::string_view text)
{
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The next word of `rest`, which it leaves.
std::string_view takeWord(std::string_view& rest)
{
    rest = withoutBlanks(rest);
    const std::string_view word = rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size()));
    rest.remove_prefix(word.size());
    return word;
}

template <class Number>
std::string numberWord(Number number)
{
    std::array<char, 64> room{};
    const auto [end, error] = std::to_chars(room.data(), room.data() + room.size(), number);
    return { room.data(), error == std::errc() ? end : room.data() };
}

/// The numbers before it are all drawn: seconds at most.
constexpr std::int64_t maximumFirstNormal = std::int64_t{ 1 } << 30;

Error initialOutOfRange(std::string_view value, std::vector<Arg> limits)
{
    std::vector<Arg> args{ { "key", "initial" }, { "value", value } };
    args.insert(args.end(), limits.begin(), limits.end());
    return { Code::OutOfRange, std::move(args), {} };
}

template <class Number>
Result<Number> parsedNumber(std::string_view word, std::string_view expected)
{
    Number number{};
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool full = error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
    if constexpr (std::is_floating_point_v<Number>) {
        if (full && std::isfinite(number))
            return number;
    } else if (full) {
        return number;
    }
    return fail(Code::WrongType,
        { { "key", "initial" }, { "found", '"' + std::string(word) + '"' }, { "expected", expected } });
}

/// The numbers after the word of a kind.
template <class Number>
Result<std::vector<Number>> parsedNumbers(
    std::string_view rest, std::string_view kind, std::size_t least, std::size_t most, std::string_view expected)
{
    std::vector<Number> numbers;
    std::size_t found = 0;
    for (std::string_view word = takeWord(rest); !word.empty(); word = takeWord(rest), ++found) {
        if (found >= most)
            continue;
        SHARDSCOPE_TRY(number, parsedNumber<Number>(word, expected));
        numbers.push_back(*number);
    }
    if (found < least || found > most)
        return fail(Code::CountMismatch,
            { { "what", "numbers" }, { "found", found }, { "wanted", found < least ? least : most },
                { "of", std::string(kind) } });
    return numbers;
}

/// The whole numbers that a type of integers or truth values holds, as far as 64 bits do.
std::pair<double, double> heldIntegers(DType dtype)
{
    if (dtype == DType::Pred)
        return { 0, 1 };
    const int bits = elementBits(dtype);
    return isUnsignedInteger(dtype) ? std::pair(0.0, std::ldexp(1.0, bits) - 1)
                                    : std::pair(-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1);
}

} // namespace

const std::vector<std::string>& initialValueForms()
{
    static const std::vector<std::string> forms = [] {
        std::vector<std::string> all;
        for (const InitialForm& each : initialForms)
            all.emplace_back(each.form);
        return all;
    }();
    return forms;
}

std::string toString(const InitialValue& value)
{
    using Kind = InitialValue::Kind;
    std::string text(initialForms[static_cast<std::size_t>(value.kind)].word);
    switch (value.kind) {
    case Kind::Constant:
    case Kind::Normal:
        return text + ' ' + numberWord(value.low);
    case Kind::Uniform:
        return text + ' ' + numberWord(value.low) + ' ' + numberWord(value.high);
    case Kind::Integers:
        if (value.least != 0)
            text += ' ' + numberWord(value.least);
        return text + ' ' + numberWord(value.bound);
    case Kind::NumpyNormal:
        text += ' ' + numberWord(value.least);
        return value.bound == 0 ? text : text + ' ' + numberWord(value.bound);
    case Kind::File:
        return text + ' ' + value.file;
    default:
        return text;
    }
}

Result<InitialValue> parseInitialValue(std::string_view text)
{
    using Kind = InitialValue::Kind;
    std::string_view rest = text;
    const std::string_view word = takeWord(rest);
    const auto found = std::find_if(
        initialForms.begin(), initialForms.end(), [&](const InitialForm& each) { return each.word == word; });
    if (found == initialForms.end()) {
        std::vector<std::string> words;
        for (const InitialForm& each : initialForms)
            words.emplace_back(each.word);
        return fail(Code::UnknownValue,
            { { "key", "initial" }, { "value", text }, { "known", initialValueForms() },
                { "nearest", nearestName(word, words) } });
    }
    InitialValue value;
    value.kind = static_cast<Kind>(found - initialForms.begin());
    switch (value.kind) {
    case Kind::Constant:
    case Kind::Normal: {
        SHARDSCOPE_TRY(numbers, parsedNumbers<double>(rest, word, 1, 1, "a number"));
        value.low = numbers->front();
        if (value.kind == Kind::Normal && value.low < 0)
            return tl::unexpected(initialOutOfRange(withoutBlanks(rest), { { "min", "0" } }));
        return value;
    }
    case Kind::Uniform: {
        SHARDSCOPE_TRY(numbers, parsedNumbers<double>(rest, word, 2, 2, "a number"));
        value.low = numbers->front();
        value.high = numbers->back();
        if (!(value.low < value.high))
            return tl::unexpected(initialOutOfRange(numberWord(value.low), { { "below", numberWord(value.high) } }));
        return value;
    }
    case Kind::Integers: {
        SHARDSCOPE_TRY(numbers, parsedNumbers<std::int64_t>(rest, word, 1, 2, "a whole number"));
        value.least = numbers->size() == 2 ? numbers->front() : 0;
        value.bound = numbers->back();
        if (value.bound <= value.least)
            return tl::unexpected(numbers->size() == 2
                    ? initialOutOfRange(numberWord(value.least), { { "below", numberWord(value.bound) } })
                    : initialOutOfRange(numberWord(value.bound), { { "min", "1" } }));
        return value;
    }
    case Kind::NumpyNormal: {
        SHARDSCOPE_TRY(numbers, parsedNumbers<std::int64_t>(rest, word, 1, 2, "a whole number"));
        value.least = numbers->front();
        value.bound = numbers->size() == 2 ? numbers->back() : 0;
        if (value.least < 0 || value.bound < 0)
            return tl::unexpected(initialOutOfRange(withoutBlanks(rest), { { "min", "0" } }));
        if (value.bound > maximumFirstNormal)
            return tl::unexpected(initialOutOfRange(
                numberWord(value.bound), { { "min", "0" }, { "max", numberWord(maximumFirstNormal) } }));
        return value;
    }
    case Kind::File: {
        value.file = withoutBlanks(rest);
        if (!value.file.ends_with(".npy") && !value.file.ends_with(".npz"))
            return fail(Code::UnknownValue,
                { { "key", "initial" }, { "value", text },
                    { "known", std::vector<std::string>{ "file NAME.npy", "file NAME.npz" } } });
        return value;
    }
    default:
        SHARDSCOPE_CHECK(parsedNumbers<double>(rest, word, 0, 0, "a number"));
        return value;
    }
}

Result<ChosenInitial> parseChosenInitial(std::string_view text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || withoutBlanks(text.substr(0, equals)).empty())
        return fail(Code::Syntax,
            { { "expected", "NAME=KIND, such as \"params/**=normal 0.02\"" },
                { "found", '"' + std::string(text) + '"' }, { "kind", "init" } });
    SHARDSCOPE_TRY(value, parseInitialValue(text.substr(equals + 1)));
    return ChosenInitial{ std::string(withoutBlanks(text.substr(0, equals))), std::move(*value) };
}

bool fitsType(const InitialValue& value, DType dtype)
{
    using Kind = InitialValue::Kind;
    if (!isTensor(dtype))
        return false;
    const bool real = isFloat(realPart(dtype));
    switch (value.kind) {
    case Kind::Zeros:
    case Kind::Ones:
    case Kind::Iota:
    case Kind::File:
        return true;
    case Kind::Constant: {
        if (real)
            return true;
        const auto [least, most] = heldIntegers(dtype);
        return value.low == std::floor(value.low) && value.low >= least && value.low <= most;
    }
    case Kind::Integers: {
        if (real)
            return false;
        const auto [least, most] = heldIntegers(dtype);
        return static_cast<double>(value.least) >= least && static_cast<double>(value.bound) - 1 <= most;
    }
    default:
        return real;
    }
}

std::vector<std::string> initialValueForms(DType dtype)
{
    std::vector<std::string> forms;
    for (std::size_t i = 0; i < initialForms.size(); ++i) {
        InitialValue one;
        one.kind = static_cast<InitialValue::Kind>(i);
        one.bound = 1;
        if (fitsType(one, dtype))
            forms.emplace_back(initialForms[i].form);
    }
    return forms;
}

std::vector<std::string> namesOfArgument(std::size_t number, const std::string& path)
{
    std::vector<std::string> names{ "arg" + std::to_string(number) };
    if (!path.empty() && path != names.front())
        names.push_back(path);
    return names;
}

namespace {

/// `number` as text, `names`: those of the argument.
bool namesOneOf(std::string_view pattern, std::string_view number, const std::vector<std::string>& names)
{
    if (pattern.starts_with('%'))
        pattern.remove_prefix(1);
    const std::string shown = pathAsShown(pattern);
    return pattern == number || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return name == pattern || name == shown || name == "params/" + shown || globMatches(pattern, name)
            || globMatches(shown, name);
    });
}

} // namespace

bool namesArgument(std::string_view pattern, std::size_t number, const std::string& path)
{
    return namesOneOf(pattern, std::to_string(number), namesOfArgument(number, path));
}

std::optional<std::size_t> choiceFor(
    std::span<const ChosenInitial> chosen, std::size_t number, const std::string& path, DType dtype)
{
    if (chosen.empty())
        return std::nullopt;
    const std::string text = std::to_string(number);
    const std::vector<std::string> names = namesOfArgument(number, path);
    for (std::size_t c = chosen.size(); c-- > 0;)
        if (fitsType(chosen[c].value, dtype) && namesOneOf(chosen[c].argument, text, names))
            return c;
    return std::nullopt;
}

} // namespace shardscope
