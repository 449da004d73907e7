// SPDX-License-Identifier: GPL-3.0-or-later
// The command resolve, declared in commands.h.
#include <algorithm>
#include <iterator>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "experiment/rule_lists.h"
#include "interchange/table_code.h"
#include "resolve.h"
#include "rules/host_chunks.h"
#include "rules/name_to_name.h"
#include "rules/published_rules.h"
#include "rules/rule_context.h"
#include "rules/rule_lint.h"
#include "rules/t5x_partitioner.h"
#include "sharding/parse_names.h"
#include "sharding/text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

QString sliceText(const LocalChunk& chunk)
{
    QStringList parts;
    for (const std::optional<IndexRange>& range : chunk.slice)
        parts << (range ? QStringLiteral("%1:%2").arg(range->begin).arg(range->end) : QStringLiteral(":"));
    return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

Table hostTable(const std::vector<HostChunk>& chunks)
{
    Table table{ "Host>", "Slice", "Replica>", "Checkpoint" };
    for (const HostChunk& each : chunks)
        table.rows.push_back({ QString::number(each.host), sliceText(each.chunk), QString::number(each.chunk.replica),
            each.chunk.writes() ? QStringLiteral("writes it") : QString() });
    return table;
}

Json hostsJson(const std::vector<HostChunk>& chunks)
{
    Json json = Json::array();
    for (const HostChunk& each : chunks) {
        Json slice = Json::array();
        for (const std::optional<IndexRange>& range : each.chunk.slice)
            slice.push_back(range ? Json::array({ range->begin, range->end }) : Json(nullptr));
        json.push_back({ { "host", each.host }, { "slice", std::move(slice) }, { "replica", each.chunk.replica },
            { "writes", each.chunk.writes() } });
    }
    return json;
}

/// One array: what its names become.
struct NamesAnswer {
    LogicalNames names;
    std::vector<LiftedNames> lifted; ///< how they came to be
    Resolution resolution;
    Result<ConstraintAction> action;
    PartitionSpec spec; ///< on the mesh, where there is one
    std::vector<DroppedAxes> dropped;
    std::vector<HostChunk> hosts;
    std::vector<Diagnostic> problems;
};

/// What the mesh says about the answer.
Result<void> putOnMesh(const ResolveOptions& options, const Ruling& ruling, NamesAnswer& answer)
{
    const Mesh& mesh = *ruling.mesh;
    answer.problems = unknownAxes(ruling.rules, mesh.axisNames());
    std::optional<std::vector<std::int64_t>> shape;
    if (!options.shape.empty()) {
        SHARDSCOPE_TRY(sizes, parseSizes(options.shape, "--shape"));
        if (sizes->size() != answer.names.size())
            return fail(Code::WrongType,
                { { "key", "--shape" },
                    { "expected", "one size for each of the " + std::to_string(answer.names.size()) + " names" },
                    { "found", std::to_string(sizes->size()) + " sizes" } });
        shape = *sizes;
    }
    const auto sizes = shape ? std::optional(std::span<const std::int64_t>(*shape)) : std::nullopt;
    // Flax and T5X show what the rules say, the axes that the mesh lacks included. What renames is taken as it is.
    const bool renames = ruling.mapping || ruling.own;
    SpecOnMesh placed = renames ? SpecOnMesh{ answer.spec, {} } : onMesh(answer.spec, ruling.dialect, mesh, sizes);
    if (!renames && ruling.dialect == Dialect::MaxText) {
        answer.spec = placed.spec;
        answer.dropped = std::move(placed.dropped);
        if (answer.action && answer.action->constrain)
            answer.action->spec = canonical(onMesh(answer.action->spec, ruling.dialect, mesh, sizes).spec);
    }
    // Axes that the mesh lacks are left out already, and said.
    if (const Result<void> valid = sizes ? validate(placed.spec, mesh, *sizes) : validate(placed.spec, mesh); !valid) {
        Diagnostic wrong = valid.error();
        const auto dim = static_cast<std::size_t>(std::max<std::int64_t>(wrong.number("dim"), 0));
        if (wrong.code == Code::Indivisible && dim < answer.names.size() && dim < placed.spec.entries.size()) {
            if (answer.names[dim].kind == LogicalName::Kind::Name)
                wrong.args.emplace_back("dim_name", answer.names[dim].name);
            if (!wrong.arg("axes"))
                wrong.args.emplace_back("axes", placed.spec.entries[dim].axes);
        }
        answer.problems.push_back(std::move(wrong));
    }
    for (const DroppedAxes& dropped : answer.dropped)
        if (dropped.reason == DroppedAxes::Reason::Indivisible) {
            Diagnostic lost{ Code::SilentlyReplicated,
                { { "dim", dropped.dimension }, { "size", dropped.size }, { "partitions", dropped.partitions },
                    { "axes", dropped.axes } },
                {} };
            if (answer.names[dropped.dimension].kind == LogicalName::Kind::Name)
                lost.args.emplace_back("dim_name", answer.names[dropped.dimension].name);
            answer.problems.push_back(std::move(lost));
        }
    if (options.hosts > 0) {
        if (!shape)
            return fail(Code::MissingKey, { { "key", "--shape" } });
        Result<HostChunks> chunks = hostChunks(mesh, options.hosts, *shape, canonical(placed.spec));
        // An array without one chunk per host still has a spec.
        if (!chunks && chunks.error().code == Code::TupleAxisNotSupported) {
            answer.problems.push_back(std::move(chunks.error()));
            return {};
        }
        SHARDSCOPE_CHECK(chunks);
        answer.hosts = std::move(chunks->hosts);
        std::move(chunks->truncated.begin(), chunks->truncated.end(), std::back_inserter(answer.problems));
    }
    return {};
}

/// Names that no rule has, in a line each where another one may have been meant, in one line where not.
std::vector<std::pair<QString, Emphasis>> namesWithoutRule(const LogicalNames& names, const Ruling& ruling)
{
    std::vector<std::pair<QString, Emphasis>> lines;
    std::vector<std::string> known;
    for (const LogicalRule& rule : ruling.rules.list)
        if (rule.name.kind == LogicalName::Kind::Name)
            known.push_back(rule.name.name);
    QStringList other;
    for (const LogicalName& name : names) {
        if (name.kind != LogicalName::Kind::Name || std::find(known.begin(), known.end(), name.name) != known.end())
            continue;
        const QString quoted = QStringLiteral("“%1”").arg(words::fromStd(name.name));
        if (const std::string nearest = nearestName(name.name, known); !nearest.empty())
            lines.emplace_back(
                QStringLiteral("no rule names %1; did you mean “%2”?").arg(quoted, words::fromStd(nearest)),
                Emphasis::Warning);
        else
            other << quoted;
    }
    // Rules of the variable may have them, and other fallbacks say it themselves.
    if (!other.isEmpty() && !known.empty() && !ruling.own && !ruling.boxed
        && ruling.fallback == RulesFallback::AxisIsUnsharded)
        lines.emplace_back((other.size() == 1 ? QStringLiteral("no rule names %1: nothing shards it")
                                              : QStringLiteral("no rule names %1: nothing shards them"))
                               .arg(other.join(QStringLiteral(", "))),
            Emphasis::Faint);
    return lines;
}

int say(const ResolveOptions& options, const Ruling& ruling, const NamesAnswer& answer)
{
    const int status = statusOf(answer.problems);
    if (!options.json.empty()) {
        Json out = envelope(options.json);
        out["dialect"] = dialectName(ruling);
        if (!ruling.within.empty())
            out["within"] = ruling.within;
        out["spec"] = toJax(answer.spec, false);
        out["dimension_axes"] = axesJson(answer.spec, answer.names.size());
        out["constrain"] = answer.action && answer.action->constrain;
        if (answer.action && answer.action->constrain)
            out["constraint_spec"] = toJax(answer.action->spec, false);
        out["constraint"] = constraintText(ruling, answer.action).toStdString();
        out["dropped"] = droppedJson(answer.dropped);
        if (!answer.lifted.empty())
            out["added_axes"] = liftedJson(answer.lifted);
        out["trace"] = traceJson(answer.resolution, answer.names, ruling);
        if (!answer.hosts.empty())
            out["hosts"] = hostsJson(answer.hosts);
        if (ruling.partitioner)
            out["partitioner"] = partitionerJson(ruling);
        out["problems"] = cli::toJson(answer.problems);
        return emitJson(out, options.json, status);
    }
    Console console;
    for (const LiftedNames& each : answer.lifted)
        console.line(liftedText(each), Emphasis::Faint);
    if (options.trace && !ruling.own) {
        console.table(traceTable(answer.names, ruling, answer.resolution), {});
        console.line();
    }
    console.line(words::fromStd(toJax(answer.spec, false)));
    console.line(constraintText(ruling, answer.action), Emphasis::Faint);
    if (!ruling.within.empty())
        console.line(
            QStringLiteral("by the rules within %1, which replace those outside").arg(words::fromStd(ruling.within)),
            Emphasis::Faint);
    else if (!options.within.empty())
        console.line(QStringLiteral("by the rules outside: %1 lies in no part that has rules of its own")
                         .arg(words::fromStd(options.within)),
            Emphasis::Faint);
    for (const auto& [line, emphasis] : namesWithoutRule(answer.names, ruling))
        console.line(line, emphasis);
    if (ruling.partitioner)
        console.line(partitionerText(ruling), Emphasis::Faint);
    for (const DroppedAxes& dropped : answer.dropped)
        console.line(droppedText(dropped, answer.names));
    if (!answer.hosts.empty()) {
        console.line();
        console.table(hostTable(answer.hosts), {});
    }
    console.flush();
    if (!answer.problems.empty()) {
        Console errors(stderr);
        print(errors, answer.problems);
    }
    return status;
}

int resolveNames(const ResolveOptions& options, const Ruling& ruling)
{
    const auto bad = [&](Diagnostic diagnostic, const std::string& source) {
        if (diagnostic.where.file.empty() && diagnostic.where.line > 0)
            diagnostic.where.file = source;
        return reject(options.json, { std::move(diagnostic) });
    };
    const Result<LogicalNames> inner = parseNames(options.names);
    if (!inner)
        return bad(inner.error(), "--names");
    Result<std::vector<LiftedNames>> lifted = liftedNames(options.addedAxes, *inner);
    if (!lifted)
        return bad(lifted.error(), "--add-axis");
    const LogicalNames names = lifted->empty() ? *inner : lifted->back().outside;
    Result<Resolution> resolution =
        ruling.mapping ? resolveMapping(names, ruling.rules) : resolve(names, ruling.rules, ruling.version);
    if (!resolution)
        return bad(resolution.error(), ruling.name);
    PartitionSpec spec = resolution->spec();
    if (ruling.own) {
        Result<PartitionSpec> renamed = applyRules(names, ruling.rules, *ruling.own);
        if (!renamed)
            return bad(renamed.error(), "--own-rules");
        spec = std::move(*renamed);
    }
    ConstraintAction full;
    full.constrain = true;
    full.spec = canonical(spec);
    Result<ConstraintAction> action = ruling.mapping || ruling.own
        ? Result<ConstraintAction>(std::move(full))
        : logicalConstraint(names, constraintRules(ruling),
            ruling.unboxes ? RulesFallback::AxisIsUnsharded : ruling.fallback, ruling.version);
    if (action && !ruling.mapping && !ruling.own && (!passesGate(ruling) || !ruling.unboxes.value_or(true)))
        action->constrain = false;
    NamesAnswer answer{ names, std::move(*lifted), std::move(*resolution), std::move(action), std::move(spec), {}, {},
        {} };
    if (ruling.mesh) {
        if (const Result<void> placed = putOnMesh(options, ruling, answer); !placed)
            return bad(placed.error(), "--mesh");
    } else if (const Result<void> valid = validate(answer.spec); !valid) {
        answer.problems.push_back(valid.error());
    }
    if (!answer.action)
        answer.problems.push_back(answer.action.error());
    answer.problems = withWarnings(ruling, std::move(answer.problems));
    return say(options, ruling, answer);
}

/// Penzai without axis_name_to_mesh_name: each name to the mesh axis that has it.
Result<RulesInput> rulesOfMesh(const ResolveOptions& options)
{
    SHARDSCOPE_TRY(mesh, readMeshOption(options.mesh, nullptr));
    RulesInput input;
    input.name = "--mesh";
    if (*mesh)
        for (const MeshAxis& axis : (*mesh)->axes()) {
            LogicalRule& rule = input.rules.list.emplace_back();
            rule.name = LogicalName::of(axis.name);
            rule.target = SpecEntry::axis(axis.name);
        }
    return input;
}

bool infersMapping(const ResolveOptions& options)
{
    return !options.rulesSpecified && options.dialect == "penzai" && !options.mesh.mesh.empty();
}

Result<Ruling> readRuling(const ResolveOptions& options)
{
    SHARDSCOPE_TRY(input, infersMapping(options) ? rulesOfMesh(options) : readRulesInput(options.rules, "--rules"));
    Ruling ruling;
    ruling.name = input->name;
    ruling.rules = std::move(input->rules);
    if (!options.within.empty()) {
        if (!input->experiment)
            return fail(Code::WrongType,
                { { "key", "--rules" }, { "expected", "an experiment, whose parts may have rules of their own" },
                    { "found", "no experiment, so that --within means nothing" } });
        const RulesSetting& setting = input->experiment->rules;
        const RuleList list = listOfArray(*input->experiment, setting, options.within);
        ruling.rules = readableRules(setting, list);
        ruling.within = withinOf(setting, list);
    } else if (input->experiment && options.inner.empty()) {
        ruling.inner = input->experiment->rules.inner;
    }
    if (!options.additional.empty()) {
        SHARDSCOPE_TRY(more, readRulesInput(options.additional, "--additional-rules"));
        const auto append = [&](std::vector<LogicalRule>& list) {
            list.insert(list.end(), more->rules.list.begin(), more->rules.list.end());
        };
        append(ruling.rules.list);
        for (InnerRules& part : ruling.inner)
            append(part.rules.list);
    }
    if (!options.inner.empty()) {
        SHARDSCOPE_TRY(inner, readRulesInput(options.inner, "--inner-rules"));
        RuleContext context;
        context.set(std::move(ruling.rules));
        const RuleContext::Scope scope(context, std::move(inner->rules));
        ruling.rules = context.rules();
        ruling.name = "--inner-rules";
    }
    if (!options.own.empty()) {
        SHARDSCOPE_TRY(own, readRulesInput(options.own, "--own-rules"));
        (options.ownAs == "linen" ? ruling.boxed : ruling.own) = std::move(own->rules);
    }
    if (ruling.boxed || !options.unbox.empty())
        ruling.unboxes = options.unbox != "value";
    // An experiment says itself whether its rules are a mapping; of it, the others read the list of pairs.
    ruling.mapping = options.dialect == "penzai"
        || (options.dialect.empty() && input->experiment && !input->experiment->rules.rules.isSequence);
    if (!ruling.mapping && input->experiment)
        ruling.rules.isSequence = true;
    for (InnerRules& part : ruling.inner)
        part.rules.isSequence = !ruling.mapping;
    ruling.dialect = options.dialect.empty() ? input->dialect.value_or(Dialect::FlaxLinen)
                                             : parseDialect(options.dialect).value_or(Dialect::FlaxLinen);
    if (input->experiment) {
        ruling.version = input->experiment->rules.version;
        ruling.fallback = input->experiment->rules.fallback;
        ruling.constraintMesh = input->experiment->rules.constraintMesh;
    }
    if (!options.version.empty())
        ruling.version = options.version == "2024" ? FlaxVersion::Year2024 : FlaxVersion::Current;
    if (!options.fallback.empty())
        ruling.fallback = options.fallback == "raise_error" ? RulesFallback::RaiseError
            : options.fallback == "no_constraint"           ? RulesFallback::NoConstraint
                                                            : RulesFallback::AxisIsUnsharded;
    if (!options.constraintMesh.empty())
        ruling.constraintMesh = options.constraintMesh == "none" ? ConstraintMesh::None
            : options.constraintMesh == "own"                    ? ConstraintMesh::Own
                                                                 : ConstraintMesh::Context;
    ruling.platform = options.platform;
    if (options.hybrid) {
        SHARDSCOPE_TRY(rewritten, hybridRules(ruling.rules));
        ruling.rules = std::move(*rewritten);
    }
    SHARDSCOPE_TRY(mesh, readMeshOption(options.mesh, &*input));
    ruling.mesh = std::move(*mesh);
    ruling.warnings = input->warnings;
    if (input->maxText)
        ruling.warnings = input->maxText->warnings;
    // The partitioner has the rules outside.
    if (!options.within.empty())
        return ruling;
    SHARDSCOPE_CHECK(readPartitioner(options, ruling));
    return ruling;
}

/// Options that make sense only together; "" if all is well.
std::string contradiction(const ResolveOptions& options, const Ruling& ruling)
{
    if (options.namesSpecified == !options.table.empty())
        return "give either --names or --table";
    if (!options.table.empty() && !options.addedAxes.empty())
        return "--add-axis goes with --names";
    if (!options.table.empty() && !ruling.mesh)
        return "--table needs --mesh";
    if (!options.table.empty() && (!options.shape.empty() || options.hosts > 0))
        return "--shape and --hosts go with --names";
    if (!options.within.empty() && !options.table.empty())
        return "--within goes with --names: the arrays of a table say themselves where they lie";
    if (!options.within.empty() && !options.inner.empty())
        return "give either --within or --inner-rules";
    if (!options.ownAs.empty() && options.own.empty())
        return "--own-as says how --own-rules are read";
    if (ruling.unboxes && (!options.table.empty() || ruling.mapping || ruling.own))
        return "--unbox and --own-as linen go with --names, not with --own-rules as NNX has them or --dialect penzai";
    if (ruling.own && (!options.table.empty() || options.trace || ruling.mapping))
        return "--own-rules goes with --names and the dialect flax, without --trace: NNX renames, no rule is in the "
               "way "
               "of another";
    if ((!options.constraintMesh.empty() || !options.platform.empty())
        && (!options.table.empty() || ruling.mapping || ruling.own))
        return "--constraint-mesh and --platform are of with_logical_constraint: they go with --names, without "
               "--own-rules and not with --dialect penzai";
    if (options.hybrid && ruling.dialect != Dialect::T5x)
        return "--hybrid is T5X': use --dialect t5x";
    const bool partitioner = // asked for
        options.partitions > 0 || !options.submesh.empty() || !options.iciShape.empty() || !options.dcnShape.empty();
    if (partitioner && !options.within.empty())
        return "--partitions, --submesh, --ici-shape and --dcn-shape do not go with --within: T5X' partitioner has the "
               "rules outside";
    if (partitioner && !ruling.partitioner)
        return "--partitions, --submesh, --ici-shape and --dcn-shape are of T5X' partitioner: use --dialect t5x, "
               "without --own-rules";
    if ((!options.shape.empty() || options.hosts > 0) && !ruling.mesh)
        return "--shape and --hosts need --mesh";
    if (options.hosts > 0 && options.shape.empty())
        return "--hosts needs --shape";
    return {};
}

int resolveCommand(const ResolveOptions& options)
{
    if (!options.rulesSpecified && !infersMapping(options))
        throw UsageError("--rules is required, but for --dialect penzai with --mesh: a mesh has the names of the "
                         "arrays then");
    const Result<Ruling> ruling = readRuling(options);
    if (!ruling)
        return reject(options.json, { ruling.error() });
    if (const std::string wrong = contradiction(options, *ruling); !wrong.empty())
        throw UsageError(wrong);
    return options.table.empty() ? resolveNames(options, *ruling) : resolveTable(options, *ruling);
}

/// Python in a help text: indented, its empty lines left out.
std::string indented(std::string_view code)
{
    std::string text;
    while (!code.empty()) {
        const std::size_t end = std::min(code.find('\n'), code.size());
        if (end > 0)
            text.append("    ").append(code.substr(0, end)).append("\n");
        code.remove_prefix(std::min(end + 1, code.size()));
    }
    return text;
}

std::string tableHelp()
{
    return "FILE of --table is a CSV or JSON table of your own arrays: path, shape, dtype and names. What writes one "
           "in\n"
           "Python:\n\n"
        + indented(tableWriter()) + "\nand what gives it the rows of a Flax Linen model:\n\n"
        + indented(tableRows(ModelLibrary::Linen)) + "\nof a Flax NNX model:\n\n"
        + indented(tableRows(ModelLibrary::Nnx)) + "\nor of a T5X model:\n\n" + indented(tableRows(ModelLibrary::T5x))
        + "\n    shardscope resolve --rules " + std::string(currentMaxTextRules)
        + " --mesh data=2,fsdp=4 --table model.csv";
}

/// The rules, and what stands around them when they are read. Returns --rules.
Option addRuleOptions(Command& command, ResolveOptions& options)
{
    const Option rules = command
                             .addOption("--rules", options.rules,
                                 "Logical axis rules: a file (MaxText's YAML by its ending, or an experiment), - for "
                                 "standard input, the id "
                                 "of a published set (see rules), JSON, or Python literals: \"(('batch', 'data'),)\". "
                                 "With --dialect penzai "
                                 "and --mesh they may be absent: each name has the mesh axis of the same name")
                             .optionText("RULES");
    command
        .addOption("--additional-rules", options.additional,
            "Further rules, appended after the others, as in T5X: they cannot override them")
        .optionText("RULES");
    command
        .addOption("--inner-rules", options.inner,
            "Rules of a logical_axis_rules context inside that of --rules: while it lasts, they count alone")
        .optionText("RULES");
    command
        .addOption("--within", options.within,
            "Where the array lies in the experiment of --rules, with --names: rules that it has for that part count "
            "alone. With --table every array has those of its own path")
        .check([](const std::string& path) {
            return path.empty() || path.starts_with('/') || path.ends_with('/')
                ? "“" + path + "” is no path of a part: write it as decoder/layer_1, without “/” at its ends"
                : std::string();
        })
        .optionText("PATH");
    command
        .addOption("--own-rules", options.own,
            "Rules of the variable itself, as NNX joins them with those of the context; both must agree")
        .optionText("RULES");
    command
        .addOption("--own-as", options.ownAs,
            "Whose reading of --own-rules: nnx (default), or linen, whose box hands them to the constraint of unbox, "
            "where they count alone; the sharding of the state is that of --rules")
        .oneOf({ "linen", "nnx" })
        .optionText("LIBRARY");
    command
        .addOption("--unbox", options.unbox,
            "What unbox of a Linen box with these names gives: constraint (apply_constraint=True), or the value alone")
        .oneOf({ "constraint", "value" })
        .optionText("WHAT");
    return rules;
}

/// The arrays whose names are resolved, and the mesh. Returns --names.
Option addArrayOptions(Command& command, ResolveOptions& options)
{
    const Option names = command
                             .addOption("--names", options.names,
                                 "Names of the dimensions: batch,embed,None (None or - for one without a name), or a "
                                 "Python tuple")
                             .optionText("NAMES");
    command
        .addOption("--add-axis", options.addedAxes,
            "A dimension that nn.scan or nn.vmap adds to an array with those names: its place and its PARTITION_NAME "
            "(metadata_params of Linen, transform_metadata of NNX), 0=layers, or 0=None. Can be given several times, "
            "for the transform nearest to the module first")
        .repeated()
        .optionText("PLACE=NAME");
    command.addOption("--table", options.table, "Resolve every row of a table of arrays: CSV or JSON, see below")
        .optionText("FILE");
    command
        .addOption(
            "--mesh", options.mesh.mesh, "The mesh: data=2,model=4; where the rules are an experiment's, its own")
        .optionText("MESH");
    addDeviceCounts(command, options.mesh);
    command.addOption("--shape", options.shape, "Sizes of the dimensions, to see whether they divide: 8,1024")
        .optionText("SIZES");
    command.addOption("--hosts", options.hosts, "Say which slice each of N hosts holds and writes, as T5X does")
        .wholeNumber(1, maximumDevices)
        .optionText("N");
    return names;
}

/// Whose behaviour is asked for: Flax, T5X, MaxText or Penzai, in which version and on which platform.
void addDialectOptions(Command& command, ResolveOptions& options)
{
    command
        .addOption("--dialect", options.dialect,
            "Whose reading of the rules: flax (default), t5x, maxtext, which leaves out mesh axes of size 1 of "
            "activations and does not shard what does not divide, maxtext-state, which keeps them in the specs of its "
            "train state, or penzai, to which they are a mapping without order (a dict, too)")
        .oneOf({ "flax", "t5x", "maxtext", "maxtext-state", "penzai" })
        .optionText("DIALECT");
    command.addFlag("--hybrid", options.hybrid, "T5X with ICI and DCN shapes: batch goes over replica and data");
    command
        .addOption("--partitions", options.partitions,
            "num_partitions of T5X' PjitPartitioner, for --dialect t5x: the axes of the batch are said, and errors "
            "name the parameter")
        .wholeNumber(1, maximumDevices)
        .optionText("N");
    command.addOption("--submesh", options.submesh, "Its model_parallel_submesh: x,y,z,cores").optionText("SIZES");
    command
        .addOption("--ici-shape", options.iciShape,
            "Its ici_mesh_shape: replica,data,model inside a slice; with --dcn-shape every rule for batch becomes "
            "(replica, data), and no --mesh is needed")
        .optionText("SIZES");
    command.addOption("--dcn-shape", options.dcnShape, "Its dcn_mesh_shape: the same across slices")
        .optionText("SIZES");
    command.addOption("--flax-version", options.version, "Whose behaviour: 2024 or current (default)")
        .oneOf({ "2024", "current" })
        .optionText("VERSION");
    command
        .addOption("--fallback", options.fallback,
            "For names without a usable rule: axis_is_unsharded\n(default), raise_error or no_constraint")
        .oneOf({ "axis_is_unsharded", "raise_error", "no_constraint" })
        .optionText("FALLBACK");
    command
        .addOption("--constraint-mesh", options.constraintMesh,
            "The mesh that with_logical_constraint finds: context (default, with mesh: around the step), none, or own "
            "(handed to it)")
        .oneOf({ "context", "none", "own" })
        .optionText("MESH");
    command
        .addOption(
            "--platform", options.platform, "The platform of the devices: on cpu the Flax of 2024 leaves values alone")
        .oneOf({ "cpu", "gpu", "tpu" })
        .optionText("PLATFORM");
}

} // namespace

void addResolve(CLI::App& app, int& status)
{
    Command command(
        app, "resolve", "Resolve logical names to PartitionSpecs: of one array, or of a table of your own arrays");
    const auto options = std::make_shared<ResolveOptions>();
    const Option rules = addRuleOptions(command, *options);
    const Option names = addArrayOptions(command, *options);
    addDialectOptions(command, *options);
    command.addFlag("--trace", options->trace, "Say of every rule what it did and why");
    command.addJson(options->json);
    command.setInput(options->rules);
    command.footer(tableHelp()
        + "\n\nExit codes: 0 done; 1 errors: a name has no rule and the fallback is raise_error, or a dimension does\n"
          "not divide; 2 arguments, rules, input or output that cannot be used. Warnings (an axis that the mesh\n"
          "lacks) do not count.");
    command.run(status, [options, rules, names] {
        options->rulesSpecified = rules.isSet();
        options->namesSpecified = names.isSet();
        return resolveCommand(*options);
    });
}

} // namespace shardscope::cli
