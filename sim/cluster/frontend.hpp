// The front end of one deployment: requests on their way from the client to the router, in order.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "spec/request.hpp"

namespace ridgepoint {

/// A first-in first-out queue; every request spends the same delay in it.
class Frontend {
 public:
  explicit Frontend(Nanos delay) : delay_(delay) {}
  Nanos delay() const { return delay_; }
  bool empty() const { return head_ == queue_.size(); }
  std::size_t size() const { return queue_.size() - head_; }
  const Request& front() const { return queue_[head_]; }
  /// When the first request reaches the router; kNever when there is none.
  Nanos due() const { return empty() ? kNever : front().arrival + delay_; }
  void push(Request request) { queue_.push_back(std::move(request)); }
  Request pop() {
    Request request = std::move(queue_[head_++]);
    if (head_ == queue_.size()) {
      queue_.clear();
      head_ = 0;
    } else if (head_ >= kCompactAt && 2 * head_ >= queue_.size()) {  // amortised: moves what it has freed
      queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return request;
  }

 private:
  static constexpr std::size_t kCompactAt = 64;
  Nanos delay_;
  std::vector<Request> queue_;
  std::size_t head_ = 0;
};

}  // namespace ridgepoint
