// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of arrays alone.
#include <QtTest>

#include "base/codes.h"
#include "networks/arrays.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

NamedArraySetting array(std::string path, std::vector<std::string> names, Shape shape)
{
    NamedArraySetting setting{ std::move(path), {}, std::move(shape) };
    for (std::string& name : names)
        setting.names.push_back(name.empty() ? LogicalName::none() : LogicalName::of(std::move(name)));
    return setting;
}

} // namespace

class TestArrays : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyArrayIsAnArgument()
    {
        const auto program =
            buildArrays({ array("activations", { "batch", "", "features" }, { 8, 16, 32 }), array("b", {}, {}) });
        QVERIFY(program.has_value());
        QVERIFY(verify(*program).empty());
        QVERIFY(program->operations.empty());
        QCOMPARE(program->main().arguments.size(), std::size_t{ 2 });
        const Value& value = program->value(program->find("activations"));
        QCOMPARE(value.role, Role::Input); // it has a dimension "batch"
        QCOMPARE(program->value(program->find("b")).role, Role::Parameter);
        QVERIFY((value.type.shape == Shape{ 8, 16, 32 }));
        QCOMPARE(value.dimNames, (std::vector<std::string>{ "batch", "", "features" }));
        const LogicalNames names{ LogicalName::of("batch"), LogicalName::none(), LogicalName::of("features") };
        QVERIFY(program->argumentAnnotations[0] == Annotation(LogicalAxes{ names }));
        QVERIFY(buildArrays({}).has_value());
    }

    void refused()
    {
        const auto refusal = [](std::vector<NamedArraySetting> arrays) { return buildArrays(arrays).error(); };
        const Diagnostic arity = refusal({ array("a", { "batch" }, { 2, 3 }) });
        QCOMPARE(arity.code, Code::InvalidAttribute);
        QCOMPARE(arity.where.path, std::string("a"));
        QCOMPARE(refusal({ array("a", {}, {}), array("a", {}, {}) }).code, Code::InvalidAttribute);
        QCOMPARE(refusal({ array("a", { "x" }, { -1 }) }).code, Code::InvalidAttribute);
        constexpr std::int64_t huge = std::int64_t{ 1 } << 62;
        const Diagnostic size = refusal({ array("a", { "x", "y" }, { huge, huge }) });
        QCOMPARE(size.code, Code::TooLarge);
        QCOMPARE(size.where.path, std::string("a"));
        QCOMPARE(refusal({ array("a", { "x" }, { huge / 4 }), array("b", { "x" }, { 1 }) }).code, Code::TooLarge);
    }
};

REGISTER_TEST(TestArrays)
#include "test_arrays.moc"
