// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/example_numbers.h"

#include <QStringList>
#include <algorithm>

#include "analysis/initial_setting.h"
#include "pipeline/stage_results.h"
#include "simulate/check/compare.h"
#include "simulate/run/execute.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

constexpr std::int64_t maxMemory = std::int64_t{ 256 } << 20;
constexpr std::int64_t shownElements = 4;

QString numberText(const kernels::Array& array, std::int64_t index)
{
    return QString::number(kernels::numberAt(array, index), 'g', 5);
}

bool isShown(const kernels::Array& array)
{
    return isTensor(array.type.dtype) && !isComplex(array.type.dtype) && array.count() > 0 && array.bytes != nullptr;
}

bool areComparable(const ExampleNumbers& a, const ExampleNumbers& b)
{
    return a.inputs == b.inputs
        && std::equal(a.results.begin(), a.results.end(), b.results.begin(), b.results.end(),
            [](const kernels::Array& x, const kernels::Array& y) {
                return x.type == y.type && isShown(x) && isShown(y);
            });
}

} // namespace

std::optional<ExampleNumbers> exampleNumbers(const Snapshot& snapshot, const std::stop_token& stop)
{
    RunOptions options;
    options.initial = initialValuesOf(snapshot);
    // The same for programs that compute the same in other ways: floats from -1 to 1, whatever they are for.
    options.initial.chosen = { { "**", parseInitialValue("uniform -1 1").value() } };
    options.memoryLimit = maxMemory;
    options.stop = stop;
    const auto plan = plannedProgram(snapshot);
    const auto run = plan ? Run::create(*plan, options) : Result<std::unique_ptr<Run>>();
    if (!run || !*run)
        return std::nullopt;
    (*run)->step();
    if ((*run)->stopped() || (*run)->failure())
        return std::nullopt;
    ExampleNumbers numbers;
    for (const ShardedArray& input : (*plan)->program->inputs)
        numbers.inputs.push_back(input.type);
    numbers.results = resultsOf(**run).outputs;
    return numbers;
}

QString numbersText(const ExampleNumbers& numbers)
{
    if (numbers.results.empty() || !isShown(numbers.results.front()))
        return {};
    const kernels::Array& first = numbers.results.front();
    QStringList shown;
    for (std::int64_t i = 0; i < std::min(first.count(), shownElements); ++i)
        shown << numberText(first, i);
    const QString list = shown.join(QStringLiteral(", "));
    return first.count() > shownElements
        ? Words::tr("Result on the devices: %1, … (%2)").arg(list, words::counted(first.count(), words::Noun::Element))
        : Words::tr("Result on the devices: %1").arg(list);
}

QString agreementText(const std::vector<ExampleNumbers>& all)
{
    double largest = 0;
    qint64 sameNumbers = 0, notFinite = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (!areComparable(all.front(), all[i]))
            return {};
        for (std::size_t r = 0; r < all[i].results.size(); ++r) {
            const kernels::Array& wanted = all.front().results[r];
            const kernels::Array& found = all[i].results[r];
            const ArrayComparison compared = compareWithReference(found, wanted);
            if (!compared.passed())
                return Words::tr("On the same inputs number %1 gives other numbers than the first: %2 and %3 for "
                                 "element %4 of result %5.")
                    .arg(words::count(static_cast<qint64>(i) + 1), numberText(found, compared.first),
                        numberText(wanted, compared.first), words::count(compared.first),
                        words::count(static_cast<qint64>(r)));
            largest = std::max(largest, compared.largestError);
            sameNumbers += compared.compared;
            notFinite += compared.notFinite;
        }
    }
    if (all.size() < 2)
        return {};
    if (sameNumbers == 0 && notFinite > 0)
        return Words::tr("On the same inputs all give NaN or infinity alone, so that nothing can be compared.");
    return largest == 0 ? Words::tr("On the same inputs all give the same numbers, bit by bit.")
                        : Words::tr("On the same inputs all give the same numbers, up to roundings of %1 at most.")
                              .arg(QString::number(largest, 'g', 2));
}

} // namespace shardscope::words
