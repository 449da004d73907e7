// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>

#include "base/codes.h"

Q_DECLARE_METATYPE(shardscope::Code)
