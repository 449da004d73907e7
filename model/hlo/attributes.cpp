// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/attributes.h"

#include <algorithm>
#include <array>

#include "base/codes.h"
#include "base/text.h"
#include "hlo/scanner.h"

namespace shardscope {

namespace {

using hlo::Scanner;

Scanner over(const HloModule& module, TextSpan span, mlir::FirstError& firstError)
{
    return { module.text, span.begin, std::size_t{ span.begin } + span.length, firstError };
}

Result<std::optional<std::int64_t>> numberOf(const HloModule& module, const HloAttribute* attribute)
{
    if (!attribute)
        return std::nullopt;
    mlir::FirstError firstError;
    Scanner s = over(module, attribute->value, firstError);
    std::int64_t value = 0;
    if (!s.integer(value) || (!s.atEnd() && !s.expected("the end of the number")))
        return tl::unexpected(std::move(*firstError.error));
    return value;
}

/// Attributes that name computations.
constexpr std::array<std::string_view, 12> callingAttributes{ "to_apply", "calls", "body", "condition",
    "branch_computations", "true_computation", "false_computation", "select", "scatter", "called_computations",
    "async_execution", "comparator" };

int octalDigit(char c)
{
    return c >= '0' && c <= '7' ? c - '0' : -1;
}

} // namespace

std::string hloUnescaped(std::string_view inside)
{
    std::string out;
    out.reserve(inside.size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
        if (inside[i] != '\\' || i + 1 >= inside.size()) {
            out += inside[i];
            continue;
        }
        const char next = inside[++i];
        const auto digit = [&](std::size_t offset) { return i + offset < inside.size() ? inside[i + offset] : '\0'; };
        if (octalDigit(next) >= 0 && octalDigit(digit(1)) >= 0 && octalDigit(digit(2)) >= 0) {
            out += static_cast<char>(octalDigit(next) * 64 + octalDigit(digit(1)) * 8 + octalDigit(digit(2)));
            i += 2;
        } else if (next == 'x' && hexDigit(digit(1)) >= 0 && hexDigit(digit(2)) >= 0) {
            out += static_cast<char>(hexDigit(digit(1)) * 16 + hexDigit(digit(2)));
            i += 2;
        } else {
            out += next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
        }
    }
    return out;
}

Result<std::optional<std::vector<std::int64_t>>> hloNumbers(
    const HloModule& module, const HloInstruction& instruction, std::string_view name)
{
    const HloAttribute* attribute = module.attribute(instruction, name);
    if (!attribute)
        return std::nullopt;
    mlir::FirstError firstError;
    Scanner s = over(module, attribute->value, firstError);
    std::vector<std::int64_t> values;
    if (!s.integers('{', '}', values) || (!s.atEnd() && !s.expected("the end of the numbers")))
        return tl::unexpected(std::move(*firstError.error));
    return values;
}

Result<std::optional<std::int64_t>> hloNumber(
    const HloModule& module, const HloInstruction& instruction, std::string_view name)
{
    return numberOf(module, module.attribute(instruction, name));
}

Result<std::optional<std::int64_t>> hloNumber(const HloModule& module, std::string_view name)
{
    return numberOf(module, module.moduleAttribute(name));
}

bool hloFlag(const HloModule& module, const HloInstruction& instruction, std::string_view name)
{
    const HloAttribute* attribute = module.attribute(instruction, name);
    return attribute && module.view(attribute->value) == "true";
}

std::string hloText(const HloModule& module, const HloInstruction& instruction, std::string_view name)
{
    const HloAttribute* attribute = module.attribute(instruction, name);
    if (!attribute)
        return {};
    const std::string_view value = module.view(attribute->value);
    if (value.size() < 2 || value.front() != '"' || value.back() != '"')
        return std::string(value);
    return hloUnescaped(value.substr(1, value.size() - 2));
}

HloPlace hloPlace(const HloModule& module, std::uint32_t frame)
{
    HloPlace place;
    if (frame == 0 || frame > module.frames.size())
        return place;
    const std::uint32_t location = module.frames[frame - 1].location;
    if (location == 0 || location > module.locations.size())
        return place;
    const HloFileLocation& found = module.locations[location - 1];
    place.line = found.line;
    if (found.file > 0 && found.file <= module.fileNames.size())
        place.file = module.view(module.fileNames[found.file - 1]);
    if (found.function > 0 && found.function <= module.functionNames.size())
        place.function = module.view(module.functionNames[found.function - 1]);
    return place;
}

HloMetadata hloMetadata(const HloModule& module, const HloInstruction& instruction)
{
    HloMetadata metadata;
    const HloAttribute* attribute = module.attribute(instruction, "metadata");
    if (!attribute)
        return metadata;
    // What cannot be read of it is left out: nothing depends on it.
    mlir::FirstError firstError;
    Scanner s = over(module, attribute->value, firstError);
    HloPlace place;
    (void)s.accept('{');
    while (true) {
        (void)s.accept(',');
        const std::string_view key = s.view(s.word());
        if (key.empty() || !s.accept('='))
            break;
        if (s.peek() == '"') {
            TextSpan inside;
            if (!s.quoted(inside))
                break;
            if (key == "op_name")
                metadata.opName = hloUnescaped(module.view(inside));
            else if (key == "source_file")
                place.file = module.view(inside);
        } else if (s.peek() == '{') {
            if (!s.skipBrackets())
                break;
        } else {
            const std::int64_t value = wholeNumber<std::int64_t>(s.view(s.word())).value_or(0);
            if (key == "source_line")
                place.line = value;
            else if (key == "stack_frame_id")
                metadata.frame = static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, noHloIndex));
        }
    }
    metadata.place = hloPlace(module, metadata.frame);
    if (metadata.place.line == 0)
        metadata.place = place;
    return metadata;
}

std::vector<std::string_view> hloShardingTexts(std::string_view text)
{
    std::vector<std::string_view> parts;
    std::string_view inner = text;
    if (inner.size() < 2 || inner.front() != '{' || inner.find_first_not_of(" \n", 1) == std::string_view::npos
        || inner[inner.find_first_not_of(" \n", 1)] != '{')
        return { text };
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 1; i + 1 < inner.size(); ++i) {
        if (inner[i] == '{' && depth++ == 0)
            begin = i;
        else if (inner[i] == '}' && --depth == 0)
            parts.push_back(inner.substr(begin, i + 1 - begin));
    }
    return parts;
}

Result<std::vector<HloSharding>> hloShardings(const HloModule& module, const HloInstruction& instruction)
{
    std::vector<HloSharding> shardings;
    const HloAttribute* attribute = module.attribute(instruction, "sharding");
    if (!attribute)
        return shardings;
    for (const std::string_view text : hloShardingTexts(module.view(attribute->value))) {
        Result<HloSharding> read = parseHlo(text);
        if (!read)
            return fail(read.error().code, std::move(read.error().args), module.placeOf(attribute->value.begin));
        shardings.push_back(std::move(*read));
    }
    return shardings;
}

std::optional<std::string> hloFrontendAttribute(
    const HloModule& module, const HloAttribute* attributes, std::string_view name)
{
    if (!attributes)
        return std::nullopt;
    mlir::FirstError firstError;
    Scanner s = over(module, attributes->value, firstError);
    if (!s.accept('{'))
        return std::nullopt;
    while (s.peek() != '}') {
        TextSpan key;
        if (s.peek() == '"' ? !s.quoted(key) : (key = s.word()).length == 0)
            break;
        if (!s.accept('='))
            break;
        s.skipBlanks();
        const std::size_t begin = s.position();
        if (!s.skipValue())
            break;
        if (s.view(key) == name) {
            const std::string_view value = s.view(s.since(begin));
            return value.size() > 1 && value.front() == '"' ? hloUnescaped(value.substr(1, value.size() - 2))
                                                            : std::string(value);
        }
        if (!s.accept(','))
            break;
    }
    return std::nullopt;
}

std::optional<std::int64_t> knownTripCount(const HloModule& module, const HloInstruction& instruction)
{
    const HloAttribute* attribute = module.attribute(instruction, "backend_config");
    if (!attribute)
        return std::nullopt;
    // JSON, or JSON in a string: {"known_trip_count":{"n":"32"}}
    constexpr std::string_view key = "known_trip_count";
    std::string_view text = module.view(attribute->value);
    const std::size_t found = text.find(key);
    if (found == std::string_view::npos)
        return std::nullopt;
    text.remove_prefix(found + key.size());
    text = text.substr(0, text.find('}'));
    const std::size_t digits = text.find_first_of("0123456789");
    if (digits == std::string_view::npos)
        return std::nullopt;
    text.remove_prefix(digits);
    return wholeNumber<std::int64_t>(text.substr(0, text.find_first_not_of("0123456789")));
}

Result<std::vector<HloCall>> calledBy(const HloModule& module, const HloInstruction& instruction)
{
    std::vector<HloCall> calls;
    for (const HloAttribute& attribute : module.attributesOf(instruction)) {
        const std::string_view name = module.view(attribute.name);
        if (std::find(callingAttributes.begin(), callingAttributes.end(), name) == callingAttributes.end())
            continue;
        mlir::FirstError firstError;
        Scanner s = over(module, attribute.value, firstError);
        const bool isList = s.accept('{');
        while (!s.atEnd() && s.peek() != '}') {
            const TextSpan called = s.name();
            if (called.length == 0)
                break;
            const std::uint32_t index = module.computationNamed(module.view(called));
            if (index != noHloIndex)
                calls.push_back({ name, index });
            else if (!module.endsEarly)
                return fail(Code::UndefinedName, { { "what", "computation" }, { "name", module.view(called) } },
                    module.placeOf(called.begin));
            if (!isList || !s.accept(','))
                break;
        }
    }
    return calls;
}

Result<std::vector<HloAlias>> hloAliases(const HloModule& module)
{
    std::vector<HloAlias> aliases;
    const HloAttribute* attribute = module.moduleAttribute("input_output_alias");
    if (!attribute)
        return aliases;
    mlir::FirstError firstError;
    Scanner s = over(module, attribute->value, firstError);
    const auto readAlias = [&] { // {0}: (3, {}, may-alias)
        HloAlias& alias = aliases.emplace_back();
        if (!s.integers('{', '}', alias.result) || !s.require(':'))
            return false;
        if (!s.accept('('))
            return s.integer(alias.argument);
        if (!s.integer(alias.argument) || !s.require(',') || !s.integers('{', '}', alias.part))
            return false;
        if (s.accept(','))
            alias.must = s.view(s.word()) == "must-alias";
        return s.require(')');
    };
    const auto readAll = [&] {
        if (!s.require('{'))
            return false;
        while (!s.accept('}')) {
            if (!readAlias())
                return false;
            if (!s.accept(',') && s.peek() != '}')
                return s.expected("“}”");
        }
        return true;
    };
    if (!readAll())
        return tl::unexpected(std::move(*firstError.error));
    return aliases;
}

} // namespace shardscope
