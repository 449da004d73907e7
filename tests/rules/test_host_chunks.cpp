// SPDX-License-Identifier: GPL-3.0-or-later
// The chunks of all hosts at once, against the chunker of each.
#include <QtTest>

#include "base/codes.h"
#include "registered_test.h"
#include "rules/host_chunks.h"

using namespace shardscope;

class TestHostChunks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asOneByOne();
    void whatIsTruncated();
    void manyHosts();
    void refuses();
};

namespace {

PartitionSpec specOf(std::vector<std::string> axes)
{
    PartitionSpec spec;
    for (std::string& axis : axes)
        spec.entries.push_back(axis.empty() ? SpecEntry::none() : SpecEntry::axis(std::move(axis)));
    return spec;
}

} // namespace

void TestHostChunks::asOneByOne()
{
    const std::vector<std::int64_t> shape{ 17, 9, 4 };
    const Mesh plain = *Mesh::create({ { "x", 4 }, { "y", 3 }, { "z", 2 } });
    std::vector<std::int32_t> transposed;
    for (std::int32_t position = 0; position < 24; ++position)
        transposed.push_back(position % 6 * 4 + position / 6);
    const Mesh other = *Mesh::create({ { "x", 4 }, { "y", 3 }, { "z", 2 } }, transposed);
    int right = 0;
    int wrong = 0;
    for (const Mesh& mesh : { plain, other })
        for (const std::int64_t hosts : { 1, 2, 3, 4, 6, 8, 12, 24 })
            for (const PartitionSpec& spec : { specOf({ "x", "y", "z" }), specOf({ "", "x" }), specOf({ "z" }) }) {
                std::vector<std::int32_t> hostAt;
                for (std::int64_t position = 0; position < 24; ++position)
                    hostAt.push_back(static_cast<std::int32_t>(mesh.deviceAt(position) / (24 / hosts)));
                const Result<HostChunks> all = hostChunks(mesh, hosts, shape, spec);
                for (std::int32_t host = 0; host < hosts; ++host) {
                    const Result<LocalChunker> one = LocalChunker::create(mesh, hostAt, host);
                    if (!one) {
                        QVERIFY(!all.has_value());
                        QCOMPARE(all.error().code, one.error().code);
                        ++wrong;
                        break;
                    }
                    if (!all.has_value())
                        continue; // another host is in parts
                    const HostChunk& chunk = all->hosts.at(static_cast<std::size_t>(host));
                    QCOMPARE(chunk.host, host);
                    QVERIFY(chunk.chunk == *one->chunk(shape, spec));
                    ++right;
                }
            }
    QVERIFY(right > 100 && wrong > 0);
}

void TestHostChunks::whatIsTruncated()
{
    const Mesh mesh = *Mesh::create({ { "data", 8 }, { "model", 2 } });
    const std::vector<std::int64_t> shape{ 3, 7 };
    const Result<HostChunks> chunks = hostChunks(mesh, 8, shape, specOf({ "data", "model" }));
    QVERIFY(chunks.has_value());
    QCOMPARE(chunks->truncated.size(), 1U); // each host has both halves of the other dimension
    const Diagnostic& data = chunks->truncated.front();
    QCOMPARE(data.code, Code::ChunkTruncated);
    QCOMPARE(data.number("dim"), 0);
    QCOMPARE(data.number("chunks"), 8); // and not those of a slice without elements
    QCOMPARE(data.number("uncovered"), 3);
}

void TestHostChunks::manyHosts()
{
    const Mesh mesh = *Mesh::create({ { "x", 65'536 } });
    const std::vector<std::int64_t> shape{ 65'536 };
    const Result<HostChunks> chunks = hostChunks(mesh, 65'536, shape, specOf({ "x" }));
    QVERIFY(chunks.has_value());
    QCOMPARE(chunks->hosts.size(), 65'536U);
    QVERIFY((chunks->hosts.back().chunk.slice.front() == IndexRange{ 65'535, 65'536 }));
}

void TestHostChunks::refuses()
{
    const std::vector<std::int64_t> shape{ 8 };
    const auto code = [&](const Mesh& mesh, std::int64_t hosts, const PartitionSpec& spec) {
        return hostChunks(mesh, hosts, shape, spec).error().code;
    };
    const Mesh mesh = *Mesh::create({ { "x", 4 } });
    QCOMPARE(code(mesh, 3, specOf({ "x" })), Code::DevicesMismatch);
    QCOMPARE(code(mesh, 0, specOf({ "x" })), Code::DevicesMismatch);
    QCOMPARE(code(mesh, 2, specOf({ "y" })), Code::UnknownAxis);
    QCOMPARE(code(*Mesh::create({ { "x", 4 } }, { 0, 2, 1, 3 }), 2, specOf({ "x" })), Code::LocalDevicesNotContiguous);
    QCOMPARE(code(*Mesh::createOver({ { "x", 4 } }, { 4, 5, 6, 7 }), 2, specOf({ "x" })), Code::OutOfRange);
}

REGISTER_TEST(TestHostChunks)
#include "test_host_chunks.moc"
