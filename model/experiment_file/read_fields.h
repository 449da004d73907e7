// SPDX-License-Identifier: GPL-3.0-or-later
// Reads settings that are listed with their keys (experiment/transformer_fields.h).
//
//     readObject(object.find("dims"), [&](const FieldReader& read) { forEachSize(settings, read); });
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "experiment/transformer_fields.h"
#include "experiment_file/file_words.h"
#include "experiment_file/read_support.h"

namespace shardscope {

/// Element types of parameters and activations.
inline const std::vector<std::string>& floatTypeNames()
{
    static const std::vector<std::string> names{ "bf16", "f16", "f32", "f64" };
    return names;
}

/// Reads the keys of one object into the settings that they stand for; what is wrong leaves the default.
class FieldReader {
public:
    explicit FieldReader(ObjectCursor& object)
        : m_object(object)
    {
    }

    void operator()(std::string_view key, std::int64_t& number, const IntegerRange& range) const
    {
        if (const auto value = m_object.find(key))
            number = value->asInteger(range.least, range.most).value_or(number);
    }
    void operator()(std::string_view key, double& number, const RealRange& range) const
    {
        if (const auto value = m_object.find(key))
            number = value->asReal(range.least, range.limit).value_or(number);
    }
    void operator()(std::string_view key, bool& truth) const
    {
        if (const auto value = m_object.find(key))
            truth = value->asBool().value_or(truth);
    }
    void operator()(std::string_view key, DType& dtype) const
    {
        if (const auto value = m_object.find(key))
            readDType(*value, dtype);
    }
    void operator()(std::string_view key, std::optional<DType>& dtype) const
    {
        const auto value = m_object.find(key);
        if (!value || value->isNull())
            return;
        DType read = DType::F32;
        if (readDType(*value, read))
            dtype = read;
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void operator()(std::string_view key, Enum& word) const
    {
        if (const auto value = m_object.find(key))
            if (const auto index = value->asOneOf(file_words::wordsOf(word)))
                word = static_cast<Enum>(*index);
    }

private:
    static bool readDType(const ValueCursor& value, DType& dtype)
    {
        const auto index = value.asOneOf(floatTypeNames());
        if (index)
            dtype = *parseDType(floatTypeNames()[*index]);
        return index.has_value();
    }

    ObjectCursor& m_object;
};

/// The keys of an object, which then knows of no others.
template <class ForEach>
void readObject(const std::optional<ValueCursor>& value, const ForEach& forEach)
{
    if (!value)
        return;
    if (auto object = value->asObject()) {
        forEach(FieldReader(*object));
        object->finish();
    }
}

} // namespace shardscope
