// SPDX-License-Identifier: GPL-3.0-or-later
// The translation context of this folder.
#pragma once

#include <QCoreApplication>

#include "words/utf8.h"

namespace shardscope::words {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Words)
};

} // namespace shardscope::words
