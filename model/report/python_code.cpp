// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/python_code.h"

#include <algorithm>

#include "base/text.h"
#include "sharding/text.h"

namespace shardscope {

std::string quotedPython(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            quoted += '\\';
        constexpr std::string_view digits = "0123456789abcdef";
        if (const auto code = static_cast<unsigned char>(c); c == '\n')
            quoted += "\\n";
        else if (code < 0x20)
            quoted += { '\\', 'x', digits[code / 16], digits[code % 16] };
        else
            quoted += c;
    }
    return quoted + '"';
}

std::string pythonComment(const std::string& text)
{
    return "  # " + onOneLine(text);
}

std::string ShardingWriter::code(PartitionSpec spec, std::optional<MemoryKind> kind)
{
    for (SpecEntry& entry : spec.entries) {
        m_leavesOpen = m_leavesOpen || entry.kind == SpecEntry::Kind::Unconstrained;
        shorten(entry);
    }
    std::string text = "NamedSharding(mesh, " + toJax(canonical(spec));
    if (kind)
        text += ", memory_kind=" + quotedPython(toString(*kind));
    return text + ')';
}

std::vector<std::string> ShardingWriter::leftOut() const
{
    std::vector<std::string> names;
    for (const MeshAxis& axis : m_mesh.axes())
        if (m_leftOut.contains(axis.name))
            names.push_back(axis.name);
    return names;
}

void ShardingWriter::shorten(SpecEntry& entry)
{
    if (m_split && !entry.axes.empty()) {
        std::vector<std::string> subAxes;
        for (const std::string& axis : entry.axes)
            for (std::string& subAxis : m_split->axesOf(axis))
                subAxes.push_back(std::move(subAxis));
        entry = SpecEntry::tuple(std::move(subAxes));
    }
    for (const std::string& axis : entry.axes)
        if (!m_mesh.axisIndex(axis))
            m_parts.insert(axis);
    if (entry.axes.empty())
        return;
    std::erase_if(entry.axes, [this](const std::string& name) {
        const auto& axes = m_mesh.axes();
        const bool isOne = std::any_of(
            axes.begin(), axes.end(), [&name](const MeshAxis& axis) { return axis.name == name && axis.size == 1; });
        if (isOne)
            m_leftOut.insert(name);
        return isOne;
    });
    if (entry.axes.empty())
        entry = SpecEntry::none();
}

} // namespace shardscope
