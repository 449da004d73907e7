// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit would change, in one line, before it is made.
#pragma once

#include <QString>

#include "experiment/experiment.h"

namespace shardscope {

class Document;

/// "8 weights change, 32 → 64 MiB per device, sent 8.16 → 24.1 MiB per step". Bytes are those of parameters,
/// gradients and moments. Analyses the experiment in place, so it is meant for moments when a person waits for it.
[[nodiscard]] QString editPreview(Document& document, const Experiment& after);

} // namespace shardscope
