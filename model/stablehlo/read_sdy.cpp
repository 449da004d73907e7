// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's operations in their pretty forms. What stands in them becomes the attributes of the generic form.
// Declared in reader.h.
#include "stablehlo/reader.h"

namespace shardscope::mlir {

bool Reader::readSdy(Scanner& s, Pending& op)
{
    switch (op.kind) {
    case OpKind::ManualComputation:
        return readManual(s, op, false);
    case OpKind::NamedComputation:
        return readManual(s, op, true);
    default:
        break;
    }
    // The operand may stand before or after lists of axes: "[{"x"}, {}] %0 out_sharding=<...>".
    const auto addItem = [&](std::string_view name) {
        const std::size_t begin = s.position();
        if (!s.skipItem())
            return false;
        op.attributes.push_back({ name, s.since(begin), begin, false });
        return true;
    };
    while (!s.at(':') && !s.at('{')) {
        if (s.at('%')) {
            if (!readOperand(s, op.operands.emplace_back()))
                return false;
        } else if (s.at('[')) {
            if (!addItem("axes"))
                return false;
        } else if (s.at('<')) {
            if (!addItem("sharding"))
                return false;
        } else if (startsName(s.peek())) {
            const std::string_view word = s.word();
            if (!s.require('=') || !addItem(word))
                return false;
        } else {
            return s.expected("an operand, “%name”");
        }
    }
    // "{"x"}" before the operand are axes; "{name = value}" after it are attributes.
    if (s.at('{') && op.operands.empty() && !find(op.attributes, "axes")) {
        if (!addItem("axes"))
            return false;
        return readSdy(s, op);
    }
    return readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::readManual(Scanner& s, Pending& op, bool named)
{
    // (%a) in_shardings=[...] out_shardings=[...] manual_axes={...} (%b: t) {...} {attributes} : (...) -> ...
    if (named) {
        const std::size_t begin = s.position();
        if (!s.accept('<'))
            return s.expected("the name of the computation, “<\"name\">”");
        const std::size_t name = s.position();
        if (s.quoted().empty())
            return s.expected("a string");
        op.attributes.push_back({ "name", s.since(name), begin, false });
        if (!s.require('>'))
            return false;
    }
    if (!readParenthesised(s, op.operands))
        return false;
    while (startsName(s.peek())) {
        const std::size_t begin = s.position();
        const std::string_view word = s.word();
        if (!s.require('='))
            return false;
        const std::size_t value = s.position();
        if (!s.skipItem())
            return false;
        op.attributes.push_back({ word, m_text.substr(value, s.rawPosition() - value), begin, false });
    }
    const RegionId region = addRegion();
    op.regions.push_back(region);
    m_names.openScope();
    if (!readArguments(s, region))
        return false;
    if (!readRegion(s, region))
        return false;
    m_names.closeScope();
    return readAttributesAfter(s, op) && readTypesAfter(s, op);
}

bool Reader::makeSdyAttributes(Pending& op)
{
    const auto ownSharding = [&](bool required, std::optional<ProgramSharding>& sharding) {
        const NamedAttribute* attribute = take(op, "sharding");
        if (!attribute)
            return !required || needs(op, "sharding");
        Scanner s = m_scanner;
        return open(*attribute, s) && readSharding(s, sharding.emplace());
    };
    const auto shardings = [&](std::string_view name, std::vector<ProgramSharding>& list) {
        const NamedAttribute* attribute = take(op, name);
        Scanner s = m_scanner;
        return !attribute || (open(*attribute, s) && readShardings(s, list));
    };
    std::optional<ProgramSharding> own;
    switch (op.kind) {
    case OpKind::ShardingConstraint:
        if (!ownSharding(true, own))
            return false;
        op.made = ConstraintAttributes{ ExplicitSharding{ std::make_shared<const ProgramSharding>(std::move(*own)) } };
        return true;
    case OpKind::Reshard:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge:
        if (!ownSharding(op.kind == OpKind::Reshard, own))
            return false;
        op.made = otherAttributes(OwnShardingAttributes{ std::move(own) });
        return true;
    case OpKind::ManualComputation: {
        ManualComputationAttributes manual;
        if (!shardings("in_shardings", manual.in) || !shardings("out_shardings", manual.out)
            || !takeStrings(op, "manual_axes", manual.manualAxes))
            return false;
        op.made = otherAttributes(std::move(manual));
        return true;
    }
    case OpKind::NamedComputation: {
        NamedComputationAttributes computation;
        if (!takeString(op, "name", computation.name) || !shardings("in_shardings", computation.in)
            || !shardings("out_shardings", computation.out))
            return false;
        op.made = otherAttributes(std::move(computation));
        return true;
    }
    case OpKind::PropagationBarrier: {
        std::size_t direction = 0;
        if (NamedAttribute* specified = find(op.attributes, "allowed_direction");
            specified && isDigit(specified->value[0])) {
            std::int64_t number = 0;
            if (!takeInteger(op, "allowed_direction", {}, true, number))
                return false;
            if (number < 0 || number > 3)
                return attributeProblem(*specified, "a number from 0 to 3");
            direction = static_cast<std::size_t>(number);
        } else if (!takeWord(op, "allowed_direction", {}, true, { "NONE", "FORWARD", "BACKWARD", "BOTH" }, direction)) {
            return false;
        }
        op.made = otherAttributes(PropagationBarrierAttributes{ static_cast<BarrierDirection>(direction) });
        return true;
    }
    default:
        return makeSdyCollective(op);
    }
}

bool Reader::takeStrings(Pending& op, std::string_view name, std::vector<std::string>& strings)
{
    // {"a", "b"}, ["a", "b"], #sdy<manual_axes{"a", "b"}>
    const NamedAttribute* attribute = take(op, name);
    if (!attribute)
        return true;
    Scanner s = m_scanner;
    if (!open(*attribute, s))
        return false;
    while (!s.atEnd() && !s.at('{') && !s.at('['))
        s.step();
    const char close = s.at('{') ? '}' : ']';
    if (s.atEnd())
        return attributeProblem(*attribute, "a list of strings");
    s.step();
    return s.listAfter(close, [&] { return s.string(strings.emplace_back()); });
}

bool Reader::makeSdyCollective(Pending& op)
{
    SdyCollectiveAttributes a;
    const NamedAttribute* out = take(op, "out_sharding");
    if (!out)
        return needs(op, "out_sharding");
    Scanner s = m_scanner;
    if (!open(*out, s) || !readSharding(s, a.out))
        return false;
    if (!takeWord(op, "reduction", {}, false, { "sum", "max", "min" }, a.kind))
        return false;
    ProgramMesh& mesh = m_program.meshes[a.out.mesh];
    const auto openAxes = [&](std::string_view name) {
        const NamedAttribute* axes = take(op, "axes", name);
        if (!axes)
            return needs(op, name);
        if (!open(*axes, s))
            return false;
        if (s.at('#')) { // #sdy<list_of_axis_ref_lists[...]>
            while (!s.atEnd() && !s.at('[') && !s.at('{'))
                s.step();
        }
        return true;
    };
    const auto takeLists = [&](std::string_view name) {
        return openAxes(name) && readAxisLists(s, mesh, a.axesPerDimension);
    };
    const auto takeAxes = [&](std::string_view name) { return openAxes(name) && readAxes(s, mesh, a.axes); };
    const auto takeMoves = [&] {
        return openAxes("params") && s.list('[', ']', [&] {
            AxisMove& move = a.moves.emplace_back();
            return readAxes(s, mesh, move.axes) && s.require(':') && s.integer(move.source) && s.require("->")
                && s.integer(move.target);
        });
    };
    const bool right = op.kind == OpKind::SdyAllGather ? takeLists("gathering_axes")
        : op.kind == OpKind::SdyAllSlice               ? takeLists("slicing_axes")
        : op.kind == OpKind::SdyReduceScatter          ? takeLists("reduce_scatter_axes")
        : op.kind == OpKind::ShardedToUnreduced        ? takeLists("axes")
        : op.kind == OpKind::SdyAllReduce              ? takeAxes("reduction_axes")
        : op.kind == OpKind::ReplicatedToUnreduced     ? takeAxes("axes")
        : op.kind == OpKind::SdyAllToAll               ? takeMoves()
                                                       : true; // collective_permute
    if (!right)
        return false;
    op.made = otherAttributes(std::move(a));
    return true;
}

} // namespace shardscope::mlir
