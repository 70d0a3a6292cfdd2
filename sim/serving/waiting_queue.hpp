// Requests that wait for admission. A request becomes a Sequence only when it reaches the head, so that a
// long queue costs about the size of a Request each.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "serving/sequence.hpp"

namespace ridgepoint {

/// Sequences at stable addresses and reusable ids.
class SequenceStore {
 public:
  SequenceId add(Request request, Nanos submitted);
  void remove(SequenceId id);
  Sequence& operator[](SequenceId id) { return slots_[id]; }
  const Sequence& operator[](SequenceId id) const { return slots_[id]; }

 private:
  std::deque<Sequence> slots_;
  std::vector<SequenceId> free_;
};

/// A request that has not been looked at yet.
struct WaitingRequest {
  Request request;
  Nanos submitted{0};
};

/// First in, first out with preempted ones at the front; or a heap by (priority, arrival, id), smallest
/// first.
class WaitingQueue {
 public:
  WaitingQueue(bool by_priority, SequenceStore& sequences)
      : by_priority_(by_priority), sequences_(sequences) {}
  bool empty() const { return queue_.empty(); }
  std::size_t size() const { return queue_.size(); }
  void push(Request request, Nanos submitted);
  /// A preempted sequence: to the front, or into the heap.
  void put_back(SequenceId id);
  /// The next candidate, as a Sequence; it stays the head. Precondition: not empty.
  SequenceId head();
  void pop();
  /// Takes a preempted sequence out (it ended by an output that was still in flight).
  void remove(SequenceId id);
  /// Takes out the request with this id: a fresh one, or a sequence (then the caller removes it from the
  /// store).
  struct Removed {
    std::optional<WaitingRequest> fresh;
    std::optional<SequenceId> sequence;
  };
  Removed remove_request(std::int64_t request_id);
  /// fresh(const WaitingRequest&) or known(const Sequence&) for each, in no particular order.
  template <class Fresh, class Known>
  void for_each(Fresh fresh, Known known) const {
    for (const Entry e : queue_)
      if (e & kSequence)
        known(sequences_[e & ~kSequence]);
      else
        fresh(at(e));
  }

 private:
  using Entry = std::uint32_t;  ///< a place in the chunks, or with kSequence a sequence
  static constexpr Entry kSequence = Entry{1} << 31;
  static constexpr std::uint32_t kChunk = 256;
  const WaitingRequest& at(Entry e) const { return chunks_[e / kChunk][e % kChunk]; }
  WaitingRequest& at(Entry e) { return chunks_[e / kChunk][e % kChunk]; }
  const Request& request(Entry e) const {
    return e & kSequence ? sequences_[e & ~kSequence].request : at(e).request;
  }
  WaitingRequest take(Entry e);
  bool later(Entry a, Entry b) const;
  void insert(Entry e);
  void erase(std::deque<Entry>::iterator it);

  bool by_priority_;
  SequenceStore& sequences_;
  std::vector<std::unique_ptr<WaitingRequest[]>> chunks_;  ///< stable places: growing copies nothing
  std::uint32_t used_ = 0;
  std::vector<Entry> free_;
  std::deque<Entry> queue_;
};

}  // namespace ridgepoint
