// SPDX-License-Identifier: GPL-3.0-or-later
// The command show, declared in commands.h.
#include <memory>

#include <nlohmann/json.hpp>

#include "collectives_report.h"
#include "command.h"
#include "commands.h"
#include "experiment/t5x_rules.h"
#include "layout_report.h"
#include "memory_report.h"
#include "pipeline/stage_results.h"
#include "program/path.h"
#include "repeated_rows.h"
#include "report.h"
#include "schedule/plan.h"
#include "sharding/sharding_text.h"
#include "sharding/text.h"
#include "words/collective_words.h"
#include "words/dialects.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

/// Whether rule number `i` decides nothing.
bool isUnused(const std::vector<RuleUse>* uses, std::size_t i)
{
    return uses && i < uses->size() && (*uses)[i].uses == 0 && (*uses)[i].inactiveUses == 0;
}

Table rulesTable(const std::vector<LogicalRule>& rules, const std::vector<RuleUse>* ruleUses, bool unusedAsWell)
{
    Table table{ "#>", "Name", "Mesh axes", "Uses>" };
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (!unusedAsWell && isUnused(ruleUses, i))
            continue;
        const LogicalRule& rule = rules[i];
        QString target = words::fromStd(toColumn(PartitionSpec{ { rule.target } }));
        target = target.mid(2, target.size() - 3); // without P( )
        QString uses = QStringLiteral("-");
        if (ruleUses && i < ruleUses->size()) {
            const RuleUse& use = (*ruleUses)[i];
            uses = QString::number(use.uses);
            if (use.inactiveUses > 0)
                uses += QStringLiteral(" + %1 inactive").arg(use.inactiveUses);
        }
        table.rows.push_back({ QString::number(i + 1),
            rule.name.kind == LogicalName::Kind::Name ? words::fromStd(rule.name.name) : QStringLiteral("-"), target,
            uses });
    }
    return table;
}

/// Of a long list the rules that are used, and how many are not.
void printRuleList(
    Console& console, const std::vector<LogicalRule>& rules, const std::vector<RuleUse>* uses, Extent extent)
{
    constexpr std::size_t isLong = 16;
    qint64 unused = 0;
    for (std::size_t i = 0; i < rules.size(); ++i)
        unused += isUnused(uses, i) ? 1 : 0;
    const auto count = static_cast<qint64>(rules.size());
    const bool all = extent == Extent::Everything || rules.size() <= isLong || unused == 0;
    if (all || unused < count)
        console.table(rulesTable(rules, uses, all));
    if (!all)
        console.line(
            QStringLiteral("  %1 rules, %2 unused (--all lists them)").arg(words::count(count), words::count(unused)),
            Emphasis::Faint);
}

void printRules(Console& console, const Snapshot& snapshot, Extent extent)
{
    const RulesSetting& rules = snapshot.experiment->rules;
    if (rules.rules.list.empty() && rules.inner.empty())
        return;
    console.heading(!rules.rules.isSequence
            ? QStringLiteral("Rules (a mapping, as Penzai reads it)")
            : QStringLiteral("Rules (%1%2%3)")
                  .arg(words::systemName({ rules.dialect, rules.version }),
                      rules.boundWhenTraced ? QString() : QStringLiteral(", not bound when traced"),
                      rules.constraintMesh == ConstraintMesh::None ? QStringLiteral(", traced without a mesh")
                          : rules.constraintMesh == ConstraintMesh::Own
                          ? QStringLiteral(", constraints are handed a mesh")
                          : QString()));
    printRuleList(console, rules.rules.list, &snapshot.ruleUses, extent);
    if (!snapshot.namesWithoutRule.empty()) {
        QStringList names;
        for (const auto& [name, uses] : snapshot.namesWithoutRule)
            names << QStringLiteral("%1 (%2)").arg(words::fromStd(name)).arg(uses);
        console.line(
            QStringLiteral("  No rule names %1: these dimensions stay unsharded; in brackets, in how many arrays.")
                .arg(names.join(QStringLiteral(", "))),
            Emphasis::Faint);
    }
    if (const auto partitioner = t5xPartitioner(*snapshot.experiment); partitioner && *partitioner)
        console.line(words::batchAxes(**partitioner, snapshot.mesh.get()), Emphasis::Faint);
    for (std::size_t i = 0; i < rules.inner.size(); ++i) {
        console.heading(
            QStringLiteral("Rules within %1 (in place of those above)").arg(words::fromStd(rules.inner[i].within)));
        if (rules.inner[i].rules.list.empty())
            console.line(QStringLiteral("  none: every logical axis there is replicated"), Emphasis::Faint);
        else
            printRuleList(console, rules.inner[i].rules.list,
                i < snapshot.innerRuleUses.size() ? &snapshot.innerRuleUses[i] : nullptr, extent);
    }
}

/// `isTold`: XLA says from which operation of which line they come.
void printCommunication(Console& console, const CollectiveList& list, bool isTold, Extent extent)
{
    console.heading(QStringLiteral("Communication per device"));
    console.line(QStringLiteral("  ") + words::sentSummary(list));
    Table table = isTold
        ? Table{ "Collective", "Along", "Groups", "For", "Times>", "Sent per device>", "Bytes>", "Source", "Operation" }
        : Table{ "Collective", "Along", "For", "Cause", "Times>", "Sent per device>", "Bytes>" };
    const auto orDash = [](const std::string& text) {
        return text.empty() ? QStringLiteral("-") : words::fromStd(text);
    };
    for (const CollectiveEntry& entry : list.entries) {
        if (!isExchange(entry))
            continue;
        QStringList row{ words::collective(entry.kind), words::fromStd(keyOf(entry, CollectiveKey::Axes)) };
        if (isTold)
            row << words::groupCounts(entry);
        row << valueText(list, entry);
        if (!isTold)
            row << words::causeName(entry);
        row << timesText(entry) << words::bytes(entry.sentBytes) << exactCount(entry.sentBytes);
        if (isTold)
            row << orDash(entry.source) << orDash(entry.operationName);
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty())
        return;
    if (extent == Extent::Everything || isTold)
        console.table(table);
    else
        printLongTable(console, table, 2, "Collectives");
}

/// All forms of one tensor's sharding, its grid and who holds which shard.
void printTensor(Console& console, const Snapshot& snapshot, const TensorRow& row, Extent extent)
{
    printGrid(console, snapshot, row, extent);
    Table forms{ "Form", "Sharding" };
    forms.rows.push_back({ QStringLiteral("JAX"), words::fromStd(toJax(row.spec, false)) });
    if (row.memoryKind)
        forms.rows.push_back({ QStringLiteral("NamedSharding"),
            words::fromStd(toJax(Sharding(NamedSharding{ snapshot.mesh, row.spec, row.memoryKind }))) });
    forms.rows.push_back({ QStringLiteral("HLO"), words::fromStd(toHlo(row.spec, *snapshot.mesh, row.type.rank())) });
    forms.rows.push_back({ QStringLiteral("Shardy"), words::fromStd(toShardy(row.spec, row.type.rank())) });
    console.line();
    console.table(forms);
    printHolders(console, row.layout, QStringLiteral("  "), extent);
}

int show(const std::string& file, const std::string& tensor, Extent extent, const JsonTarget& json)
{
    const auto input = loadExperiment(file);
    if (!input)
        return reject(json, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment);

    std::vector<const TensorRow*> chosen;
    if (!tensor.empty() && snapshot->program) {
        for (const TensorRow& row : snapshot->tensors)
            if (globMatches(tensor, row.path))
                chosen.push_back(&row);
        if (chosen.empty()) {
            const auto found = findValue(*snapshot->program, tensor);
            if (!found)
                return reject(json, { found.error() });
            if (const TensorRow* row = snapshot->row(*found))
                chosen.push_back(row);
        }
    }
    const int status = snapshot->laidOut() && snapshot->errorCount() == 0 ? Done : Findings;
    if (!json.empty()) {
        Json out = envelope(json, *input);
        if (snapshot->mesh)
            out["mesh"] = toJson(*snapshot->mesh);
        if (tensor.empty())
            out["rules"] = rulesJson(*snapshot);
        if (snapshot->isPartitioned())
            out["partitioned"] = true;
        if (const Result<std::uint64_t> program = deviceProgramHash(*snapshot); program && tensor.empty())
            out["device_program"] = hashJson(*program);
        out["tensors"] = Json::array();
        if (tensor.empty())
            for (const TensorRow& row : snapshot->tensors)
                out["tensors"].push_back(toJson(row));
        for (const TensorRow* row : chosen)
            out["tensors"].push_back(toJson(*row));
        if (snapshot->collectives && tensor.empty())
            out["communication"] = communication(*snapshot->collectives);
        if (snapshot->plan && tensor.empty())
            out["memory_per_device"] = plannedMemoryJson(plannedMemory(*snapshot->plan));
        if (snapshot->laidOut() && tensor.empty()) {
            out["host_memory"] = hostMemoryJson(*snapshot);
            out["memory_transfers"] = transfersJson(*snapshot);
        }
        out["problems"] = problems(*input, *snapshot);
        return emitJson(out, json, status);
    }

    Console console;
    if (!tensor.empty()) {
        for (const TensorRow* row : chosen)
            printTensor(console, *snapshot, *row, extent);
    } else {
        console.heading(words::fromStd(input->experiment.title));
        if (snapshot->isPartitioned())
            console.line(
                QStringLiteral("This program has been partitioned already. The mesh explains which devices "
                               "exchange; shardings are those of the arrays that its arguments are parts of."));
        if (snapshot->mesh)
            printMesh(console, *snapshot, extent);
        printRules(console, *snapshot, extent);
        printTensors(console, *snapshot, extent);
        if (snapshot->plan) {
            printPlannedMemory(console, plannedMemory(*snapshot->plan));
            printHostMemory(console, *snapshot);
            if (!snapshot->ok() && hostMemory(*snapshot).arrays > 0)
                console.line(
                    QStringLiteral("  simulated devices have one memory: what lies on the host is counted above"));
        }
        if (snapshot->collectives)
            printCommunication(console, *snapshot->collectives, snapshot->isPartitioned(), extent);
        printTransfers(console, *snapshot);
    }
    console.flush();
    Console errors(stderr);
    printProblems(errors, *input, *snapshot);
    return status;
}

} // namespace

void addShow(CLI::App& app, int& status)
{
    struct Options {
        std::string file;
        std::string tensor;
        bool all = false;
        JsonTarget json;
    };
    Command command(app, "show", "Print mesh, rules, shardings, memory and communication of an experiment");
    const auto options = std::make_shared<Options>();
    command.addFile(options->file);
    command
        .addOption(
            "--tensor", options->tensor, "Print the grid of one tensor, or of all that match a glob: \"params/**\"")
        .optionText("PATH");
    command.addFlag("--all", options->all,
        "Leave nothing out of what is long: rules that nothing uses, all devices, every layer by itself (JSON has them "
        "in any case)");
    command.addJson(options->json);
    command.footer(
        "Exit codes: 0 done; 1 the experiment has errors; 2 arguments, input or output that cannot be used.\n"
        "Warnings do not count.");
    command.run(status, [options] {
        return show(
            options->file, options->tensor, options->all ? Extent::Everything : Extent::Readable, options->json);
    });
}

} // namespace shardscope::cli
