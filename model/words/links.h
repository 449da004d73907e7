// SPDX-License-Identifier: GPL-3.0-or-later
// Where a word in a sentence leads: to a value, an operation, a step of propagation, a rule. As text, so that a span
// can carry it: "value:layers.0/y", "operation:%26", "step:12", "rule:1".
#pragma once

#include <QString>
#include <optional>

#include "program/program.h"

namespace shardscope::words {

struct Link {
    enum class Kind : std::uint8_t { Value, Operation, Step, Rule };
    Kind kind = Kind::Value;
    QString name; ///< of a value its path, of an operation what operationPath() says
    int number = -1; ///< of a step; of a rule its index
    bool operator==(const Link&) const = default;
};

/// To the value; to the operation that makes it where it has no name. "" where there is neither.
[[nodiscard]] QString valueLink(const Program& program, ValueId value);
[[nodiscard]] QString operationLink(const Program& program, OperationId operation);
[[nodiscard]] QString stepLink(std::uint32_t step);
[[nodiscard]] QString ruleLink(int rule);
/// Nothing for a text that is none.
[[nodiscard]] std::optional<Link> readLink(const QString& link);

} // namespace shardscope::words
