// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/checker.h"

namespace shardscope::conformance {

namespace {

std::string excerpt(const Json& value)
{
    constexpr std::size_t limit = 200;
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > limit)
        text = text.substr(0, limit) + "...";
    return text;
}

} // namespace

std::string difference(const Json& expected, const Json& actual, const std::string& path)
{
    if (expected == actual)
        return {};
    if (expected.is_object() && actual.is_object()) {
        for (const auto& [key, value] : expected.items()) {
            if (!actual.contains(key))
                return path + "/" + key + ": expected " + excerpt(value) + ", got nothing";
            if (std::string inner = difference(value, actual[key], path + "/" + key); !inner.empty())
                return inner;
        }
        for (const auto& [key, value] : actual.items())
            if (!expected.contains(key))
                return path + "/" + key + ": expected nothing, got " + excerpt(value);
        return {};
    }
    if (expected.is_array() && actual.is_array() && expected.size() == actual.size()) {
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (std::string inner = difference(expected[i], actual[i], path + "/" + std::to_string(i)); !inner.empty())
                return inner;
        return {};
    }
    return path + ": expected " + excerpt(expected) + ", got " + excerpt(actual);
}

CaseResult compareMembers(const Json& oneCase, const Json& actual)
{
    for (const auto& [key, value] : actual.items()) {
        if (!oneCase.contains(key))
            return CaseResult::failed("/" + key + ": expected nothing, got " + excerpt(value));
        if (std::string found = difference(oneCase[key], value, "/" + key); !found.empty())
            return CaseResult::failed(std::move(found));
    }
    return CaseResult::passed();
}

} // namespace shardscope::conformance
