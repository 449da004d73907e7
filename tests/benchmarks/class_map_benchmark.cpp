// SPDX-License-Identifier: GPL-3.0-or-later
// The maps of many devices, offscreen: the device map of the Mesh dock, the Shard grid and the mesh of the Devices
// dock, painted anew and hovered over. Budget (medians) for 16,384 devices: 16 ms, one frame of the window; 65,536
// devices for comparison.
//
// "paint" makes the picture from nothing, as after an edit, a resize or another tensor; "hover" moves the pointer to
// another square and paints what changes, in both views. Samples during which other processes used more than 6 % of the
// machine are left out of the verdict; with fewer than seven clean samples it is "inconclusive".
#include <QApplication>
#include <QImage>
#include <QMouseEvent>

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>

#include <benchmark/benchmark.h>

#include "benchmarks/samples.h"
#include "document/selection.h"
#include "views/device_map/device_map.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/appearance.h"

using namespace shardscope;

namespace {

constexpr int timesPerSample = 16;
constexpr int samples = 15;
constexpr double budget = 16;

bench::Measurements measured;

Layout layoutOn(std::int64_t data, bool permuted)
{
    std::vector<std::int32_t> order;
    for (std::int32_t device = 0; permuted && device < data * 16; ++device)
        order.push_back(static_cast<std::int32_t>(device % 16 * data + device / 16));
    const auto mesh = std::make_shared<const Mesh>(*Mesh::create({ { "data", data }, { "model", 16 } }, order));
    return { mesh, toTensorSharding({ { SpecEntry::axis("data"), SpecEntry::axis("model") } }, *mesh, 2),
        { data * 8, 1'024 } };
}

/// Both views of one array, as the window has them.
struct Views {
    Selection selection;
    DeviceMap map{ &selection, QStringLiteral("Device map"), DeviceMap::Room::Flat };
    GridCanvas grid{ &selection };
    DeviceMap field{ &selection, QStringLiteral("Mesh") };
    Layout layout;

    Views(std::int64_t data, bool permuted)
        : layout(layoutOn(data, permuted))
    {
        map.resize(700, 420);
        grid.resize(700, 520);
        field.resize(340, 320);
        refresh();
        map.grab(); // fonts and brushes are known from here on
        grid.grab();
        field.grab();
    }
    void refresh()
    {
        map.setMesh(std::make_shared<const Mesh>(layout.mesh()), hosts(), layout);
        grid.setSubject(GridSubject{ layout, { "batch", "hidden" }, 4, 8 });
        refreshField();
    }
    void refreshField() { field.setMesh(std::make_shared<const Mesh>(layout.mesh()), hosts(), layout); }
    /// Of 8 devices each.
    [[nodiscard]] DeviceSet hosts() const
    {
        return DeviceSet::ofHosts("generic-cpu", "cpu", static_cast<std::int32_t>(layout.mesh().deviceCount() / 8), 8);
    }
    static void paint(QWidget& widget)
    {
        QImage picture(widget.size(), QImage::Format_RGB32);
        widget.render(&picture);
        benchmark::DoNotOptimize(picture.bits());
    }
    static void point(QWidget& widget, QPoint at)
    {
        QMouseEvent move(QEvent::MouseMove, at, QPointF(), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&widget, &move);
    }
};

void measure(benchmark::State& state, const std::string& name, const std::function<void()>& work)
{
    work();
    const bench::Load before = bench::Load::now();
    const auto start = std::chrono::steady_clock::now();
    for (auto _ : state)
        work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double foreign = bench::foreignLoad(before, bench::Load::now());
    measured.add(name, { seconds * 1e3 / static_cast<double>(state.iterations()), foreign });
    state.counters["foreign"] = foreign;
}

void add(const std::string& name, std::function<void()> work)
{
    benchmark::RegisterBenchmark(
        name.c_str(), [name, work = std::move(work)](benchmark::State& state) { measure(state, name, work); })
        ->Iterations(timesPerSample)
        ->Repetitions(samples)
        ->ReportAggregatesOnly(true)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void addViews(const std::string& name, std::int64_t data, bool permuted)
{
    const auto views = std::make_shared<Views>(data, permuted);
    add("paint map/" + name, [views] {
        views->map.setMesh(nullptr, views->hosts(), std::nullopt);
        views->map.setMesh(std::make_shared<const Mesh>(views->layout.mesh()), views->hosts(), views->layout);
        Views::paint(views->map);
    });
    add("paint grid/" + name, [views] {
        views->grid.setSubject(GridSubject{ views->layout, { "batch", "hidden" }, 4, 8 });
        Views::paint(views->grid);
    });
    add("paint devices/" + name, [views] {
        views->field.setMesh(nullptr, views->hosts(), std::nullopt);
        views->refreshField();
        Views::paint(views->field);
    });
    add("hover/" + name, [views, at = std::make_shared<int>(0)] {
        *at = (*at + 7) % 300;
        Views::point(views->map, views->map.layoutOfCells().bounds().topLeft() + QPoint(*at, 16 + *at / 2));
        Views::paint(views->map);
        Views::paint(views->grid);
    });
}

void summarise()
{
    std::printf("\n%-28s %10s %10s %14s  %s\n", "ms", "median", "all", "clean samples", "budget 16 ms");
    for (const auto& [name, line] : measured.lines())
        std::printf("%-28s %10.2f %10.2f %8zu of %2zu  %s\n", name.c_str(), line.clean, line.all, line.cleanSamples,
            line.samples, bench::verdict(line.isConclusive(), line.clean <= budget));
}

} // namespace

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    const QApplication application(argc, argv);
    const Appearance appearance(ThemeChoice::Light);
    addViews("16384", 1'024, false);
    addViews("16384 column-major", 1'024, true);
    addViews("65536", 4'096, false);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    summarise();
    return 0;
}
