import Logging
import Lupine
import LupineMock
import ServiceLifecycle

/// Shuts the session down when the program does.
struct SessionService: Service {
  let session: Session

  func run() async throws {
    try? await gracefulShutdown()  // throws if the task is cancelled, which also ends the session
    await session.shutdown()
  }
}

/// Works through a queue until it is empty or the program shuts down.
struct Worker: Service {
  let session: Session

  func run() async throws {
    while !Task.isShuttingDownGracefully {
      let job = try await session.request("jobs/next").validate().serializingString().value
      if job == "none" { return }
      print("done:", job)
    }
  }
}

/// A program that works through a queue and then shuts down in order.
@main struct InService {
  static func main() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/jobs/next", .sequence([.text("first job"), .text("second job"), .text("none")]))
    mock.stub(.get, "/profiles/ada", .text("ada"))
    mock.stub(.get, "/orders", .json(["orders": [1, "two", nil]]))
    mock.stub(.get, "/{name}.jpg", .text("a picture"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com").build()

    print(try await Calls(session: session).answer("ada", before: ImmediateClock().now.advanced(by: .seconds(2))))
    try await Downloads(session: session).pictures(["a.jpg", "b.jpg"])

    // Services shut down in reverse order: the worker ends first, while its session still works.
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(service: SessionService(session: session)),
          .init(service: Worker(session: session), successTerminationBehavior: .gracefullyShutdownGroup),
        ],
        gracefulShutdownSignals: [.sigterm],
        logger: Logger(label: "service")))
    try await group.run()

    let late = await session.request("jobs/next").serializingString().response
    guard late.error?.kind == .sessionShutDown else { fatalError("The session was not shut down.") }
    print("shut down:", late.error?.message ?? "")
    try await Session.Builder().transport(mock).build().shutdown(within: .seconds(10), on: ImmediateClock())
  }
}
