// SPDX-License-Identifier: GPL-3.0-or-later
// Steps on simulated devices with several workers, some runs at a time, compared bit by bit with a run on one worker:
// of the built-in networks, and of programs in texts.
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "execute_stress.h"
#include "schedule/plan.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "simulate/run/thread_pool.h"

using namespace shardscope;

namespace {

std::vector<std::byte> stateAfter(const test::PlanPtr& plan, int threads, int steps, ReplicaMode replicas)
{
    RunOptions options;
    options.replicas = replicas;
    options.threads = threads;
    options.initial.chosen = { { "x", parseInitialValue("normal 1").value() } };
    auto run = Run::create(plan, options).value();
    for (int step = 0; step < steps; ++step)
        run->step();
    run->reset();
    for (int step = 0; step < steps; ++step)
        run->step();
    std::vector<std::byte> all;
    for (const StatePair& pair : plan->program->program->state)
        for (std::int64_t p = 0; p < plan->program->mesh->deviceCount(); ++p) {
            const auto bytes = run->bytes(pair.argument, p);
            all.insert(all.end(), bytes.begin(), bytes.end());
        }
    return all;
}

bool poolCountsEveryTask()
{
    ThreadPool pool(4);
    for (int job = 0; job < 3000; ++job) {
        const std::int64_t count = job % 17;
        std::vector<int> done(static_cast<std::size_t>(count));
        pool.run(count, [&done](std::int64_t task, int) { ++done[static_cast<std::size_t>(task)]; });
        for (const int times : done)
            if (times != 1)
                return false;
    }
    return true;
}

} // namespace

int main()
{
    if (!poolCountsEveryTask()) {
        std::fputs("a task was done twice or not at all\n", stderr);
        return 1;
    }
    struct Shape {
        std::vector<MeshAxis> mesh;
        std::int64_t width;
    };
    const Shape shapes[] = { { { { "data", 2 }, { "model", 4 } }, 32 }, { { { "data", 8 }, { "model", 1 } }, 16 },
        { { { "pod", 2 }, { "data", 2 }, { "model", 2 } }, 128 } };
    constexpr int steps = 400; // twice per run: behind a reset again
    std::int64_t taken = 0;
    int failures = 0;
    for (const Shape& shape : shapes) {
        MlpSettings settings;
        settings.layers = 3;
        settings.batch = 16;
        settings.embed = settings.hidden = shape.width;
        const test::PlanPtr plan = test::makePlan(test::mlpOnDevices(settings, test::makeMesh(shape.mesh)));
        const std::vector<std::byte> expected = stateAfter(plan, 1, steps, ReplicaMode::Own);
        // With two and four workers there are clusters of devices, and replicas that are multiplied by at once.
        constexpr std::array<std::pair<int, ReplicaMode>, 4> uses{ { { 4, ReplicaMode::Own }, { 2, ReplicaMode::Own },
            { 3, ReplicaMode::Shared }, { 2, ReplicaMode::Shared } } };
        std::vector<std::byte> results[uses.size()];
        {
            // A window and a search may each have a run of their own, on the same plan.
            std::vector<std::jthread> users;
            for (std::size_t user = 0; user < uses.size(); ++user)
                users.emplace_back(
                    [&, user] { results[user] = stateAfter(plan, uses[user].first, steps, uses[user].second); });
        }
        taken += static_cast<std::int64_t>(uses.size() + 1) * 2 * steps;
        for (const auto& result : results)
            if (result != expected) {
                std::fprintf(stderr, "width %d: other bits than with one worker\n", static_cast<int>(shape.width));
                ++failures;
            }
    }
    const stress::Executed programs = stress::executePrograms(700);
    if (!programs.same) {
        std::fputs("programs in texts: other bits than with one thread\n", stderr);
        ++failures;
    }
    taken += programs.steps;
    std::printf("%lld steps, %lld of them of programs in texts\n", static_cast<long long>(taken),
        static_cast<long long>(programs.steps));
    if (taken < 10000) {
        std::fputs("fewer than 10000 steps\n", stderr);
        ++failures;
    }
    return failures == 0 ? 0 : 1;
}
