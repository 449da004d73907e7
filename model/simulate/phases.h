// SPDX-License-Identifier: GPL-3.0-or-later
// A plan's instructions, prepared for execution: what each device does on its own, and the exchanges between.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "simulate/action.h"
#include "simulate/exchange.h"

namespace shardscope {

/// What stands between two collectives, done by each device on its own; then the collective, if one follows.
struct Phase {
    struct Item {
        const Action* action = nullptr;
        const std::vector<WorkShare>* work = nullptr; ///< per device; null = everybody does all of it
    };
    std::vector<Item> actions;
    const Exchange* exchange = nullptr;
};

/// A step, and what executing it takes. Phases point into the rest, so there are no copies.
struct Phases {
    Phases() = default;
    Phases(Phases&&) = default;
    Phases& operator=(Phases&&) = default;

    std::vector<Phase> phases;
    std::vector<std::unique_ptr<Action>> actions;
    std::vector<std::unique_ptr<Exchange>> exchanges;
    std::vector<std::vector<WorkShare>> work; ///< of ReplicaSharing
    std::int64_t scratchBytes = 64; ///< per worker
    std::int64_t ownBytes = 0; ///< that actions keep
    std::size_t maxTasks = 0; ///< of one exchange
};

/// In the order of the plan; a device waits for the others where it would touch shared state that they still work on,
/// too. Takes the work out of the sharing. Only a part of it if stopped. Errors: those of prepareAction() and
/// Exchange::prepare().
[[nodiscard]] Result<Phases> preparePhases(
    const Plan& plan, ReplicaSharing& sharing, MemoryBudget& budget, const std::stop_token& stop);

} // namespace shardscope
