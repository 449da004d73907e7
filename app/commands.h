// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommands. Each function adds one to the parser; when it is chosen, it runs and leaves its exit code in
// `status`.
#pragma once

namespace CLI {
class App;
}

namespace shardscope::cli {

void addRun(CLI::App& app, int& status);
void addShow(CLI::App& app, int& status);
void addResolve(CLI::App& app, int& status);
void addSharding(CLI::App& app, int& status);
void addConvert(CLI::App& app, int& status);
void addRules(CLI::App& app, int& status);
void addCheck(CLI::App& app, int& status);
void addVerify(CLI::App& app, int& status);
void addExplain(CLI::App& app, int& status);
void addComms(CLI::App& app, int& status);
void addPartition(CLI::App& app, int& status);
void addMesh(CLI::App& app, int& status);
void addPropagate(CLI::App& app, int& status);
void addScreenshot(CLI::App& app, int& status);
void addSchema(CLI::App& app, int& status);
void addExamples(CLI::App& app, int& status);
void addNew(CLI::App& app, int& status);
void addParams(CLI::App& app, int& status);
void addTrain(CLI::App& app, int& status);
void addSearch(CLI::App& app, int& status);
void addDiff(CLI::App& app, int& status);
void addCompareHlo(CLI::App& app, int& status);
void addTasks(CLI::App& app, int& status);
void addExport(CLI::App& app, int& status);

} // namespace shardscope::cli
