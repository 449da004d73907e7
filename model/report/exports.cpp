// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/exports.h"

#include <algorithm>

#include "report/experiment_report.h"
#include "report/jax_code.h"
#include "report/maxtext_code.h"
#include "report/report_table.h"
#include "words/tr.h"

namespace shardscope {

using words::Words;

namespace {

constexpr std::string_view reportId = "report", codeId = "code", maxTextId = "maxtext";

} // namespace

const std::vector<ExportedView>& exportedViews()
{
    static const std::vector<ExportedView> views{
        { std::string(reportId), Words::tr("Report"), { "md" } },
        { "mesh", Words::tr("Mesh"), { "csv", "md", "txt" } },
        { "rules", Words::tr("Rules"), { "csv", "md", "txt" } },
        { "tensors", Words::tr("Tensors"), { "csv", "md", "txt" } },
        { "collectives", Words::tr("Collectives"), { "csv", "md", "txt" } },
        { "memory", Words::tr("Memory"), { "csv", "md", "txt" } },
        { "problems", Words::tr("Problems"), { "csv", "md", "txt" } },
        { std::string(codeId), Words::tr("JAX code"), { "py" } },
        { std::string(maxTextId), Words::tr("MaxText configuration"), { "yml", "sh" } },
    };
    return views;
}

const ExportedView* findExportedView(std::string_view id)
{
    const std::vector<ExportedView>& views = exportedViews();
    const auto found =
        std::find_if(views.begin(), views.end(), [id](const ExportedView& view) { return view.id == id; });
    return found == views.end() ? nullptr : &*found;
}

std::string exportedText(const Snapshot& snapshot, const ExportedView& view, std::string_view form)
{
    if (view.id == reportId)
        return experimentReport(snapshot).toStdString();
    if (view.id == codeId)
        return jaxCode(snapshot);
    if (view.id == maxTextId)
        return maxTextCode(snapshot, form == "sh" ? MaxTextStyle::Flags : MaxTextStyle::Yaml);
    const std::vector<std::string>& names = reportSubjectNames();
    const auto subject = std::find(names.begin(), names.end(), view.id) - names.begin();
    const ReportTable table = reportTable(snapshot, static_cast<ReportSubject>(subject));
    return form == "md" ? toMarkdown(table).toStdString() : form == "txt" ? toText(table).toStdString() : toCsv(table);
}

} // namespace shardscope
