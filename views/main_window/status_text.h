// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the status bar.
#pragma once

#include <QString>
#include <span>

#include "base/diagnostics.h"

namespace shardscope {

class Document;

struct StatusText {
    QString problems; ///< "1 error, 2 warnings"; "No problems"
    int errors = 0, warnings = 0;
    QString solved; ///< "Not solved" where there are errors, else empty
    QString devices; ///< "8 devices"
    QString operations; ///< "40 ops, 15 collectives"
    QString sent; ///< "Sent 8.16 MiB per step: 8.00 data, 0.16 model"
    QString sentShort; ///< "Sent 8.16 MiB per step"
    QString hardware; ///< "generic-cpu"
    QString saved; ///< "Unsaved changes"
};
/// `messages` are problems of another kind that stand beside those of the analysis.
[[nodiscard]] StatusText statusText(const Document& document, std::span<const Diagnostic> messages = {});

} // namespace shardscope
