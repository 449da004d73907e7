// SPDX-License-Identifier: GPL-3.0-or-later
// Devices, their order in a mesh and what hosts have of it, in sentences.
#pragma once

#include <QString>
#include <QStringList>

#include "analysis/host_share.h"
#include "mesh/axis_path.h"
#include "mesh/device_array.h"
#include "mesh/submesh_failure.h"

namespace shardscope::words {

/// "64 chips, 64 devices, 16 hosts of 2 × 2 × 1, 1 slice"; "8 devices, 2 hosts of 4".
[[nodiscard]] QString deviceFacts(const DeviceSet& devices);
/// Which directions wrap around: "x, y and z wrap around: …".
[[nodiscard]] QString wrapText(const DeviceSet& devices);
/// "create_device_mesh", "in id order", "as in the file".
[[nodiscard]] QString orderName(const MeshSetting& mesh);
/// Why the devices stand as they do, one sentence per decision.
[[nodiscard]] QStringList orderReason(const MeshSetting& mesh, const MeshReason& reason);
/// "model: 4 devices to a group, a ring: every step is one link, the way back too."
[[nodiscard]] QString axisSteps(const QString& axis, const AxisSteps& steps, bool slices);

/// "x: 3 does not divide 4; what is hatched is left over.": what the map shows of a submesh that cannot be.
[[nodiscard]] QString submeshFailureText(const SubmeshFailure& failure, const SubmeshFailure::Part& part);

/// "Host 3: row 3 of data, all of model; chunk 4 of 4 along data. Its devices: d12–d15."
[[nodiscard]] QString hostTitle(const HostIndex& index, const HostShare& chunks);
/// "It writes 12 MiB of the 48 MiB of the train state to a checkpoint." or why it writes nothing.
[[nodiscard]] QString hostWrites(const HostShare& chunks);
/// "It addresses 4 of the 8 devices: arrays that lie on all of them are not fully addressable there."
[[nodiscard]] QString hostAddresses(const HostIndex& index, const HostShare& chunks);
/// "Of the batch of 64 rows it reads rows 16–31, part 2 of 4 along data."
[[nodiscard]] QString hostBatch(const HostBatch& batch);
/// What the host has of an array, by dimension: "0–1023, 256–511", "all, 256–511"; "full array" where that is all of
/// it; "shards 0, 2 of 8" where it is no block.
[[nodiscard]] QString chunkText(const HostArray& array, const TensorRow& tensor);
/// "1 MiB" that the host writes of it, "host 0 writes it", "not in checkpoints".
[[nodiscard]] QString writesText(const HostArray& array, std::int32_t host);
/// What the host has of an array, in several lines.
[[nodiscard]] QString hostArrayTip(const HostArray& array, const TensorRow& tensor);

} // namespace shardscope::words
