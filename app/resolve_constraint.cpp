// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in resolve.h.
#include "resolve.h"
#include "sharding/text.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

QString constraintEffect(const Ruling& ruling, const Result<ConstraintAction>& action)
{
    if (!action)
        return QStringLiteral("an error, %1").arg(words::fromStd(action.error().id()));
    if (action->constrain)
        return QStringLiteral("constrains the value to %1%2")
            .arg(words::fromStd(toJax(action->spec, false)),
                ruling.boxed ? QStringLiteral(", by the rules of the variable alone") : QString());
    if (constraintRules(ruling).list.empty())
        return QStringLiteral("no rules are bound: the value is left alone");
    if (ruling.constraintMesh == ConstraintMesh::None)
        return QStringLiteral("no mesh is set where the model is traced: the value is left alone");
    if (!passesGate(ruling))
        return QStringLiteral("the platform is cpu: the Flax of 2024 leaves the value alone");
    return QStringLiteral("no constraint: a dimension has no usable rule, and the value is left alone");
}

} // namespace

bool passesGate(const Ruling& ruling)
{
    return constraintApplies({ ruling.platform, ruling.constraintMesh == ConstraintMesh::Context,
                                 ruling.constraintMesh == ConstraintMesh::Own },
        ruling.version);
}

const LogicalRules& constraintRules(const Ruling& ruling)
{
    return ruling.boxed ? *ruling.boxed : ruling.rules;
}

QString constraintText(const Ruling& ruling, const Result<ConstraintAction>& action)
{
    if (ruling.mapping)
        return QStringLiteral("name_to_name_sharding: every name takes its mesh axes, whatever the order");
    if (ruling.own)
        return QStringLiteral("nnx.get_partition_spec: the rules of the context and of the variable rename; a name "
                              "without a rule is a mesh axis");
    const bool applies = ruling.unboxes.value_or(true);
    const QString call = !ruling.unboxes ? QStringLiteral("with_logical_constraint: %1")
        : applies                        ? QStringLiteral("unbox(apply_constraint=True): %1")
                                         : QStringLiteral("unbox(apply_constraint=False): %1");
    return call.arg(applies ? constraintEffect(ruling, action) : QStringLiteral("the value is left alone"));
}

} // namespace shardscope::cli
