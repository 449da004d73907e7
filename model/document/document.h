// SPDX-License-Identifier: GPL-3.0-or-later
// The open document: an immutable experiment, its undo stack, and the newest analysis.
//
// An edit replaces the experiment by another value. Analysis runs on a worker thread, on the newest revision only; the
// last one that could be laid out stays available, marked stale, until the next one arrives.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <memory>
#include <string_view>

#include "analysis/analyse.h"
#include "experiment/experiment.h"

namespace shardscope {

class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(QObject* parent = nullptr);
    ~Document() override;

    [[nodiscard]] const ExperimentPtr& experiment() const;
    [[nodiscard]] std::uint64_t revision() const;
    /// The newest finished analysis of this experiment; null from setExperiment() until its first one has finished. Its
    /// revision tells whether it is stale.
    [[nodiscard]] SnapshotPtr snapshot() const;
    /// The newest one that can be looked at: every array has its layout, though a step may not run (see its ok()). Null
    /// before there is one since setExperiment().
    [[nodiscard]] SnapshotPtr lastGood() const;
    [[nodiscard]] bool isStale() const;
    /// The layout of a change that is looked at before it is made: pictures show it in place of lastGood(). Null for
    /// none; an edit ends it. `change` names it: "mesh 4 × 2".
    void setPreview(SnapshotPtr snapshot, const QString& change = {});
    [[nodiscard]] SnapshotPtr preview() const;
    [[nodiscard]] QString previewedChange() const;
    [[nodiscard]] AnalysisCache& cache();
    /// Waits for the analysis of the current revision, for what is written of it. Delivers its signal before returning.
    void waitForAnalysis();

    [[nodiscard]] QUndoStack* undoStack();
    /// One undo step. `text` names the effect ("data 2 → 4"). Edits with the same non-zero mergeId that follow each
    /// other become one step (a drag); one that ends where it began vanishes. An error is reported by editRefused()
    /// and changes nothing; returns false then. Of a program that has been partitioned nothing can be changed that
    /// decides how it is sharded: CompiledProgram.
    bool edit(Result<Experiment> after, const QString& text, int mergeId = 0);
    /// A new id for a drag that begins.
    [[nodiscard]] int newMergeId();

    // Files. Paths are absolute; "" = untitled.
    [[nodiscard]] QString filePath() const;
    /// Name of the file that an untitled experiment was made of, a program or a table: "x.mlir"; "" if there is none.
    [[nodiscard]] QString sourceName() const;
    [[nodiscard]] QString displayName() const; ///< name of the file, else of the source, else the title
    [[nodiscard]] bool isModified() const;
    /// New or opened: clears the undo stack.
    void setExperiment(Experiment experiment, const QString& filePath, const QString& sourceName = {});
    /// Reads a file; on errors the document stays as it is and they are returned.
    [[nodiscard]] std::vector<Diagnostic> open(const QString& filePath);
    /// The same from text that has no file, such as standard input: the document is untitled, `name` is only for
    /// errors.
    [[nodiscard]] std::vector<Diagnostic> openText(std::string_view text, const QString& name);
    /// Warnings of the last open() or openText().
    [[nodiscard]] const std::vector<Diagnostic>& readWarnings() const;
    /// Atomic; on success the document is clean and bears that path.
    [[nodiscard]] Result<void> saveAs(const QString& filePath);

Q_SIGNALS:
    void replaced(); ///< another experiment takes the place of this one (new or opened); experimentChanged() follows
    void experimentChanged(); ///< at once, with the new experiment
    void snapshotChanged(); ///< when an analysis has finished
    void staleChanged();
    void previewChanged();
    /// Somebody who looks at the preview wants it made, or wants what is there back.
    void previewDecided(bool apply);
    void fileChanged(); ///< path or modified mark
    /// By edit(), after experimentChanged(); not by undoing and redoing, nor by a drag that ends where it began.
    void edited(const QString& text, int mergeId);
    void editRefused(const shardscope::Diagnostic& diagnostic);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace shardscope
