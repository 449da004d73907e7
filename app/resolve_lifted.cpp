// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in resolve.h.
#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "base/text.h"
#include "resolve.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

/// As Python prints it.
std::string pythonName(const LogicalName& name)
{
    return name.kind == LogicalName::Kind::Name ? '\'' + name.name + '\'' : std::string("None");
}

QString pythonNames(const LogicalNames& names)
{
    std::vector<std::string> texts;
    for (const LogicalName& name : names)
        texts.push_back(pythonName(name));
    return words::fromStd(pythonTuple(texts));
}

Json namesJson(const LogicalNames& names)
{
    Json list = Json::array();
    for (const LogicalName& name : names)
        list.push_back(name.kind == LogicalName::Kind::Name ? Json(name.name) : Json());
    return list;
}

} // namespace

Result<std::vector<LiftedNames>> liftedNames(const std::vector<std::string>& axes, const LogicalNames& names)
{
    constexpr std::int64_t largest = 15;
    std::vector<LiftedNames> all;
    LogicalNames inside = names;
    for (const std::string& text : axes) {
        const std::size_t equals = text.find('=');
        const auto index =
            equals == std::string::npos ? std::nullopt : wholeNumber<std::int64_t>(text.substr(0, equals));
        const std::string name = equals == std::string::npos ? std::string() : text.substr(equals + 1);
        if (!index || name.empty())
            return fail(Code::WrongType,
                { { "key", "--add-axis" }, { "expected", "a place and a name, such as 0=layers, or 0=None" },
                    { "found", "“" + text + "”" } });
        if (*index < 0 || *index > largest)
            return fail(
                Code::OutOfRange, { { "key", "--add-axis" }, { "value", *index }, { "min", 0 }, { "max", largest } });
        const LiftedAxis axis{ *index, name == "None" ? std::nullopt : std::optional(name) };
        LogicalNames outside = addAxis(inside, axis);
        all.push_back({ axis, std::move(inside), outside });
        inside = std::move(outside);
    }
    return all;
}

QString liftedText(const LiftedNames& lifted)
{
    const LogicalNames name{ lifted.axis.name ? LogicalName::of(*lifted.axis.name) : LogicalName::none() };
    const QString call =
        QStringLiteral("_axis(%1, %2)").arg(lifted.axis.index).arg(words::fromStd(pythonName(name.front())));
    return QStringLiteral("add%1: %2 → %3; inside, remove%1: %3 → %2")
        .arg(call, pythonNames(lifted.inside), pythonNames(lifted.outside));
}

Json liftedJson(const std::vector<LiftedNames>& lifted)
{
    Json list = Json::array();
    for (const LiftedNames& each : lifted) {
        Json& entry = list.emplace_back(Json{ { "position", each.axis.index }, { "names", namesJson(each.outside) } });
        if (each.axis.name)
            entry["partition_name"] = *each.axis.name;
    }
    return list;
}

} // namespace shardscope::cli
