// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "program/op_row.h"
#include "report.h"
#include "words/memory_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

Json bytesJson(const MemoryTransfer& transfer)
{
    return { { "bytes_per_device", transfer.bytesPerDevice }, { "bytes_in_all", transfer.bytesInAll } };
}

std::string operationOf(const PlannedMemory& memory, OperationId operation)
{
    return operation.valid() ? std::string(qualifiedName(memory.program->operation(operation))) : std::string();
}

QString capitalised(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

} // namespace

void printPlannedMemory(Console& console, const PlannedMemory& memory)
{
    console.heading(QStringLiteral("Memory per device"));
    console.line(
        QStringLiteral("  planned: %1, %2").arg(exactBytes(memory.memory.peakBytes), words::peakPlace(memory)));
    if (const QString without = words::peakWithoutKept(memory.memory); !without.isEmpty())
        console.line(QStringLiteral("  ") + without, Emphasis::Faint);
    Table owners{ "Owner", "At the peak>", "Bytes>" };
    for (std::size_t i = 0; i < ownerCount; ++i)
        if (const std::int64_t bytes = memory.memory.atPeak[i]; bytes > 0)
            owners.rows.push_back({ words::owner(static_cast<Owner>(i), *memory.program),
                words::bytes(static_cast<double>(bytes)), words::count(bytes) });
    if (!owners.rows.empty())
        console.table(owners);
    if (memory.memory.atPeak[static_cast<std::size_t>(Owner::Buffers)] > 0)
        console.line(
            QStringLiteral("  buffers: values without a name or a role, and copies for collectives; element-wise "
                           "chains are fused here, and XLA fuses more"),
            Emphasis::Faint);
    constexpr std::size_t maxShown = 8;
    Table table{ "Largest", "On a device", "Held as", "Bytes>" };
    for (std::size_t i = 0; i < std::min(memory.arrays.size(), maxShown); ++i) {
        const PlannedMemory::Array& array = memory.arrays[i];
        table.rows.push_back({ words::heldName(memory, array), words::fromStd(toString(array.type)),
            words::owner(array.owner, *memory.program), words::bytes(static_cast<double>(array.bytes)) });
    }
    if (!table.rows.empty())
        console.table(table);
    if (memory.arrays.size() > maxShown)
        console.line(
            QStringLiteral("  and %1 more")
                .arg(words::counted(static_cast<qint64>(memory.arrays.size() - maxShown), words::Noun::Array)));
    if (memory.dependsOnData)
        console.line(QStringLiteral("  which branches run is known by a run alone: planned is "
                                    "the case with the highest peak"));
}

Json plannedMemoryJson(const PlannedMemory& memory)
{
    Json arrays = Json::array();
    for (const PlannedMemory::Array& array : memory.arrays) {
        Json row{ { "tensor", array.path }, { "owner", ownerId(array.owner) }, { "copy", array.isCopy },
            { "type", toString(array.type) }, { "bytes", array.bytes } };
        if (array.maker.valid())
            row["operation"] = operationOf(memory, array.maker);
        arrays.push_back(std::move(row));
    }
    Json peak = nullptr;
    if (memory.peakOperation.valid())
        peak = { { "operation", operationOf(memory, memory.peakOperation) }, { "tensor", memory.peakPath },
            { "number", std::max(memory.memory.peakInstruction, 0) + 1 }, { "of", memory.moments.size() } };
    Json out = toJson(memory.memory);
    out["depends_on_data"] = memory.dependsOnData;
    out["peak"] = std::move(peak);
    out["arrays"] = std::move(arrays);
    return out;
}

void printHostMemory(Console& console, const Snapshot& snapshot)
{
    const HostMemory memory = hostMemory(snapshot);
    if (memory.arrays == 0)
        return;
    console.line();
    console.line(QStringLiteral("  ") + words::hostMemoryText(memory)
        + QStringLiteral(" (%1).").arg(words::counted(memory.arrays, words::Noun::Array)));
}

void printTransfers(Console& console, const Snapshot& snapshot)
{
    const HostTransfers transfers = hostTransfers(snapshot);
    if (transfers.empty())
        return;
    Table table{ "Value", "Direction", "From", "To", "Per device>", "In all>", "Times>", "Cause" };
    for (const HostTransfer& transfer : transfers.list)
        table.rows.push_back({ words::transferValue(snapshot, transfer), words::transferDirection(snapshot, transfer),
            words::memoryKind(transfer.from), words::memoryKind(transfer.to),
            words::bytes(static_cast<double>(transfer.bytes.bytesPerDevice)),
            words::bytes(static_cast<double>(transfer.bytes.bytesInAll)),
            transfer.timesKnown ? words::count(transfer.times)
                                : QStringLiteral("%1 × ?").arg(words::count(transfer.times)),
            words::transferCause(snapshot, transfer) });
    console.heading(QStringLiteral("Transfers between memories"));
    console.table(table);
    console.line();
    if (const QString sum = words::transferSummary(transfers); !sum.isEmpty())
        console.line(QStringLiteral("%1 per step; nothing of that passes between devices.").arg(capitalised(sum)));
}

Json hostMemoryJson(const Snapshot& snapshot)
{
    const HostMemory memory = hostMemory(snapshot);
    return { { "bytes_per_device", memory.bytesPerDevice }, { "bytes_in_all", memory.bytesInAll },
        { "array_count", memory.arrays } };
}

Json transfersJson(const Snapshot& snapshot)
{
    const HostTransfers transfers = hostTransfers(snapshot);
    Json list = Json::array();
    for (const HostTransfer& transfer : transfers.list) {
        Json row{ { "tensor", *snapshot.program->value(transfer.value).path }, { "from", toString(transfer.from) },
            { "to", toString(transfer.to) }, { "cause", causeId(transfer) } };
        row.update(bytesJson(transfer.bytes));
        row["times"] = transfer.times;
        row["times_known"] = transfer.timesKnown;
        list.push_back(std::move(row));
    }
    return { { "to_devices", bytesJson(transfers.toDevices) }, { "to_host", bytesJson(transfers.toHost) },
        { "list", std::move(list) } };
}

} // namespace shardscope::cli
