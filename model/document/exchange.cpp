// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/exchange.h"

#include <algorithm>
#include <cctype>

#include "base/codes.h"
#include "base/text.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/json_text.h"
#include "interchange/import.h"
#include "interchange/maxtext_of.h"
#include "interchange/parameter_table.h"
#include "interchange/rule_text.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

std::vector<Diagnostic> inFile(std::vector<Diagnostic> list, const std::string& name)
{
    for (Diagnostic& each : list)
        each.where.file = name;
    return list;
}

std::vector<Diagnostic> inFile(Diagnostic one, const std::string& name)
{
    return inFile(std::vector{ std::move(one) }, name);
}

/// The first character that is neither a blank nor part of a comment of Python, YAML or JSON; 0 if there is none.
char firstCharacter(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '#' || (c == '/' && i + 1 < text.size() && text[i + 1] == '/')) {
            i = text.find('\n', i);
            if (i == std::string_view::npos)
                return 0;
        } else if (std::isspace(static_cast<unsigned char>(c)) == 0 && static_cast<unsigned char>(c) < 0x80) {
            return c;
        }
    }
    return 0;
}

/// A key of MaxText's configuration at the beginning of a line.
bool hasMaxTextKey(std::string_view text)
{
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        for (const std::string_view key : { "logical_axis_rules:", "mesh_axes:", "custom_mesh_and_rule:" })
            if (line.starts_with(key))
                return true;
        begin = end + 1;
    }
    return false;
}

ReadRules readExperimentRules(std::string_view text, const std::string& name)
{
    auto read = readExperiment(text);
    if (!read)
        return tl::unexpected(inFile(std::move(read.error()), name));
    RulesText rules;
    rules.name = name;
    rules.rules = std::move(read->experiment.rules.rules);
    rules.rules.isSequence = true; // a mapping is a list of pairs as well
    rules.innerLists = read->experiment.rules.inner.size();
    rules.dialect = read->experiment.rules.dialect;
    for (const MeshAxis& axis : read->experiment.mesh.axes)
        rules.meshAxes.push_back(axis.name);
    rules.warnings = inFile(std::move(read->warnings), name);
    return rules;
}

ReadRules readMaxTextRules(std::string_view text, const std::string& name)
{
    auto read = readMaxText(text);
    if (!read)
        return tl::unexpected(inFile(std::move(read.error()), name));
    RulesText rules;
    rules.name = name;
    rules.rules = std::move(read->config.rules);
    rules.dialect = Dialect::MaxText;
    for (const MaxTextAxis& axis : read->config.axes)
        rules.meshAxes.push_back(axis.name);
    rules.warnings = inFile(std::move(read->warnings), name);
    rules.passedOver = read->passedOver.size();
    return rules;
}

ReadRules readLiteral(std::string_view text, const std::string& name)
{
    Result<LogicalRules> read = parseRules(text);
    if (!read)
        return tl::unexpected(inFile(std::move(read.error()), name));
    RulesText rules;
    rules.name = name;
    rules.rules = std::move(*read);
    return rules;
}

Result<std::string> jsonText(const LogicalRules& rules)
{
    std::string text = "[";
    for (std::size_t i = 0; i < rules.list.size(); ++i) {
        const LogicalRule& rule = rules.list[i];
        if (rule.name.kind == LogicalName::Kind::Unconstrained || rule.target.kind == SpecEntry::Kind::Unconstrained)
            return fail(Code::WrongType,
                { { "key", "rule " + std::to_string(i + 1) }, { "expected", "a name, and mesh axes or None, for JSON" },
                    { "found", "UNCONSTRAINED" } });
        text += i == 0 ? "\n  [" : ",\n  [";
        text += rule.name.kind == LogicalName::Kind::None ? "null" : quoteJson(rule.name.name);
        text += ", ";
        if (rule.target.kind == SpecEntry::Kind::Single)
            text += quoteJson(rule.target.axes.front());
        else if (rule.target.kind == SpecEntry::Kind::None)
            text += "null";
        else
            text += '[' + join(rule.target.axes, ", ", quoteJson) + ']';
        text += ']';
    }
    return text + (rules.list.empty() ? "]\n" : "\n]\n");
}

/// What an import of these rules alone would refuse.
Result<void> checked(const LogicalRules& rules)
{
    Import import;
    import.mesh = { { "any", 1 } };
    import.rules = rules;
    SHARDSCOPE_TRY(made, toExperiment(import));
    return {};
}

} // namespace

ReadRules readRules(std::string_view text, const std::string& name)
{
    const char first = firstCharacter(text);
    const bool experiment = first == '{' && text.find(experimentFormat) != std::string_view::npos;
    const bool yaml = !experiment && hasMaxTextKey(text);
    ReadRules read = experiment ? readExperimentRules(text, name)
        : yaml                  ? readMaxTextRules(text, name)
                                : readLiteral(text, name);
    if (!read && yaml) // an annotated variable of Python begins in the same way
        if (ReadRules literal = readLiteral(text, name))
            read = std::move(literal);
    if (!read)
        return read;
    if (const Result<void> right = checked(read->rules); !right)
        return tl::unexpected(inFile(right.error(), name));
    return read;
}

RulesText rulesOf(const PublishedRules& set)
{
    return { set.id, set.rules, set.dialect, set.meshAxes, {}, 0 };
}

Experiment withRules(const Experiment& before, RuleList list, const RulesText& rules, bool additional)
{
    Experiment after = before;
    const bool inner = !list.isOuter() && hasList(before.rules, list);
    LogicalRules& taken = inner ? after.rules.inner[static_cast<std::size_t>(list.inner)].rules : after.rules.rules;
    taken = rules.rules;
    if (additional) {
        const std::vector<LogicalRule>& own = rulesIn(before.rules, list);
        taken.list.insert(taken.list.end(), own.begin(), own.end());
    }
    if (!rules.dialect || inner) {
        taken.isSequence = before.rules.rules.isSequence;
        return after;
    }
    after.rules.dialect = *rules.dialect;
    setSequence(after.rules, rules.rules.isSequence);
    return after;
}

Result<std::string> rulesAsText(const Experiment& experiment, RulesForm form, RuleList list)
{
    const LogicalRules rules = readableRules(experiment.rules, list);
    switch (form) {
    case RulesForm::Flax:
        return toPythonSource(rules, "rules");
    case RulesForm::T5x:
        return toPythonSource(rules, "logical_axis_rules");
    case RulesForm::MaxText:
        return writeMaxText(maxTextForm(rules, experiment.mesh, maxTextSlices(experiment.hardware.devices)).config);
    case RulesForm::Json:
        return jsonText(rules);
    }
    return std::string();
}

bool looksLikeTable(std::string_view text, std::string_view fileName)
{
    for (const std::string_view ending : { ".csv", ".tsv", ".CSV", ".TSV" })
        if (fileName.ends_with(ending))
            return true;
    const char first = firstCharacter(text);
    // An object may be a table, too, from path to array; what bears the format's name is an experiment, broken or not.
    return first == '[' || (first == '{' && text.find("\"format\"") == std::string_view::npos && readJsonTable(text));
}

tl::expected<OpenedTable, std::vector<Diagnostic>> openTable(
    std::string_view text, const std::string& name, const std::string& title, const Experiment& present)
{
    ReadTable table = readTable(text);
    if (!table)
        return tl::unexpected(inFile(std::move(table.error()), name));
    Import import;
    import.title = title;
    import.dialect = present.rules.dialect;
    import.mesh = present.mesh.axes;
    import.deviceOrder = present.mesh.deviceOrder;
    import.rules = present.rules.rules;
    import.rules.isSequence = true; // the present ones follow, a mapping or not
    import.rows = std::move(table->rows);
    Result<Experiment> made = toExperiment(import);
    if (!made)
        return tl::unexpected(inFile(std::move(made.error()), name));
    made->hardware = present.hardware;
    made->rules = present.rules;
    made->run = present.run;
    return OpenedTable{ std::move(*made), inFile(std::move(table->warnings), name) };
}

} // namespace shardscope
