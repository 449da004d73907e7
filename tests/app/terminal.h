// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the built executable in a terminal of its own, as wide as asked for.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <QElapsedTimer>

#include "program.h"

namespace shardscope {

/// Standard output and the error stream are the terminal; standard input is what is written to `process`. No colours.
struct InTerminal {
    InTerminal(const QStringList& arguments, unsigned short columns)
        : m_terminal(posix_openpt(O_RDWR | O_NOCTTY))
    {
        winsize size{};
        size.ws_row = 40;
        size.ws_col = columns;
        if (m_terminal < 0 || grantpt(m_terminal) != 0 || unlockpt(m_terminal) != 0
            || ioctl(m_terminal, TIOCSWINSZ, &size) != 0 || fcntl(m_terminal, F_SETFL, O_NONBLOCK) != 0)
            qFatal("no terminal for the test");
        QProcessEnvironment environment = bareEnvironment();
        environment.insert(QStringLiteral("NO_COLOR"), QStringLiteral("1"));
        process.setProcessEnvironment(environment);
        process.setStandardOutputFile(QString::fromLocal8Bit(ptsname(m_terminal)));
        process.setStandardErrorFile(QString::fromLocal8Bit(ptsname(m_terminal)));
        process.start(QStringLiteral(SHARDSCOPE_BINARY), arguments);
        process.waitForStarted();
    }
    ~InTerminal() { close(m_terminal); }
    InTerminal(const InTerminal&) = delete;
    InTerminal& operator=(const InTerminal&) = delete;

    /// All that has been printed so far, as it came.
    const QByteArray& printed()
    {
        char part[4096];
        for (ssize_t count = 0; (count = read(m_terminal, part, sizeof part)) > 0;)
            m_bytes.append(part, static_cast<qsizetype>(count));
        return m_bytes;
    }
    /// Whether that text is printed within 20 seconds.
    bool waitFor(const QByteArray& text)
    {
        QElapsedTimer timer;
        for (timer.start(); timer.elapsed() < 20'000; usleep(20'000))
            if (printed().contains(text))
                return true;
        return false;
    }
    /// What has been printed in the end, in `out`.
    Ran finish()
    {
        process.closeWriteChannel();
        QElapsedTimer timer;
        timer.start();
        while (process.state() != QProcess::NotRunning && !process.waitForFinished(20) && timer.elapsed() < 120'000)
            (void)printed(); // a terminal holds little that nobody reads
        Ran ran;
        ran.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        ran.out = QString::fromUtf8(QByteArray(printed()).replace("\r\n", "\n"));
        return ran;
    }

    QProcess process;

private:
    int m_terminal;
    QByteArray m_bytes;
};

} // namespace shardscope
