// SPDX-License-Identifier: GPL-3.0-or-later
// Transformers as loops over their layers.
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "networks/small_transformers.h"
#include "program/differentiate.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;
using test::Edit;

class TestScannedTransformer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A loop over stacked parameters computes what layers one after the other do, and so do its gradients.
    void scannedLayers_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<int>("axis");
        QTest::newRow("Llama") << Edit([](TransformerSettings&) {}) << 0;
        QTest::newRow("GPT-2, layers in the middle") << Edit(test::gpt2) << 1;
        QTest::newRow("T5, layers at the end") << Edit(test::t5) << 8;
        QTest::newRow("experts") << Edit(test::mixtral) << 1;
        QTest::newRow("shared experts") << Edit(test::qwen2Moe) << 0;
        QTest::newRow("DeepSeek, two kinds of layers") << Edit([](TransformerSettings& s) {
            test::deepSeek(s);
            s.layers = 3;
        }) << 1;
        QTest::newRow("Gemma 3, a window in some layers") << Edit(test::gemma3) << 0;
        QTest::newRow("a single layer") << Edit([](TransformerSettings& s) { s.layers = 1; }) << 0;
    }

    void scannedLayers()
    {
        QFETCH(Edit, edit);
        QFETCH(int, axis);
        const TransformerSettings unrolled = test::edited(edit);
        TransformerSettings scanned = unrolled;
        scanned.form = LayerForm::Scanned;
        scanned.layersAxis = axis;
        const std::vector<TransformerParameter> single = parametersOf(unrolled), stacked = parametersOf(scanned);
        const std::vector<Array> arguments = test::drawnArguments(unrolled);
        const auto argumentOf = [&](const std::string& path) -> const Array& {
            for (std::size_t i = 0; i < single.size(); ++i)
                if (single[i].path == path)
                    return arguments[i];
            qFatal("%s", path.c_str());
        };
        // The element of one layer's array that an element of the array of all layers is, by the layer.
        const auto isOfLayers = [](Axis of) {
            return of == Axis::Layers || of == Axis::DenseLayers || of == Axis::MoeLayers;
        };
        const auto unstacked = [&](const TransformerParameter& parameter, std::size_t element) {
            test::Index index = test::unravel(static_cast<std::int64_t>(element), parameter.shape);
            const auto place = std::find_if(parameter.axes.begin(), parameter.axes.end(), isOfLayers);
            const auto d = place - parameter.axes.begin();
            const std::int64_t layer = index[static_cast<std::size_t>(d)];
            index.erase(index.begin() + d);
            Shape shape;
            for (std::size_t i = 0; i < parameter.shape.size(); ++i)
                if (static_cast<std::ptrdiff_t>(i) != d)
                    shape.push_back(parameter.shape[i]);
            std::string path = parameter.path;
            const std::size_t end = path.find("layers/"), begin = path.rfind('/', end) + 1;
            const bool isLater = path.compare(begin, end - begin, "moe_") == 0;
            const std::int64_t first = isLater ? unrolled.experts->denseLayers : 0;
            path.replace(begin, end + 7 - begin, "layers." + std::to_string(first + layer) + '/');
            return std::pair(path, test::ravel(index, shape));
        };
        const auto isStacked = [&](const TransformerParameter& parameter) {
            return std::any_of(parameter.axes.begin(), parameter.axes.end(), isOfLayers);
        };
        std::vector<Array> stackedArguments;
        for (const TransformerParameter& parameter : stacked) {
            Array& values = stackedArguments.emplace_back();
            if (!isStacked(parameter)) {
                values = argumentOf(parameter.path);
                continue;
            }
            const std::int64_t count = TensorType{ DType::F64, parameter.shape }.elementCount();
            for (std::size_t e = 0; e < static_cast<std::size_t>(count); ++e) {
                const auto [path, element] = unstacked(parameter, e);
                values.push_back(argumentOf(path)[element]);
            }
        }
        stackedArguments.insert(
            stackedArguments.end(), arguments.begin() + static_cast<std::ptrdiff_t>(single.size()), arguments.end());

        struct Differentiated {
            Program program;
            std::vector<ValueId> gradients;
        };
        const auto differentiated = [](const TransformerSettings& s) {
            Builder builder(buildTransformerForward(s).value());
            const Region& main = builder.program().main();
            const std::vector<ValueId> wrt(
                main.arguments.begin(), main.arguments.end() - static_cast<std::ptrdiff_t>(inputsOf(s).size()));
            std::vector<ValueId> gradients = differentiate(builder, main.results[0], wrt).value();
            return Differentiated{ std::move(builder).finish(), std::move(gradients) };
        };
        const Differentiated one = differentiated(unrolled), loop = differentiated(scanned);
        QVERIFY(verify(loop.program).empty());
        const std::vector<Array> expected = test::interpret(one.program, arguments);
        const std::vector<Array> found = test::interpret(loop.program, stackedArguments);
        for (std::size_t result : { 0U, 1U }) {
            const Array& a = expected[one.program.main().results[result].index];
            const Array& b = found[loop.program.main().results[result].index];
            QCOMPARE(b.size(), a.size());
            for (std::size_t e = 0; e < a.size(); ++e)
                QVERIFY(std::abs(a[e] - b[e]) <= 1e-12 * std::max(1.0, std::abs(a[e])));
        }
        for (std::size_t i = 0; i < stacked.size(); ++i) {
            const Array& gradient = found[loop.gradients[i].index];
            for (std::size_t e = 0; e < gradient.size(); ++e) {
                const auto [path, element] =
                    isStacked(stacked[i]) ? unstacked(stacked[i], e) : std::pair(stacked[i].path, e);
                const auto of = std::find_if(
                    single.begin(), single.end(), [&](const TransformerParameter& p) { return p.path == path; });
                const double wanted =
                    expected[one.gradients[static_cast<std::size_t>(of - single.begin())].index][element];
                QVERIFY2(std::abs(gradient[e] - wanted) <= 1e-11 * std::max(1.0, std::abs(wanted)), path.c_str());
            }
        }
    }
};

REGISTER_TEST(TestScannedTransformer)
#include "test_scanned_transformer.moc"
