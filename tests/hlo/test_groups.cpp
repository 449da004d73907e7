// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of devices in all forms in which HLO text has them.
#include <QtTest>

#include "hlo/groups.h"
#include "hlo/reading_hlo.h"
#include "registered_test.h"

using namespace shardscope;
using test::shown;

namespace {

using Groups = std::vector<std::vector<std::int32_t>>;

/// A module around the text of groups, which begins at 1:1.
HloModule around(const std::string& text)
{
    HloModule module;
    module.text = text;
    return module;
}

Result<HloGroups> groupsIn(const std::string& text)
{
    return readGroups(around(text), { 0, static_cast<std::uint32_t>(text.size()) });
}

} // namespace

class TestGroups : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void forms_data();
    void forms();
    void errors_data();
    void errors();
    void pairs();
};

void TestGroups::forms_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("form");
    QTest::addColumn<Groups>("groups");
    using Form = HloGroups::Form;
    const auto add = [](const char* text, Form form, const Groups& groups) {
        QTest::newRow(text) << QString::fromLatin1(text) << static_cast<int>(form) << groups;
    };
    add("{{0,1},{2,3}}", Form::List, { { 0, 1 }, { 2, 3 } });
    add("{{3,1},{2}}", Form::List, { { 3, 1 }, { 2 } });
    add("{}", Form::All, { { 0, 1, 2, 3 } });
    add("[2,4]<=[8]", Form::Iota, { { 0, 1, 2, 3 }, { 4, 5, 6, 7 } });
    add("[4,2]<=[2,4]T(1,0)", Form::Iota, { { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } });
    // 2 x 2 x 3 with the axes (1, 0, 2): device a * 6 + b * 3 + c in the order of b, a, c
    add("[2,6]<=[2,2,3]T(1,0,2)", Form::Iota, { { 0, 1, 2, 6, 7, 8 }, { 3, 4, 5, 9, 10, 11 } });
    add("mesh['x'=2,'y'=4] {'x'}", Form::Mesh, { { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } });
    add("mesh['x'=2,'y'=4] {'y'}", Form::Mesh, { { 0, 1, 2, 3 }, { 4, 5, 6, 7 } });
    add("mesh['x'=2,'y'=4]{'y':(1)2}", Form::Mesh, { { 0, 2 }, { 1, 3 }, { 4, 6 }, { 5, 7 } });
    add("mesh['x'=2,'y'=4] {'y':(2)2}", Form::Mesh, { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 } });
    add("mesh['x'=2,'y'=2] {'y', 'x'}", Form::Mesh, { { 0, 2, 1, 3 } });
    add("mesh['x'=2,'one'=1] {'x'}", Form::Mesh, { { 0, 1 } });
    add("mesh['x'=2] {}", Form::Mesh, { { 0 }, { 1 } });
}

void TestGroups::forms()
{
    QFETCH(QString, text);
    QFETCH(int, form);
    QFETCH(Groups, groups);
    const Result<HloGroups> read = groupsIn(text.toStdString());
    QCOMPARE(shown(read), QString());
    QCOMPARE(static_cast<int>(read->form), form);
    QCOMPARE(read->expanded(4), groups);
    std::int32_t end = 0;
    std::size_t largest = 0;
    for (const std::vector<std::int32_t>& group : groups) {
        largest = std::max(largest, group.size());
        for (const std::int32_t device : group)
            end = std::max(end, device + 1);
    }
    if (read->form == HloGroups::Form::All)
        return;
    QCOMPARE(read->count(), static_cast<std::int64_t>(groups.size()));
    QCOMPARE(read->size(), static_cast<std::int64_t>(largest));
    QCOMPARE(read->deviceEnd(), end);
}

void TestGroups::errors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("stated");
    const auto add = [](const char* text, const char* stated) {
        QTest::newRow(text) << QString::fromLatin1(text) << QString::fromUtf8(stated);
    };
    add("{{0,1},{1}}", "E409 1:9 device=1 what=groups");
    add("{{0,1}", "E120 1:7 expected=“}”");
    add("{{0,-1}}", "E125 1:5 key=device value=-1");
    add("{{0,1}} x", "E120 1:9 expected=the end of the groups");
    add("[8]<=[8]", "E120 1:1 expected=the number of groups and that of their members");
    add("[2,4]<=[9]", "E405 1:1");
    add("[2,4]<=[2,4]T(0,0)", "E403 1:1");
    add("[2,4]<=[2,4]T(0)", "E403 1:1");
    add("[2,99999999]<=[199999998]", "E126 1:1");
    add("[2,0]<=[0]", "E125 1:1");
    add("mesh['x'=2] {'y'}", "E104 1:14 axis=y");
    add("mesh['x'=2] {'x','x'}", "E106 1:1");
    add("mesh['x'=4] {'x':(3)2}", "E120 1:14 expected=a part of the axis");
    add("mesh['x'=0] {'x'}", "E125 1:10 key=size");
    add("mesh['x'=2]", "E120 1:12 expected=“{”");
}

void TestGroups::errors()
{
    QFETCH(QString, text);
    QFETCH(QString, stated);
    const Result<HloGroups> read = groupsIn(text.toStdString());
    QVERIFY(!read);
    QCOMPARE(shown(read).left(stated.size()), stated);
}

void TestGroups::pairs()
{
    const auto pairsIn = [](const std::string& text) {
        return readPairs(around(text), { 0, static_cast<std::uint32_t>(text.size()) });
    };
    const auto read = pairsIn("{{0,1},{1,2}, {2,0}}");
    QCOMPARE(shown(read), QString());
    QCOMPARE(*read, (std::vector<std::pair<std::int32_t, std::int32_t>>{ { 0, 1 }, { 1, 2 }, { 2, 0 } }));
    QVERIFY(pairsIn("{}")->empty());
    QCOMPARE(shown(pairsIn("{{0,1},{0,2}}")), QStringLiteral("E409 1:8 device=0 what=pairs"));
    QCOMPARE(shown(pairsIn("{{0,1},{2,1}}")), QStringLiteral("E409 1:8 device=1 what=pairs"));
    QCOMPARE(shown(pairsIn("{{0}}")).left(8), QStringLiteral("E120 1:4"));
}

REGISTER_TEST(TestGroups)
#include "test_groups.moc"
