// SPDX-License-Identifier: GPL-3.0-or-later
// Every kind of new experiment has a program that can be built, on the mesh that all of them begin with.
#include <QTest>

#include <string>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/new_experiment.h"
#include "networks/presets.h"
#include "registered_test.h"

using namespace shardscope;

class TestNewExperiment : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyKindIsBuilt()
    {
        for (const NewKind kind : { NewKind::Mlp, NewKind::Arrays, NewKind::Program, NewKind::Blank }) {
            const Result<Experiment> made = newExperiment(kind);
            QVERIFY(made.has_value());
            QCOMPARE(made->mesh.axes, (std::vector<MeshAxis>{ { "data", 2 }, { "model", 4 } }));
            QCOMPARE(made->hardware.devices.count(), 8);
            const Result<SourceProgram> program = buildProgram(*made);
            QVERIFY(program.has_value());
        }
    }

    void everyPresetIsBuilt()
    {
        for (const TransformerPreset& preset : transformerPresets()) {
            const Result<Experiment> made = newExperiment(NewKind::Transformer, preset.id);
            QVERIFY2(made.has_value(), std::string(preset.id).c_str());
            QCOMPARE(made->title, std::string(preset.title));
            QVERIFY(made->mesh.axes.size() >= 2);
            QCOMPARE(made->mesh.axes[0], (MeshAxis{ "data", 2 }));
            QCOMPARE(made->mesh.axes[1], (MeshAxis{ "model", 4 }));
            QVERIFY(!made->rules.rules.list.empty());
            QVERIFY(std::get<TransformerModel>(made->model).settings.trainStep);
        }
        const Result<Experiment> none = newExperiment(NewKind::Transformer, "no such model");
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().code, Code::UnknownValue);
    }

    /// As many operations as that are refused where the program is built, however short its text is.
    void programsThatGrowTooLarge()
    {
        const auto built = [](int functions) {
            std::string text = "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                               "  %0 = call @f0(%a) : (tensor<8xf32>) -> tensor<8xf32>\n"
                               "  return %0 : tensor<8xf32>\n}\n";
            for (int i = 0; i < functions; ++i) {
                const std::string next = i + 1 == functions
                    ? "stablehlo.tanh %a : tensor<8xf32>"
                    : "call @f" + std::to_string(i + 1) + "(%a) : (tensor<8xf32>) -> tensor<8xf32>";
                text += "func.func private @f" + std::to_string(i) + "(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = "
                    + next + "\n  %1 = " + next + "\n  return %1 : tensor<8xf32>\n}\n";
            }
            return experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text) }, "calls");
        };
        QVERIFY(built(5).has_value());
        const Result<Experiment> refused = built(21);
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().code, Code::TooLarge);
        QVERIFY(refused.error().number("count") > refused.error().number("limit"));
    }
};

REGISTER_TEST(TestNewExperiment)
#include "test_new_experiment.moc"
