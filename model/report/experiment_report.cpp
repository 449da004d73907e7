// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/experiment_report.h"

#include "pipeline/collective_list.h"
#include "report/jax_code.h"
#include "report/report_table.h"
#include "words/tr.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

using words::fromStd;
using words::Words;

QString experimentReport(const Snapshot& snapshot)
{
    const Experiment& experiment = *snapshot.experiment;
    QString page =
        QStringLiteral("# %1\n").arg(experiment.title.empty() ? Words::tr("Experiment") : fromStd(experiment.title));
    const auto paragraph = [&page](const QString& text) {
        if (!text.isEmpty())
            page += QLatin1Char('\n') + text + QLatin1Char('\n');
    };
    const auto part = [&](ReportSubject subject, const QString& before = {}) {
        const ReportTable table = reportTable(snapshot, subject);
        if (table.rows.empty() && subject != ReportSubject::Problems)
            return;
        page += QStringLiteral("\n## %1\n").arg(table.title);
        paragraph(before);
        page += QLatin1Char('\n') + toMarkdown(table);
    };
    paragraph(fromStd(experiment.notes));
    part(ReportSubject::Mesh,
        snapshot.mesh ? words::counted(snapshot.mesh->deviceCount(), words::Noun::Device) + QLatin1Char('.')
                      : QString());
    part(ReportSubject::Rules);
    part(ReportSubject::Memory);
    const auto collectives = collectivesOf(snapshot);
    part(ReportSubject::Collectives, collectives ? words::sentSummary(**collectives) + QLatin1Char('.') : QString());
    part(ReportSubject::Tensors);
    part(ReportSubject::Problems);
    if (snapshot.laidOut()) {
        page += QStringLiteral("\n## %1\n").arg(Words::tr("JAX"));
        paragraph(QStringLiteral("```python\n%1```").arg(fromStd(jaxCode(snapshot))));
    }
    return page;
}

} // namespace shardscope
