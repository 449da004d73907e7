// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <cmath>
#include <set>

#include "networks/check_transformer.h"
#include "networks/presets.h"
#include "networks/transformer_parameters.h"
#include "registered_test.h"

using namespace shardscope;

class TestPresets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void counts_data()
    {
        QTest::addColumn<QString>("id");
        for (const TransformerPreset& preset : transformerPresets())
            QTest::newRow(std::string(preset.id).c_str()) << QString::fromStdString(std::string(preset.id));
    }

    /// Exact numbers are met, rounded ones within what rounding explains.
    void counts()
    {
        QFETCH(QString, id);
        const TransformerPreset* const preset = findPreset(id.toStdString());
        QVERIFY(preset);
        QVERIFY(checkTransformer(preset->settings).has_value());
        const std::int64_t count = parameterCount(preset->settings);
        if (preset->exact)
            QCOMPARE(count, preset->parameters);
        const auto published = static_cast<double>(preset->parameters);
        QVERIFY(std::abs(static_cast<double>(count) - published) <= 0.01 * published);
        QVERIFY(!preset->title.empty() && !preset->family.empty() && !preset->source.empty());
    }

    /// Of their blocks, counted from the sizes one by one; the authors say 15.7B, 236B, 671B, 14.3B and 57.4B.
    void furtherCounts()
    {
        struct Known {
            const char* id;
            std::int64_t total, active;
        };
        // Of DeepSeek V2 Lite 58 of 64 experts of 3 matrices of 2048 x 1408 are idle in 26 layers; and so on.
        for (const Known& known : { Known{ "deepseek-v2-lite", 15706484224, 15706484224 - 26LL * 58 * 3 * 2048 * 1408 },
                 { "deepseek-v2", 235741434880, 235741434880 - 59LL * 154 * 3 * 5120 * 1536 },
                 { "deepseek-v3", 671026404352, 671026404352 - 58LL * 248 * 3 * 7168 * 2048 },
                 { "qwen1.5-moe-a2.7b", 14315784192, 14315784192 - 24LL * 56 * 3 * 2048 * 1408 },
                 { "qwen2-57b-a14b", 57408658944, 57408658944 - 28LL * 56 * 3 * 3584 * 2560 } }) {
            const TransformerSettings& s = findPreset(known.id)->settings;
            QCOMPARE(parameterCount(s), known.total);
            QCOMPARE(activeParameterCount(s), known.active);
            TransformerSettings scanned = s;
            scanned.form = LayerForm::Scanned;
            QCOMPARE(parameterCount(scanned), known.total);
        }
    }

    void ids()
    {
        std::set<std::string_view> ids;
        for (const TransformerPreset& preset : transformerPresets())
            QVERIFY2(ids.insert(preset.id).second, std::string(preset.id).c_str());
        for (const char* id : { "gemma-2b", "gemma2-27b", "gemma2-2b", "gemma2-9b", "gemma3-12b-text", "gemma3-1b",
                 "gemma3-27b-text", "gemma3-4b-text", "gpt-neox-20b", "gpt2", "gpt2-large", "gpt2-medium", "gpt3-125m",
                 "gpt3-13b", "gpt3-6.7b", "llama2-13b", "llama2-70b", "llama3-8b", "llama3.1-405b", "llama3.2-3b",
                 "deepseek-v2-lite", "deepseek-v2", "deepseek-v3", "qwen1.5-moe-a2.7b", "qwen2-57b-a14b", "mpt-125m",
                 "mpt-13b", "mpt-1b", "mpt-3b", "mpt-70b", "mpt-7b", "nanotron-1.34b", "nanotron-8.86b", "opt-175b",
                 "palm-540b", "qwen2.5-0.5b", "qwen2.5-1.5b", "qwen2.5-14b", "qwen3-235b-a22b", "qwen3-32b", "qwen3-4b",
                 "qwen3-8b", "t5-11b", "t5-large", "t5-v1.1-base", "t5-v1.1-small", "t5-v1.1-xl" })
            QVERIFY2(findPreset(id), id);
        QVERIFY(!findPreset("llama3-9b"));
        QVERIFY(!findPreset(""));
    }

    /// What the number of parameters does not say.
    void blocks()
    {
        const TransformerSettings& llama = findPreset("llama3-8b")->settings;
        QCOMPARE(llama.rotaryBase, 500000.0);
        QCOMPARE(llama.kvHeads, std::int64_t{ 8 });
        QVERIFY(llama.parameterDtype == DType::BF16 && llama.activation == ActivationKind::Silu);
        const TransformerSettings& moe = findPreset("qwen3-235b-a22b")->settings;
        QCOMPARE(activeParameterCount(moe), std::int64_t{ 22190763520 });
        QCOMPARE(activeParameterCount(findPreset("mixtral-8x7b")->settings), std::int64_t{ 12879925248 });
        const TransformerSettings& t5 = findPreset("t5-11b")->settings;
        QVERIFY(t5.positions == PositionKind::RelativeBias && t5.encoderLayers == 24 && t5.scaledLogits);
        QVERIFY(findPreset("palm-540b")->settings.parallelBlock);
        const TransformerSettings& gemma = findPreset("gemma3-27b-text")->settings;
        QVERIFY(gemma.slidingWindow == 1024 && gemma.windowPattern == 6 && gemma.windowRotaryBase == 10000);
        QVERIFY(gemma.attentionScalar == 168 && gemma.rotaryFactor == 8);
        QVERIFY(!findPreset("palm-540b")->settings.parallelNorms);
    }
};

REGISTER_TEST(TestPresets)
#include "test_presets.moc"
