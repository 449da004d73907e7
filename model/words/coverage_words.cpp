// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/coverage_words.h"

#include "analysis/explain.h"
#include "sharding/text.h"
#include "words/links.h"
#include "words/sentence.h"
#include "words/utf8.h"

namespace shardscope::words {

namespace {

QString sizeOf(std::int64_t size)
{
    return bytes(static_cast<double>(size));
}

QString axesOf(const SpecEntry& target)
{
    return texts(target.axes, fromStd).join(QLatin1Char('+'));
}

} // namespace

QString coverage(const ParameterCoverage& coverage)
{
    if (coverage.arrays == 0)
        return Words::tr("There are no parameters.");
    if (coverage.devices == 1)
        return Words::tr("The one device holds all %1 of parameters.").arg(sizeOf(coverage.bytes));
    const std::int64_t shards = coverage.medianShards();
    const std::int64_t replicated = coverage.bytes - coverage.bytesSharded(2);
    const QString sharded = Words::tr("%1 of %2 of parameters are sharded %3 ways or more")
                                .arg(sizeOf(coverage.bytesSharded(shards)), sizeOf(coverage.bytes), count(shards));
    return replicated == 0
        ? Words::tr("%1, none are replicated.", "how much is sharded").arg(sharded)
        : Words::tr("%1, %2 are replicated.", "how much is sharded, bytes").arg(sharded, sizeOf(replicated));
}

QString wasByRules(const OwnSpec& own)
{
    if (!own.byRules)
        return Words::tr("its own spec; the rules are wrong");
    const QString spec = fromStd(toColumn(*own.byRules));
    QStringList rules;
    for (const LogicalRule& rule : own.rules)
        rules << QStringLiteral("%1 → %2").arg(fromStd(rule.name.name), axesOf(rule.target));
    if (rules.isEmpty())
        return Words::tr("was %1: no rule shards it").arg(spec);
    const QString list = rules.join(QStringLiteral(", "));
    return rules.size() == 1 ? Words::tr("was %1 by the rule %2").arg(spec, list)
                             : Words::tr("was %1 by the rules %2").arg(spec, list);
}

QStringList coverageByShards(const ParameterCoverage& coverage)
{
    QStringList lines;
    for (const ParameterCoverage::Fold& fold : coverage.folds) {
        const QString amount =
            Words::tr("%1 in %2", "bytes, number of arrays").arg(sizeOf(fold.bytes), counted(fold.arrays, Noun::Array));
        lines << (fold.shards == 1 ? Words::tr("replicated: %1").arg(amount)
                                   : Words::tr("%1 ways: %2", "sharded so").arg(count(fold.shards), amount));
    }
    return lines;
}

Text replicated(const Snapshot& snapshot, const ParameterCoverage::Replicated& array)
{
    Sentence s(*snapshot.mesh);
    std::string name = array.path;
    if (constexpr std::string_view prefix = "params/"; name.starts_with(prefix))
        name.erase(0, prefix.size());
    s.fill(array.arrays == 1 ? Words::tr("%1, %2", "array, bytes") : Words::tr("%1, %3, %2", "arrays, bytes, how many"),
        { { fromStd(name), valueLink(*snapshot.program, array.value), Span::Style::Code }, { sizeOf(array.bytes) },
            { counted(array.arrays, Noun::Array) } });
    const ExplanationText why = explanation(snapshot, explain(snapshot, array.value), Length::Tip);
    for (const ExplanationText::Cause& cause : why.decidedBy) {
        s.fill(Words::tr("; %1: ", "dimension, why it is not sharded"), { { cause.subject } });
        s.append(cause.reason);
    }
    return s.take();
}

} // namespace shardscope::words
