// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for the command line.
#pragma once

#include "core.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <QtCore>
