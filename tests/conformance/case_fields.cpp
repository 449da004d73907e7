// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/case_fields.h"

#include <algorithm>
#include <stdexcept>

namespace shardscope::conformance {

namespace {

constexpr const char* anyKey = "*";

void addLeaves(const Json& value, const Json::json_pointer& at, const std::vector<std::string>& path,
    std::vector<CaseLeaf>& leaves)
{
    if (value.empty() || !value.is_structured()) {
        leaves.push_back({ at, path, &value });
        return;
    }
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            std::vector<std::string> inner = path;
            inner.push_back(key);
            addLeaves(member, at / key, inner, leaves);
        }
        return;
    }
    std::vector<std::string> inner = path;
    if (inner.empty() || inner.back() != anyKey)
        inner.emplace_back(anyKey);
    for (std::size_t i = 0; i < value.size(); ++i)
        addLeaves(value[i], at / i, inner, leaves);
}

std::vector<std::string> pathOfName(const std::string& name)
{
    std::vector<std::string> path{ std::string() };
    for (const char c : name) {
        if (c == '.')
            path.emplace_back();
        else
            path.back() += c;
    }
    return path;
}

bool fits(const std::vector<std::string>& name, const std::vector<std::string>& path)
{
    return name.size() <= path.size()
        && std::equal(name.begin(), name.end(), path.begin(),
            [](const std::string& own, const std::string& key) { return own == anyKey || own == key; });
}

} // namespace

std::vector<CaseLeaf> leavesOf(const Json& oneCase)
{
    std::vector<CaseLeaf> leaves;
    for (const auto& [key, value] : oneCase.items())
        addLeaves(value, Json::json_pointer() / key, { key }, leaves);
    return leaves;
}

std::string nameOfPath(const std::vector<std::string>& path)
{
    std::string name;
    for (const std::string& key : path)
        name += (name.empty() ? "" : ".") + key;
    return name;
}

CaseFields::CaseFields(const Json& table, const std::string& stem)
{
    const Json& files = table.at("files");
    if (!files.contains(stem))
        throw std::runtime_error("the table of fields lacks the file " + stem);
    const Json& file = files.at(stem);
    add(table.at("about"), CaseField::Use::About);
    add(file.at("given"), CaseField::Use::Given);
    add(file.at("asserted"), CaseField::Use::Asserted);
    for (const auto& [reason, names] : file.at("not_asserted").items())
        add(names, CaseField::Use::NotAsserted, reason);
    // The longest name first; of names of one length that with fewer keys of any name.
    std::stable_sort(m_fields.begin(), m_fields.end(), [](const CaseField& a, const CaseField& b) {
        const auto any = [](const CaseField& field) {
            return std::count(field.path.begin(), field.path.end(), anyKey);
        };
        return a.path.size() != b.path.size() ? a.path.size() > b.path.size() : any(a) < any(b);
    });
}

void CaseFields::add(const Json& names, CaseField::Use use, const std::string& reason)
{
    for (const Json& name : names) {
        const auto text = name.get<std::string>();
        if (std::any_of(m_fields.begin(), m_fields.end(), [&](const CaseField& field) { return field.name == text; }))
            throw std::runtime_error("the table of fields has " + text + " twice");
        m_fields.push_back({ text, pathOfName(text), use, reason });
    }
}

const CaseField* CaseFields::of(const CaseLeaf& leaf) const
{
    const auto found = std::find_if(
        m_fields.begin(), m_fields.end(), [&](const CaseField& field) { return fits(field.path, leaf.path); });
    return found == m_fields.end() ? nullptr : &*found;
}

std::optional<std::string> CaseFields::unknownField(const Json& oneCase) const
{
    for (const CaseLeaf& leaf : leavesOf(oneCase))
        if (!of(leaf))
            return nameOfPath(leaf.path);
    return std::nullopt;
}

} // namespace shardscope::conformance
