// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/read.h"

#include <algorithm>

#include "base/codes.h"
#include "program/aliased_results.h"
#include "program/device_counts.h"
#include "program/location_parts.h"
#include "program/name_values.h"
#include "stablehlo/reader.h"

namespace shardscope {

namespace mlir {

bool Reader::finishFunctions()
{
    std::vector<Function>& functions = m_program.functions;
    if (functions.empty())
        return m_scanner.problem(Code::NoProgram, {}, m_begin);
    // main first, with region 0 as its body. The first function has region 0 now, and no operation refers to a body.
    const auto main =
        std::find_if(functions.begin(), functions.end(), [](const Function& f) { return f.name == "main"; });
    if (main != functions.end() && main != functions.begin()) {
        std::swap(m_program.regions[0], m_program.regions[main->body.index]);
        std::swap(functions.front().body, main->body);
        std::rotate(functions.begin(), main, main + 1);
    }
    return true;
}

bool Reader::finishProgram()
{
    const Region& main = m_program.main();
    m_program.argumentAnnotations.resize(main.arguments.size());
    m_program.resultAnnotations.resize(main.results.size());
    for (const ValueId argument : main.arguments)
        if (m_program.values[argument.index].role == Role::Temporary)
            m_program.values[argument.index].role = Role::Input;
    finishLocations();
    nameArguments();
    warnOfAliases();
    warnOfPartitions();
    if (!applyHloShardings())
        return false;
    std::stable_sort(m_warnings.begin(), m_warnings.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
    if (!m_program.valueShardings.empty())
        m_program.valueShardings.resize(m_program.values.size());
    return true;
}

/// Results that cannot have the memory of the arguments that say so.
void Reader::warnOfAliases()
{
    const MainInterface main(m_program);
    for (const AliasedResult& alias : aliasedResults(main)) {
        if (alias.fault == AliasFault::None)
            continue;
        const ValueId argument = m_program.main().arguments[alias.argument];
        const auto place = std::find_if(
            m_aliasPlaces.begin(), m_aliasPlaces.end(), [&](const auto& each) { return each.first == argument; });
        std::vector<Arg> args{ { "key", "tf.aliasing_output" }, { "argument", alias.argument },
            { "value", main.attribute(alias.argument, "tf.aliasing_output")->text } };
        if (alias.fault == AliasFault::NoResult) {
            args.emplace_back("results", main.results());
        } else if (alias.fault == AliasFault::Taken) {
            args.emplace_back("other", alias.other);
        } else {
            args.emplace_back("given", typeText(main.argumentType(alias.argument)));
            args.emplace_back("type", typeText(main.resultType(*alias.result)));
        }
        warn(Code::RunSettingNotUsed, std::move(args), place == m_aliasPlaces.end() ? m_begin : place->second);
    }
}

/// A module for another number of devices than any of its meshes has.
void Reader::warnOfPartitions()
{
    const std::int64_t stated = statedDevices(m_program).partitions;
    std::int64_t devices = 0; // of the first mesh with axes
    for (const ProgramMesh& mesh : m_program.meshes) {
        if (mesh.onlyDevice || mesh.mesh->axes().empty())
            continue;
        if (mesh.mesh->deviceCount() == stated)
            return;
        devices = devices == 0 ? mesh.mesh->deviceCount() : devices;
    }
    if (stated > 1 && devices > 0)
        warn(Code::RunSettingNotUsed, { { "key", "mhlo.num_partitions" }, { "value", stated }, { "devices", devices } },
            m_begin);
}

/// What a named location of an argument says: "x" of loc("x") and of loc("x"("f.py":3:0)).
void Reader::nameArguments()
{
    std::unordered_map<std::string, int> uses;
    for (const Value& value : m_program.values)
        if (!value.path.empty())
            ++uses[value.path];
    const std::vector<ValueId>& arguments = m_program.main().arguments;
    std::vector<std::pair<ValueId, std::string>> names;
    for (const auto& [value, location] : m_argumentLocations) {
        const std::string_view name = partsOfLocation(location).name;
        if (name.empty() || std::find(arguments.begin(), arguments.end(), value) == arguments.end()
            || !m_program.values[value.index].path.empty())
            continue;
        names.emplace_back(value, unescaped(name));
        if (!m_program.functions.empty()) {
            std::vector<std::string>& kept = m_program.functions.front().argumentNames;
            kept.resize(arguments.size());
            kept[m_program.values[value.index].index] = names.back().second;
        }
        ++uses[names.back().second];
    }
    for (auto& [value, name] : names)
        if (uses[name] == 1)
            m_program.values[value.index].path = std::move(name);
}

namespace {

/// The parts of a text between lines "// -----", as offsets. Parts without anything in them are left out.
std::vector<std::pair<std::size_t, std::size_t>> parts(std::string_view text)
{
    constexpr std::string_view line = "// -----";
    std::vector<std::pair<std::size_t, std::size_t>> found;
    FirstError firstError;
    const auto add = [&](std::size_t begin, std::size_t end) {
        if (!Scanner(text, begin, end, firstError).atEnd())
            found.emplace_back(begin, end);
    };
    std::size_t begin = textBegin(text);
    for (std::size_t at = text.find(line); at != std::string_view::npos; at = text.find(line, at + line.size())) {
        if (at != 0 && text[at - 1] != '\n')
            continue;
        add(begin, at);
        begin = at;
    }
    add(begin, text.size());
    return found;
}

} // namespace

} // namespace mlir

void declaredName(ReadProgram& read, std::string_view text)
{
    const std::vector<Value>& values = read.program.values;
    std::vector<DeclaredName> names(values.size());
    for (std::size_t v = 0; v < std::min(values.size(), read.names.size()); ++v) {
        const std::uint32_t offset = read.names[v];
        if (offset >= text.size())
            continue;
        const auto isPart = [&](std::size_t other) {
            return other < read.names.size() && read.names[other] == offset && values[v].definition.valid()
                && values[other].definition == values[v].definition;
        };
        names[v].name = mlir::valueNameAt(text, offset);
        names[v].part = v > 0 && isPart(v - 1) ? names[v - 1].part + 1 : 0;
        names[v].several = names[v].part > 0 || isPart(v + 1);
    }
    nameValues(read.program, names);
}

std::string_view binaryKind(std::string_view text)
{
    if (text.starts_with("ML\xefR"))
        return "bytecode";
    if (text.starts_with("\x1f\x8b"))
        return "gzip";
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        return "utf16";
    constexpr std::size_t examined = 4096;
    return text.substr(0, examined).find('\0') != std::string_view::npos ? "binary" : "";
}

Result<ReadProgram> readStableHlo(std::string_view text, ReadOptions options)
{
    Where where;
    where.line = where.column = 1;
    if (const std::string_view kind = binaryKind(text); !kind.empty())
        return fail(Code::NoProgram, { { "wrong", std::string(kind) } }, std::move(where));
    const auto parts = mlir::parts(text);
    if (parts.empty())
        return fail(Code::NoProgram, {}, std::move(where));
    Result<ReadProgram> read = mlir::Reader(text, parts[0].first, parts[0].second, options).read();
    if (read && parts.size() > 1)
        read->warnings.push_back(
            { Code::FurtherPrograms, { { "count", parts.size() - 1 } }, mlir::placeOf(text, parts[1].first) });
    return read;
}

} // namespace shardscope
