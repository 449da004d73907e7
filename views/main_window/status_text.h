// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the status bar.
#pragma once

#include <QString>

namespace shardscope {

class Document;

struct StatusText {
    QString solved; ///< "Solved in 3 ms"
    QString devices; ///< "8 devices"
    QString operations; ///< "40 ops, 15 collectives"
    QString sent; ///< "Sent 8.16 MiB per step: 8.00 data, 0.16 model"
    QString sentShort; ///< "Sent 8.16 MiB per step"
    QString hardware; ///< "generic-cpu"
    QString saved; ///< "Unsaved changes"
};
[[nodiscard]] StatusText statusText(const Document& document);

} // namespace shardscope
