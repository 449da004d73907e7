// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <memory>

#include "commands.h"
#include "report.h"
#include "sharding/logical_rules.h"
#include "sharding/parse_names.h"
#include "sharding/text.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct ResolveOptions {
    std::string rules;
    std::string names;
    std::string mesh;
    std::string version = "current";
    std::string fallback = "axis_is_unsharded";
    bool trace = false;
    JsonTarget json;
};

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// Whether text that is no file looks as if it were meant to be one.
bool looksLikePath(const std::string& rules)
{
    const std::string_view all = rules;
    if (all.find_first_of("([{") != std::string_view::npos)
        return false;
    const auto is = [&](std::string_view part) { return all.starts_with(part); };
    const auto ends = [&](std::string_view part) { return all.ends_with(part); };
    return is("/") || is("./") || is("../") || is("~") || ends(".json") || ends(".py") || ends(".txt");
}

/// What with_logical_constraint does, in words.
QString constraintText(const LogicalRules& rules, const Result<ConstraintAction>& action)
{
    if (!action)
        return QStringLiteral("with_logical_constraint: an error, %1").arg(text(action.error().id()));
    if (action->constrain)
        return QStringLiteral("with_logical_constraint: constrains the value to %1")
            .arg(text(toJax(action->spec, false)));
    if (rules.list.empty())
        return QStringLiteral("with_logical_constraint: no rules are bound: the value is left alone");
    return QStringLiteral(
        "with_logical_constraint: no constraint: a dimension has no usable rule, and the value is left alone");
}

QString nameText(const LogicalName& name, int dimension)
{
    return name.kind == LogicalName::Kind::Name ? text(name.name) : QStringLiteral("(%1)").arg(dimension);
}

QString targetText(const SpecEntry& target)
{
    const QString spec = text(toColumn(PartitionSpec{ { target } }));
    return spec.mid(2, spec.size() - 3); // without P( )
}

/// The rules against the dimensions: what each did, and why.
Table traceTable(const LogicalNames& names, const LogicalRules& rules, const Resolution& resolution)
{
    Table table{ { { QStringLiteral("#"), true }, { QStringLiteral("Rule") } }, {} };
    for (std::size_t i = 0; i < names.size(); ++i)
        table.columns.push_back({ nameText(names[i], static_cast<int>(i)) });
    table.columns.push_back({ QStringLiteral("Verdict") });
    table.columns.push_back({ QStringLiteral("Why") });
    for (const RuleTrace& trace : resolution.rules) {
        const LogicalRule& rule = rules.list[trace.rule];
        const QString target = targetText(rule.target);
        QStringList row{ QString::number(trace.rule + 1),
            QStringLiteral("%1 → %2").arg(nameText(rule.name, 0), target) };
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool here = trace.dimension == static_cast<int>(i);
            row << (!here                               ? QString()
                    : trace.verdict == Verdict::Applied ? QStringLiteral("[%1]").arg(target)
                                                        : QStringLiteral("(%1)").arg(target));
        }
        row << words::verdict(trace) << words::plain(words::verdictReason(trace, rules, names));
        table.rows.push_back(row);
    }
    return table;
}

std::string_view verdictName(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Applied:
        return "applied";
    case Verdict::NoSuchDimension:
        return "no_such_dimension";
    case Verdict::AxisBusy:
        return "axis_busy";
    case Verdict::DimensionSet:
        return "dimension_set";
    case Verdict::BlockedByNull:
        break;
    }
    return "blocked_by_null";
}

Json toJson(const Resolution& resolution, const LogicalNames& names, const LogicalRules& rules)
{
    Json list = Json::array();
    for (const RuleTrace& trace : resolution.rules) {
        Json row{ { "rule", trace.rule + 1 }, { "verdict", verdictName(trace.verdict) } };
        if (trace.dimension >= 0)
            row["dimension"] = trace.dimension;
        if (trace.byRule >= 0)
            row["by_rule"] = trace.byRule + 1;
        if (trace.byDimension >= 0)
            row["by_dimension"] = trace.byDimension;
        if (!trace.busyAxis.empty())
            row["busy_axis"] = trace.busyAxis;
        if (!trace.lostAxes.empty())
            row["lost_axes"] = trace.lostAxes;
        row["reason"] = words::plain(words::verdictReason(trace, rules, names)).toStdString();
        list.push_back(std::move(row));
    }
    return list;
}

/// Rules that name axes which the mesh lacks.
std::vector<Diagnostic> unknownAxes(const LogicalRules& rules, const Mesh& mesh)
{
    std::vector<Diagnostic> list;
    for (std::size_t i = 0; i < rules.list.size(); ++i)
        for (const std::string& axis : rules.list[i].target.axes)
            if (!mesh.axisIndex(axis))
                list.push_back({ Code::RuleUnknownAxis,
                    { { "rule", i + 1 }, { "name", rules.list[i].name.name }, { "axis", axis },
                        { "known", mesh.axisNames() } },
                    {} });
    return list;
}

int resolveNames(const ResolveOptions& options)
{
    const auto bad = [&](Diagnostic diagnostic, const char* file) {
        if (diagnostic.where.file.empty())
            diagnostic.where.file = file;
        return reject("resolve", options.json, { std::move(diagnostic) });
    };
    std::string rulesText = options.rules;
    const bool isFile = options.rules == "-" || QFileInfo(QString::fromStdString(options.rules)).isFile();
    if (isFile || looksLikePath(options.rules)) {
        auto read = readText(options.rules);
        if (!read)
            return bad(read.error(), "");
        rulesText = std::move(*read);
    }
    const Result<LogicalRules> rules = parseRules(rulesText);
    if (!rules)
        return bad(rules.error(), isFile ? options.rules.c_str() : "--rules");
    std::optional<Mesh> mesh;
    if (!options.mesh.empty()) {
        auto parsed = parseMesh(options.mesh);
        if (!parsed)
            return bad(parsed.error(), "--mesh");
        mesh = std::move(*parsed);
    }
    const FlaxVersion version = options.version == "2024" ? FlaxVersion::Year2024 : FlaxVersion::Current;
    const RulesFallback fallback = options.fallback == "raise_error" ? RulesFallback::RaiseError
        : options.fallback == "no_constraint"                        ? RulesFallback::NoConstraint
                                                                     : RulesFallback::AxisIsUnsharded;
    const Result<LogicalNames> parsedNames = parseNames(options.names);
    if (!parsedNames)
        return bad(parsedNames.error(), "--names");
    const LogicalNames& names = *parsedNames;
    const Result<Resolution> resolution = resolve(names, *rules, version);
    if (!resolution)
        return bad(resolution.error(), isFile ? options.rules.c_str() : "");

    std::vector<Diagnostic> problems = mesh ? unknownAxes(*rules, *mesh) : std::vector<Diagnostic>{};
    const auto action = logicalConstraint(names, *rules, fallback, version);
    if (!action)
        problems.push_back(action.error());
    else if (mesh && action->constrain && problems.empty())
        if (const auto valid = validate(action->spec, *mesh); !valid)
            problems.push_back(valid.error());
    const int status = problems.empty() ? Done : Findings;

    if (!options.json.empty()) {
        Json out = envelope("resolve");
        out["spec"] = toJax(resolution->spec(), false);
        out["constrain"] = action && action->constrain;
        if (action && action->constrain)
            out["constraint_spec"] = toJax(action->spec, false);
        out["constraint"] = constraintText(*rules, action).toStdString();
        out["trace"] = toJson(*resolution, names, *rules);
        out["problems"] = cli::toJson(problems);
        return emitJson(out, options.json, status);
    }
    Console console;
    if (options.trace) {
        console.table(traceTable(names, *rules, *resolution), {});
        console.line();
    }
    console.line(text(toJax(resolution->spec(), false)));
    console.line(constraintText(*rules, action), Emphasis::Faint);
    console.flush();
    if (!problems.empty()) {
        Console errors(stderr);
        print(errors, problems);
    }
    return status;
}

} // namespace

void addResolve(CLI::App& app, int& status)
{
    CLI::App* command =
        app.add_subcommand("resolve", "Resolve the logical names of an array's dimensions to a PartitionSpec");
    const auto options = std::make_shared<ResolveOptions>();
    command
        ->add_option("--rules", options->rules,
            "Logical axis rules: a file, - for standard input, JSON, or Python literals: \"(('batch', 'data'),)\"")
        ->required()
        ->option_text("RULES");
    command
        ->add_option("--names", options->names,
            "Names of the dimensions: batch,embed,None (None or - for one without a name), or a Python tuple")
        ->required()
        ->option_text("NAMES");
    command->add_option("--mesh", options->mesh, "Check the result against a mesh: data=2,model=4")
        ->option_text("MESH");
    command->add_option("--flax-version", options->version, "Whose behaviour: 2024 or current (default)")
        ->check(oneOf({ "2024", "current" }))
        ->option_text("VERSION");
    command
        ->add_option("--fallback", options->fallback,
            "For names without a usable rule: axis_is_unsharded (default), raise_error or no_constraint")
        ->check(oneOf({ "axis_is_unsharded", "raise_error", "no_constraint" }))
        ->option_text("FALLBACK");
    command->add_flag("--trace", options->trace, "Say of every rule what it did and why");
    addJson(*command, options->json);
    command->callback([options, &status] { status = resolveNames(*options); });
}

} // namespace shardscope::cli
