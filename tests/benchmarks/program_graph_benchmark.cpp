// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of a program of 30,000 operations, offscreen, in a widget of 1,600 × 1,000: how long it takes to open, and
// how long single frames take while it is moved and zoomed. Budgets: open within 2 s, 99 % of frames within 16 ms.
//
// "folded" is what one sees at first; "all open" has every operation in the picture, repeated layers too; "without
// scopes" is the same program as a text gives it, with blocks found by comparison; "one level" has no parts at all. A
// frame is painted as the window paints it: all of the widget, into its backing store. Painting waits for nothing, so
// that its processor time is what the clock shows on a machine where nothing else runs; the budgets are held against
// that, and the clock is printed beside it. Returns 1 where a budget is exceeded.
#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "views/program_view/graph_canvas.h"
#include "views/theme/appearance.h"
#include "views/transformer_program.h"

using namespace shardscope;

namespace {

constexpr double budget = 16, openBudget = 2000; ///< ms
bool exceeded = false;

struct Time {
    double clock = 0, processor = 0; ///< ms
};

double processorTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

Time timed(const std::function<void()>& run)
{
    QElapsedTimer timer;
    timer.start();
    const double before = processorTime();
    run();
    return { static_cast<double>(timer.nsecsElapsed()) / 1e6, processorTime() - before };
}

void report(const std::string& what, const std::vector<Time>& frames)
{
    const auto share = [&frames](double Time::*of, double part) {
        std::vector<double> times;
        for (const Time& frame : frames)
            times.push_back(frame.*of);
        std::sort(times.begin(), times.end());
        return times[static_cast<std::size_t>(std::ceil(part * static_cast<double>(times.size()))) - 1];
    };
    const double most = share(&Time::processor, 0.99);
    std::printf(
        "  %-34s %zu frames: 99 %% of frames within %.1f ms (by the clock %.1f), half within %.1f, longest %.1f\n",
        what.c_str(), frames.size(), most, share(&Time::clock, 0.99), share(&Time::processor, 0.5),
        share(&Time::processor, 1));
    exceeded = exceeded || most > budget;
}

void reportOpen(const char* what, Time time)
{
    std::printf("  %s within %.0f ms (by the clock %.0f)\n", what, time.processor, time.clock);
    exceeded = exceeded || time.processor > openBudget;
}

class Bench {
public:
    Bench(const char* name, ProgramPtr program)
        : m_image(1600, 1000, QImage::Format_RGB32)
    {
        std::printf("%s: %zu operations\n", name, program->operations.size());
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->program = std::move(program);
        m_canvas.resize(m_image.size());
        reportOpen("opened and painted", timed([&] {
            m_canvas.setSnapshot(snapshot);
            paint();
        }));
    }

    GraphCanvas& canvas() { return m_canvas; }
    void paint() { m_canvas.render(&m_image, {}, {}, QWidget::DrawWindowBackground); }

    void pan(const std::string& what, double zoom)
    {
        m_canvas.setZoom(zoom, QPointF(800, 0));
        std::vector<Time> frames;
        for (int i = 0; i < 400; ++i)
            frames.push_back(timed([&] {
                m_canvas.panBy({ i % 100 < 50 ? 9.0 : -9.0, i < 300 ? -61.0 : 80.0 });
                paint();
            }));
        report(what, frames);
    }
    void zoom(const std::string& what)
    {
        m_canvas.setZoom(GraphCanvas::smallestZoom, QPointF(800, 500));
        std::vector<Time> frames;
        for (int i = 0; i < 600; ++i)
            frames.push_back(timed([&] {
                m_canvas.setZoom(m_canvas.zoom() * (i % 300 < 150 ? 1.034 : 1 / 1.034), QPointF(800, 500));
                paint();
            }));
        report(what, frames);
    }
    void all(const std::string& name)
    {
        pan(name + ", moved at 100 %", 1);
        pan(name + ", moved at 60 %", 0.6);
        pan(name + ", moved at 30 %", 0.3);
        pan(name + ", moved at 12 %", 0.12);
        pan(name + ", moved at 3 %", 0.03);
        zoom(name + ", zoomed 2 to 300 %");
    }
    void openEverything()
    {
        reportOpen("all parts opened and painted", timed([&] {
            m_canvas.unfoldEverything();
            paint();
        }));
    }

private:
    GraphCanvas m_canvas;
    QImage m_image;
};

/// No two stretches are the same, and no scopes.
Program oneLevel(int operations)
{
    Builder builder("level");
    const TensorType type{ DType::F32, { 8 } };
    std::vector<ValueId> values{ builder.argument(type, "x", Role::Input) };
    std::uint32_t state = 1;
    const auto random = [&state](std::size_t below) {
        state = state * 1664525U + 1013904223U;
        return (state >> 8) % below;
    };
    const OpKind kinds[]{ OpKind::Add, OpKind::Multiply, OpKind::Maximum, OpKind::Subtract };
    for (int i = 0; i < operations; ++i) {
        const auto near = [&] { return values[values.size() - 1 - random(std::min<std::size_t>(values.size(), 9))]; };
        values.push_back(
            random(4) == 0 ? builder.unary(OpKind::Tanh, near()) : builder.binary(kinds[random(4)], near(), near()));
    }
    builder.result(values.back());
    return std::move(builder).finish();
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const Appearance appearance(ThemeChoice::Light);
    {
        Bench bench("transformer of 142 layers", std::make_shared<const Program>(test::transformerProgram(142)));
        bench.all("folded");
        bench.openEverything();
        bench.all("all open");
    }
    {
        Bench bench("the same without scopes", std::make_shared<const Program>(test::transformerProgram(142, false)));
        bench.all("folded");
        bench.openEverything();
        bench.all("all open");
    }
    {
        Bench bench("one level", std::make_shared<const Program>(oneLevel(30'000)));
        bench.all("one level");
    }
    std::printf("%s\n", exceeded ? "BUDGET EXCEEDED" : "within the budgets: open in 2 s, 99 % of frames in 16 ms");
    return exceeded ? 1 : 0;
}
