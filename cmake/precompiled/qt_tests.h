// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for the tests of the window.
#pragma once

#include "core.h"

#include <QtTest>
#include <QtWidgets>
