// SPDX-License-Identifier: GPL-3.0-or-later
// Text of the model as text of Qt.
#pragma once

#include <QString>
#include <string_view>

namespace shardscope::words {

[[nodiscard]] inline QString fromStd(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace shardscope::words
