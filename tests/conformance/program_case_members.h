// SPDX-License-Identifier: GPL-3.0-or-later
// Members of a JSON object, by name.
#pragma once

#include "conformance/program_case_attributes.h"

namespace shardscope::conformance {

/// Reads members and remembers what was read.
class Members {
public:
    Members(const Json& attrs, Json& rest)
        : m_attrs(attrs)
        , m_rest(rest)
    {
    }
    /// Null where it is absent.
    const Json& operator[](const char* name)
    {
        static const Json nothing;
        const auto found = m_attrs.find(name);
        if (found == m_attrs.end())
            return nothing;
        m_rest.erase(name);
        return *found;
    }
    Dimensions dims(const char* name, std::size_t count = 0, std::int64_t otherwise = 0)
    {
        return dimsOf((*this)[name], count, otherwise);
    }
    static Dimensions dimsOf(const Json& json, std::size_t count = 0, std::int64_t otherwise = 0)
    {
        Dimensions result(count, otherwise);
        const Json& list = json.is_object() && json.contains("dense") ? json["dense"] : json;
        if (list.is_array()) {
            result.clear();
            for (const Json& entry : list)
                result.push_back(entry.get<std::int64_t>());
        } else if (list.is_number()) {
            for (std::int64_t& entry : result)
                entry = list.get<std::int64_t>();
        }
        return result;
    }
    std::int64_t number(const char* name, std::int64_t otherwise = 0)
    {
        const Json& found = (*this)[name];
        return found.is_null() ? otherwise : found.get<std::int64_t>();
    }
    bool flag(const char* name, bool otherwise = false)
    {
        const Json& found = (*this)[name];
        return found.is_null() ? otherwise : found.get<bool>();
    }
    std::string text(const char* name)
    {
        const Json& found = (*this)[name];
        return found.is_null() ? std::string() : found.get<std::string>();
    }

private:
    const Json& m_attrs;
    Json& m_rest;
};

/// Attributes of Shardy's operations; none for others.
[[nodiscard]] Attributes readShardyAttributes(
    OpKind kind, Members& members, const Json& operation, const ShardingReaders& readers);

} // namespace shardscope::conformance
