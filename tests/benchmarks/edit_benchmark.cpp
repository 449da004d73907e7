// SPDX-License-Identifier: GPL-3.0-or-later
// The real window, offscreen: from an edit to all views painted with its effects, and from one perspective to the next.
// Budgets (medians): 50 ms for an edit, 100 ms for one of Llama 3.1 405B on 16,384 devices, 100 ms for another
// perspective, one second from nothing to the first painted window.
//
// "BatchEdit" never repeats an experiment, so that every stage is computed anew; "MeshEdit" goes back and forth between
// two meshes, whose layouts the cache knows after the first round. "FirstPaint" makes and paints a window. The edits of
// the large model change the length of its sequences, and nothing is run: its arrays take 6 TB. Its layers are one
// scanned layer, or 126. "Perspective" goes through all five, round and round, as Alt+1 to Alt+5 do.
#include <QApplication>
#include <QDir>
#include <QImage>
#include <QScreen>
#include <QStandardPaths>
#include <functional>

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

/// Paints what has to be painted anew, as the event loop does.
void paint()
{
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
}

/// What the screen shows is what the window paints when it paints everything. A result that comes in late may have its
/// layout one round of events later; what was left unpainted stays so.
void checkPainted(MainWindow& window)
{
    for (int looks = 0; looks < 3; ++looks) {
        const QImage shown =
            window.screen()->grabWindow(window.winId()).toImage().convertToFormat(QImage::Format_RGB32);
        const QImage painted = window.grab().toImage().convertToFormat(QImage::Format_RGB32);
        if (!shown.isNull() && shown == painted)
            return;
        paint();
    }
    qFatal("the screen does not show what the window would paint");
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
        paint();
    }
    void edit(Result<Experiment> after)
    {
        if (!m_window.document()->edit(std::move(after), QStringLiteral("edit")))
            qFatal("the edit was refused");
        m_window.document()->waitForAnalysis();
        if (!m_window.document()->snapshot()->ok())
            qFatal("the edited experiment has errors");
        paint();
    }
    ~OpenWindow() { checkPainted(m_window); }
    const Experiment& experiment() { return *m_window.document()->experiment(); }
    void choose(Perspective perspective)
    {
        m_window.action(QStringLiteral("perspective-") + idOf(perspective))->trigger();
        paint();
        if (m_window.perspective() != perspective)
            qFatal("the perspective is another one");
    }

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
    window.edit(withDimension(window.experiment(), "batch", 2048));
    std::int64_t length = 2048;
    for (auto _ : state) {
        length += 8;
        window.edit(withDimension(window.experiment(), "length", length));
    }
}

void perspective(benchmark::State& state, const std::function<Experiment()>& make)
{
    OpenWindow window(make());
    std::size_t next = 0;
    for (auto _ : state)
        window.choose(perspectives[++next % perspectives.size()]);
}

} // namespace

BENCHMARK(firstPaint)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(batchEdit)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(meshEdit)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(largeEdit, scanned, LayerForm::Scanned)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(largeEdit, unrolled, LayerForm::Unrolled)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(perspective, mlp, [] { return builtinExamples().front().make(); })
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(perspective, scanned, [] { return largeModel(LayerForm::Scanned); })
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

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
