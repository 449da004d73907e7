// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs with several meshes, with Shardy's collectives in manual computations, with composites and with
// partial sums: every device holds its part of what the reference computes, bit by bit.
#include <QtTest>

#include <iostream>
#include <map>

#include "random_cases.h"
#include "registered_test.h"
#include "simulate/random_run.h"
#include "simulate/unusual_sums.h"

using namespace shardscope;
using test::Ran;
using test::stagesOf;

class TestRandomUnusual : public QObject {
    Q_OBJECT

private:
    static void textsAgree(std::string (*text)(std::uint64_t), const std::vector<OpKind>& wanted)
    {
        const auto programs = test::randomCases(std::uint64_t{ 1000 });
        std::map<OpKind, int> kinds;
        int sharded = 0;
        for (std::uint64_t seed = 0; seed < programs; ++seed) {
            const Ran ran = test::run(text(seed), seed);
            VERIFY_RUN(ran, seed, test::compareWithReference(ran));
            for (const Operation& operation : ran.parts->device.program.operations)
                ++kinds[operation.kind];
            for (const Operation& operation : ran.program.operations)
                ++kinds[operation.kind];
            for (const ShardedArray& output : ran.parts->device.outputs)
                sharded += output.sharding.isFullyReplicated() ? 0 : 1;
        }
        // They are worth something: what they are about is in them, and results are sharded.
        for (const OpKind kind : wanted)
            QVERIFY2(kinds[kind] > static_cast<int>(programs) / 20 || !test::triesAllRandomCases(),
                qPrintable(QStringLiteral("%1 of kind %2").arg(kinds[kind]).arg(static_cast<int>(kind))));
        QVERIFY2(sharded > static_cast<int>(programs) / 3, qPrintable(QString::number(sharded)));
    }

private Q_SLOTS:
    void severalMeshes()
    {
        textsAgree(unusual_texts::severalMeshes,
            { OpKind::CollectivePermute, OpKind::AllGather, OpKind::AllToAll, OpKind::ShardingConstraint });
    }
    void manualCollectives()
    {
        textsAgree(unusual_texts::manualCollectives,
            { OpKind::SdyAllSlice, OpKind::SdyAllGather, OpKind::SdyAllToAll, OpKind::SdyCollectivePermute,
                OpKind::AllGather, OpKind::AllToAll, OpKind::CollectivePermute });
    }
    void composites() { textsAgree(unusual_texts::composites, { OpKind::Composite, OpKind::Call, OpKind::AllGather }); }
    void partialSums()
    {
        textsAgree(unusual_texts::partialSums,
            { OpKind::Dot, OpKind::Gather, OpKind::Scatter, OpKind::Convolution, OpKind::SdyAllReduce,
                OpKind::SdyReduceScatter, OpKind::AllReduce, OpKind::ReduceScatter });
    }
};

REGISTER_TEST(TestRandomUnusual)
#include "test_random_unusual.moc"
