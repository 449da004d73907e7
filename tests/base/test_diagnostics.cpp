// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <set>

#include "base/codes.h"
#include "base/diagnostics.h"
#include "registered_test.h"

using namespace shardscope;

class TestDiagnostics : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersAreShort()
    {
        const Diagnostic d{ Code::OutOfRange, { { "a", 0.0 }, { "b", 0.1 }, { "c", 1e-8 }, { "d", 1e300 } }, {} };
        QCOMPARE(d.text("a"), "0");
        QCOMPARE(d.text("b"), "0.1");
        QCOMPARE(d.text("c"), "1e-08");
        QCOMPARE(d.text("d"), "1e+300");
    }

    void registryIsConsistent();
    void argumentsByType();
    void nearestName_data();
    void nearestName();
};

void TestDiagnostics::registryIsConsistent()
{
    std::set<Code> codes;
    std::set<std::string_view> ids;
    std::set<std::string_view> kinds;
    for (const CodeRow& row : codeRegistry()) {
        const auto number = static_cast<int>(row.code);
        const bool error = number < 200 || number >= 400;
        const char letter = error ? 'E' : number < 300 ? 'W' : 'I';
        const Severity severity = error ? Severity::Error : number < 300 ? Severity::Warning : Severity::Info;
        QCOMPARE(std::string(row.id), letter + std::to_string(number));
        QCOMPARE(row.severity, severity);
        QVERIFY(number >= 101 && number < 500);
        QVERIFY(!row.kind.empty() && !row.summary.empty());
        QVERIFY2(codes.insert(row.code).second, row.id.data());
        QVERIFY2(ids.insert(row.id).second, row.id.data());
        QVERIFY2(kinds.insert(row.kind).second, row.kind.data());
        QCOMPARE(&codeRow(row.code), &row);
    }
    // The compiler names a code that this switch forgets; each that it names must have a row.
    for (int number = 0; number < 500; ++number) {
        bool known = false;
        switch (static_cast<Code>(number)) {
        case Code::Indivisible:
        case Code::DevicesMismatch:
        case Code::DuplicateDimension:
        case Code::UnknownAxis:
        case Code::AtomSplit:
        case Code::AxisUsedTwice:
        case Code::SpecTooLong:
        case Code::NestedTuple:
        case Code::RuleArity:
        case Code::RulesType:
        case Code::UnmatchedAxis:
        case Code::RuleConflict:
        case Code::UnsupportedDims:
        case Code::DuplicateAxis:
        case Code::InvalidAxisSize:
        case Code::NotALogicalSpec:
        case Code::Syntax:
        case Code::DuplicateKey:
        case Code::WrongType:
        case Code::MissingKey:
        case Code::UnknownValue:
        case Code::OutOfRange:
        case Code::TooLarge:
        case Code::NewerVersion:
        case Code::NotAnExperiment:
        case Code::Unreadable:
        case Code::Unwritable:
        case Code::Usage:
        case Code::UnknownCommand:
        case Code::TypeMismatch:
        case Code::InvalidOperand:
        case Code::InvalidAttribute:
        case Code::UnknownTensor:
        case Code::NotExecutable:
        case Code::OutOfMemory:
        case Code::VersionMismatch:
        case Code::DeviceCountMismatch:
        case Code::NoAxisAssignment:
        case Code::NoContiguousTopology:
        case Code::NoContiguousShape:
        case Code::NeedsOneDevicePerChip:
        case Code::DevicesDoNotFillBox:
        case Code::NotACuboid:
        case Code::MeshShapeNotIntegers:
        case Code::TooFewDevices:
        case Code::AxisNamesLength:
        case Code::MultiSlice:
        case Code::GranuleCountMismatch:
        case Code::MissingGranuleAttribute:
        case Code::SubmeshNotFactor:
        case Code::HostTiling:
        case Code::HostNotFactor:
        case Code::ZMajorNeedsAllCores:
        case Code::SubmeshRank:
        case Code::NoDefaultMesh:
        case Code::GpuPartitions:
        case Code::DcnShapeMismatch:
        case Code::ZeroDivision:
        case Code::DuplicateDevice:
        case Code::OrderShape:
        case Code::NoPartitionsAndNoSubmesh:
        case Code::LocalDevicesNotContiguous:
        case Code::NoLocalDevices:
        case Code::TupleAxisNotSupported:
        case Code::BatchNotDivisibleByDataMesh:
        case Code::BatchNotDivisibleByShards:
        case Code::FailedToMap:
        case Code::UnresolvedAxisSize:
        case Code::RankMismatch:
        case Code::BadReshape:
        case Code::BadAxis:
        case Code::UnknownMemoryKind:
        case Code::TileDevices:
        case Code::DeviceCount:
        case Code::SingleTile:
        case Code::DeviceOutOfRange:
        case Code::DeviceTwice:
        case Code::UnsupportedSharding:
        case Code::NotOnMesh:
        case Code::MissingMesh:
        case Code::MeshMismatch:
        case Code::BadSubAxis:
        case Code::OverlappingAxes:
        case Code::AxisOrder:
        case Code::BadPriority:
        case Code::NonNamedLeaf:
        case Code::OnlyRankOneAndTwo:
        case Code::PermutePairs:
        case Code::GroupsDoNotCover:
        case Code::EmptyMesh:
        case Code::ReplicationNotInferred:
        case Code::SilentlyReplicated:
        case Code::RuleUnused:
        case Code::AxisBusy:
        case Code::NullBlocksRule:
        case Code::TupleLostAxes:
        case Code::ConstraintInactive:
        case Code::FullRematerialise:
        case Code::SlowLinkCollective:
        case Code::OverMemoryLimit:
        case Code::MeshNameInLogicalModel:
        case Code::RuleUnknownAxis:
        case Code::AxisUnused:
        case Code::PipelineAxis:
        case Code::ParallelismWithoutAxis:
        case Code::SubmeshNotFourSizes:
        case Code::PartitionsAndSubmesh:
        case Code::PartitionsMismatch:
        case Code::ChunkTruncated:
        case Code::RulesElsewhere:
        case Code::UnknownKey:
        case Code::CommentsLost:
        case Code::NewerMinorVersion:
        case Code::AttributeMissing:
        case Code::AttributeValue:
        case Code::BadBarrier:
        case Code::BadCollective:
        case Code::BadEdge:
        case Code::BadFactor:
        case Code::BadManualComputation:
        case Code::BadMesh:
        case Code::BadProvenance:
        case Code::BadRule:
        case Code::BadShardingGroup:
        case Code::CollectiveMismatch:
        case Code::ConstantElided:
        case Code::CountMismatch:
        case Code::DefinedTwice:
        case Code::DynamicShape:
        case Code::FunctionDeclared:
        case Code::FurtherPrograms:
        case Code::LocalShape:
        case Code::ManualAxes:
        case Code::MaximalMesh:
        case Code::NoProgram:
        case Code::CompiledProgram:
        case Code::NotComparable:
        case Code::MixedMemoryKinds:
        case Code::UnknownCustomCall:
        case Code::ShardingIgnored:
        case Code::ReplicationUnproven:
        case Code::InitialNotUsed:
        case Code::RunSettingNotUsed:
        case Code::ExplicitMode:
        case Code::OpaqueOperation:
        case Code::OperandType:
        case Code::ProgramNotRun:
        case Code::OwnRandomNumbers:
        case Code::Acknowledged:
        case Code::UnevenArgument:
        case Code::NameWithoutRule:
        case Code::ShardingCount:
        case Code::ShardingGroupConflict:
        case Code::SubAxisDoesNotDivide:
        case Code::TupleSharding:
        case Code::UndefinedName:
        case Code::UnknownMesh:
        case Code::UnreducedAxes:
        case Code::UnknownArchitecture:
        case Code::UnsupportedBlock:
        case Code::ContradictoryFields:
        case Code::FieldLeftOut:
        case Code::UnknownField:
        case Code::UnverifiedArchitecture:
        case Code::SettingWithoutEffect:
        case Code::LargeReplicated:
        case Code::LimitOutOfReach:
        case Code::SizeOneAxis:
            known = true;
            break;
        }
        QCOMPARE(codes.count(static_cast<Code>(number)) == 1, known);
    }
}

void TestDiagnostics::argumentsByType()
{
    const Diagnostic diagnostic{ Code::Indivisible,
        { { "dim", 2 }, { "size", std::size_t{ 10 } }, { "axes", std::vector<std::string>{ "x", "y" } },
            { "share", 0.5 } },
        {} };
    QCOMPARE(diagnostic.number("dim"), std::int64_t{ 2 });
    QCOMPARE(diagnostic.text("size"), std::string("10"));
    QCOMPARE(diagnostic.text("axes"), std::string("x, y"));
    QCOMPARE(diagnostic.list("axes").size(), std::size_t{ 2 });
    QCOMPARE(diagnostic.list("dim"), std::vector<std::string>{ "2" });
    QCOMPARE(diagnostic.number("share"), std::int64_t{ 0 });
    QVERIFY(!diagnostic.arg("absent"));
    QVERIFY(diagnostic.text("absent").empty() && diagnostic.list("absent").empty());
    QCOMPARE(diagnostic.number("absent"), std::int64_t{ 0 });
    QCOMPARE(diagnostic.id(), std::string_view("E101"));
    QCOMPARE(diagnostic.severity(), Severity::Error);
}

void TestDiagnostics::nearestName_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("nearest");
    QTest::newRow("the name itself") << "model"
                                     << "model";
    QTest::newRow("one letter wrong") << "modle"
                                      << "model";
    QTest::newRow("one letter missing") << "dat"
                                        << "data";
    QTest::newRow("case") << "Model"
                          << "model";
    QTest::newRow("case alone, before a slip") << "adamW"
                                               << "adamw";
    QTest::newRow("something else") << "sequence"
                                    << "";
    QTest::newRow("nothing") << ""
                             << "";
    QTest::newRow("a slip in a long name") << "learning_raet"
                                           << "learning_rate";
    QTest::newRow("how a long name begins") << "maxtext-bas"
                                            << "maxtext-base";
    QTest::newRow("the shortest that begins so") << "le"
                                                 << "lens";
    QTest::newRow("one letter begins nothing") << "l"
                                               << "";
    QTest::newRow("a slip in a short name") << "dota"
                                            << "data";
    QTest::newRow("neighbours of a short name swapped") << "dtaa"
                                                        << "data";
    QTest::newRow("two slips make a short name another one") << "dote"
                                                             << "";
    QTest::newRow("a letter is like no other") << "y"
                                               << "";
}

void TestDiagnostics::nearestName()
{
    QFETCH(QString, name);
    QFETCH(QString, nearest);
    const std::vector<std::string> known{ "data", "model", "learning_rate", "lens", "x", "maxtext-rl", "maxtext-base",
        "adam", "adamw" };
    QCOMPARE(QString::fromStdString(shardscope::nearestName(name.toStdString(), known)), nearest);
    QCOMPARE(shardscope::nearestName(name.toStdString(), {}), std::string());
}

REGISTER_TEST(TestDiagnostics)
#include "test_diagnostics.moc"
