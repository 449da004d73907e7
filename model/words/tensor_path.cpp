// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/tensor_path.h"

#include <charconv>

#include "experiment/rule_lists.h"
#include "words/utf8.h"

namespace shardscope::words {

TensorPath parseTensorPath(std::string_view path)
{
    // A function around a path says what is done with it, not where it lies.
    for (std::size_t open = path.find('('); open != std::string_view::npos && path.ends_with(')');
         open = path.find('('))
        path = path.substr(open + 1, path.size() - open - 2);
    path = networkPartPath(path);
    if (constexpr std::string_view optimizer = "opt/"; path.starts_with(optimizer))
        path.remove_prefix(optimizer.size());
    std::size_t begin = 0;
    for (std::size_t end = path.find('/'); end != std::string_view::npos; end = path.find('/', begin)) {
        const std::string_view part = path.substr(begin, end - begin);
        if (const std::size_t dot = part.rfind('.'); dot != std::string_view::npos && dot > 0) {
            std::int64_t number = -1;
            const char* const last = part.data() + part.size();
            const auto [at, error] = std::from_chars(part.data() + dot + 1, last, number);
            if (error == std::errc() && at == last && number >= 0)
                return { fromStd(path.substr(0, begin + dot)), number, fromStd(path.substr(end + 1)) };
        }
        begin = end + 1;
    }
    return { {}, -1, fromStd(path) };
}

} // namespace shardscope::words
