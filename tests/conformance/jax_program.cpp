// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/jax_program.h"

#include <algorithm>
#include <stdexcept>

#include "analysis/analyse.h"
#include "base/diagnostics.h"
#include "experiment/builtin.h"

namespace shardscope::conformance {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::string jaxMeshText(const Json& mesh)
{
    std::string text;
    for (const Json& axis : mesh)
        text += (text.empty() ? "" : ", ") + axis.at(0).dump() + '=' + axis.at(1).dump();
    return text;
}

} // namespace

std::string joinedLines(const Json& lines)
{
    std::string text;
    for (const Json& line : lines)
        text += line.get<std::string>() + '\n';
    return text;
}

std::string jaxText(const Json& oneCase, const Json& file, const std::vector<std::string>& shardings)
{
    const std::string pattern = joinedLines(file.at("programs").at(oneCase.at("program").get<std::string>()));
    constexpr std::string_view meshMark = "$mesh";
    std::string text;
    for (std::size_t i = 0; i < pattern.size();) {
        if (pattern.compare(i, meshMark.size(), meshMark) == 0) {
            text += jaxMeshText(oneCase.at("mesh"));
            i += meshMark.size();
        } else if (pattern[i] == '$' && i + 1 < pattern.size() && isDigit(pattern[i + 1])) {
            std::size_t number = 0;
            for (++i; i < pattern.size() && isDigit(pattern[i]); ++i)
                number = 10 * number + static_cast<std::size_t>(pattern[i] - '0');
            text += shardings.at(number);
        } else {
            text += pattern[i++];
        }
    }
    return text;
}

std::string shardyText(const Json& spec)
{
    std::string text;
    for (const Json& entry : spec) {
        std::string axes;
        for (const Json& axis : entry.is_array() ? entry : entry.is_null() ? Json::array() : Json::array({ entry }))
            axes += (axes.empty() ? "" : ", ") + axis.dump();
        text += (text.empty() ? "{" : ", {") + axes + '}';
    }
    return '[' + text + ']';
}

SnapshotPtr laidOutProgram(std::string text)
{
    Result<Experiment> made =
        experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(std::move(text)), {}, {} }, "program");
    if (!made)
        throw std::runtime_error("the program: " + std::string(made.error().id()));
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(std::move(*made)), 1, cache);
}

Json usedSpec(const Json& spec, const Json& mesh)
{
    Json used = Json::array();
    for (const Json& entry : spec) {
        Json axes = Json::array();
        for (const Json& axis : entry.is_array() ? entry : entry.is_null() ? Json::array() : Json::array({ entry }))
            if (std::find(mesh.begin(), mesh.end(), Json::array({ axis, 1 })) == mesh.end())
                axes.push_back(axis);
        used.push_back(axes.empty() ? Json() : axes.size() == 1 ? axes.front() : axes);
    }
    return used;
}

} // namespace shardscope::conformance
