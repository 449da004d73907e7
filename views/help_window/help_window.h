// SPDX-License-Identifier: GPL-3.0-or-later
// Help beside the window: docs/window.md, on what views show and what can be changed there, and a sheet of all keys.
#pragma once

#include <QDialog>
#include <functional>

class QAction;
class QTextBrowser;
class QTextDocument;

namespace shardscope {

class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent = nullptr);
    /// The guide, at what it says of a view: "Rules". From the beginning where it says nothing of that.
    void showGuide(const QString& view);
    /// The keys of the commands, those of a menu together, and of what is in the views. Those of `changeable` lead to
    /// where they are changed; these are listed without a key as well.
    void showKeys(const QList<QAction*>& commands, const QList<QAction*>& changeable = {});
    [[nodiscard]] QTextBrowser* text() const { return m_text; }
    /// The paragraph that the guide was opened at, its first line; "" for the beginning.
    [[nodiscard]] const QString& place() const { return m_place; }

Q_SIGNALS:
    void keyRequested(const QString& command); ///< the key of the command of that name is to be changed

private:
    void setPage(const std::function<void(QTextDocument&)>& fill);
    void present(const QString& title);
    QTextBrowser* m_text;
    QString m_place;
};

} // namespace shardscope
