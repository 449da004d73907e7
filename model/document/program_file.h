// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in files: StableHLO or HLO text that is opened by itself, or that an experiment names.
#pragma once

#include <QString>
#include <optional>
#include <string_view>

#include "experiment/experiment.h"
#include "experiment_file/experiment_file.h"

namespace shardscope {

/// By its suffix: .mlir, .stablehlo or .hlo; a .txt by whether its text begins as HLO does.
[[nodiscard]] bool isProgramFile(const QString& path);
/// Of a text that could not be read: NoProgram where the name of the file says that it is HLO text, and it does not
/// begin as that does.
[[nodiscard]] std::optional<Error> notAsNamed(const QString& path, std::string_view text);
/// An experiment around the program, over its own mesh; its file is named by its absolute path. Errors: Unreadable,
/// TooLarge, that of notAsNamed(), and what is wrong with the text.
[[nodiscard]] Result<Experiment> openProgram(const QString& path);
/// Reads what an experiment in that file names; names are relative to its folder.
[[nodiscard]] FileSource filesBeside(const QString& experimentFile);
/// The same experiment with its program's file named relative to the folder of the experiment's own file.
[[nodiscard]] Experiment withRelativeProgram(Experiment experiment, const QString& experimentFile);

} // namespace shardscope
