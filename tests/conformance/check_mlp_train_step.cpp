// SPDX-License-Identifier: GPL-3.0-or-later
// mlp_train_step: the train step of the MLP in float64, by the unsharded reference and on simulated devices.
#include <cmath>
#include <functional>
#include <map>

#include "conformance/checker.h"
#include "conformance/forms.h"
#include "pipeline/listed_network.h"
#include "simulate/executed.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "simulate/run/step_replay.h"

namespace shardscope::conformance {

namespace {

using Doubles = std::vector<double>;

/// Row-major, whatever the nesting.
Doubles flat(const Json& json)
{
    Doubles numbers;
    if (json.is_object() && json.contains("ones")) {
        const Json& shape = json.at("ones");
        numbers.assign(shape.at(0).get<std::size_t>() * shape.at(1).get<std::size_t>(), 1.0);
    } else
        numbers = numbersIn(json);
    return numbers;
}

MlpSettings settingsOf(const Json& oneCase, bool inputGradient)
{
    MlpSettings settings;
    settings.layers = oneCase.at("layers");
    settings.batch = oneCase.at("batch");
    settings.embed = oneCase.at("features");
    settings.hidden = oneCase.at("depth");
    settings.dtype = DType::F64;
    settings.loss = oneCase.at("loss") == "half sum of squares" ? LossKind::HalfSumOfSquares : LossKind::SumOfOutputs;
    settings.adam.learningRate = oneCase.at("lr");
    settings.inputGradient = inputGradient;
    return settings;
}

/// "layers.0/W1" and where the case writes it: the kernel and W2 of each layer.
std::map<std::string, const Json*> parametersOf(const Json& layers)
{
    std::map<std::string, const Json*> parameters;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        parameters["layers." + std::to_string(i) + "/W1"] = &layers[i].at("kernel");
        parameters["layers." + std::to_string(i) + "/W2"] = &layers[i].at("W2");
    }
    return parameters;
}

InitialValues initialOf(const Json& oneCase)
{
    InitialValues initial;
    initial.byPath["x"] = flat(oneCase.at("x"));
    for (const auto& [name, json] : parametersOf(oneCase.at("params")))
        initial.byPath["params/" + name] = flat(*json);
    return initial;
}

/// One way to execute steps: values can be asked for by path after each.
struct Executor {
    std::string name;
    std::function<void()> step;
    std::function<Doubles(const std::string&)> value;
};

Executor byReference(const ProgramPtr& program, const InitialValues& initial)
{
    const auto replay = std::make_shared<StepReplay>(test::flatInFull(program), initial);
    const auto steps = std::make_shared<std::int64_t>(0);
    return { "reference", [steps] { ++*steps; },
        [program, replay, steps](const std::string& path) {
            const auto found = replay->reference(program->find(path), *steps);
            return found ? **found : Doubles();
        } };
}

Executor onSimulatedDevices(std::string name, Run& run)
{
    const auto value = [&run](const std::string& path) {
        const Program& program = *run.plan().program->program;
        const ValueId id = program.find(path);
        for (std::size_t r = 0; r < program.main().results.size(); ++r)
            if (program.main().results[r] == id)
                return run.gatherResult(r);
        return run.gather(id);
    };
    return { std::move(name), [&run] { run.step(); }, value };
}

std::string compare(const Executor& execution, const std::string& path, const Json& json, const std::string& where)
{
    const Doubles expected = flat(json);
    const Doubles actual = execution.value(path);
    const std::string place = execution.name + ": " + where;
    if (actual.size() != expected.size())
        return place + ": expected " + std::to_string(expected.size()) + " elements, got "
            + std::to_string(actual.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(actual[i] - expected[i]) <= std::max(1e-9 * std::fabs(expected[i]), 1e-12)))
            return place + "/" + std::to_string(i) + ": expected " + Json(expected[i]).dump() + ", got "
                + Json(actual[i]).dump();
    return {};
}

std::string compareSteps(const Json& oneCase, const Executor& execution, bool inputGradient)
{
    std::string found;
    const auto expect = [&](const std::string& path, const Json& json, const std::string& where) {
        if (found.empty())
            found = compare(execution, path, json, where);
    };
    const Json& steps = oneCase.at("steps");
    for (std::size_t s = 0; s < steps.size() && found.empty(); ++s) {
        const Json& step = steps[s];
        const std::string at = "/steps/" + std::to_string(s) + "/";
        execution.step();
        expect("loss", step.at("loss_before"), at + "loss_before");
        if (step.contains("output"))
            expect("layers." + std::to_string(oneCase.at("layers").get<int>() - 1) + "/z", step.at("output"),
                at + "output");
        if (step.contains("hidden_first_layer"))
            expect("layers.0/y", step.at("hidden_first_layer"), at + "hidden_first_layer");
        if (step.contains("dx") && inputGradient)
            expect("grad(x)", step.at("dx"), at + "dx");
        for (const auto& [key, pattern] : std::map<std::string, std::string>{ { "grads", "grad(params/" },
                 { "params", "next(params/" }, { "mu", "next(opt/mu/" }, { "nu", "next(opt/nu/" } })
            if (step.contains(key))
                for (const auto& [name, json] : parametersOf(step.at(key)))
                    expect(pattern + name + ")", *json, at + key + "/" + name);
    }
    expect("next(step)", oneCase.at("final_step_counter"), "/final_step_counter");
    execution.step(); // its loss is the one after the last update
    expect("loss", oneCase.at("loss_after"), "/loss_after");
    return found;
}

/// Counts of all-reduces by pass and mesh axis, the scalar loss aside; anything else by its kind.
Json exchanges(const Json& oneCase, const MeshPtr& mesh)
{
    const test::ListedNetwork network =
        test::listedNetwork(test::annotatedOn(test::mlpFor(settingsOf(oneCase, false), *mesh), mesh)).value();
    Json counts = { { "forward_model", 0 }, { "backward_model", 0 }, { "backward_data", 0 } };
    for (const CollectiveEntry& entry : network.list.entries) {
        if (entry.scalarLoss)
            continue;
        std::string key(name(entry.kind));
        if (entry.kind == CollectiveKind::AllReduce && entry.axes.size() == 1 && entry.reason)
            key = std::string(network.scopeOf(entry).starts_with("backward") ? "backward_" : "forward_")
                + mesh->axis(static_cast<std::size_t>(entry.axes[0].axis)).name;
        counts[key] = counts.value(key, 0) + 1;
    }
    return counts;
}

CaseResult runOnMesh(const Json& oneCase, const MeshPtr& mesh, bool inputGradient, const std::string& what)
{
    const auto program = test::mlpOnDevices(settingsOf(oneCase, inputGradient), mesh);
    if (oneCase.contains("all_reduces") && !inputGradient)
        if (const std::string found = difference(oneCase.at("all_reduces"), exchanges(oneCase, mesh), "/all_reduces");
            !found.empty())
            return CaseResult::failed(found);
    ScheduleOptions options;
    options.keep = test::gradientsOf(*program->program);
    options.keep.push_back(program->program->find("layers.0/y"));
    RunOptions runOptions;
    runOptions.initial = initialOf(oneCase);
    runOptions.threads = 2;
    auto run = Run::create(test::makePlan(program, options), runOptions);
    if (!run)
        return CaseResult::failed(what + ": " + std::string(run.error().kind()));
    if (const std::string found = compareSteps(oneCase, onSimulatedDevices(what, **run), inputGradient); !found.empty())
        return CaseResult::failed(found);
    return CaseResult::passed();
}

} // namespace

CaseResult checkMlpTrainStep(const Json& oneCase, const Json&)
{
    const auto program = std::make_shared<const Program>(buildMlp(settingsOf(oneCase, true)).value());
    if (const std::string found = compareSteps(oneCase, byReference(program, initialOf(oneCase)), true); !found.empty())
        return CaseResult::failed(found);

    std::vector<MeshAxis> axes{ { "data", 1 }, { "model", 1 } };
    if (oneCase.contains("checked_mesh"))
        for (MeshAxis& axis : axes)
            axis.size = oneCase.at("checked_mesh").at(axis.name);
    const MeshPtr mesh = test::makeMesh(axes);
    // The gradient of x needs an exchange that the train step does without.
    for (const bool inputGradient : { false, true }) {
        const CaseResult result =
            runOnMesh(oneCase, mesh, inputGradient, inputGradient ? "devices with dx" : "devices");
        if (result.status != CaseResult::Status::Passed)
            return result;
    }
    return CaseResult::passed();
}

} // namespace shardscope::conformance
