// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in maxtext_goldens.h.
#include <set>

#include "interchange/golden_keys.h"
#include "interchange/maxtext_goldens.h"
#include "interchange/table_builder.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// Values of JSON, laid out as Python's json.dump(indent=2) does it: every item on a line of its own.
class GoldenJson {
public:
    GoldenJson& open(char bracket)
    {
        begin();
        m_text += bracket;
        m_closing += bracket == '{' ? '}' : ']';
        m_isEmpty = true;
        return *this;
    }
    GoldenJson& close()
    {
        const char bracket = m_closing.back();
        m_closing.pop_back();
        if (!m_isEmpty)
            newLine();
        m_text += bracket;
        m_isEmpty = false;
        return *this;
    }
    GoldenJson& key(std::string_view name)
    {
        begin();
        m_text += quotedJson(name) + ": ";
        m_afterKey = true;
        return *this;
    }
    GoldenJson& value(const std::string& text)
    {
        begin();
        m_text += text;
        return *this;
    }
    [[nodiscard]] std::string take() && { return std::move(m_text) + '\n'; }

private:
    void newLine() { m_text += '\n' + std::string(2 * m_closing.size(), ' '); }
    void begin()
    {
        if (!m_afterKey && !m_closing.empty()) {
            if (!m_isEmpty)
                m_text += ',';
            newLine();
        }
        m_afterKey = m_isEmpty = false;
    }

    std::string m_text, m_closing;
    bool m_isEmpty = false, m_afterKey = false;
};

void writeAxes(GoldenJson& json, const std::vector<std::string>& axes)
{
    json.open('[');
    for (const std::string& axis : axes)
        json.value(quotedJson(axis));
    json.close();
}

void writeSpec(GoldenJson& json, const PartitionSpec& spec)
{
    json.key("partition_spec").open('[');
    for (const SpecEntry& entry : spec.entries) {
        if (entry.axes.empty())
            json.value("null");
        else if (entry.kind == SpecEntry::Kind::Single)
            json.value(quotedJson(entry.axes.front()));
        else
            writeAxes(json, entry.axes);
    }
    json.close();
}

void writeShape(GoldenJson& json, const Shape& shape)
{
    json.key("shape").open('[');
    for (const std::int64_t size : shape)
        json.value(std::to_string(size));
    json.close();
}

std::string namedText(const MaxTextGoldens& goldens)
{
    std::vector<std::string> axes;
    for (const MeshAxis& axis : goldens.mesh)
        axes.push_back(axis.name);
    GoldenJson json;
    json.open('{');
    for (const GoldenArray& array : goldens.state) {
        json.key(keyOfPath(array.path)).open('{');
        json.key("mesh").open('{').key("axis_names");
        writeAxes(json, axes);
        json.key("shape").open('{');
        for (const MeshAxis& axis : goldens.mesh)
            json.key(axis.name).value(std::to_string(axis.size));
        json.close().close();
        writeSpec(json, array.spec);
        if (array.shapeKnown)
            writeShape(json, array.type.shape);
        json.close();
    }
    return std::move(json.close()).take();
}

std::string logicalText(const MaxTextGoldens& goldens)
{
    GoldenJson json;
    json.open('{');
    for (const GoldenArray& array : goldens.state) {
        if (!array.names)
            continue;
        json.key(keyOfPath(array.path)).open('{');
        json.key("partition_spec").open('[');
        for (const LogicalName& name : *array.names)
            json.value(name.kind == LogicalName::Kind::Name ? quotedJson(name.name) : "null");
        json.close();
        if (array.shapeKnown)
            writeShape(json, array.type.shape);
        json.close();
    }
    return std::move(json.close()).take();
}

/// "('activation_batch', None)", as Python prints a tuple.
std::string tupleText(const LogicalNames& names)
{
    std::string text;
    for (const LogicalName& name : names)
        text += (text.empty() ? "" : ", ")
            + (name.kind == LogicalName::Kind::Name ? '\'' + name.name + '\'' : std::string("None"));
    return '(' + text + (names.size() == 1 ? ",)" : ")");
}

/// Of what is constrained at a place again without its number: "attention/query" of "attention/query#2". `before`: the
/// paths that were written.
std::string placeOf(const std::string& path, const std::set<std::string>& before)
{
    const std::size_t sign = path.rfind('#');
    const bool isNumbered = sign != std::string::npos && sign + 1 < path.size()
        && path.find_first_not_of("0123456789", sign + 1) == std::string::npos && before.contains(path.substr(0, sign));
    return isNumbered ? path.substr(0, sign) : path;
}

std::string inputsText(const MaxTextGoldens& goldens)
{
    GoldenJson json;
    std::set<std::string> before;
    json.open('{').key("Activation Sharding Dump").open('[');
    for (const GoldenArray& array : goldens.activations) {
        std::string sizes;
        for (const std::int64_t size : array.type.shape)
            sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
        json.open('{')
            .key(placeOf(array.path, before) + ": " + std::string(numpyName(array.type.dtype)) + '[' + sizes + ']')
            .open('{')
            .key("logic_axes")
            .value(quotedJson(array.names ? tupleText(*array.names) : "Unknown"))
            .key("PartitionSpec")
            .value(quotedJson(toJax(array.spec)))
            .close()
            .close();
        before.insert(array.path);
    }
    json.close();
    return std::move(json.close()).take();
}

} // namespace

GoldenTexts writeMaxTextGoldens(const MaxTextGoldens& goldens)
{
    return { namedText(goldens), logicalText(goldens), inputsText(goldens) };
}

} // namespace shardscope
