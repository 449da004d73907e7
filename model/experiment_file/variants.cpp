// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/variants.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment_file/json_text.h"

namespace shardscope {

namespace {

using FileJson = nlohmann::ordered_json;

/// Keys of a file that its variants share.
constexpr std::string_view sharedKeys[] = { "format", "version", "variants" };
/// Further ones that are no settings.
constexpr std::string_view describingKeys[] = { "title", "notes" };

/// The file without its variants.
FileJson fileOf(Experiment experiment)
{
    const auto isOfVariants = [](std::string_view pointer) { return pointer.starts_with("/variants/"); };
    experiment.variants.clear();
    std::erase_if(experiment.innerNotes, [&](const auto& note) { return isOfVariants(note.first); });
    std::erase_if(experiment.unknownKeys, [&](const UnknownKey& key) { return isOfVariants(key.pointer); });
    return FileJson::parse(writeExperiment(experiment));
}

FileJson settingsAlone(Experiment experiment)
{
    experiment.innerNotes.clear();
    FileJson file = fileOf(std::move(experiment));
    for (const std::string_view key : sharedKeys)
        file.erase(std::string(key));
    for (const std::string_view key : describingKeys)
        file.erase(std::string(key));
    return file;
}

FileJson patchOf(const FileJson& before, const FileJson& after)
{
    FileJson patch = FileJson::object();
    for (const auto& [key, value] : after.items()) {
        const auto old = before.find(key);
        if (old == before.end() || old->is_object() != value.is_object()) {
            patch[key] = value;
        } else if (value.is_object()) {
            if (FileJson inner = patchOf(*old, value); !inner.empty())
                patch[key] = std::move(inner);
        } else if (*old != value) {
            patch[key] = value;
        }
    }
    for (const auto& [key, value] : before.items())
        if (!after.contains(key))
            patch[key] = nullptr;
    return patch;
}

std::string onOneLine(const FileJson& json)
{
    return printInline(parseJson(json.dump(-1, ' ', false, FileJson::error_handler_t::replace)).root);
}

const ProgramModel* programOf(const Experiment& experiment)
{
    return std::get_if<ProgramModel>(&experiment.model);
}

void dropText(Experiment& experiment)
{
    auto& program = std::get<ProgramModel>(experiment.model);
    program.text = std::make_shared<const std::string>();
    program.source.reset();
}

} // namespace

std::string patchBetween(const Experiment& before, const Experiment& after)
{
    Experiment first = before, second = after;
    const ProgramModel *text = programOf(before), *other = programOf(after);
    if (text && other && text->file == other->file && (text->text == other->text || *text->text == *other->text)) {
        dropText(first);
        dropText(second);
    }
    return onOneLine(patchOf(settingsAlone(std::move(first)), settingsAlone(std::move(second))));
}

tl::expected<ReadExperiment, std::vector<Diagnostic>> applyVariant(
    const Experiment& experiment, const Variant& variant, const FileSource& files)
{
    FileJson patch = FileJson::parse(variant.patch, nullptr, false);
    if (!patch.is_object())
        return tl::unexpected(std::vector{ Diagnostic{ Code::WrongType,
            { { "key", "patch" }, { "expected", "an object" }, { "found", "something else" } }, {} } });
    std::vector<Diagnostic> warnings;
    for (const std::string_view key : sharedKeys)
        if (patch.erase(std::string(key)) > 0)
            warnings.push_back({ Code::UnknownKey, { { "key", key }, { "shared", std::int64_t{ 1 } } },
                Where{ .file = {}, .pointer = '/' + std::string(key), .path = {} } });
    FileJson file = fileOf(experiment);
    file.merge_patch(patch);

    const ProgramModel* program = programOf(experiment);
    const FileSource source = [&](const std::string& name) -> Result<std::string> {
        if (program && program->file == name)
            return *program->text;
        if (files)
            return files(name);
        return fail(Code::Unreadable, { { "file", name }, { "reason", "it is not at hand" } });
    };
    auto read = readExperiment(file.dump(-1, ' ', false, FileJson::error_handler_t::replace), source);
    const auto withoutLines = [](std::vector<Diagnostic> list) {
        for (Diagnostic& diagnostic : list)
            diagnostic.where.line = diagnostic.where.column = 0;
        return list;
    };
    if (!read)
        return tl::unexpected(withoutLines(std::move(read.error())));
    // What the experiment itself has of keys that nobody knows was said when it was read.
    const auto isOld = [&](const Diagnostic& diagnostic) {
        return diagnostic.code == Code::UnknownKey
            && std::any_of(experiment.unknownKeys.begin(), experiment.unknownKeys.end(),
                [&](const UnknownKey& key) { return pointerTo(key.pointer, key.key) == diagnostic.where.pointer; });
    };
    std::erase_if(read->warnings, isOld);
    warnings.insert(warnings.end(), read->warnings.begin(), read->warnings.end());
    read->warnings = withoutLines(std::move(warnings));
    if (!patch.contains("hardware")) // as for an edit of the mesh
        read->experiment = withHardwareFollowing(std::move(read->experiment), experiment.hardware);
    read->experiment.variants = experiment.variants;
    for (const auto& note : experiment.innerNotes)
        if (note.first.starts_with("/variants/"))
            read->experiment.innerNotes.push_back(note);
    std::sort(read->experiment.innerNotes.begin(), read->experiment.innerNotes.end());
    for (const UnknownKey& key : experiment.unknownKeys)
        if (key.pointer.starts_with("/variants/"))
            read->experiment.unknownKeys.insert(key);
    return read;
}

std::string keptPatch(const Experiment& now, const Experiment* comparedWith)
{
    std::string patch = comparedWith ? patchBetween(*comparedWith, now) : std::string();
    if (!patch.empty() && patch != "{}")
        return patch;
    FileJson mesh = FileJson::object();
    mesh["mesh"] = settingsAlone(now).at("mesh");
    return onOneLine(mesh);
}

std::vector<PatchedSetting> patchedSettings(const Variant& variant)
{
    std::vector<PatchedSetting> settings;
    const auto add = [&](const auto& self, const std::string& pointer, const FileJson& value) -> void {
        if (value.is_object() && !value.empty()) {
            for (const auto& [key, member] : value.items())
                self(self, pointer.empty() ? key : pointer + '/' + key, member);
        } else if (!pointer.empty()) {
            settings.push_back({ pointer, value.is_null() ? std::nullopt : std::optional(value.dump()) });
        }
    };
    const FileJson patch = FileJson::parse(variant.patch, nullptr, false);
    if (patch.is_object())
        add(add, std::string(), patch);
    return settings;
}

Result<std::size_t> findVariant(const Experiment& experiment, std::string_view name)
{
    std::vector<std::string> known;
    for (const Variant& variant : experiment.variants) {
        if (variant.name == name)
            return known.size();
        known.push_back(variant.name);
    }
    std::vector<Arg> args = withNearest({ { "key", "variant" }, { "value", name } }, name, known);
    args.emplace_back("known", std::move(known));
    return fail(Code::UnknownValue, std::move(args));
}

tl::expected<Experiment, std::vector<Diagnostic>> withVariantOpened(
    const Experiment& experiment, std::size_t index, const FileSource& files)
{
    SHARDSCOPE_TRY(opened, applyVariant(experiment, experiment.variants.at(index), files));
    Experiment after = std::move(opened->experiment);
    for (std::size_t i = 0; i < after.variants.size(); ++i) {
        if (i == index)
            continue;
        const auto other = applyVariant(experiment, after.variants[i], files);
        if (!other)
            continue;
        // What it says itself stays, so that it holds wherever the experiment goes next.
        FileJson patch = FileJson::parse(patchBetween(after, other->experiment));
        const FileJson own = FileJson::parse(after.variants[i].patch);
        const auto merge = [](const auto& self, FileJson& target, const FileJson& source) -> void {
            for (const auto& [key, value] : source.items())
                if (value.is_object() && target.contains(key) && target[key].is_object())
                    self(self, target[key], value);
                else
                    target[key] = value;
        };
        merge(merge, patch, own);
        after.variants[i].patch = onOneLine(patch);
    }
    return after;
}

} // namespace shardscope
