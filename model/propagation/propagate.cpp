// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/propagate.h"

#include "propagation/driver.h"

namespace shardscope {

PropagationResult propagate(const PropagationInput& input)
{
    Driver driver(input);
    if (input.strategy == Strategy::Basic || input.strategy == Strategy::Aggressive) {
        driver.run(-1);
        return std::move(driver).finish();
    }
    const auto runRounds = [&] {
        for (int round = 0; round < operationPriorityRounds; ++round)
            driver.run(round);
    };
    std::vector<std::int32_t> priorities;
    if (input.strategy == Strategy::Full)
        priorities = driver.holdBack();
    runRounds();
    for (const std::int32_t priority : priorities) {
        driver.restore(priority);
        runRounds();
    }
    return std::move(driver).finish();
}

} // namespace shardscope
