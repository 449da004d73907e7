// SPDX-License-Identifier: GPL-3.0-or-later
// The test classes of a folder are one program: each file ends with REGISTER_TEST(TestClass) instead of a main
// function, and is run alone by its name, `mesh_tests test_mesh [arguments of Qt Test]`.
#pragma once

#include <QTest>

namespace shardscope::test {

struct RegisteredTest {
    const char* file; ///< its path, __FILE__
    int (*run)(int argc, char** argv);
};

/// Keeps the test for main().
bool registerTest(const RegisteredTest& test);

template <class TestClass>
int runTest(int argc, char** argv)
{
    TestClass test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace shardscope::test

#define REGISTER_TEST(TestClass)                                                                                       \
    [[maybe_unused]] static const bool registered##TestClass =                                                         \
        shardscope::test::registerTest({ __FILE__, &shardscope::test::runTest<TestClass> });
