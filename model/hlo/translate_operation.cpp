// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Translator, which is declared in translator.h: operations by opcode.
#include <algorithm>
#include <array>

#include "base/codes.h"
#include "base/text.h"
#include "hlo/attributes.h"
#include "hlo/mlir_text.h"
#include "hlo/translator.h"

namespace shardscope::hlo {

namespace {

struct PlainName {
    std::string_view opcode, name;
};
/// Operations without attributes.
constexpr std::array plainNames{
    PlainName{ "abs", "stablehlo.abs" },
    PlainName{ "add", "stablehlo.add" },
    PlainName{ "after-all", "stablehlo.after_all" },
    PlainName{ "and", "stablehlo.and" },
    PlainName{ "atan2", "stablehlo.atan2" },
    PlainName{ "bitcast-convert", "stablehlo.bitcast_convert" },
    PlainName{ "cbrt", "stablehlo.cbrt" },
    PlainName{ "ceil", "stablehlo.ceil" },
    PlainName{ "clamp", "stablehlo.clamp" },
    PlainName{ "complex", "stablehlo.complex" },
    PlainName{ "convert", "stablehlo.convert" },
    PlainName{ "cosine", "stablehlo.cosine" },
    PlainName{ "count-leading-zeros", "stablehlo.count_leading_zeros" },
    PlainName{ "divide", "stablehlo.divide" },
    PlainName{ "dynamic-update-slice", "stablehlo.dynamic_update_slice" },
    PlainName{ "erf", "chlo.erf" },
    PlainName{ "exponential", "stablehlo.exponential" },
    PlainName{ "exponential-minus-one", "stablehlo.exponential_minus_one" },
    PlainName{ "floor", "stablehlo.floor" },
    PlainName{ "imag", "stablehlo.imag" },
    PlainName{ "is-finite", "stablehlo.is_finite" },
    PlainName{ "log", "stablehlo.log" },
    PlainName{ "log-plus-one", "stablehlo.log_plus_one" },
    PlainName{ "logistic", "stablehlo.logistic" },
    PlainName{ "maximum", "stablehlo.maximum" },
    PlainName{ "minimum", "stablehlo.minimum" },
    PlainName{ "multiply", "stablehlo.multiply" },
    PlainName{ "negate", "stablehlo.negate" },
    PlainName{ "not", "stablehlo.not" },
    PlainName{ "opt-barrier", "stablehlo.optimization_barrier" },
    PlainName{ "or", "stablehlo.or" },
    PlainName{ "partition-id", "stablehlo.partition_id" },
    PlainName{ "popcnt", "stablehlo.popcnt" },
    PlainName{ "power", "stablehlo.power" },
    PlainName{ "real", "stablehlo.real" },
    PlainName{ "remainder", "stablehlo.remainder" },
    PlainName{ "replica-id", "stablehlo.replica_id" },
    PlainName{ "reshape", "stablehlo.reshape" },
    PlainName{ "round-nearest-afz", "stablehlo.round_nearest_afz" },
    PlainName{ "round-nearest-even", "stablehlo.round_nearest_even" },
    PlainName{ "rsqrt", "stablehlo.rsqrt" },
    PlainName{ "select", "stablehlo.select" },
    PlainName{ "shift-left", "stablehlo.shift_left" },
    PlainName{ "shift-right-arithmetic", "stablehlo.shift_right_arithmetic" },
    PlainName{ "shift-right-logical", "stablehlo.shift_right_logical" },
    PlainName{ "sign", "stablehlo.sign" },
    PlainName{ "sine", "stablehlo.sine" },
    PlainName{ "sqrt", "stablehlo.sqrt" },
    PlainName{ "subtract", "stablehlo.subtract" },
    PlainName{ "tan", "stablehlo.tan" },
    PlainName{ "tanh", "stablehlo.tanh" },
    PlainName{ "xor", "stablehlo.xor" },
};

} // namespace

Result<std::vector<std::int64_t>> Translator::numbers(
    const HloInstruction& instruction, std::string_view attribute) const
{
    SHARDSCOPE_TRY(read, hloNumbers(m_module, instruction, attribute));
    if (!*read)
        return lacks(instruction, attribute);
    return std::move(**read);
}

Result<std::string> Translator::dims(
    const HloInstruction& instruction, std::string_view attribute, std::string_view name) const
{
    SHARDSCOPE_TRY(read, numbers(instruction, attribute));
    return arrayText(name, *read);
}

Result<void> Translator::customCall(const HloInstruction& instruction, Target& target)
{
    if (!m_module.attribute(instruction, "custom_call_target"))
        return lacks(instruction, "custom_call_target");
    target.name = "stablehlo.custom_call";
    target.attributes.push_back(
        "call_target_name = " + quotedText(hloText(m_module, instruction, "custom_call_target")));
    if (hloFlag(m_module, instruction, "custom_call_has_side_effect"))
        target.attributes.emplace_back("has_side_effect = true");
    if (m_module.attribute(instruction, "backend_config"))
        target.attributes.push_back("backend_config = " + quotedText(hloText(m_module, instruction, "backend_config")));
    return {};
}

Result<void> Translator::concatenate(const HloInstruction& instruction, Target& target)
{
    SHARDSCOPE_TRY(dimension, numbers(instruction, "dimensions"));
    target.attributes.push_back(
        "dimension = " + std::to_string(dimension->empty() ? 0 : dimension->front()) + " : i64");
    return {};
}

/// One whole number that both have under the same name, 0 where HLO leaves it out.
Result<void> Translator::number(
    const HloInstruction& instruction, std::string_view attribute, std::string_view type, Target& target)
{
    SHARDSCOPE_TRY(value, hloNumber(m_module, instruction, attribute));
    target.attributes.push_back(
        std::string(attribute) + " = " + std::to_string(value->value_or(0)) + " : " + std::string(type));
    return {};
}

/// HLO says how it compares only where that is not what the element type suggests.
void Translator::compare(const HloInstruction& instruction, Target& target)
{
    const std::string type = hloText(m_module, instruction, "type");
    const DType compared = target.operands.empty() ? DType::F32 : m_module.shapes[target.operands[0].shape].dtype;
    const char* own = isFloat(compared) || isComplex(compared)        ? "FLOAT"
        : compared == DType::Pred || name(compared).starts_with("ui") ? "UNSIGNED"
                                                                      : "SIGNED";
    target.attributes.push_back(
        "comparison_direction = #stablehlo<comparison_direction " + hloText(m_module, instruction, "direction") + '>');
    target.attributes.push_back(
        "compare_type = #stablehlo<comparison_type " + (type.empty() ? std::string(own) : type) + '>');
}

/// slice={[0:4], [1:4:2]}: start, limit and stride (or 1) of each dimension.
Result<void> Translator::slice(const HloInstruction& instruction, Target& target)
{
    std::vector<std::int64_t> starts, limits, strides;
    const std::string text = hloText(m_module, instruction, "slice");
    for (std::size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1)) {
        std::string row = text.substr(open + 1, text.find(']', open) - open - 1);
        std::replace(row.begin(), row.end(), ':', '_');
        const auto rows = numberRows(row);
        const std::vector<std::int64_t> range = rows.empty() ? std::vector<std::int64_t>() : rows.front();
        if (range.size() < 2)
            return lacks(instruction, "slice");
        starts.push_back(range[0]);
        limits.push_back(range[1]);
        strides.push_back(range.size() > 2 ? range[2] : 1);
    }
    target.attributes.push_back(arrayText("start_indices", starts));
    target.attributes.push_back(arrayText("limit_indices", limits));
    target.attributes.push_back(arrayText("strides", strides));
    return {};
}

/// padding=0_1x0_0_2: low, high and interior padding (or 0) of each dimension.
void Translator::pad(const HloInstruction& instruction, Target& target)
{
    std::vector<std::int64_t> low, high, interior;
    for (const std::vector<std::int64_t>& row : numberRows(hloText(m_module, instruction, "padding"))) {
        low.push_back(row.empty() ? 0 : row[0]);
        high.push_back(row.size() < 2 ? 0 : row[1]);
        interior.push_back(row.size() < 3 ? 0 : row[2]);
    }
    target.attributes.push_back(arrayText("edge_padding_low", low));
    target.attributes.push_back(arrayText("edge_padding_high", high));
    target.attributes.push_back(arrayText("interior_padding", interior));
}

/// "offset_dims = [1], ...": lists of dimensions by their names in HLO and in StableHLO, empty where HLO leaves one
/// out.
Result<std::string> Translator::dimensionLists(
    const HloInstruction& instruction, std::initializer_list<std::pair<std::string_view, std::string_view>> names) const
{
    std::vector<std::string> lists;
    for (const auto& [attribute, name] : names) {
        SHARDSCOPE_TRY(list, hloNumbers(m_module, instruction, attribute));
        lists.push_back(bracketText(name, list->value_or(std::vector<std::int64_t>())));
    }
    return join(lists, ", ");
}

Result<void> Translator::dot(const HloInstruction& instruction, Target& target)
{
    SHARDSCOPE_TRY(lists,
        dimensionLists(instruction,
            { { "lhs_batch_dims", "lhs_batching_dimensions" }, { "rhs_batch_dims", "rhs_batching_dimensions" },
                { "lhs_contracting_dims", "lhs_contracting_dimensions" },
                { "rhs_contracting_dims", "rhs_contracting_dimensions" } }));
    target.attributes.push_back("dot_dimension_numbers = #stablehlo.dot<" + *lists + '>');
    return {};
}

Result<void> Translator::gather(const HloInstruction& instruction, Target& target)
{
    SHARDSCOPE_TRY(lists,
        dimensionLists(instruction,
            { { "offset_dims", "offset_dims" }, { "collapsed_slice_dims", "collapsed_slice_dims" },
                { "operand_batching_dims", "operand_batching_dims" },
                { "start_indices_batching_dims", "start_indices_batching_dims" },
                { "start_index_map", "start_index_map" } }));
    SHARDSCOPE_TRY(vector, hloNumber(m_module, instruction, "index_vector_dim"));
    SHARDSCOPE_TRY(sizes, dims(instruction, "slice_sizes", "slice_sizes"));
    target.attributes.push_back("dimension_numbers = #stablehlo.gather<" + *lists
        + ", index_vector_dim = " + std::to_string(vector->value_or(0)) + '>');
    target.attributes.push_back(*sizes);
    if (hloFlag(m_module, instruction, "indices_are_sorted"))
        target.attributes.emplace_back("indices_are_sorted = true");
    return {};
}

/// Operations whose only attribute is a list of numbers, which has another name in StableHLO.
Result<bool> Translator::ofOneList(const HloInstruction& instruction, Target& target)
{
    struct Row {
        std::string_view opcode, attribute, name, operation;
    };
    static constexpr std::array rows{
        Row{ "broadcast", "dimensions", "broadcast_dimensions", "stablehlo.broadcast_in_dim" },
        Row{ "dynamic-slice", "dynamic_slice_sizes", "slice_sizes", "stablehlo.dynamic_slice" },
        Row{ "reverse", "dimensions", "dimensions", "stablehlo.reverse" },
        Row{ "transpose", "dimensions", "permutation", "stablehlo.transpose" },
    };
    const auto row = std::find_if(rows.begin(), rows.end(),
        [opcode = m_module.opcode(instruction)](const Row& each) { return each.opcode == opcode; });
    if (row == rows.end())
        return false;
    SHARDSCOPE_TRY(text, dims(instruction, row->attribute, row->name));
    target.attributes.push_back(*text);
    target.name = row->operation;
    return true;
}

/// Operations with attributes and without bodies.
Result<bool> Translator::attributed(const HloInstruction& instruction, Target& target)
{
    const std::string_view opcode = m_module.opcode(instruction);
    SHARDSCOPE_TRY(isDone, ofOneList(instruction, target));
    if (*isDone)
        return true;
    const auto named = [&](std::string_view name) {
        target.name = name;
        return true;
    };
    if (opcode == "constant") {
        SHARDSCOPE_TRY(value, constant(instruction));
        target.attributes.push_back("value = " + *value);
        return named("stablehlo.constant");
    }
    if (opcode == "concatenate") {
        SHARDSCOPE_CHECK(concatenate(instruction, target));
        return named("stablehlo.concatenate");
    }
    if (opcode == "iota") {
        SHARDSCOPE_CHECK(number(instruction, "iota_dimension", "i64", target));
        return named("stablehlo.iota");
    }
    if (opcode == "compare") {
        compare(instruction, target);
        return named("stablehlo.compare");
    }
    if (opcode == "reduce-precision") {
        SHARDSCOPE_CHECK(number(instruction, "exponent_bits", "i32", target));
        SHARDSCOPE_CHECK(number(instruction, "mantissa_bits", "i32", target));
        return named("stablehlo.reduce_precision");
    }
    if (opcode == "slice") {
        SHARDSCOPE_CHECK(slice(instruction, target));
        return named("stablehlo.slice");
    }
    if (opcode == "pad") {
        pad(instruction, target);
        return named("stablehlo.pad");
    }
    if (opcode == "dot") {
        SHARDSCOPE_CHECK(dot(instruction, target));
        return named("stablehlo.dot_general");
    }
    if (opcode == "gather") {
        SHARDSCOPE_CHECK(gather(instruction, target));
        return named("stablehlo.gather");
    }
    if (opcode == "convolution") {
        SHARDSCOPE_CHECK(windowed(instruction, target, true));
        return named("stablehlo.convolution");
    }
    if (opcode == "topk" && hloFlag(m_module, instruction, "largest")) {
        SHARDSCOPE_CHECK(number(instruction, "k", "i64", target));
        return named("chlo.top_k");
    }
    if (opcode == "fft") {
        SHARDSCOPE_TRY(length, dims(instruction, "fft_length", "fft_length"));
        target.attributes.push_back(
            "fft_type = #stablehlo<fft_type " + hloText(m_module, instruction, "fft_type") + '>');
        target.attributes.push_back(*length);
        return named("stablehlo.fft");
    }
    if (opcode == "custom-call") {
        SHARDSCOPE_CHECK(customCall(instruction, target));
        return true;
    }
    return false;
}

/// What makes no operation, or one with bodies.
Result<bool> Translator::special(const HloInstruction& instruction)
{
    const std::string_view opcode = m_module.opcode(instruction);
    if (opcode == "parameter")
        return true; // is bound
    if (opcode == "get-tuple-element") { // of a large tuple there is one for each element
        SHARDSCOPE_CHECK(element(instruction));
        return true;
    }
    if (opcode == "bitcast" && !m_module.shape(instruction).isTuple && m_module.operandsOf(instruction).size() == 1
        && bitcast(instruction))
        return true;
    SHARDSCOPE_TRY(isExchange, exchange(instruction));
    if (*isExchange)
        return true;
    const Leaves operands = operandLeaves(instruction);
    const std::vector<std::uint32_t> results = leavesOf(m_module, instruction.shape);
    if (opcode == "tuple" || opcode == "copy") {
        if (operands.size() != results.size()) // values never become more than the text says they are
            return fail(Code::CountMismatch,
                { { "what", "elements" }, { "found", operands.size() }, { "wanted", results.size() },
                    { "of", std::string(opcode) } },
                at(instruction));
        SHARDSCOPE_TRY(values, sharded(instruction, operands));
        bind(instruction, std::move(*values));
        return true;
    }
    Target target{ "", {}, operands, results };
    const auto with = [&](std::string_view name, std::initializer_list<std::string_view> bodies) -> Result<bool> {
        target.name = name;
        SHARDSCOPE_CHECK(withBodies(instruction, std::move(target), bodies));
        return true;
    };
    if (opcode == "call" || opcode == "fusion") {
        SHARDSCOPE_CHECK(call(instruction));
        return true;
    }
    if (opcode == "conditional") {
        SHARDSCOPE_CHECK(conditional(instruction));
        return true;
    }
    if (opcode == "while")
        return with("stablehlo.while", { "condition", "body" });
    if (opcode == "reduce" || opcode == "map") {
        SHARDSCOPE_TRY(text, dims(instruction, "dimensions", "dimensions"));
        target.attributes.push_back(*text);
        return with(opcode == "map" ? "stablehlo.map" : "stablehlo.reduce", { "to_apply" });
    }
    if (opcode == "sort") {
        SHARDSCOPE_TRY(dimension, numbers(instruction, "dimensions"));
        target.attributes.push_back(
            "dimension = " + std::to_string(dimension->empty() ? 0 : dimension->front()) + " : i64");
        target.attributes.push_back(
            std::string("is_stable = ") + (hloFlag(m_module, instruction, "is_stable") ? "true" : "false"));
        return with("stablehlo.sort", { "to_apply" });
    }
    if (opcode == "reduce-window") {
        SHARDSCOPE_CHECK(windowed(instruction, target, false));
        return with("stablehlo.reduce_window", { "to_apply" });
    }
    if (opcode == "select-and-scatter") {
        SHARDSCOPE_CHECK(windowed(instruction, target, false));
        return with("stablehlo.select_and_scatter", { "select", "scatter" });
    }
    if (opcode == "scatter") {
        std::vector<std::string> parts;
        for (const std::string_view key : { "update_window_dims", "inserted_window_dims", "input_batching_dims",
                 "scatter_indices_batching_dims", "scatter_dims_to_operand_dims" }) {
            SHARDSCOPE_TRY(list, hloNumbers(m_module, instruction, key));
            parts.push_back(bracketText(key, list->value_or(std::vector<std::int64_t>())));
        }
        SHARDSCOPE_TRY(vector, hloNumber(m_module, instruction, "index_vector_dim"));
        parts.push_back("index_vector_dim = " + std::to_string(vector->value_or(0)));
        target.attributes.push_back("scatter_dimension_numbers = #stablehlo.scatter<" + join(parts, ", ") + '>');
        for (const std::string_view key : { "indices_are_sorted", "unique_indices" })
            if (hloFlag(m_module, instruction, key))
                target.attributes.push_back(std::string(key) + " = true");
        return with("stablehlo.scatter", { "to_apply" });
    }
    return false;
}

Result<void> Translator::element(const HloInstruction& instruction)
{
    SHARDSCOPE_TRY(index, hloNumber(m_module, instruction, "index"));
    const auto of = m_module.operandsOf(instruction);
    if (!*index || of.empty())
        return lacks(instruction, "index");
    const std::uint32_t shape = m_module.instructions[of[0]].shape;
    const HloShape& tuple = m_module.shapes[shape];
    if (!tuple.isTuple || **index < 0 || **index >= static_cast<std::int64_t>(tuple.parts.size()))
        return lacks(instruction, "index");
    m_firstLeaves.resize(m_module.shapes.size());
    std::vector<std::uint32_t>& firsts = m_firstLeaves[shape];
    if (firsts.empty()) {
        firsts.push_back(0);
        for (const std::uint32_t part : tuple.parts)
            firsts.push_back(firsts.back() + static_cast<std::uint32_t>(leavesOf(m_module, part).size()));
    }
    const auto part = static_cast<std::size_t>(**index);
    const Leaves& all = m_values[of[0]];
    if (firsts[part + 1] > all.size())
        return lacks(instruction, "index");
    const Leaves taken(all.begin() + firsts[part], all.begin() + firsts[part + 1]);
    SHARDSCOPE_TRY(values, sharded(instruction, taken));
    if (taken.size() == 1 && values->front().number == taken.front().number) // else there is an operation of that name
        nameElement(taken.front(), m_module.instructions[of[0]], instruction);
    bind(instruction, std::move(*values));
    return {};
}

Result<void> Translator::instruction(const HloInstruction& instruction)
{
    constexpr std::size_t maximumLeaves = std::size_t{ 1 } << 20;
    std::size_t leaves = 0;
    for (const std::uint32_t operand : m_module.operandsOf(instruction))
        leaves += m_values[operand].size();
    if (leaves > maximumLeaves)
        return fail(Code::TooLarge, { { "what", "operands" }, { "count", leaves }, { "limit", maximumLeaves } },
            at(instruction));
    SHARDSCOPE_TRY(isSpecial, special(instruction));
    if (*isSpecial)
        return {};
    const std::string_view opcode = m_module.opcode(instruction);
    Target target{ "", {}, operandLeaves(instruction), leavesOf(m_module, instruction.shape) };
    const auto plain = std::find_if(
        plainNames.begin(), plainNames.end(), [&](const PlainName& each) { return each.opcode == opcode; });
    if (plain != plainNames.end()) {
        target.name = plain->name;
    } else {
        SHARDSCOPE_TRY(isKnown, attributed(instruction, target));
        if (!*isKnown) { // kept, and nothing is known of it
            target.name = "hlo." + std::string(opcode);
            std::replace(target.name.begin(), target.name.end(), '-', '_');
        }
    }
    return write(instruction, std::move(target));
}

} // namespace shardscope::hlo
