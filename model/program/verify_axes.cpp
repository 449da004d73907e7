// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in verify_findings.h.
#include <cctype>
#include <string_view>

#include "base/codes.h"
#include "program/program_mesh.h"
#include "program/verify_findings.h"

namespace shardscope::verification {

namespace {

/// What a type is for a sharding.
struct Ranked {
    enum class Kind { Tensor, Unranked, Token, Tuple, Unknown };
    Kind kind = Kind::Unknown;
    std::size_t rank = 0; ///< of a tensor; elements of a tuple
};

bool isDimension(char c)
{
    return c == '?' || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Commas that stand in no brackets.
std::size_t elementCount(std::string_view list)
{
    int depth = 0;
    std::size_t count = list.empty() ? 0 : 1;
    for (const char c : list) {
        depth += c == '<' || c == '(' || c == '[' || c == '{' ? 1 : 0;
        depth -= c == '>' || c == ')' || c == ']' || c == '}' ? 1 : 0;
        count += c == ',' && depth == 0 ? 1 : 0;
    }
    return count;
}

Ranked rankOf(std::string_view text)
{
    using enum Ranked::Kind;
    constexpr std::string_view tensor = "tensor<", tuple = "tuple<";
    if (text.starts_with(tuple)) {
        const std::string_view inside = text.substr(tuple.size(), text.size() - tuple.size() - 1);
        const std::size_t elements = elementCount(inside);
        return elements == 1 ? rankOf(inside) : Ranked{ Tuple, elements };
    }
    if (text.ends_with("token"))
        return { Token };
    if (!text.starts_with(tensor))
        return {};
    text.remove_prefix(tensor.size());
    if (text.starts_with("*"))
        return { Unranked };
    Ranked found{ Tensor };
    while (!text.empty() && isDimension(text.front())) {
        const std::size_t end = text.find('x');
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
        ++found.rank;
    }
    return found;
}

Ranked rankOf(const Program& program, const TensorType& type)
{
    if (type.dtype == DType::Token)
        return { Ranked::Kind::Token };
    if (type.dtype != DType::Other)
        return { Ranked::Kind::Tensor, type.rank() };
    return type.other < program.otherTypes.size() ? rankOf(program.otherTypes[type.other]) : Ranked{};
}

std::vector<std::string> knownMeshes(const Program& program)
{
    std::vector<std::string> known;
    for (const ProgramMesh& mesh : program.meshes)
        if (!mesh.undeclared && !mesh.inlined)
            known.push_back(mesh.name);
    return known;
}

void reportPart(const std::string& axis, std::int64_t pre, std::int64_t size, std::int64_t full, const Report& report)
{
    const bool divides = pre >= 1 && size != 0 && pre <= full && size <= full && full % (pre * size) == 0;
    report(divides || size <= 1 ? Code::BadSubAxis : Code::SubAxisDoesNotDivide,
        { { "axis", axis }, { "pre", pre }, { "size", size }, { "whole", full } });
}

} // namespace

bool checkReference(const ProgramMesh& mesh, AxisRef ref, const Report& report)
{
    if (ref.axis >= 0 && static_cast<std::size_t>(ref.axis) < mesh.mesh->rank()) {
        const auto axis = static_cast<std::size_t>(ref.axis);
        const std::int64_t full = mesh.mesh->size(axis);
        if (isFull(*mesh.mesh, ref))
            return true;
        if (ref.pre >= 1 && ref.size > 1 && full % ref.next() == 0)
            return true;
        reportPart(mesh.mesh->axis(axis).name, ref.pre, ref.size, full, report);
        return false;
    }
    const InvalidAxis* invalid = invalidAxis(mesh, ref);
    if (const auto axis = invalid ? mesh.mesh->axisIndex(invalid->name) : std::nullopt) // a part that is none
        reportPart(invalid->name, invalid->pre, invalid->size, mesh.mesh->size(*axis), report);
    else
        report(Code::UnknownAxis,
            { { "axis", invalid ? invalid->name : std::to_string(ref.axis) }, { "known", mesh.mesh->axisNames() } });
    return false;
}

void checkDistinct(const ProgramMesh& mesh, std::span<const AxisRef> all, const Report& report)
{
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (all[i] == all[j]) { // also one of a single device, which overlaps with nothing
                report(Code::AxisUsedTwice, { { "axes", std::vector{ axisText(mesh, all[i]) } } });
                continue;
            }
            if (!overlaps(all[i], all[j]))
                continue;
            const bool full = isFull(*mesh.mesh, all[i]) || isFull(*mesh.mesh, all[j]);
            report(full ? Code::BadSubAxis : Code::OverlappingAxes,
                { { "axis", axisText(mesh, all[i]) }, { "other", axisText(mesh, all[j]) } });
        }
}

void checkMerged(const ProgramMesh& mesh, std::span<const AxisRef> list, const Report& report)
{
    for (std::size_t i = 1; i < list.size(); ++i)
        if (!invalidAxis(mesh, list[i]) && canMerge(list[i - 1], list[i]))
            report(Code::BadSubAxis, { { "axis", axisText(mesh, list[i]) }, { "other", axisText(mesh, list[i - 1]) } });
}

void checkOrder(const ProgramMesh& mesh, std::span<const AxisRef> list, const Report& report)
{
    for (std::size_t i = 1; i < list.size(); ++i)
        if (list[i] < list[i - 1])
            report(Code::AxisOrder, { { "axis", axisText(mesh, list[i]) }, { "other", axisText(mesh, list[i - 1]) } });
}

bool checkSortedList(const ProgramMesh& mesh, std::span<const AxisRef> list, const Report& report)
{
    bool legal = true;
    for (const AxisRef ref : list)
        legal = checkReference(mesh, ref, report) && legal;
    if (legal) {
        checkDistinct(mesh, list, report);
        checkMerged(mesh, list, report);
        checkOrder(mesh, list, report);
    }
    return legal;
}

void checkAxes(const ProgramMesh& mesh, const TensorSharding& sharding, const Report& report)
{
    AxisList all;
    bool legal = true;
    const auto collect = [&](const AxisList& list) {
        for (const AxisRef ref : list) {
            legal = checkReference(mesh, ref, report) && legal;
            all.push_back(ref);
        }
    };
    for (const DimensionSharding& dim : sharding.dims)
        collect(dim.axes);
    collect(sharding.replicated);
    collect(sharding.unreduced);
    for (const DimensionSharding& dim : sharding.dims)
        checkMerged(mesh, dim.axes, report);
    for (const AxisList* list : { &sharding.replicated, &sharding.unreduced })
        checkMerged(mesh, *list, report);
    if (legal) { // otherwise parts cannot be compared
        checkDistinct(mesh, all, report);
        for (const AxisList* list : { &sharding.replicated, &sharding.unreduced })
            checkOrder(mesh, *list, report);
    }
    for (std::size_t i = 0; i < sharding.rank(); ++i) {
        const DimensionSharding& dim = sharding.dims[i];
        if (dim.priority < -1 || (dim.priority >= 0 && dim.axes.empty() && !dim.open))
            report(Code::BadPriority, { { "dim", i }, { "priority", dim.priority } });
    }
}

bool checkRank(const Program& program, const ProgramSharding& sharding, const TensorType& type, const Report& report)
{
    using enum Ranked::Kind;
    const ProgramMesh& mesh = program.meshes[sharding.mesh];
    if (mesh.undeclared) {
        report(Code::UnknownMesh, { { "mesh", mesh.name }, { "known", knownMeshes(program) } });
        return false;
    }
    if (mesh.illegal)
        return false; // is reported by itself
    const TensorSharding& lists = sharding.sharding;
    const bool says = lists.rank() > 0 || !lists.replicated.empty() || !lists.unreduced.empty();
    const Ranked ranked = rankOf(program, type);
    const auto mismatch = [&](const char* wrong, std::size_t rank) {
        report(Code::RankMismatch, { { "wrong", wrong }, { "sharding_rank", lists.rank() }, { "rank", rank } });
    };
    if (ranked.kind == Tuple)
        report(Code::TupleSharding, { { "elements", ranked.rank } });
    else if (ranked.kind == Unranked)
        mismatch("unranked", 0);
    else if (mesh.isMaximal()) {
        if (says)
            mismatch("maximal", 0);
        return !says;
    } else if (ranked.kind == Token && says)
        mismatch("token", 0);
    else if (ranked.kind == Tensor && lists.rank() != ranked.rank)
        mismatch("rank", ranked.rank);
    return true;
}

} // namespace shardscope::verification
