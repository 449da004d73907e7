// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope sharding: one sharding of one array, from any text form to all of them.
// The command sharding, declared in commands.h.
#include <memory>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "layout_report.h"
#include "report.h"
#include "sharding/parse_names.h"
#include "sharding/sharding_forms.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct ShardingOptions {
    std::string spec;
    std::string shape;
    std::string names;
    std::string mesh;
    std::string platform;
    std::string memoryKind;
    std::string jaxVersion = "2024";
    std::string hlo;
    bool jax = false;
    bool shardy = false;
    bool grid = false;
    bool uneven = false;
    JsonTarget json;
};

/// "data=2,model=4", or as JAX or Shardy print a mesh.
Result<Mesh> parseAnyMesh(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\n");
    const bool shardy = begin != std::string_view::npos
        && (text[begin] == '<' || text[begin] == '#' || text.substr(begin).starts_with("sdy.mesh"));
    return shardy ? parseShardyMesh(text) : parseMesh(text);
}

/// What a sharding is in every form, as far as it has one.
struct Forms {
    Result<std::string> spec;
    Result<std::string> jax;
    Result<std::string> hlo;
    Result<std::string> hloLists;
    Result<std::string> shardy;
};

/// All that is known about the array and its sharding.
struct Subject {
    MeshPtr mesh; ///< may be absent
    LogicalNames names; ///< of the dimensions of a named array; empty for one without
    Sharding sharding;
    std::string platform;
    MemoryKind memoryKind = MemoryKind::Device;
    std::optional<Layout> layout; ///< absent where the program itself shards the array: `notLaidOut`
    std::optional<Error> notLaidOut;
    Forms forms;
};

/// The mesh that a sharding is over, or else the one it is looked at on; may be null.
MeshPtr meshUnder(const Sharding& sharding, const MeshPtr& mesh)
{
    if (const auto* named = std::get_if<NamedSharding>(&sharding))
        return named->mesh;
    const auto* shardy = std::get_if<ShardySharding>(&sharding);
    return shardy ? shardy->mesh : mesh;
}

Forms formsOf(const Subject& subject, std::size_t rank, JaxVersion version)
{
    const Sharding& sharding = subject.sharding;
    const FormContext context{ meshUnder(sharding, subject.mesh), rank, version, subject.platform };
    const auto form = [&](ShardingForm which) { return formText(sharding, which, context); };
    const Error noMesh{ Code::MissingMesh, {}, {} };
    Forms forms{ tl::unexpected(noMesh), toJax(sharding, version), form(ShardingForm::HloV2), form(ShardingForm::HloV1),
        tl::unexpected(noMesh) };
    if (!context.mesh)
        return forms;
    forms.spec = form(ShardingForm::Spec);
    // JAX has no object for what Shardy says; where a spec says the same, it is that one.
    if (std::holds_alternative<ShardySharding>(sharding))
        if (Result<std::string> named = form(ShardingForm::Named))
            forms.jax = std::move(named);
    forms.shardy = form(ShardingForm::Shardy);
    constexpr std::string_view attribute = "#sdy.sharding"; // as in the arguments of a program, without it
    if (forms.shardy && forms.shardy->starts_with(attribute))
        forms.shardy->erase(0, attribute.size());
    return forms;
}

/// JAX lays no array out that does not divide; what the compiler says may pad.
bool isOfJax(const Sharding& sharding)
{
    return !std::holds_alternative<GspmdSharding>(sharding) && !std::holds_alternative<ShardySharding>(sharding);
}

Result<Subject> subjectOf(const ShardingOptions& options)
{
    const auto in = [](Error error, const char* option) {
        if (error.where.file.empty())
            error.where.file = option;
        return tl::unexpected<Error>(std::move(error));
    };
    Subject subject;
    if (!options.mesh.empty()) {
        Result<Mesh> mesh = parseAnyMesh(options.mesh);
        if (!mesh)
            return in(std::move(mesh.error()), "--mesh");
        subject.mesh = std::make_shared<const Mesh>(std::move(*mesh));
    }
    const Result<Shape> shape = parseShape(options.shape);
    if (!shape)
        return in(shape.error(), "--shape");
    if (!options.names.empty()) {
        Result<LogicalNames> names = parseNames(options.names);
        if (!names)
            return in(std::move(names.error()), "--names");
        if (names->size() != shape->size())
            return in(Error{ Code::InvalidAttribute,
                          { { "op", "array" }, { "wrong", "names" }, { "names", names->size() },
                              { "dimensions", shape->size() } },
                          {} },
                "--names");
        subject.names = std::move(*names);
    }
    Result<Sharding> sharding = parseSharding(options.spec, subject.mesh);
    if (!sharding)
        return in(std::move(sharding.error()), "--spec");
    subject.sharding = std::move(*sharding);
    // A spec may be shorter than the array; dimensions that it does not name are replicated.
    const std::size_t first = options.spec.find_first_not_of(" \t\n");
    if (auto* shardy = std::get_if<ShardySharding>(&subject.sharding); shardy && options.spec[first] == 'P')
        if (shardy->sharding.dims.size() < shape->size())
            for (const DimensionSharding& full :
                TensorSharding::fullyReplicated(shape->size() - shardy->sharding.dims.size()).dims)
                shardy->sharding.dims.push_back(full);
    if (!options.memoryKind.empty()) {
        const Result<MemoryKind> kind = parseMemoryKind(options.memoryKind);
        if (!kind)
            return in(kind.error(), "--memory-kind");
        subject.sharding = withMemoryKind(std::move(subject.sharding), *kind);
    }
    subject.platform = options.platform;
    if (subject.platform.empty()) {
        const auto* positional = std::get_if<PositionalSharding>(&subject.sharding);
        const auto* single = std::get_if<SingleDeviceSharding>(&subject.sharding);
        subject.platform = positional ? positional->platform() : single ? single->device.platform : "cpu";
    }
    const Result<MemoryKind> settled = settledMemoryKind(memoryKindOf(subject.sharding), subject.platform);
    if (!settled)
        return in(settled.error(), options.memoryKind.empty() ? "--spec" : "--memory-kind");
    subject.memoryKind = *settled;
    if (const MeshPtr own = meshUnder(subject.sharding, nullptr))
        subject.mesh = own;
    Result<Layout> layout = layoutOf(
        subject.sharding, *shape, options.uneven || !isOfJax(subject.sharding) ? Uneven::Padded : Uneven::Refused);
    if (layout)
        subject.layout = std::move(*layout);
    else if (layout.error().code == Code::UnsupportedSharding && layout.error().text("form") == "manual subgroup")
        subject.notLaidOut = std::move(layout.error());
    else
        return in(std::move(layout.error()), "--spec");
    subject.forms =
        formsOf(subject, shape->size(), options.jaxVersion == "current" ? JaxVersion::Current : JaxVersion::Year2024);
    return subject;
}

Json formJson(const Result<std::string>& form)
{
    return form ? Json(*form) : Json(nullptr);
}

std::vector<std::string> gridOf(const Subject& subject)
{
    GridTextOptions options;
    options.platform = subject.platform;
    return toGridText(*subject.layout, options);
}

Json subjectJson(const JsonTarget& target, const Subject& subject)
{
    const std::vector<std::int32_t> devices = devicesOf(subject.sharding);
    Json out = envelope(target);
    const Json forms{ { "spec", formJson(subject.forms.spec) }, { "jax", formJson(subject.forms.jax) },
        { "hlo_v2", formJson(subject.forms.hlo) }, { "hlo_v1", formJson(subject.forms.hloLists) },
        { "shardy", formJson(subject.forms.shardy) } };
    if (!subject.layout) {
        out["device_count"] = devices.size();
        out["platform"] = subject.platform;
        out["memory_kind"] = toString(subject.memoryKind);
        out["forms"] = forms;
        out["not_laid_out"] = cli::toJson(*subject.notLaidOut);
        return out;
    }
    const Layout& layout = *subject.layout;
    if (subject.mesh)
        out["mesh"] = cli::toJson(*subject.mesh);
    out["device_count"] = devices.size();
    out["platform"] = subject.platform;
    out["memory_kind"] = toString(subject.memoryKind);
    out["shape"] = sizesOf(layout.shape());
    for (const LogicalName& dimension : subject.names)
        out["names"].push_back(dimension.kind == LogicalName::Kind::Name ? Json(dimension.name) : Json(nullptr));
    out["shard_shape"] = sizesOf(layout.shardShape());
    out["shard_grid"] = sizesOf(layout.shardGrid());
    out["shards"] = layout.distinctShards();
    out["copies"] = layout.copies();
    out["addends"] = layout.addends();
    out["is_fully_replicated"] = layout.distinctShards() == 1 && layout.addends() == 1;
    out["is_uneven"] = layout.isUneven();
    out["padded_elements"] = layout.paddedElements();
    out["forms"] = forms;
    out["replica_groups"] = layout.replicaGroups();
    std::unordered_map<std::int32_t, std::int64_t> positions;
    for (std::int64_t position = 0; position < layout.mesh().deviceCount(); ++position)
        positions[layout.mesh().deviceAt(position)] = position;
    out["index"] = Json::array();
    for (const std::int32_t device : devices) {
        const auto position = positions.find(device);
        if (position == positions.end())
            continue; // holds nothing
        Json ranges = Json::array();
        for (const IndexRange& range : layout.rangesAt(position->second))
            ranges.push_back(Json::array({ range.begin, range.end }));
        out["index"].push_back(Json::array({ device, std::move(ranges) }));
    }
    out["grid"] = gridOf(subject);
    if (const auto cells = gridLabels(layout, subject.platform))
        out["cells"] = *cells;
    return out;
}

/// "foo replicated, bar sharded 4 ways"
QString namedDimensions(const Subject& subject)
{
    const Shape grid = subject.layout->shardGrid();
    QStringList dimensions;
    for (std::size_t d = 0; d < subject.names.size(); ++d) {
        const LogicalName& dimension = subject.names[d];
        const QString which = dimension.kind == LogicalName::Kind::Name ? words::fromStd(dimension.name)
                                                                        : QStringLiteral("dimension %1").arg(d);
        dimensions << (grid[d] == 1 ? QStringLiteral("%1 replicated").arg(which)
                                    : QStringLiteral("%1 sharded %2 ways").arg(which, words::count(grid[d])));
    }
    return dimensions.join(QStringLiteral(", "));
}

void printSummary(Console& console, const Subject& subject)
{
    const auto devices = static_cast<std::int64_t>(devicesOf(subject.sharding).size());
    QString mesh = words::counted(devices, words::Noun::Device);
    if (subject.mesh && subject.mesh->deviceCount() == devices) {
        if (subject.mesh->rank() > 0)
            mesh = QStringLiteral("%1: %2").arg(axesText(*subject.mesh), mesh);
    }
    console.line(QStringLiteral("Mesh     %1, %2").arg(mesh, words::fromStd(subject.platform)));
    const auto printMemory = [&] {
        console.line(QStringLiteral("Memory   %1%2")
                         .arg(words::fromStd(toString(subject.memoryKind)),
                             memoryKindOf(subject.sharding) ? QString() : QStringLiteral(" (the default)")));
    };
    if (!subject.layout) {
        console.line(QStringLiteral("Array    who holds what cannot be said: %1")
                         .arg(words::describe(*subject.notLaidOut).cause));
        printMemory();
        return;
    }
    const Layout& layout = *subject.layout;
    QString array =
        QStringLiteral("%1 in %2 of %3, %4")
            .arg(words::shape(layout.shape()), words::counted(layout.distinctShards(), words::Noun::Shard),
                words::shape(layout.shardShape()),
                layout.copies() == 1 ? QStringLiteral("one copy")
                                     : QStringLiteral("%1 copies of each").arg(words::count(layout.copies())));
    if (layout.addends() > 1)
        array += QStringLiteral(", to be added up over %1").arg(words::counted(layout.addends(), words::Noun::Device));
    else if (layout.distinctShards() == 1 && layout.copies() < devices)
        array += QStringLiteral(": all of it on device %1").arg(idsText(layout.holders(0)));
    else if (layout.distinctShards() == 1)
        array += QStringLiteral(": fully replicated");
    console.line(QStringLiteral("Array    ") + array);
    if (!subject.names.empty())
        console.line(QStringLiteral("Names    ") + namedDimensions(subject));
    if (layout.isUneven())
        console.line(QStringLiteral("Padding  %1 on all devices, at most %2 in a shard")
                         .arg(words::counted(layout.paddedElements(), words::Noun::Element),
                             words::count(layout.paddedElementsOfWorstShard())));
    printMemory();
}

/// The form, or why there is none.
QString shown(const Result<std::string>& form)
{
    if (form)
        return words::fromStd(*form);
    return form.error().code == Code::MissingMesh ? QStringLiteral("none: without --mesh there are no axis names")
                                                  : QStringLiteral("none: %1").arg(words::describe(form.error()).cause);
}

/// A row per line of the form: what JAX prints of a grid has line breaks.
void addForm(Table& table, const char* name, const QString& form)
{
    QString label = QString::fromLatin1(name);
    for (const QString& line : form.split(QLatin1Char('\n'))) {
        table.rows.push_back({ label, line });
        label.clear();
    }
}

void printForms(Console& console, const Subject& subject)
{
    constexpr std::size_t maxListed = 64;
    const std::size_t devices = devicesOf(subject.sharding).size();
    Table table{ "Form", "Sharding" };
    addForm(table, "Spec", shown(subject.forms.spec));
    addForm(table, "JAX", shown(subject.forms.jax));
    addForm(table, "HLO V2", shown(subject.forms.hlo));
    table.rows.push_back({ QStringLiteral("HLO V1"),
        devices <= maxListed
            ? shown(subject.forms.hloLists)
            : QStringLiteral("lists %1 devices: see --hlo=v1").arg(words::count(static_cast<qint64>(devices))) });
    addForm(table, "Shardy", shown(subject.forms.shardy));
    console.line();
    console.table(table, {});
}

int showSharding(const ShardingOptions& options)
{
    const Result<Subject> subject = subjectOf(options);
    if (!subject)
        return reject(options.json, { subject.error() });
    if (!options.json.empty())
        return emitJson(subjectJson(options.json, *subject), options.json, Done);
    const auto grid = [&](Console& console) {
        for (const std::string& line : gridOf(*subject))
            console.line(words::fromStd(line));
    };
    Console console;
    // Single forms, for other programs: nothing but their text.
    std::vector<const Result<std::string>*> chosen;
    if (options.jax)
        chosen.push_back(&subject->forms.jax);
    if (!options.hlo.empty())
        chosen.push_back(options.hlo == "v1" ? &subject->forms.hloLists : &subject->forms.hlo);
    if (options.shardy)
        chosen.push_back(&subject->forms.shardy);
    for (const Result<std::string>* form : chosen) {
        if (!*form)
            return reject({}, { form->error() });
        console.lines(words::fromStd(**form).split(QLatin1Char('\n')));
    }
    if (options.grid && !subject->layout)
        return reject({}, { *subject->notLaidOut });
    if (options.grid)
        grid(console);
    if (!chosen.empty() || options.grid)
        return Done;
    printSummary(console, *subject);
    printForms(console, *subject);
    if (!subject->layout)
        return Done;
    printHolders(console, *subject->layout, {});
    console.line();
    grid(console);
    return Done;
}

} // namespace

void addSharding(CLI::App& app, int& status)
{
    Command command(app, "sharding", "Show one sharding of an array in all text forms, and who holds what");
    command.footer("Exit codes: 0 done; 2 arguments, shardings or sizes that cannot be used.");
    const auto options = std::make_shared<ShardingOptions>();
    command
        .addOption("--spec", options->spec,
            "The sharding: a spec such as \"P('x', None)\", HLO or Shardy text, or an object as JAX prints it")
        .required()
        .optionText("SHARDING");
    command.addOption("--shape", options->shape, "Sizes of the array: 8,16; () for a scalar")
        .required()
        .optionText("SIZES");
    command
        .addOption("--names", options->names,
            "Names of its dimensions, as those of a named array: foo,bar; None for one without")
        .optionText("NAMES");
    command.addOption("--mesh", options->mesh, "Mesh axes: x=2,y=4; not needed where the sharding names its devices")
        .optionText("MESH");
    command.addOption("--platform", options->platform, "Kind of devices: cpu (default), gpu or tpu")
        .oneOf({ "cpu", "gpu", "tpu" })
        .optionText("PLATFORM");
    command
        .addOption("--memory-kind", options->memoryKind,
            "Memory of the devices: device, pinned_host or unpinned_host (default: the platform's)")
        .optionText("KIND");
    command.addOption("--jax-version", options->jaxVersion, "How JAX prints: 2024 (default) or current")
        .oneOf({ "2024", "current" })
        .optionText("VERSION");
    command.addFlag("--uneven", options->uneven,
        "Pad dimensions that do not divide, as XLA does inside; JAX refuses them at its boundary");
    command.addFlag("--jax", options->jax, "Print what JAX prints, and nothing else");
    command.addFlag("--hlo{v2}", options->hlo, "Print the HLO text alone; --hlo=v1 lists the devices")
        .oneOf({ "v1", "v2" });
    command.addFlag("--sdy", options->shardy, "Print the Shardy text alone");
    command.addFlag("--grid", options->grid, "Print the grid alone, as jax.debug.visualize_array_sharding does");
    command.addJson(options->json);
    command.setInput(options->spec);
    command.run(status, [options] { return showSharding(*options); });
}

} // namespace shardscope::cli
