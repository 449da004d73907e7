// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows, taken along: pictures of it and of its views, tables, the report, code.
// A part of MainWindow, which is declared in main_window.h.
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QPointer>
#include <algorithm>

#include "document/atomic_file.h"
#include "report/exports.h"
#include "views/export_picture/export_picture.h"
#include "views/main_window/after_analysis.h"
#include "views/main_window/file_names.h"
#include "views/main_window/main_window.h"
#include "views/widgets/dock_frame.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

const QStringList pictureEndings{ QStringLiteral("png"), QStringLiteral("svg"), QStringLiteral("pdf") };

} // namespace

void MainWindow::fillExportMenu(QMenu* menu)
{
    const auto add = [&](const char* name, const QString& text, const QKeySequence& keys, auto run) {
        menu->addAction(addAction(name, {}, text, keys, run));
    };
    add("exportWindow", tr("Picture of the &window…"), {}, [this] {
        const QString path = askForExport(tr("Picture of the window"), tr("window"), pictureEndings);
        if (!path.isEmpty())
            exportPicture(this, path);
    });
    const auto inUse = [this]() -> DockFrame& {
        DockFrame* frame = dockInUse();
        return frame ? *frame : *dock(QStringLiteral("layout"));
    };
    add("exportFocus", tr("Picture of the &view in use…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
        [this, inUse] { askForPicture(inUse()); });
    add("copyFocus", tr("Copy picture of the view in use"), {}, [this, inUse] { copyPicture(inUse()); });
    menu->addSeparator();
    for (const ExportedView& view : exportedViews()) {
        QAction* action = addAction(
            QStringLiteral("export.") + words::fromStd(view.id), {}, tr("%1…").arg(view.title), {}, [this, &view] {
                QStringList endings;
                for (const std::string& form : view.forms)
                    endings << words::fromStd(form);
                const QString path = askForExport(view.title, view.title, endings);
                if (!path.isEmpty())
                    exportView(view, path);
            });
        menu->addAction(action);
    }
    menu->addSeparator();
    add("copyCode", tr("&Copy JAX code"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), [this] {
        copyExported("code", "py", tr("Mesh, rules and shardings are in the clipboard, as Python for JAX."));
    });
    add("copyMaxText", tr("Copy &MaxText configuration"), {}, [this] {
        copyExported("maxtext", "yml", tr("Mesh, rules and model are in the clipboard, as YAML for MaxText."));
    });
}

QString MainWindow::askForExport(const QString& title, const QString& what, const QStringList& endings)
{
    QStringList filters;
    for (const QString& ending : endings)
        filters << tr("%1 files (*.%2)").arg(ending.toUpper(), ending);
    // A title is no name of a file: "Llama 3.1 8B".
    const bool hasFile = !m_document.filePath().isEmpty() || !m_document.sourceName().isEmpty();
    const QString shown = m_document.displayName();
    const QString base = hasFile ? QFileInfo(shown).completeBaseName() : fileNameOf(shown);
    const QString name = QStringLiteral("%1 %2.%3").arg(base, what.toLower(), endings.constFirst());
    QFileDialog dialog(this, tr("Export: %1").arg(title), m_settings.folder() + QLatin1Char('/') + name,
        filters.join(QStringLiteral(";;")));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(endings.constFirst());
    // Another form gets another ending, also where the name had one.
    connect(&dialog, &QFileDialog::filterSelected, &dialog, [&dialog](const QString& filter) {
        const QString ending = filter.section(QStringLiteral("*."), 1).chopped(1);
        dialog.setDefaultSuffix(ending);
        if (const QStringList chosen = dialog.selectedFiles(); !chosen.isEmpty())
            dialog.selectFile(QFileInfo(chosen.constFirst()).completeBaseName() + QLatin1Char('.') + ending);
    });
    return dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty() ? dialog.selectedFiles().constFirst()
                                                                                   : QString();
}

void MainWindow::exportView(const ExportedView& view, const QString& path)
{
    m_afterAnalysis->run(QFileInfo(path).fileName(), [this, &view, path] {
        const SnapshotPtr snapshot = m_document.snapshot();
        if (!snapshot)
            return;
        const std::string ending = QFileInfo(path).suffix().toLower().toStdString();
        const bool isKnown = std::find(view.forms.begin(), view.forms.end(), ending) != view.forms.end();
        noteFile(path, writeAtomically(path, exportedText(*snapshot, view, isKnown ? ending : view.forms.front())));
    });
}

void MainWindow::copyExported(const char* view, const char* form, const QString& message)
{
    const ExportedView* exported = findExportedView(view);
    m_afterAnalysis->run(exported->title, [this, exported, form, message] {
        if (const SnapshotPtr snapshot = m_document.snapshot()) {
            QGuiApplication::clipboard()->setText(words::fromStd(exportedText(*snapshot, *exported, form)));
            say(message);
        }
    });
}

void MainWindow::askForPicture(DockFrame& frame)
{
    const QString path = askForExport(tr("Picture of %1").arg(frame.name()), frame.name(), pictureEndings);
    if (!path.isEmpty())
        exportPicture(frame.widget(), path);
}

void MainWindow::copyPicture(DockFrame& frame)
{
    m_afterAnalysis->run(frame.name(), [this, frame = QPointer<DockFrame>(&frame)] {
        if (!frame)
            return;
        QGuiApplication::clipboard()->setPixmap(frame->widget()->grab());
        say(tr("A picture of %1 is in the clipboard.", "a view").arg(frame->name()));
    });
}

void MainWindow::exportPicture(QWidget* widget, const QString& path)
{
    m_afterAnalysis->run(QFileInfo(path).fileName(), [this, widget = QPointer<QWidget>(widget), path] {
        if (widget)
            noteFile(path, writePicture(*widget, path));
    });
}

void MainWindow::noteFile(const QString& path, const Result<void>& outcome)
{
    if (outcome)
        say(tr("%1 was written.", "name of a file").arg(QFileInfo(path).fileName()));
    else
        refuseToSave(path, outcome.error());
}

} // namespace shardscope
