// SPDX-License-Identifier: GPL-3.0-or-later
// Compares strategies beside the window: only what was asked for last is worked out.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "analysis/compare_strategies.h"

namespace shardscope {

using ComparisonPtr = std::shared_ptr<const StrategyComparison>;

class ComparisonJob : public QObject {
    Q_OBJECT
public:
    explicit ComparisonJob(QObject* parent = nullptr);
    ~ComparisonJob() override;

    void request(SnapshotPtr first, const PropagationSetting& setting);
    /// What is at work is not delivered any more.
    void cancel();
    [[nodiscard]] bool isWorking() const { return m_wanted.has_value() || m_atWork; }

Q_SIGNALS:
    void finished(const shardscope::ComparisonPtr& comparison);

private:
    void start();
    void receive();

    std::shared_ptr<AnalysisCache> m_cache;
    std::optional<std::pair<SnapshotPtr, PropagationSetting>> m_wanted; ///< waits for the one at work to end
    QFutureWatcher<ComparisonPtr> m_watcher;
    bool m_atWork = false; ///< until its result has been handed on
    std::stop_source m_stop;
};

} // namespace shardscope
