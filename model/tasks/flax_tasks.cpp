// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks of "Flax: parallel training" and of flax.linen.spmd.
// Declared in task_lists.h.
#include "experiment/edits.h"
#include "experiment/rule_edits.h"
#include "tasks/task_lists.h"

namespace shardscope {

namespace {

constexpr std::int64_t mebi = 1024 * 1024;

Result<Experiment> modelOverAllDevices(const Experiment& start)
{
    return withAxisSizes(start, { 1, 8 });
}

Result<Experiment> fourByTwoForALargeBatch(const Experiment& start)
{
    SHARDSCOPE_TRY(larger, withDimension(start, "batch", 2048));
    return withAxisSizes(*larger, { 4, 2 });
}

Result<Experiment> embedOverData(const Experiment& start)
{
    return withNameMapped(start, "embed", SpecEntry::axis("data"));
}

Result<Experiment> layersOverData(const Experiment& start)
{
    return withNameMapped(start, "layers", SpecEntry::axis("data"));
}

Result<Experiment> secondRuleFirst(const Experiment& start)
{
    return withRuleMoved(start, RuleList{}, 1, 0);
}

Result<Experiment> featuresOverTheFreeAxis(const Experiment& start)
{
    return withRuleReplaced(start, RuleList{}, 1, LogicalRule{ LogicalName::of("features"), SpecEntry::axis("Z") });
}

Result<Experiment> lastRuleFirst(const Experiment& start)
{
    return withRuleMoved(start, RuleList{}, 2, 0);
}

Result<Experiment> anotherRuleForMlp(const Experiment& start)
{
    return withRuleInserted(start, RuleList{}, 2, LogicalRule{ LogicalName::of("mlp"), SpecEntry::axis("tensor") });
}

Result<Experiment> onTpus(const Experiment& start)
{
    return withPlatform(start, "tpu");
}

} // namespace

std::vector<Task> flaxNotebookTasks()
{
    constexpr std::string_view group = "flax-notebook";
    using Goal = Condition::Kind;
    return {
        { "fit-the-step", group, "flax-mlp-logical",
            "Can the train step fit under 20 MiB per device with at most 8 all-reduces?",
            "Gradients are added up along data, and each device holds one part of a weight along model. Change the "
            "sizes of "
            "the mesh's axes.",
            { { Goal::PeakAtMost, {}, 20 * mebi }, { Goal::CollectivesAtMost, "all_reduce", 8 }, { Goal::DevicesKept },
                { Goal::ModelKept } },
            &modelOverAllDevices },
        { "large-batch", group, "flax-mlp-logical",
            "Which mesh of 8 devices sends at most 40 MiB per step at a batch of 2,048?",
            "Activations grow with the batch, gradients do not. Set the batch under Model, then try the meshes.",
            { { Goal::SizeAtLeast, "batch", 2048 }, { Goal::SentAtMost, {}, 40 * mebi }, { Goal::DevicesKept },
                { Goal::ModelKept, "batch" } },
            &fourByTwoForALargeBatch },
        { "every-weight-once", group, "flax-mlp-logical", "Which rule leaves no weight on two devices?",
            "A logical name of the weights has no rule yet, and one mesh axis does not shard them yet.",
            { { Goal::CopiesAtMost, {}, 1 }, { Goal::MeshKept }, { Goal::ModelKept } }, &embedOverData },
        { "shard-the-layers", group, "flax-mlp-scan",
            "Can each half of the devices hold two of the four scanned layers?",
            "Scanning the layers gave every parameter a dimension in front, and no rule names it.",
            { { Goal::ShardedByRule, "params/layers/W1", 0, {}, "layers", "data" }, { Goal::CopiesAtMost, {}, 1 },
                { Goal::MeshKept }, { Goal::ModelKept } },
            &layersOverData },
    };
}

std::vector<Task> flaxSpmdTasks()
{
    constexpr std::string_view group = "flax-spmd";
    using Goal = Condition::Kind;
    return {
        { "order-of-rules", group, "rule-lab", "Can the same four rules shard features over X and batch over Z?",
            "The first rule that asks for a mesh axis gets it. Drag a rule, or press Alt+Up.",
            { { Goal::ShardedByRule, "array", 0, {}, "features", "X" },
                { Goal::ShardedByRule, "array", 0, {}, "batch", "Z" }, { Goal::RulesKept }, { Goal::MeshKept } },
            &secondRuleFirst },
        { "use-every-axis", group, "rule-lab", "Can features be sharded, and batch stay on X?",
            "One mesh axis shards nothing yet. Give it to the rule that was skipped.",
            { { Goal::ArrayLaidOut, "array", 0, "P(X, -, Y, Z)" }, { Goal::AxesUsed }, { Goal::MeshKept },
                { Goal::ModelKept } },
            &featuresOverTheFreeAxis },
        { "nothing-everywhere", group, "rule-lab-null", "Which order of the rules leaves no parameter on all devices?",
            "A rule to None sets its dimension, too: later rules of the same name do not count any more.",
            { { Goal::NoneReplicated }, { Goal::AxesUsed }, { Goal::RulesKept }, { Goal::MeshKept } }, &lastRuleFirst },
        { "rest-of-a-tuple", group, "rule-lab-tuple",
            "How can mlp still get the axis tensor where its tuple is refused?",
            "A tuple is all or nothing. A further rule of the same name is tried where the first one was skipped.",
            { { Goal::ArrayLaidOut, "mlp/wi/kernel", 0, "P((fsdp, fsdp_transpose), tensor)" },
                { Goal::CopiesAtMost, {}, 1 }, { Goal::MeshKept }, { Goal::ModelKept } },
            &anotherRuleForMlp },
        { "constraints-that-apply", group, "rule-lab-cpu", "What do the constraints need to have any effect?",
            "Logical constraints do nothing on CPU devices. The menu Experiment has the platform.",
            { { Goal::ConstraintsApply }, { Goal::MeshKept }, { Goal::ModelKept } }, &onTpus },
    };
}

} // namespace shardscope
