import CFailingSystem
import Glibc
import LupineCore
import LupineNative
import LupineSession

/// Sends requests over the native transport in a process whose system calls fail: `SystemFaultProbe URL STEP...`.
///
/// No connection is kept. Two steps precede the first request: `roots PATH` sets the root certificates, and
/// `hurry MILLISECONDS` sets the connect timeout and the idle timeout. The other steps: `advance SECONDS`,
/// `fail CALL ERROR`, `failed`, `get`, `empty` (waits until no connection is open), `fresh` (ends the transport),
/// `descriptors`, and `sweep CALL ERROR` (makes each call of a request fail in turn).
@main
struct SystemFaultProbe {
  private let url: String
  private var timeout: Duration?
  private var roots: String?
  private var transport = NativeTransport()
  private var session: Session?

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let url = arguments.first else {
      print("usage: SystemFaultProbe URL STEP...")
      exit(64)
    }
    failing_answer("127.0.0.1")
    var probe = SystemFaultProbe(url: url)
    for step in arguments.dropFirst() {
      let words = step.split(separator: " ", omittingEmptySubsequences: false)
      try await probe.take(words.map(String.init))
    }
  }

  private init(url: String) { self.url = url }

  private mutating func take(_ words: [String]) async throws {
    let number = words.last.flatMap { Int64($0) } ?? 0
    switch words.first {
    case "roots": roots = words.dropFirst().joined(separator: " ")
    case "hurry": timeout = .milliseconds(number)
    case "advance": failing_advance(number)
    case "fail": failing_fail(words[1], Int32(clamping: number))
    case "failed": print(failing_has_failed() != 0 ? "failed" : "not called")
    case "get": print(try await get())
    case "empty": print(await isEmptied() ? "empty" : "not empty")
    case "fresh": await end()
    case "descriptors": print(descriptors)
    case "sweep": try await sweep(words[1], Int32(clamping: number))
    default: print("no such step: \(words)")
    }
  }

  private mutating func get() async throws -> String {
    let session = try session ?? makeSession()
    self.session = session
    let response = await session.request(url).serializingData().response
    return response.error.map { "\($0.kind)" } ?? "new"
  }

  /// Fails the first call of a function that a request makes, then in another request the second one, and so on.
  ///
  /// Prints a line for each failure: the outcome of its request, the outcome of the next request, and the open
  /// descriptors. The last line has the number of failures.
  private mutating func sweep(_ call: String, _ error: Int32) async throws {
    for skipped in 0..<1_000 {
      failing_fail_later(call, error, Int32(skipped))
      let outcome = try await get()
      // Waits, because the connection may be closed after the end of the response.
      if call == "close" { _ = await isEmptied() }
      guard failing_cancel() != 0 else { return print("\(skipped) failures") }
      let wasEmptied = await isEmptied()
      let next = try await get()
      let left = await isEmptied() && wasEmptied ? descriptors : "a connection"
      print("\(outcome), then \(next), then \(left)")
    }
  }

  private var descriptors: String { "\((0..<1_024).count { fcntl($0, F_GETFD) >= 0 }) descriptors" }

  private func makeSession() throws -> Session {
    var options = ConnectionOptions()
    options.isKeptAlive = false
    var builder = Session.Builder().transport(transport).localAddress("127.0.0.1").connections(options)
      .timeouts(connect: timeout ?? .seconds(30), idle: timeout ?? .seconds(60))
    if let roots { builder = builder.certificateAuthorities(roots) }
    return try builder.build()
  }

  private mutating func end() async {
    await session?.shutdown()
    session = nil
    await transport.shutdown()
    transport = NativeTransport()
  }

  /// Whether the last connection is closed within a bounded number of turns of the transport's loop.
  private func isEmptied() async -> Bool {
    for _ in 0..<100_000 where await transport.connectionPool()?.open == 0 { return true }
    return false
  }
}
