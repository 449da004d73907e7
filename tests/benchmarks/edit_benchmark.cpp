// SPDX-License-Identifier: GPL-3.0-or-later
// The real window, offscreen: from an edit to all docks painted with its effects. Budgets (medians): 50 ms for an edit,
// 100 ms for one of Llama 3.1 405B on 16,384 devices, one second from nothing to the first painted window.
//
// "BatchEdit" never repeats an experiment, so that every stage is computed anew; "MeshEdit" goes back and forth between
// two meshes, whose layouts the cache knows after the first round. "FirstPaint" makes and paints a window. The edits of
// the large model change its batch, and nothing is run: its arrays take 6 TB. Its layers are one scanned layer, or 126.
#include <QApplication>
#include <QDir>
#include <QStandardPaths>

#include <benchmark/benchmark.h>

#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/network_rules.h"
#include "networks/presets.h"
#include "views/main_window/main_window.h"
#include "views/main_window/settings.h"

using namespace shardscope;

namespace {

const QSize windowSize(1600, 1000);

/// Paints every visible dock now, whatever had been painted before.
void paint(MainWindow& window)
{
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
    benchmark::DoNotOptimize(window.grab());
}

class OpenWindow {
public:
    explicit OpenWindow(Experiment experiment = builtinExamples().front().make())
        : m_appearance(ThemeChoice::Light)
        , m_window(&m_appearance, { .remember = false })
    {
        m_window.document()->setExperiment(std::move(experiment), {});
        m_window.resize(windowSize);
        m_window.show();
        m_window.document()->waitForAnalysis();
        paint(m_window);
    }
    void edit(Result<Experiment> after)
    {
        if (!m_window.document()->edit(std::move(after), QStringLiteral("edit")))
            qFatal("the edit was refused");
        m_window.document()->waitForAnalysis();
        if (!m_window.document()->snapshot()->ok())
            qFatal("the edited experiment has errors");
        paint(m_window);
    }
    const Experiment& experiment() { return *m_window.document()->experiment(); }

private:
    Appearance m_appearance;
    MainWindow m_window;
};

Experiment largeModel(LayerForm form)
{
    TransformerSettings settings = findPreset("llama3.1-405b")->settings;
    settings.form = form;
    MeshSetting mesh;
    mesh.axes = { { "data", 2048 }, { "model", 8 } };
    RulesSetting rules = boundRules(*defaultRules(mesh.axes));
    Result<Experiment> made = networkExperiment(settings, "Llama 3.1 405B", std::move(mesh), std::move(rules));
    if (!made)
        qFatal("the large model was refused");
    return std::move(*made);
}

void firstPaint(benchmark::State& state)
{
    for (auto _ : state)
        const OpenWindow window;
}

void batchEdit(benchmark::State& state)
{
    OpenWindow window;
    std::int64_t batch = 8;
    for (auto _ : state) {
        batch += 8;
        window.edit(withDimension(window.experiment(), "batch", batch));
    }
}

void meshEdit(benchmark::State& state)
{
    OpenWindow window;
    bool tall = false;
    for (auto _ : state) {
        tall = !tall;
        window.edit(withAxisSize(window.experiment(), 0, tall ? 4 : 2, true));
    }
}

void largeEdit(benchmark::State& state, LayerForm form)
{
    OpenWindow window(largeModel(form));
    std::int64_t batch = 2048;
    for (auto _ : state) {
        batch += 2048;
        window.edit(withDimension(window.experiment(), "batch", batch));
    }
}

} // namespace

BENCHMARK(firstPaint)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(batchEdit)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(meshEdit)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(largeEdit, scanned, LayerForm::Scanned)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(largeEdit, unrolled, LayerForm::Unrolled)->Unit(benchmark::kMillisecond)->UseRealTime();

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    const QApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("shardscope-benchmark"));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
