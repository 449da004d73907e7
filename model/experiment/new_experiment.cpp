// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/new_experiment.h"

#include <memory>
#include <string>
#include <utility>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/network_rules.h"
#include "networks/presets.h"

namespace shardscope {

namespace {

constexpr char productText[] = R"(module @product {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func public @main(%x: tensor<8x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %w: tensor<1024x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) -> tensor<8x4096xf32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x1024xf32>, tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    return %y : tensor<8x4096xf32>
  }
}
)";

MeshSetting twoByFour()
{
    MeshSetting mesh;
    mesh.axes = { { "data", 2 }, { "model", 4 } };
    return mesh;
}

NamedArraySetting namedArray(std::string path, std::vector<std::string> names, Shape shape)
{
    NamedArraySetting array;
    array.path = std::move(path);
    for (std::string& name : names)
        array.names.push_back(LogicalName::of(std::move(name)));
    array.shape = std::move(shape);
    return array;
}

Result<Experiment> newTransformer(std::string_view id)
{
    const TransformerPreset* preset = findPreset(id);
    if (!preset)
        return fail(Code::UnknownValue, { { "key", "preset" }, { "value", std::string(id) } });
    MeshSetting mesh = twoByFour();
    const PublishedRules* rules = defaultRules(mesh.axes);
    return networkExperiment(preset->settings, std::string(preset->title), std::move(mesh),
        rules ? boundRules(*rules) : RulesSetting{}, std::nullopt, rules);
}

} // namespace

Result<Experiment> newExperiment(NewKind kind, std::string_view preset)
{
    Experiment made;
    made.mesh = twoByFour();
    switch (kind) {
    case NewKind::Mlp:
        made.model = MlpModel{};
        break;
    case NewKind::Transformer:
        return newTransformer(preset);
    case NewKind::Arrays:
        made.title = "Arrays";
        made.rules.rules.list = { { LogicalName::of("mlp"), SpecEntry::axis("model") } };
        made.model = ArraysModel{ { namedArray("mlp/kernel", { "embed", "mlp" }, { 1024, 4096 }),
            namedArray("mlp/bias", { "mlp" }, { 4096 }) } };
        break;
    case NewKind::Program:
        return experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(productText), {}, {} }, "Product");
    case NewKind::Blank:
        made.model = ArraysModel{};
        break;
    }
    return made;
}

} // namespace shardscope
