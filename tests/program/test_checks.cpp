// SPDX-License-Identifier: GPL-3.0-or-later
// What operations demand of their types, attributes and bodies.
#include <QtTest>

#include <functional>

#include "base/codes.h"
#include "program/sample_operations.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

QString finding(const Program& program)
{
    const std::vector<Diagnostic> found = verify(program);
    if (found.empty())
        return {};
    return QString::fromStdString(found[0].text("op") + ": " + found[0].text("detail"));
}

SampleOperation sample(const QString& name)
{
    for (SampleOperation& one : sampleOperations())
        if (one.name == name)
            return one;
    qFatal("no such sample");
}

/// The attributes of the sample, to be changed.
template <class T, class Change>
void change(OneOperation& one, Change how)
{
    T attributes = *attributesAs<T>(one.operation().attributes);
    how(attributes);
    one.operation().attributes = otherAttributes(std::move(attributes));
}

} // namespace

class TestChecks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samplesAreLegal()
    {
        for (const SampleOperation& one : sampleOperations())
            QVERIFY2(finding(one.one.program).isEmpty(), qPrintable(one.name + ": " + finding(one.one.program)));
    }

    /// Every sample with one thing wrong.
    void damageIsFound()
    {
        for (const SampleOperation& good : sampleOperations()) {
            const auto damaged = [&](const char* what, const std::function<void(OneOperation&)>& damage) {
                OneOperation bad = good.one;
                damage(bad);
                const QString found = finding(bad.program);
                QVERIFY2(!found.isEmpty(), qPrintable(good.name + ": " + what));
            };
            const Operation& operation = good.one.program.operations[0];
            const auto result = [](OneOperation& bad) -> TensorType& {
                return bad.program.values[bad.operation().results[0].index].type;
            };
            if (!operation.results.empty() && !good.freeResult) {
                if (isTensor(good.one.program.value(operation.results[0]).type.dtype))
                    damaged("rank of the result", [&](OneOperation& bad) { result(bad).shape.push_back(3); });
                damaged("a token as result", [&](OneOperation& bad) {
                    TensorType& type = result(bad);
                    type = type.dtype == DType::Token ? TensorType{ DType::F32, {} } : TensorType{ DType::Token, {} };
                });
                damaged("no result", [](OneOperation& bad) {
                    bad.operation().results.pop_back();
                    bad.program.regions[0].results.pop_back();
                });
            }
            const bool anyNumber = good.freeResult || operation.kind == OpKind::AfterAll
                || operation.kind == OpKind::Outfeed || operation.kind == OpKind::Send;
            if (!anyNumber)
                damaged("a further operand", [](OneOperation& bad) {
                    Value value;
                    value.type = { DType::F32, { 77 } };
                    value.index = static_cast<std::uint32_t>(bad.program.regions[0].arguments.size());
                    bad.program.values.push_back(value);
                    const ValueId id(bad.program.values.size() - 1);
                    bad.program.regions[0].arguments.push_back(id);
                    bad.operation().operands.push_back(id);
                });
            if (operation.kind != OpKind::Opaque)
                damaged("a further body", [](OneOperation& bad) {
                    bad.body(
                        { { DType::F32, { 9 } } }, [](OneOperation&, const std::vector<ValueId>& own) { return own; });
                });
            for (std::size_t r = 0; r < operation.regions.size() && operation.kind != OpKind::Opaque; ++r) {
                damaged("a body that takes more", [r](OneOperation& bad) {
                    Value value;
                    Region& region = bad.program.regions[bad.operation().regions[r].index];
                    value.index = static_cast<std::uint32_t>(region.arguments.size());
                    bad.program.values.push_back(value);
                    region.arguments.emplace_back(bad.program.values.size() - 1);
                });
                damaged("a body that returns nothing",
                    [r](OneOperation& bad) { bad.program.regions[bad.operation().regions[r].index].results.clear(); });
            }
            if (std::holds_alternative<SharedAttributes>(operation.attributes) && operation.kind != OpKind::Dot
                && operation.kind != OpKind::Rng && operation.kind != OpKind::RngBitGenerator
                && operation.kind != OpKind::Cholesky && opRow(operation.kind).name != "send"
                && opRow(operation.kind).name != "recv" && opRow(operation.kind).name != "infeed"
                && opRow(operation.kind).name != "outfeed")
                damaged("no attributes", [](OneOperation& bad) { bad.operation().attributes = {}; });
        }
    }

    /// Every sample with one type that nobody knows. What is legal then has a rule only as far as its types go.
    void unknownTypes()
    {
        int legal = 0;
        for (const SampleOperation& good : sampleOperations()) {
            const Operation& operation = good.one.program.operations[0];
            std::vector<ValueId> values(operation.operands.begin(), operation.operands.end());
            values.insert(values.end(), operation.results.begin(), operation.results.end());
            for (const ValueId value : values) {
                OneOperation one = good.one;
                one.program.otherTypes = { "!nobody.knows" };
                one.program.values[value.index].type = { DType::Other, {}, 0 };
                if (!verify(one.program).empty())
                    continue;
                ++legal;
                const FactorRule rule = one.rule();
                const auto fits = [&](const std::vector<FactorRule::TensorMapping>& mappings, const auto& of) {
                    for (std::size_t i = 0; i < mappings.size(); ++i)
                        QCOMPARE(mappings[i].size(), one.program.value(of[i]).type.rank());
                };
                fits(rule.operands, operation.operands);
                fits(rule.results, operation.results);
                if (!opRow(operation.kind).anyType)
                    QVERIFY2(!rule.exists(), qPrintable(good.name));
                QVERIFY(operationCost(one.program, one.program.operations[0]).flops >= 0);
            }
        }
        QVERIFY2(legal > 50, qPrintable(QString::number(legal)));
    }

    void details_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<std::function<void(OneOperation&)>>("damage");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* expected, std::function<void(OneOperation&)> damage) {
            QTest::addRow("%s: %s", name, expected) << QString(name) << std::move(damage) << QString(expected);
        };
        using O = OneOperation&;
        const auto shape = [](O one, std::size_t operand) -> Shared<Shape>& {
            return one.program.values[one.operation().operands[operand].index].type.shape;
        };
        row("slice", "dimension 1 of tensor<8x9xf32> from 1 to 10 in steps of 3",
            [](O o) { change<SliceAttributes>(o, [](auto& a) { a.limits[1] = 10; }); });
        row("slice", "in steps of 0", [](O o) { change<SliceAttributes>(o, [](auto& a) { a.strides[1] = 0; }); });
        row("slice", "one start, limit and stride",
            [](O o) { change<SliceAttributes>(o, [](auto& a) { a.starts.pop_back(); }); });
        row("pad", "would have size", [](O o) { change<PadAttributes>(o, [](auto& a) { a.low[1] = -99; }); });
        row("pad", "interior padding of -1",
            [](O o) { change<PadAttributes>(o, [](auto& a) { a.interior[0] = -1; }); });
        row("pad", "tensor<8x7xf32> declared as tensor<8x8xf32>",
            [](O o) { change<PadAttributes>(o, [](auto& a) { a.low[1] = 0; }); });
        row("pad", "tensor<8x9223372036854775807xf32> declared as",
            [](O o) { change<PadAttributes>(o, [](auto& a) { a.low[1] = a.high[1] = INT64_MAX; }); });
        row("concatenate", "tensor<3x5xf32> after tensor<4x3xf32> along dimension 1", [=](O o) { shape(o, 1)[0] = 3; });
        row("concatenate", "dimension 2 of a tensor of rank 2",
            [](O o) { change<DimensionAttributes>(o, [](auto& a) { a.dimension = 2; }); });
        row("reverse", "dimension 1 twice", [](O o) {
            change<DimensionsAttributes>(o, [](auto& a) { a.dimensions = { 1, 1 }; });
        });
        row("dynamic_slice", "a slice of 5 along dimension 0 of tensor<4x8xf32>",
            [](O o) { change<DynamicSliceAttributes>(o, [](auto& a) { a.sizes[0] = 5; }); });
        row("dynamic_slice", "scalar integers of one type are needed", [=](O o) { shape(o, 2) = { 1 }; });
        row("dynamic_update_slice", "update tensor<5x2xf32> does not fit into tensor<4x8xf32>",
            [=](O o) { shape(o, 1)[0] = 5; });
        row("gather", "index_vector_dim 4 of tensor<2x3x2xi32>",
            [](O o) { change<GatherAttributes>(o, [](auto& a) { a.indexVectorDim = 4; }); });
        row("gather", "slice size 2 of dimension 0",
            [](O o) { change<GatherAttributes>(o, [](auto& a) { a.sliceSizes[0] = 2; }); });
        row("gather", "start_index_map has 1 entry, an index 2",
            [](O o) { change<GatherAttributes>(o, [](auto& a) { a.startIndexMap = { 1 }; }); });
        row("gather", "offset_dims has to name 2 dimensions", [](O o) {
            change<GatherAttributes>(o, [](auto& a) { a.offsetDims = { 3, 2 }; });
        });
        row("gather in batches", "do not pair up",
            [](O o) { change<GatherAttributes>(o, [](auto& a) { a.startIndicesBatchingDims.pop_back(); }); });
        row("scatter", "updates are tensor<2x3x5x2xf32> and should have at most 4 in dimension 2",
            [=](O o) { shape(o, 2)[2] = 5; });
        row("scatter", "update_window_dims has to name 2 dimensions",
            [](O o) { change<ScatterAttributes>(o, [](auto& a) { a.updateWindowDims = { 3 }; }); });
        row("sort", "dimension 2 of a tensor of rank 2",
            [](O o) { change<SortAttributes>(o, [](auto& a) { a.dimension = 2; }); });
        row("dot", "which contract 3 with 4", [=](O o) { shape(o, 1)[0] = 4; });
        row("convolution", "the kernel takes 5 features and is given 6 per group", [=](O o) { shape(o, 1)[1] = 5; });
        row("convolution", "both are 1 or more, and one of them is 1", [](O o) {
            change<ConvolutionAttributes>(o, [](auto& a) { a.batchGroupCount = a.featureGroupCount = 2; });
        });
        row("convolution", "the result is tensor<2x4x8x6xf32> and should be tensor<2x4x6x6xf32>",
            [](O o) { change<ConvolutionAttributes>(o, [](auto& a) { a.padding.clear(); }); });
        row("convolution", "padding has 1 number and should have 2",
            [](O o) { change<ConvolutionAttributes>(o, [](auto& a) { a.padding.pop_back(); }); });
        row("reduce", "argument 0 of its body is tensor<f32> and should be tensor<i32>",
            [](O o) { o.program.values[0].type.dtype = DType::I32; });
        row("reduce_window", "window size, stride or dilation of 0",
            [](O o) { change<WindowAttributes>(o, [](auto& a) { a.strides[1] = 0; }); });
        row("select_and_scatter", "the source is tensor<4x4xf32> and should be tensor<4x7xf32>",
            [](O o) { change<WindowAttributes>(o, [](auto& a) { a.strides[1] = 1; }); });
        row("cholesky", "whose last two dimensions should be one size", [=](O o) { shape(o, 0)[1] = 5; });
        row("fft", "1 to 3, and no more than its rank",
            [](O o) { change<FftAttributes>(o, [](auto& a) { a.length = {}; }); });
        row("irfft", "should have size 4 in dimension 1",
            [](O o) { change<FftAttributes>(o, [](auto& a) { a.length = { 7 }; }); });
        row("batch_norm_training", "operand 1 is tensor<8xf32> and should be tensor<4xf32>",
            [](O o) { change<BatchNormAttributes>(o, [](auto& a) { a.featureIndex = 0; }); });
        row("while", "argument 0 of its body is tensor<4x8xi32> and should be tensor<4x8xf32>",
            [](O o) { o.program.values[o.program.regions[2].arguments[0].index].type.dtype = DType::I32; });
        row("case", "the index is tensor<i64> and should be tensor<i32>",
            [](O o) { o.program.values[0].type.dtype = DType::I64; });
        row("get_tuple_element", "element 2 of a tuple of 2",
            [](O o) { change<TupleElementAttributes>(o, [](auto& a) { a.index = 2; }); });
        row("tuple", "a tuple of 1 of 2 operands", [](O o) { o.program.otherTypes = { "tuple<tensor<4x8xf32>>" }; });
        row("all_gather", "result 0 is tensor<4x16xf32> and should be tensor<3x16xf32>",
            [=](O o) { shape(o, 0)[0] = 3; });
        row("all_gather", "replica_groups has device 0 twice",
            [](O o) { change<CollectiveAttributes>(o, [](auto& a) { a.groups[1][1] = 0; }); });
        row("all_to_all", "split_count of 3",
            [](O o) { change<CollectiveAttributes>(o, [](auto& a) { a.splitCount = 3; }); });
        row("collective_permute", "each device sends and receives once at most",
            [](O o) { change<CollectiveAttributes>(o, [](auto& a) { a.groups[1][1] = 1; }); });
        row("top_k", "the largest 9 of 8 numbers", [](O o) { change<TopKAttributes>(o, [](auto& a) { a.k = 9; }); });
        row("top_k", "whose elements have no order",
            [](O o) { o.program.values[o.operation().operands[0].index].type.dtype = DType::C64; });
        row("unknown", "no call_target_name",
            [](O o) { change<CustomCallAttributes>(o, [](auto& a) { a.target.clear(); }); });
        row("broadcast_add", "which does not spread over tensor<4x8xf32>", [=](O o) { shape(o, 1)[1] = 4; });
    }

    void details()
    {
        QFETCH(QString, name);
        QFETCH(std::function<void(OneOperation&)>, damage);
        QFETCH(QString, expected);
        OneOperation one = sample(name).one;
        damage(one);
        const std::string full = qualifiedName(one.operation());
        const std::vector<Diagnostic> found = verify(one.program);
        QVERIFY2(std::any_of(found.begin(), found.end(),
                     [&](const Diagnostic& d) {
                         return d.text("op") == full && QString::fromStdString(d.text("detail")).contains(expected);
                     }),
            qPrintable(finding(one.program)));
    }

    /// Sizes that only a run knows are taken as they are, tensors without a rank are illegal; a value that is only
    /// handed on keeps its type, whatever that is.
    void whatIsNotKnown()
    {
        for (const SampleOperation& good : sampleOperations()) {
            for (const bool other : { false, true }) {
                OneOperation one = good.one;
                if (one.operation().results.empty())
                    continue;
                TensorType& type = one.program.values[one.operation().results[0].index].type;
                if (type.dtype == DType::Token || opRow(one.operation().kind).name == "tuple"
                    || (!other && type.rank() == 0))
                    continue;
                if (other) {
                    one.program.otherTypes.emplace_back("tensor<*xf32>");
                    type = { DType::Other, {}, static_cast<std::uint32_t>(one.program.otherTypes.size() - 1) };
                } else {
                    type.shape.edit()[0] = dynamicSize;
                }
                const OpRow& row = opRow(one.operation().kind);
                const bool passesThrough = row.anyType && !good.freeResult && row.name != "get_tuple_element";
                const bool isUnranked =
                    other && (row.dialect == OpDialect::StableHlo || row.dialect == OpDialect::Chlo);
                QVERIFY2(finding(one.program).isEmpty() != (isUnranked || (other && passesThrough)),
                    qPrintable(good.name + ": " + finding(one.program)));
            }
        }
    }
};

REGISTER_TEST(TestChecks)
#include "test_checks.moc"
