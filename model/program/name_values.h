// SPDX-License-Identifier: GPL-3.0-or-later
// Paths for the values of a program that was read: those under which a printed text shows them.
#pragma once

#include "program/program.h"

namespace shardscope {

/// Every value that stands in the program gets a path: "arg0" and "12" ("12:1" for the second result of an operation)
/// in main, "f/arg0" in the function f; numbers count through a function with all its regions. Arguments and results of
/// main become inputs and activations, which views list; the others stay temporary. Other paths go.
void nameValues(Program& program);

} // namespace shardscope
