// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in diagnostic_reader.h.
#include "words/words.h"

#include "experiment/rule_lists.h"
#include "words/tr.h"

namespace shardscope::words {

QString fixLabel(const Fix& fix)
{
    const QString name = fromStd(fix.name);
    const int rule = rulePlace(fix.number).rule; // of fixes of rules
    switch (fix.kind) {
    case Fix::Kind::BindRules:
        return Words::tr("Fix: bind rules");
    case Fix::Kind::AssumeTpu:
        return Words::tr("Fix: assume TPU");
    case Fix::Kind::BindRulesOnTpu:
        return Words::tr("Fix: bind rules and assume TPU");
    case Fix::Kind::EnterMesh:
        return Words::tr("Fix: trace inside the mesh");
    case Fix::Kind::UseLogicalNames:
        return Words::tr("Fix: use logical names");
    case Fix::Kind::DevicesForMesh:
        return Words::tr("Fix: use %1").arg(counted(fix.number, Noun::Device));
    case Fix::Kind::SetDimension:
    case Fix::Kind::SetAxisSize:
        return Words::tr("Fix: %1 = %2").arg(name, count(fix.number));
    case Fix::Kind::RemoveRule:
        return rule < 0 ? Words::tr("Fix: remove these rules") : Words::tr("Fix: remove rule %1").arg(rule + 1);
    case Fix::Kind::MoveRuleAbove:
        return Words::tr("Fix: move rule %1 above rule %2").arg(rule + 1).arg(fix.other + 1);
    case Fix::Kind::AddFallbackRow:
        return Words::tr("Fix: add a row for %1").arg(name);
    case Fix::Kind::RenameAxisInRule:
    case Fix::Kind::RenameRule:
        return Words::tr("Fix: use %1").arg(name);
    case Fix::Kind::MapName:
        return Words::tr("Fix: map %1 to %2").arg(name, texts(fix.axes, fromStd).join(QStringLiteral(", ")));
    case Fix::Kind::LeaveUnsharded:
        return Words::tr("Fix: leave it unsharded");
    case Fix::Kind::MoveAxis:
        return Words::tr("Fix: make %1 axis %2").arg(name, QString::number(fix.number + 1));
    case Fix::Kind::RemoveAxis:
        return Words::tr("Fix: remove %1").arg(name);
    case Fix::Kind::SharePhysicalAxes:
        return Words::tr("Fix: share physical axes");
    case Fix::Kind::SetAxisSizes:
        return Words::tr("Fix: %1", "sizes of the axes")
            .arg(QString(name).replace(QLatin1Char('x'), QStringLiteral(" × ")));
    case Fix::Kind::OrderAutomatically:
        return Words::tr("Fix: order automatically");
    case Fix::Kind::SetSubmesh:
        return Words::tr("Fix: submesh %1").arg(QString(name).replace(QLatin1Char('x'), QStringLiteral(" × ")));
    case Fix::Kind::SetDcnShape:
        return Words::tr("Fix: slices %1", "along the axes")
            .arg(QString(name).replace(QLatin1Char('x'), QStringLiteral(" × ")));
    case Fix::Kind::Rematerialise:
        return Words::tr("Fix: rematerialise layers");
    case Fix::Kind::ScanLayers:
        return Words::tr("Fix: layers in a loop");
    case Fix::Kind::ParamsOnHost:
        return Words::tr("Fix: parameters on the host");
    case Fix::Kind::DropShardingRule:
        return Words::tr("Fix: drop the rule of %1").arg(fromStd(fix.name));
    case Fix::Kind::LeaveOutSettings:
        return fix.axes.size() == 1 ? Words::tr("Fix: remove the setting") : Words::tr("Fix: remove these settings");
    case Fix::Kind::OrderById:
        return Words::tr("Fix: order by id");
    }
    return {};
}

} // namespace shardscope::words
