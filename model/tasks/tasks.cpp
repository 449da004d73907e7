// SPDX-License-Identifier: GPL-3.0-or-later
#include "tasks/tasks.h"

#include <algorithm>
#include <cstdlib>

#include "experiment_file/gallery.h"
#include "tasks/task_lists.h"

namespace shardscope {

bool TaskState::isSolved() const
{
    return !conditions.empty() && metCount() == conditions.size();
}

std::size_t TaskState::metCount() const
{
    return static_cast<std::size_t>(
        std::count_if(conditions.begin(), conditions.end(), [](const ConditionState& each) { return each.met; }));
}

const std::vector<Task>& tasks()
{
    static const std::vector<Task> all = [] {
        std::vector<Task> list;
        for (std::vector<Task> part : { flaxNotebookTasks(), flaxSpmdTasks(), penzaiTasks(), t5xTasks(), jaxTasks() })
            list.insert(list.end(), part.begin(), part.end());
        return list;
    }();
    return all;
}

const Task* findTask(std::string_view id)
{
    const std::vector<Task>& all = tasks();
    const auto found = std::find_if(all.begin(), all.end(), [id](const Task& each) { return each.id == id; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<const Task*> tasksOf(std::string_view example)
{
    std::vector<const Task*> list;
    for (const Task& task : tasks())
        if (task.example == example)
            list.push_back(&task);
    return list;
}

const Experiment& startOf(const Task& task)
{
    const GalleryExample* example = findExample(task.example);
    if (!example)
        std::abort(); // both lists are compiled in, and a test walks them
    return example->experiment;
}

TaskState checkTask(const Task& task, const Snapshot& snapshot)
{
    const Experiment& start = startOf(task);
    TaskState state;
    for (const Condition& condition : task.goal)
        state.conditions.push_back(checkCondition(condition, start, snapshot));
    return state;
}

} // namespace shardscope
