#include "config/inputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/json.h"
#include "common/base/unique_fd.h"
#include "config/json_fields.h"

namespace servery {

// Found by argument-dependent lookup, hence static and not in an unnamed namespace.

template <typename Visitor>
static void describe(Visitor& visit, Overlay& value) {
  visit("name", value.name);
  visit("key", value.key);
  visit("value", value.value);
}

template <typename Visitor>
static void describe(Visitor& visit, Inputs& value) {
  visit("file_path", value.file_path);
  visit("file_text", value.file_text);
  visit("environment", value.environment);
  visit("flags", value.flags);
  visit("route_flags", value.route_flags);
  visit("local_hosts", value.local_hosts);
  visit("working_directory", value.working_directory);
  visit("default_control_socket", value.default_control_socket);
  visit("container", value.container);
}

namespace {

Problem unreadable(const std::string& path, std::string message) {
  Problem problem;
  problem.file = path;
  problem.reason = "unreadable_file";
  problem.message = std::move(message);
  return problem;
}

}  // namespace

std::string Inputs::encode() const { return dump_json(json_fields::FieldWriter::write(*this)); }

Result<Inputs> Inputs::decode(std::string_view text) {
  const Json json = SERVERY_TRY(parse_json(text, kMaxInputsBytes));
  Inputs inputs;
  if (!json_fields::FieldReader::read(json, inputs)) return fail(Errc::kInvalid, "not inputs");
  return inputs;
}

std::optional<Problem> read_config_file(Inputs& inputs) {
  if (inputs.quick()) return std::nullopt;
  // O_NONBLOCK: a FIFO in place of the file must not hang the reader.
  const UniqueFd file(::open(inputs.file_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return unreadable(inputs.file_path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return unreadable(inputs.file_path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return unreadable(inputs.file_path, "not a regular file");

  std::string text(kMaxConfigBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unreadable(inputs.file_path, std::strerror(errno));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > kMaxConfigBytes) return unreadable(inputs.file_path, "larger than 1 MiB");
  text.resize(size);
  inputs.file_text = std::move(text);
  return std::nullopt;
}

}  // namespace servery
