// SPDX-License-Identifier: GPL-3.0-or-later
// Examples and new experiments are scratch copies: whoever opens another one need not decide about changes that have no
// file. They are kept while the window is open, and a strip on top of it, and the start page, lead back to them.
#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <utility>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

class Document;
class NoticeStrip;

class LeftChanges : public QObject {
    Q_OBJECT
public:
    LeftChanges(Document* document, NoticeStrip* strip, QObject* parent = nullptr);

    /// The document has changes that nobody saved and no file of its own.
    [[nodiscard]] bool canKeep() const;
    /// Keeps them, where there are such; the strip says so once another experiment has come.
    void keep();
    /// Of those that are kept, the newest first.
    [[nodiscard]] QStringList titles() const;
    [[nodiscard]] bool isEmpty() const { return m_kept.empty(); }
    /// Opens what is kept under that place in titles(), as one step of undo after what it began with. What is left for
    /// it is kept in its place; of what has a file somebody is asked first.
    void goBack(int place);
    /// Asks about changes that have a file: false if the document is to stay. Without it they are lost.
    void setMayLeave(std::function<bool()> ask) { m_mayLeave = std::move(ask); }
    [[nodiscard]] NoticeStrip* strip() const { return m_strip; }

private:
    struct Kept {
        ExperimentPtr began, now;
        QString source; ///< the file that it was made of, "x.mlir"; "" for none
    };
    void follow();
    Document* m_document;
    NoticeStrip* m_strip;
    std::function<bool()> m_mayLeave;
    ExperimentPtr m_began; ///< the document as it was opened
    bool m_opening = false; ///< another one comes
    bool m_news = false; ///< something was kept, and nobody was told
    std::vector<Kept> m_kept; ///< the newest first
};

} // namespace shardscope
