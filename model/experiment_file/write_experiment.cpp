// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in experiment_file.h.
#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/file_words.h"
#include "experiment_file/json_text.h"
#include "experiment_file/quantity_text.h"
#include "experiment_file/write_support.h"
#include "mesh/device_presets.h"

namespace shardscope {

namespace words = file_words;

namespace {

constexpr std::size_t devicesPerLine = 16;

template <class Enum>
std::string word(const std::vector<std::string>& list, Enum value)
{
    return quoteJson(list[static_cast<std::size_t>(value)]);
}

class Writer : ObjectWriter {
public:
    explicit Writer(const Experiment& experiment)
        : ObjectWriter(experiment)
        , m_experiment(experiment)
    {
    }

    std::string text() const
    {
        const Experiment& e = m_experiment;
        Members members{ { "format", quoteJson(experimentFormat) },
            { "version", quoteJson(e.formatMinor == 0 ? experimentVersion : "1." + std::to_string(e.formatMinor)) },
            { "title", quoteJson(e.title) } };
        if (!e.notes.empty())
            members.emplace_back("notes", quoteJson(e.notes));
        members.emplace_back("hardware", hardware());
        members.emplace_back("mesh", mesh());
        members.emplace_back("rules", rules());
        if (const auto* mlp = std::get_if<MlpModel>(&e.model)) {
            members.emplace_back("model", model(mlp->settings));
            members.emplace_back("step", step(mlp->settings));
        } else if (const auto* transformer = std::get_if<TransformerModel>(&e.model)) {
            members.emplace_back("model", transformerText(*this, transformer->settings.model));
            members.emplace_back("step", stepText(*this, transformer->settings));
        } else if (const auto* program = std::get_if<ProgramModel>(&e.model)) {
            members.emplace_back("model", model(*program));
        } else {
            members.emplace_back("model", model(std::get<ArraysModel>(e.model).arrays));
        }
        if (e.placement != PlacementSetting{} || hasAdditions("/placement"))
            members.emplace_back("placement", placement());
        if (e.propagation != PropagationSetting{} || hasAdditions("/propagation"))
            members.emplace_back("propagation", propagation());
        members.emplace_back("run", run());
        if (!e.acknowledged.empty())
            members.emplace_back("acknowledged", acknowledged());
        if (!e.variants.empty())
            members.emplace_back("variants", variants());
        return block("", std::move(members), 0) + '\n';
    }

private:
    [[nodiscard]] std::string hardware() const
    {
        const HardwareSetting& h = m_experiment.hardware;
        Members members{ { "device", quoteJson(h.devices.kind) }, { "platform", quoteJson(h.devices.platform) } };
        if (h.devices.hasChipGrid() || !h.devices.own.empty()) {
            members.emplace_back("topology", topology(h.devices));
        } else {
            members.emplace_back("hosts", std::to_string(h.devices.hosts));
            members.emplace_back("devices_per_host", std::to_string(h.devices.devicesPerHost));
        }
        if (h.pinned)
            members.emplace_back("pinned", truth(h.pinned));
        members.emplace_back("memory_per_device", quoteJson(printBytes(h.memoryPerDevice)));
        members.emplace_back("links",
            line("/hardware/links",
                { { "ici", quoteJson(printBandwidth(h.iciBytesPerSecond)) },
                    { "dcn", quoteJson(printBandwidth(h.dcnBytesPerSecond)) } }));
        return block("/hardware", std::move(members), 1);
    }

    [[nodiscard]] std::string topology(const DeviceSet& devices) const
    {
        const auto numbers = [](const auto& values) {
            std::vector<std::string> texts;
            for (const auto value : values)
                texts.push_back(std::to_string(value));
            return '[' + join(texts, ", ") + ']';
        };
        if (devices.own.empty()) {
            // What an object says beside its own keys has room in the long form alone.
            const std::string text = toText(devices);
            if (const auto read = parseDevices(text); read && *read == devices && !hasAdditions("/hardware/topology"))
                return quoteJson(text);
            return line("/hardware/topology",
                { { "chips", numbers(devices.chips) }, { "host_chips", numbers(devices.hostChips) },
                    { "cores_per_chip", std::to_string(devices.coresPerChip) },
                    { "slices", std::to_string(devices.slices) } });
        }
        std::vector<std::string> elements;
        for (const DevicePlace& place : devices.own) {
            std::vector<std::int32_t> row{ place.id, place.process, place.coordinates[0], place.coordinates[1],
                place.coordinates[2], place.core, place.slice };
            const std::size_t least = devices.hasCoordinates() ? 5 : 2;
            while (row.size() > least && row.back() == 0)
                row.pop_back();
            elements.push_back(numbers(row));
        }
        return line("/hardware/topology", { { "devices", list(elements) } });
    }

    [[nodiscard]] std::string mesh() const
    {
        std::vector<std::string> axes;
        for (const MeshAxis& axis : m_experiment.mesh.axes)
            axes.push_back('[' + quoteJson(axis.name) + ", " + std::to_string(axis.size) + ']');
        return block("/mesh",
            { { "axes", axes.empty() ? "[]" : "[ " + join(axes, ", ") + " ]" }, { "device_order", deviceOrder() } }, 1);
    }

    [[nodiscard]] std::string deviceOrder() const
    {
        const std::vector<std::int32_t>& order = m_experiment.mesh.deviceOrder;
        if (order.empty())
            return orderMethod(m_experiment.mesh.order);
        std::vector<std::string> lines;
        for (std::size_t begin = 0; begin < order.size(); begin += devicesPerLine) {
            std::vector<std::string> ids;
            for (std::size_t i = begin; i < std::min(begin + devicesPerLine, order.size()); ++i)
                ids.push_back(std::to_string(order[i]));
            lines.push_back(join(ids, ", "));
        }
        return lines.size() == 1 ? '[' + lines.front() + ']' : list(lines);
    }

    [[nodiscard]] std::string orderMethod(const OrderSetting& order) const
    {
        Members members{ { "method", word(words::orders, order.method) } };
        const auto addSwitch = [&members](const char* key, bool on) {
            if (on)
                members.emplace_back(key, truth(on));
        };
        addSwitch("allow_split_physical_axes", order.sharePhysicalAxes);
        addSwitch("contiguous_submeshes", order.contiguousSubmeshes);
        addSwitch("process_is_granule", order.byHost);
        if (!order.dcn.empty()) {
            Members axes;
            for (const MeshAxis& axis : order.dcn)
                axes.emplace_back(axis.name, std::to_string(axis.size));
            members.emplace_back("dcn", line("/mesh/device_order/dcn", std::move(axes)));
        }
        if (!order.submesh.empty()) {
            std::vector<std::string> sizes;
            for (const std::int32_t size : order.submesh)
                sizes.push_back(std::to_string(size));
            members.emplace_back("submesh", '[' + join(sizes, ", ") + ']');
        }
        if (members.size() == 1 && !hasAdditions("/mesh/device_order"))
            return members.front().second;
        return line("/mesh/device_order", std::move(members));
    }

    [[nodiscard]] std::string rules() const
    {
        const RulesSetting& r = m_experiment.rules;
        Members members{ { "dialect",
                             r.rules.isSequence ? word(words::dialects, r.dialect)
                                                : quoteJson(words::dialects[words::mappingDialect]) },
            { "version", word(words::flaxVersions, r.version) }, { "fallback", word(words::fallbacks, r.fallback) },
            { "bound_when_traced", truth(r.boundWhenTraced) } };
        if (r.constraintMesh != ConstraintMesh::Context)
            members.emplace_back("constraint_mesh", word(words::constraintMeshes, r.constraintMesh));
        members.emplace_back("list", list(ruleTexts(r.rules)));
        if (!r.inner.empty()) {
            std::vector<std::string> parts;
            for (std::size_t i = 0; i < r.inner.size(); ++i)
                parts.push_back(block(pointerTo("/rules/inner", i),
                    { { "within", quoteJson(r.inner[i].within) }, { "rules", list(ruleTexts(r.inner[i].rules), 4) } },
                    3));
            members.emplace_back("inner", list(parts));
        }
        return block("/rules", std::move(members), 1);
    }

    [[nodiscard]] static std::vector<std::string> ruleTexts(const LogicalRules& rules)
    {
        std::vector<std::string> texts;
        texts.reserve(rules.list.size());
        for (const LogicalRule& rule : rules.list)
            texts.push_back('[' + nameJson(rule.name) + ", " + entryText(rule.target) + ']');
        return texts;
    }

    [[nodiscard]] std::string model(const MlpSettings& s) const
    {
        Members axes;
        for (const char* dimension : { "batch", "embed", "hidden" })
            if (const auto found = s.deviceAxes.find(dimension); found != s.deviceAxes.end())
                axes.emplace_back(dimension, entryText(found->second));
        Members members{ { "preset", quoteJson(words::presets[0]) }, { "layers", std::to_string(s.layers) },
            { "dims",
                line("/model/dims",
                    { { "batch", std::to_string(s.batch) }, { "embed", std::to_string(s.embed) },
                        { "hidden", std::to_string(s.hidden) } }) },
            { "dtype", quoteJson(name(s.dtype)) }, { "axes", word(words::axes, s.axes) },
            { "y_constraint", word(words::axes, s.yConstraint) },
            { "device_axes", line("/model/device_axes", std::move(axes)) }, { "loss", word(words::losses, s.loss) } };
        if (s.remat != RematPolicy::None)
            members.emplace_back("remat", word(words::remats, s.remat));
        if (s.form != LayerForm::Unrolled)
            members.emplace_back("form", word(words::forms, s.form));
        if (s.layersAxis != 0)
            members.emplace_back("layers_axis", std::to_string(s.layersAxis));
        if (s.layersName)
            members.emplace_back("layers_name", quoteJson(*s.layersName));
        return block("/model", std::move(members), 1);
    }

    [[nodiscard]] std::string model(const std::vector<NamedArraySetting>& arrays) const
    {
        std::vector<std::string> elements;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            const NamedArraySetting& array = arrays[i];
            std::vector<std::string> names;
            for (const LogicalName& name : array.names)
                names.push_back(nameJson(name));
            std::vector<std::string> sizes;
            for (const std::int64_t size : array.shape)
                sizes.push_back(std::to_string(size));
            Members members{ { "path", quoteJson(array.path) }, { "names", '[' + join(names, ", ") + ']' },
                { "shape", '[' + join(sizes, ", ") + ']' }, { "dtype", quoteJson(name(array.dtype)) } };
            if (array.memoryKind)
                members.emplace_back("memory_kind", quoteJson(toString(*array.memoryKind)));
            elements.push_back(line(pointerTo("/model/arrays", i), std::move(members)));
        }
        return block("/model", { { "preset", quoteJson(words::presets[1]) }, { "arrays", list(elements) } }, 1);
    }

    [[nodiscard]] std::string model(const ProgramModel& program) const
    {
        Members members{ { "preset", quoteJson(words::presets[2]) } };
        const auto finished = [&] {
            addShardingRules(members, program);
            if (!program.shardings.empty()) {
                Members shardings;
                for (const ValueSharding& specified : program.shardings)
                    shardings.emplace_back(specified.value, quoteJson(specified.sharding));
                members.emplace_back("shardings", block("/model/shardings", std::move(shardings), 2));
            }
            return block("/model", std::move(members), 1);
        };
        if (!program.file.empty()) {
            members.emplace_back("file", quoteJson(program.file));
            return finished();
        }
        std::vector<std::string> lines;
        std::string_view rest = *program.text;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            lines.push_back(quoteJson(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        members.emplace_back("text", list(lines));
        return finished();
    }

    void addShardingRules(Members& members, const ProgramModel& program) const
    {
        if (program.shardingRules.empty() && !hasAdditions("/model/sharding_rules"))
            return;
        Members rules;
        for (const RuleOverride& own : program.shardingRules)
            rules.emplace_back(own.path, quoteJson(own.rule));
        members.emplace_back("sharding_rules", block("/model/sharding_rules", std::move(rules), 2));
    }

    [[nodiscard]] std::string placement() const
    {
        return block("/placement", { { "params_on_devices", truth(m_experiment.placement.paramsOnDevices) } }, 1);
    }

    [[nodiscard]] std::string propagation() const
    {
        const PropagationSetting& p = m_experiment.propagation;
        return block("/propagation",
            { { "strategy", quoteJson(name(p.strategy)) }, { "conservative", truth(p.conservative) },
                { "user_priorities", truth(p.userPriorities) } },
            1);
    }

    [[nodiscard]] std::string step(const MlpSettings& s) const
    {
        Members members{ { "optimizer", word(words::optimizers, OptimizerKind::Adam) },
            { "learning_rate", printReal(s.adam.learningRate) }, { "beta1", printReal(s.adam.beta1) },
            { "beta2", printReal(s.adam.beta2) }, { "epsilon", printReal(s.adam.epsilon) },
            { "train", truth(s.trainStep) }, { "input_gradient", truth(s.inputGradient) } };
        if (s.initialise)
            members.emplace_back("initialise", truth(true));
        return block("/step", std::move(members), 1);
    }

    [[nodiscard]] std::string run() const
    {
        const RunSetting& r = m_experiment.run;
        Members members{ { "seed", std::to_string(r.seed) }, { "runs", std::to_string(r.runs) },
            { "loops", std::to_string(r.loops) }, { "share_replicas", truth(r.shareReplicas) } };
        if (!r.initial.empty() || hasAdditions("/run/initial")) {
            Members initial;
            for (const ChosenInitial& chosen : r.initial)
                initial.emplace_back(chosen.argument, quoteJson(toString(chosen.value)));
            members.emplace_back("initial", block("/run/initial", std::move(initial), 2));
        }
        if (!r.state.empty())
            members.emplace_back("state", quoteJson(r.state));
        if (!r.roles.empty() || hasAdditions("/run/roles")) {
            Members roles;
            for (const ChosenRole& chosen : r.roles)
                roles.emplace_back(chosen.argument, quoteJson(name(chosen.role)));
            members.emplace_back("roles", block("/run/roles", std::move(roles), 2));
        }
        return block("/run", std::move(members), 1);
    }

    [[nodiscard]] std::string acknowledged() const
    {
        std::vector<std::string> elements;
        for (const Acknowledgement& known : m_experiment.acknowledged) {
            Members members{ { "finding", quoteJson(known.finding) } };
            if (!known.at.empty())
                members.emplace_back("at", quoteJson(known.at));
            members.emplace_back("reason", quoteJson(known.reason));
            elements.push_back(line("/acknowledged/" + std::to_string(elements.size()), std::move(members)));
        }
        return list(elements, 1);
    }

    [[nodiscard]] std::string variants() const
    {
        std::vector<std::string> elements;
        for (const Variant& variant : m_experiment.variants)
            elements.push_back(line("/variants/" + std::to_string(elements.size()),
                { { "name", quoteJson(variant.name) }, { "patch", variant.patch } }));
        return list(elements, 1);
    }

    const Experiment& m_experiment;
};

} // namespace

std::string writeExperiment(const Experiment& experiment)
{
    return Writer(experiment).text();
}

} // namespace shardscope
