// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses of a program that is large enough to be planned, checked and summed up by several threads, while another
// thread asks for the same stages: each time the same figures. For ThreadSanitizer: the core alone, without Qt.
#include <cstdio>
#include <thread>

#include "analysis/analyse.h"
#include "base/meanwhile.h"
#include "experiment/network_rules.h"
#include "networks/presets.h"
#include "pipeline/device_stages.h"
#include "schedule/plan.h"

using namespace shardscope;

namespace {

Experiment deepModel()
{
    TransformerSettings settings = findPreset("llama3-8b")->settings;
    settings.form = LayerForm::Unrolled;
    settings.embed = 64;
    settings.mlp = 128;
    settings.heads = settings.kvHeads = 4;
    settings.headSize = 16;
    settings.vocab = 256;
    settings.length = 16;
    MeshSetting mesh;
    mesh.axes = { { "data", 4 }, { "model", 2 } };
    RulesSetting rules = boundRules(*defaultRules(mesh.axes));
    return networkExperiment(settings, "deep", std::move(mesh), std::move(rules)).value();
}

struct Figures {
    std::int64_t peakBytes = 0;
    Rational sent;
    std::size_t rows = 0;
    bool operator==(const Figures&) const = default;
};

} // namespace

int main()
{
    const auto experiment = std::make_shared<const Experiment>(deepModel());
    std::optional<Figures> first;
    for (std::uint64_t round = 1; round <= 4; ++round) {
        AnalysisCache cache;
        const SnapshotPtr snapshot = analyse(experiment, round, cache);
        if (!snapshot || !snapshot->ok() || !snapshot->plan || snapshot->program->values.size() < largeForThreads) {
            std::fprintf(stderr, "round %d: the program is not planned, or not large\n", static_cast<int>(round));
            return 1;
        }
        // Others ask for the stages of a layout while it is analysed once more, as views do.
        Result<DeviceStages::PlanPtr> planned = tl::unexpected(Error{});
        std::thread other([&] { planned = snapshot->deviceStages->planned(); });
        const SnapshotPtr again = analyse(experiment, round, cache);
        const Result<DeviceStages::Partitioned> parts = snapshot->deviceStages->partitioned();
        other.join();
        const Figures figures{ snapshot->plan->memory.peakBytes, snapshot->sent.step, snapshot->tensors.size() };
        first = first.value_or(figures);
        if (figures != *first || !planned || (*planned)->memory.peakBytes != figures.peakBytes || !parts || !again
            || again->plan->memory.peakBytes != figures.peakBytes) {
            std::fprintf(stderr, "round %d: other figures\n", static_cast<int>(round));
            return 1;
        }
    }
    std::puts("4 rounds: the same figures");
    return 0;
}
