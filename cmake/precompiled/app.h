// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for the command line.
#pragma once

#include "core.h"

#include <nlohmann/json.hpp>

#include <QtCore>
