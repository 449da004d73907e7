// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/first_selection.h"

#include <algorithm>

#include "pipeline/collective_list.h"

namespace shardscope {

namespace {

const TensorRow* rowOfCollective(const Snapshot& snapshot, const CollectiveEntry& entry)
{
    const ProgramPtr& program = snapshot.collectives->program;
    return entry.value.valid() && entry.value.index < program->values.size()
        ? snapshot.row(*program->value(entry.value).path)
        : nullptr;
}

} // namespace

int firstCollective(const Snapshot& snapshot)
{
    int largest = -1;
    if (!snapshot.source->guessesRoles || !snapshot.collectives)
        return largest;
    double most = 0;
    for (std::size_t i = 0; i < snapshot.collectives->entries.size(); ++i) {
        const CollectiveEntry& entry = snapshot.collectives->entries[i];
        if (const double sent = entry.sentPerStep().value(); sent > most && rowOfCollective(snapshot, entry)) {
            most = sent;
            largest = static_cast<int>(i);
        }
    }
    return largest;
}

const TensorRow* firstSelection(const Snapshot& snapshot)
{
    if (const int collective = firstCollective(snapshot); collective >= 0)
        return rowOfCollective(snapshot, snapshot.collectives->entries[static_cast<std::size_t>(collective)]);
    const std::vector<TensorRow>& rows = snapshot.tensors;
    const auto parameter = std::find_if(rows.begin(), rows.end(),
        [&](const TensorRow& row) { return !snapshot.source->guessesRoles && row.role == Role::Parameter; });
    if (parameter != rows.end())
        return &*parameter;
    const auto largest = std::max_element(rows.begin(), rows.end(), [](const TensorRow& a, const TensorRow& b) {
        const bool shardedA = a.layout.distinctShards() > 1, shardedB = b.layout.distinctShards() > 1;
        return std::pair(shardedA, a.bytesInAll) < std::pair(shardedB, b.bytesInAll); // the first one of equals
    });
    return largest == rows.end() ? nullptr : &*largest;
}

} // namespace shardscope
