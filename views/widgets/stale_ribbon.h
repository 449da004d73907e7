// SPDX-License-Identifier: GPL-3.0-or-later
// The strip that says that what a view shows belongs to an earlier state: while a long analysis runs, or because the
// newest state cannot be analysed. Takes no room otherwise.
#pragma once

#include <QTimer>
#include <QWidget>

namespace shardscope {

class Document;

class StaleRibbon : public QWidget {
    Q_OBJECT
public:
    explicit StaleRibbon(Document* document, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] const QString& text() const { return m_text; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();
    Document* m_document;
    QTimer m_patience;
    QString m_text;
    bool m_error = false;
};

} // namespace shardscope
