// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in maxtext_config.h.
#include "interchange/maxtext_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "base/alike.h"
#include "base/codes.h"
#include "interchange/yaml_text.h"
#include "rules/published_rules.h"
#include "rules/rule_lint.h"

namespace shardscope {

namespace {

constexpr std::int64_t leftOpen = -1;

tl::unexpected<Error> wrongType(const char* key, const char* expected, const YamlNode& found)
{
    return fail(
        Code::WrongType, { { "key", key }, { "expected", expected }, { "found", found.shown() } }, found.where());
}

bool isText(const YamlNode& node)
{
    return node.type == YamlNode::Type::Scalar && !node.isNull();
}

/// At most as many names as a mesh has axes: they are those of axes, or of dimensions.
Result<std::vector<std::string>> toStrings(const char* key, const YamlNode& node)
{
    if (node.type != YamlNode::Type::List)
        return wrongType(key, "a list of names", node);
    if (node.items.size() > maximumMeshAxes)
        return fail(Code::TooLarge,
            { { "what", std::string("names in ") + key }, { "count", node.items.size() },
                { "limit", maximumMeshAxes } },
            node.where());
    std::vector<std::string> strings;
    for (const YamlNode& item : node.items) {
        if (!isText(item))
            return wrongType(key, "a name", item);
        strings.push_back(item.text);
    }
    return strings;
}

/// null, one axis, or a list of axes.
Result<SpecEntry> toEntry(const char* key, const YamlNode& node)
{
    if (node.isNull())
        return SpecEntry::none();
    if (isText(node))
        return SpecEntry::axis(node.text);
    SHARDSCOPE_TRY(axes, toStrings(key, node));
    return SpecEntry::tuple(std::move(*axes));
}

constexpr const char* rulesKey = "logical_axis_rules";

Result<LogicalRules> toRules(const YamlNode& node)
{
    constexpr const char* key = rulesKey;
    if (node.type == YamlNode::Type::Mapping)
        return fail(Code::RulesType, {}, node.where());
    if (node.type != YamlNode::Type::List)
        return wrongType(key, "a list of rules", node);
    LogicalRules rules;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const YamlNode& item = node.items[i];
        if (item.type != YamlNode::Type::List)
            return wrongType(key, "a rule ['name', ['axis']]", item);
        if (item.items.size() != 2)
            return fail(Code::RuleArity, { { "rule", i }, { "length", item.items.size() } }, item.where());
        if (!isText(item.items[0]))
            return wrongType(key, "a logical name", item.items[0]);
        SHARDSCOPE_TRY(target, toEntry(key, item.items[1]));
        LogicalRule rule;
        rule.name = LogicalName::of(item.items[0].text);
        rule.target = std::move(*target);
        rules.list.push_back(std::move(rule));
    }
    return rules;
}

/// A decimal number of YAML 1.1: underscores between digits, and no zero in front, which would make it octal.
bool isDecimal(std::string_view text)
{
    if (text.starts_with('+') || text.starts_with('-'))
        text.remove_prefix(1);
    if (text.empty() || text.front() == '_' || (text.front() == '0' && text.size() > 1))
        return false;
    return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '_'; });
}

Result<std::int64_t> toSize(const std::string& key, const YamlNode& node)
{
    if (node.type != YamlNode::Type::Scalar || node.quoted || !isDecimal(node.text))
        return wrongType(key.c_str(), "a whole number without zeros in front, -1 for one to be worked out", node);
    std::string digits;
    std::copy_if(node.text.begin(), node.text.end(), std::back_inserter(digits), [](char c) { return c != '_'; });
    std::int64_t size = 0;
    const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
    const auto [stopped, error] = std::from_chars(begin, digits.data() + digits.size(), size);
    if (error != std::errc() || size > maximumDevices || (size < 1 && size != leftOpen))
        return fail(Code::OutOfRange, { { "key", key }, { "value", digits }, { "min", 1 }, { "max", maximumDevices } },
            node.where());
    return size;
}

/// The middle of "ici_<stem>_parallelism", or "".
std::string_view middleOf(std::string_view key)
{
    constexpr std::string_view suffix = "_parallelism";
    const bool isKey =
        (key.starts_with("ici_") || key.starts_with("dcn_")) && key.ends_with(suffix) && key.size() > suffix.size() + 4;
    return isKey ? key.substr(4, key.size() - 4 - suffix.size()) : std::string_view();
}

class Reader {
public:
    Result<ReadMaxText> read(const YamlNode& root)
    {
        if (root.type != YamlNode::Type::Mapping)
            return fail(Code::Syntax, { { "expected", "keys and values" }, { "found", root.shown() } }, root.where());
        for (std::size_t i = 0; i + 1 < root.items.size(); i += 2)
            SHARDSCOPE_CHECK(readMember(root.items[i], root.items[i + 1]));
        if (!m_anything && !m_sizes.empty() && !m_rulesElsewhere)
            takeBase(root);
        if (!m_anything)
            return fail(Code::MissingKey, { { "key", "logical_axis_rules" } }, root.where());
        if (!m_hasRules && m_misspelt) // the other keys are those of other parts of MaxText
            m_result.warnings.push_back(std::move(*m_misspelt));
        takeSizes();
        checkRules();
        m_result.warnings = summedUp(std::move(m_result.warnings));
        return std::move(m_result);
    }

private:
    struct Size {
        std::int64_t value = 1;
        Where where;
        bool used = false;
    };

    Result<void> readMember(const YamlNode& key, const YamlNode& value)
    {
        MaxTextConfig& config = m_result.config;
        const auto take = [](auto&& read, auto& member) -> Result<void> {
            SHARDSCOPE_CHECK(read);
            member = std::move(*read);
            return {};
        };
        if (key.text == "mesh_axes") {
            m_anything = true;
            return readAxes(value);
        }
        if (key.text == rulesKey) {
            m_anything = m_hasRules = true;
            for (const YamlNode& item : value.items)
                m_ruleLines.push_back(item.where());
            return take(toRules(value), config.rules);
        }
        if (key.text == "data_sharding")
            return readDataSharding(value);
        if (key.text == "input_data_sharding_logical_axes")
            return take(toStrings("input_data_sharding_logical_axes", value), config.inputNames);
        if (!middleOf(key.text).empty()) {
            Size size;
            size.where = value.where();
            m_sizes[key.text] = size;
            return take(toSize(key.text, value), m_sizes[key.text].value);
        }
        if (key.text == "custom_mesh_and_rule" && isText(value) && !value.text.empty()) {
            m_rulesElsewhere = true;
            m_result.warnings.push_back(
                { Code::RulesElsewhere, { { "key", key.text }, { "value", value.text } }, value.where() });
        }
        if (!m_misspelt && !nearestName(key.text, std::array{ std::string(rulesKey) }).empty())
            m_misspelt = Diagnostic{ Code::UnknownKey, { { "key", key.text }, { "nearest", rulesKey } }, key.where() };
        m_result.passedOver.push_back({ key.text, key.line });
        return {};
    }

    Result<void> readAxes(const YamlNode& value)
    {
        SHARDSCOPE_TRY(names, toStrings("mesh_axes", value));
        for (std::size_t i = 0; i < names->size(); ++i) {
            for (const MaxTextAxis& known : m_result.config.axes)
                if (known.name == (*names)[i])
                    return fail(Code::DuplicateAxis, { { "axis", known.name } }, value.items[i].where());
            m_result.config.axes.push_back({ (*names)[i], 1, 1 });
        }
        return {};
    }

    /// One entry per dimension; a flat list of names is one per dimension, too.
    Result<void> readDataSharding(const YamlNode& value)
    {
        if (value.type != YamlNode::Type::List)
            return wrongType("data_sharding", "a list of mesh axes per dimension", value);
        for (const YamlNode& item : value.items) {
            SHARDSCOPE_TRY(entry, toEntry("data_sharding", item));
            m_result.config.dataSharding.entries.push_back(std::move(*entry));
        }
        return {};
    }

    /// The configuration of a run has what differs from base.yml: mesh axes and rules are those of that file.
    void takeBase(const YamlNode& root)
    {
        const PublishedRules* const base = findPublishedRules(currentMaxTextRules);
        if (!base)
            return;
        m_anything = true;
        for (const std::string& axis : base->meshAxes)
            m_result.config.axes.push_back({ axis, 1, 1 });
        m_result.config.rules = base->rules;
        m_ruleLines.assign(base->rules.list.size(), root.where());
        for (const char* open : { "dcn_data_parallelism", "ici_fsdp_parallelism" })
            m_sizes.try_emplace(open, Size{ leftOpen, root.where(), false });
        m_result.warnings.push_back({ Code::RulesElsewhere, { { "taken", base->title } }, root.where() });
    }

    void takeSizes()
    {
        for (MaxTextAxis& axis : m_result.config.axes) {
            const std::string key = parallelismKey(axis.name) + "_parallelism";
            if (const auto ici = m_sizes.find("ici_" + key); ici != m_sizes.end()) {
                axis.ici = ici->second.value;
                ici->second.used = true;
            }
            if (const auto dcn = m_sizes.find("dcn_" + key); dcn != m_sizes.end()) {
                axis.dcn = dcn->second.value;
                dcn->second.used = true;
            }
        }
        if (m_result.config.axes.empty()) // overrides, of which the mesh stands elsewhere
            return;
        for (const auto& [key, size] : m_sizes)
            if (!size.used && size.value != 1)
                m_result.warnings.push_back(
                    { Code::ParallelismWithoutAxis, { { "key", key }, { "size", size.value } }, size.where });
    }

    void checkRules()
    {
        const MaxTextConfig& config = m_result.config;
        if (config.axes.empty())
            return;
        std::vector<std::string> known;
        for (const MaxTextAxis& axis : config.axes)
            known.push_back(axis.name);
        for (Diagnostic& unknown : unknownAxes(config.rules, known)) {
            unknown.where = m_ruleLines[static_cast<std::size_t>(unknown.number("rule")) - 1];
            m_result.warnings.push_back(std::move(unknown));
        }
    }

    ReadMaxText m_result;
    std::map<std::string, Size> m_sizes;
    std::vector<Where> m_ruleLines;
    bool m_anything = false;
    bool m_rulesElsewhere = false;
    bool m_hasRules = false;
    std::optional<Diagnostic> m_misspelt; ///< a key that is like that of the rules
};

} // namespace

std::string parallelismKey(std::string_view axis)
{
    if (axis == "stage")
        return "pipeline";
    return axis == "model" ? "tensor" : std::string(axis);
}

Result<ReadMaxText> readMaxText(std::string_view text)
{
    SHARDSCOPE_TRY(root, parseYaml(text));
    return Reader().read(*root);
}

} // namespace shardscope
