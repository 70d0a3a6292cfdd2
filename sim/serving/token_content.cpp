#include "serving/token_content.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ridgepoint {
namespace {

/// Walks a sequence's tokens as runs, from any position on.
class RunCursor {
 public:
  RunCursor(const Request& request, std::int64_t position) : request_(request), position_(position) {
    for (const TokenRun& run : request.prompt) {
      if (run_start_ + run.count > position) break;
      run_start_ += run.count;
      ++run_;
    }
  }

  /// At most `limit` tokens from here that lie in one run.
  TokenRun take(std::uint32_t limit) {
    TokenRun out;
    if (run_ < request_.prompt.size()) {
      const TokenRun& run = request_.prompt[run_];
      const auto skipped = static_cast<std::uint32_t>(position_ - run_start_);
      out = {run.content, run.offset + skipped * run.stride, std::min(run.count - skipped, limit),
             run.stride};
      if (skipped + out.count == run.count) {
        run_start_ += run.count;
        ++run_;
      }
    } else if (position_ >= request_.prompt_tokens && request_.output.content != 0) {
      const auto j = static_cast<std::uint32_t>(position_ - request_.prompt_tokens);
      out = {request_.output.content, request_.output.offset + j * request_.output.stride, limit,
             request_.output.stride};
    } else {
      const std::int64_t rest = request_.output.content != 0 ? request_.prompt_tokens - position_ : limit;
      out = {request_.unique_content(), static_cast<std::uint32_t>(position_),
             static_cast<std::uint32_t>(std::min<std::int64_t>(rest, limit)), 1};
    }
    position_ += out.count;
    return out;
  }

 private:
  const Request& request_;
  std::int64_t position_;
  std::size_t run_ = 0;
  std::int64_t run_start_ = 0;
};

/// Folds tokens into a hash as maximal ascending segments: the one cut that depends on the tokens alone.
class SegmentHash {
 public:
  explicit SegmentHash(std::uint64_t previous) : hash_(mix64(previous, 0x726964676570ULL)) {}
  void add(const TokenRun& run) {
    const std::uint32_t pieces = run.stride == 1 ? 1 : run.count;
    const std::uint32_t length = run.stride == 1 ? run.count : 1;
    for (std::uint32_t i = 0; i < pieces; ++i) {
      const std::uint32_t offset = run.offset + i * run.stride;
      if (count_ > 0 && run.content == content_ && offset == offset_ + count_) {
        count_ += length;
        continue;
      }
      flush();
      content_ = run.content;
      offset_ = offset;
      count_ = length;
    }
  }
  std::uint64_t finish() {
    flush();
    return hash_ == 0 ? 1 : hash_;  // 0 means "no hash"
  }

 private:
  void flush() {
    if (count_ == 0) return;
    hash_ = mix64(mix64(hash_, content_), (static_cast<std::uint64_t>(offset_) << 32) | count_);
    count_ = 0;
  }
  std::uint64_t hash_;
  std::uint64_t content_ = 0;
  std::uint32_t offset_ = 0, count_ = 0;
};

}  // namespace

void extend_hashes(Sequence& sequence, std::int32_t blocks, std::int32_t block_size) {
  auto done = static_cast<std::int32_t>(sequence.hashes.size());
  if (done >= blocks) return;
  RunCursor cursor(sequence.request, static_cast<std::int64_t>(done) * block_size);
  std::uint64_t previous = done == 0 ? 0 : sequence.hashes.back();
  for (; done < blocks; ++done) {
    SegmentHash hash(previous);
    for (auto left = static_cast<std::uint32_t>(block_size); left > 0;) {
      const TokenRun run = cursor.take(left);
      hash.add(run);
      left -= run.count;
    }
    previous = hash.finish();
    sequence.hashes.push_back(previous);
  }
}

}  // namespace ridgepoint
