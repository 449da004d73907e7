// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/host_transfers.h"

#include <utility>

#include "pipeline/device_stages.h"
#include "pipeline/memory_placement.h"
#include "program/counted_loop.h"

namespace shardscope {

namespace {

/// Per value whether an operation reads it.
std::vector<bool> readValues(const Program& program)
{
    std::vector<bool> read(program.values.size());
    for (const Operation& operation : program.operations)
        for (const ValueId operand : operation.operands)
            read[operand.index] = true;
    return read;
}

MemoryTransfer times(MemoryTransfer once, std::int64_t count)
{
    return { saturatingProduct(once.bytesPerDevice, count), saturatingProduct(once.bytesInAll, count) };
}

void add(MemoryTransfer& sum, const MemoryTransfer& more)
{
    sum.bytesPerDevice = saturatingSum(sum.bytesPerDevice, more.bytesPerDevice);
    sum.bytesInAll = saturatingSum(sum.bytesInAll, more.bytesInAll);
}

/// Of arrays that the experiment puts on the host: what a step reads comes in, what it makes anew goes back.
void addOfStep(const Snapshot& snapshot, HostTransfers& transfers)
{
    const Program& program = *snapshot.program;
    const MemoryKind own = defaultMemoryKind(snapshot.experiment->hardware.devices.platform);
    const std::vector<bool> read = readValues(program);
    std::vector<HostTransfer> back;
    for (const ValueId argument : program.main().arguments) {
        const TensorRow* row = snapshot.row(argument);
        if (!row || !isOnHost(snapshot, *row))
            continue;
        HostTransfer transfer;
        transfer.value = argument;
        transfer.from = *row->memoryKind;
        transfer.to = own;
        transfer.bytes = memoryTransfer(row->layout, byteSize(row->type.dtype), transfer.from, transfer.to);
        if (read[argument.index])
            transfers.list.push_back(transfer);
        if (!snapshot.deviceStages->state().resultOf(argument))
            continue;
        std::swap(transfer.from, transfer.to);
        transfer.cause = HostTransfer::Cause::Declared;
        back.push_back(transfer);
    }
    transfers.list.insert(transfers.list.end(), back.begin(), back.end());
}

/// Of a value without a row: as it was propagated.
Layout layoutOf(const Snapshot& snapshot, ValueId value)
{
    if (const TensorRow* row = snapshot.row(value))
        return row->layout;
    const TensorType& type = snapshot.program->value(value).type;
    const std::vector<TensorSharding>& all = snapshot.propagation->shardings;
    const bool fits = value.index < all.size() && all[value.index].rank() == type.rank();
    return Layout(snapshot.mesh, fits ? all[value.index] : TensorSharding::fullyReplicated(type.rank()), type.shape);
}

/// Moves that the program says itself.
void addOfProgram(const Snapshot& snapshot, const ProgramMemory& memory, HostTransfers& transfers)
{
    const Program& program = *snapshot.program;
    if (memory.moves.empty())
        return;
    const std::vector<Executions> executions = executionsOf(program);
    for (const MemoryMove& move : memory.moves) {
        const TensorType& type = program.value(move.value).type;
        if (!isTensor(type.dtype))
            continue;
        HostTransfer transfer;
        // A move keeps the name that people know: that of its result may be a number only.
        transfer.value = move.operation.valid() ? move.result : move.value;
        transfer.cause = move.operation.valid() ? HostTransfer::Cause::Placement : HostTransfer::Cause::Returned;
        transfer.from = move.from;
        transfer.to = move.to;
        transfer.bytes = memoryTransfer(layoutOf(snapshot, move.value), byteSize(type.dtype), move.from, move.to);
        transfer.operation = move.operation;
        if (move.operation.valid()) {
            const Executions& runs = executions[move.operation.index];
            transfer.times = runs.times;
            transfer.timesKnown = runs.known;
            if (runs.times == 0)
                continue; // nobody calls it
        }
        transfers.list.push_back(transfer);
    }
}

} // namespace

HostMemory hostMemory(const Snapshot& snapshot)
{
    HostMemory memory;
    for (const TensorRow& row : snapshot.tensors) {
        if (snapshot.program->value(row.value).definition.valid() || !isOnHost(snapshot, row))
            continue;
        ++memory.arrays;
        memory.bytesPerDevice = saturatingSum(memory.bytesPerDevice, row.bytesPerDevice);
        memory.bytesInAll =
            saturatingSum(memory.bytesInAll, saturatingProduct(row.bytesPerDevice, row.layout.mesh().deviceCount()));
    }
    return memory;
}

HostTransfers hostTransfers(const Snapshot& snapshot)
{
    HostTransfers transfers;
    if (!snapshot.laidOut())
        return transfers;
    if (const ProgramMemory memory = programMemory(snapshot); memory.saysNothing())
        addOfStep(snapshot, transfers);
    else
        addOfProgram(snapshot, memory, transfers);
    const std::string& platform = snapshot.experiment->hardware.devices.platform;
    for (const HostTransfer& transfer : transfers.list) {
        const MemoryTransfer perStep = times(transfer.bytes, transfer.times);
        const bool fromOwn = isOwnMemory(transfer.from, platform), toOwn = isOwnMemory(transfer.to, platform);
        if (toOwn && !fromOwn)
            add(transfers.toDevices, perStep);
        else if (fromOwn && !toOwn)
            add(transfers.toHost, perStep);
    }
    return transfers;
}

std::string_view causeId(const HostTransfer& transfer)
{
    constexpr std::string_view causes[] = { "read", "written", "placement", "returned" }; // by Cause
    return causes[static_cast<std::size_t>(transfer.cause)];
}

} // namespace shardscope
