// SPDX-License-Identifier: GPL-3.0-or-later
// Trees of named arrays on a mesh.
#include <QtTest>

#include "base/codes.h"
#include "registered_test.h"
#include "sharding/generators.h"
#include "sharding/named_arrays.h"
#include "sharding/text.h"

using namespace shardscope;

class TestNamedArrays : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void notebook();
    void namesOfTheMesh();
    void positionalDimensions();
    void views();
    void errors();
    void randomTrees();
};

namespace {

MeshPtr namedMesh(std::vector<MeshAxis> axes)
{
    return std::make_shared<const Mesh>(*Mesh::create(std::move(axes)));
}

/// The tree of the notebook.
ArrayTree notebookTree()
{
    return { { "one", NamedArray{ { { "a", 4 }, { "b", 8 }, { "c", 6 } }, {} } },
        { "three", NamedArray{ { { "b", 4 }, { "d", 12 } }, {} } }, { "two", NamedArray{ { { "a", 8 } }, {} } } };
}

std::string specs(const std::vector<LeafSharding>& leaves)
{
    std::string text;
    for (const LeafSharding& leaf : leaves)
        text += leaf.path + ": " + (leaf.sharding ? toJax(leaf.sharding->spec) : "-") + "\n";
    return text;
}

} // namespace

void TestNamedArrays::notebook()
{
    const NameToMesh mapping{ { "a", SpecEntry::axis("bar") }, { "b", SpecEntry::axis("foo") } };
    const auto leaves = *nameToNameSharding(notebookTree(), namedMesh({ { "foo", 4 }, { "bar", 2 } }), mapping);
    QCOMPARE(specs(leaves), std::string("one: P('bar', 'foo', None)\nthree: P('foo', None)\ntwo: P('bar')\n"));
    QCOMPARE(leaves[0].layout()->shardShape(), (Shape{ 2, 2, 6 }));
    QCOMPARE(leaves[1].layout()->shardShape(), (Shape{ 1, 12 }));
    QCOMPARE(leaves[2].layout()->copies(), std::int64_t{ 4 });
}

void TestNamedArrays::namesOfTheMesh()
{
    const MeshPtr mesh = namedMesh({ { "b", 4 }, { "a", 2 } });
    QCOMPARE(specs(*nameToNameSharding(notebookTree(), mesh, std::nullopt)),
        std::string("one: P('a', 'b', None)\nthree: P('b', None)\ntwo: P('a')\n"));
    // No mapping is not an empty one.
    QCOMPARE(specs(*nameToNameSharding(notebookTree(), mesh, NameToMesh())),
        std::string("one: P(None, None, None)\nthree: P(None, None)\ntwo: P(None)\n"));
}

void TestNamedArrays::positionalDimensions()
{
    const MeshPtr mesh = namedMesh({ { "foo", 4 }, { "bar", 2 } });
    const ArrayTree tree{ { "w", NamedArray{ { { "a", 8 } }, Shape{ 4 } } } };
    const auto leaves = *nameToNameSharding(tree, mesh, NameToMesh{ { "a", SpecEntry::axis("foo") } });
    QCOMPARE(leaves[0].dataShape, (Shape{ 4, 8 }));
    QCOMPARE(toJax(leaves[0].sharding->spec), std::string("P('foo')")); // lands on the positional dimension
    QVERIFY(leaves[0].intended.has_value());
    QCOMPARE(toJax(leaves[0].intended->spec), std::string("P(None, 'foo')"));
    QCOMPARE(leaves[0].layout()->shardShape(), (Shape{ 1, 8 }));
    // Where nothing is cut there is no difference.
    QVERIFY(!(*nameToNameSharding(tree, mesh, NameToMesh()))[0].intended.has_value());
}

void TestNamedArrays::views()
{
    const MeshPtr mesh = namedMesh({ { "foo", 4 }, { "bar", 2 } });
    const NameToMesh mapping{ { "a", SpecEntry::tuple({ "bar", "foo" }) } };
    const ArrayTree tree{ { "v", NamedArrayView{ Shape{ 4, 8, 3 }, { { "a", 1 } }, { 2, 0 } } } };
    const auto leaves = *nameToNameSharding(tree, mesh, mapping);
    QCOMPARE(toJax(leaves[0].sharding->spec), std::string("P(None, ('bar', 'foo'), None)"));
    QVERIFY(!leaves[0].intended.has_value());
    for (const NamedArrayView& wrong : { NamedArrayView{ Shape{ 4, 8 }, { { "a", 1 } }, {} },
             NamedArrayView{ Shape{ 4 }, { { "a", 1 } }, {} }, NamedArrayView{ Shape{ 4 }, { { "a", 0 } }, { 0 } } }) {
        const auto failed = nameToNameSharding({ { "v", wrong } }, mesh, mapping);
        QVERIFY(!failed && failed.error().code == Code::InvalidAttribute);
    }
}

void TestNamedArrays::errors()
{
    const MeshPtr mesh = namedMesh({ { "foo", 4 }, { "bar", 2 } });
    const ArrayTree tree{ { "p", PlainArray{ Shape{ 4 } } }, { "w", NamedArray{ { { "a", 6 }, { "b", 8 } }, {} } } };
    const auto codeOf = [&](const NameToMesh& mapping, bool ignore) {
        const auto leaves = nameToNameSharding(tree, mesh, mapping, ignore);
        return leaves ? std::string() : std::string(leaves.error().kind()) + " " + leaves.error().where.path;
    };
    const SpecEntry foo = SpecEntry::axis("foo");
    QCOMPARE(codeOf({ { "a", foo } }, false), std::string("non_named_leaf p"));
    QCOMPARE(codeOf({ { "a", foo }, { "b", foo } }, true), std::string("axis_used_twice w"));
    QCOMPARE(codeOf({ { "a", SpecEntry::axis("nope") } }, true), std::string("unknown_axis w"));
    QCOMPARE(codeOf({ { "unused", SpecEntry::axis("nope") } }, true), std::string());
    // 6 does not divide by 4: that matters once the array is put there.
    const auto leaves = *nameToNameSharding(tree, mesh, NameToMesh{ { "a", foo } }, true);
    QVERIFY(!leaves[0].sharding && !leaves[0].layout());
    QVERIFY(leaves[1].sharding && leaves[1].layout().error().code == Code::Indivisible);
}

void TestNamedArrays::randomTrees()
{
    QVERIFY(generators::holds("every name is cut as its mapping says, wherever it stands", [] {
        const MeshPtr mesh = generators::mesh();
        // Mesh axes are dealt to names, so that no leaf uses one twice.
        NameToMesh mapping;
        for (const AxisRef& ref : generators::shuffledRefs(*mesh, false)) {
            const std::string name(1, static_cast<char>('p' + *rc::gen::inRange(0, 5)));
            SpecEntry& entry = mapping[name];
            entry.kind = SpecEntry::Kind::Tuple;
            entry.axes.push_back(mesh->axis(static_cast<std::size_t>(ref.axis)).name);
        }
        ArrayTree tree;
        for (int leaf = *rc::gen::inRange(0, 4); leaf > 0; --leaf) {
            std::vector<std::string> names{ "p", "q", "r", "s" };
            std::shuffle(names.begin(), names.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
            names.resize(*rc::gen::inRange<std::size_t>(0, 5));
            NamedArrayView view;
            view.dataShape = Shape(names.size() + *rc::gen::inRange<std::size_t>(0, 3), 1);
            std::vector<std::size_t> dimensions(view.dataShape.size());
            std::iota(dimensions.begin(), dimensions.end(), std::size_t{ 0 });
            std::shuffle(dimensions.begin(), dimensions.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
            for (std::size_t i = 0; i < dimensions.size(); ++i) {
                view.dataShape[dimensions[i]] = 20736 * *rc::gen::inRange(1, 4);
                if (i < names.size())
                    view.dimensionOfName[names[i]] = dimensions[i];
                else
                    view.dimensionOfPosition.push_back(dimensions[i]);
            }
            tree.push_back({ std::string(1, static_cast<char>('a' + leaf)), view });
        }
        const auto leaves = *nameToNameSharding(tree, mesh, mapping);
        RC_ASSERT(leaves.size() == tree.size());
        for (std::size_t i = 0; i < tree.size(); ++i) {
            const auto& view = std::get<NamedArrayView>(tree[i].array);
            const Result<Layout> layout = leaves[i].layout();
            RC_ASSERT(layout.has_value());
            Shape expected = view.dataShape;
            for (const auto& [name, dimension] : view.dimensionOfName)
                for (const std::string& axis : mapping.count(name) ? mapping[name].axes : std::vector<std::string>())
                    expected[dimension] /= mesh->size(*mesh->axisIndex(axis));
            RC_ASSERT(layout->shardShape() == expected);
        }
    }));
}

REGISTER_TEST(TestNamedArrays)
#include "test_named_arrays.moc"
