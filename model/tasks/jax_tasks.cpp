// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks of "JAX: parallel programming".
// Declared in task_lists.h.
#include "experiment/edits.h"
#include "tasks/task_lists.h"

namespace shardscope {

namespace {

Result<Experiment> sumColumnsOverY(const Experiment& start)
{
    return withNameMapped(start, "columns_constrained", SpecEntry::axis("y"));
}

Result<Experiment> columnsOverBothAxes(const Experiment& start)
{
    return withValueSharding(start, "arg0", "[{}, {\"x\", \"y\"}]");
}

Result<Experiment> constrainedWhereItLies(const Experiment& start)
{
    return withValueSharding(start, "1", "[{\"y\"}]");
}

} // namespace

std::vector<Task> jaxTasks()
{
    constexpr std::string_view group = "jax";
    using Goal = Condition::Kind;
    return {
        { "a-quarter-of-the-sum", group, "jax-data-sharding",
            "Can a device hold a quarter of the constrained sum instead of half?",
            "The mesh axis y has four devices. Map the name of that dimension to it.",
            { { Goal::ArrayAtMost, "f_contract_2", 8 }, { Goal::MeshKept }, { Goal::ModelKept } }, &sumColumnsOverY },
        { "a-sum-without-sending", group, "jax-contraction",
            "How must the array lie so that its sum needs no communication, at 16 bytes per device?",
            "The sum runs over the rows. Where every device has all rows of its columns nothing is left to add up.",
            { { Goal::SentAtMost, {}, 0 }, { Goal::ArrayAtMost, "arg0", 16 }, { Goal::MeshKept }, { Goal::ModelKept } },
            &columnsOverBothAxes },
        { "a-cheaper-constraint", group, "jax-constrained-contraction",
            "Which constraint on the sum sends 8 bytes instead of 24?",
            "The compiler leaves the sum along y. A constraint that asks for the same place moves nothing.",
            { { Goal::SentAtMost, {}, 8 }, { Goal::ArrayAtMost, "1", 8 }, { Goal::ArrayAtMost, "arg0", 16 },
                { Goal::MeshKept }, { Goal::ModelKept } },
            &constrainedWhereItLies },
    };
}

} // namespace shardscope
