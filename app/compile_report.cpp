// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in run_report.h.
#include <nlohmann/json.hpp>

#include "run_report.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

Json compilingJson(std::int64_t calls, const std::vector<StageCount>& stages)
{
    Json list = Json::array();
    for (const StageCount& stage : stages)
        list.push_back({ { "stage", stage.stage }, { "hits", stage.hits }, { "misses", stage.misses },
            { "hit_seconds", stage.hitSeconds }, { "miss_seconds", stage.missSeconds },
            { "last_seconds", stage.lastSeconds } });
    return { { "calls", calls }, { "stages", std::move(list) } };
}

void printCompiling(Console& console, std::int64_t calls, const std::vector<StageCount>& stages)
{
    console.heading(QStringLiteral("Compiling (calls of the step: %1)").arg(words::count(calls)));
    Table table{ "Stage", "Hits>", "Misses>", "Time of misses>", "Time of hits>", "Last>" };
    for (const StageCount& stage : stages)
        table.rows.push_back({ words::fromStd(stage.stage), words::count(stage.hits), words::count(stage.misses),
            words::seconds(stage.missSeconds), words::seconds(stage.hitSeconds), words::seconds(stage.lastSeconds) });
    console.table(table);
    console.line(QStringLiteral("  a hit: what the stage gives was in the cache, and only looked up"), Emphasis::Faint);
}

Json compiledPartsJson(const std::vector<CompiledPart>& parts)
{
    Json list = Json::array();
    for (const CompiledPart& part : parts) {
        Json& entry = list.emplace_back(Json{ { "name", part.name }, { "operation_count", part.operations },
            { "argument_count", part.arguments }, { "result_count", part.results }, { "from_cache", part.isHit },
            { "compile_seconds", part.seconds() }, { "sent_bytes", toJson(part.sentBytes) } });
        if (part.sameAs >= 0)
            entry["same_as"] = parts[static_cast<std::size_t>(part.sameAs)].name;
        entry["stages"] = Json::array();
        for (const StageTime& time : part.times)
            entry["stages"].push_back(
                { { "stage", time.stage }, { "from_cache", time.fromCache }, { "last_seconds", time.seconds } });
        entry["problems"] = toJson(part.errors);
    }
    return list;
}

void printCompiledParts(Console& console, const std::vector<CompiledPart>& parts)
{
    console.heading(QStringLiteral("Parts compiled by themselves"));
    Table table{ "Part", "Operations>", "Arguments>", "Results>", "Compiled", "Time>", "Sent per device>" };
    std::int64_t hits = 0;
    double ofHits = 0, ofMisses = 0;
    for (const CompiledPart& part : parts) {
        const QString like =
            part.sameAs >= 0 ? words::fromStd(parts[static_cast<std::size_t>(part.sameAs)].name) : QString();
        table.rows.push_back({ words::fromStd(part.name), words::count(part.operations), words::count(part.arguments),
            words::count(part.results),
            part.isHit && !like.isEmpty() ? QStringLiteral("hit, as %1").arg(like)
                : part.isHit              ? QStringLiteral("hit")
                                          : QStringLiteral("miss"),
            words::seconds(part.seconds()), words::bytes(part.sentBytes) });
        hits += part.isHit ? 1 : 0;
        (part.isHit ? ofHits : ofMisses) += part.seconds();
    }
    console.table(table);
    console.line(QStringLiteral("  hits: %1 in %2, misses: %3 in %4")
                     .arg(words::count(hits), words::seconds(ofHits),
                         words::count(static_cast<qint64>(parts.size()) - hits), words::seconds(ofMisses)),
        Emphasis::Faint);
    for (const CompiledPart& part : parts)
        for (const Diagnostic& error : part.errors)
            console.line(
                QStringLiteral("  %1: %2").arg(words::fromStd(part.name), words::describe(error).cause), Emphasis::Bad);
}

} // namespace shardscope::cli
