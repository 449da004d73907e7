// SPDX-License-Identifier: GPL-3.0-or-later
// The sentences of describe() (words/words.h), each file with the codes of a subject. What is returned is empty for
// codes of other subjects, and where there is no more to say of a code than another subject does.
#pragma once

#include "words/words.h"

namespace shardscope::words {

[[nodiscard]] ProblemText describeConfiguration(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeDevices(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeExecution(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeFile(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeForm(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeHosts(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeProgram(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeProgramSharding(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeProgramText(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeSetting(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeSharding(const Diagnostic& diagnostic);
[[nodiscard]] ProblemText describeWarning(const Diagnostic& diagnostic);

/// "stablehlo.add, result 1", "argument 0 of main", "mesh": what of a program the finding is about; empty for findings
/// of other things.
[[nodiscard]] QString programPlace(const Diagnostic& diagnostic);
/// "the 4 devices along model", "8 devices" where the axes are not known.
[[nodiscard]] QString devicesAlong(const Diagnostic& diagnostic);
/// What could be meant by a mesh axis that is not there.
[[nodiscard]] QString knownAxes(const Diagnostic& diagnostic);
/// What would divide: the sizes next to the one that does not, and fewer devices along an axis that shards alone.
[[nodiscard]] QString divisibleSizes(const Diagnostic& diagnostic);

} // namespace shardscope::words
