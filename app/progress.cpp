// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress.h"

#include <cstdio>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "console.h"

namespace shardscope::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto firstInTerminal = 1s, firstElsewhere = 30s, firstHint = 10s;
constexpr auto everyInTerminal = 200ms;
constexpr std::string_view emptyLine = "\r\x1b[K";

} // namespace

Progress::Progress(std::string command)
    : m_command(std::move(command))
    , m_terminal(isatty(fileno(stderr)) != 0)
{
    try {
        m_teller = std::thread([this] { tellFromTimeToTime(); });
    } catch (const std::system_error&) { // no room for it: the command does without
    }
}

void Progress::now(const QString& what, const QString& hint)
{
    {
        const std::lock_guard lock(m_mutex);
        m_what = what;
        m_hint = hint;
        m_hintFrom = std::chrono::steady_clock::now() + firstHint;
        m_changed = true;
    }
    m_woken.notify_all();
}

void Progress::end()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ended = true;
    }
    m_woken.notify_all();
    if (m_teller.joinable())
        m_teller.join();
    if (m_terminal && std::exchange(m_told, false))
        writeTo(stderr, emptyLine);
}

void Progress::tellFromTimeToTime()
{
    std::unique_lock lock(m_mutex);
    std::chrono::steady_clock::time_point next = m_begin + (m_terminal ? firstInTerminal : firstElsewhere);
    bool isHintDue = false;
    for (;;) {
        const bool hintIsNext = isHintDue && m_hintFrom < next;
        m_woken.wait_until(lock, hintIsNext ? m_hintFrom : next, [this] { return m_ended || m_changed; });
        if (m_ended)
            return;
        if (std::exchange(m_changed, false)) {
            isHintDue = !m_hint.isEmpty();
            continue;
        }
        const auto time = std::chrono::steady_clock::now();
        tell(time);
        isHintDue = isHintDue && time < m_hintFrom;
        if (time >= next)
            next = m_terminal ? time + everyInTerminal : time + (time - m_begin);
    }
}

void Progress::tell(std::chrono::steady_clock::time_point time)
{
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(time - m_begin);
    QString line =
        QStringLiteral("%1: %2, %3 s").arg(QString::fromStdString(m_command), m_what, QString::number(passed.count()));
    if (!m_hint.isEmpty() && time >= m_hintFrom)
        line += QStringLiteral(" (%1)").arg(m_hint);
    line = printable(line);
    if (m_terminal) {
        winsize size{};
        if (ioctl(fileno(stderr), TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
            line.truncate(size.ws_col - 1); // a line that is broken could not be written over
    }
    const std::string text = line.toStdString();
    writeTo(stderr, m_terminal ? std::string(emptyLine) + text : text + '\n');
    m_told = true;
}

} // namespace shardscope::cli
