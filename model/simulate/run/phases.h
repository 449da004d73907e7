// SPDX-License-Identifier: GPL-3.0-or-later
// A plan's instructions, prepared for execution: what each device does on its own, and the exchanges between.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "simulate/collectives/exchange.h"
#include "simulate/collectives/reduced_product.h"
#include "simulate/kernels/action.h"
#include "simulate/run/clusters.h"

namespace shardscope {

struct Control;

/// What stands between two meetings of devices, done by each on its own; then the collectives, the loop or the branch
/// that follow, if any, or a product with the sum and the elementwise work that follow it.
struct Phase {
    struct Item {
        const Action* action = nullptr;
        const std::vector<WorkShare>* work = nullptr; ///< per device; null = everybody does all of it
        std::uint32_t instruction = 0; ///< number in its block
    };
    /// What one cluster does of a collective that stays within clusters: its tasks, and the groups that they are of.
    struct ClusterPart {
        std::vector<std::int64_t> tasks;
        std::vector<std::size_t> groups;
    };
    struct Collective {
        const Exchange* exchange = nullptr;
        std::uint32_t instruction = 0;
        std::vector<ClusterPart> parts = {}; ///< by cluster; empty where clusters meet
    };
    std::vector<Item> actions;
    std::vector<Collective> collectives; ///< that need nothing of each other
    bool sharesOperands = false; ///< some action is done faster for devices that share state together
    bool staysInClusters = false; ///< all of it: the next phase follows without a meeting
    const ReducedProduct* reduced = nullptr;
    const Control* control = nullptr; ///< with collectives in it; others are actions
    std::uint32_t instruction = 0; ///< of a collective or the control; of a reduced product the last one
    bool ends =
        true; ///< that instruction: where devices stay together, a collective has a phase for each of its arrays
};

/// The instructions of main, or of a region of a loop or a branch.
struct PreparedBlock {
    std::uint32_t number = 0; ///< in Plan::blocks; 0 = main
    std::vector<Phase> phases;
};

/// A loop or a branch: reads what decides, and copies what a loop begins with.
struct Control {
    std::size_t index = 0; ///< among Phases::controls
    const Operation* operation = nullptr;
    std::vector<PreparedBlock> blocks; ///< per region
    TensorType decidingType; ///< of the condition's answer, or of what a branch is chosen by
    SlotId deciding;
    struct Copy {
        SlotId from, to;
        std::size_t bytes = 0;
    };
    std::vector<Copy> begin; ///< of a loop: what its state begins with

    [[nodiscard]] bool isLoop() const { return operation->kind == OpKind::While; }
    /// Of a branch: the block that is executed.
    [[nodiscard]] std::size_t chosen(std::byte* const* slots) const;
    /// Of a loop, once its condition has been executed: whether it goes on.
    [[nodiscard]] bool goesOn(std::byte* const* slots) const;
    void copyState(std::byte* const* slots) const;
};

/// A step, and what executing it takes. Phases point into the rest, so there are no copies.
struct Phases {
    Phases() = default;
    Phases(Phases&&) = default;
    Phases& operator=(Phases&&) = default;

    PreparedBlock main;
    Clusters clusters;
    std::vector<ActionPtr> actions;
    std::vector<std::unique_ptr<Exchange>> exchanges;
    std::vector<std::unique_ptr<ReducedProduct>> reduced;
    std::vector<std::unique_ptr<Control>> controls;
    std::vector<std::vector<WorkShare>> work; ///< of ReplicaSharing
    std::int64_t scratchBytes = 64; ///< per worker
    std::int64_t ownBytes = 0; ///< that actions keep
    std::size_t maxTasks = 0; ///< of the collectives of a phase, or a reduced product
};

struct PhaseOptions {
    bool together = false; ///< devices go through loops and branches together, also where they exchange nothing in them
    bool plainKernels = false; ///< RunOptions::plainKernels
    int workers = 1; ///< with two or more there may be clusters
};

/// In an order in which devices meet seldom (meetings.h), or that of the plan where they are to stay together. A device
/// waits for the others where it would touch shared state that they still work on, too. Takes the work out of the
/// sharing. Only a part of it if stopped. With a budget that only counts, nothing of it can be run. Errors: those of
/// prepareAction() and Exchange::prepare().
[[nodiscard]] Result<Phases> preparePhases(const Plan& plan, ReplicaSharing& sharing, MemoryBudget& budget,
    const PhaseOptions& options, const std::stop_token& stop);

/// Whether devices exchange anything in the blocks of a loop or a branch.
[[nodiscard]] bool hasCollectives(const Plan& plan, const ControlInstruction& control);

} // namespace shardscope
