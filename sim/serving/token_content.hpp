// Which tokens a sequence consists of, hashed block by block: equal hash = equal tokens and equal everything
// before.
#pragma once
#include "serving/sequence.hpp"

namespace ridgepoint {

/// Extends sequence.hashes to its first `blocks` full blocks of `block_size` tokens. Precondition: blocks *
/// block_size
/// <= known tokens. The hash depends on the tokens alone, not on how they are cut into runs.
void extend_hashes(Sequence& sequence, std::int32_t blocks, std::int32_t block_size);

}  // namespace ridgepoint
