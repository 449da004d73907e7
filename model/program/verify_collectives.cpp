// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's collectives: what each makes of its operand's sharding, and whether it says so.
// Declared in verify_findings.h.
#include <algorithm>
#include <optional>

#include "base/codes.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/program_mesh.h"
#include "program/unreduced_axes.h"
#include "program/verify_findings.h"

namespace shardscope::verification {

namespace {

using Dims = std::vector<AxisList>;

Dims dimsOf(const TensorSharding& sharding)
{
    Dims dims;
    for (const DimensionSharding& dim : sharding.dims)
        dims.push_back(dim.axes);
    return dims;
}

/// What is left of `axes` when `suffix` is taken off their end; the suffix may cut the axis where it begins.
std::optional<AxisList> withoutSuffix(AxisList axes, const AxisList& suffix)
{
    for (std::size_t i = suffix.size(); i-- > 0;) {
        if (axes.empty())
            return {};
        const AxisRef last = axes.back();
        if (last == suffix[i]) {
            axes.pop_back();
        } else if (i == 0 && isSuffixOf(suffix[i], last) && suffix[i].pre % last.pre == 0) {
            axes.back().size = suffix[i].pre / last.pre;
        } else {
            return {};
        }
    }
    return axes;
}

AxisList sortedMerged(AxisList list)
{
    std::sort(list.begin(), list.end());
    AxisList merged;
    for (const AxisRef ref : list)
        appendMerged(merged, ref);
    return merged;
}

class CollectiveCheck {
public:
    CollectiveCheck(const Program& program, const Operation& operation, const SdyCollectiveAttributes& attributes,
        const ProgramSharding* operand, const Report& report)
        : m_program(program)
        , m_operation(operation)
        , m_attributes(attributes)
        , m_operand(operand)
        , m_mesh(program.meshes[attributes.out.mesh])
        , m_report(report)
    {
    }

    void run(bool outIsLegal)
    {
        const OpKind kind = m_operation.kind;
        const bool mayLackOperand =
            kind == OpKind::SdyAllSlice || kind == OpKind::SdyAllReduce || kind == OpKind::SdyReduceScatter;
        const bool listsAreLegal = checkLists();
        if (!m_operand && !mayLackOperand) {
            wrong("operand_sharding");
            return;
        }
        if (m_operand && !checkMeshes())
            return;
        checkKind();
        if (!outIsLegal || !listsAreLegal)
            return; // nothing to compare
        m_from = m_operand ? m_operand->sharding : TensorSharding::fullyReplicated(m_attributes.out.sharding.rank());
        if (m_from.rank() != m_attributes.out.sharding.rank())
            return; // reported at the operand
        checkEffect();
        checkReductions();
    }

private:
    void wrong(const char* what, std::vector<Arg> more = {}) const
    {
        more.emplace_back("wrong", what);
        m_report(Code::BadCollective, std::move(more));
    }
    [[nodiscard]] std::size_t rank() const { return m_attributes.out.sharding.rank(); }

    /// The lists as such: one per dimension, of axes that go together.
    [[nodiscard]] bool checkLists() const
    {
        switch (m_operation.kind) {
        case OpKind::SdyAllGather:
        case OpKind::SdyAllSlice:
        case OpKind::SdyReduceScatter:
        case OpKind::ShardedToUnreduced: {
            if (m_attributes.axesPerDimension.size() != rank()) {
                m_report(Code::RankMismatch,
                    { { "wrong", "lists" }, { "sharding_rank", m_attributes.axesPerDimension.size() },
                        { "rank", rank() } });
                return false;
            }
            return checkListsOf(m_attributes.axesPerDimension);
        }
        case OpKind::SdyAllReduce:
        case OpKind::ReplicatedToUnreduced:
            if (m_operation.kind == OpKind::ReplicatedToUnreduced && m_attributes.axes.empty()) {
                wrong("empty");
                return false;
            }
            return checkSortedList(m_mesh, m_attributes.axes, m_report);
        case OpKind::SdyAllToAll:
            return checkMoves();
        default:
            return true;
        }
    }
    [[nodiscard]] bool checkListsOf(const Dims& lists) const
    {
        AxisList all;
        bool legal = true;
        for (const AxisList& list : lists)
            for (const AxisRef ref : list) {
                legal = checkReference(m_mesh, ref, m_report) && legal;
                all.push_back(ref);
            }
        if (!legal)
            return false;
        checkDistinct(m_mesh, all, m_report);
        for (const AxisList& list : lists)
            checkMerged(m_mesh, list, m_report);
        return true;
    }
    [[nodiscard]] bool checkMoves() const
    {
        if (m_attributes.moves.empty()) {
            wrong("empty");
            return false;
        }
        const auto size = static_cast<std::int64_t>(rank());
        bool legal = true;
        Dims lists;
        std::vector<std::int64_t> used;
        std::int64_t before = -1;
        for (const AxisMove& move : m_attributes.moves) {
            lists.push_back(move.axes);
            if (move.axes.empty()) {
                wrong("empty_move");
                legal = false;
            }
            for (const std::int64_t dim : { move.source, move.target }) {
                if (dim < 0 || dim >= size) {
                    wrong("dimension", { { "dim", dim }, { "rank", size } });
                    legal = false;
                } else if (std::find(used.begin(), used.end(), dim) != used.end()) {
                    m_report(Code::OverlappingAxes, { { "wrong", "dimension" }, { "dim", dim } });
                    legal = false;
                }
                used.push_back(dim);
            }
            if (move.source < before)
                m_report(Code::AxisOrder, { { "wrong", "dimension" }, { "dim", move.source }, { "other", before } });
            before = move.source;
        }
        return checkListsOf(lists) && legal;
    }

    /// Same mesh on both sides; a permutation may change the order of the devices.
    [[nodiscard]] bool checkMeshes() const
    {
        const ProgramMesh& from = m_program.meshes[m_operand->mesh];
        if (from.undeclared || from.illegal || m_mesh.undeclared || m_mesh.illegal)
            return false; // reported where it stands
        if (m_operand->mesh == m_attributes.out.mesh || from == m_mesh)
            return true;
        const bool permutes = m_operation.kind == OpKind::SdyCollectivePermute;
        const bool sameAxes = std::ranges::equal(from.mesh->axes(), m_mesh.mesh->axes());
        if (permutes && sameAxes && *from.mesh != *m_mesh.mesh)
            return true;
        wrong(permutes && sameAxes ? "same_mesh" : "mesh", { { "found", from.name }, { "expected", m_mesh.name } });
        return false;
    }

    void checkKind() const
    {
        const bool sums =
            m_operation.kind == OpKind::ShardedToUnreduced || m_operation.kind == OpKind::ReplicatedToUnreduced;
        if (sums && m_attributes.out.unreducedKind != ReduceKind::Sum)
            wrong("kind");
    }

    void expect(const Dims& dims) const
    {
        const TensorSharding& out = m_attributes.out.sharding;
        bool same = true;
        for (std::size_t i = 0; i < dims.size(); ++i)
            same = same && dims[i] == out.dims[i].axes;
        if (same)
            return;
        TensorSharding expected = TensorSharding::fullyReplicated(dims.size());
        for (std::size_t i = 0; i < dims.size(); ++i)
            expected.dims[i].axes = dims[i];
        TensorSharding found = expected;
        for (std::size_t i = 0; i < dims.size(); ++i)
            found.dims[i].axes = out.dims[i].axes;
        m_report(Code::CollectiveMismatch,
            { { "expected", shardingText(m_mesh, expected) }, { "found", shardingText(m_mesh, found) } });
    }

    void checkEffect() const
    {
        Dims dims = dimsOf(m_from);
        switch (m_operation.kind) {
        case OpKind::SdyAllGather:
        case OpKind::ShardedToUnreduced:
            for (std::size_t i = 0; i < dims.size(); ++i) {
                const AxisList& list = m_attributes.axesPerDimension[i];
                const auto rest = withoutSuffix(dims[i], list);
                if (!rest) {
                    noSuffix(list, dims[i], i);
                    return;
                }
                dims[i] = *rest;
            }
            break;
        case OpKind::SdyAllSlice:
        case OpKind::SdyReduceScatter:
            for (std::size_t i = 0; i < dims.size(); ++i)
                for (const AxisRef ref : m_attributes.axesPerDimension[i])
                    appendMerged(dims[i], ref);
            break;
        case OpKind::SdyAllToAll:
            for (const AxisMove& move : m_attributes.moves) {
                AxisList& source = dims[static_cast<std::size_t>(move.source)];
                const auto rest = withoutSuffix(source, move.axes);
                if (!rest) {
                    noSuffix(move.axes, source, static_cast<std::size_t>(move.source));
                    return;
                }
                source = *rest;
                for (const AxisRef ref : move.axes)
                    appendMerged(dims[static_cast<std::size_t>(move.target)], ref);
            }
            break;
        case OpKind::SdyCollectivePermute:
            checkSizes(dims);
            return;
        default: // reductions in place: the dimensions stay
            break;
        }
        expect(dims);
    }
    void noSuffix(const AxisList& list, const AxisList& axes, std::size_t dim) const
    {
        wrong("suffix", { { "axes", axesText(m_mesh, list) }, { "found", axesText(m_mesh, axes) }, { "dim", dim } });
    }
    void checkSizes(const Dims& dims) const
    {
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const std::int64_t from = product(dims[i]), to = product(m_attributes.out.sharding.dims[i].axes);
            if (from != to)
                wrong("size", { { "dim", i }, { "found", to }, { "expected", from } });
        }
    }

    void checkReductions() const
    {
        const TensorSharding& out = m_attributes.out.sharding;
        AxisList unreduced = m_from.unreduced;
        switch (m_operation.kind) {
        case OpKind::SdyAllReduce:
            checkOverlaps(out.unreduced);
            checkDropped();
            break;
        case OpKind::SdyReduceScatter:
            checkDropped();
            break;
        case OpKind::ReplicatedToUnreduced:
            checkOverlaps(m_from.unreduced);
            for (const AxisRef ref : m_attributes.axes)
                unreduced.push_back(ref);
            checkAdded(unreduced);
            break;
        case OpKind::ShardedToUnreduced:
            for (const AxisList& list : m_attributes.axesPerDimension)
                for (const AxisRef ref : list)
                    unreduced.push_back(ref);
            checkAdded(unreduced);
            break;
        default:
            break;
        }
    }
    /// The reduced axes shard nothing, and do not stand among `unreduced`. They replicate nothing, but where it is what
    /// is replicated that becomes partial.
    void checkOverlaps(const AxisList& unreduced) const
    {
        static const AxisList none;
        const bool ofReplicated = m_operation.kind == OpKind::ReplicatedToUnreduced;
        AxisList taken;
        for (const DimensionSharding& dim : m_from.dims)
            for (const AxisRef ref : dim.axes)
                taken.push_back(ref);
        for (const AxisList* list : { ofReplicated ? &none : &m_from.replicated, &unreduced })
            for (const AxisRef ref : *list)
                taken.push_back(ref);
        for (const AxisRef axis : m_attributes.axes)
            for (const AxisRef other : taken)
                if (overlaps(axis, other))
                    m_report(Code::OverlappingAxes,
                        { { "axis", axisText(m_mesh, axis) }, { "other", axisText(m_mesh, other) } });
    }
    void checkAdded(const AxisList& all) const
    {
        const AxisList expected = sortedMerged(all);
        const AxisList& found = m_attributes.out.sharding.unreduced;
        if (expected != found)
            m_report(Code::UnreducedAxes,
                { { "wrong", "list" }, { "expected", axesText(m_mesh, expected) },
                    { "found", axesText(m_mesh, found) } });
    }
    void checkDropped() const
    {
        const ProgramSharding* result = &m_attributes.out;
        if (auto found = checkTransition(m_program, { &m_operand, 1 }, { &result, 1 }, {}, m_attributes.kind))
            m_report(Code::UnreducedAxes, std::move(*found));
    }

    const Program& m_program;
    const Operation& m_operation;
    const SdyCollectiveAttributes& m_attributes;
    const ProgramSharding* m_operand;
    const ProgramMesh& m_mesh;
    const Report& m_report;
    TensorSharding m_from;
};

} // namespace

void checkCollective(const Program& program, const Operation& operation, const ProgramSharding* operand,
    bool outIsLegal, const Report& report)
{
    if (const auto* attributes = attributesAs<SdyCollectiveAttributes>(operation.attributes))
        CollectiveCheck(program, operation, *attributes, operand, report).run(outIsLegal);
}

} // namespace shardscope::verification
