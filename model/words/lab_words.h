// SPDX-License-Identifier: GPL-3.0-or-later
// What the sharding laboratory says.
#pragma once

#include <QString>
#include <QStringList>

#include "experiment/lab_state.h"

namespace shardscope::lab {

/// What a text form is called, and what it says.
struct FormWords {
    QString name, tip;
};
[[nodiscard]] FormWords formWords(ShardingForm form);
/// Why a form stays empty; "" where it has its text.
[[nodiscard]] QString whyEmpty(const LabForm& form);
/// "The text cannot be read: …. Write …": cause and remedy of what was typed.
[[nodiscard]] QString problemText(const Error& error);

/// "f32[8, 16] → [4, 4]".
[[nodiscard]] QString arrayText(const LabResult& result);
/// "64 B per device, 512 B in all".
[[nodiscard]] QString bytesText(const LabResult& result);
/// "8 different shards on 8 devices, one copy of each; not fully replicated."
[[nodiscard]] QString holdersText(const LabResult& result);
/// JAX's is_fully_addressable: "Fully addressable: one host has all 8 devices."
[[nodiscard]] QString addressableText(const LabResult& result, const LabDevices& devices);
/// "In unpinned_host memory, the default of cpu devices."
[[nodiscard]] QString memoryText(const LabResult& result, const LabDevices& devices);
/// "rows: 10 on 4 devices, 2 of 12 are padding. JAX refuses …"; "" where everything divides.
[[nodiscard]] QString unevenText(const LabResult& result);
/// "devices (8) → reshape (2, 4) → replicate (1, 4), 2 copies".
[[nodiscard]] QString stepsText(const std::vector<PositionalStep>& steps);

/// "rows 0–3, columns 0–15"; "all of it" for a scalar.
[[nodiscard]] QString rangesText(const std::vector<IndexRange>& ranges, const LabResult& result);
struct Verdict {
    QString title; ///< "Different"
    QString sentence; ///< why, with the first device that differs
};
[[nodiscard]] Verdict verdict(const ShardingComparison& comparison, const LabResult& a, const LabResult& b);
/// Rows of a table of the two: what is compared, of A, of B.
[[nodiscard]] std::vector<QStringList> facts(const LabResult& a, const LabResult* b);

} // namespace shardscope::lab
