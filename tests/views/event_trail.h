// SPDX-License-Identifier: GPL-3.0-or-later
// The last events of a random test. They are written to standard error where the process dies, by a signal or by a
// sanitizer, since no test could say them then.
#pragma once

#include <QByteArray>
#include <array>
#include <csignal>
#include <cstring>
#include <string>

#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace shardscope::test {

class EventTrail {
public:
    /// `title` says how to repeat what follows.
    explicit EventTrail(const QByteArray& title)
    {
        of() = {};
        put(of().title, title);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        __sanitizer_set_death_callback(&EventTrail::tell);
#endif
        struct sigaction action { };
        action.sa_handler = &EventTrail::die;
        for (std::size_t i = 0; i < signals.size(); ++i)
            sigaction(signals[i], &action, &of().before[i]);
    }
    ~EventTrail()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        __sanitizer_set_death_callback(nullptr);
#endif
        for (std::size_t i = 0; i < signals.size(); ++i)
            sigaction(signals[i], &of().before[i], nullptr);
    }
    EventTrail(const EventTrail&) = delete;
    EventTrail& operator=(const EventTrail&) = delete;

    static void add(const QByteArray& event)
    {
        put(of().events[of().count++ % kept], event);
    }
    /// All that is kept, the newest last.
    [[nodiscard]] static std::string text()
    {
        std::string all = std::string(of().title.data()) + "; the last events:\n";
        for (std::size_t i = 0; i < kept; ++i)
            if (const Line& line = of().events[(of().count + i) % kept]; line[0] != '\0')
                all += std::string("  ") + line.data() + '\n';
        return all;
    }

private:
    static constexpr std::size_t kept = 40;
    static constexpr std::array signals{ SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
    using Line = std::array<char, 240>;
    struct State {
        Line title{};
        std::array<Line, kept> events{};
        std::size_t count = 0;
        std::array<struct sigaction, signals.size()> before{};
    };
    static State& of()
    {
        static State state;
        return state;
    }
    static void put(Line& line, const QByteArray& text)
    {
        line = {};
        std::memcpy(line.data(), text.constData(), std::min(line.size() - 1, static_cast<std::size_t>(text.size())));
    }
    /// Nothing here takes memory: there may be none.
    static void tell()
    {
        const auto say = [](const char* words) {
            [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, words, std::strlen(words));
        };
        say(of().title.data());
        say("; the last events:\n");
        for (std::size_t i = 0; i < kept; ++i) {
            const Line& line = of().events[(of().count + i) % kept];
            if (line[0] == '\0')
                continue;
            say("  ");
            say(line.data());
            say("\n");
        }
    }
    static void die(int signal)
    {
        tell();
        for (std::size_t i = 0; i < signals.size(); ++i)
            sigaction(signals[i], &of().before[i], nullptr);
        raise(signal);
    }
};

} // namespace shardscope::test
