// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's operations.
// Declared in printer.h.

#include "base/text.h"
#include "program/op_row.h"
#include "stablehlo/printer.h"

namespace shardscope::mlir {

bool Printer::printConstraint(const Operation& op)
{
    const Annotation& annotation = std::get<ConstraintAttributes>(op.attributes).annotation;
    const std::string over = annotationSharding(annotation, m_program.value(op.operands[0]).type.rank());
    if (over.empty()) { // names that no mesh explains: an identity that says them
        AttributeTexts attributes = dictionaryOf(op);
        addAnnotation(annotation, 0, attributes);
        add("stablehlo.custom_call @shardscope.constraint(" + names(op.operands) + ')');
        addDictionary(std::move(attributes));
        addFunctionalType(op);
        return true;
    }
    add("sdy.sharding_constraint");
    addOperands(op);
    add(" " + over);
    addDictionary(dictionaryOf(op));
    add(" : " + type(op.results[0]));
    return true;
}

bool Printer::printSdy(const Operation& op, int indent)
{
    const auto begin = [&] {
        add(qualifiedName(op));
        addOperands(op);
    };
    const auto finish = [&] {
        addDictionary(dictionaryOf(op));
        add(" : " + type(op.operands[0]));
        return true;
    };
    switch (op.kind) {
    case OpKind::ShardingConstraint:
        return printConstraint(op);
    case OpKind::Reshard:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge: {
        const auto& own = attributesAs<OwnShardingAttributes>(op.attributes)->sharding;
        begin();
        if (own)
            add((op.kind == OpKind::Reshard ? " " : " sharding=") + sharding(*own));
        return finish();
    }
    case OpKind::PropagationBarrier: {
        constexpr std::string_view words[] = { "NONE", "FORWARD", "BACKWARD", "BOTH" };
        begin();
        add(" allowed_direction="
            + std::string(
                words[static_cast<std::size_t>(attributesAs<PropagationBarrierAttributes>(op.attributes)->allowed)]));
        return finish();
    }
    case OpKind::ShardingGroup:
        begin();
        add(" group_id=" + std::to_string(attributesAs<ShardingGroupAttributes>(op.attributes)->group));
        return finish();
    case OpKind::ManualComputation:
    case OpKind::NamedComputation:
        if (op.regions.size() != 1)
            return false;
        printManual(op, indent);
        return true;
    default:
        return printSdyCollective(op);
    }
}

void Printer::printManual(const Operation& op, int indent)
{
    const auto* manual = attributesAs<ManualComputationAttributes>(op.attributes);
    const auto* computation = attributesAs<NamedComputationAttributes>(op.attributes);
    const std::vector<ProgramSharding>& in = manual ? manual->in : computation->in;
    const std::vector<ProgramSharding>& out = manual ? manual->out : computation->out;
    add(qualifiedName(op));
    if (computation)
        add('<' + quoted(computation->name) + '>');
    add('(' + names(op.operands) + ')');
    if (manual || !in.empty())
        add(" in_shardings=" + shardings(in));
    if (manual || !out.empty())
        add(" out_shardings=" + shardings(out));
    if (manual)
        add(" manual_axes={" + join(manual->manualAxes, ", ", quoted) + '}');
    const Region& body = m_program.regions[op.regions[0].index];
    nameArguments(body);
    add(" (");
    for (std::size_t i = 0; i < body.arguments.size(); ++i)
        add((i == 0 ? "" : ", ") + name(body.arguments[i]) + ": " + type(body.arguments[i]));
    add(") {");
    printBody(body, "sdy.return", indent + 2);
    newLine(indent);
    add("}");
    addDictionary(dictionaryOf(op));
    addFunctionalType(op);
}

bool Printer::printSdyCollective(const Operation& op)
{
    const auto* a = attributesAs<SdyCollectiveAttributes>(op.attributes);
    if (!a)
        return false;
    const ProgramMesh& mesh = m_program.meshes[a->out.mesh];
    const auto lists = [&] {
        return '[' + join(a->axesPerDimension, ", ", [&](const AxisList& list) { return axes(list, mesh); }) + ']';
    };
    add(qualifiedName(op));
    switch (op.kind) {
    case OpKind::SdyAllReduce:
    case OpKind::ReplicatedToUnreduced:
        add(" " + axes(a->axes, mesh));
        break;
    case OpKind::SdyAllToAll: {
        const auto moveText = [&](const AxisMove& move) {
            return axes(move.axes, mesh) + ": " + std::to_string(move.source) + "->" + std::to_string(move.target);
        };
        add(" [" + join(a->moves, ", ", moveText) + ']');
        break;
    }
    case OpKind::SdyCollectivePermute:
        break;
    default:
        add(" " + lists());
        break;
    }
    addOperands(op);
    add(" out_sharding=" + sharding(a->out));
    AttributeTexts attributes = dictionaryOf(op);
    if (a->kind != ReduceKind::Sum)
        attributes.emplace_back("reduction", a->kind == ReduceKind::Max ? "\"max\"" : "\"min\"");
    addDictionary(std::move(attributes));
    add(" : " + type(op.results[0]));
    return true;
}

} // namespace shardscope::mlir
