// SPDX-License-Identifier: GPL-3.0-or-later
#include "collectives_report.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "pipeline/exchange_subject.h"
#include "program/operation_path.h"
#include "sharding/text.h"
#include "words/collective_texts.h"
#include "words/collective_words.h"
#include "words/definitions.h"
#include "words/utf8.h"

namespace shardscope::cli {

tl::expected<Communication, Refused> loadCommunication(const std::string& file, std::optional<std::string> text)
{
    auto input = loadExperiment(file, std::move(text));
    if (!input)
        return tl::unexpected(Refused{ std::move(input.error()), BadInput });
    Communication loaded{ std::move(*input), {}, {} };
    loaded.snapshot = analyse(loaded.input.experiment);
    Result<std::shared_ptr<const CollectiveList>> list = collectivesOf(*loaded.snapshot);
    if (!list) {
        std::vector<Diagnostic> problems = allProblems(loaded.input, *loaded.snapshot);
        if (statusOf(problems) == Done) { // partitioning fails
            problems.push_back(inFile({ std::move(list.error()) }, loaded.input).front());
        }
        return tl::unexpected(Refused{ std::move(problems), Findings });
    }
    loaded.list = **list;
    return loaded;
}

std::vector<std::string> axisNames(const AxisList& axes, const Mesh& mesh)
{
    std::vector<std::string> names;
    for (const AxisRef axis : axes)
        names.push_back(toString(mesh, axis));
    return names;
}

QString exactCount(Rational bytes)
{
    return bytes.denominator() == 1 ? words::count(bytes.numerator())
                                    : QStringLiteral("≈ %1").arg(words::count(std::llround(bytes.value())));
}

QString bytesAndCount(Rational bytes)
{
    return bytes.value() < 1024 ? words::bytes(bytes)
                                : QStringLiteral("%1 (%2 B)").arg(words::bytes(bytes), exactCount(bytes));
}

QString whoSends(bool everyDevice)
{
    return everyDevice ? QStringLiteral("Every device sends") : QStringLiteral("A device sends at most");
}

void sayBranches(Console& console)
{
    console.line(QStringLiteral("Of the branches of a conditional one runs: the sums count that which sends most."));
}

void sayRounded(Console& console, bool isRounded)
{
    if (isRounded)
        console.line(QStringLiteral("≈ devices send different numbers of bytes: their mean, rounded."));
}

QString timesText(const CollectiveEntry& entry)
{
    return entry.timesKnown ? words::count(entry.times) : QStringLiteral("%1 × ?").arg(words::count(entry.times));
}

QString valueText(const CollectiveList& list, const CollectiveEntry& entry)
{
    if (!entry.value.valid())
        return QStringLiteral("-");
    const Program& program = *list.program;
    if (!program.namedByText) { // as show lists it
        if (const std::string& path = program.value(entry.value).path; !path.empty())
            return words::fromStd(path);
        if (entry.partOf.valid())
            return words::partName(
                program, entry.value, entry.partOf, words::fromStd(program.value(entry.partOf).path));
    }
    return words::exchangedName(list, entry, entry.value);
}

void addOrigin(Json& json, const CollectiveEntry& entry)
{
    if (!entry.operationName.empty())
        json["op_name"] = entry.operationName;
    if (!entry.source.empty())
        json["source"] = entry.source;
}

Json toJson(const CollectiveList& list, std::size_t index, bool groups)
{
    const CollectiveEntry& entry = list.entries[index];
    const Program& program = *list.program;
    const ExchangeSubject array = exchangeSubject(list, entry);
    Json out{ { "number", index + 1 }, { "kind", name(entry.kind) }, { "axes", axisNames(entry.axes, *entry.mesh) },
        { "group_size", entry.groupSize }, { "groups", entry.groupCount }, { "sent_bytes", toJson(entry.sentBytes) },
        { "times", entry.times }, { "times_known", entry.timesKnown }, { "conditional", entry.conditional },
        { "in_sums", entry.inSums }, { "sent_bytes_per_step", toJson(entry.sentPerStep()) }, { "layer", entry.scope },
        { "tensor", entry.value.valid() ? *program.value(entry.value).path : std::string() },
        { "type", toString(array.arrayPerDevice ? entry.type : array.type) },
        { "before", words::exchangedForm(array, array.before).toStdString() },
        { "after", words::exchangedForm(array, array.after).toStdString() }, { "cause", causeId(entry) },
        { "scalar_loss", entry.scalarLoss } };
    if (entry.partOf.valid())
        out["part_of"] = *program.value(entry.partOf).path;
    addOrigin(out, entry);
    if (entry.reason && entry.reason->operation.valid())
        out["operation"] = operationPath(program, entry.reason->operation);
    if (groups) {
        out["replica_groups"] = replicaGroups(entry, *entry.mesh);
        if (entry.kind == CollectiveKind::CollectivePermute)
            out["source_target_pairs"] = sentPairs(entry);
    }
    return out;
}

} // namespace shardscope::cli
