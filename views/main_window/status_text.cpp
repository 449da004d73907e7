// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/status_text.h"

#include <QCoreApplication>
#include <algorithm>

#include "document/document.h"
#include "experiment/model_settings.h"
#include "experiment_file/gallery.h"
#include "pipeline/collective_list.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct StatusBar {
    Q_DECLARE_TR_FUNCTIONS(StatusBar)
};

} // namespace

StatusText statusText(const Document& document, std::span<const Diagnostic> messages)
{
    StatusText text;
    const bool isProgram = sourceText(*document.experiment()) != nullptr;
    text.saved = document.isModified()   ? StatusBar::tr("Unsaved changes")
        : !document.filePath().isEmpty() ? StatusBar::tr("Saved")
        : !document.sourceName().isEmpty()
        ? (isProgram ? StatusBar::tr("Program, not edited") : StatusBar::tr("Table, not edited"))
        : findExample(*document.experiment()) ? StatusBar::tr("Example, not edited")
                                              : StatusBar::tr("Not saved yet");
    text.hardware = QString::fromStdString(document.experiment()->hardware.devices.kind);
    const SnapshotPtr snapshot = document.snapshot();
    const auto add = [&text](const Diagnostic& diagnostic) {
        text.errors += diagnostic.severity() == Severity::Error ? 1 : 0;
        text.warnings += diagnostic.severity() == Severity::Warning ? 1 : 0;
    };
    std::for_each(messages.begin(), messages.end(), add);
    std::for_each(document.readWarnings().begin(), document.readWarnings().end(), add);
    if (snapshot)
        for (const Problem& problem : snapshot->problems)
            add(problem.diagnostic);
    QStringList parts;
    if (text.errors > 0)
        parts << words::counted(text.errors, words::Noun::Error);
    if (text.warnings > 0)
        parts << words::counted(text.warnings, words::Noun::Warning);
    text.problems = parts.isEmpty() ? StatusBar::tr("No problems") : parts.join(QStringLiteral(", "));
    if (!snapshot)
        return text;
    if (!snapshot->ok() && (!snapshot->laidOut() || snapshot->errorCount() > 0))
        text.solved = StatusBar::tr("Not solved");
    if (snapshot->mesh)
        text.devices = words::counted(snapshot->mesh->deviceCount(), words::Noun::Device);
    if (!snapshot->ok())
        return text;
    const CollectiveList& list = *snapshot->collectives;
    const auto exchanges = static_cast<qint64>(list.entries.size());
    // As the graph counts them.
    const auto all = snapshot->program ? static_cast<qint64>(operationCount(*snapshot->program)) : 0;
    text.operations =
        StatusBar::tr("%1, %2", "ops, collectives")
            .arg(words::counted(all, words::Noun::Operation), words::counted(exchanges, words::Noun::Collective));
    text.sent = words::sentSummary(list);
    text.sentShort = StatusBar::tr("Sent %1 per step").arg(words::bytes(snapshot->sent.step));
    return text;
}

} // namespace shardscope
