// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/compiled_words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "words/diagnostic_reader.h"
#include "words/listed.h"

namespace shardscope::words {

namespace {

QString firstAndMore(const std::vector<std::string>& list)
{
    if (list.empty())
        return {};
    const QString first = fromStd(list.front());
    return list.size() == 1 ? first
                            : Words::tr("%1 and %2 more").arg(first, count(static_cast<qint64>(list.size()) - 1));
}

QString sentInstead(const ExchangeRow& row)
{
    if (row.compiled.sent == row.predicted.sent)
        return Words::tr("every device sends as much in a step, %1").arg(bytes(row.compiled.sent));
    return Words::tr("every device sends %1 in a step instead of %2")
        .arg(bytes(row.compiled.sent), bytes(row.predicted.sent));
}

QString ofTypes(const ExchangeSide& side)
{
    return firstAndMore(side.types);
}

QString moreOrLess(const ExchangeRow& row, const ExchangeRemark& remark)
{
    const bool more = remark.kind == ExchangeRemark::Kind::MoreOften;
    const QString often = remark.number > 1 ? (more ? Words::tr("XLA does it %1 times as often as predicted")
                                                    : Words::tr("It is predicted %1 times as often as XLA does it"))
                                                  .arg(count(remark.number))
        : more ? Words::tr("XLA does it more often than predicted")
               : Words::tr("XLA does it less often than predicted");
    const QString why = more && row.exchange == ExchangeKind::Gather
        ? Words::tr(", as it does where the backward pass gathers again instead of keeping what the forward pass has "
                    "gathered")
        : QString();
    return often + why + Words::tr(": %1.").arg(sentInstead(row));
}

/// "1–3, 7", of numbers that ascend.
QString numberRanges(const std::vector<qint64>& numbers)
{
    QStringList ranges;
    for (const auto& [first, last] : runsOf(std::span<const qint64>(numbers)))
        ranges.append(first == last ? QString::number(first) : range(first, last + 1));
    return ranges.join(Words::tr(", "));
}

/// Of two rows one sentence says this, bytes apart: what it names of them is the same.
bool saysTheSame(const ExchangeRow& a, const ExchangeRow& b, const ExchangeRemark& remark)
{
    switch (remark.kind) {
    case ExchangeRemark::Kind::OtherTypes:
        return a.compiled.types == b.compiled.types && a.predicted.types == b.predicted.types;
    case ExchangeRemark::Kind::OtherAxes:
        return a.axes == b.axes && a.compiledAxes == b.compiledAxes;
    case ExchangeRemark::Kind::MoreOften:
    case ExchangeRemark::Kind::LessOften:
        return (a.exchange == ExchangeKind::Gather) == (b.exchange == ExchangeKind::Gather);
    default:
        return true;
    }
}

/// "14 GiB more: XLA gathers …"
QString moreOrFewerBytes(const CompiledReason& reason, const QString& why)
{
    const std::int64_t difference = reason.compiledBytes - reason.predictedBytes;
    return difference >= 0 ? Words::tr("%1 more: %2").arg(bytes(Rational(difference)), why)
                           : Words::tr("%1 less: %2").arg(bytes(Rational(-difference)), why);
}

QString gathersAgain(const CompiledReason& reason)
{
    return reason.pointer.empty()
        ? Words::tr("XLA gathers weights again in the backward pass, where the program keeps what its forward pass has "
                    "gathered. With jax.checkpoint around a layer it gathers again.")
        : Words::tr("XLA gathers weights again in the backward pass; this network keeps what its forward pass has "
                    "gathered. Set “remat” to full, or to gathered where nothing else is to be worked out again.");
}

QString keepsGathered(const CompiledReason& reason)
{
    return reason.pointer.empty()
        ? Words::tr("XLA keeps what the forward pass has gathered, where the program gathers weights again in the "
                    "backward pass.")
        : Words::tr("XLA keeps what the forward pass has gathered; this network gathers weights again in the backward "
                    "pass. Set “%1” to %2.")
              .arg(fromStd(reason.pointer.substr(reason.pointer.rfind('/') + 1)), fromStd(reason.value));
}

} // namespace

QString exchangeName(ExchangeKind exchange)
{
    switch (exchange) {
    case ExchangeKind::Gather:
        return Words::tr("gather");
    case ExchangeKind::Reduction:
        return Words::tr("reduction");
    case ExchangeKind::AllToAll:
        return Words::tr("all-to-all");
    case ExchangeKind::Permute:
        return Words::tr("permutation");
    case ExchangeKind::Broadcast:
        return Words::tr("broadcast");
    }
    return {};
}

QString exchangeSide(const ExchangeSide& side)
{
    if (side.times == 0)
        return QStringLiteral("-");
    QStringList kinds;
    for (const std::string& kind : side.kinds)
        kinds.append(fromStd(kind).replace(QLatin1Char('_'), QLatin1Char('-')));
    return Words::tr("%1 × %2").arg(kinds.join(Words::tr(", ")), count(side.times))
        + (side.timesKnown ? QString() : QStringLiteral("?"));
}

QString exchangedTypes(const ExchangeRow& row)
{
    return ofTypes(row.predicted.types.empty() ? row.compiled : row.predicted);
}

QString exchangeCause(const ExchangeRow& row)
{
    if (!row.cause.empty())
        return fromStd(row.cause);
    const QString cause = firstAndMore(row.predicted.causes.empty() ? row.compiled.causes : row.predicted.causes);
    return cause.isEmpty() ? fromStd(row.weight) : cause;
}

QString remarkText(const ExchangeRow& row, const ExchangeRemark& remark)
{
    const QString axes = fromStd(row.axes);
    switch (remark.kind) {
    case ExchangeRemark::Kind::SlicedAfterwards:
        return Words::tr("XLA adds up with all-reduce and keeps a slice, where a reduce-scatter is predicted: %1.")
            .arg(sentInstead(row));
    case ExchangeRemark::Kind::KeptInFull:
        return Words::tr("XLA adds up with all-reduce and keeps the full sum on every device, where a reduce-scatter "
                         "is predicted: %1.")
            .arg(sentInstead(row));
    case ExchangeRemark::Kind::Scattered:
        return Words::tr("XLA adds up with reduce-scatter, where an all-reduce is predicted: %1.")
            .arg(sentInstead(row));
    case ExchangeRemark::Kind::OtherTypes:
        return Words::tr("XLA exchanges %1, where %2 is predicted: %3.")
            .arg(ofTypes(row.compiled), ofTypes(row.predicted), sentInstead(row));
    case ExchangeRemark::Kind::PerLayer:
        return Words::tr("XLA exchanges %1 parts one after the other, as in a loop over layers, where the array is "
                         "predicted to be exchanged at once.")
            .arg(count(remark.number));
    case ExchangeRemark::Kind::AtOnce:
        return Words::tr("XLA exchanges %1 arrays as one, where each is predicted to be exchanged by itself.")
            .arg(count(remark.number));
    case ExchangeRemark::Kind::MoreOften:
    case ExchangeRemark::Kind::LessOften:
        return moreOrLess(row, remark);
    case ExchangeRemark::Kind::Merged:
        return Words::tr("XLA has merged collectives: several arrays go with one.");
    case ExchangeRemark::Kind::OtherAxes:
        return Words::tr("XLA exchanges along %1, where %2 is predicted: %3.")
            .arg(fromStd(row.compiledAxes), axes, sentInstead(row));
    case ExchangeRemark::Kind::OnlyPredicted:
        return Words::tr("XLA has nothing of the kind: it found a way without, or exchanges another array in its "
                         "place. %1 per device and step are predicted.")
            .arg(bytes(row.predicted.sent));
    case ExchangeRemark::Kind::OnlyCompiled:
        return Words::tr("Nothing of the kind is predicted. A device sends %1 in a step.")
            .arg(bytes(row.compiled.sent));
    case ExchangeRemark::Kind::TimesUnknown:
        return Words::tr("How often it runs cannot be told; it is counted once.");
    case ExchangeRemark::Kind::NoAxes:
        return Words::tr("Its devices are no group of any axes of the mesh.");
    case ExchangeRemark::Kind::NotInText:
        return Words::tr("The compiled text ends before it. %1 per device and step are predicted.")
            .arg(bytes(row.predicted.sent));
    }
    return {};
}

QStringList remarkLines(std::span<const ExchangeRow> rows)
{
    struct SameOfRows {
        ExchangeRow row; ///< the first of them, which sends what all of them send
        ExchangeRemark remark;
        std::vector<qint64> numbers;
    };
    std::vector<SameOfRows> all;
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (const ExchangeRemark& remark : rows[r].remarks) {
            const auto same = std::find_if(all.begin(), all.end(), [&](const SameOfRows& each) {
                return each.remark == remark && saysTheSame(each.row, rows[r], remark);
            });
            if (same != all.end()) {
                same->row.predicted.sent += rows[r].predicted.sent;
                same->row.compiled.sent += rows[r].compiled.sent;
                same->numbers.push_back(static_cast<qint64>(r) + 1);
                continue;
            }
            all.push_back({ rows[r], remark, { static_cast<qint64>(r) + 1 } });
        }
    QStringList lines;
    for (const SameOfRows& shared : all)
        lines.append(numberRanges(shared.numbers) + QStringLiteral(": ") + remarkText(shared.row, shared.remark));
    return lines;
}

QString reasonText(const CompiledReason& reason)
{
    switch (reason.kind) {
    case CompiledReason::Kind::GathersAgain:
        return moreOrFewerBytes(reason, gathersAgain(reason));
    case CompiledReason::Kind::KeepsGathered:
        return moreOrFewerBytes(reason, keepsGathered(reason));
    case CompiledReason::Kind::EmbedsByProduct:
        return moreOrFewerBytes(reason,
            Words::tr("XLA gathers all of the embedding and adds up its gradient, as a product with one-hot vectors "
                      "needs; this network looks its rows up. Set “embed_by_one_hot” to true."));
    case CompiledReason::Kind::EmbedsByLookup:
        return moreOrFewerBytes(reason,
            Words::tr("XLA looks rows of the embedding up; this network multiplies all of it by one-hot vectors. Set "
                      "“embed_by_one_hot” to false."));
    case CompiledReason::Kind::KeysGoRound:
        return Words::tr("%1 in place of %2: keys and values go from device to device (ring attention), where this "
                         "network gathers them. It has no setting for that.")
            .arg(bytes(Rational(reason.compiledBytes)), bytes(Rational(reason.predictedBytes)));
    }
    return {};
}

QString shareOfPredicted(std::int64_t predicted, std::int64_t compiled, bool isKnown)
{
    constexpr double percentUpTo = 10;
    if (predicted == 0 || !isKnown)
        return QStringLiteral("-");
    if (compiled == 0)
        return Words::tr("none");
    const double share = static_cast<double>(compiled) / static_cast<double>(predicted);
    return share < percentUpTo ? percent(share) : copies(static_cast<qint64>(std::llround(share)));
}

} // namespace shardscope::words
