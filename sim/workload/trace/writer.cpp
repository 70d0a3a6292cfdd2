#include "workload/trace/writer.hpp"

#include <boost/iostreams/device/file.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

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

TraceOutput::TraceOutput(std::filesystem::path path)
    : path_(std::move(path)), partial_(path_.string() + ".part") {
  namespace io = boost::iostreams;
  io::file_sink sink(partial_.string(), std::ios::binary);
  if (!sink.is_open())
    throw ConfigError({Problem{path_.string(), 0, 0, "", "cannot be written",
                               "check that its folder exists and that you may write there"}});
  auto out = std::make_unique<io::filtering_ostream>();
  if (path_.extension() == ".gz") out->push(io::gzip_compressor());
  if (path_.extension() == ".zst") out->push(io::zstd_compressor());
  out->push(sink, 1 << 16);
  out_ = std::move(out);
}

TraceOutput::~TraceOutput() {
  if (!out_) return;
  out_.reset();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void TraceOutput::write(std::string_view text) {
  out_->write(text.data(), static_cast<std::streamsize>(text.size()));
}

void TraceOutput::complete() {
  out_->flush();
  if (!out_->good())
    throw ConfigError(
        {Problem{path_.string(), 0, 0, "", "could not be written to its end", "is the disk full?"}});
  out_.reset();  // closes the filters, which writes their last bytes
  std::filesystem::rename(partial_, path_);
}

}  // namespace ridgepoint
