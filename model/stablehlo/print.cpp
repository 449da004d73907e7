// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/print.h"

#include "base/text.h"
#include "program/name_values.h"
#include "program/op_row.h"
#include "program/roles.h"
#include "sharding/text.h"
#include "stablehlo/own_names.h"
#include "stablehlo/printer.h"

namespace shardscope {

namespace mlir {

namespace {

/// What can be printed of what is asked for.
PrintOptions possible(PrintOptions options, const Program& program)
{
    if (options.names == PrintedNames::AsNames && !canPrintNames(program))
        options.names = PrintedNames::None;
    return options;
}

} // namespace

Printer::Printer(const Program& program, const PrintOptions& options)
    : m_program(program)
    , m_options(possible(options, program))
    , m_names(program.values.size())
{
    m_out.operationLines.resize(program.operations.size());
    m_out.valueLines.resize(program.values.size());
    m_ownMesh = options.mesh && program.meshes.empty();
}

PrintedProgram Printer::print()
{
    if (!m_program.regions.empty())
        printModule();
    return std::move(m_out);
}

void Printer::newLine(int indent)
{
    m_out.text += '\n';
    ++m_line;
    m_out.text.append(static_cast<std::size_t>(indent), ' ');
}

void Printer::printModule()
{
    add("module");
    if (!m_program.name.empty())
        add(" " + symbol(m_program.name));
    if (m_program.extra != 0) {
        AttributeTexts attributes;
        for (const NamedText& entry : m_program.dictionaries[m_program.extra])
            attributes.emplace_back(entry.name, entry.text);
        add(" attributes");
        addDictionary(std::move(attributes));
    }
    add(" {");
    if (m_ownMesh) {
        newLine(2);
        add("sdy.mesh @mesh = " + toText(ProgramMesh{ "mesh", m_options.mesh, {}, false }));
    }
    for (const ProgramMesh& mesh : m_program.meshes) {
        if (mesh.inlined || mesh.undeclared)
            continue;
        newLine(2);
        add("sdy.mesh " + symbol(mesh.name) + " = " + toText(mesh));
    }
    if (m_program.functions.empty()) {
        Function main;
        main.name = "main";
        main.body = RegionId(0);
        printFunction(main, true);
    }
    for (std::size_t i = 0; i < m_program.functions.size(); ++i)
        printFunction(m_program.functions[i], i == 0);
    newLine(0);
    add("}");
    newLine(0);
}

void Printer::nameArguments(const Region& region)
{
    for (const ValueId argument : region.arguments) {
        m_names[argument.index] = { m_nextArgument++, 0, true, false };
        m_out.valueLines[argument.index] = m_line;
    }
}

void Printer::printFunction(const Function& function, bool isMain)
{
    m_nextResult = m_nextArgument = m_nextConstant = 0;
    const Region& body = m_program.regions[function.body.index];
    newLine(2);
    add(function.isPublic ? "func.func public " : "func.func private ");
    add(symbol(function.name) + '(');
    nameArguments(body);
    m_replacedBy.clear();
    for (const StatePair& pair : m_program.state)
        m_replacedBy.emplace(pair.argument.index, pair.result);
    for (std::size_t i = 0; i < body.arguments.size(); ++i) {
        if (i > 0)
            add(m_options.argumentLines ? "," : ", ");
        if (m_options.argumentLines) {
            newLine(6);
            m_out.valueLines[body.arguments[i].index] = m_line;
        }
        printArgument(function, body.arguments[i], i, isMain);
    }
    add(")");
    if (!body.results.empty()) {
        add(" -> (");
        for (std::size_t i = 0; i < body.results.size(); ++i) {
            if (i > 0)
                add(", ");
            printResult(function, i, isMain);
        }
        add(")");
    }
    if (function.extra != 0) {
        AttributeTexts attributes;
        for (const NamedText& entry : m_program.dictionaries[function.extra])
            attributes.emplace_back(entry.name, entry.text);
        add(" attributes");
        addDictionary(std::move(attributes));
    }
    add(" {");
    printBody(body, "return", 4);
    newLine(2);
    add("}");
}

void Printer::printArgument(const Function& function, ValueId argument, std::size_t index, bool isMain)
{
    add(name(argument) + ": " + type(argument));
    AttributeTexts attributes;
    if (index < function.argumentExtras.size())
        for (const NamedText& entry : m_program.dictionaries[function.argumentExtras[index]])
            attributes.emplace_back(entry.name, entry.text);
    const Value& value = m_program.value(argument);
    if (m_options.shardings) {
        if (const ProgramSharding* specified = m_program.shardingOf(argument))
            attributes.emplace_back("sdy.sharding", "#sdy.sharding" + sharding(*specified));
        else if (isMain && index < m_program.argumentAnnotations.size())
            addAnnotation(m_program.argumentAnnotations[index], value.type.rank(), attributes);
    }
    if (isMain)
        for (auto [pair, end] = m_replacedBy.equal_range(argument.index); pair != end; ++pair)
            attributes.emplace_back("tf.aliasing_output", std::to_string(pair->second) + " : i32");
    // Names of main's arguments are what their locations say.
    const bool located = isMain && m_options.locations && !value.path.empty();
    addValueAttributes(argument, isMain ? Role::Input : Role::Temporary, attributes, !located);
    addDictionary(std::move(attributes));
    if (located)
        addLocation(quoted(value.path));
}

void Printer::printResult(const Function& function, std::size_t index, bool isMain)
{
    const Region& body = m_program.regions[function.body.index];
    const ValueId value = body.results[index];
    add(type(value));
    AttributeTexts attributes;
    if (index < function.resultExtras.size())
        for (const NamedText& entry : m_program.dictionaries[function.resultExtras[index]])
            attributes.emplace_back(entry.name, entry.text);
    if (m_options.shardings) {
        if (index < function.resultShardings.size() && function.resultShardings[index] != 0)
            attributes.emplace_back(
                "sdy.sharding", "#sdy.sharding" + sharding(m_program.shardings[function.resultShardings[index] - 1]));
        else if (isMain && index < m_program.resultAnnotations.size())
            addAnnotation(m_program.resultAnnotations[index], m_program.value(value).type.rank(), attributes);
    }
    addDictionary(std::move(attributes));
}

std::string Printer::annotationSharding(const Annotation& annotation, std::size_t rank) const
{
    if (const auto* specified = std::get_if<ExplicitSharding>(&annotation))
        return sharding(*specified->specified);
    const auto* device = std::get_if<DeviceAxes>(&annotation);
    if (!device || !m_options.mesh)
        return {};
    for (const SpecEntry& entry : device->spec.entries)
        for (const std::string& axis : entry.axes)
            if (!m_options.mesh->axisIndex(axis))
                return {};
    ProgramMesh mesh{ "mesh", m_options.mesh, {}, false };
    return toText(ProgramSharding{ 0, toTensorSharding(device->spec, *m_options.mesh, rank), ReduceKind::Sum },
        { std::move(mesh) });
}

void Printer::addAnnotation(const Annotation& annotation, std::size_t rank, AttributeTexts& attributes) const
{
    const std::string over = m_ownMesh || !std::holds_alternative<DeviceAxes>(annotation)
        ? annotationSharding(annotation, rank)
        : std::string();
    if (!over.empty()) {
        attributes.emplace_back("sdy.sharding", "#sdy.sharding" + over);
    } else if (const auto* device = std::get_if<DeviceAxes>(&annotation)) {
        attributes.emplace_back(std::string(ownPrefix) + "spec", quoted(toJax(device->spec)));
    } else if (const auto* logical = std::get_if<LogicalAxes>(&annotation)) {
        const std::string list = join(logical->names, ", ", [](const LogicalName& n) {
            return quoted(n.kind == LogicalName::Kind::Name ? n.name
                    : n.kind == LogicalName::Kind::None     ? "None"
                                                            : "UNCONSTRAINED");
        });
        attributes.emplace_back(std::string(ownPrefix) + "logical", '[' + list + ']');
    }
}

void Printer::addValueAttributes(ValueId id, Role expected, AttributeTexts& attributes, bool path) const
{
    if (m_options.names != PrintedNames::AsAttributes)
        return;
    const Value& value = m_program.value(id);
    if (path && !value.path.empty())
        attributes.emplace_back(std::string(ownPrefix) + "path", quoted(value.path));
    if (value.role != expected)
        attributes.emplace_back(std::string(ownPrefix) + "role", quoted(shardscope::name(value.role)));
    if (!value.dimNames.empty())
        attributes.emplace_back(std::string(ownPrefix) + "dims", '[' + join(value.dimNames, ", ", quoted) + ']');
}

void Printer::printBody(const Region& region, std::string_view returned, int indent)
{
    for (const OperationId id : region.operations)
        printOperation(id, indent);
    printReturn(region, returned, indent);
}

void Printer::printReturn(const Region& region, std::string_view word, int indent)
{
    newLine(indent);
    add(word);
    if (region.results.empty())
        return;
    add(" " + names(region.results) + " : ");
    addTypes(region.results);
}

void Printer::printOperation(OperationId id, int indent)
{
    const Operation& op = m_program.operation(id);
    newLine(indent);
    const auto count = static_cast<std::uint32_t>(op.results.size());
    // The body's names come before the result's in the text, but numbers need only be different.
    if (count > 0) {
        for (std::uint32_t i = 0; i < count; ++i)
            m_names[op.results[i].index] = { m_nextResult, i, false, count > 1 };
        ++m_nextResult;
    }
    if (op.kind == OpKind::Reduce)
        printBuiltinReduce(op);
    for (const ValueId result : op.results)
        m_out.valueLines[result.index] = m_line;
    m_out.operationLines[id.index] = m_line;
    if (count > 0)
        addResultNames(op);
    if (!printPretty(id, indent))
        printGeneric(op, indent);
    addTail(op);
}

/// "%0 = ", "%0:2 = ", "%a:2, %b = ".
void Printer::addResultNames(const Operation& op)
{
    const std::size_t count = op.results.size();
    if (m_options.names != PrintedNames::AsNames) {
        add("%" + std::to_string(m_names[op.results[0].index].number));
        if (count > 1)
            add(":" + std::to_string(count));
        add(" = ");
        return;
    }
    for (std::size_t i = 0; i < count;) {
        const std::string first = name(op.results[i]);
        const std::size_t sign = first.find('#');
        std::size_t end = i + 1;
        while (sign != std::string::npos && end < count
            && name(op.results[end]).compare(0, sign + 1, first, 0, sign + 1) == 0)
            ++end;
        add((i == 0 ? "" : ", ") + first.substr(0, sign));
        if (sign != std::string::npos)
            add(":" + std::to_string(end - i));
        i = end;
    }
    add(" = ");
}

void Printer::addTail(const Operation& op)
{
    if (m_options.locations)
        addLocation(m_program.sources[op.source].location);
    if (m_options.names == PrintedNames::AsComments && op.results.size() == 1)
        if (const std::string& path = m_program.value(op.results[0]).path; !path.empty())
            add("  // " + path);
}

void Printer::addLocation(const std::string& location)
{
    if (!location.empty())
        add(" loc(" + location + ')');
}

} // namespace mlir

std::string printStableHlo(const Program& program, const PrintOptions& options)
{
    return mlir::Printer(program, options).print().text;
}

PrintedProgram printWithLines(const Program& program, const PrintOptions& options)
{
    return mlir::Printer(program, options).print();
}

} // namespace shardscope
