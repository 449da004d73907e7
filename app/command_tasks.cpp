// SPDX-License-Identifier: GPL-3.0-or-later
// The command tasks, declared in commands.h.
#include <memory>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "input.h"
#include "report.h"
#include "tasks/tasks.h"
#include "words/task_words.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

struct TasksOptions {
    std::string id, file;
    JsonTarget json;
};

Json goalJson(const Task& task)
{
    Json goal = Json::array();
    for (const Condition& condition : task.goal)
        goal.push_back(words::goal(condition).toStdString());
    return goal;
}

Json taskJson(const Task& task)
{
    return { { "id", task.id }, { "group", task.group }, { "example", task.example }, { "question", task.question },
        { "hint", task.hint }, { "goal", goalJson(task) } };
}

int listTasks(const JsonTarget& json)
{
    if (json.empty()) {
        Table table{ "Id", "Example", "Question" };
        for (const Task& task : tasks())
            table.rows.push_back(
                { words::fromStd(task.id), words::fromStd(task.example), words::fromStd(task.question) });
        Console().table(table, {});
        return Done;
    }
    Json out = envelope(json);
    out["tasks"] = Json::array();
    for (const Task& task : tasks())
        out["tasks"].push_back(taskJson(task));
    return emitJson(out, json, Done);
}

int showTask(const Task& task, const JsonTarget& json)
{
    if (!json.empty()) {
        Json out = envelope(json);
        out["tasks"] = Json::array({ taskJson(task) });
        return emitJson(out, json, Done);
    }
    Console console;
    console.line(words::fromStd(task.question), Emphasis::Heading);
    console.line(QStringLiteral("Begins with the example %1.").arg(words::fromStd(task.example)));
    console.line(words::fromStd(task.hint), Emphasis::Faint);
    console.heading(QStringLiteral("Goal"));
    for (const Condition& condition : task.goal)
        console.line(QStringLiteral("  ") + words::goal(condition));
    return Done;
}

Json conditionJson(const ConditionState& state)
{
    Json out{ { "asks", words::goal(state.condition).toStdString() }, { "met", state.met } };
    out["figure"] = state.found ? toJson(*state.found) : Json();
    out["found_text"] = words::found(state).toStdString();
    return out;
}

int checkFile(const Task& task, const TasksOptions& options)
{
    const auto input = loadExperiment(options.file);
    if (!input)
        return reject(options.json, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment);
    const TaskState state = checkTask(task, *snapshot);
    const int status = state.isSolved() ? Done : Findings;
    if (!options.json.empty()) {
        Json out = envelope(options.json, *input);
        out["solved"] = state.isSolved();
        out["conditions"] = Json::array();
        for (const ConditionState& each : state.conditions)
            out["conditions"].push_back(conditionJson(each));
        return emitJson(out, options.json, status);
    }
    printFindings(*input, *snapshot);
    Table table{ "State", "Goal", "Now" };
    for (const ConditionState& each : state.conditions)
        table.rows.push_back({ each.met ? QStringLiteral("met") : QStringLiteral("missing"),
            words::goal(each.condition), words::found(each) });
    Console console;
    console.line(words::fromStd(task.question), Emphasis::Heading);
    console.table(table, {});
    console.line(state.isSolved() ? QStringLiteral("Solved.")
                                  : QStringLiteral("%1 of %2 met.")
                                        .arg(words::count(static_cast<qint64>(state.metCount())),
                                            words::count(static_cast<qint64>(state.conditions.size()))),
        state.isSolved() ? Emphasis::Good : Emphasis::Warning);
    return status;
}

int runTasks(const TasksOptions& options)
{
    if (options.id.empty())
        return listTasks(options.json);
    const Task* task = findTask(options.id);
    if (!task) {
        std::vector<std::string> known;
        for (const Task& each : tasks())
            known.emplace_back(each.id);
        return reject(options.json, { unknownValue("task", options.id, std::move(known)) });
    }
    return options.file.empty() ? showTask(*task, options.json) : checkFile(*task, options);
}

} // namespace

void addTasks(CLI::App& app, int& status)
{
    Command command(app, "tasks", "List tasks with a goal, print one, or check whether an experiment solves it");
    const auto options = std::make_shared<TasksOptions>();
    command.addOption("ID", options->id, "The task; without it all are listed");
    command.addOption("FILE", options->file,
        "The experiment to check; - for standard input, or the id of a built-in example. Without it the task is "
        "printed");
    command.addJson(options->json);
    command.setInput(options->file);
    command.footer("Exit codes: 0 done, or the task is solved; 1 something of its goal is missing;\n2 arguments, "
                   "input or output that cannot be used.");
    command.run(status, [options] { return runTasks(*options); });
}

} // namespace shardscope::cli
