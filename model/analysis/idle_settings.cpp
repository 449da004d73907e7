// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/idle_settings.h"

#include <algorithm>
#include <any>
#include <set>
#include <string_view>
#include <type_traits>

#include "base/codes.h"
#include "experiment/transformer_fields.h"
#include "networks/optimizer.h"
#include "networks/transformer_axes.h"

namespace shardscope {

namespace {

/// Visits those settings of an object that differ from what they are by default: `visit(pointer, value, plain)`.
/// `each(settings, visitor)` visits the settings one by one, as the functions of experiment/transformer_fields.h do.
template <class Settings, class Each, class Visit>
void forEachDiffering(std::string_view object, Settings& settings, const Each& each, const Visit& visit)
{
    std::vector<std::any> plain;
    std::remove_const_t<Settings> defaults;
    each(defaults, [&](std::string_view, const auto& value, const auto&...) { plain.emplace_back(value); });
    std::size_t place = 0;
    each(settings, [&](std::string_view key, auto& value, const auto&...) {
        using Value = std::remove_cvref_t<decltype(value)>;
        const auto& before = std::any_cast<const Value&>(plain[place++]);
        if (!(value == before))
            visit(std::string(object) + '/' + std::string(key), value, before);
    });
}

template <class Training, class Visit>
void forEachTransformerSetting(Training& training, const Visit& visit)
{
    const auto options = [](auto& s, const auto& inner) { forEachOption(s, inner); };
    const auto step = [](auto& t, const auto& inner) {
        forEachAdamNumber(t.optimizer, inner);
        inner("microbatches", t.microbatches);
        forEachOptimizerOption(t.optimizer, inner);
    };
    const auto adafactor = [](auto& s, const auto& inner) { forEachAdafactorOption(s, inner); };
    const auto experts = [](auto& s, const auto& inner) { forEachExpertOption(s, inner); };
    forEachDiffering("/model", training.model, options, visit);
    if (training.model.experts)
        forEachDiffering("/model/experts", *training.model.experts, experts, visit);
    forEachDiffering("/step", training, step, visit);
    forEachDiffering("/step/adafactor", training.optimizer.adafactor, adafactor, visit);
}

template <class Settings, class Visit>
void forEachMlpSetting(Settings& settings, const Visit& visit)
{
    const auto step = [](auto& s, const auto& inner) {
        forEachAdamNumber(s.adam, inner);
        inner("input_gradient", s.inputGradient);
    };
    forEachDiffering("/step", settings, step, visit);
    forEachDiffering(
        "/model", settings,
        [](auto& s, const auto& inner) {
            inner("remat", s.remat);
            inner("layers_axis", s.layersAxis);
            inner("layers_name", s.layersName);
        },
        visit);
}

/// All settings that this file knows, whatever the model.
template <class AnExperiment, class Visit>
void forEachSetting(AnExperiment& experiment, const Visit& visit)
{
    if (auto* transformer = std::get_if<TransformerModel>(&experiment.model))
        forEachTransformerSetting(transformer->settings, visit);
    if (auto* mlp = std::get_if<MlpModel>(&experiment.model))
        forEachMlpSetting(mlp->settings, visit);
    forEachDiffering(
        "/propagation", experiment.propagation,
        [](auto& s, const auto& inner) { inner("user_priorities", s.userPriorities); }, visit);
}

using Pointers = std::vector<std::string_view>;

/// Settings that count only where another one has one of these values; none: where it is not 0.
struct Need {
    bool met = false;
    std::string_view setting;
    std::vector<std::string> values;
    Pointers of;
};

class IdleFinder {
public:
    explicit IdleFinder(const Experiment& experiment)
        : m_experiment(experiment)
    {
        forEachSetting(experiment, [&](std::string pointer, const auto&, const auto&) { m_made.insert(pointer); });
    }

    std::vector<Problem> find()
    {
        if (const auto* transformer = std::get_if<TransformerModel>(&m_experiment.model)) {
            addStep(transformer->settings);
            addModel(transformer->settings.model);
            addLimits(transformer->settings.model);
            addNames(transformer->settings.model);
        }
        if (const auto* mlp = std::get_if<MlpModel>(&m_experiment.model)) {
            add({ mlp->settings.form == LayerForm::Scanned, "form", { "scanned" },
                { "/model/layers_axis", "/model/layers_name" } });
            add({ mlp->settings.trainStep, "train", { "true" },
                { "/step/learning_rate", "/step/beta1", "/step/beta2", "/step/epsilon", "/step/input_gradient",
                    "/model/remat" } });
        }
        add({ knowsUserPriorities(m_experiment.propagation.strategy), "strategy",
            { name(StrategyChoice::UserPriority), name(StrategyChoice::Full) }, { "/propagation/user_priorities" } });
        return std::move(m_problems);
    }

private:
    static std::string keyOf(std::string_view pointer) { return std::string(pointer.substr(pointer.rfind('/') + 1)); }

    /// Each setting has one finding.
    void add(const Need& need)
    {
        if (need.met)
            return;
        std::vector<std::string> idle, keys;
        for (const std::string_view pointer : need.of)
            if (const auto made = m_made.find(pointer); made != m_made.end()) {
                keys.push_back(keyOf(pointer));
                idle.push_back(std::move(m_made.extract(made).value()));
            }
        if (idle.empty())
            return;
        Diagnostic diagnostic{ Code::SettingWithoutEffect,
            { { "settings", std::move(keys) }, { "needs", std::string(need.setting) }, { "values", need.values } },
            {} };
        diagnostic.where.pointer = idle.front();
        m_problems.push_back(
            { std::move(diagnostic), { { Fix::Kind::LeaveOutSettings, {}, 0, 0, std::move(idle) } }, {} });
    }

    void addStep(const TransformerTraining& training)
    {
        const OptimizerSettings& optimizer = training.optimizer;
        const OptimizerKind kind = optimizer.kind;
        const bool adam = kind == OptimizerKind::Adam || kind == OptimizerKind::AdamW;
        const bool adafactor = kind == OptimizerKind::Adafactor;
        const Pointers ofAdafactor{ "/step/adafactor/decay_exponent", "/step/adafactor/factored_size",
            "/step/adafactor/clip_rms", "/step/adafactor/scale_by_parameter" };
        Pointers all{ "/step/learning_rate", "/step/beta1", "/step/beta2", "/step/epsilon", "/step/microbatches",
            "/step/weight_decay", "/step/momentum", "/step/nesterov", "/step/clip_norm", "/step/master_weights",
            "/step/state_dtype" };
        all.insert(all.end(), ofAdafactor.begin(), ofAdafactor.end());
        // What the backward pass keeps, and what is dropped in training alone.
        all.insert(all.end(), { "/model/remat", "/model/dropout", "/model/attention_dropout", "/model/dropout_seed" });
        add({ training.trainStep, "train", { "true" }, std::move(all) });
        add({ adam, "optimizer", { "adam", "adamw" }, { "/step/beta1", "/step/beta2" } });
        add({ adam || adafactor, "optimizer", { "adam", "adamw", "adafactor" }, { "/step/epsilon" } });
        add({ kind == OptimizerKind::Momentum, "optimizer", { "momentum" }, { "/step/momentum", "/step/nesterov" } });
        add({ adafactor, "optimizer", { "adafactor" }, ofAdafactor });
        const DType parameter = training.model.parameterDtype;
        add({ byteSize(parameter) < byteSize(DType::F32), "parameter_dtype", { "bf16", "f16" },
            { "/step/master_weights" } });
        addStateType(optimizer, parameter);
    }

    /// The type of the state is what it would be without the setting, or there is no state and the update has the type
    /// that it would have.
    void addStateType(const OptimizerSettings& optimizer, DType parameter)
    {
        if (!optimizer.stateDtype)
            return;
        OptimizerSettings plain = optimizer;
        plain.stateDtype.reset();
        const DType own = updateType(plain, parameter);
        if (updateType(optimizer, parameter) != own)
            return;
        add({ optimizer.kind != OptimizerKind::Sgd, "optimizer", { "momentum", "adam", "adamw", "adafactor" },
            { "/step/state_dtype" } });
        std::vector<std::string> others;
        for (const DType dtype : { DType::BF16, DType::F16, DType::F32, DType::F64 })
            if (dtype != own)
                others.emplace_back(name(dtype));
        add({ *optimizer.stateDtype != own, "state_dtype", std::move(others), { "/step/state_dtype" } });
    }

    void addModel(const TransformerSettings& model)
    {
        add({ model.form == LayerForm::Scanned, "form", { "scanned" }, { "/model/layers_axis" } });
        if (model.remat == RematPolicy::Gathered) // a loop's way back keeps nothing gathered anyway
            add({ model.form == LayerForm::Unrolled, "form", { "unrolled" }, { "/model/remat" } });
        add({ model.positions == PositionKind::Rotary, "positions", { "rotary" },
            { "/model/rotary_base", "/model/rotary_fraction", "/model/rotary_factor", "/model/window_rotary_base" } });
        add({ !model.latent, "latent", { "null" }, { "/model/rotary_fraction" } });
        add({ model.positions == PositionKind::Learned, "positions", { "learned" }, { "/model/maximum_length" } });
        add({ model.positions == PositionKind::RelativeBias, "positions", { "relative_bias" },
            { "/model/relative_buckets", "/model/relative_maximum_distance" } });
        add({ model.parallelBlock, "parallel_block", { "true" }, { "/model/parallel_norms" } });
        add({ model.slidingWindow > 0, "sliding_window", {},
            { "/model/window_pattern", "/model/window_rotary_base" } });
        add({ model.scaledAttention, "scaled_attention", { "true" }, { "/model/attention_scalar" } });
        add({ model.experts && model.experts->sharedMlp > 0, "shared_mlp", {}, { "/model/experts/shared_gate" } });
        add({ model.dropout > 0 || model.attentionDropout > 0, "dropout", {}, { "/model/dropout_seed" } });
        add({ model.encoderLayers > 0, "encoder_layers", {}, { "/model/encoder_length" } });
    }

    /// What is above the largest number that would change something.
    void addLimit(std::string_view pointer, double value, const char* wrong, double reach)
    {
        if (!m_made.contains(pointer) || value < reach)
            return;
        Diagnostic diagnostic{ Code::LimitOutOfReach,
            { { "settings", std::vector{ keyOf(pointer) } }, { "value", value }, { "wrong", wrong },
                { "reach", reach } },
            {} };
        diagnostic.where.pointer = std::string(pointer);
        m_problems.push_back({ std::move(diagnostic), {}, {} });
    }

    void addLimits(const TransformerSettings& model)
    {
        if (model.slidingWindow > 0)
            addLimit("/model/window_pattern", static_cast<double>(model.windowPattern), "pattern",
                static_cast<double>(model.layers + 1));
        if (model.slidingWindow > 0)
            addLimit("/model/sliding_window", static_cast<double>(model.slidingWindow), "window",
                static_cast<double>(model.length));
        if (!model.experts)
            return;
        const ExpertSettings& experts = *model.experts;
        addLimit("/model/experts/capacity_factor", experts.capacityFactor, "capacity",
            static_cast<double>(experts.experts) / static_cast<double>(experts.perToken));
    }

    /// Logical names that are chosen for parts of the model, and that only the choice has. Other findings tell of it
    /// where there are no rules at all, where a name without a rule is an error or ends the constraint, and of names of
    /// mesh axes.
    void addNames(const TransformerSettings& model)
    {
        if (m_experiment.rules.rules.list.empty() || m_experiment.rules.fallback != RulesFallback::AxisIsUnsharded)
            return;
        std::vector<std::string> known = namesOf(m_experiment.rules.rules);
        for (const InnerRules& inner : m_experiment.rules.inner)
            for (std::string& name : namesOf(inner.rules))
                known.push_back(std::move(name));
        for (const LogicalName& name : allLogicalNames(model))
            known.push_back(name.name);
        addNames("/model/constraints/", model.constraints, known);
        addNames("/model/parameter_specs/", model.parameterSpecs, known);
    }
    static std::vector<std::string> namesOf(const LogicalRules& rules)
    {
        std::vector<std::string> names;
        for (const LogicalRule& rule : rules.list)
            if (rule.name.kind == LogicalName::Kind::Name)
                names.push_back(rule.name.name);
        return names;
    }
    void addNames(
        const std::string& list, const std::vector<ChosenSharding>& chosen, const std::vector<std::string>& known)
    {
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto* logical = std::get_if<LogicalAxes>(&chosen[i].axes);
            for (std::size_t d = 0; logical && d < logical->names.size(); ++d) {
                const LogicalName& name = logical->names[d];
                const auto isMeshAxis = [&](const MeshAxis& axis) { return axis.name == name.name; };
                const std::vector<MeshAxis>& axes = m_experiment.mesh.axes;
                if (name.kind != LogicalName::Kind::Name
                    || std::find(known.begin(), known.end(), name.name) != known.end()
                    || std::any_of(axes.begin(), axes.end(), isMeshAxis))
                    continue;
                Diagnostic diagnostic{ Code::NameWithoutRule, { { "name", name.name } }, {} };
                if (std::string nearest = nearestName(name.name, known); !nearest.empty())
                    diagnostic.args.emplace_back("nearest", std::move(nearest));
                diagnostic.where.pointer = list + std::to_string(i) + "/names/" + std::to_string(d);
                m_problems.push_back({ std::move(diagnostic), {}, {} });
            }
        }
    }

    const Experiment& m_experiment;
    std::set<std::string, std::less<>> m_made; ///< without those that have their finding
    std::vector<Problem> m_problems;
};

} // namespace

std::vector<Problem> idleSettings(const Experiment& experiment)
{
    return IdleFinder(experiment).find();
}

Experiment withoutSettings(Experiment experiment, const std::vector<std::string>& pointers)
{
    forEachSetting(experiment, [&](const std::string& pointer, auto& value, const auto& before) {
        if (std::find(pointers.begin(), pointers.end(), pointer) != pointers.end())
            value = before;
    });
    return experiment;
}

} // namespace shardscope
