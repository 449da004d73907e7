// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/differences.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "experiment/model_settings.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/json_text.h"

namespace shardscope {

namespace {

using Settings = nlohmann::ordered_json;

constexpr std::string_view textPointer = "/model/text";
constexpr std::array sections{ "hardware", "mesh", "rules", "model", "step", "placement", "propagation" };

/// How many lines of `text` are not in `other`, each as often as it is there.
std::int64_t linesNotIn(std::string_view text, std::string_view other)
{
    const auto eachLine = [](std::string_view of, const auto& take) {
        for (std::size_t begin = 0; begin < of.size();) {
            const std::size_t end = std::min(of.find('\n', begin), of.size());
            take(of.substr(begin, end - begin));
            begin = end + 1;
        }
    };
    std::unordered_map<std::string_view, std::int64_t> left;
    eachLine(other, [&left](std::string_view line) { ++left[line]; });
    std::int64_t missing = 0;
    eachLine(text, [&left, &missing](std::string_view line) {
        const auto found = left.find(line);
        if (found == left.end() || found->second == 0)
            ++missing;
        else
            --found->second;
    });
    return missing;
}

/// The sections of the file, without notes, and without the text of a program, in whose place its hash stands.
Settings settingsOf(Experiment experiment)
{
    Settings source;
    if (auto* program = std::get_if<ProgramModel>(&experiment.model)) {
        const std::string& text = *program->text;
        source = { { "lines", std::count(text.begin(), text.end(), '\n') },
            { "hash", Hasher().add(std::string_view(text)).value() } };
        program->text = std::make_shared<const std::string>();
    }
    experiment.innerNotes.clear();
    const Settings file = Settings::parse(writeExperiment(experiment));
    Settings kept = Settings::object();
    for (const char* section : sections)
        if (file.contains(section))
            kept[section] = file.at(section);
    if (!source.is_null())
        kept["model"]["text"] = std::move(source);
    return kept;
}

class SettingComparison {
public:
    std::vector<SettingDifference> compare(const Settings& before, const Settings& after) &&
    {
        for (const char* section : sections)
            compareMember(std::string(), section, before, after);
        return std::move(m_found);
    }

private:
    static std::optional<std::string> textOf(const std::string& pointer, const Settings* value)
    {
        if (!value)
            return std::nullopt;
        if (pointer != textPointer)
            return value->dump();
        Settings counts = *value;
        counts.erase("hash"); // tells texts apart, and says nothing to anybody
        return counts.dump();
    }
    void add(const std::string& pointer, const Settings* before, const Settings* after)
    {
        m_found.push_back({ pointer, textOf(pointer, before), textOf(pointer, after) });
    }

    void compareMember(const std::string& object, const std::string& key, const Settings& before, const Settings& after)
    {
        const std::string pointer = pointerTo(object, key);
        const Settings* old = before.contains(key) ? &before.at(key) : nullptr;
        const Settings* now = after.contains(key) ? &after.at(key) : nullptr;
        if (old && now)
            compareValues(pointer, *old, *now);
        else if (old || now)
            add(pointer, old, now);
    }

    void compareValues(const std::string& pointer, const Settings& before, const Settings& after)
    {
        if (before == after)
            return;
        if (before.is_object() && after.is_object() && pointer != textPointer) {
            for (const auto& [key, value] : before.items())
                compareMember(pointer, key, before, after);
            for (const auto& [key, value] : after.items())
                if (!before.contains(key))
                    compareMember(pointer, key, before, after);
        } else if (before.is_array() && after.is_array() && (pointer == "/rules/list" || pointer == "/model/arrays")) {
            compareLists(pointer, before, after);
        } else if (before.is_array() && after.is_array() && before.size() == after.size()) {
            for (std::size_t i = 0; i < before.size(); ++i)
                compareValues(pointerTo(pointer, i), before[i], after[i]);
        } else {
            add(pointer, &before, &after);
        }
    }

    /// What is not among their longest common part, in order. Long lists are compared element by element.
    void compareLists(const std::string& pointer, const Settings& before, const Settings& after)
    {
        constexpr std::size_t most = 2000;
        const std::size_t olds = before.size(), news = after.size();
        if (olds > most || news > most) {
            for (std::size_t i = 0; i < std::max(olds, news); ++i) {
                const Settings* old = i < olds ? &before[i] : nullptr;
                const Settings* now = i < news ? &after[i] : nullptr;
                if (!old || !now || *old != *now)
                    add(pointerTo(pointer, i), old, now);
            }
            return;
        }
        // Row i, column k: elements in common from i and k on.
        std::vector<std::vector<std::size_t>> common(olds + 1, std::vector<std::size_t>(news + 1));
        for (std::size_t i = olds; i-- > 0;)
            for (std::size_t k = news; k-- > 0;)
                common[i][k] =
                    before[i] == after[k] ? common[i + 1][k + 1] + 1 : std::max(common[i + 1][k], common[i][k + 1]);
        std::size_t i = 0, k = 0;
        while (i < olds || k < news) {
            if (i < olds && k < news && before[i] == after[k]) {
                ++i;
                ++k;
            } else if (k == news || (i < olds && common[i + 1][k] >= common[i][k + 1])) {
                add(pointerTo(pointer, i), &before[i], nullptr);
                ++i;
            } else {
                add(pointerTo(pointer, k), nullptr, &after[k]);
                ++k;
            }
        }
    }

    std::vector<SettingDifference> m_found;
};

} // namespace

std::uint64_t hashOfInputs(const Experiment& experiment)
{
    Settings inputs = settingsOf(experiment);
    Experiment run;
    run.run = experiment.run;
    inputs["run"] = Settings::parse(writeExperiment(run)).at("run");
    for (const char* key : { "runs", "loops", "share_replicas" }) // which change no number
        inputs["run"].erase(key);
    return Hasher().add(std::string_view(inputs.dump())).value();
}

std::vector<SettingDifference> settingDifferences(const Experiment& before, const Experiment& after)
{
    Settings old = settingsOf(before), now = settingsOf(after);
    const auto* one = std::get_if<ProgramModel>(&before.model);
    const auto* other = std::get_if<ProgramModel>(&after.model);
    if (one && other && *one->text != *other->text) {
        old["model"]["text"]["others"] = linesNotIn(*one->text, *other->text);
        now["model"]["text"]["others"] = linesNotIn(*other->text, *one->text);
    }
    return SettingComparison().compare(old, now);
}

} // namespace shardscope
