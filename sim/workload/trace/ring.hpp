// A queue in one block of memory that grows by doubling and is then used round and round.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace ridgepoint {

/// std::deque allocates a node for every couple of elements this large; here rows that pass through cost
/// none.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots_[first_]; }
  const T& back() const { return slots_[(first_ + size_ - 1) & (slots_.size() - 1)]; }
  void push_back(T value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_++) & (slots_.size() - 1)] = std::move(value);
  }
  T take_front() {
    T value = std::move(slots_[first_]);
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
    return value;
  }
  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < size_; ++i) f(slots_[(first_ + i) & (slots_.size() - 1)]);
  }
  void clear() {
    slots_.clear();
    first_ = size_ = 0;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 16 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(slots_[(first_ + i) & (slots_.size() - 1)]);
    slots_ = std::move(larger);
    first_ = 0;
  }
  std::vector<T> slots_;  ///< a power of two of them
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace ridgepoint
