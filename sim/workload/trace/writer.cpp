#include "workload/trace/writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

void append_run(std::string& out, const TokenRun& run, bool with_count) {
  out += std::to_string(run.content) + ":" + std::to_string(run.offset);
  if (with_count) out += ":" + std::to_string(run.count);
  if (run.stride == 0) out += ":0";
}

/// Quoted where the text needs it; a line end, which no row may hold, becomes a blank.
void append_text(std::string& out, std::string_view text) {
  const bool quote = text.find_first_of(",\" \t\r\n") != std::string_view::npos;
  if (quote) out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  if (quote) out += '"';
}

void append_turn(std::string& out, const TraceTurn& t, bool wide, std::string_view session) {
  out += "," + std::to_string(t.prompt_tokens) + "," + std::to_string(t.output_tokens);
  if (wide) {
    out += ',';
    if (t.has_priority) out += std::to_string(t.priority);
    out += ',';
    append_text(out, session);
    out += ',';
    if (t.think != 0) append_seconds(out, t.think);
    out += ',';
    for (std::size_t i = 0; i < t.prompt.size(); ++i) {
      if (i > 0) out += ' ';
      append_run(out, t.prompt[i], true);
    }
    out += ',';
    if (t.has_output_content) append_run(out, t.output, false);
    out += "," + std::to_string(t.shared_tokens);
  }
  out += '\n';
}

}  // namespace

std::string_view csv_header(bool wide) {
  return wide ? "arrival_s,prompt_tokens,output_tokens,priority,session,think_s,prompt,output,shared_tokens\n"
              : "arrival_s,prompt_tokens,output_tokens\n";
}

void append_seconds(std::string& out, std::int64_t nanos) {
  out += std::to_string(nanos / 1'000'000'000);
  std::int64_t fraction = nanos % 1'000'000'000;
  if (fraction == 0) return;
  std::string digits = std::to_string(fraction + 1'000'000'000);
  digits[0] = '.';
  digits.erase(digits.find_last_not_of('0') + 1);
  out += digits;
}

void append_rows(std::string& out, const TraceUnit& unit, bool wide, std::int64_t number) {
  std::string session = unit.session;
  if (session.empty() && !unit.rest.empty()) session = "session-" + std::to_string(number);
  append_turn(out, unit.first, wide, session);
  for (const TraceTurn& t : unit.rest) append_turn(out, t, wide, session);
}

/// Remembers the first error instead of reporting it: a compressor whose bytes are not taken offers them for
/// ever, and what it writes when it is closed has nobody to report to.
struct TraceOutput::Descriptor {
  explicit Descriptor(const std::string& path) : file(open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file < 0) error = errno;
  }
  ~Descriptor() {
    if (file >= 0) ::close(file);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void write(const char* data, std::size_t size) {
    while (size > 0 && error == 0) {
      const ssize_t n = ::write(file, data, size);
      if (n > 0) {
        data += n;
        size -= static_cast<std::size_t>(n);
      } else if (n == 0 || errno != EINTR) {
        error = n == 0 ? EIO : errno;
      }
    }
  }
  /// Some file systems report a full disk only now.
  void close() {
    if (::close(std::exchange(file, -1)) != 0 && error == 0) error = errno;
  }
  int file, error = 0;
};

namespace {

template <class To>
struct Sink {
  using char_type = char;
  using category = boost::iostreams::sink_tag;
  To* to;
  std::streamsize write(const char* data, std::streamsize size) {
    to->write(data, static_cast<std::size_t>(size));
    return size;
  }
};

}  // namespace

TraceOutput::TraceOutput(const std::filesystem::path& path)
    : output_(path.string(), OutputFile::Folders::must_exist),
      descriptor_(std::make_unique<Descriptor>(output_.temporary())) {
  namespace io = boost::iostreams;
  check();
  auto out = std::make_unique<io::filtering_ostream>();
  if (path.extension() == ".gz") out->push(io::gzip_compressor());
  if (path.extension() == ".zst") out->push(io::zstd_compressor());
  out->push(Sink<Descriptor>{descriptor_.get()}, 1 << 16);
  out_ = std::move(out);
}

TraceOutput::~TraceOutput() = default;

void TraceOutput::check() const {
  if (descriptor_->error != 0)
    throw ConfigError({Problem{output_.path(), 0, 0, "",
                               std::string("cannot be written: ") + std::strerror(descriptor_->error),
                               "write where there is room for it"}});
}

void TraceOutput::write(std::string_view text) {
  out_->write(text.data(), static_cast<std::streamsize>(text.size()));
  check();
}

void TraceOutput::complete() {
  out_->flush();
  const bool good = out_->good();
  out_.reset();  // closes the filters, which writes their last bytes
  descriptor_->close();
  check();
  if (!good) throw SimulationError(output_.path() + ": the compressor failed");
  output_.publish();
}

}  // namespace ridgepoint
