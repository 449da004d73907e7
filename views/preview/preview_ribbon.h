// SPDX-License-Identifier: GPL-3.0-or-later
// A slim strip over a bar of the window that says what the edit in somebody's hand changes. It lies over controls that
// nobody can use meanwhile, moves nothing, lets clicks through, and goes when the edit is dropped.
#pragma once

#include <QList>
#include <QWidget>

namespace shardscope {

class EditGesture;

class PreviewRibbon : public QWidget {
    Q_OBJECT
public:
    /// Covers `bar` while there is something to tell.
    explicit PreviewRibbon(QWidget* bar);
    void watch(EditGesture* gesture);
    /// What it says at the moment; empty while it is hidden.
    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow(EditGesture* gesture);
    void place();
    QList<EditGesture*> m_gestures;
    EditGesture* m_shown = nullptr;
};

} // namespace shardscope
