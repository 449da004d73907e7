// SPDX-License-Identifier: GPL-3.0-or-later
// Latent attention, shared experts and windows in some layers alone, trained on meshes: the losses of one device.
#include <QtTest>

#include <cmath>
#include <functional>

#include "pipeline/losses_on_meshes.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

using BlockEdit = std::function<void(TransformerSettings&)>;

void withLatentAttention(TransformerSettings& s)
{
    s.layers = 3;
    s.latent = LatentSettings{ .rank = 8, .queryRank = 4, .rotarySize = 2, .valueSize = 4 };
    s.experts = ExpertSettings{
        .experts = 4, .mlp = 8, .score = RouterScore::Sigmoid, .scale = 1.5, .sharedMlp = 16, .denseLayers = 1
    };
}

void withSharedGate(TransformerSettings& s)
{
    s.qkvBias = true;
    s.experts = ExpertSettings{ .experts = 4, .mlp = 8, .normalise = false, .sharedMlp = 16, .sharedGate = true };
}

void withWindows(TransformerSettings& s)
{
    s.layers = 3;
    s.kvHeads = 2;
    s.normPlacement = NormPlacement::BeforeAndAfter;
    s.queryKeyNorm = s.tiedLogits = true;
    s.slidingWindow = 3;
    s.windowPattern = 2;
    s.windowRotaryBase = 100;
    s.rotaryFactor = 4;
    s.attentionScalar = 9;
}

} // namespace

class TestTransformerBlocks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void losses_data()
    {
        QTest::addColumn<BlockEdit>("edit");
        QTest::addColumn<int>("form");
        for (const int form : { 0, 1 }) {
            const char* const suffix = form == 0 ? ", unrolled" : ", scanned";
            const auto row = [&](const char* name, const BlockEdit& edit) {
                QTest::newRow((std::string(name) + suffix).c_str()) << edit << form;
            };
            row("latent attention, shared experts", withLatentAttention);
            row("shared experts behind a gate", withSharedGate);
            row("windows in some layers", withWindows);
        }
    }

    void losses()
    {
        QFETCH(BlockEdit, edit);
        QFETCH(int, form);
        TransformerTraining training = test::smallTraining();
        edit(training.model);
        training.model.form = static_cast<LayerForm>(form);
        const std::vector<double> expected = test::lossesOn(training, 1, 1);
        QVERIFY(expected[2] < expected[0]);
        // Layers in a loop begin with the numbers of the same layers one after the other, wherever "layers" stands.
        for (const std::int64_t layersAxis : { 0, 1 }) {
            TransformerTraining other = training;
            other.model.form = form == 0 ? LayerForm::Scanned : LayerForm::Unrolled;
            other.model.layersAxis = layersAxis;
            const std::vector<double> found = test::lossesOn(other, 1, 1);
            for (std::size_t i = 0; i < found.size(); ++i)
                QVERIFY2(std::abs(found[i] - expected[i]) <= 1e-9 * std::abs(expected[i]),
                    qPrintable(
                        QString("%1, the other form %2").arg(found[i], 0, 'g', 17).arg(expected[i], 0, 'g', 17)));
        }
        for (const auto& [data, model] : { std::pair{ 2, 4 }, { 4, 2 } })
            for (const RematPolicy remat : { RematPolicy::None, RematPolicy::Full }) {
                training.model.remat = remat;
                const std::vector<double> found = test::lossesOn(training, data, model);
                for (std::size_t i = 0; i < found.size(); ++i)
                    QVERIFY2(std::abs(found[i] - expected[i]) <= 1e-9 * std::abs(expected[i]),
                        qPrintable(
                            QString("%1, on one device %2").arg(found[i], 0, 'g', 17).arg(expected[i], 0, 'g', 17)));
            }
    }
};

REGISTER_TEST(TestTransformerBlocks)
#include "test_transformer_blocks.moc"
