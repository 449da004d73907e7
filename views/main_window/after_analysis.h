// SPDX-License-Identifier: GPL-3.0-or-later
// What is done with the analysis of what is edited now: at once where it is there, else as soon as it arrives. The
// window stays in use meanwhile; a strip on top of it says what is waited for, and lets one give it up.
#pragma once

#include <QTimer>
#include <functional>
#include <vector>

#include "document/document.h"

namespace shardscope {

class NoticeStrip;

class AfterAnalysis : public QObject {
    Q_OBJECT
public:
    AfterAnalysis(Document* document, NoticeStrip* strip, QObject* parent = nullptr);

    /// `what` names it for the strip: "grid.svg". Edits that follow count as well: it is of what is there when it runs.
    /// Another experiment that is opened, and cancel(), drop it.
    void run(const QString& what, std::function<void()> work);
    void cancel();
    /// Waits for the analysis: the window is about to close, and what was asked for is not lost.
    void finish();
    [[nodiscard]] bool isWaiting() const { return !m_waiting.empty(); }

Q_SIGNALS:
    void dropped(const QString& what); ///< it will not be done

private:
    struct Waiting {
        QString what;
        std::function<void()> work;
    };
    void follow();
    void showStrip();
    Document* m_document;
    NoticeStrip* m_strip;
    std::vector<Waiting> m_waiting; ///< in the order in which they came
    QTimer m_delay; ///< most analyses are over before anybody could read the strip
};

} // namespace shardscope
