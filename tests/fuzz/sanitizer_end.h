// SPDX-License-Identifier: GPL-3.0-or-later
// A sanitizer that finds something ends the process where it stands: no exception, no atexit. In builds with one, a
// function can still be called before.
#pragma once

namespace shardscope::fuzz {

/// Has `last` called before a sanitizer ends the process. Nothing in builds without a sanitizer.
void onSanitizerEnd(void (*last)());

} // namespace shardscope::fuzz
