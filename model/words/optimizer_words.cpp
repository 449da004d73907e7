// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/optimizer_words.h"

#include <QStringList>
#include <algorithm>
#include <string_view>
#include <vector>

#include "words/tr.h"

namespace shardscope::words {

QString optimizerArrays(const Program& program, Role role)
{
    constexpr std::string_view state = "opt/";
    std::vector<std::string_view> seen;
    for (const ValueId argument : program.main().arguments) {
        const Value& value = program.value(argument);
        if (value.role != role)
            continue;
        const std::string_view path = *value.path;
        if (!path.starts_with(state))
            continue;
        const std::string_view name = path.substr(state.size(), path.find('/', state.size()) - state.size());
        if (std::find(seen.begin(), seen.end(), name) == seen.end())
            seen.push_back(name);
    }
    QStringList names;
    for (const std::string_view name : seen)
        names << fromStd(name);
    if (names.isEmpty())
        return role == Role::Mu ? Words::tr("mu") : role == Role::Nu ? Words::tr("nu") : Words::tr("master weights");
    return names.join(Words::tr(", "));
}

QString optimizerState(const Experiment& experiment)
{
    if (std::holds_alternative<MlpModel>(experiment.model))
        return Words::tr("Adam mu, nu");
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    if (!transformer)
        return Words::tr("Optimizer state");
    switch (transformer->settings.optimizer.kind) {
    case OptimizerKind::Sgd:
        return Words::tr("SGD state");
    case OptimizerKind::Momentum:
        return Words::tr("Momentum trace");
    case OptimizerKind::Adam:
        return Words::tr("Adam mu, nu");
    case OptimizerKind::AdamW:
        return Words::tr("AdamW mu, nu");
    case OptimizerKind::Adafactor:
        return Words::tr("Adafactor v_row, v_col, v");
    }
    return {};
}

} // namespace shardscope::words
