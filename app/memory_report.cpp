// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_report.h"

#include "words/memory_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

Json bytesJson(const MemoryTransfer& transfer)
{
    return { { "bytes_per_device", transfer.bytesPerDevice }, { "bytes_in_all", transfer.bytesInAll } };
}

const char* causeOf(HostTransfer::Cause cause)
{
    switch (cause) {
    case HostTransfer::Cause::Read:
        return "read";
    case HostTransfer::Cause::Written:
        return "written";
    case HostTransfer::Cause::Placement:
        return "placement";
    case HostTransfer::Cause::Returned:
        break;
    }
    return "returned";
}

QString capitalised(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

} // namespace

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
    Table table{ { { QStringLiteral("Value") }, { QStringLiteral("Direction") }, { QStringLiteral("From") },
                     { QStringLiteral("To") }, { QStringLiteral("Per device"), true },
                     { QStringLiteral("In all"), true }, { QStringLiteral("Times"), true },
                     { QStringLiteral("Cause") } },
        {} };
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
        { "arrays", memory.arrays } };
}

Json transfersJson(const Snapshot& snapshot)
{
    const HostTransfers transfers = hostTransfers(snapshot);
    Json list = Json::array();
    for (const HostTransfer& transfer : transfers.list) {
        Json row{ { "tensor", *snapshot.program->value(transfer.value).path }, { "from", toString(transfer.from) },
            { "to", toString(transfer.to) }, { "cause", causeOf(transfer.cause) } };
        row.update(bytesJson(transfer.bytes));
        row["times"] = transfer.times;
        row["times_known"] = transfer.timesKnown;
        list.push_back(std::move(row));
    }
    return { { "to_devices", bytesJson(transfers.toDevices) }, { "to_host", bytesJson(transfers.toHost) },
        { "list", std::move(list) } };
}

} // namespace shardscope::cli
