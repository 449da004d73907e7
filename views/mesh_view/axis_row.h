// SPDX-License-Identifier: GPL-3.0-or-later
// One mesh axis in the Mesh view: handle, name, slider, number and link class.
#pragma once

#include <QWidget>
#include <vector>

#include "views/theme/theme.h"
#include "views/widgets/size_spin_box.h"

class QLabel;
class QLineEdit;

namespace shardscope {

class RoleLabel;
class SizeSlider;

/// The name of the axis as a chip. Double-click or F2 renames it, Delete removes the axis, Alt+Up and Alt+Down move it.
class AxisChip : public QWidget {
    Q_OBJECT
public:
    explicit AxisChip(QWidget* parent = nullptr);
    void setAxis(const QString& name, int axis);
    [[nodiscard]] QString name() const { return m_name; }
    void setMarked(bool marked);
    void startRenaming();

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(36), Metrics::scaled(20) }; }

Q_SIGNALS:
    void clicked();
    void renamed(const QString& name);
    void removeRequested();
    void moveRequested(int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent*) override { startRenaming(); }
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void moveEvent(QMoveEvent* event) override;
    void resizeEvent(QResizeEvent*) override { placeEditor(); }

private:
    void placeEditor();
    void finishRenaming(bool accept);
    QString m_name;
    int m_axis = 0;
    bool m_marked = false;
    QLineEdit* m_editor = nullptr;
};

/// The grip by which a row is dragged to another place.
class DragHandle : public QWidget {
    Q_OBJECT
public:
    explicit DragHandle(QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override { return { Metrics::scaled(16), Metrics::scaled(24) }; }

Q_SIGNALS:
    void dragged(const QPoint& globalPosition);
    void dropped(const QPoint& globalPosition);
    void cancelled();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QPoint m_start;
    bool m_pressed = false, m_dragging = false;
};

class AxisRow : public QWidget {
    Q_OBJECT
public:
    explicit AxisRow(QWidget* parent = nullptr);
    struct Content {
        QString name;
        int axis = 0;
        std::int64_t size = 1;
        std::vector<std::int64_t> sizes;
        QString about; ///< tool tip of the link
        QString link; ///< "DCN 6 GB/s"
        QString linkShort; ///< "DCN", where there is no room for more
        bool marked = false;
    };
    void setContent(const Content& content);
    [[nodiscard]] SizeSlider* slider() const { return m_slider; }
    [[nodiscard]] SizeSpinBox* spinBox() const { return m_spin; }
    [[nodiscard]] AxisChip* chip() const { return m_chip; }
    [[nodiscard]] DragHandle* handle() const { return m_handle; }
    void setChipWidth(int width) { m_chip->setFixedWidth(width); }

Q_SIGNALS:
    void sizeChosen(qint64 size, bool dragging);
    void sizeCancelled(); ///< back to what was before the drag

protected:
    void resizeEvent(QResizeEvent*) override { fitLink(); }

private:
    void fitLink();
    DragHandle* m_handle;
    AxisChip* m_chip;
    SizeSlider* m_slider;
    SizeSpinBox* m_spin;
    RoleLabel* m_link;
    QString m_linkLong, m_linkShort;
};

} // namespace shardscope
