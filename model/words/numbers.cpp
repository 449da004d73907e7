// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words.h.
#include "words/words.h"

#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pipeline/collective_list.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

const QChar thinSpace(0x2009);
const QChar timesSign(0x00d7);
const QChar enDash(0x2013);

/// Three significant digits, at most one decimal from 10 on, no trailing zeros.
QString threeDigits(double value)
{
    const double magnitude = std::abs(value);
    const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    QLocale locale;
    QString text = locale.toString(value, 'f', decimals);
    if (decimals > 0) {
        while (text.endsWith(locale.zeroDigit()))
            text.chop(1);
        if (text.endsWith(locale.decimalPoint()))
            text.chop(locale.decimalPoint().size());
    }
    return text;
}

constexpr std::array byteUnits{ "B", "KiB", "MiB", "GiB", "TiB", "PiB" };

/// The unit in which the number is below 1,024 as it is printed: 1,048,575 bytes are 1 MiB, not 1,024 KiB.
std::size_t byteUnit(double value)
{
    std::size_t unit = 0;
    for (double v = std::abs(value); v >= 1023.5 && unit + 1 < byteUnits.size(); v /= 1024)
        ++unit;
    return unit;
}

/// In seconds: that of µs below 1 ms, of ms below 10 s, as the number is printed.
double timeUnit(double value)
{
    const double magnitude = std::abs(value);
    return magnitude < 0.9995e-3 ? 1e-6 : magnitude < 9.9995 ? 1e-3 : 1;
}

QString timeText(double value, double unit)
{
    const QString number = threeDigits(value / unit);
    return unit == 1  ? Words::tr("%1 s").arg(number)
        : unit < 1e-4 ? Words::tr("%1 µs").arg(number)
                      : Words::tr("%1 ms").arg(number);
}

} // namespace

QString bytes(double value)
{
    const std::size_t unit = byteUnit(value);
    return Words::tr("%1 %2", "number and unit of bytes")
        .arg(threeDigits(value / std::pow(1024.0, static_cast<double>(unit))), QLatin1String(byteUnits[unit]));
}

QString bytes(Rational value)
{
    if (value.denominator() == 1 || std::abs(value.value()) >= 1024)
        return bytes(value.value());
    return Words::tr("≈ %1", "a number of bytes, rounded").arg(bytes(std::round(value.value())));
}

QString seconds(double value)
{
    return timeText(value, timeUnit(value));
}

std::vector<double> roundedParts(std::span<const double> parts, int decimals)
{
    const double scale = std::pow(10.0, decimals);
    std::vector<double> result;
    std::vector<std::size_t> order(parts.size());
    double sum = 0, floors = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        order[i] = i;
        sum += parts[i];
        result.push_back(std::floor(parts[i] * scale + 1e-9));
        floors += result.back();
    }
    std::stable_sort(order.begin(), order.end(),
        [&](std::size_t a, std::size_t b) { return parts[a] * scale - result[a] > parts[b] * scale - result[b]; });
    const auto missing = static_cast<std::size_t>(std::max(0.0, std::round(sum * scale) - floors));
    for (std::size_t i = 0; i < std::min(missing, order.size()); ++i)
        result[order[i]] += 1;
    for (double& part : result)
        part /= scale;
    return result;
}

QStringList secondsAddingUp(std::span<const double> seconds)
{
    double sum = 0;
    for (const double each : seconds)
        sum += each;
    const double unit = timeUnit(sum);
    std::vector<double> parts;
    for (const double each : seconds)
        parts.push_back(each / unit);
    const double inUnits = sum / unit;
    const std::vector<double> rounded = roundedParts(parts, inUnits >= 99.95 ? 0 : inUnits >= 9.995 ? 1 : 2);
    double printed = 0;
    for (const double each : rounded)
        printed += each;
    QStringList texts{ timeText(printed * unit, unit) };
    for (const double each : rounded)
        texts << timeText(each * unit, unit);
    return texts;
}

QString meanAndDeviation(double mean, double deviation)
{
    const double unit = timeUnit(mean);
    return Words::tr("%1 ± %2", "mean, deviation").arg(timeText(mean, unit), timeText(deviation, unit));
}

QString count(qint64 value)
{
    return QLocale().toString(value);
}

QString ordinal(qint64 place)
{
    const qint64 teens = place % 100, last = place % 10;
    if (teens >= 11 && teens <= 13)
        return Words::tr("%1th", "place in a list").arg(count(place));
    switch (last) {
    case 1:
        return Words::tr("%1st", "place in a list").arg(count(place));
    case 2:
        return Words::tr("%1nd", "place in a list").arg(count(place));
    case 3:
        return Words::tr("%1rd", "place in a list").arg(count(place));
    default:
        return Words::tr("%1th", "place in a list").arg(count(place));
    }
}

QString percent(double share)
{
    const double value = share * 100;
    if (value > 0 && value < 0.05)
        return Words::tr("less than 0.1 %");
    return Words::tr("%1 %", "a percentage").arg(QLocale().toString(value, 'f', value < 9.95 ? 1 : 0));
}

QString copies(qint64 value)
{
    return QString(timesSign) + thinSpace + count(value);
}

namespace {

QString joinedSizes(const QStringList& sizes)
{
    return sizes.isEmpty() ? count(1) : sizes.join(QStringLiteral(" ") + timesSign + QStringLiteral(" "));
}

} // namespace

bool leavesOutOnes(std::span<const MeshAxis> axes)
{
    constexpr std::size_t most = 3;
    return axes.size() > most
        && std::any_of(axes.begin(), axes.end(), [](const MeshAxis& axis) { return axis.size == 1; });
}

QString meshNumbers(std::span<const MeshAxis> axes)
{
    const bool withoutOnes = leavesOutOnes(axes)
        && std::any_of(axes.begin(), axes.end(), [](const MeshAxis& axis) { return axis.size > 1; });
    QStringList sizes;
    for (const MeshAxis& axis : axes)
        if (axis.size > 1 || !withoutOnes)
            sizes << count(axis.size);
    return joinedSizes(sizes);
}

QString meshSizes(std::span<const MeshAxis> axes)
{
    return leavesOutOnes(axes) ? meshNames(axes) : meshNumbers(axes);
}

QString meshSizes(const Mesh& mesh)
{
    return meshSizes(mesh.axes());
}

QString meshNames(std::span<const MeshAxis> axes)
{
    const bool withoutOnes = leavesOutOnes(axes);
    QStringList named;
    for (const MeshAxis& axis : axes)
        if (axis.size > 1 || !withoutOnes)
            named << QStringLiteral("%1 %2").arg(fromStd(axis.name), count(axis.size));
    return joinedSizes(named);
}

QString shape(std::span<const std::int64_t> shape)
{
    QStringList sizes;
    for (const std::int64_t size : shape)
        sizes << QString::number(size);
    return QStringLiteral("[") + sizes.join(QStringLiteral(", ")) + QStringLiteral("]");
}

QString range(std::int64_t begin, std::int64_t end)
{
    if (end <= begin)
        return Words::tr("none");
    if (end == begin + 1)
        return count(begin);
    return QString::number(begin) + enDash + QString::number(end - 1);
}

QStringList padding(const TensorRow& row)
{
    QStringList lines;
    for (std::size_t d = 0; d < row.type.rank(); ++d) {
        const std::int64_t size = row.layout.shape()[d], parts = row.layout.shardGrid()[d];
        const std::int64_t room = parts * row.layout.shardShape()[d];
        if (room == size)
            continue;
        const QString name = d < row.dimNames.size() && !row.dimNames[d].empty() ? fromStd(row.dimNames[d])
                                                                                 : Words::tr("dimension %1").arg(d);
        lines << Words::tr("%1: %2 in %3, %4", "batch: 10 in 4 shards, 2 of 12 are padding")
                     .arg(name, count(size), counted(parts, Noun::Shard), paddingOf(room - size, room));
    }
    return lines;
}

QString sentSummary(const CollectiveList& list)
{
    const double total = sentBytes(list).step.value();
    if (total <= 0)
        return Words::tr("Sent 0 B per step");
    QStringList texts;
    for (const CollectiveSum& sum : sums(list, CollectiveKey::Axes)) {
        if (sum.sent.value() <= 0)
            continue;
        const QString amount = bytes(sum.sent);
        texts << (sum.key.empty()
                ? Words::tr("%1 in other groups", "of devices that are along no mesh axes").arg(amount)
                : Words::tr("%1 %2", "amount and mesh axes")
                      .arg(amount, fromStd(sum.key).replace(QStringLiteral(", "), QStringLiteral("+"))));
    }
    const QString sum = bytes(sentBytes(list).step);
    return Words::tr("Sent %1 per step: %2").arg(sum, texts.join(QStringLiteral(", ")));
}

} // namespace shardscope::words
