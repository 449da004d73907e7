// SPDX-License-Identifier: GPL-3.0-or-later
// The two tips of the first minute: an axis to drag, as long as the mesh is the one that was opened; then where the
// reason for what changed can be read. Each goes for good once it has been followed or closed.
#pragma once

#include <QObject>

#include "experiment/experiment.h"

namespace shardscope {

class Document;
class ExplainView;
class MeshView;
class Settings;

class Tips : public QObject {
    Q_OBJECT
public:
    Tips(Document* document, Settings* settings, MeshView* mesh, ExplainView* explain, QObject* parent = nullptr);

    /// Both come again, however often they were closed.
    void restart();

private:
    void follow();
    void showFirst();
    void finish(const char* tip);

    Document* m_document;
    Settings* m_settings;
    MeshView* m_mesh;
    ExplainView* m_explain;
    std::vector<std::int64_t> m_opened; ///< sizes of the mesh's axes as they were
    bool m_changed = false; ///< they are others since
};

} // namespace shardscope
