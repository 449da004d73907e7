// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are read at once and replaced atomically.
#pragma once

#include <QByteArray>
#include <QString>
#include <string_view>

#include "base/diagnostics.h"

namespace shardscope {

/// Errors, with the file's name: Unreadable, TooLarge beyond `limit` bytes.
[[nodiscard]] Result<QByteArray> readFile(const QString& path, qint64 limit = qint64{ 64 } << 20);
/// All of it or nothing: what was there stays until everything is written. A device or a pipe is written to, not
/// replaced. Error: Unwritable.
[[nodiscard]] Result<void> writeAtomically(const QString& path, std::string_view text);

} // namespace shardscope
