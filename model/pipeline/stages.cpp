// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/stages.h"

#include <algorithm>

#include "base/codes.h"
#include "base/hash.h"
#include "experiment/edits.h"
#include "experiment/transformer_fields.h"
#include "partition/varying_axes.h"
#include "pipeline/annotate.h"
#include "pipeline/device_stages.h"
#include "pipeline/given_shardings.h"
#include "pipeline/memory_placement.h"
#include "pipeline/value_meshes.h"
#include "program/collective_groups.h"
#include "program/device_counts.h"
#include "program/name_values.h"
#include "program/over_mesh.h"
#include "program/roles.h"
#include "program/step_state.h"
#include "program/verify_shardings.h"
#include "propagation/pass_pipelines.h"
#include "propagation/strategy.h"

namespace shardscope {

namespace {

void add(Hasher& hasher, const AxisList& axes)
{
    hasher.add(axes.size());
    for (const AxisRef& ref : axes)
        hasher.add(ref.axis).add(ref.pre).add(ref.size);
}

void add(Hasher& hasher, const std::vector<std::optional<TensorSharding>>& shardings)
{
    for (const auto& sharding : shardings) {
        hasher.add(sharding.has_value());
        if (!sharding)
            continue;
        for (const DimensionSharding& dim : sharding->dims) {
            hasher.add(dim.open).add(dim.priority);
            add(hasher, dim.axes);
        }
        add(hasher, sharding->replicated);
        add(hasher, sharding->unreduced);
    }
}

void add(Hasher& hasher, const Mesh& mesh)
{
    for (const MeshAxis& axis : mesh.axes())
        hasher.add(axis.name).add(axis.size);
    for (const std::int32_t device : mesh.deviceOrder())
        hasher.add(device);
}

void add(Hasher& hasher, const PartitionSpec& spec)
{
    hasher.add(spec.entries.size());
    for (const SpecEntry& entry : spec.entries) {
        hasher.add(entry.kind).add(entry.axes.size());
        for (const std::string& axis : entry.axes)
            hasher.add(axis);
    }
}

void add(Hasher& hasher, const std::vector<ChosenSharding>& list)
{
    hasher.add(list.size());
    for (const ChosenSharding& chosen : list) {
        hasher.add(chosen.at).add(chosen.axes.index());
        if (const auto* device = std::get_if<DeviceAxes>(&chosen.axes))
            add(hasher, device->spec);
        const auto* logical = std::get_if<LogicalAxes>(&chosen.axes);
        if (!logical)
            continue;
        hasher.add(logical->names.size());
        for (const LogicalName& name : logical->names)
            hasher.add(name.kind).add(name.name);
    }
}

/// Every setting of a transformer and of its train step.
void add(Hasher& hasher, const TransformerTraining& training)
{
    const auto addField = [&hasher](std::string_view, const auto& value, const auto&...) { hasher.add(value); };
    const auto addOptimizerField = [&](std::string_view key, const auto& value, const auto&... range) {
        if constexpr (std::is_same_v<decltype(value), const std::optional<DType>&>)
            hasher.add(value.has_value()).add(value.value_or(DType::F32));
        else
            addField(key, value, range...);
    };
    const TransformerSettings& model = training.model;
    hasher.add(model.layers);
    forEachSize(model, addField);
    forEachOption(model, addField);
    hasher.add(model.experts.has_value());
    if (model.experts)
        forEachExpertOption(*model.experts, addField);
    for (const auto* list : { &model.constraints, &model.parameterSpecs })
        add(hasher, *list);
    hasher.add(model.latent.has_value());
    if (model.latent)
        forEachLatentOption(*model.latent, addField);
    hasher.add(training.optimizer.kind);
    forEachAdamNumber(training.optimizer, addField);
    forEachOptimizerOption(training.optimizer, addOptimizerField);
    forEachAdafactorOption(training.optimizer.adafactor, addField);
    hasher.add(training.microbatches).add(training.trainStep).add(training.initialise);
}

std::uint64_t hashOf(const ModelSetting& model)
{
    Hasher hasher;
    hasher.add(model.index());
    if (const auto* mlp = std::get_if<MlpModel>(&model)) {
        const MlpSettings& s = mlp->settings;
        hasher.add(s.layers).add(s.batch).add(s.embed).add(s.hidden).add(s.dtype).add(s.loss);
        hasher.add(s.adam.learningRate).add(s.adam.beta1).add(s.adam.beta2).add(s.adam.epsilon);
        hasher.add(s.inputGradient).add(s.trainStep).add(s.initialise).add(s.axes).add(s.yConstraint).add(s.remat);
        hasher.add(s.form).add(s.layersAxis).add(s.layersName.has_value()).add(s.layersName.value_or(std::string()));
        for (const auto& [name, entry] : s.deviceAxes) {
            hasher.add(name);
            add(hasher, PartitionSpec{ { entry } });
        }
    } else if (const auto* transformer = std::get_if<TransformerModel>(&model)) {
        add(hasher, transformer->settings);
    } else if (const auto* program = std::get_if<ProgramModel>(&model)) {
        hasher.add(std::string_view(*program->text));
    } else {
        for (const NamedArraySetting& array : std::get<ArraysModel>(model).arrays) {
            hasher.add(array.path).add(array.dtype).add(array.shape.size());
            for (const std::int64_t size : array.shape)
                hasher.add(size);
            for (const LogicalName& name : array.names)
                hasher.add(name.kind).add(name.name);
        }
    }
    return hasher.value();
}

/// What the program is built of: without what is said about it for later stages.
ModelSetting sourceOf(ModelSetting model)
{
    if (auto* program = std::get_if<ProgramModel>(&model)) {
        program->shardingRules.clear();
        program->shardings.clear();
    } else if (auto* arrays = std::get_if<ArraysModel>(&model)) {
        for (NamedArraySetting& array : arrays->arrays)
            array.memoryKind.reset();
    }
    return model;
}

std::uint64_t hashOf(const AnnotationInput& input)
{
    Hasher hasher;
    hasher.add(reinterpret_cast<std::uintptr_t>(input.source.get()));
    add(hasher, input.mesh);
    add(hasher, input.shardings.arguments);
    add(hasher, input.shardings.results);
    add(hasher, input.shardings.constraints);
    hasher.add(input.platform);
    return hasher.value(); // what a text is given besides is little, and is compared
}

std::uint64_t hashOf(const LayoutInput& input)
{
    Hasher hasher;
    hasher.add(reinterpret_cast<std::uintptr_t>(input.annotated.get()))
        .add(input.propagation.strategy)
        .add(input.propagation.conservative)
        .add(input.propagation.userPriorities)
        .add(std::string_view(input.state))
        .add(input.roles.size());
    return hasher.value(); // chosen roles are few, and are compared
}

/// What makes a program illegal, as problems. Returns whether there is any error.
bool addFindings(std::vector<Problem>& problems, const std::string& file, std::vector<Diagnostic> findings)
{
    bool anyError = false;
    for (Diagnostic& finding : findings) {
        if (finding.where.line > 0)
            finding.where.file = file;
        anyError = anyError || finding.severity() == Severity::Error;
        problems.push_back({ std::move(finding), {}, {} });
    }
    return anyError;
}

AnnotationShardings shardingsOf(const Annotations& annotations, const Program& program, const Mesh& mesh)
{
    AnnotationShardings shardings;
    const auto shardingOf = [&](const ResolvedAnnotation& annotation) -> std::optional<TensorSharding> {
        if (!annotation.spec)
            return std::nullopt;
        return toTensorSharding(*annotation.spec, mesh, program.value(annotation.value).type.rank());
    };
    for (const ResolvedAnnotation& annotation : annotations.arguments)
        shardings.arguments.push_back(shardingOf(annotation));
    for (const ResolvedAnnotation& annotation : annotations.results)
        shardings.results.push_back(shardingOf(annotation));
    shardings.constraints.resize(program.operations.size());
    for (const ResolvedAnnotation& annotation : annotations.constraints)
        shardings.constraints[annotation.operation.index] = shardingOf(annotation);
    return shardings;
}

AnnotatedStage annotated(const AnnotationInput& input)
{
    AnnotatedStage made;
    made.source = input.source;
    made.mesh = std::make_shared<const Mesh>(input.mesh);
    auto program = std::make_shared<Program>(annotatedProgram(input.source->program, made.mesh, input.shardings));
    for (Diagnostic& wrong : attachRules(*program, input.specified)) {
        const Fix drop{ Fix::Kind::DropShardingRule, wrong.where.path };
        made.problems.push_back({ std::move(wrong), { drop }, {} });
    }
    for (Problem& problem : giveShardings(*program, input.specified))
        made.problems.push_back(std::move(problem));
    made.program = program;
    const std::string file = input.specified.file.empty() ? "program" : input.specified.file;
    const auto add = [&](std::vector<Diagnostic> findings) {
        return addFindings(made.problems, file, std::move(findings));
    };
    const bool illegal = add(input.source->illegal);
    made.legal = !add(verifyShardings(*program)) && !illegal;
    if (!made.legal)
        return made;
    // Values in two memories keep a program from running, not from being looked at.
    add(placementFindings(*program, input.platform));
    add(passes::groupConflicts(*program));
    add(checkReplication(*program));
    // A program without a mesh has been given one.
    add(verifyCollectiveGroups(mainMesh(input.source->program) ? *program : input.source->program));
    return made;
}

/// Rows and views speak of one mesh. Shardings on others over the same devices are written along its axes; what lies
/// on a mesh over other devices (or on a single one), or along a part that these axes do not divide into, is drawn
/// unsharded. Returns the names of the meshes with such values.
std::vector<std::string> bringToMainMesh(PropagationResult& propagation, const Program& program)
{
    std::vector<std::string> elsewhere;
    const std::optional<std::uint32_t> main = mainMesh(program);
    if (!main)
        return elsewhere;
    const MeshPtr mesh = program.meshes[*main].mesh;
    MainAxes axes(program, mesh);
    for (std::size_t v = 0; v < propagation.meshes.size(); ++v) {
        if (propagation.meshes[v] == 0)
            continue;
        const std::uint32_t number = propagation.meshes[v] - 1;
        const ProgramMesh& own = program.meshes[number];
        TensorSharding& sharding = propagation.shardings[v];
        if (*own.mesh == *mesh)
            continue;
        if (axes.hasSameAxes(number)) {
            sharding = renumbered(std::move(sharding), *own.mesh, *mesh);
            continue;
        }
        if (const MeshInAxes* parts = axes.parts(number)) {
            if (!program.values[v].definition.valid())
                keepFullAxes(sharding, *own.mesh); // afterwards it is not seen which were
            if (std::optional<TensorSharding> written = alongParts(sharding, *parts)) {
                sharding = std::move(*written);
                continue;
            }
        }
        if (!sharding.isFullyReplicated() && !own.isMaximal()
            && std::find(elsewhere.begin(), elsewhere.end(), own.name) == elsewhere.end())
            elsewhere.push_back(own.name);
        sharding = TensorSharding::fullyReplicated(program.values[v].type.rank());
    }
    return elsewhere;
}

/// Dimensions of size 1 of arguments that are sharded: those go where the array enters the program. Others that do
/// not divide are padded.
std::vector<DroppedAxes> droppedFrom(const TensorSharding& sharding, const TensorType& type, const Mesh& mesh)
{
    std::vector<DroppedAxes> dropped;
    for (std::size_t d = 0; d < sharding.rank(); ++d) {
        if (type.shape[d] > 1 || dividing(sharding.dims[d].axes, type.shape[d]) == sharding.dims[d].axes)
            continue;
        DroppedAxes& entry = dropped.emplace_back();
        entry.reason = DroppedAxes::Reason::Indivisible;
        entry.dimension = d;
        entry.size = type.shape[d];
        for (const AxisRef ref : sharding.dims[d].axes) {
            entry.axes.push_back(toString(mesh, ref));
            entry.partitions *= ref.size;
        }
    }
    return dropped;
}

/// W246 for dimensions of an argument that are padded.
void addPadded(std::vector<Problem>& problems, ValueId argument, const Value& value, const TensorSharding& sharding,
    const Mesh& mesh)
{
    for (std::size_t d = 0; d < sharding.rank(); ++d) {
        const std::int64_t size = value.type.shape[d], parts = shardCount(sharding.dims[d]);
        if (size <= 1 || parts <= 1 || size % parts == 0)
            continue;
        std::vector<std::string> axes;
        for (const AxisRef axis : sharding.dims[d].axes)
            axes.push_back(toString(mesh, axis));
        Diagnostic diagnostic{ Code::UnevenArgument,
            { { "dim", d }, { "size", size }, { "partitions", parts }, { "axes", std::move(axes) },
                { "tensor", std::string(*value.path) } },
            {} };
        diagnostic.where.path = value.path;
        diagnostic.where.dimension = static_cast<int>(d);
        problems.push_back({ std::move(diagnostic), {}, { argument } });
    }
}

/// W201 for what a program's own shardings lose where arrays enter it, which the annotations note.
void addDropped(std::vector<Problem>& problems, Annotations& annotations, const Program& program)
{
    for (ResolvedAnnotation& annotation : annotations.arguments) {
        const auto* own = std::get_if<ExplicitSharding>(&annotation.declared);
        const Value& value = program.value(annotation.value);
        if (!own || !isTensor(value.type.dtype) || own->specified->sharding.rank() != value.type.rank())
            continue;
        const Mesh& mesh = *program.meshes[own->specified->mesh].mesh;
        annotation.dropped = droppedFrom(own->specified->sharding, value.type, mesh);
        addPadded(problems, annotation.value, value, own->specified->sharding, mesh);
        for (const DroppedAxes& dropped : annotation.dropped) {
            Diagnostic diagnostic{ Code::SilentlyReplicated,
                { { "dim", dropped.dimension }, { "size", dropped.size }, { "partitions", dropped.partitions },
                    { "axes", dropped.axes }, { "tensor", std::string(*value.path) } },
                {} };
            diagnostic.where.path = value.path;
            diagnostic.where.dimension = static_cast<int>(dropped.dimension);
            problems.push_back({ std::move(diagnostic), {}, { annotation.value } });
        }
    }
}

/// Annotations that are no rules' are what the program itself has there.
void noteOwnShardings(Annotations& annotations, const Program& program)
{
    const auto note = [](ResolvedAnnotation& annotation, const ProgramSharding* sharding) {
        if (sharding && std::holds_alternative<std::monostate>(annotation.declared))
            annotation.declared = ExplicitSharding{ std::make_shared<const ProgramSharding>(*sharding) };
    };
    for (ResolvedAnnotation& annotation : annotations.arguments)
        note(annotation, program.shardingOf(annotation.value));
    const std::vector<ShardingIndex>& results = program.functions.front().resultShardings;
    for (std::size_t r = 0; r < annotations.results.size(); ++r)
        note(annotations.results[r],
            r >= results.size() || results[r] == 0 ? nullptr : &program.shardings[results[r] - 1]);
    for (ResolvedAnnotation& annotation : annotations.constraints)
        if (std::holds_alternative<ExplicitSharding>(annotation.declared)) // the experiment may have given another
            annotation.declared =
                std::get<ConstraintAttributes>(program.operation(annotation.operation).attributes).annotation;
}

/// Null if stopped.
std::shared_ptr<const LayoutStage> layOut(const LayoutInput& input, const std::stop_token& stop)
{
    const SourceProgram& source = *input.annotated->source;
    auto layout = std::make_shared<LayoutStage>();
    layout->annotated = input.annotated;
    Result<Program> ready = prepared(*input.annotated->program, input.propagation);
    if (!ready) {
        layout->error = std::move(ready.error());
        return layout;
    }
    if (source.program.namedByText)
        nameValues(*ready); // there are more values now: constants are copied for every use
    DeviceStages::Input stages;
    stages.state = stateOf(*ready, input.state);
    giveRoles(*ready,
        withChosen(source.guessesRoles ? guessRoles(*ready, stages.state) : ownRoles(*ready), *ready, stages.state,
            input.roles));
    stages.kept = keptValues(*ready);
    stages.isOfOneDevice = source.isPartitioned() || isOfOneDevice(source.program);
    layout->program = std::make_shared<const Program>(std::move(*ready));
    if (stop.stop_requested())
        return nullptr;

    auto propagation = std::make_shared<const PropagationResult>(
        propagate({ layout->program, engineStrategy(input.propagation), engineOptions(input.propagation) }));
    stages.program = layout->program;
    stages.propagation = propagation;
    layout->deviceStages = std::make_shared<const DeviceStages>(std::move(stages));
    layout->propagation = std::move(propagation);
    if (const std::vector<ProgramMesh>& meshes = layout->program->meshes; meshes.size() > 1) {
        auto shown = std::make_shared<PropagationResult>(*layout->propagation);
        layout->elsewhere = bringToMainMesh(*shown, *layout->program);
        layout->propagation = std::move(shown);
    }
    return stop.stop_requested() ? nullptr : layout;
}

/// What is drawn otherwise than it is.
void addNotShown(Snapshot& snapshot, const LayoutStage& layout)
{
    const auto isNothing = [](const ResolvedAnnotation& annotation) {
        return std::holds_alternative<std::monostate>(annotation.declared);
    };
    Diagnostic notRun{ Code::ProgramNotRun, {}, {} };
    const Program& source = snapshot.source->program;
    const std::vector<ResolvedAnnotation>& arguments = snapshot.annotations->arguments;
    if (!layout.elsewhere.empty())
        notRun.args.emplace_back("elsewhere", layout.elsewhere);
    else if (!mainMesh(source) && snapshot.mesh->deviceCount() == 1 && !isOfOneDevice(source)
        && !source.main().operations.empty() && std::all_of(arguments.begin(), arguments.end(), isNothing))
        notRun.args.emplace_back("devices", std::int64_t{ 1 }); // it names no mesh, and was given none yet
    if (!notRun.args.empty())
        snapshot.problems.push_back({ std::move(notRun), {}, {} });
}

} // namespace

Result<SourcePtr> build(const Experiment& experiment, AnalysisCache& cache, bool& fromCache)
{
    ModelSetting model = sourceOf(experiment.model);
    auto& known = cache.impl().sources;
    const std::uint64_t hash = hashOf(model);
    SourcePtr source = known.find(hash, model);
    fromCache = source != nullptr;
    if (source)
        return source;
    SHARDSCOPE_TRY(made, sourceProgram(experiment));
    source = std::move(*made);
    known.insert(hash, std::move(model), source, source->program.values.size());
    return source;
}

std::shared_ptr<const AnnotatedStage> annotate(Snapshot& snapshot, AnalysisCache& cache, bool& fromCache)
{
    const Experiment& experiment = *snapshot.experiment;
    const Program& source = snapshot.source->program;
    auto annotations = std::make_shared<Annotations>(resolveAnnotations(source, *snapshot.mesh, experiment));
    AnnotationInput input{ snapshot.source, *snapshot.mesh, shardingsOf(*annotations, source, *snapshot.mesh),
        specifiedBy(experiment), experiment.hardware.devices.platform };
    auto& known = cache.impl().annotated;
    const std::uint64_t hash = hashOf(input);
    std::shared_ptr<const AnnotatedStage> stage = known.find(hash, input);
    fromCache = stage != nullptr;
    if (!stage) {
        stage = std::make_shared<const AnnotatedStage>(annotated(input));
        known.insert(hash, std::move(input), stage, source.values.size());
    }
    snapshot.mesh = stage->mesh;
    snapshot.annotated = stage->program;
    snapshot.problems.insert(snapshot.problems.end(), stage->problems.begin(), stage->problems.end());
    noteOwnShardings(*annotations, *stage->program);
    if (stage->legal)
        addDropped(snapshot.problems, *annotations, *stage->program);
    snapshot.annotations = std::move(annotations);
    return stage;
}

bool layOut(Snapshot& snapshot, std::shared_ptr<const AnnotatedStage> annotated, AnalysisCache& cache,
    const std::stop_token& stop, bool& fromCache)
{
    constexpr std::int64_t devicesPerValue = 64; // a device in a mesh takes some bytes, a value about a thousand
    const Experiment& experiment = *snapshot.experiment;
    LayoutInput input{ std::move(annotated), experiment.propagation, experiment.run.state, experiment.run.roles };
    auto& known = cache.impl().layouts;
    const std::uint64_t hash = hashOf(input);
    std::shared_ptr<const LayoutStage> layout = known.find(hash, input);
    fromCache = layout != nullptr;
    if (!layout) {
        layout = layOut(input, stop);
        if (!layout)
            return false;
        const std::size_t weight = 2 * snapshot.program->values.size() // what is partitioned weighs as much again
            + static_cast<std::size_t>(snapshot.mesh->deviceCount() / devicesPerValue);
        known.insert(hash, std::move(input), layout, weight);
    }
    if (layout->error) {
        snapshot.problems.push_back({ *layout->error, {}, {} });
        return true;
    }
    snapshot.program = layout->program;
    snapshot.propagation = layout->propagation;
    snapshot.deviceStages = layout->deviceStages;
    addNotShown(snapshot, *layout);
    return true;
}

} // namespace shardscope
