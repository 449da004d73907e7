// SPDX-License-Identifier: GPL-3.0-or-later
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
    return QString::number(value, 'g', isFloat(dtype) && dtype != DType::F64 ? 9 : 17);
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
    if (check.beyond > 0)
        findings << Words::tr("%1 is %2 on %3, %4 in the reference: %5 apart, at most %6 is right")
                        .arg(element(check, program, check.worstElement), number(check.ours, dtype),
                            device(check.worstDevice), number(check.reference, dtype),
                            QString::number(check.largestError, 'g', 3), QString::number(check.tolerance, 'g', 3));
    if (const auto& copies = check.copiesDiffer)
        findings << Words::tr("%1 is %2 on %3 and %4 on %5, which should hold the same bits")
                        .arg(element(check, program, copies->element), number(copies->value, dtype),
                            device(copies->device), number(copies->otherValue, dtype), device(copies->other));
    return findings;
}

} // namespace shardscope::words
