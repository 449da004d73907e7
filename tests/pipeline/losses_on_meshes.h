// SPDX-License-Identifier: GPL-3.0-or-later
// Small transformers that are trained for some steps on simulated devices.
#pragma once

#include <QtGlobal>

#include <memory>
#include <vector>

#include "networks/transformer_training.h"
#include "partition/on_mesh.h"
#include "pipeline/listed_network.h"
#include "schedule/plan.h"
#include "simulate/run/run.h"

namespace shardscope::test {

/// A Llama of two layers, in double, with Adam.
inline TransformerTraining smallTraining()
{
    TransformerTraining training;
    TransformerSettings& s = training.model;
    s.batch = 4;
    s.length = 8;
    s.embed = 16;
    s.heads = 4;
    s.kvHeads = 4;
    s.headSize = 4;
    s.mlp = 32;
    s.vocab = 32;
    s.parameterDtype = s.computeDtype = DType::F64;
    training.optimizer.learningRate = 0.01;
    return training;
}

/// Of three steps, on a mesh of data and model.
inline std::vector<double> lossesOn(const TransformerTraining& training, std::int64_t data, std::int64_t model)
{
    LogicalRules rules;
    for (const auto& [name, axis] : { std::pair{ "batch", "data" }, { "vocab", "model" }, { "mlp", "model" },
             { "heads", "model" }, { "embed", "data" }, { "expert", "data" } })
        rules.list.push_back({ LogicalName::of(name), SpecEntry::axis(axis) });
    const auto network = listedNetwork(annotated(buildTransformer(training).value(), mlpMesh(0, data, model), rules));
    if (!network)
        qFatal("%s", std::string(network.error().id()).c_str());
    RunOptions options;
    options.threads = 2;
    options.initial.seed = 9;
    options.initial.ofNetwork = transformerInitials(training.model);
    options.initial.stacks = stackedInitials(training.model);
    auto run = Run::create(std::make_shared<const Plan>(schedule(network->flat).value()), options).value();
    std::vector<double> losses;
    const std::size_t loss = network->flat->main().results.size() - 1;
    for (int step = 0; step < 3; ++step) {
        run->step();
        losses.push_back(run->gatherResult(loss)[0]);
    }
    return losses;
}

} // namespace shardscope::test
