// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetrics>
#include <QString>

namespace shardscope {

/// A path that is shortened to `room` pixels before its last parts, which is what names of one module differ in:
/// "lay…/mlp/kernel", "…/kernel", "kernel". What has no parts, or too long a last one, is shortened in its middle.
[[nodiscard]] QString elidedName(const QString& name, const QFontMetrics& metrics, int room);

} // namespace shardscope
