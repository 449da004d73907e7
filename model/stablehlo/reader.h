// SPDX-License-Identifier: GPL-3.0-or-later
// The reader at work. Its members stand in several files by subject: read_module.cpp, read_types.cpp,
// read_attributes.cpp, read_constants.cpp, read_shardings.cpp, read_locations.cpp, read_operation.cpp (statements and
// the generic form), read_pretty.cpp, read_control.cpp (while, reduce), read_sdy.cpp, read_opaque.cpp,
// make_attributes.cpp, hlo_shardings.cpp, frontend_attributes.cpp, findings.cpp (going on after what is wrong). All
// functions that return bool return false after the first error that ends reading, which stands in m_firstError.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/program.h"
#include "stablehlo/read.h"
#include "stablehlo/scanner.h"
#include "stablehlo/shared_parts.h"
#include "stablehlo/value_names.h"

namespace shardscope::mlir {

/// An attribute of a dictionary, or of a pretty form that names it; the views are views into the text.
struct NamedAttribute {
    std::string_view name; ///< without quotes
    std::string_view value; ///< empty for a unit attribute
    std::size_t position = 0;
    bool taken = false; ///< has become part of the operation's own attributes
};

/// "%name:count" before the equals sign.
struct ResultName {
    std::string_view name;
    std::uint32_t count = 1;
};

/// An operation that stands before the one that the text has, where that is made of several.
struct PendingStep {
    OpKind kind = OpKind::Opaque;
    std::vector<std::size_t> operands; ///< those of the text's operation, and then the results of the steps before
    Attributes made;
    TensorType type; ///< of its result
};

/// An operation while it is read.
struct Pending {
    std::size_t begin = 0; ///< offset of the statement
    std::size_t position = 0; ///< offset of the operation's name
    std::string_view name; ///< qualified: "stablehlo.add"
    std::string unescapedName; ///< what `name` refers to where the text has escapes in it
    OpKind kind = OpKind::Opaque;
    bool generic = false;
    std::vector<ResultName> results;
    std::vector<ValueId> operands;
    std::vector<NamedAttribute> attributes;
    std::vector<TensorType> operandTypes; ///< left of the arrow, or all there are
    std::vector<TensorType> resultTypes; ///< right of the arrow
    bool arrow = false;
    bool isDoubtful = false; ///< the one type that it has is not that of an operand
    Attributes made; ///< of operations whose pretty form is read at once
    bool isMade = false;
    std::vector<PendingStep> steps;
    std::vector<std::size_t> lastOperands; ///< as PendingStep::operands; empty: those of the text
    SmallVector<RegionId, 2> regions;
    Dictionary kept; ///< attributes that have been put into a form of their own
    std::string_view location;
    std::uint32_t source = 0;

    void clear();
    [[nodiscard]] std::uint32_t resultCount() const;
};

/// The mhlo.sharding of a value, or of a function's result.
struct HloShardingText {
    ValueId value = {}; ///< none of a function's result
    std::string functionName = {}; ///< whose result it is of; known when the function has been read
    std::size_t function = 0; ///< that function; known when all have been read
    std::uint32_t result = 0;
    std::string text = {};
    std::size_t position = 0; ///< offset of the attribute
    std::size_t begin = 0; ///< offset of the text, after the quote
    bool isPlain = true; ///< there are no escapes in the text
    std::string owner = {}; ///< the operation, as messages have it
};

struct ReadHloShardings;

/// The location of a source, as offsets of the text.
struct LocationText {
    std::uint32_t source = 0, begin = 0, length = 0;
};

/// The entries of mhlo.frontend_attributes while they are read.
struct Frontend {
    NamedAttribute* full = nullptr;
    std::vector<NamedAttribute> entries;
};

class Reader {
public:
    /// Reads text[begin, end).
    Reader(std::string_view text, std::size_t begin, std::size_t end, ReadOptions options);
    Result<ReadProgram> read();

private:
    // Modules and functions
    bool readTopLevel();
    bool readModule();
    bool readModuleBody();
    bool readGenericModuleItem();
    bool readAlias();
    bool readFunction();
    bool readGenericFunction();
    bool readFunctionArguments(Function& function, bool& declared);
    bool takeArgument(Function& function, ValueId value, std::vector<NamedAttribute>& attributes);
    bool takeResult(Function& function, std::size_t index, std::vector<NamedAttribute>& attributes);
    bool readFunctionResults(Function& function, std::vector<TensorType>& types);
    bool checkReturned(const Function& function, const std::vector<TensorType>& types, std::size_t position);
    bool addFunction(Function function, std::size_t position);
    bool finishFunctions();
    bool finishProgram();
    void warnOfAliases();
    void warnOfPartitions();
    void nameArguments();

    // Types
    bool readType(Scanner& s, TensorType& type);
    bool readTensorType(Scanner& s, TensorType& type, std::size_t begin);
    bool readOtherType(Scanner& s, TensorType& type, std::size_t begin);
    bool readTypes(Scanner& s, std::vector<TensorType>& types);
    bool readFunctionType(Scanner& s, std::vector<TensorType>& from, std::vector<TensorType>& to);
    [[nodiscard]] std::string typeText(const TensorType& type) const;

    // Attributes as text
    bool readDictionary(Scanner& s, std::vector<NamedAttribute>& attributes);
    /// DuplicateKey where two have one name.
    bool checkNames(const std::vector<NamedAttribute>& attributes);
    bool readNamed(Scanner& s, NamedAttribute& attribute, bool pretty);
    /// The text that an alias stands for, else the text itself.
    bool resolve(std::string_view& value);
    /// On one line, without comments, with all aliases replaced.
    bool keptText(std::string_view value, std::string& kept, int depth = 0);
    /// Puts what is not taken into a dictionary of the program; 0 if there is nothing.
    bool keep(const std::vector<NamedAttribute>& attributes, std::uint32_t& index, Dictionary dictionary = {});
    std::uint32_t addDictionary(Dictionary dictionary);
    NamedAttribute* find(std::vector<NamedAttribute>& attributes, std::string_view name);
    NamedAttribute* take(Pending& op, std::string_view name, std::string_view other = {});
    /// A reader of the value, aliases resolved.
    bool open(const NamedAttribute& attribute, Scanner& s);

    // Values of attributes. `required` ones that are absent are an error.
    bool needs(Pending& op, std::string_view name);
    bool takeInteger(Pending& op, std::string_view name, std::string_view other, bool required, std::int64_t& value);
    bool takeDimensions(
        Pending& op, std::string_view name, std::string_view other, bool required, DimensionList& dimensions);
    bool takeBool(Pending& op, std::string_view name, bool& value);
    bool takeString(Pending& op, std::string_view name, std::string& value);
    bool takeSymbol(Pending& op, std::string_view name, bool required, std::string& value);
    bool takeNumber(Pending& op, std::string_view name, double& value);
    bool takeStrings(Pending& op, std::string_view name, std::vector<std::string>& strings);
    /// One of the words, bare or as in "#stablehlo<comparison_direction EQ>"; its index.
    bool takeWord(Pending& op, std::string_view name, std::string_view other, bool required,
        std::initializer_list<std::string_view> words, std::size_t& index);
    /// The words stand for the values of an enumeration, in their order.
    template <class Enum>
    bool takeWord(Pending& op, std::string_view name, std::string_view other, bool required,
        std::initializer_list<std::string_view> words, Enum& value)
    {
        auto index = static_cast<std::size_t>(value);
        const bool isRight = takeWord(op, name, other, required, words, index);
        value = static_cast<Enum>(index);
        return isRight;
    }
    bool readBool(Scanner& s, bool& value);
    bool readIntegers(Scanner& s, std::vector<std::int64_t>& values, Shape* shape = nullptr);
    bool readDimensions(Scanner& s, DimensionList& dimensions);
    bool readPairs(const NamedAttribute& attribute, std::vector<std::vector<std::int64_t>>& rows);
    /// "name = value" in angle brackets: "#stablehlo.gather<offset_dims = [1], ...>".
    bool readStructure(const NamedAttribute& attribute, std::vector<NamedAttribute>& fields);
    bool attributeProblem(const NamedAttribute& attribute, std::string wanted);

    // Constants
    /// "dense<...> : type". Without `bytes` where the elements are of a type that is not known.
    bool readElements(Scanner& s, ConstantAttributes& constant, TensorType& type);
    bool readResource(Scanner& s, ConstantAttributes& constant, TensorType& type);
    bool findResources();

    // Shardings
    bool readMesh(Scanner& s, ProgramMesh& mesh);
    bool readMeshDeclaration();
    bool addMesh(ProgramMesh mesh, std::size_t position);
    bool meshNamed(std::string_view name, std::size_t position, std::uint32_t& index);
    bool findMeshAhead(std::string_view name);
    bool readSharding(Scanner& s, ProgramSharding& sharding);
    bool readShardings(Scanner& s, std::vector<ProgramSharding>& shardings);
    bool readAxis(Scanner& s, ProgramMesh& mesh, AxisRef& axis);
    bool readAxes(Scanner& s, ProgramMesh& mesh, AxisList& axes);
    bool readAxisLists(Scanner& s, ProgramMesh& mesh, std::vector<AxisList>& lists);
    bool readDimensionSharding(Scanner& s, ProgramMesh& mesh, DimensionSharding& dimension);
    bool readSpecialAxes(Scanner& s, ProgramMesh& mesh, ProgramSharding& sharding);
    ShardingIndex addSharding(ProgramSharding sharding);
    void addShardings(const Operation& operation, OperationId id, std::vector<ProgramSharding> shardings);
    void shard(ValueId value, ShardingIndex index);
    /// sdy.sharding of an argument or a function's result.
    bool takeValueSharding(std::vector<NamedAttribute>& attributes, ShardingIndex& index, Dictionary& kept);
    bool takeResultShardings(Pending& op, std::vector<ProgramSharding>& shardings);
    bool checkShardingCount(const Pending& op, std::size_t count, std::size_t position);

    // Shardy's texts in the strings of mhlo.frontend_attributes
    bool openFrontend(std::vector<NamedAttribute>& attributes, Frontend& frontend);
    /// Puts what is not taken into `kept`.
    bool closeFrontend(const Frontend& frontend, Dictionary& kept);
    /// The string of an entry without its escapes; the entry is taken then.
    bool entryText(NamedAttribute& entry, std::string& text);
    /// The same for a reader of that string. Errors have the place of the entry.
    bool readEntry(NamedAttribute& entry, const std::function<bool(Scanner&)>& read);
    bool readWrappedMeshes(NamedAttribute& entry);
    bool findWrappedMeshes();
    bool takeModuleFrontend(std::vector<NamedAttribute>& attributes, Dictionary& kept);
    bool takeFrontend(Pending& op, std::vector<ProgramSharding>& shardings);

    // XLA's own shardings, once the whole text is read
    static bool hasHloSharding(const std::vector<NamedAttribute>& attributes);
    /// `of`: the values or results of a function that the attribute is of, without its text.
    void noteHloSharding(
        std::span<const HloShardingText> of, const std::vector<NamedAttribute>& attributes, std::string_view owner);
    bool readHloShardings(ReadHloShardings& read);
    bool checkHloShardings(const ReadHloShardings& read);
    bool applyHloShardings();
    enum class Ignored : std::uint8_t { BesideShardy, NotOnMesh };
    void warnIgnored(const HloShardingText& sharding, Ignored why);
    void warnNotOnMesh(const ReadHloShardings& read, const HloShardingText& sharding);
    void findShardedFunctions();
    [[nodiscard]] std::optional<std::uint32_t> meshOfHloShardings(const ReadHloShardings& read);
    bool checkPartitions(const std::vector<NamedAttribute>& attributes);
    [[nodiscard]] const TensorType* typeOf(const HloShardingText& sharding) const;

    // Locations
    bool readLocation(Scanner& s, std::string_view& location);
    bool acceptLocation(Scanner& s, std::string_view& location);
    /// The place of a statement, to be asked for in the order of the text.
    std::uint32_t addSource(std::size_t begin);
    void setLocation(std::uint32_t source, std::string_view location);
    void finishLocations();
    void expandLocation(std::string_view text, std::string& expanded, int depth);

    // Operations
    bool readRegion(Scanner& s, RegionId region);
    bool readStatements(Scanner& s, RegionId region);
    bool readStatement(Scanner& s, RegionId region, bool& returned);
    bool readReturn(Scanner& s, RegionId region, bool generic);
    bool readArguments(Scanner& s, RegionId region); ///< (%a: tensor<f32>, %b: tensor<f32>)
    bool readBlockArguments(Scanner& s, RegionId region);
    bool readResultNames(Scanner& s, Pending& op);
    bool readOperand(Scanner& s, ValueId& value);
    bool readOperands(Scanner& s, std::vector<ValueId>& operands);
    bool readParenthesised(Scanner& s, std::vector<ValueId>& operands);
    bool readGeneric(Scanner& s, Pending& op);
    bool readPretty(Scanner& s, Pending& op);
    bool readTypesAfter(Scanner& s, Pending& op);
    bool settleTypes(Pending& op);
    bool checkOperandTypes(const Pending& op);
    bool finishOperation(Pending& op, OperationId id, RegionId region);
    /// Types, shardings and attributes, once all of the statement has been read.
    bool settle(Pending& op, std::vector<ProgramSharding>& shardings);
    /// What is wrong in itself becomes an operation of which nothing is known, if reading may go on.
    bool keepFaulty(Pending& op);
    bool bindResults(Pending& op, OperationId id, Operation& operation);
    template <class T>
    void makeRoom(std::vector<T>& items, std::size_t position);
    /// Up to the end; what was counted before is not counted again.
    std::size_t linesAfter(std::size_t position);
    RegionId addRegion();
    ValueId addArgument(RegionId region, TensorType type);
    bool bind(std::string_view name, ValueId value, std::uint32_t count = 1);
    [[nodiscard]] const TensorType& typeOf(ValueId value) const { return m_program.values[value.index].type; }

    // Pretty forms
    bool readItems(Scanner& s, Pending& op);
    bool readConstant(Scanner& s, Pending& op);
    bool readSlice(Scanner& s, Pending& op);
    bool readCompare(Scanner& s, Pending& op);
    bool readConvolution(Scanner& s, Pending& op);
    bool readCall(Scanner& s, Pending& op);
    bool readComposite(Scanner& s, Pending& op);
    bool readTupleElement(Scanner& s, Pending& op);
    bool readTopK(Scanner& s, Pending& op);
    bool readWhile(Scanner& s, Pending& op);
    bool readReduce(Scanner& s, Pending& op);
    bool readReducer(Scanner& s, Pending& op, std::size_t inputs);
    bool makeReduceBody(Pending& op, std::string_view name, std::size_t inputs);
    bool readSdy(Scanner& s, Pending& op);
    bool readManual(Scanner& s, Pending& op, bool named);
    bool readOpaque(Scanner& s, Pending& op);
    bool readAttributesAfter(Scanner& s, Pending& op);

    // What an operation's attributes are
    bool makeAttributes(Pending& op);
    template <class A, class Take>
    bool make(Pending& op, A attributes, const Take& take);
    bool makeConstant(Pending& op);
    bool makeMovement(Pending& op); ///< broadcast, transpose, slice, pad and others that move elements
    bool makeNumeric(Pending& op); ///< compare, random numbers, linear algebra, FFT, batch norm
    bool makeReducePrecision(Pending& op);
    bool makeContractionAttributes(Pending& op);
    bool keepDotTexts(Pending& op);
    bool makeWindowAttributes(Pending& op);
    bool makeConvolution(Pending& op);
    bool readConvolutionDimensions(Scanner& s, ConvolutionAttributes& a);
    /// The lists of a gather or a scatter, by name.
    using NamedLists = std::initializer_list<std::pair<std::string_view, DimensionList*>>;
    bool takeDimensionNumbers(Pending& op, std::string_view name, NamedLists lists, std::int64_t& indexVectorDim);
    bool makeGather(Pending& op);
    bool makeScatter(Pending& op);
    bool makeCollective(Pending& op);
    /// "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>" as device ids.
    bool readMeshAxisGroups(
        const NamedAttribute& groups, std::string_view text, std::vector<std::vector<std::int64_t>>& devices);
    bool makeCustomCall(Pending& op);
    bool makeSdyAttributes(Pending& op);
    bool makeSdyCollective(Pending& op);
    bool takePadding(Pending& op, std::string_view name, std::string_view other, std::size_t rank, Padding& padding);
    bool takePrecision(Pending& op, std::vector<std::string>& precision);
    bool takeChannel(Pending& op, std::int64_t& handle, std::int64_t& type);
    bool isOpaque(Pending& op);
    /// Of an earlier version's operation, as the one that has taken its place; unknown where there is none.
    bool makeCurrent(Pending& op);
    bool makeEinsum(Pending& op);
    /// Adds the steps of an operation, the first one as `id`; returns the id of the operation itself.
    OperationId addSteps(Pending& op, OperationId id, RegionId region);

    /// "shardscope.path", "shardscope.role" and "shardscope.dims": what the printer says of named values.
    void readOwnNames(std::vector<NamedAttribute>& attributes, ValueId value);
    void readScope(std::vector<NamedAttribute>& attributes, Operation& operation);
    void warn(Code code, std::vector<Arg> args, std::size_t position);
    void warnOf(const Pending& op, const Operation& operation);
    void warnOf(const std::vector<NamedAttribute>& attributes);
    /// What is wrong with the meaning: false where that ends reading.
    bool wrong(Code code, std::vector<Arg> args, std::size_t position);
    /// Puts the error that was found among the findings, if reading may go on after it.
    bool goOn();
    /// Stands for a value that the text does not define. Its type is not known.
    ValueId undefinedValue();
    [[nodiscard]] bool isUndefined(ValueId value) const;
    /// Of such a value it has been said what is wrong with its type: what follows from that is not said again.
    [[nodiscard]] bool isDoubtful(ValueId value) const;
    void dropUndefined(std::vector<ValueId>& values) const;
    Pending& pending();

    std::string_view m_text;
    std::size_t m_begin, m_end;
    std::size_t m_countedFrom = std::string_view::npos, m_linesAfter = 0; ///< linesAfter() where it was asked for last
    ReadOptions m_options;
    FirstError m_firstError;
    Scanner m_scanner;
    Places m_places, m_warningPlaces;
    Program m_program;
    std::vector<Diagnostic> m_warnings;
    ValueNames m_names;
    std::vector<std::uint32_t> m_nameOffsets; ///< per ValueId, as ReadProgram::names
    int m_depth = 0; ///< regions that are open
    int m_attributeDepth = 0;
    std::vector<std::unique_ptr<Pending>> m_pending; ///< one per depth, used again and again
    bool m_hasModule = false;

    SharedParts m_parts;
    Aliases m_aliases;
    std::vector<LocationText> m_locations;
    std::vector<std::int64_t> m_numbers; ///< used again and again
    std::deque<std::string> m_partNames; ///< of attributes that a text gives no name
    std::size_t m_expanded = 0; ///< characters that aliases have grown to
    std::unordered_map<std::string, std::uint32_t> m_meshes; ///< by name
    bool m_wrappedMeshesFound = false;
    std::vector<std::pair<std::size_t, std::size_t>> m_meshesAhead; ///< declarations that were read before their turn
    std::unordered_map<std::string, std::uint32_t> m_inlinedMeshes, m_otherTypes, m_dictionaries, m_scopes;
    std::unordered_multimap<std::size_t, ShardingIndex> m_shardings; ///< by hash
    std::unordered_map<std::string, std::size_t> m_functionNames;
    std::unordered_map<std::string_view, std::string_view> m_resources;
    bool m_resourcesFound = false;
    std::vector<HloShardingText> m_hloShardings;
    std::size_t m_firstHloSharding = 0; ///< of the function that is read
    std::set<std::string, std::less<>> m_unknownTargets; ///< of custom calls, that have been warned of
    std::set<std::string, std::less<>> m_unknownAttributes; ///< of arguments and results, likewise
    std::vector<ValueId> m_doubtful; ///< whose one type in the text is not that of what they are computed of; ascending
    std::vector<ValueId> m_undefined; ///< stand for values that the text does not define; ascending
    std::vector<std::pair<ValueId, std::size_t>> m_aliasPlaces; ///< of tf.aliasing_output, in main and others
    std::vector<std::pair<ValueId, std::string_view>> m_argumentLocations; ///< of main's arguments and others
};

/// Guards the depth of recursion; `fits` is false where it is too deep.
class Deeper {
public:
    Deeper(int& depth, int limit)
        : m_depth(depth)
        , fits(++depth <= limit)
    {
    }
    ~Deeper() { --m_depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

private:
    int& m_depth;

public:
    const bool fits;
};

/// The kind of that name with its dialect; "func.call" and "call" are the same.
[[nodiscard]] OpKind kindOf(std::string_view name);
[[nodiscard]] bool startsName(char c);
/// broadcast, torch_index_select, einsum and unary_einsum, which the present version has no more.
[[nodiscard]] bool isEarlierOperation(std::string_view name);

} // namespace shardscope::mlir
