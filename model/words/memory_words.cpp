// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/memory_words.h"

#include "experiment/model_settings.h"
#include "program/other_attributes.h"
#include "words/definitions.h"
#include "words/sentence.h"

namespace shardscope::words {

namespace {

QString sized(std::int64_t number)
{
    return bytes(static_cast<double>(number));
}

/// "16 B (128 B in all)".
QString both(const MemoryTransfer& transfer)
{
    return Words::tr("%1 (%2 in all)", "bytes per device, bytes of all devices")
        .arg(sized(transfer.bytesPerDevice), sized(transfer.bytesInAll));
}

QString targetOf(const Operation& operation)
{
    const auto* call = attributesAs<CustomCallAttributes>(operation.attributes);
    return call ? fromStd(call->target) : QString();
}

class Reasoner {
public:
    Reasoner(const Snapshot& snapshot, const TensorRow& row)
        : m_snapshot(snapshot)
        , m_row(row)
        , m_onHost(isOnHost(snapshot, row))
    {
    }

    Text write()
    {
        Sentence s(*m_snapshot.mesh);
        if (const ProgramMemory memory = programMemory(m_snapshot); memory.saysNothing())
            ofExperiment(s);
        else
            ofProgram(s, memory);
        return s.take();
    }

private:
    void say(Sentence& s, const QString& because) const
    {
        s.say(Words::tr("It lies in ")).strong(memoryKind(kind()));
        s.say((m_onHost ? Words::tr(" memory, apart from the memory of the devices, %1.") : Words::tr(" memory, %1."))
                  .arg(because));
    }

    [[nodiscard]] MemoryKind own() const { return defaultMemoryKind(m_snapshot.experiment->hardware.devices.platform); }
    [[nodiscard]] MemoryKind kind() const { return m_row.memoryKind.value_or(own()); }

    void ofExperiment(Sentence& s) const
    {
        const NamedArraySetting* listed = listedArray(*m_snapshot.experiment, m_row.path);
        const bool stated = listed && listed->memoryKind;
        if (!m_onHost && !stated)
            return;
        say(s,
            stated ? Words::tr("as the experiment says of this array")
                   : Words::tr("because the experiment keeps parameters on the host"));
        if (!m_onHost)
            return;
        MemoryTransfer in, back;
        for (const HostTransfer& transfer : hostTransfers(m_snapshot).list)
            if (transfer.value == m_row.value)
                (transfer.cause == HostTransfer::Cause::Declared ? back : in) = transfer.bytes;
        const bool comesIn = in.bytesPerDevice > 0, goesBack = back.bytesPerDevice > 0;
        if (!comesIn && !goesBack) {
            const MemoryTransfer once = memoryTransfer(m_row.layout, byteSize(m_row.type.dtype), kind(), own());
            s.say(
                Words::tr(" To compute with it each device copies its shard from the host, %1; nothing passes between "
                          "devices.")
                    .arg(both(once)));
        } else if (comesIn && goesBack) {
            s.say(Words::tr(" In every step each device copies its shard in, %1, and the new one back to the host, %2; "
                            "nothing passes between devices.")
                      .arg(both(in), both(back)));
        } else if (comesIn) {
            s.say(Words::tr(" In every step each device copies its shard in, %1; nothing passes between devices.")
                      .arg(both(in)));
        } else {
            s.say(Words::tr(" In every step each device copies its new shard to the host, %1; nothing passes between "
                            "devices.")
                      .arg(both(back)));
        }
    }

    void ofProgram(Sentence& s, const ProgramMemory& memory) const
    {
        if (m_row.value.index >= memory.sources.size())
            return;
        const Value& value = m_snapshot.program->value(m_row.value);
        switch (memory.sources[m_row.value.index]) {
        case MemorySource::Nothing:
            return;
        case MemorySource::Argument:
            say(s, Words::tr("as the program says of its argument"));
            break;
        case MemorySource::Placement: {
            const Operation& call = m_snapshot.program->operation(value.definition);
            say(s,
                Words::tr("where %1 brings %2")
                    .arg(targetOf(call), operandName(*m_snapshot.program, call.operands[0])));
            break;
        }
        case MemorySource::Operands:
            if (!m_onHost)
                return;
            say(s, Words::tr("as what it is computed of"));
            break;
        }
        for (const HostTransfer& transfer : hostTransfers(m_snapshot).list) {
            if (transfer.value != m_row.value)
                continue;
            const QString text = transfer.cause == HostTransfer::Cause::Returned
                ? Words::tr(" The program returns it in %1 memory: each device copies its shard there, %2; nothing "
                            "passes between devices.")
                      .arg(memoryKind(transfer.to), both(transfer.bytes))
                : Words::tr(" Each device copies its shard from %1 memory, %2; nothing passes between devices.")
                      .arg(memoryKind(transfer.from), both(transfer.bytes));
            s.say(text);
        }
    }

    const Snapshot& m_snapshot;
    const TensorRow& m_row;
    bool m_onHost;
};

} // namespace

QString memoryKind(MemoryKind kind)
{
    return fromStd(toString(kind));
}

QString memoryPlace(MemoryKind kind)
{
    return Words::tr("in %1 memory", "in pinned_host memory").arg(memoryKind(kind));
}

Text memoryReason(const Snapshot& snapshot, ValueId value)
{
    const TensorRow* row = snapshot.mesh && value.valid() ? snapshot.row(value) : nullptr;
    return row ? Reasoner(snapshot, *row).write() : Text();
}

QString hostMemoryText(const HostMemory& memory)
{
    if (memory.arrays == 0)
        return {};
    return Words::tr("%1 per device in host memory, %2 in all")
        .arg(sized(memory.bytesPerDevice), sized(memory.bytesInAll));
}

QString transferSummary(const HostTransfers& transfers)
{
    const bool in = transfers.toDevices.bytesPerDevice > 0, back = transfers.toHost.bytesPerDevice > 0;
    if (in && back)
        return Words::tr("each device copies %1 from the host and %2 to it")
            .arg(both(transfers.toDevices), both(transfers.toHost));
    if (in)
        return Words::tr("each device copies %1 from the host").arg(both(transfers.toDevices));
    if (back)
        return Words::tr("each device copies %1 to the host").arg(both(transfers.toHost));
    return {};
}

QString transferDirection(const Snapshot& snapshot, const HostTransfer& transfer)
{
    const std::string& platform = snapshot.experiment->hardware.devices.platform;
    const bool fromDevice = isOwnMemory(transfer.from, platform), toDevice = isOwnMemory(transfer.to, platform);
    if (toDevice && !fromDevice)
        return Words::tr("host to device");
    if (fromDevice && !toDevice)
        return Words::tr("device to host");
    return Words::tr("%1 to %2", "from one memory to another").arg(memoryKind(transfer.from), memoryKind(transfer.to));
}

QString transferCause(const Snapshot& snapshot, const HostTransfer& transfer)
{
    switch (transfer.cause) {
    case HostTransfer::Cause::Read:
        return Words::tr("read by the step");
    case HostTransfer::Cause::Declared:
        return Words::tr("made by the step");
    case HostTransfer::Cause::Placement:
        return targetOf(snapshot.program->operation(transfer.operation));
    case HostTransfer::Cause::Returned:
        break;
    }
    return Words::tr("returned");
}

QString transferValue(const Snapshot& snapshot, const HostTransfer& transfer)
{
    return operandName(*snapshot.program, transfer.value);
}

QStringList transferLines(const Snapshot& snapshot, const HostTransfers& transfers, int most)
{
    QStringList lines;
    for (const HostTransfer& transfer : transfers.list) {
        if (lines.size() == most) {
            lines << Words::tr("and %1 more").arg(count(static_cast<qint64>(transfers.list.size()) - most));
            break;
        }
        lines << Words::tr("%1: %2, %3 per device, %4 in all; %5")
                     .arg(transferValue(snapshot, transfer), transferDirection(snapshot, transfer),
                         sized(transfer.bytes.bytesPerDevice), sized(transfer.bytes.bytesInAll),
                         transferCause(snapshot, transfer));
    }
    return lines;
}

QString peakOfLimit(std::int64_t peak, std::int64_t limit)
{
    const QString figure = Words::tr("%1 per device", "so many bytes").arg(sized(peak));
    if (limit <= 0)
        return figure;
    return Words::tr("%1, %2 of %3", "8.2 MiB per device, 51 % of 16 MiB")
        .arg(figure, percent(static_cast<double>(peak) / static_cast<double>(limit)), sized(limit));
}

PeakFigure peakFigure(std::int64_t peak, std::int64_t limit)
{
    const bool isTooMuch = limit > 0 && peak > limit;
    return { peakOfLimit(peak, isTooMuch ? limit : 0), isTooMuch };
}

} // namespace shardscope::words
