// SPDX-License-Identifier: GPL-3.0-or-later
// What the model of an experiment holds, whatever kind of model it is: the text that its program is read of, arrays
// that are listed one by one, what is said of single values and operations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

/// The model is built of sizes and options: its arrays are parameters, what an optimizer keeps of them, and inputs.
[[nodiscard]] bool isNetwork(const Experiment& experiment);
/// The text that the program is read of; null for a program that is built of settings.
[[nodiscard]] const std::string* sourceText(const Experiment& experiment);
/// The file of that text as the experiment names it; "" for none.
[[nodiscard]] std::string sourceFile(const Experiment& experiment);
/// The arrays that the experiment lists one by one; none where a program has its own.
[[nodiscard]] const std::vector<NamedArraySetting>& listedArrays(const Experiment& experiment);
/// Of that path; null where the experiment lists none.
[[nodiscard]] const NamedArraySetting* listedArray(const Experiment& experiment, std::string_view path);
/// The shardings that the experiment gives single values; null where its model takes none.
[[nodiscard]] const std::vector<ValueSharding>* ownShardings(const Experiment& experiment);
/// The sharding rules that the experiment gives single operations; null where its model takes none.
[[nodiscard]] const std::vector<RuleOverride>* ownRules(const Experiment& experiment);
/// The model's annotations are made with that mesh axis.
[[nodiscard]] bool namesMeshAxis(const Experiment& experiment, std::string_view axis);
/// The number that withDimension() sets: that of a dimension of that name, or "layers"; null where there is none.
[[nodiscard]] std::int64_t* sizeNamed(ModelSetting& model, std::string_view name);
/// The names that sizeNamed() knows.
[[nodiscard]] std::vector<std::string> sizeNames(const ModelSetting& model);
/// The model with at most so many layers; one that does not count layers stays as it is.
[[nodiscard]] Experiment withLayersAtMost(Experiment experiment, std::int64_t maximum);

} // namespace shardscope
