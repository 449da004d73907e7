// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in parameter_table.h.
#include "interchange/csv_text.h"
#include "interchange/parameter_table.h"
#include "interchange/table_builder.h"

namespace shardscope {

namespace {

std::string pythonName(const LogicalName& name)
{
    if (name.kind == LogicalName::Kind::Name)
        return quotedJson(name.name);
    return name.kind == LogicalName::Kind::None ? "None" : "P.UNCONSTRAINED";
}

/// A name that needs no quotes in a plain list, and is not taken for something else there.
bool isPlain(const LogicalName& name)
{
    if (name.kind != LogicalName::Kind::Name)
        return name.kind == LogicalName::Kind::None;
    const std::string& text = name.name;
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (text.empty() || !letter(text.front()) || text == "None" || text == "null" || text.ends_with("UNCONSTRAINED"))
        return false;
    for (const char c : text)
        if (!letter(c) && !(c >= '0' && c <= '9'))
            return false;
    return true;
}

std::string shapeText(const Shape& shape, const char* separator)
{
    std::string text;
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : separator) + std::to_string(shape[i]);
    return text;
}

} // namespace

std::string namesText(const LogicalNames& names)
{
    bool plain = true;
    for (const LogicalName& name : names)
        plain = plain && isPlain(name);
    std::string text;
    for (const LogicalName& name : names) {
        if (!text.empty())
            text += plain ? "," : ", ";
        text += !plain ? pythonName(name) : name.kind == LogicalName::Kind::None ? "None" : name.name;
    }
    if (plain)
        return text;
    return "(" + text + (names.size() == 1 ? ",)" : ")");
}

std::string writeCsvTable(const std::vector<ParameterRow>& rows)
{
    std::string text = "path,shape,dtype,names\n";
    for (const ParameterRow& row : rows)
        text += csvLine(
            { row.path, shapeText(row.type.shape, "x"), std::string(name(row.type.dtype)), namesText(row.names) });
    return text;
}

std::string writeJsonTable(const std::vector<ParameterRow>& rows)
{
    std::string text = "[";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ParameterRow& row = rows[i];
        std::string names;
        for (const LogicalName& each : row.names) {
            names += names.empty() ? "" : ", ";
            names += each.kind == LogicalName::Kind::None ? "null"
                : each.kind == LogicalName::Kind::Name    ? pythonName(each)
                                                          : "\"P.UNCONSTRAINED\"";
        }
        text += (i == 0 ? "\n" : ",\n") + std::string("  { \"path\": ") + quotedJson(row.path) + ", \"shape\": ["
            + shapeText(row.type.shape, ", ") + "], \"dtype\": \"" + std::string(name(row.type.dtype))
            + "\", \"names\": [" + names + "] }";
    }
    return text + "\n]\n";
}

} // namespace shardscope
