// SPDX-License-Identifier: GPL-3.0-or-later
// What a command is doing, on the error stream, where it takes its time.
#pragma once

#include <QString>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace shardscope::cli {

/// A line in a terminal from the first second on, "run: step 3 of 8, 12 s", gone when the command ends. Elsewhere a
/// line after half a minute, and then ever more rarely.
class Progress {
public:
    explicit Progress(std::string command);
    ~Progress() { end(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// What is done from now on; where it takes longer than ten seconds, how one gets around it: "--no-check leaves it
    /// out". That is told at once, elsewhere as well.
    void now(const QString& what, const QString& hint = {});
    /// Nothing is told any more. To be called before anything is printed.
    void end();

private:
    void tellFromTimeToTime();
    void tell(std::chrono::steady_clock::time_point time);

    const std::string m_command;
    const bool m_terminal;
    const std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    std::mutex m_mutex; ///< of what follows
    std::condition_variable m_woken;
    QString m_what, m_hint;
    std::chrono::steady_clock::time_point m_hintFrom; ///< where there is a hint
    bool m_changed = false;
    bool m_ended = false;
    bool m_told = false;
    std::thread m_teller;
};

} // namespace shardscope::cli
