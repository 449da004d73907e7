// SPDX-License-Identifier: GPL-3.0-or-later
// Two programs side by side: which operations came, are gone, or are other ones.
//
//     y = dot x, W1 of f32[8, 1024] against y = dot x, W1 of f32[16, 1024]: dot_general, 1 changed
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace shardscope {

struct ComparedProgram {
    struct Kind {
        OpKind kind = OpKind::Constant; ///< of a changed one: that of the second program
        std::int64_t added = 0, removed = 0, changed = 0;
        bool operator==(const Kind&) const = default;
    };
    std::vector<Kind> kinds; ///< those that differ, most of them first
    std::int64_t operationsBefore = 0, operationsAfter = 0; ///< in all, those of regions and functions included

    [[nodiscard]] std::int64_t added() const;
    [[nodiscard]] std::int64_t removed() const;
    [[nodiscard]] std::int64_t changed() const;
};

/// Operations are the same where their first named result has the same path; then they changed if their kind, types or
/// attributes did. Of those without a path, and of programs whose values go by the numbers of a text, as many are the
/// same as are of one kind with the same types and attributes; the others of a kind changed as far as both have some.
[[nodiscard]] ComparedProgram comparePrograms(const Program& before, const Program& after);

} // namespace shardscope
