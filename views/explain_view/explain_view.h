// SPDX-License-Identifier: GPL-3.0-or-later
// The Explain dock: why the selected tensor looks as it does, what decided it, and what would change it.
#pragma once

#include <QFutureWatcher>
#include <QHash>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <stop_token>
#include <vector>

#include "document/document.h"
#include "document/selection.h"
#include "pipeline/explain.h"
#include "words/words.h"

class QBoxLayout;
class QGridLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace shardscope {

class EmptyPage;
class RoleLabel;
class SegmentedBar;

class ExplainView : public QWidget {
    Q_OBJECT
public:
    ExplainView(Document* document, Selection* selection, QWidget* parent = nullptr);
    ~ExplainView() override;

    /// The spec of the tensor explained, for the dock's title.
    [[nodiscard]] QString keyFigure() const { return m_keyFigure; }
    [[nodiscard]] words::Length length() const { return m_length; }
    void setLength(words::Length length);
    /// All that is shown, as text to be pasted elsewhere.
    [[nodiscard]] QString asText() const;
    /// What-if rows of the tensor and state now shown; empty until they are worked out.
    [[nodiscard]] const std::vector<WhatIf>& whatIfs() const;
    /// Applies one of them as one undo step; false if it belongs to an earlier state of the document.
    bool apply(std::size_t whatIf);

    /// What-ifs that are wanted are not there yet.
    [[nodiscard]] bool isWorking() const { return m_delay.isActive() || m_watcher.isRunning(); }

Q_SIGNALS:
    void keyFigureChanged();
    void whatIfsChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct WhatIfs {
        std::uint64_t revision = 0;
        QString path;
        std::vector<WhatIf> rows;
        SnapshotPtr snapshot; ///< that they were worked out for
    };
    void refresh();
    void rebuildRows();
    void rebuildWhatIfs();
    void requestWhatIfs();
    void startWhatIfs();
    void receiveWhatIfs();
    [[nodiscard]] bool isCompact() const;
    [[nodiscard]] bool isNarrow() const;
    [[nodiscard]] words::Length shownLength() const;
    void applyCompact();
    void showSomeTensor();

    Document* m_document;
    Selection* m_selection;
    SnapshotPtr m_snapshot;
    ValueId m_value;
    QString m_path;
    words::Length m_length = words::Length::Paragraph;
    words::ExplanationText m_text;
    bool m_more = false; ///< asked for more than the tip in a dock too low for it
    bool m_wasCompact = false, m_wasNarrow = false;

    QWidget* m_page;
    QWidget* m_head;
    QBoxLayout* m_headLayout = nullptr;
    RoleLabel* m_title;
    SegmentedBar* m_lengths;
    QScrollArea* m_scroll;
    QVBoxLayout* m_paragraphs;
    QLabel* m_moreLink;
    QWidget* m_causes;
    QGridLayout* m_causeRows;
    QWidget* m_whatIfBox;
    QGridLayout* m_whatIfRows;
    EmptyPage* m_empty;
    QString m_keyFigure;

    // What-ifs run on a worker with a cache of their own: one that shared the document's would push its results out.
    std::shared_ptr<AnalysisCache> m_cache;
    QTimer m_delay;
    QFutureWatcher<WhatIfs> m_watcher;
    std::stop_source m_stop;
    bool m_wanted = false;
    QHash<QString, WhatIfs> m_known; ///< by path, of revision m_knownRevision
    std::uint64_t m_knownRevision = 0;
    WhatIfs m_shown;
};

} // namespace shardscope
