// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/sanitizer_end.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <vector>
#endif

namespace shardscope::fuzz {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

namespace {

using Callback = void (*)();
using Setter = void (*)(Callback);

/// GCC links one library for each sanitizer, each of which ends the process by itself and knows only its own callback:
/// plain linking would reach the first of them.
std::vector<Setter> setters()
{
    std::vector<Setter> found;
    const auto look = [](dl_phdr_info* info, std::size_t, void* list) {
        const bool program = info->dlpi_name[0] == '\0';
        void* library = dlopen(program ? nullptr : info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr)
            return 0;
        auto& setters = *static_cast<std::vector<Setter>*>(list);
        const auto setter = reinterpret_cast<Setter>(dlsym(library, "__sanitizer_set_death_callback"));
        if (setter != nullptr && std::find(setters.begin(), setters.end(), setter) == setters.end())
            setters.push_back(setter);
        dlclose(library);
        return 0;
    };
    dl_iterate_phdr(look, &found);
    return found;
}

} // namespace

void onSanitizerEnd(Callback last)
{
    for (const Setter set : setters())
        set(last);
}

#else

void onSanitizerEnd(void (*)()) { }

#endif

} // namespace shardscope::fuzz
