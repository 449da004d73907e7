// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_trace.h"

#include <algorithm>

#include "document/atomic_file.h"
#include "interchange/trace.h"
#include "schedule/plan.h"

namespace shardscope::cli {

Result<void> writeTrace(std::shared_ptr<const Plan> plan, RunOptions options, const std::string& file)
{
    constexpr std::int64_t maxTimes = std::int64_t{ 1 } << 21; // of all devices
    options.tracedInstructions =
        static_cast<std::size_t>(std::max<std::int64_t>(maxTimes / plan->program->mesh->deviceCount(), 1));
    auto run = Run::create(std::move(plan), options);
    if (!run)
        return tl::unexpected<Error>(std::move(run.error()));
    for (int step = 0; step < 2; ++step)
        (*run)->step();
    if (std::optional<Error> failure = (*run)->failure())
        return tl::unexpected<Error>(std::move(*failure));
    return writeAtomically(QString::fromStdString(file), chromeTrace(**run));
}

} // namespace shardscope::cli
