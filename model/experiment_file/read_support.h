// SPDX-License-Identifier: GPL-3.0-or-later
// The strict reader's tools: a cursor on a value that knows its JSON pointer, and one on an object that knows which of
// its keys were read, so that the others can be reported and kept.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiment/experiment.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/json_text.h"

namespace shardscope {

/// Findings that are listed of one file: nobody reads more at once. The others are counted.
inline constexpr std::size_t maximumFindings = 50;

struct ReadContext {
    std::vector<Diagnostic> errors;
    std::vector<Diagnostic> warnings;
    std::vector<std::pair<std::string, std::string>> innerNotes;
    std::set<UnknownKey> unknownKeys;
    std::size_t unknownWithoutWarning = 0; ///< of unknownKeys: those after the first maximumFindings of an object
    FileSource files;
};

class ObjectCursor;

/// A value in its place. The as...() functions report what is wrong and give nothing then.
class ValueCursor {
public:
    ValueCursor(ReadContext& context, const JsonNode& node, std::string pointer, std::string key)
        : m_context(&context)
        , m_node(&node)
        , m_pointer(std::move(pointer))
        , m_key(std::move(key))
    {
    }

    /// The same value by another name in messages.
    [[nodiscard]] ValueCursor called(std::string name) const
    {
        ValueCursor same = *this;
        same.m_key = std::move(name);
        return same;
    }
    [[nodiscard]] const JsonNode& node() const { return *m_node; }
    [[nodiscard]] const std::string& pointer() const { return m_pointer; }
    [[nodiscard]] ReadContext& context() const { return *m_context; }
    [[nodiscard]] JsonNode::Type type() const { return m_node->type; }
    [[nodiscard]] bool isNull() const { return type() == JsonNode::Type::Null; }

    void report(Code code, std::vector<Arg> args) const;
    /// WrongType: `expected` is what would be right ("a string"); what stands there is described from the value.
    void wrongType(std::string expected) const;

    [[nodiscard]] std::optional<std::string> asString() const;
    /// A name of a mesh axis, a logical axis or an array: not empty, no control characters.
    [[nodiscard]] std::optional<std::string> asName() const;
    /// A name that is no reserved word.
    [[nodiscard]] std::optional<std::string> asAxisName() const;
    [[nodiscard]] std::optional<bool> asBool() const;
    [[nodiscard]] std::optional<std::int64_t> asInteger(std::int64_t minimum = std::numeric_limits<std::int64_t>::min(),
        std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) const;
    [[nodiscard]] bool isBeyondIntegers() const; ///< a whole number that 64 bits do not hold
    [[nodiscard]] std::optional<std::uint64_t> asNatural() const;
    /// From minimum up to, but not including, limit.
    [[nodiscard]] std::optional<double> asReal(double minimum, double limit) const;
    /// The index of a string among the known ones; UnknownValue with the nearest one otherwise.
    [[nodiscard]] std::optional<std::size_t> asOneOf(const std::vector<std::string>& known) const;
    /// The elements of a list. WrongType for anything else, TooLarge beyond `limit` ("what" names the elements).
    [[nodiscard]] std::optional<std::vector<ValueCursor>> asList(std::string_view what, std::size_t limit) const;
    [[nodiscard]] std::optional<ObjectCursor> asObject() const;

private:
    [[nodiscard]] std::string shownNumber() const; ///< the beginning of a number with very many digits
    ReadContext* m_context;
    const JsonNode* m_node;
    std::string m_pointer;
    std::string m_key; ///< of the innermost object, for messages
};

class ObjectCursor {
public:
    explicit ObjectCursor(const ValueCursor& value)
        : m_value(value)
        , m_read(value.node().children.size(), false)
    {
    }

    [[nodiscard]] std::optional<ValueCursor> find(std::string_view key);
    /// MissingKey if it is absent.
    [[nodiscard]] std::optional<ValueCursor> require(std::string_view key);
    /// Reads what is there; what is absent or wrong leaves the target as it is.
    void read(std::string_view key, bool& target);
    void read(std::string_view key, std::uint64_t& target);
    void read(std::string_view key, std::int64_t& target, std::int64_t minimum, std::int64_t maximum);
    /// `words` are those of the enumeration, in its order.
    template <class Enumeration>
    void read(std::string_view key, const std::vector<std::string>& words, Enumeration& target)
    {
        const std::optional<ValueCursor> value = find(key);
        if (const auto index = value ? value->asOneOf(words) : std::nullopt)
            target = static_cast<Enumeration>(*index);
    }
    /// The object's `notes`, and a warning for every key that nobody asked for; both are kept to be written back.
    void finish();

private:
    ValueCursor m_value;
    std::vector<bool> m_read;
    std::vector<std::string> m_known;
};

/// Of an object whose keys are names: `visit` takes each name with its value.
template <class Visit>
void forEachNamed(const ValueCursor& value, const Visit& visit)
{
    std::optional<ObjectCursor> object = value.asObject();
    if (!object)
        return;
    for (const JsonNode& node : value.node().children) {
        if (node.key == "notes")
            continue;
        static_cast<void>(object->find(node.key));
        visit(node.key, ValueCursor(value.context(), node, pointerTo(value.pointer(), node.key), node.key));
    }
    object->finish();
}

/// Reads every object of a list by `read(ObjectCursor&)`; WrongType for elements that are no object. Errors of the
/// list: those of asList().
template <class Read>
void forEachObject(const ValueCursor& list, std::string_view what, std::size_t limit, const Read& read)
{
    const auto elements = list.asList(what, limit);
    if (!elements)
        return;
    for (const ValueCursor& element : *elements)
        if (std::optional<ObjectCursor> object = element.asObject()) {
            read(*object);
            object->finish();
        }
}

} // namespace shardscope
