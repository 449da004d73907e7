// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/read_support.h"

#include <algorithm>
#include <cmath>

#include "base/codes.h"
#include "base/text.h"
#include "experiment/reserved_names.h"

namespace shardscope {

namespace {

using Type = JsonNode::Type;

Where whereOf(TextPosition at, std::string pointer)
{
    return { {}, at.line, at.column, std::move(pointer), {} };
}

/// The first characters of a text that may be long.
std::string beginning(const std::string& text)
{
    std::size_t length = std::min<std::size_t>(text.size(), 40);
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
        --length; // never within a character
    return length < text.size() ? text.substr(0, length) + "…" : text;
}

/// "the number 4.5", "a list": what stands in the file, for people.
std::string described(const JsonNode& node)
{
    switch (node.type) {
    case Type::Null:
        return "null";
    case Type::Boolean:
        return node.boolean ? "true" : "false";
    case Type::Integer:
    case Type::Real:
        return "the number " + beginning(node.text);
    case Type::String:
        return node.text.empty() ? "an empty string" : "the string " + quoteJson(beginning(node.text));
    case Type::Array:
        return node.children.empty() ? "an empty list" : "a list";
    case Type::Object:
        break;
    }
    return "an object";
}

} // namespace

void ValueCursor::report(Code code, std::vector<Arg> args) const
{
    m_context->errors.push_back({ code, std::move(args), whereOf(m_node->at, m_pointer) });
}

void ValueCursor::wrongType(std::string expected) const
{
    report(Code::WrongType, { { "key", m_key }, { "expected", std::move(expected) }, { "found", described(*m_node) } });
}

std::optional<std::string> ValueCursor::asString() const
{
    if (type() == Type::String)
        return m_node->text;
    wrongType("a string");
    return std::nullopt;
}

std::optional<std::string> ValueCursor::asName() const
{
    if (type() == Type::String && isValidName(m_node->text))
        return m_node->text;
    wrongType(type() == Type::String ? "a name that is not empty and has no control characters" : "a name in quotes");
    return std::nullopt;
}

std::optional<std::string> ValueCursor::asAxisName() const
{
    auto name = asName();
    if (name != unconstrainedWord)
        return name;
    report(Code::WrongType,
        { { "key", m_key }, { "expected", "another name" }, { "found", *name + ", which is a reserved word" } });
    return std::nullopt;
}

std::optional<bool> ValueCursor::asBool() const
{
    if (type() == Type::Boolean)
        return m_node->boolean;
    wrongType("true or false");
    return std::nullopt;
}

std::optional<std::int64_t> ValueCursor::asInteger(std::int64_t minimum, std::int64_t maximum) const
{
    if (type() != Type::Integer) {
        wrongType("a whole number");
        return std::nullopt;
    }
    const auto value = wholeNumber<std::int64_t>(m_node->text);
    if (value && *value >= minimum && *value <= maximum)
        return value;
    report(Code::OutOfRange, { { "key", m_key }, { "value", shownNumber() }, { "min", minimum }, { "max", maximum } });
    return std::nullopt;
}

bool ValueCursor::isBeyondIntegers() const
{
    return type() == Type::Integer && !wholeNumber<std::int64_t>(m_node->text);
}

std::string ValueCursor::shownNumber() const
{
    return m_node->text.substr(0, 40);
}

std::optional<std::uint64_t> ValueCursor::asNatural() const
{
    if (type() != Type::Integer) {
        wrongType("a whole number");
        return std::nullopt;
    }
    const auto value = wholeNumber<std::uint64_t>(m_node->text);
    if (!value)
        report(Code::OutOfRange,
            { { "key", m_key }, { "value", shownNumber() }, { "min", 0 }, { "max", "18446744073709551615" } });
    return value;
}

std::optional<double> ValueCursor::asReal(double minimum, double limit) const
{
    if (type() != Type::Integer && type() != Type::Real) {
        wrongType("a number");
        return std::nullopt;
    }
    const auto value = wholeNumber<double>(m_node->text);
    if (value && *value >= minimum && *value < limit)
        return value;
    std::vector<Arg> args{ { "key", m_key }, { "value", shownNumber() }, { "min", minimum } };
    if (std::isfinite(limit))
        args.emplace_back("below", limit);
    report(Code::OutOfRange, std::move(args));
    return std::nullopt;
}

std::optional<std::size_t> ValueCursor::asOneOf(const std::vector<std::string>& known) const
{
    const auto text = asString();
    if (!text)
        return std::nullopt;
    const auto found = std::find(known.begin(), known.end(), *text);
    if (found != known.end())
        return static_cast<std::size_t>(found - known.begin());
    report(Code::UnknownValue, withNearest({ { "key", m_key }, { "value", *text }, { "known", known } }, *text, known));
    return std::nullopt;
}

std::optional<std::vector<ValueCursor>> ValueCursor::asList(std::string_view what, std::size_t limit) const
{
    if (type() != Type::Array) {
        wrongType("a list");
        return std::nullopt;
    }
    const std::vector<JsonNode>& children = m_node->children;
    if (children.size() > limit) {
        report(Code::TooLarge, { { "what", what }, { "count", children.size() }, { "limit", limit } });
        return std::nullopt;
    }
    std::vector<ValueCursor> elements;
    elements.reserve(children.size());
    for (std::size_t i = 0; i < children.size(); ++i)
        elements.emplace_back(*m_context, children[i], pointerTo(m_pointer, i), m_key);
    return elements;
}

std::optional<ObjectCursor> ValueCursor::asObject() const
{
    if (type() == Type::Object)
        return ObjectCursor(*this);
    wrongType("an object");
    return std::nullopt;
}

std::optional<ValueCursor> ObjectCursor::find(std::string_view key)
{
    m_known.emplace_back(key);
    const std::vector<JsonNode>& children = m_value.node().children;
    for (std::size_t i = 0; i < children.size(); ++i) {
        if (children[i].key != key)
            continue;
        m_read[i] = true;
        return ValueCursor(m_value.context(), children[i], pointerTo(m_value.pointer(), key), std::string(key));
    }
    return std::nullopt;
}

std::optional<ValueCursor> ObjectCursor::require(std::string_view key)
{
    auto found = find(key);
    if (!found)
        m_value.context().errors.push_back(
            { Code::MissingKey, { { "key", key } }, whereOf(m_value.node().at, pointerTo(m_value.pointer(), key)) });
    return found;
}

void ObjectCursor::read(std::string_view key, bool& target)
{
    if (const auto value = find(key))
        target = value->asBool().value_or(target);
}

void ObjectCursor::read(std::string_view key, std::uint64_t& target)
{
    if (const auto value = find(key))
        target = value->asNatural().value_or(target);
}

void ObjectCursor::read(std::string_view key, std::int64_t& target, std::int64_t minimum, std::int64_t maximum)
{
    if (const auto value = find(key))
        target = value->asInteger(minimum, maximum).value_or(target);
}

void ObjectCursor::finish()
{
    ReadContext& context = m_value.context();
    const std::vector<JsonNode>& children = m_value.node().children;
    if (const auto notes = find("notes"))
        if (const auto text = notes->asString(); text && !text->empty())
            context.innerNotes.emplace_back(m_value.pointer(), *text);
    std::size_t warned = 0;
    std::string before; // the key before it that a save writes
    for (std::size_t i = 0; i < children.size(); ++i) {
        const JsonNode& child = children[i];
        if (!m_read[i]) {
            if (++warned <= maximumFindings)
                context.warnings.push_back(
                    { Code::UnknownKey, withNearest({ { "key", child.key }, { "known", m_known } }, child.key, m_known),
                        whereOf(child.keyAt, pointerTo(m_value.pointer(), child.key)) });
            else
                ++context.unknownWithoutWarning;
            context.unknownKeys.insert({ m_value.pointer(), child.key, before, printInline(child) });
        }
        const bool emptyNotes = m_read[i] && child.key == "notes" && child.text.empty();
        if (!emptyNotes)
            before = child.key;
    }
}

} // namespace shardscope
