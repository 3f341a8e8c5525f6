#include "config/inputs.h"

#include "common/base/json.h"
#include "common/base/read_file.h"
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
  auto text = read_regular_file(inputs.file_path, kMaxConfigBytes);
  if (!text) return unreadable(inputs.file_path, std::move(text.error().text));
  inputs.file_text = std::move(*text);
  return std::nullopt;
}

}  // namespace servery
