// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks: a question to somebody at an example, with a goal that is checked. They go with the five documents that the
// examples are of.
//
//     "fit-the-step", of the example flax-mlp-logical
//     goal      PeakAtMost 20 MiB, CollectivesAtMost 8 all_reduce, DevicesKept, ModelKept
//     solution  the mesh {data=1, model=8}: 16 MiB, 7 all-reduces
#pragma once

#include <string_view>
#include <vector>

#include "tasks/condition.h"

namespace shardscope {

struct Task {
    std::string_view id; ///< "fit-the-step"
    std::string_view group; ///< id of an ExampleGroup: the document
    std::string_view example; ///< id of the GalleryExample that it begins with
    std::string_view question; ///< in one sentence
    std::string_view hint; ///< where to look, in one or two sentences
    std::vector<Condition> goal;
    /// One way to solve it, as edits of the example.
    Result<Experiment> (*solution)(const Experiment& start) = nullptr;
};

struct TaskState {
    std::vector<ConditionState> conditions; ///< in the order of the goal
    [[nodiscard]] bool isSolved() const;
    [[nodiscard]] std::size_t metCount() const;
    bool operator==(const TaskState&) const = default;
};

/// All of them, document by document.
[[nodiscard]] const std::vector<Task>& tasks();
/// Null if there is none of that id.
[[nodiscard]] const Task* findTask(std::string_view id);
/// Those that begin with an example, in their order.
[[nodiscard]] std::vector<const Task*> tasksOf(std::string_view example);
/// The experiment that the task begins with.
[[nodiscard]] const Experiment& startOf(const Task& task);
/// What of the goal holds for an analysis (LastStage::Summary) of any experiment.
[[nodiscard]] TaskState checkTask(const Task& task, const Snapshot& snapshot);

} // namespace shardscope
