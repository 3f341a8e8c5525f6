#include "config/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "config/inputs.h"
#include "config/text_check.h"

namespace servery {
namespace {

// Ends a parse from inside an event; the problem is already noted.
struct StopParsing {};

Position position_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1};
}

bool is_key_char(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

// Events -> tree. The stack holds the open collections, so depth is its size.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Document& document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      note(position_of(mark), "multiple_documents", "only one document is allowed");
      throw StopParsing{};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Position position = position_of(mark);
    check_properties(position, "", anchor);
    if (expects_key()) refuse_key(position);
    Node node;
    // The mark of an absent value is that of the next token; its key is the better place.
    node.position = in_map() ? stack_.back().pending->position : position;
    complete(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    note(position_of(mark), "alias", "anchors and aliases are not allowed");
    if (expects_key()) throw StopParsing{};
    complete(std::nullopt);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const Position position = position_of(mark);
    check_properties(position, tag, anchor);
    if (expects_key()) return begin_entry(position, value, tag == "!");
    Node node;
    node.kind = Node::Kind::kScalar;
    node.position = position;
    node.quoted = tag == "!";
    node.text = value;
    complete(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::kSequence, position_of(mark), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::kMap, position_of(mark), tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    std::optional<Entry> pending;  // key read, value awaited
    bool drop_pending = false;
    std::set<std::string, std::less<>> names;
  };

  bool in_map() const { return !stack_.empty() && stack_.back().node.kind == Node::Kind::kMap; }
  bool expects_key() const { return in_map() && !stack_.back().pending; }

  void note(Position position, std::string reason, std::string message) {
    if (document_.problems.size() >= kMaxProblems) throw StopParsing{};
    Problem problem;
    problem.line = position.line;
    problem.column = position.column;
    problem.key = key_path();
    problem.reason = std::move(reason);
    problem.message = std::move(message);
    document_.problems.push_back(std::move(problem));
  }

  std::string key_path() const {
    std::string path;
    for (const Frame& frame : stack_) {
      if (frame.node.kind == Node::Kind::kSequence) {
        path += "[" + std::to_string(frame.node.items.size()) + "]";
      } else if (frame.pending) {
        if (!path.empty()) path += '.';
        path += frame.pending->key.substr(0, kMaxShownKey);
      }
    }
    return path;
  }

  void check_properties(Position position, const std::string& tag, YAML::anchor_t anchor) {
    if (++nodes_ > kMaxYamlNodes) {
      note(position, "too_many_nodes", "more than 50000 values");
      throw StopParsing{};
    }
    if (anchor != YAML::NullAnchor) note(position, "anchor", "anchors and aliases are not allowed");
    if (!tag.empty() && tag != "?" && tag != "!") note(position, "tag", "tags are not allowed");
  }

  [[noreturn]] void refuse_key(Position position) {
    note(position, "invalid_key", "a key must be a plain or quoted word (is a bracket left open?)");
    throw StopParsing{};
  }

  void begin_entry(Position position, const std::string& key, bool quoted) {
    Frame& frame = stack_.back();
    const bool duplicate = !frame.names.insert(key).second;
    frame.pending = Entry{key, position, {}};
    frame.drop_pending = duplicate;
    if (duplicate) note(position, "duplicate_key", "the key is there twice");
    if (key == "<<" && !quoted) {
      note(position, "merge_key", "merge keys are not allowed");
      frame.drop_pending = true;
    }
  }

  void open(Node::Kind kind, Position position, const std::string& tag, YAML::anchor_t anchor) {
    check_properties(position, tag, anchor);
    if (expects_key()) refuse_key(position);
    if (stack_.size() >= kMaxYamlDepth) {
      note(position, "too_deep", "nested deeper than 32 levels");
      throw StopParsing{};
    }
    Frame& frame = stack_.emplace_back();
    frame.node.kind = kind;
    frame.node.position = position;
  }

  void close() {
    Node node = std::move(stack_.back().node);
    stack_.pop_back();
    complete(std::move(node));
  }

  // A value is there; nullopt: refused, its entry or item is left out.
  void complete(std::optional<Node> node) {
    if (stack_.empty()) {
      document_.empty = false;
      if (node) document_.root = std::move(*node);
      return;
    }
    Frame& frame = stack_.back();
    if (frame.node.kind == Node::Kind::kSequence) {
      if (node) frame.node.items.push_back(std::move(*node));
      return;
    }
    if (node && !frame.drop_pending) {
      frame.pending->value = std::move(*node);
      frame.node.entries.push_back(std::move(*frame.pending));
    }
    frame.pending.reset();
  }

  static constexpr std::size_t kMaxShownKey = 80;

  Document& document_;
  std::vector<Frame> stack_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

void add_problem(Document& document, Position position, std::string reason, std::string message) {
  Problem problem;
  problem.line = position.line;
  problem.column = position.column;
  problem.reason = std::move(reason);
  problem.message = std::move(message);
  document.problems.push_back(std::move(problem));
}

// What is wrong in most lines that are no YAML: a tab before the text, no space behind a colon. The
// parser sees it in the line of the fault or only in the one after it.
std::string hint_for(std::string_view text, const Position& position) {
  std::uint32_t number = 1;
  while (!text.empty() && number <= position.line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number++ + 1 < position.line) continue;
    const std::string at = "; line " + std::to_string(number - 1) + " ";
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    if (line.substr(0, first).find('\t') != std::string_view::npos) {
      return at + "is indented by a tab: YAML takes spaces only";
    }
    const std::size_t colon = line.find(':', first);
    const bool is_key = colon != std::string_view::npos && colon > first &&
                        std::all_of(line.begin() + static_cast<std::ptrdiff_t>(first),
                                    line.begin() + static_cast<std::ptrdiff_t>(colon), is_key_char);
    if (is_key && colon + 1 < line.size() && line[colon + 1] != ' ') {
      return at + "has no space behind the colon of its key";
    }
  }
  return {};
}

}  // namespace

Document parse_document(std::string_view text) {
  Document document;
  if (text.size() > kMaxConfigBytes) {
    add_problem(document, {}, "too_large", "larger than 1 MiB");
    return document;
  }
  if (const auto bad = find_bad_text(text)) {
    add_problem(document, bad->position, bad->reason, bad->message);
    return document;
  }
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(document);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const StopParsing&) {
    document.root = Node{};
  } catch (const YAML::Exception& error) {
    const Position position = position_of(error.mark);
    add_problem(document, position, "syntax", "not YAML: " + error.msg + hint_for(text, position));
    document.root = Node{};
  } catch (const std::exception& error) {
    add_problem(document, {}, "syntax", std::string("not YAML: ") + error.what());
    document.root = Node{};
  }
  return document;
}

}  // namespace servery
