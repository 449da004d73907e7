// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for the window.
#pragma once

#include "core.h"

#include <QtWidgets>
