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
};

REGISTER_TEST(TestNewExperiment)
#include "test_new_experiment.moc"
