// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's meshes, shardings and rules in strings, as programs carry them through tools that know nothing of Shardy:
//
//     mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}]>", other = "kept"}
//
// They become what they say; the other entries of the dictionary are kept.
// A part of Reader, which is declared in reader.h.
#include <algorithm>
#include <array>

#include "base/trimmed.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

constexpr std::string_view dictionaryName = "mhlo.frontend_attributes";
constexpr std::string_view meshesName = "xla.sdy.meshes";

/// Custom calls that have the sharding which their attributes name. Other operations may have got it from an operation
/// that they were made of, where it means nothing.
bool carriesSharding(const Pending& op)
{
    if (op.kind == OpKind::Send || op.kind == OpKind::Recv)
        return true;
    const auto* call = attributesAs<CustomCallAttributes>(op.made);
    constexpr std::array<std::string_view, 4> targets{ "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
        "xla.sdy.FuncResultSharding" };
    return call
        && (std::find(targets.begin(), targets.end(), call->target) != targets.end()
            || call->target.ends_with("python_cpu_callback") || call->target.ends_with("python_gpu_callback"));
}

std::string nameText(std::string_view name)
{
    const bool bare = !name.empty() && startsName(name.front())
        && std::all_of(name.begin(), name.end(), [](char c) { return isWordCharacter(c); });
    return bare ? std::string(name) : '"' + std::string(name) + '"';
}

/// A rule that stands in a string, as it would stand in an attribute: in its frame, and with single blanks.
std::string ruleAttribute(std::string_view text)
{
    std::string single;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!blank || !single.ends_with(' '))
            single += blank ? ' ' : c;
    }
    constexpr std::string_view frame = "#sdy.op_sharding_rule";
    std::string_view rule = trimmed(single);
    if (rule.starts_with(frame)) {
        const std::string_view framed = trimmed(rule.substr(frame.size()));
        if (!framed.starts_with('<') || !framed.ends_with('>'))
            return std::string(rule); // which is none
        rule = trimmed(framed.substr(1, framed.size() - 2));
    }
    return std::string(frame) + '<' + std::string(rule) + '>';
}

} // namespace

bool Reader::openFrontend(std::vector<NamedAttribute>& attributes, Frontend& frontend)
{
    NamedAttribute* full = find(attributes, dictionaryName);
    if (!full || full->value.empty())
        return true;
    Scanner s = m_scanner;
    if (!open(*full, s))
        return false;
    if (!s.at('{'))
        return true;
    frontend.full = full;
    return readDictionary(s, frontend.entries);
}

bool Reader::closeFrontend(const Frontend& frontend, Dictionary& kept)
{
    const auto isTaken = [](const NamedAttribute& entry) { return entry.taken; };
    if (!std::any_of(frontend.entries.begin(), frontend.entries.end(), isTaken))
        return true; // as it stands in the text
    frontend.full->taken = true;
    std::string text;
    for (const NamedAttribute& entry : frontend.entries) {
        if (entry.taken)
            continue;
        text += (text.empty() ? "{" : ", ") + nameText(entry.name);
        if (entry.value.empty())
            continue;
        std::string value;
        if (!keptText(entry.value, value))
            return false;
        text += " = " + value;
    }
    if (!text.empty())
        kept.push_back({ std::string(dictionaryName), text + '}' });
    return true;
}

bool Reader::entryText(NamedAttribute& entry, std::string& text)
{
    Scanner s = m_scanner;
    if (!open(entry, s) || !s.string(text))
        return false;
    if (text.find("\\\"") != std::string::npos || text.find("\\22") != std::string::npos)
        text = unescaped(text); // a string that was in a string
    entry.taken = true;
    return true;
}

bool Reader::readEntry(NamedAttribute& entry, const std::function<bool(Scanner&)>& read)
{
    std::string text;
    if (!entryText(entry, text))
        return false;
    FirstError firstError;
    Scanner s(text, 0, text.size(), firstError);
    if (read(s) && (s.atEnd() || s.expected("the end of the string")))
        return true;
    // The string has no lines of its own: what is wrong in it is wrong with the attribute.
    std::optional<Error> error = std::exchange(m_firstError.error, std::nullopt);
    if (firstError.error)
        error = std::move(firstError.error);
    if (!error)
        return attributeProblem(entry, "a sharding or a mesh in Shardy's text");
    return m_scanner.problem(error->code, std::move(error->args), entry.position);
}

bool Reader::readWrappedMeshes(NamedAttribute& entry)
{
    m_wrappedMeshesFound = true;
    return readEntry(entry, [&](Scanner& s) { // {mesh = #sdy.mesh<["x"=2]>, mesh_0 = ...}
        return s.list('{', '}', [&] {
            ProgramMesh mesh;
            if (s.at('"')) {
                if (!s.string(mesh.name))
                    return false;
            } else {
                mesh.name = s.word();
            }
            if (mesh.name.empty())
                return s.expected("the name of a mesh");
            if (!s.require('='))
                return false;
            (void)s.accept("#sdy.mesh");
            if (!readMesh(s, mesh))
                return false;
            mesh.source = addSource(entry.position);
            // What the program declares counts more.
            return m_meshes.contains(mesh.name) || addMesh(std::move(mesh), entry.position);
        });
    });
}

/// Attributes of the module may stand after its functions.
bool Reader::findWrappedMeshes()
{
    if (m_wrappedMeshesFound)
        return true;
    m_wrappedMeshesFound = true;
    const std::size_t found = m_text.find(meshesName, m_begin);
    if (found >= m_end)
        return true;
    NamedAttribute entry{ m_text.substr(found, meshesName.size()), {}, found };
    Scanner s(m_text, found + meshesName.size(), m_end, m_firstError);
    if (s.raw() == '"')
        s.step();
    if (!s.accept('='))
        return true;
    entry.value = s.quoted();
    return entry.value.empty() || readWrappedMeshes(entry);
}

bool Reader::takeModuleFrontend(std::vector<NamedAttribute>& attributes, Dictionary& kept)
{
    Frontend frontend;
    if (!openFrontend(attributes, frontend))
        return false;
    if (NamedAttribute* meshes = find(frontend.entries, meshesName)) {
        meshes->taken = true;
        if (!m_wrappedMeshesFound && !readWrappedMeshes(*meshes))
            return false;
    }
    return closeFrontend(frontend, kept);
}

bool Reader::takeFrontend(Pending& op, std::vector<ProgramSharding>& shardings)
{
    Frontend frontend;
    if (!openFrontend(op.attributes, frontend))
        return false;
    NamedAttribute* sharding = find(frontend.entries, "xla.sdy.sharding");
    if (sharding && carriesSharding(op)) {
        std::vector<ProgramSharding> read;
        const auto readThem = [&](Scanner& s) {
            return s.at("#sdy.sharding_per_value") || s.at('[') ? readShardings(s, read)
                                                                : readSharding(s, read.emplace_back());
        };
        if (!readEntry(*sharding, readThem) || !checkShardingCount(op, read.size(), sharding->position))
            return false;
        if (shardings.empty()) // else sdy.sharding says it
            shardings = std::move(read);
    }
    NamedAttribute* rule = find(frontend.entries, "xla.sdy.sharding_rule");
    if (rule && op.kind == OpKind::CustomCall) {
        std::string text;
        if (!entryText(*rule, text))
            return false;
        if (!find(op.attributes, "sdy.sharding_rule"))
            op.kept.push_back({ "sdy.sharding_rule", ruleAttribute(text) });
    }
    return closeFrontend(frontend, op.kept);
}

} // namespace shardscope::mlir
