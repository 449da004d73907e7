// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for the tests of the core.
#pragma once

#include "core.h"

#include <rapidcheck.h>

#include <QtTest>
