// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of a model's configuration, and what its reader makes of each. A reader asks for values one after the other;
// once one is wrong, error() says so, and all that follow are defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/hugging_face.h"
#include "sharding/literal.h"

namespace shardscope {

/// What an object has under a key; null for none, and of other values.
[[nodiscard]] const Literal* memberOf(const Literal& object, std::string_view key);

class ConfigFields {
public:
    /// Adds the members of an object, with `prefix` before their keys. A key that an object before it had stays as it
    /// is there. Errors: DuplicateKey, WrongType.
    [[nodiscard]] Result<void> add(const Literal& object, const std::string& prefix = {});
    /// Adds the members of the object under a key as "key.member"; nothing where it is absent.
    void addInner(const std::string& key);
    /// Named in messages.
    void setArchitecture(std::string name) { m_architecture = std::move(name); }

    /// The value, which has not been looked at by that; null where it is absent.
    [[nodiscard]] const Literal* peek(std::string_view key) const;
    /// The value, which counts as used; null where it is absent or null.
    const Literal* take(std::string_view key);
    [[nodiscard]] bool has(std::string_view key) { return take(key) != nullptr; }

    /// A size from 1 to 2^31 - 1. Without a fallback (0) it is an error where it is absent.
    std::int64_t size(std::string_view key, std::int64_t fallback = 0);
    /// A number from 0 to 2^31 - 1; 0 where it is absent.
    std::int64_t count(std::string_view key);
    /// A finite number of at least 0.
    double real(std::string_view key, double fallback);
    bool flag(std::string_view key, bool fallback);
    std::string word(std::string_view key, const std::string& fallback);

    /// The key says nothing about shapes or operations here.
    void ignore(std::string_view key);
    /// A warning where the key is there and its value neither turns off what it is for nor is `neutral`.
    void leaveOut(std::string_view key, std::string_view neutral = {});
    /// Likewise, of a part of the model that has parameters of its own.
    void leaveOutPart(std::string_view key, std::string_view neutral = {});
    /// An error in that case.
    void refuse(std::string_view key, std::string_view neutral = {});
    /// UnknownValue for a value that was taken.
    void unknownValue(std::string_view key, const std::string& value, std::vector<std::string> known);
    /// ContradictoryFields, at the first key that the file has.
    void contradict(
        std::string_view key, std::int64_t value, std::string_view other, std::int64_t otherValue, const char* wrong);

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// Lists every key, and warns of those that nobody asked for.
    void finish(ReadHuggingFace& result);

private:
    enum class Treatment : std::uint8_t { Unread, Used, Ignored, LeftOut };
    struct Field {
        std::string key;
        const Literal* keyLiteral;
        const Literal* value;
        Treatment treatment = Treatment::Unread;
        std::size_t object = 0; ///< number of the object that it is from
    };

    Field* find(std::string_view key);
    [[nodiscard]] Where whereOf(std::string_view key) const;
    void report(Code code, std::vector<Arg> args, Where where);
    void wrongType(std::string_view key, const char* expected, const Literal& found);
    void assume(std::string_view key, std::string value);
    /// The field where its value neither turns something off nor is neutral.
    Field* findOn(std::string_view key, std::string_view neutral);
    std::int64_t toSize(std::string_view key, const Literal& value, std::int64_t least);

    std::string m_architecture;
    std::vector<Field> m_fields;
    std::map<std::string, std::size_t, std::less<>> m_index;
    std::vector<std::string> m_asked; ///< keys that the reader knows
    std::vector<ConfigField> m_overridden, m_assumed;
    std::vector<Diagnostic> m_warnings;
    std::optional<Error> m_error;
    std::size_t m_objects = 0;
    Where m_begin; ///< of the first object
};

} // namespace shardscope
