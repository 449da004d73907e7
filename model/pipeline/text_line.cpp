// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/text_line.h"

#include <algorithm>
#include <cctype>

namespace shardscope {

namespace {

bool isNamePart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '-';
}

/// After the brackets that begin at `at`; the end of the line where they do not close.
std::size_t afterBrackets(std::string_view line, std::size_t at)
{
    int depth = 0;
    for (std::size_t i = at; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            const std::size_t close = line.find('"', i + 1);
            if (close == std::string_view::npos)
                return line.size();
            i = close;
        } else if (c == '<' || c == '[' || c == '{' || c == '(') {
            ++depth;
        } else if ((c == '>' && (i == 0 || line[i - 1] != '-')) || c == ']' || c == '}' || c == ')') {
            if (--depth == 0)
                return i + 1;
        }
    }
    return line.size();
}

class Splitter {
public:
    Splitter(std::string_view line, const Mesh* mesh)
        : m_line(line)
        , m_mesh(mesh)
    {
    }
    std::vector<TextPart> run()
    {
        using Role = TextPart::Role;
        std::size_t quietEnd = 0;
        constexpr std::string_view sharding = "sdy.sharding";
        for (std::size_t at = 0; at < m_line.size();) {
            const char c = m_line[at];
            const Role usual = at < quietEnd ? Role::Quiet : Role::Plain;
            if (c == '"') {
                const std::size_t close = std::min(m_line.find('"', at + 1), m_line.size() - 1);
                const int axis = m_mesh ? axisNamed(m_line.substr(at + 1, close - at - 1)) : -1;
                if (axis >= 0 && close > at) {
                    add(at, at + 1, usual);
                    add(at + 1, close, Role::Axis, axis);
                    add(close, close + 1, usual);
                } else {
                    add(at, close + 1, usual);
                }
                at = close + 1;
            } else if (c == '/' && m_line.substr(at).starts_with("//")) {
                add(at, m_line.size(), Role::Quiet);
                at = m_line.size();
            } else if (c == '%') {
                const std::size_t end = nameEnd(at + 1);
                add(at, end, Role::Value);
                at = end;
            } else if (c == '{' && at >= quietEnd && m_line.substr(at + 1).starts_with(sharding)) {
                quietEnd = afterBrackets(m_line, at);
                add(at, at + 1, Role::Quiet);
                ++at;
            } else if (m_line.substr(at).starts_with("loc(")) {
                quietEnd = std::max(quietEnd, afterBrackets(m_line, at + 3));
                add(at, at + 4, Role::Quiet);
                at += 4;
            } else {
                add(at, at + 1, usual);
                ++at;
            }
        }
        return std::move(m_parts);
    }

private:
    [[nodiscard]] std::size_t nameEnd(std::size_t at) const
    {
        while (at < m_line.size() && isNamePart(m_line[at]))
            ++at;
        return at;
    }
    [[nodiscard]] int axisNamed(std::string_view name) const
    {
        for (std::size_t axis = 0; axis < m_mesh->rank(); ++axis)
            if (m_mesh->axis(axis).name == name)
                return static_cast<int>(axis);
        return -1;
    }
    void add(std::size_t begin, std::size_t end, TextPart::Role role, int axis = -1)
    {
        if (begin >= end)
            return;
        if (!m_parts.empty() && m_parts.back().role == role && role != TextPart::Role::Value
            && m_parts.back().axis == axis && m_parts.back().end == begin)
            m_parts.back().end = end;
        else
            m_parts.push_back({ begin, end, role, axis });
    }

    std::string_view m_line;
    const Mesh* m_mesh;
    std::vector<TextPart> m_parts;
};

} // namespace

std::vector<TextPart> textParts(std::string_view line, const Mesh* mesh)
{
    return Splitter(line, mesh).run();
}

std::string_view valueNameAt(std::string_view line, std::size_t at)
{
    for (std::size_t sign = line.find('%'); sign != std::string_view::npos && sign <= at;
         sign = line.find('%', sign + 1)) {
        std::size_t end = sign + 1;
        while (end < line.size() && isNamePart(line[end]))
            ++end;
        if (at < end && end > sign + 1)
            return line.substr(sign, end - sign);
    }
    return {};
}

} // namespace shardscope
