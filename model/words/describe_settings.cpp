// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"
#include "words/listed.h"

namespace shardscope::words {

namespace {

/// In quotation marks: "“a” and “b”".
QString allOf(const std::vector<std::string>& names)
{
    QStringList list;
    for (const std::string& name : names)
        list << quoted(fromStd(name));
    return listed(list);
}

ProblemText describeWithoutEffect(const Diagnostic& d)
{
    const Reader arg(d);
    const std::vector<std::string> settings = d.list("settings");
    const QStringList possible = texts(d.list("values"), fromStd);
    const QString value = d.text("needs") == "dropout" ? Words::tr("above 0")
        : possible.isEmpty()                           ? Words::tr("at least 1")
                                                       : listed(possible, Words::tr("%1 or %2"));
    const QString needs = arg.quote("needs");
    return settings.size() > 1
        ? ProblemText{ Words::tr("%1 have no effect: they count only where %2 is %3")
                           .arg(allOf(settings), needs, value),
              Words::tr("Let %1 be %2, or remove these settings.").arg(needs, value), {} }
        : ProblemText{ Words::tr("%1 has no effect: it counts only where %2 is %3").arg(allOf(settings), needs, value),
              Words::tr("Let %1 be %2, or remove the setting.").arg(needs, value), {} };
}

ProblemText describeLimit(const Diagnostic& d)
{
    const Reader arg(d);
    const QString setting = allOf(d.list("settings"));
    return { d.text("wrong") == "capacity"
            ? Words::tr("%1 is %2, and every expert has a place for each token: none is dropped")
                  .arg(setting, arg("value"))
            : d.text("wrong") == "pattern"
            ? Words::tr("%1 is %2, and no layer sees all tokens: there are fewer layers").arg(setting, arg("value"))
            : Words::tr("%1 is %2, and masks nothing: the sequence has a length of %3")
                  .arg(setting, arg("value"), arg("reach")),
        Words::tr("Numbers below %1 have an effect.").arg(arg("reach")), {} };
}

ProblemText describeName(const Diagnostic& d)
{
    const Reader arg(d);
    return { Words::tr("the logical name %1 shards nothing: neither a rule nor an array of such models has it")
                 .arg(arg.quote("name")),
        arg.has("nearest")
            ? Words::tr("Did you mean %1? If not, add a rule for %2.").arg(arg.quote("nearest"), arg.quote("name"))
            : Words::tr("Check the name, or add a rule for it."),
        {} };
}

} // namespace

ProblemText describeSetting(const Diagnostic& d)
{
    if (d.code == Code::SettingWithoutEffect)
        return describeWithoutEffect(d);
    if (d.code == Code::LimitOutOfReach)
        return describeLimit(d);
    if (d.code == Code::NameWithoutRule)
        return describeName(d);
    return {};
}

} // namespace shardscope::words
