// A whole worker on a real socket, without a supervisor: build, serve, drain, hand over, recycle.
#include "worker/worker.h"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "common/loop/timer.h"
#include "common/loop/watch.h"
#include "tests/support/temp_tree.h"
#include "tests/support/worker_memory.h"
#include "worker/build_routes.h"

namespace servery {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class Client final : private FdWatcher {
 public:
  Client(Loop& loop, const sockaddr_in& address)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    watch_ = std::move(*FdWatch::create(loop, fd_.get(), *this));
    EXPECT_TRUE(watch_.set_events(FdWatch::kReadable));
  }
  void get(std::string_view path) {
    const std::string text = "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    ASSERT_EQ(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  std::string received;
  bool closed = false;

 private:
  void on_ready(int) override {
    std::array<char, 65536> buffer;
    const ssize_t n = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) {
      received.append(buffer.data(), static_cast<std::size_t>(n));
    } else {
      closed = true;
      watch_.reset();
    }
  }
  UniqueFd fd_;
  FdWatch watch_;
};

struct Events final : WorkerEvents {
  void on_socket_empty(const std::string& listener, unsigned, std::uint32_t) override {
    emptied.push_back(listener);
  }
  void on_hand_over(std::vector<HandedConnection> batch) override {
    for (HandedConnection& handed : batch) offered.push_back(std::move(handed));
  }
  void on_drained() override { ++drained; }
  void on_recycle_wanted(std::string_view reason) override { recycle.emplace_back(reason); }

  std::vector<std::string> emptied;
  std::vector<HandedConnection> offered;
  std::vector<std::string> recycle;
  int drained = 0;
};

class Whole : public testing::Test, protected TurnHook {
 protected:
  Whole() : loop(std::move(*Loop::create())), memory(std::move(*test::WorkerMemory::create())) {
    loop->add_turn_hook(*this);
    tree.file("a.txt", "hello");
    StaticSettings files;
    files.root = tree.path();
    RouteSettings root_route;
    root_route.methods.names = {"GET"};
    root_route.handler = files;
    RouteSettings fixed;
    fixed.path = "/fixed";
    fixed.methods.any = true;
    fixed.handler = RespondSettings{200, "fixed\n"};
    RouteSettings moved;
    moved.path = "/old";
    moved.methods.any = true;
    moved.handler = RedirectSettings{"/new", 308};
    settings.routes = {root_route, fixed, moved};
    settings.runtime.workers = 1;
  }
  ~Whole() override {
    worker.reset();
    loop->remove_turn_hook(*this);
  }
  Result<std::unique_ptr<Worker>> build(WorkerEvents& to) {
    WorkerInputs inputs;
    inputs.settings = settings;
    inputs.roots[tree.path()] = tree.open();
    inputs.page = &memory.page();
    inputs.connections = &memory.connections();
    return Worker::build(*loop, std::move(inputs), to);
  }
  void serve() {
    worker = std::move(*build(events));
    std::vector<ListenSocket> sockets;
    sockets.push_back(listen_socket());
    worker->serve(std::move(sockets));
  }
  ListenSocket listen_socket() {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in bound{};
    bound.sin_family = AF_INET;
    bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&bound), sizeof bound), 0);
    EXPECT_EQ(::listen(fd.get(), 64), 0);
    socklen_t size = sizeof address;
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return {"127.0.0.1:0", 0, std::move(fd), false, false};
  }
  void run_until(const std::function<bool()>& done) {
    if (done()) return;
    done_ = done;
    Timer watchdog(*loop, [this] {
      ADD_FAILURE() << "nothing happened";
      loop->stop();
    });
    watchdog.start_once(Milliseconds{10'000});
    loop->run();
    done_ = nullptr;
  }
  void run_until_received(Client& client, std::string_view end) {
    run_until([&] { return client.received.ends_with(end) || client.closed; });
  }

  test::TempTree tree;
  Settings settings;
  std::unique_ptr<Loop> loop;
  test::WorkerMemory memory;
  Events events;
  std::unique_ptr<Worker> worker;
  sockaddr_in address{};

 private:
  void on_turn_end() override {
    if (done_ && done_()) loop->stop();
  }
  std::function<bool()> done_;
};

TEST_F(Whole, AnswersOnEveryRoute) {
  serve();
  Client client(*loop, address);
  client.get("/a.txt");
  run_until_received(client, "hello");
  client.get("/fixed");
  run_until_received(client, "fixed\n");
  client.get("/old/x?y=1");
  run_until([&] { return client.received.find("Location: /new/x?y=1\r\n") != std::string::npos; });
  client.get("/none");
  run_until([&] { return client.received.find("HTTP/1.1 404") != std::string::npos; });
  EXPECT_EQ(memory.metric(Metric::kRequests), 4U);
  EXPECT_EQ(memory.metric(Metric::kResponses2xx), 2U);
  EXPECT_EQ(memory.metric(Metric::kResponses3xx), 1U);
  EXPECT_EQ(memory.metric(Metric::kResponses4xx), 1U);
  EXPECT_EQ(memory.connections().service_connections(), 1U);
}

TEST_F(Whole, CannotBeBuiltWithoutItsRoot) {
  settings.routes[0].handler = StaticSettings{.root = "/nowhere"};
  const auto built = build(events);
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().text, HasSubstr("/nowhere"));
}

TEST_F(Whole, ConfiguredFieldsReachEveryAnswer) {
  settings.headers.set = {{"X-Top", "1"}};
  settings.routes[1].headers.set = {{"X-Route", "2"}};
  serve();
  Client client(*loop, address);
  client.get("/fixed");
  run_until_received(client, "fixed\n");
  EXPECT_THAT(client.received, HasSubstr("X-Top: 1\r\n"));
  EXPECT_THAT(client.received, HasSubstr("X-Route: 2\r\n"));
}

TEST_F(Whole, ServiceLimitSheds) {
  settings.limits.connections = 1;
  serve();
  Client first(*loop, address);
  first.get("/fixed");
  run_until_received(first, "fixed\n");
  Client second(*loop, address);
  second.get("/fixed");
  run_until([&] { return second.closed; });
  EXPECT_THAT(second.received, HasSubstr("HTTP/1.1 503"));
  EXPECT_EQ(memory.metric(Metric::kShedConnections), 1U);
}

TEST_F(Whole, DrainsToTheLastConnection) {
  serve();
  auto idle = std::make_unique<Client>(*loop, address);
  idle->get("/fixed");
  run_until_received(*idle, "fixed\n");
  EXPECT_EQ(worker->open_work().keepalive, 1U);
  worker->drain(loop->now() + Milliseconds{60'000}, false);
  EXPECT_EQ(events.drained, 0) << "never from inside a call";
  run_until([&] { return idle->closed; });
  EXPECT_EQ(events.drained, 0) << "lingering until the client has closed too";
  idle.reset();
  run_until([&] { return events.drained == 1; });
  EXPECT_EQ(memory.connections().service_connections(), 0U);
}

TEST_F(Whole, DeadlineCutsWhatIsLeft) {
  serve();
  Client silent(*loop, address);
  run_until([&] { return memory.metric(Metric::kConnections) == 1; });
  worker->drain(loop->now() + Milliseconds{1}, false);
  run_until([&] { return events.drained == 1; });
  run_until([&] { return silent.closed; });
  EXPECT_EQ(memory.metric(Metric::kDrainForced), 1U);
}

TEST_F(Whole, IdleConnectionGoesOnInTheSuccessor) {
  serve();
  Client client(*loop, address);
  client.get("/a.txt");
  run_until_received(client, "hello");
  Events successors;
  const auto successor = std::move(*build(successors));
  worker->stop_accepting();
  worker->drain(loop->now() + Milliseconds{60'000}, true);
  run_until([&] { return !events.offered.empty(); });
  const std::uint64_t id = events.offered[0].id;
  successor->take_over(std::move(events.offered));
  worker->hand_over_done({id}, {id});
  run_until([&] { return events.drained == 1; });
  worker.reset();
  client.get("/a.txt");
  run_until([&] { return memory.metric(Metric::kRequests) == 2; });
  run_until_received(client, "hello");
  EXPECT_FALSE(client.closed);
  EXPECT_EQ(memory.metric(Metric::kHandoverSent), 1U);
  EXPECT_EQ(memory.metric(Metric::kHandoverReceived), 1U);
}

TEST_F(Whole, WantsToBeRecycledOnce) {
  settings.runtime.recycle.max_requests = 2;
  settings.runtime.recycle.jitter = 0;
  serve();
  Client client(*loop, address);
  for (int i = 0; i < 3; ++i) {
    client.received.clear();
    client.get("/fixed");
    run_until_received(client, "fixed\n");
  }
  run_until([&] { return !events.recycle.empty(); });
  EXPECT_THAT(events.recycle, ElementsAre("max_requests"));
}

TEST_F(Whole, WantsToBeRecycledByAge) {
  settings.runtime.recycle.max_age = Milliseconds{1};
  serve();
  run_until([&] { return !events.recycle.empty(); });
  EXPECT_THAT(events.recycle, ElementsAre("max_age"));
}

TEST_F(Whole, LeavingSocketReportsItself) {
  serve();
  worker->leave("127.0.0.1:0", 0, Milliseconds{1000});
  worker->leave("unknown", 7, Milliseconds{1000});
  run_until([&] { return events.emptied.size() == 2; });
  EXPECT_THAT(events.emptied, testing::UnorderedElementsAre("127.0.0.1:0", "unknown"));
}

// ---- header rules ----

TEST(RouteHeaders, TheRouteWinsOverTheTop) {
  Settings settings;
  HeaderRules& top = settings.headers;
  top.set = {{"X-A", "top"}, {"X-B", "top"}};
  top.add = {{"Link", "one"}};
  RouteSettings configured;
  HeaderRules& route = configured.headers;
  route.remove = {"x-b"};
  route.set = {{"x-a", "route"}};
  route.add = {{"link", "two"}};
  http::ResponseFields fields;
  fields.add("x-b", "handler");
  route_headers(settings, configured, ErrorPageContents({})).apply(fields);
  EXPECT_EQ(*fields.find("x-a"), "route");
  EXPECT_EQ(fields.find("x-b"), nullptr);
  std::vector<std::string> links;
  for (const auto& field : fields) {
    if (field.name == "link") links.push_back(field.value);
  }
  EXPECT_THAT(links, ElementsAre("one", "two"));
}

}  // namespace
}  // namespace servery
