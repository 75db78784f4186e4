import CFailingSystem
import Glibc
import LupineCore
import LupineNative
import LupineSession

/// Sends requests over the native transport in a process whose system calls fail: `SystemFaultProbe URL STEP...`.
///
/// These steps precede the first request: `roots PATH` sets the root certificates, `hurry MILLISECONDS` sets the connect
/// timeout and the idle timeout, `unix PATH` sets the Unix-domain socket, `proxy URL` sets the proxy, `upload PATH` makes
/// each request send this file, and `keep` keeps connections, which otherwise carry one request. The other steps:
/// `advance SECONDS`, `fail CALL ERROR`, `failed`, `get`, `empty` (waits until no request uses a connection), `fresh`
/// (ends the transport), `descriptors`, `renew` (a sweep makes a transport for each failure), and `sweep CALL ERROR`
/// (makes each call of a request fail in turn).
@main
struct SystemFaultProbe {
  private let url: String
  private var timeout: Duration?
  private var roots: String?
  private var socket: String?
  private var proxy: String?
  /// The file that each request sends.
  private var upload: String?
  private var keepsConnections = false
  private var renewsTransport = false
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
    case "unix": socket = words.dropFirst().joined(separator: " ")
    case "proxy": proxy = words[1]
    case "upload": upload = words.dropFirst().joined(separator: " ")
    case "keep": keepsConnections = true
    case "renew": renewsTransport = true
    case "hurry": timeout = .milliseconds(number)
    case "advance": failing_advance(number)
    case "fail": failing_fail(words[1], Int32(clamping: number))
    case "failed": print(failing_has_failed() != 0 ? "failed" : "not called")
    case "get": print(await get())
    case "empty": print(await isSettled() ? "empty" : "not empty")
    case "fresh": await end()
    case "descriptors": print(descriptors)
    case "sweep": await sweep(words[1], Int32(clamping: number))
    default: print("no such step: \(words)")
    }
  }

  /// The outcome of a request: `new` for a response, or the kind of the error.
  private mutating func get() async -> String {
    do throws(LupineError) {
      let session = if let session { session } else { try makeSession() }
      self.session = session
      let error =
        if let upload {
          await session.upload(.file(upload), to: url).serializingData().response.error
        } else {
          await session.request(url).serializingData().response.error
        }
      return error.map { "\($0.kind)" } ?? "new"
    } catch {
      return "\(error.kind)"
    }
  }

  /// Fails the first call of a function that a request makes, then in another request the second one, and so on.
  ///
  /// Prints a line for each failure: the outcome of its request, the outcome of the next request, and the open
  /// descriptors. The last line has the number of failures.
  private mutating func sweep(_ call: String, _ error: Int32) async {
    for skipped in 0..<1_000 {
      if renewsTransport { await end() }
      failing_fail_later(call, error, Int32(skipped))
      let outcome = await get()
      // Waits, because the connection may be closed after the end of the response.
      if call == "close" { _ = await isSettled() }
      guard failing_cancel() != 0 else { return print("\(skipped) failures") }
      let wasSettled = await isSettled()
      let next = await get()
      let left = await isSettled() && wasSettled ? descriptors : "a connection"
      print("\(outcome), then \(next), then \(left)")
    }
  }

  private var descriptors: String { "\((0..<1_024).count { fcntl($0, F_GETFD) >= 0 }) descriptors" }

  private func makeSession() throws(LupineError) -> Session {
    var options = ConnectionOptions()
    options.isKeptAlive = keepsConnections
    var builder = Session.Builder().transport(transport).connections(options)
      .timeouts(connect: timeout ?? .seconds(30), idle: timeout ?? .seconds(60))
    if let socket { builder = builder.unixSocket(socket) } else { builder = builder.localAddress("127.0.0.1") }
    if let proxy { builder = builder.proxy(proxy) }
    if let roots { builder = builder.certificateAuthorities(roots) }
    return try builder.build()
  }

  private mutating func end() async {
    await session?.shutdown()
    session = nil
    await transport.shutdown()
    transport = NativeTransport()
  }

  /// Whether no request uses a connection or its file, and each open connection is kept, within a bounded number of turns of the
  /// transport's loop.
  private func isSettled() async -> Bool {
    for _ in 0..<100_000 {
      guard let pool = await transport.connectionPool() else { return false }
      if pool.open == (keepsConnections ? pool.idle : 0), !isFileOpen { return true }
    }
    return false
  }

  /// Whether the file of an upload is open; another thread closes it, perhaps after the end of the request.
  private var isFileOpen: Bool {
    guard let upload else { return false }
    return (0..<1_024).contains { number in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { name in
        guard let start = name.baseAddress else { return false }
        let length = readlink("/proc/self/fd/\(number)", start, name.count)
        return length > 0 && name[..<length].elementsEqual(upload.utf8.lazy.map { CChar(bitPattern: $0) })
      }
    }
  }
}
