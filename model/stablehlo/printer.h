// SPDX-License-Identifier: GPL-3.0-or-later
// The printer at work; its members stand in print.cpp (modules and functions), print_operation.cpp (pretty forms),
// print_sdy.cpp, print_generic.cpp (the generic form and its attributes) and print_values.cpp (constants and texts).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/other_attributes.h"
#include "stablehlo/print.h"

namespace shardscope::mlir {

/// Attributes with their texts; sorted by name when they are printed.
using AttributeTexts = std::vector<std::pair<std::string, std::string>>;

class Printer {
public:
    Printer(const Program& program, const PrintOptions& options);
    PrintedProgram print();

private:
    void printModule();
    void printFunction(const Function& function, bool isMain);
    void printArgument(const Function& function, ValueId argument, std::size_t index, bool isMain);
    void printResult(const Function& function, std::size_t index, bool isMain);
    void printBody(const Region& region, std::string_view returned, int indent);
    void printOperation(OperationId id, int indent);
    void printReturn(const Region& region, std::string_view word, int indent);

    // Forms
    bool printPretty(OperationId id, int indent);
    bool printSdy(const Operation& op, int indent);
    bool printSdyCollective(const Operation& op);
    void printGeneric(const Operation& op, int indent);
    void printBuiltinReduce(const Operation& op);
    void printSimple(const Operation& op);
    bool printWhile(const Operation& op, int indent);
    bool printReduce(const Operation& op, int indent);
    /// One of the kinds of ReduceKind: "stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0]".
    void printReduceApplying(const Operation& op);
    bool printSlice(const Operation& op);
    void printComposite(const Operation& op);
    void printConvolution(const Operation& op);
    void printDotGeneral(const Operation& op);
    void printManual(const Operation& op, int indent);
    bool printConstraint(const Operation& op);
    void printCustomCall(const Operation& op);
    void printBlockArguments(const Region& region, int indent);
    /// What the operation says beside its operands, under the names of the generic form.
    AttributeTexts genericAttributes(const Operation& op) const;
    AttributeTexts dictionaryOf(const Operation& op, std::initializer_list<std::string_view> without = {}) const;

    // Parts of forms
    void add(std::string_view text) { m_out.text += text; }
    void newLine(int indent);
    void addOperands(const Operation& op);
    void addDictionary(AttributeTexts attributes);
    void addFunctionalType(const Operation& op);
    void addResultTypes(const Operation& op);
    void addTypes(std::span<const ValueId> values);
    void addLocation(const std::string& location);
    [[nodiscard]] std::string name(ValueId id) const;
    [[nodiscard]] std::string type(ValueId id) const;
    [[nodiscard]] std::string names(std::span<const ValueId> values) const;
    void addResultNames(const Operation& op);
    [[nodiscard]] std::string constant(const ConstantAttributes& a, const TensorType& type) const;
    [[nodiscard]] std::string sharding(const ProgramSharding& s) const { return toText(s, m_program.meshes); }
    [[nodiscard]] std::string shardings(const std::vector<ProgramSharding>& list) const;
    [[nodiscard]] std::string axes(const AxisList& list, const ProgramMesh& mesh) const;
    void addUnmatchedShardings(const Operation& op, AttributeTexts& attributes) const;
    void addValueAttributes(ValueId id, Role expected, AttributeTexts& attributes, bool path = true) const;
    void addAnnotation(const Annotation& annotation, std::size_t rank, AttributeTexts& attributes) const;
    /// The annotation over the options' mesh; empty if it cannot be said.
    [[nodiscard]] std::string annotationSharding(const Annotation& annotation, std::size_t rank) const;
    void nameArguments(const Region& region);
    void addTail(const Operation& op);

    const Program& m_program;
    const PrintOptions m_options;
    PrintedProgram m_out;
    std::uint32_t m_line = 1;
    struct Name {
        std::uint32_t number = 0, part = 0;
        bool argument = false, several = false;
    };
    std::vector<Name> m_names; ///< by ValueId
    std::uint32_t m_nextResult = 0, m_nextArgument = 0, m_nextConstant = 0;
    std::multimap<std::uint32_t, std::uint32_t> m_replacedBy; ///< argument of main to the result that takes its place
    std::string m_reduceInit; ///< name of the initial value of the reduction that is printed
    bool m_ownMesh = false; ///< annotations speak of a mesh that the program does not declare
};

[[nodiscard]] std::string quoted(std::string_view text);
[[nodiscard]] std::string symbol(std::string_view name);
[[nodiscard]] std::string listText(const Dimensions& numbers); ///< "[1, 2]"
[[nodiscard]] std::string arrayText(const Dimensions& numbers); ///< "array<i64: 1, 2>"
/// "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"
[[nodiscard]] std::string tableText(const std::vector<std::vector<std::int64_t>>& rows, std::size_t width);
[[nodiscard]] std::string tableText(const Padding& padding);
[[nodiscard]] std::string numberText(double value);
[[nodiscard]] std::string precisionText(const std::vector<std::string>& precision, bool wrapped);
[[nodiscard]] std::string convolutionNumbers(const ConvolutionAttributes& a);
[[nodiscard]] bool allAre(const Dimensions& numbers, std::int64_t value);
[[nodiscard]] bool isZero(const Padding& padding);
inline constexpr std::string_view comparisonWords[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
inline constexpr std::string_view compareTypeWords[] = { "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" };
inline constexpr std::string_view reduceWords[] = { "add", "maximum", "minimum", "multiply", "and", "or" };

} // namespace shardscope::mlir
