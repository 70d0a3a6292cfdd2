// What must be right about a text before a YAML scanner sees it.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"

namespace ridgepoint {

inline constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 20;

/// Adds a problem for a text that is too large, is not UTF-8, holds control characters or indents with tabs.
void check_text(std::string_view text, const std::shared_ptr<const std::string>& file,
                std::vector<Problem>& problems);

}  // namespace ridgepoint
