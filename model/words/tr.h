// SPDX-License-Identifier: GPL-3.0-or-later
// The translation context of this folder.
#pragma once

#include <QCoreApplication>

namespace shardscope::words {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Words)
};

[[nodiscard]] inline QString fromStd(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace shardscope::words
