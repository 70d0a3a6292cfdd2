#include "serving/waiting_queue.hpp"

#include <algorithm>
#include <tuple>

namespace ridgepoint {

SequenceId SequenceStore::add(Request request, Nanos submitted) {
  SequenceId id;
  if (free_.empty()) {
    id = static_cast<SequenceId>(slots_.size());
    slots_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Sequence& s = slots_[id];
  s.known = request.prompt_tokens;
  s.request = std::move(request);
  s.submitted = s.phase_since = submitted;
  return id;
}

void SequenceStore::remove(SequenceId id) {
  // Keeps the tables' memory for the next sequence in this place.
  auto tables = std::move(slots_[id].tables);
  auto hashes = std::move(slots_[id].hashes);
  for (auto& table : tables) table.clear();
  hashes.clear();
  slots_[id] = Sequence{};
  slots_[id].tables = std::move(tables);
  slots_[id].hashes = std::move(hashes);
  free_.push_back(id);
}

// The heap's head is the smallest, so "later" is the order std::push_heap wants.
bool WaitingQueue::later(Entry a, Entry b) const {
  const Request &x = request(a), &y = request(b);
  return std::tie(x.priority, x.arrival, x.id) > std::tie(y.priority, y.arrival, y.id);
}

void WaitingQueue::insert(Entry e) {
  queue_.push_back(e);
  if (by_priority_)
    std::push_heap(queue_.begin(), queue_.end(), [this](Entry a, Entry b) { return later(a, b); });
}

void WaitingQueue::push(Request request, Nanos submitted) {
  Entry e;
  if (free_.empty()) {
    if (used_ % kChunk == 0) chunks_.push_back(std::make_unique<WaitingRequest[]>(kChunk));
    e = used_++;
  } else {
    e = free_.back();
    free_.pop_back();
  }
  at(e) = {std::move(request), submitted};
  insert(e);
}

WaitingRequest WaitingQueue::take(Entry e) {
  free_.push_back(e);
  return std::move(at(e));
}

void WaitingQueue::put_back(SequenceId id) {
  if (by_priority_)
    insert(id | kSequence);
  else
    queue_.push_front(id | kSequence);
}

SequenceId WaitingQueue::head() {
  Entry& e = queue_.front();
  if (!(e & kSequence)) {
    WaitingRequest fresh = take(e);
    e = sequences_.add(std::move(fresh.request), fresh.submitted) | kSequence;
  }
  return e & ~kSequence;
}

void WaitingQueue::pop() {
  if (by_priority_) {
    std::pop_heap(queue_.begin(), queue_.end(), [this](Entry a, Entry b) { return later(a, b); });
    queue_.pop_back();
  } else {
    queue_.pop_front();
  }
}

void WaitingQueue::erase(std::deque<Entry>::iterator it) {
  queue_.erase(it);
  if (by_priority_)
    std::make_heap(queue_.begin(), queue_.end(), [this](Entry a, Entry b) { return later(a, b); });
}

void WaitingQueue::remove(SequenceId id) {
  const auto it = std::find(queue_.begin(), queue_.end(), id | kSequence);
  if (it != queue_.end()) erase(it);
}

WaitingQueue::Removed WaitingQueue::remove_request(std::int64_t request_id) {
  Removed out;
  const auto it =
      std::find_if(queue_.begin(), queue_.end(), [&](Entry e) { return request(e).id == request_id; });
  if (it == queue_.end()) return out;
  const Entry e = *it;
  erase(it);
  if (e & kSequence)
    out.sequence = e & ~kSequence;
  else
    out.fresh = take(e);
  return out;
}

}  // namespace ridgepoint
