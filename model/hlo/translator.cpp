// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/translator.h"

#include <algorithm>

#include "base/codes.h"
#include "base/text.h"
#include "hlo/attributes.h"
#include "hlo/mlir_text.h"
#include "program/counted_loop.h"
#include "stablehlo/read.h"

namespace shardscope::hlo {

namespace {

tl::unexpected<Error> endsEarly(const HloModule& module, Where where)
{
    std::vector<Arg> args{ { "wrong", "entry" } };
    if (isCompiled(module))
        args.emplace_back("compiled", 1); // there are commands that read a part of it
    return fail(Code::NoProgram, std::move(args), std::move(where));
}

} // namespace

Translator::Translator(const HloModule& module, const HloCollectives& found, bool isCompiled)
    : m_module(module)
    , m_found(found)
    , m_isCompiled(isCompiled)
    , m_calledMain("main.called")
    , m_values(module.instructions.size())
{
    m_out.reserve(std::min(module.text.size() + module.text.size() / 4, maximumText)); // grown, it would be there twice
    for (const HloCollective& collective : found.list)
        m_collectives.emplace(collective.instruction, &collective);
    for (int further = 1; module.computationNamed(m_calledMain) != noHloIndex; ++further)
        m_calledMain = "main.called." + std::to_string(further);
}

Result<void> Translator::translate()
{
    if (m_module.entry == noHloIndex)
        return endsEarly(
            m_module, m_module.placeOf(static_cast<std::uint32_t>(m_module.text.find_last_not_of(" \t\r\n") + 1)));
    return module();
}

Result<void> Translator::module()
{
    SHARDSCOPE_TRY(partitions, hloNumber(m_module, "num_partitions"));
    SHARDSCOPE_TRY(replicas, hloNumber(m_module, "replica_count"));
    std::vector<std::string> attributes;
    if (!*partitions && !*replicas && m_isCompiled) // as its collectives say
        *partitions = m_found.devices;
    if (*partitions)
        attributes.push_back("mhlo.num_partitions = " + std::to_string(**partitions) + " : i32");
    if (*replicas)
        attributes.push_back("mhlo.num_replicas = " + std::to_string(**replicas) + " : i32");
    if (const auto meshes =
            hloFrontendAttribute(m_module, m_module.moduleAttribute("frontend_attributes"), "xla.sdy.meshes")) {
        m_isShardy = true;
        attributes.push_back("mhlo.frontend_attributes = {xla.sdy.meshes = " + quotedText(*meshes) + "}");
    }
    typeAliases();
    SHARDSCOPE_CHECK(groupTables());
    line("module @" + quotedText(m_module.view(m_module.name)) + " attributes {" + join(attributes, ", ") + "} {", 0);
    SHARDSCOPE_CHECK(function(m_module.entry, "main", true));
    for (std::size_t f = 0; f < m_functions.size(); ++f)
        SHARDSCOPE_CHECK(function(m_functions[f], functionName(m_functions[f]), false));
    line("}", 0);
    for (std::size_t l = 0; l < m_located.size(); ++l) {
        const HloInstruction& first = m_module.instructions[m_located[l]];
        line("#loc" + std::to_string(l) + " = loc(" + locationText(first) + ')', first.name.begin);
        SHARDSCOPE_CHECK(checkSize(first));
    }
    return {};
}

Result<void> Translator::checkSize(const HloInstruction& instruction) const
{
    // A computation that is used in several places is written in each.
    constexpr std::size_t perByte = 16, atLeast = std::size_t{ 1 } << 20;
    const std::size_t limit = std::min(atLeast + perByte * m_module.text.size(), maximumText);
    if (m_out.size() > limit)
        return fail(
            Code::TooLarge, { { "what", "text" }, { "bytes", m_out.size() }, { "limit", limit } }, at(instruction));
    return {};
}

std::string Translator::functionName(std::uint32_t computation) const
{
    const std::string_view name = m_module.view(m_module.computations[computation].name);
    return name == "main" ? m_calledMain : std::string(name);
}

void Translator::line(std::string_view text, std::uint32_t origin)
{
    m_out += text;
    m_out += '\n';
    m_origins.push_back(origin);
}

void Translator::makes(const Leaf& leaf)
{
    if (m_lines.size() <= leaf.number)
        m_lines.resize(leaf.number + 1);
    m_lines[leaf.number] = static_cast<std::uint32_t>(m_origins.size());
}

void Translator::nameElement(const Leaf& leaf, const HloInstruction& tuple, const HloInstruction& element)
{
    if (leaf.several == 0 && leaf.number < m_lines.size() && m_origins[m_lines[leaf.number]] == tuple.name.begin)
        m_elementNames.emplace(m_lines[leaf.number], element.name.begin);
}

Where Translator::at(const HloInstruction& instruction) const
{
    return m_module.placeOf(instruction.name.begin);
}

tl::unexpected<Error> Translator::lacks(const HloInstruction& instruction, std::string_view attribute) const
{
    return fail(Code::AttributeMissing, { { "op", m_module.opcode(instruction) }, { "attribute", attribute } },
        at(instruction));
}

void Translator::typeAliases()
{
    std::map<std::string, std::uint32_t> numbers; // layouts make shapes of one type
    m_types.assign(m_module.shapes.size(), noHloIndex);
    for (std::uint32_t shape = 0; shape < m_types.size(); ++shape) {
        const HloShape& array = m_module.shapes[shape];
        if (array.isTuple || array.isDynamic || !isTensor(array.dtype))
            continue;
        const auto [known, isNew] = numbers.try_emplace(type(shape), static_cast<std::uint32_t>(numbers.size()));
        if (isNew)
            line("!t" + std::to_string(known->second) + " = " + known->first, array.text.begin);
        m_types[shape] = known->second;
    }
}

std::string Translator::type(std::uint32_t shape) const
{
    if (m_types[shape] != noHloIndex)
        return "!t" + std::to_string(m_types[shape]);
    const HloShape& array = m_module.shapes[shape];
    if (array.dtype == DType::Token)
        return "!stablehlo.token";
    if (!isTensor(array.dtype))
        return "!hlo.opaque";
    std::string text = "tensor<";
    for (const std::int64_t size : array.sizes)
        text += (array.isDynamic ? std::string("?") : std::to_string(size)) + 'x';
    return text + std::string(name(array.dtype)) + '>';
}

std::string Translator::nameOf(const Leaf& leaf) const
{
    return '%' + std::to_string(leaf.number) + (leaf.several != 0 ? '#' + std::to_string(leaf.part) : std::string());
}

std::string Translator::namesOf(const Leaves& leaves) const
{
    return join(leaves, ", ", [&](const Leaf& leaf) { return nameOf(leaf); });
}

std::string Translator::typesOf(const Leaves& leaves) const
{
    return join(leaves, ", ", [&](const Leaf& leaf) { return type(leaf.shape); });
}

std::string Translator::typesOf(const std::vector<std::uint32_t>& shapes) const
{
    return join(shapes, ", ", [&](std::uint32_t shape) { return type(shape); });
}

std::string Translator::location(const HloInstruction& instruction)
{
    const HloAttribute* metadata = m_module.attribute(instruction, "metadata");
    if (!metadata)
        return {};
    const auto [known, isNew] = m_locations.try_emplace(m_module.view(metadata->value), m_located.size());
    if (isNew)
        m_located.push_back(m_module.indexOf(instruction));
    return " loc(#loc" + std::to_string(known->second) + ')';
}

std::string Translator::locationText(const HloInstruction& instruction) const
{
    const HloMetadata metadata = hloMetadata(m_module, instruction);
    const std::string place = metadata.place.line == 0 || metadata.place.file.empty()
        ? std::string("unknown")
        : quotedText(metadata.place.file) + ':' + std::to_string(metadata.place.line) + ":0";
    return metadata.opName.empty() ? place
        : place == "unknown"       ? quotedText(metadata.opName)
                                   : quotedText(metadata.opName) + '(' + place + ')';
}

Translator::Leaves Translator::newValue(const std::vector<std::uint32_t>& shapes)
{
    Leaves leaves;
    for (std::uint32_t part = 0; part < shapes.size(); ++part)
        leaves.push_back({ m_next, part, shapes.size() > 1 ? 1U : 0U, shapes[part] });
    ++m_next;
    return leaves;
}

void Translator::bind(const HloInstruction& instruction, Leaves leaves)
{
    m_values[m_module.indexOf(instruction)] = std::move(leaves);
}

Translator::Leaves Translator::operandLeaves(const HloInstruction& instruction) const
{
    Leaves leaves;
    for (const std::uint32_t operand : m_module.operandsOf(instruction))
        leaves.insert(leaves.end(), m_values[operand].begin(), m_values[operand].end());
    return leaves;
}

/// By number.
std::vector<const HloInstruction*> Translator::parameters(std::uint32_t computation) const
{
    std::vector<std::pair<std::int64_t, const HloInstruction*>> found;
    for (const HloInstruction& instruction : m_module.instructionsOf(m_module.computations[computation]))
        if (m_module.opcode(instruction) == "parameter")
            found.emplace_back(wholeNumber<std::int64_t>(m_module.view(instruction.inside)).value_or(0), &instruction);
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const HloInstruction*> list;
    for (const auto& [number, instruction] : found)
        list.push_back(instruction);
    return list;
}

void Translator::bindParameters(std::uint32_t computation, const Leaves& leaves)
{
    std::size_t next = 0;
    for (const HloInstruction* parameter : parameters(computation)) {
        Leaves own;
        for (std::size_t count = leavesOf(m_module, parameter->shape).size(); count > 0 && next < leaves.size();
             --count)
            own.push_back(leaves[next++]);
        bind(*parameter, std::move(own));
    }
}

Result<void> Translator::function(std::uint32_t computation, const std::string& name, bool isMain)
{
    const HloComputation& called = m_module.computations[computation];
    if (called.root == noHloIndex)
        return endsEarly(m_module, m_module.placeOf(called.name.begin));
    m_next = 0;
    // Where one value alone is returned it has no place in a tuple.
    const bool returnsOne = !m_module.shape(m_module.instructions[called.root]).isTuple;
    std::multimap<std::int64_t, std::int64_t> replaced; // argument, result
    if (isMain) {
        SHARDSCOPE_TRY(aliases, hloAliases(m_module));
        for (const HloAlias& alias : *aliases)
            if (alias.part.empty() && alias.result.size() == (returnsOne ? 0U : 1U))
                replaced.emplace(alias.argument, returnsOne ? 0 : alias.result.front());
    }
    line(
        std::string("func.func ") + (isMain ? "public" : "private") + " @" + quotedText(name) + '(', called.name.begin);
    Leaves arguments;
    const std::vector<const HloInstruction*> list = parameters(computation);
    for (std::size_t p = 0; p < list.size(); ++p) {
        const std::vector<std::uint32_t> shapes = leavesOf(m_module, list[p]->shape);
        SHARDSCOPE_TRY(stated, statedShardings(*list[p], shapes.size()));
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            const Leaf leaf = newValue({ shapes[i] }).front();
            arguments.push_back(leaf);
            makes(leaf);
            std::vector<std::string> attributes;
            if (shapes.size() == 1)
                addFrontendShardings(*list[p], attributes);
            if (!stated->empty())
                attributes.push_back("mhlo.sharding = " + quotedText((*stated)[i]));
            const auto [from, to] = replaced.equal_range(static_cast<std::int64_t>(p));
            for (auto result = from; result != to && shapes.size() == 1; ++result)
                attributes.push_back("tf.aliasing_output = " + std::to_string(result->second) + " : i32");
            const bool isLast = p + 1 == list.size() && i + 1 == shapes.size();
            line(nameOf(leaf) + ": " + type(leaf.shape)
                    + (attributes.empty() ? std::string() : " {" + join(attributes, ", ") + '}') + location(*list[p])
                    + (isLast ? "" : ","),
                list[p]->name.begin);
        }
    }
    bindParameters(computation, arguments);
    const HloInstruction& root = m_module.instructions[called.root];
    const std::vector<std::uint32_t> results = leavesOf(m_module, root.shape);
    SHARDSCOPE_TRY(stated, statedShardings(root, isMain ? results.size() : 0));
    std::string types;
    for (std::size_t r = 0; r < results.size(); ++r)
        types += (r == 0 ? "" : ", ") + type(results[r])
            + (stated->empty() ? "" : " {mhlo.sharding = " + quotedText((*stated)[r]) + '}');
    line(") -> (" + types + ") {", root.name.begin);
    SHARDSCOPE_CHECK(instructions(computation));
    const Leaves& returned = m_values[called.root];
    line("\"func.return\"(" + namesOf(returned) + ") : (" + typesOf(returned) + ") -> ()", root.name.begin);
    line("}", root.name.begin);
    return {};
}

Result<void> Translator::instructions(std::uint32_t computation)
{
    for (const HloInstruction& each : m_module.instructionsOf(m_module.computations[computation])) {
        SHARDSCOPE_CHECK(checkSize(each));
        SHARDSCOPE_CHECK(instruction(each));
    }
    return {};
}

Result<void> Translator::region(const Body& body, const HloInstruction& owner)
{
    const HloComputation& computation = m_module.computations[body.computation];
    if (computation.root == noHloIndex)
        return endsEarly(m_module, at(owner));
    if (++m_depth > maximumRegionDepth)
        return fail(Code::TooLarge, { { "what", "nesting" }, { "limit", maximumRegionDepth } }, at(owner));
    if (body.hasArguments) {
        Leaves arguments;
        std::vector<std::uint32_t> origins;
        for (const HloInstruction* parameter : parameters(body.computation))
            for (const std::uint32_t shape : leavesOf(m_module, parameter->shape)) {
                arguments.push_back(newValue({ shape }).front());
                origins.push_back(parameter->name.begin);
            }
        bindParameters(body.computation, arguments);
        if (!arguments.empty()) {
            line("^bb0(", computation.name.begin);
            for (std::size_t a = 0; a < arguments.size(); ++a) {
                makes(arguments[a]);
                line(nameOf(arguments[a]) + ": " + type(arguments[a].shape) + (a + 1 < arguments.size() ? "," : "):"),
                    origins[a]);
            }
        }
    } else {
        bindParameters(body.computation, body.bound);
    }
    SHARDSCOPE_CHECK(instructions(body.computation));
    const Leaves& returned = m_values[computation.root];
    line("\"stablehlo.return\"(" + namesOf(returned) + ") : (" + typesOf(returned) + ") -> ()",
        m_module.instructions[computation.root].name.begin);
    --m_depth;
    return {};
}

bool Translator::hasOneType(const Target& target) const
{
    static constexpr std::string_view elementwise[] = { "stablehlo.abs", "stablehlo.add", "stablehlo.and",
        "stablehlo.divide", "stablehlo.exponential", "stablehlo.log", "stablehlo.maximum", "stablehlo.minimum",
        "stablehlo.multiply", "stablehlo.negate", "stablehlo.not", "stablehlo.or", "stablehlo.power", "stablehlo.rsqrt",
        "stablehlo.sqrt", "stablehlo.subtract", "stablehlo.tanh", "stablehlo.xor" };
    if (!target.attributes.empty() || target.results.size() != 1
        || !std::binary_search(std::begin(elementwise), std::end(elementwise), std::string_view(target.name)))
        return false;
    const HloShape& result = m_module.shapes[target.results.front()];
    return std::all_of(target.operands.begin(), target.operands.end(), [&](const Leaf& operand) {
        const HloShape& own = m_module.shapes[operand.shape];
        return own.dtype == result.dtype && own.sizes == result.sizes && own.isDynamic == result.isDynamic;
    });
}

Result<void> Translator::write(const HloInstruction& instruction, Target target, const std::vector<Body>& bodies)
{
    const std::uint32_t origin = instruction.name.begin;
    addFrontendShardings(instruction, target.attributes);
    SHARDSCOPE_TRY(stated, ownShardings(instruction));
    if (stated->size() == target.results.size() && !stated->empty()) // else the instruction becomes several operations
        target.attributes.push_back("mhlo.sharding = "
            + quotedText(stated->size() == 1 ? std::string(stated->front()) : '{' + join(*stated, ", ") + '}'));
    const Leaves results = newValue(target.results);
    if (!results.empty())
        makes(results.front());
    std::string text;
    if (!results.empty())
        text += '%' + std::to_string(results.front().number)
            + (results.size() > 1 ? ':' + std::to_string(results.size()) : std::string()) + " = ";
    if (hasOneType(target) && bodies.empty()) { // most operations: "%2 = stablehlo.add %0, %1 : tensor<8xf32>"
        line(text + target.name + ' ' + namesOf(target.operands) + " : " + typesOf(target.results)
                + location(instruction),
            origin);
        bind(instruction, results);
        return {};
    }
    text += '"' + target.name + "\"(" + namesOf(target.operands) + ")";
    if (!target.attributes.empty())
        text += " <{" + join(target.attributes, ", ") + "}>";
    if (!bodies.empty()) {
        text += " (";
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            line(text + "{", origin);
            SHARDSCOPE_CHECK(region(bodies[b], instruction));
            text = b + 1 < bodies.size() ? "}, " : "})";
        }
    }
    text += " : (" + typesOf(target.operands) + ") -> "
        + (target.results.size() == 1 ? typesOf(target.results) : '(' + typesOf(target.results) + ')');
    line(text + location(instruction), origin);
    bind(instruction, results);
    return {};
}

Result<void> Translator::withBodies(
    const HloInstruction& instruction, Target target, std::initializer_list<std::string_view> attributes)
{
    SHARDSCOPE_TRY(calls, calledBy(m_module, instruction));
    std::vector<Body> bodies;
    for (const std::string_view attribute : attributes) {
        const auto found = std::find_if(
            calls->begin(), calls->end(), [&](const HloCall& each) { return each.attribute == attribute; });
        if (found == calls->end())
            return lacks(instruction, attribute);
        bodies.push_back({ found->computation, true, {} });
    }
    if (const auto loop = std::lower_bound(m_found.loops.begin(), m_found.loops.end(), m_module.indexOf(instruction),
            [](const HloLoop& each, std::uint32_t wanted) { return each.instruction < wanted; });
        m_isCompiled && loop != m_found.loops.end() && loop->instruction == m_module.indexOf(instruction)
        && loop->trips)
        target.attributes.push_back(std::string(tripCountAttribute) + " = " + std::to_string(*loop->trips) + " : i64");
    return write(instruction, std::move(target), bodies);
}

Result<void> Translator::conditional(const HloInstruction& instruction)
{
    const auto operands = m_module.operandsOf(instruction);
    SHARDSCOPE_TRY(calls, calledBy(m_module, instruction));
    if (operands.size() != calls->size() + 1 || calls->empty())
        return lacks(instruction, "branch_computations");
    const Leaves& chosenBy = m_values[operands[0]];
    if (chosenBy.size() != 1)
        return lacks(instruction, "an index");
    const bool isIf = m_module.shapes[chosenBy[0].shape].dtype == DType::Pred;
    std::vector<Body> bodies;
    for (std::size_t b = 0; b < calls->size(); ++b)
        bodies.push_back({ (*calls)[b].computation, false, m_values[operands[b + 1]] });
    return write(instruction,
        { isIf ? "stablehlo.if" : "stablehlo.case", {}, chosenBy, leavesOf(m_module, instruction.shape) }, bodies);
}

Result<void> Translator::call(const HloInstruction& instruction)
{
    return writeCall(instruction, leavesOf(m_module, instruction.shape));
}

Result<void> Translator::writeCall(const HloInstruction& instruction, std::vector<std::uint32_t> results)
{
    SHARDSCOPE_TRY(calls, calledBy(m_module, instruction));
    if (calls->empty())
        return lacks(instruction, m_module.opcode(instruction) == "call" ? "to_apply" : "calls");
    const std::uint32_t computation = calls->front().computation;
    if (m_known.insert(computation).second)
        m_functions.push_back(computation);
    return write(instruction,
        { "func.call", { "callee = @" + quotedText(functionName(computation)) }, operandLeaves(instruction),
            std::move(results) });
}

Result<std::vector<std::string_view>> Translator::statedShardings(
    const HloInstruction& instruction, std::size_t arrays) const
{
    std::vector<std::string_view> texts;
    const HloAttribute* sharding = m_module.attribute(instruction, "sharding");
    if (!sharding || m_isShardy || m_isCompiled || arrays == 0)
        return texts;
    const std::string_view all = m_module.view(sharding->value);
    texts = hloShardingTexts(all);
    if (texts.size() == 1 && texts[0].size() == all.size()) // what is no tuple is the sharding of all parts
        texts.assign(arrays, all);
    if (texts.size() != arrays)
        return fail(Code::CountMismatch,
            { { "what", "shardings" }, { "found", texts.size() }, { "wanted", arrays },
                { "of", m_module.view(instruction.name) } },
            m_module.placeOf(sharding->value.begin));
    // What is manual is so by the calls around it, which say so themselves.
    const bool isManual = m_module.opcode(instruction) != "custom-call"
        && std::all_of(texts.begin(), texts.end(), [](std::string_view text) {
               const Result<HloSharding> read = parseHlo(text);
               return read && read->kind == HloSharding::Kind::Manual;
           });
    return isManual ? std::vector<std::string_view>() : texts;
}

Result<std::vector<std::string_view>> Translator::ownShardings(const HloInstruction& instruction) const
{
    // What main returns has its shardings at its results.
    const bool isReturned = &instruction == &m_module.instructions[m_module.computations[m_module.entry].root];
    return statedShardings(instruction,
        isReturned && m_module.opcode(instruction) != "custom-call" ? 0 : leavesOf(m_module, instruction.shape).size());
}

Result<Translator::Leaves> Translator::sharded(const HloInstruction& instruction, Leaves values)
{
    SHARDSCOPE_TRY(stated, ownShardings(instruction));
    for (std::size_t i = 0; i < values.size() && i < stated->size(); ++i) {
        const std::string shape = type(values[i].shape);
        const Leaf made = newValue({ values[i].shape }).front();
        makes(made);
        line(nameOf(made) + " = \"stablehlo.custom_call\"(" + nameOf(values[i])
                + ") <{call_target_name = \"Sharding\"}> {mhlo.sharding = " + quotedText((*stated)[i]) + "} : (" + shape
                + ") -> " + shape + location(instruction),
            instruction.name.begin);
        values[i] = made;
    }
    return values;
}

void Translator::addFrontendShardings(const HloInstruction& instruction, std::vector<std::string>& attributes) const
{
    if (m_isCompiled)
        return;
    const HloAttribute* frontend = m_module.attribute(instruction, "frontend_attributes");
    std::vector<std::string> entries;
    for (const std::string_view key : { "xla.sdy.sharding", "xla.sdy.sharding_rule", "xla.sdy.sharding_group_id" })
        if (const auto value = hloFrontendAttribute(m_module, frontend, key))
            entries.push_back(std::string(key) + " = " + quotedText(*value));
    if (!entries.empty())
        attributes.push_back("mhlo.frontend_attributes = {" + join(entries, ", ") + '}');
}

} // namespace shardscope::hlo
