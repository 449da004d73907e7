// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/declared_rule.h"

#include <cctype>

namespace shardscope {

namespace {

constexpr std::int32_t letters = 'z' - 'i' + 1;
constexpr std::int32_t maxFactors = 1'000'000;

class RuleReader {
public:
    explicit RuleReader(std::string_view text)
        : m_text(text)
    {
    }

    std::optional<DeclaredRule> read()
    {
        const bool wrapped = takeWord("#sdy.op_sharding_rule");
        if (wrapped && !take('<'))
            return {};
        DeclaredRule rule;
        if (!readTensors(rule.operands) || !takeWord("->") || !readTensors(rule.results) || !readSizes(rule.sizes))
            return {};
        for (;;) {
            if (take(','))
                continue;
            if (takeWord("custom"))
                rule.custom = true;
            else if (takeWord("reduction")) {
                if (!readList(rule.reduction))
                    return {};
            } else if (takeWord("need_replication")) {
                if (!readList(rule.needReplication))
                    return {};
            } else if (takeWord("permutation")) {
                if (!readList(rule.permutation))
                    return {};
            } else if (takeWord("blocked_propagation")) {
                if (!readList(rule.blocked))
                    return {};
            } else
                break;
        }
        if (wrapped && !take('>'))
            return {};
        skipSpace();
        return m_text.empty() ? std::optional(std::move(rule)) : std::nullopt;
    }

private:
    void skipSpace()
    {
        while (!m_text.empty() && std::isspace(static_cast<unsigned char>(m_text.front())))
            m_text.remove_prefix(1);
    }
    bool take(char c)
    {
        skipSpace();
        if (m_text.empty() || m_text.front() != c)
            return false;
        m_text.remove_prefix(1);
        return true;
    }
    bool takeWord(std::string_view word)
    {
        skipSpace();
        if (!m_text.starts_with(word))
            return false;
        m_text.remove_prefix(word.size());
        return true;
    }
    std::optional<std::int64_t> number()
    {
        skipSpace();
        std::int64_t value = 0;
        std::size_t digits = 0;
        while (digits < m_text.size() && digits < 18 && std::isdigit(static_cast<unsigned char>(m_text[digits])))
            value = value * 10 + (m_text[digits++] - '0');
        m_text.remove_prefix(digits);
        return digits > 0 ? std::optional(value) : std::nullopt;
    }
    std::optional<std::int32_t> factor()
    {
        skipSpace();
        if (m_text.empty() || m_text.front() < 'i' || m_text.front() > 'z')
            return {};
        const std::int32_t index = m_text.front() - 'i';
        m_text.remove_prefix(1);
        if (index != letters - 1 || m_text.empty() || m_text.front() != '_')
            return index;
        m_text.remove_prefix(1);
        const auto further = number();
        if (!further || *further < 1 || *further > maxFactors)
            return {};
        return letters - 1 + static_cast<std::int32_t>(*further);
    }

    bool readTensors(std::vector<DeclaredRule::Mapping>& tensors)
    {
        if (!take('('))
            return false;
        if (take(')'))
            return true;
        do {
            if (!take('['))
                return false;
            DeclaredRule::Mapping& mapping = tensors.emplace_back();
            if (take(']'))
                continue;
            do {
                auto& dim = mapping.emplace_back();
                while (const auto found = factor())
                    dim.push_back(*found);
            } while (take(','));
            if (!take(']'))
                return false;
        } while (take(','));
        return take(')');
    }
    bool readSizes(std::vector<std::int64_t>& sizes)
    {
        if (!take('{'))
            return true; // scalars only
        if (take('}'))
            return true;
        do {
            const auto found = factor();
            if (!found || !take('='))
                return false;
            const auto size = number();
            if (!size || *found != static_cast<std::int32_t>(sizes.size())) // in order
                return false;
            sizes.push_back(*size);
        } while (take(','));
        return take('}');
    }
    bool readList(std::vector<std::int32_t>& list)
    {
        if (!take('=') || !take('{'))
            return false;
        if (take('}'))
            return true;
        do {
            const auto found = factor();
            if (!found)
                return false;
            list.push_back(*found);
        } while (take(','));
        return take('}');
    }

    std::string_view m_text;
};

} // namespace

std::optional<DeclaredRule> parseDeclaredRule(std::string_view text)
{
    return RuleReader(text).read();
}

FactorRule toFactorRule(const DeclaredRule& declared)
{
    FactorRule rule;
    for (const std::int64_t size : declared.sizes)
        rule.factors.push_back({ size, FactorKind::PassThrough, false });
    const auto each = [&](const std::vector<std::int32_t>& list, const auto& change) {
        for (const std::int32_t factor : list)
            if (factor < static_cast<std::int32_t>(rule.factors.size()))
                change(rule.factors[static_cast<std::size_t>(factor)]);
    };
    each(declared.reduction, [](FactorRule::Factor& factor) { factor.kind = FactorKind::Reduction; });
    each(declared.needReplication, [](FactorRule::Factor& factor) { factor.kind = FactorKind::NeedReplication; });
    each(declared.permutation, [](FactorRule::Factor& factor) { factor.kind = FactorKind::Permutation; });
    each(declared.blocked, [](FactorRule::Factor& factor) { factor.blocked = true; });
    const auto convert = [](const std::vector<DeclaredRule::Mapping>& from,
                             std::vector<FactorRule::TensorMapping>& to) {
        for (const DeclaredRule::Mapping& mapping : from) {
            FactorRule::TensorMapping& tensor = to.emplace_back();
            for (const auto& dim : mapping) {
                FactorRule::DimensionFactors& factors = tensor.emplace_back();
                for (const std::int32_t factor : dim)
                    factors.push_back(factor);
            }
        }
    };
    convert(declared.operands, rule.operands);
    convert(declared.results, rule.results);
    return rule;
}

std::optional<DeclaredRule> declaredRule(const Program& program, const Operation& operation)
{
    if (operation.extra == 0 || operation.extra >= program.dictionaries.size())
        return {};
    for (const NamedText& entry : program.dictionaries[operation.extra])
        if (entry.name == shardingRuleName)
            return parseDeclaredRule(entry.text);
    return {};
}

std::string factorName(std::int32_t factor)
{
    if (factor < letters)
        return std::string(1, static_cast<char>('i' + factor));
    return "z_" + std::to_string(factor - letters + 1);
}

} // namespace shardscope
