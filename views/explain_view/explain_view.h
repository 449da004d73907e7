// SPDX-License-Identifier: GPL-3.0-or-later
// The Explain view: why the selected tensor looks as it does, what decided it, and what would change it.
#pragma once

#include <QHash>
#include <QTimer>
#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/explain.h"
#include "document/document.h"
#include "document/latest_job.h"
#include "document/selection.h"
#include "views/panel/dock_view.h"
#include "views/theme/theme.h"
#include "words/words.h"

class QBoxLayout;
class QComboBox;
class QGridLayout;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace shardscope {

class EmptyPage;
class RoleLabel;
class SegmentedBar;
class SpanLabel;
class TipStrip;

class ExplainView : public DockView {
    Q_OBJECT
public:
    ExplainView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] words::Length length() const { return m_length; }
    void setLength(words::Length length);
    /// All that is shown, as text to be pasted elsewhere.
    [[nodiscard]] QString asText() const;
    /// What-if rows of the tensor and state now shown; empty until they are worked out.
    [[nodiscard]] const std::vector<WhatIf>& whatIfs() const;
    /// Applies one of them as one undo step; false if it belongs to an earlier state of the document.
    bool apply(std::size_t whatIf);

    /// What-ifs or answers that are wanted are not there yet.
    [[nodiscard]] bool isWorking() const
    {
        return m_delay.isActive() || m_whatIfJob.isWorking() || m_blockerJob.isWorking();
    }
    /// The memory of the array explained; hidden for what is no array of an experiment without a program.
    [[nodiscard]] QComboBox* memory() const { return m_memory; }
    /// Before the explanation, and scrolled with it; hidden until it says something.
    [[nodiscard]] TipStrip* tip() const { return m_tip; }
    /// Why axes do not shard the value, sentence by sentence; empty until it is worked out, and for operations.
    [[nodiscard]] const std::vector<words::Text>& whyNot() const;
    [[nodiscard]] QWidget* usualControl() const override; ///< the length, or what leads on in a low view

Q_SIGNALS:
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
    /// Of one value, or of one of its dimensions.
    struct Blockers {
        std::uint64_t revision = 0;
        QString path;
        int dimension = -1;
        std::vector<words::Text> sentences;
    };
    void refresh();
    void rebuild(); ///< and asks for what takes longer
    void rebuildRows();
    void rebuildWhyNot();
    /// Sentences with links are reached by Tab where they stand, after the explanation's bar; returns the last one.
    QWidget* putLinksInOrder();
    void requestBlockers();
    void receiveBlockers(Blockers blockers);
    void follow(const QString& link);
    SpanLabel* paragraph(const words::Text& text);
    void rebuildWhatIfs();
    void requestWhatIfs();
    void startWhatIfs();
    void receiveWhatIfs(const WhatIfs& result);
    [[nodiscard]] bool isCompact() const { return height() < Metrics::scaled(120); }
    [[nodiscard]] bool isNarrow() const { return width() < Metrics::scaled(520); }
    [[nodiscard]] words::Length shownLength() const
    {
        if (!isCompact())
            return m_length;
        return m_isMoreShown ? std::max(m_length, words::Length::Paragraph) : words::Length::Tip;
    }
    void fitTitle();
    void showSomeTensor();
    void showMemory();

    SnapshotPtr m_snapshot;
    ValueId m_value;
    OperationId m_operation; ///< explained in place of a value
    QString m_path, m_operationPath;
    int m_dimension = -1;
    words::Length m_length = words::Length::Paragraph;
    words::ExplanationText m_text;
    bool m_isMoreShown = false; ///< asked for more than the tip in a view too low for it
    bool m_wasCompact = false, m_wasNarrow = false;

    TipStrip* m_tip;
    QWidget* m_page;
    QWidget* m_head;
    QBoxLayout* m_headLayout = nullptr;
    RoleLabel* m_title;
    SegmentedBar* m_lengths;
    QScrollArea* m_scroll;
    QVBoxLayout* m_paragraphs;
    QPushButton* m_more;
    QWidget* m_whyNotBox;
    QVBoxLayout* m_whyNotRows;
    QPushButton* m_change;
    QWidget* m_memoryBox;
    QComboBox* m_memory;
    QWidget* m_causes;
    QGridLayout* m_causeRows;
    QWidget* m_whatIfBox;
    QGridLayout* m_whatIfRows;
    EmptyPage* m_empty;

    // What-ifs run on a worker with a cache of their own: one that shared the document's would push its results out.
    std::shared_ptr<AnalysisCache> m_cache;
    QTimer m_delay;
    bool m_wanted = false;
    Blockers m_blockers;
    QHash<QString, WhatIfs> m_known; ///< by path, of revision m_knownRevision
    std::uint64_t m_knownRevision = 0;
    WhatIfs m_shown;
    LatestJob<WhatIfs> m_whatIfJob;
    LatestJob<Blockers> m_blockerJob;
};

} // namespace shardscope
