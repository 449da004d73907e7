// SPDX-License-Identifier: GPL-3.0-or-later
// The command schema, declared in commands.h.
#include <memory>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "experiment_file/experiment_file.h"
#include "output_schema.h"
#include "report.h"

namespace shardscope::cli {

void addSchema(CLI::App& app, int& status)
{
    struct Options {
        std::string what = "experiment";
        JsonTarget json;
    };
    Command command(app, "schema", "Print the JSON schema of experiment files, or of what --json prints");
    const auto options = std::make_shared<Options>();
    command
        .addOption("WHAT", options->what,
            "experiment (default): experiment files; output: what every command prints with --json")
        .oneOf({ "experiment", "output" });
    command.addJson(options->json);
    command.setInput(options->what);
    command.footer("Exit codes: 0 done; 2 arguments or output that cannot be used.");
    command.run(status, [options] {
        const std::string_view schema = options->what == "output" ? outputSchema() : experimentSchema();
        if (options->json.empty()) {
            writeTo(stdout, schema);
            return static_cast<int>(Done);
        }
        Json out = envelope(options->json);
        out["schema"] = Json::parse(schema);
        return emitJson(out, options->json, Done);
    });
}

} // namespace shardscope::cli
