// SPDX-License-Identifier: GPL-3.0-or-later
// Modules, aliases and functions.
// Declared in reader.h.
#include <algorithm>
#include <iterator>

#include "base/codes.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

Reader::Reader(std::string_view text, std::size_t begin, std::size_t end, ReadOptions options)
    : m_text(text)
    , m_begin(begin)
    , m_end(end)
    , m_options(options)
    , m_scanner(text, begin, end, m_firstError)
    , m_places(text)
    , m_warningPlaces(text)
    , m_names(text)
    , m_aliases(text)
{
    m_program.scopes.emplace_back();
    m_scopes.emplace(std::string(), 0);
}

Result<ReadProgram> Reader::read()
{
    if (m_text.size() > maximumText)
        return fail(Code::TooLarge, { { "what", "file" }, { "bytes", m_text.size() }, { "limit", maximumText } });
    if (!readTopLevel() || !finishFunctions()) {
        if (!m_firstError.error)
            (void)m_scanner.expected("a program");
        return tl::unexpected(orEndsEarly(std::move(*m_firstError.error), m_text));
    }
    finishProgram();
    if (m_firstError.error)
        return tl::unexpected(orEndsEarly(std::move(*m_firstError.error), m_text));
    m_nameOffsets.resize(m_program.values.size(), ReadProgram::noName);
    return ReadProgram{ std::move(m_program), std::move(m_warnings), std::move(m_nameOffsets) };
}

bool Reader::readTopLevel()
{
    Scanner& s = m_scanner;
    while (!s.atEnd()) {
        if (s.at("{-#"))
            return true; // resources; read where they are named
        const std::size_t begin = s.position();
        if (s.at('#') || s.at('!')) {
            if (!readAlias())
                return false;
        } else if (s.peekWord() == "module" || s.peekWord() == "builtin.module" || s.at("\"builtin.module\"")) {
            if (m_hasModule || !m_program.functions.empty())
                return s.expected("the end of the text: a second program belongs after a line “// -----”");
            m_hasModule = true;
            if (!readModule())
                return false;
        } else if (m_hasModule) {
            return s.expectedAt(begin, "the end of the text");
        } else if (!readModuleBody()) {
            return false;
        } else if (s.position() == begin) {
            return s.expectedAt(begin, "a module, a function or an alias"); // a bracket that nothing opened
        }
    }
    return true;
}

bool Reader::readAlias()
{
    Scanner& s = m_scanner;
    const std::size_t begin = s.position();
    s.step();
    if (s.suffix().empty())
        return s.expectedAt(begin, "the name of an alias");
    const std::string_view name = s.since(begin);
    if (!s.require('='))
        return false;
    const std::size_t value = s.position();
    std::size_t end = value;
    do {
        if (!s.skipItem())
            return false;
        end = s.rawPosition();
    } while (s.accept(':') || s.accept("->"));
    if (!m_aliases.add(name, m_text.substr(value, end - value)))
        return s.problem(Code::DefinedTwice, { { "what", "alias" }, { "name", std::string(name) } }, begin);
    return true;
}

bool Reader::readModule()
{
    Scanner& s = m_scanner;
    std::vector<NamedAttribute> attributes;
    std::string_view location;
    if (s.at('"')) { // "builtin.module"() <{...}> ({...}) {...} : () -> ()
        (void)s.quoted();
        std::vector<TensorType> none;
        if (!s.require('(') || !s.require(')') || (s.accept('<') && (!readDictionary(s, attributes) || !s.require('>')))
            || !s.require('(') || !s.require('{'))
            return false;
        if (s.accept('^') && (s.suffix().empty() || !s.require(':')))
            return s.expected("a block");
        if (!readModuleBody() || !s.require('}') || !s.require(')') || (s.at('{') && !readDictionary(s, attributes))
            || !s.require(':') || !readFunctionType(s, none, none))
            return false;
        if (NamedAttribute* name = find(attributes, "sym_name")) {
            name->taken = true;
            Scanner inside = s;
            if (!open(*name, inside) || !inside.string(m_program.name))
                return false;
        }
    } else {
        (void)s.word();
        if (s.at('@') && !s.symbol(m_program.name))
            return false;
        if (s.acceptWord("attributes") && !readDictionary(s, attributes))
            return false;
        if (!s.require('{') || !readModuleBody() || !s.require('}'))
            return false;
    }
    Dictionary kept;
    return acceptLocation(s, location) && checkPartitions(attributes) && takeModuleFrontend(attributes, kept)
        && keep(attributes, m_program.extra, std::move(kept));
}

bool Reader::readModuleBody()
{
    Scanner& s = m_scanner;
    while (!s.atEnd() && !s.at('}') && !s.at("{-#")) {
        const std::size_t begin = s.position();
        if (s.at('#') || s.at('!')) {
            if (!readAlias())
                return false;
        } else if (s.at('"')) {
            if (!readGenericModuleItem())
                return false;
        } else {
            const std::string_view word = s.word();
            if (word == "func.func" || word == "func") {
                if (!readFunction())
                    return false;
            } else if (word == "sdy.mesh") {
                if (!readMeshDeclaration())
                    return false;
            } else if ((word == "module" || word == "builtin.module") && !m_hasModule) {
                s.seek(begin);
                return true; // the top level reads it
            } else {
                return s.expectedAt(begin, "a function, “func.func”");
            }
        }
    }
    return true;
}

bool Reader::readGenericModuleItem()
{
    Scanner& s = m_scanner;
    const std::size_t begin = s.position();
    const std::string_view name = s.quoted();
    if (name == "\"builtin.module\"" && !m_hasModule) {
        s.seek(begin);
        m_hasModule = true;
        return readModule();
    }
    if (name == "\"func.func\"")
        return readGenericFunction();
    if (name != "\"sdy.mesh\"")
        return s.expectedAt(begin, "a function, “func.func”");
    std::vector<NamedAttribute> attributes;
    std::vector<TensorType> none;
    std::string_view location;
    if (!s.require('(') || !s.require(')') || (s.accept('<') && (!readDictionary(s, attributes) || !s.require('>')))
        || (s.at('{') && !readDictionary(s, attributes)) || !s.require(':') || !readFunctionType(s, none, none)
        || !acceptLocation(s, location))
        return false;
    const NamedAttribute* text = find(attributes, "mesh");
    const NamedAttribute* symbol = find(attributes, "sym_name");
    if (!text || !symbol)
        return s.problem(
            Code::AttributeMissing, { { "op", "sdy.mesh" }, { "attribute", text ? "sym_name" : "mesh" } }, begin);
    ProgramMesh mesh;
    Scanner inside = s;
    if (!open(*symbol, inside) || !inside.string(mesh.name) || !open(*text, inside))
        return false;
    (void)inside.accept("#sdy.mesh");
    if (!readMesh(inside, mesh))
        return false;
    mesh.source = addSource(begin);
    return addMesh(std::move(mesh), begin);
}

bool Reader::readFunctionArguments(Function& function, bool& declared)
{
    Scanner& s = m_scanner;
    declared = false;
    if (!s.require('('))
        return false;
    if (s.accept(')'))
        return true;
    do {
        std::string_view name, location;
        if (s.accept('%')) {
            name = s.suffix();
            if (name.empty() || !s.require(':'))
                return s.expected("an argument, “%name: type”");
        } else {
            declared = true;
        }
        TensorType type;
        std::vector<NamedAttribute> attributes;
        if (!readType(s, type) || (s.at('{') && !readDictionary(s, attributes)) || !acceptLocation(s, location))
            return false;
        const ValueId value = addArgument(function.body, std::move(type));
        if ((!name.empty() && !bind(name, value)) || (!takeArgument(function, value, attributes) && !goOn()))
            return false;
        if (!location.empty())
            m_argumentLocations.emplace_back(value, location);
    } while (s.accept(','));
    return s.require(')');
}

namespace {

/// Whether one is the other but for a slip: a letter more or less, another one, or two that changed places. (What
/// nearestName() proposes for a name that cannot be right is further away: jax.arg_info is no misspelt
/// jax.result_info.)
bool isSlip(std::string_view name, std::string_view known)
{
    constexpr std::ptrdiff_t letters = 2;
    const auto [first, other] = std::mismatch(name.begin(), name.end(), known.begin(), known.end());
    const auto [last, otherLast] =
        std::mismatch(name.rbegin(), std::reverse_iterator(first), known.rbegin(), std::reverse_iterator(other));
    return last.base() - first <= letters && otherLast.base() - other <= letters;
}

} // namespace

/// Of arguments and results those that are nearly called as one that says something here, each once. Others are the
/// concern of other programs.
void Reader::warnOf(const std::vector<NamedAttribute>& attributes)
{
    static const std::vector<std::string> known{ "tf.aliasing_output", "jax.buffer_donor", "jax.result_info",
        "sdy.sharding", "mhlo.sharding", "mhlo.memory_kind", "mhlo.frontend_attributes", "mhlo.layout_mode",
        "shardscope.sharding" };
    for (const NamedAttribute& attribute : attributes) {
        if (std::find(known.begin(), known.end(), attribute.name) != known.end())
            continue;
        const auto meant = std::find_if(
            known.begin(), known.end(), [&](const std::string& each) { return isSlip(attribute.name, each); });
        if (meant != known.end() && m_unknownAttributes.emplace(attribute.name).second)
            warn(Code::UnknownKey, { { "key", std::string(attribute.name) }, { "nearest", *meant } },
                attribute.position);
    }
}

bool Reader::takeArgument(Function& function, ValueId value, std::vector<NamedAttribute>& attributes)
{
    if (attributes.empty())
        return true;
    warnOf(attributes);
    ShardingIndex sharding = 0;
    Dictionary kept;
    if (!takeValueSharding(attributes, sharding, kept))
        return false;
    shard(value, sharding);
    readOwnNames(attributes, value);
    for (const NamedAttribute& attribute : attributes)
        if (attribute.name == "tf.aliasing_output")
            m_aliasPlaces.emplace_back(value, attribute.position);
    if (sharding == 0)
        noteHloSharding(std::array{ HloShardingText{ .value = value } }, attributes, "func.func");
    std::uint32_t extra = 0;
    if (!keep(attributes, extra, std::move(kept)))
        return false;
    if (extra != 0) {
        function.argumentExtras.resize(m_program.values[value.index].index + 1);
        function.argumentExtras.back() = extra;
    }
    return true;
}

bool Reader::takeResult(Function& function, std::size_t index, std::vector<NamedAttribute>& attributes)
{
    warnOf(attributes);
    ShardingIndex sharding = 0;
    Dictionary kept;
    if (!takeValueSharding(attributes, sharding, kept))
        return false;
    if (sharding != 0) {
        function.resultShardings.resize(index + 1);
        function.resultShardings.back() = sharding;
    } else {
        noteHloSharding(
            std::array{ HloShardingText{ .result = static_cast<std::uint32_t>(index) } }, attributes, "func.func");
    }
    std::uint32_t extra = 0;
    if (!keep(attributes, extra, std::move(kept)))
        return false;
    if (extra != 0) {
        function.resultExtras.resize(index + 1);
        function.resultExtras.back() = extra;
    }
    return true;
}

bool Reader::readFunctionResults(Function& function, std::vector<TensorType>& types)
{
    Scanner& s = m_scanner;
    if (!s.accept("->"))
        return true;
    if (!s.accept('(')) {
        types.emplace_back();
        return readType(s, types.back());
    }
    if (s.accept(')'))
        return true;
    do {
        std::vector<NamedAttribute> attributes;
        std::string_view location;
        if (!readType(s, types.emplace_back()) || (s.at('{') && !readDictionary(s, attributes))
            || !acceptLocation(s, location)
            || (!attributes.empty() && !takeResult(function, types.size() - 1, attributes) && !goOn()))
            return false;
    } while (s.accept(','));
    return s.require(')');
}

bool Reader::readFunction()
{
    Scanner& s = m_scanner;
    const std::size_t begin = s.position();
    Function function;
    function.source = addSource(begin);
    const std::string_view visibility = s.peekWord();
    if (visibility == "public" || visibility == "private" || visibility == "nested") {
        (void)s.word();
        function.isPublic = visibility == "public";
    }
    if (!s.symbol(function.name))
        return false;
    m_names.clear();
    m_firstHloSharding = m_hloShardings.size();
    const std::size_t valuesBefore = m_program.values.size();
    function.body = addRegion();
    std::vector<TensorType> types;
    std::vector<NamedAttribute> attributes;
    std::string_view location;
    bool declared = false;
    if (!readFunctionArguments(function, declared) || !readFunctionResults(function, types))
        return false;
    if (s.acceptWord("attributes") && !readDictionary(s, attributes))
        return false;
    if (!s.at('{')) { // without a body: nothing can be said of it
        m_program.values.resize(valuesBefore);
        m_nameOffsets.resize(std::min(m_nameOffsets.size(), valuesBefore));
        m_program.regions.pop_back();
        if (m_program.valueShardings.size() > valuesBefore)
            m_program.valueShardings.resize(valuesBefore);
        m_hloShardings.resize(m_firstHloSharding);
        while (!m_argumentLocations.empty() && m_argumentLocations.back().first.index >= valuesBefore)
            m_argumentLocations.pop_back();
        warn(Code::FunctionDeclared, { { "name", "@" + function.name } }, begin);
        return acceptLocation(s, location);
    }
    if (declared)
        return s.expected("no body: the arguments have no names");
    const RegionId body = function.body;
    if (!readRegion(s, body) || !acceptLocation(s, location) || !keep(attributes, function.extra)
        || !checkReturned(function, types, begin))
        return false;
    return addFunction(std::move(function), begin);
}

bool Reader::readGenericFunction()
{
    // "func.func"() <{function_type = ..., sym_name = "main", ...}> ({...}) {...} : () -> ()
    Scanner& s = m_scanner;
    const std::size_t begin = s.position();
    std::vector<NamedAttribute> attributes;
    std::vector<TensorType> none, from, to;
    std::string_view location;
    Function function;
    function.source = addSource(begin);
    function.body = addRegion();
    m_names.clear();
    m_firstHloSharding = m_hloShardings.size();
    if (!s.require('(') || !s.require(')') || (s.accept('<') && (!readDictionary(s, attributes) || !s.require('>')))
        || !s.require('(') || !readRegion(s, function.body) || !s.require(')')
        || (s.at('{') && !readDictionary(s, attributes)) || !s.require(':') || !readFunctionType(s, none, none)
        || !acceptLocation(s, location))
        return false;
    for (NamedAttribute& attribute : attributes) {
        Scanner inside = s;
        const bool perValue = attribute.name == "arg_attrs" || attribute.name == "res_attrs";
        if (attribute.name == "sym_name") {
            if (!open(attribute, inside) || !inside.string(function.name))
                return false;
        } else if (attribute.name == "sym_visibility") {
            std::string visibility;
            if (!open(attribute, inside) || !inside.string(visibility))
                return false;
            function.isPublic = visibility == "public";
        } else if (attribute.name == "function_type") {
            if (!open(attribute, inside) || !readFunctionType(inside, from, to))
                return false;
        } else if (perValue) {
            if (!open(attribute, inside) || !inside.require('['))
                return false;
            const std::vector<ValueId> arguments = m_program.regions[function.body.index].arguments;
            for (std::size_t i = 0; inside.at('{'); ++i) {
                std::vector<NamedAttribute> own;
                if (!readDictionary(inside, own))
                    return false;
                if (attribute.name == "res_attrs" ? !own.empty() && !takeResult(function, i, own)
                                                  : i < arguments.size() && !takeArgument(function, arguments[i], own))
                    return false;
                (void)inside.accept(',');
            }
            if (!inside.require(']'))
                return false;
        } else {
            continue;
        }
        attribute.taken = true;
    }
    if (function.name.empty())
        return s.problem(Code::AttributeMissing, { { "op", "func.func" }, { "attribute", "sym_name" } }, begin);
    if (!keep(attributes, function.extra) || !checkReturned(function, to, begin))
        return false;
    return addFunction(std::move(function), begin);
}

bool Reader::checkReturned(const Function& function, const std::vector<TensorType>& types, std::size_t position)
{
    const std::vector<ValueId>& results = m_program.regions[function.body.index].results;
    if (results.size() != types.size() || function.resultShardings.size() > types.size()
        || function.resultExtras.size() > types.size())
        return !m_undefined.empty() // of which one may be returned
            || wrong(Code::CountMismatch,
                { { "what", "returned values" }, { "found", results.size() }, { "wanted", types.size() },
                    { "of", "@" + function.name } },
                position);
    for (std::size_t i = 0; i < types.size(); ++i)
        if (typeOf(results[i]) != types[i] && !isDoubtful(results[i])
            && !wrong(Code::OperandType,
                { { "op", "@" + function.name }, { "result", i }, { "given", typeText(types[i]) },
                    { "actual", typeText(typeOf(results[i])) } },
                position))
            return false;
    return true;
}

bool Reader::addFunction(Function function, std::size_t position)
{
    for (std::size_t i = m_firstHloSharding; i < m_hloShardings.size(); ++i)
        if (!m_hloShardings[i].value.valid())
            m_hloShardings[i].functionName = function.name;
    if (!m_functionNames.emplace(function.name, m_program.functions.size()).second) {
        m_hloShardings.resize(m_firstHloSharding);
        return wrong(Code::DefinedTwice, { { "what", "function" }, { "name", "@" + function.name } }, position);
    }
    if (!function.resultShardings.empty())
        function.resultShardings.resize(m_program.regions[function.body.index].results.size());
    if (!function.resultExtras.empty())
        function.resultExtras.resize(m_program.regions[function.body.index].results.size());
    if (!function.argumentExtras.empty())
        function.argumentExtras.resize(m_program.regions[function.body.index].arguments.size());
    m_program.functions.push_back(std::move(function));
    return true;
}

} // namespace shardscope::mlir
