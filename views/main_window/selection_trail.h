// SPDX-License-Identifier: GPL-3.0-or-later
// Where the selection is, over the views: "Parameters › Layer 0 / W1 › hidden › shard 1". Every place but the last is a
// button; what was selected before can be gone back to.
#pragma once

#include <QElapsedTimer>
#include <QList>

#include "document/document.h"
#include "document/selection.h"
#include "views/widgets/zoom_trail.h"

namespace shardscope {

class SelectionTrail : public ZoomTrail {
    Q_OBJECT
public:
    SelectionTrail(Document* document, Selection* selection, QWidget* parent = nullptr);

    /// From a shard to its dimension, from that to the array; false where nothing is selected within an array.
    bool goUp();
    /// To what was selected before; false where nothing was.
    bool goBack();
    /// Texts have so much room: the name is shortened, then the kind of array left out, then all of it.
    void setRoom(int width);

Q_SIGNALS:
    void arraysRequested(); ///< the first place: all of them
    void operationsRequested(); ///< likewise, of an operation

private:
    struct Place {
        QString tensor;
        int dimension = -1;
        DeviceGroup devices;
        QString operation; ///< of no name of its own, which stands beside the tensor
        bool operator==(const Place&) const = default;
    };
    void follow();
    void showPlaces();
    [[nodiscard]] QString namelessOperation() const;
    void showOperation(const Snapshot& snapshot);
    [[nodiscard]] QString textOf(const TensorRow& row, const DeviceGroup& devices) const;
    void choose(int index);

    Document* m_document;
    Selection* m_selection;
    Place m_now;
    QList<Place> m_past; ///< the newest one last
    bool m_isOperation = false; ///< an operation led to what is selected now
    QElapsedTimer m_since; ///< it is
    bool m_goesBack = false;
    int m_room = 0;
    bool m_hasKind = true; ///< the first place is shown
};

} // namespace shardscope
