// SPDX-License-Identifier: GPL-3.0-or-later
// The main function of all test programs: runs the test named first, or all of them.
#ifdef QT_WIDGETS_LIB
#include <QApplication>
using Application = QApplication;
#else
#include <QCoreApplication>
using Application = QCoreApplication;
#endif

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <vector>

#include "registered_test.h"

namespace shardscope::test {

namespace {

std::vector<RegisteredTest>& registeredTests()
{
    static std::vector<RegisteredTest> tests;
    return tests;
}

} // namespace

bool registerTest(const RegisteredTest& test)
{
    registeredTests().push_back(test);
    return true;
}

} // namespace shardscope::test

int main(int argc, char** argv)
{
    using namespace shardscope::test;
    std::vector<char*> arguments(argv, argv + argc);
    std::vector<RegisteredTest> tests = registeredTests();
    std::ranges::sort(tests, {}, [](const RegisteredTest& test) { return std::string_view(test.file); });
    if (argc > 1 && argv[1][0] != '-') {
        const std::string_view wanted = argv[1];
        std::erase_if(
            tests, [&](const RegisteredTest& test) { return std::filesystem::path(test.file).stem() != wanted; });
        arguments.erase(arguments.begin() + 1);
        if (tests.empty()) {
            std::fprintf(stderr, "This program has no test %s. It has:\n", argv[1]);
            for (const RegisteredTest& test : registeredTests())
                std::fprintf(stderr, "  %s\n", std::filesystem::path(test.file).stem().c_str());
            return 2;
        }
    }
    Application::setAttribute(Qt::AA_Use96Dpi); // as Qt Test's own main functions do
    Application application(argc, argv);
    int failed = 0;
    for (const RegisteredTest& test : tests)
        failed += test.run(static_cast<int>(arguments.size()), arguments.data());
    return failed > 255 ? 255 : failed;
}
