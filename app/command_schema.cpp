// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>

#include "commands.h"
#include "experiment_file/experiment_file.h"
#include "report.h"

namespace shardscope::cli {

void addSchema(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("schema", "Print the JSON schema of experiment files");
    const auto json = std::make_shared<JsonTarget>();
    addJson(*command, *json);
    command->footer("Exit codes: 0 done; 2 arguments or output that cannot be used.");
    command->callback([json, &status] {
        if (!json->empty()) {
            Json out = envelope("schema");
            out["schema"] = Json::parse(experimentSchema());
            status = emitJson(out, *json, Done);
            return;
        }
        writeTo(stdout, experimentSchema());
    });
}

} // namespace shardscope::cli
