// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/change.h"

#include <string_view>
#include <unordered_map>

namespace shardscope {

std::int64_t stateBytes(const Snapshot& snapshot)
{
    std::int64_t bytes = 0;
    for (const TensorRow& row : snapshot.tensors)
        if (row.role == Role::Parameter || row.role == Role::Gradient || row.role == Role::Mu || row.role == Role::Nu)
            bytes = saturatingSum(bytes, row.bytesPerDevice);
    return bytes;
}

Change changeBetween(const Snapshot& before, const Snapshot& after)
{
    Change change;
    const auto count = [&change](const TensorRow& row) {
        ++(row.role == Role::Parameter ? change.parameters : change.others);
    };
    std::unordered_map<std::string_view, const TensorRow*> rows;
    for (const TensorRow& row : before.tensors)
        rows.emplace(row.path, &row);
    for (const TensorRow& row : after.tensors) {
        const auto found = rows.find(row.path);
        if (found == rows.end()) {
            count(row);
            continue;
        }
        const TensorRow& old = *found->second;
        if (!(old.spec == row.spec) || old.layout.shardShape() != row.layout.shardShape() || old.copies != row.copies)
            count(row);
        rows.erase(found);
    }
    for (const auto& [path, gone] : rows)
        count(*gone);
    change.stateBytesBefore = stateBytes(before);
    change.stateBytesAfter = stateBytes(after);
    if (before.ok())
        change.sentBefore = before.sent.step;
    if (after.ok())
        change.sentAfter = after.sent.step;
    return change;
}

} // namespace shardscope
