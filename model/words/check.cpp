// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLocale>
#include <cmath>

#include "simulate/check/check.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

/// "grad(params/layers.0/W1)[3, 17]"
QString element(const ValueCheck& check, const Program& program, std::int64_t rowMajor)
{
    Shape index = program.value(check.value).type.shape;
    for (std::size_t d = index.size(); d-- > 0;) {
        const std::int64_t extent = index[d];
        index[d] = rowMajor % extent;
        rowMajor /= extent;
    }
    const QString path = fromStd(check.path);
    return index.empty() ? path : path + shape(index);
}

/// With as many digits as the element type tells apart.
QString number(double value, DType dtype)
{
    return QString::number(value, 'g', dtype == DType::F64 ? 17 : 9);
}

QString device(std::int32_t id)
{
    return devices({ &id, 1 });
}

} // namespace

QStringList checkFindings(const ValueCheck& check, const Program& program)
{
    QStringList findings;
    const DType dtype = program.value(check.value).type.dtype;
    if (!check.held)
        findings << Words::tr("%1: the devices do not hold it, so it cannot be compared").arg(fromStd(check.path));
    if (!check.withinTolerance)
        findings << Words::tr("%1 is %2 on %3, %4 in the reference: %5 apart, at most %6 is right")
                        .arg(element(check, program, check.worstElement), number(check.ours, dtype),
                            device(check.worstDevice), number(check.reference, dtype),
                            QString::number(check.largestError(), 'g', 3), QString::number(check.tolerance, 'g', 3));
    if (const auto& copies = check.copiesDiffer)
        findings << Words::tr("%1 is %2 on %3 and %4 on %5, which should hold the same bits")
                        .arg(element(check, program, copies->element), number(copies->value, dtype),
                            device(copies->device), number(copies->otherValue, dtype), device(copies->other));
    return findings;
}

QString endToEndSummary(const CheckReport& report)
{
    const EndToEnd& agreement = report.endToEnd;
    if (agreement.parameters == 0)
        return {};
    // Rounded down: 100 % means all.
    const double percent =
        std::floor(1000.0 * static_cast<double>(agreement.agree) / static_cast<double>(agreement.parameters)) / 10;
    QString text =
        Words::tr("From end to end %1 % of %2 new parameters agree too, and gradients to %3 of their largest element.")
            .arg(QLocale().toString(percent, 'f', percent == 100 ? 0 : 1), count(agreement.parameters),
                QString::number(agreement.gradientDifference, 'g', 2));
    if (const Decided& decided = report.decided; decided.parameters > 0)
        text += QLatin1Char(' ')
            + Words::tr("Of %1 whose gradient is larger than its rounding can be, %2 differ by more than 1e-5 and what "
                        "that rounding explains.")
                  .arg(count(decided.parameters), count(decided.unexplained));
    return text;
}

} // namespace shardscope::words
