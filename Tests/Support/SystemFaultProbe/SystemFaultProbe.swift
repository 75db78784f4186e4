import CFailingSystem
import Glibc
import LupineCore
import LupineMock
import LupineNative
import LupineSession

/// Sends requests over the native transport in a process whose system calls fail: `SystemFaultProbe URL STEP...`.
///
/// These steps precede the first request: `roots PATH` sets the root certificates, `unix PATH` sets the Unix-domain
/// socket, `proxy URL` sets the proxy, `upload PATH` makes each request send this file, `keep` keeps connections, which
/// otherwise carry one request, and `loops COUNT` sets the number of loops. The other steps: `advance SECONDS`,
/// `fail CALL ERROR`, `failed`, `get`, `get URL`, `empty` (waits until no request uses a connection and the loop
/// sleeps), `open` (the number of connections), `fresh` (ends the transport), `descriptors`, `hurry`, `renew` (a sweep
/// makes a transport for each failure), and `sweep CALL ERROR` (makes each call of a request fail in turn).
///
/// The timeouts run on a clock that stands still. After `hurry`, the clock advances during the next request while the
/// loop waits after a failed call. A request for which no event follows then ends with a timeout. A sweep hurries if
/// its error is EAGAIN.
@main
struct SystemFaultProbe {
  private let url: String
  private let clock = TestClock()
  private var isHurried = false
  private var roots: String?
  private var socket: String?
  private var proxy: String?
  /// The file that each request sends.
  private var upload: String?
  private var keepsConnections = false
  private var renewsTransport = false
  private var usualDescriptors: [String]?
  private var transport = NativeTransport()
  private var session: Session?

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let url = arguments.first else {
      print("usage: SystemFaultProbe URL STEP...")
      exit(64)
    }
    failing_answer("127.0.0.1")
    await waitForRuntime()
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
    case "loops":
      var configuration = NativeTransport.Configuration()
      configuration.loops = Int(number)
      transport = NativeTransport(configuration)
    case "advance": failing_advance(number)
    case "hurry": isHurried = true
    case "fail": failing_fail(words[1], Int32(clamping: number))
    case "failed": print(failing_has_failed() != 0 ? "failed" : "not called")
    case "get": print(await get(words.count > 1 ? words[1] : url))
    case "open": print("\(await transport.connectionPool()?.open ?? 0) open")
    case "empty": print(await isSettled() ? "empty" : "not empty")
    case "fresh": await end()
    case "descriptors": print(settledDescriptors())
    case "sweep": await sweep(words[1], Int32(clamping: number))
    default: print("no such step: \(words)")
    }
  }

  /// The outcome of a request: `new` for a response, or the kind of the error.
  private mutating func get(_ url: String) async -> String {
    guard isHurried else { return await send(to: url) }
    isHurried = false
    let clock = clock
    let timekeeper = Task {
      while !Task.isCancelled {
        if failing_has_failed() != 0, failing_is_waiting() != 0 { clock.advance(by: .seconds(60)) }
        await Task.yield()
      }
    }
    let outcome = await send(to: url)
    timekeeper.cancel()
    await timekeeper.value
    return outcome
  }

  private mutating func send(to url: String) async -> String {
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
      guard await isSettled() else { return print("a connection before failure \(skipped)") }
      isHurried = error == EAGAIN
      failing_fail_later(call, error, Int32(skipped))
      let outcome = await get(url)
      // Waits, because the connection may be closed after the end of the response.
      if call == "close" { _ = await isSettled() }
      guard failing_cancel() != 0 else { return print("\(skipped) failures") }
      let wasSettled = await isSettled()
      let next = await get(url)
      let left = await isSettled() && wasSettled ? settledDescriptors() : "a connection"
      print("\(outcome), then \(next), then \(left)")
    }
  }

  /// The descriptors that stay open.
  ///
  /// A thread that wakes a loop holds its eventfd until the call returns, which may be after the end of the loop. So this
  /// reads them several times and takes the fewest, until they are those of the first call.
  private mutating func settledDescriptors() -> String {
    var fewest = Self.descriptors
    for reading in 1..<10_000 where fewest != usualDescriptors && (usualDescriptors != nil || reading <= 100) {
      sched_yield()
      let kinds = Self.descriptors
      if kinds.count < fewest.count { fewest = kinds }
    }
    usualDescriptors = usualDescriptors ?? fewest
    return "\(fewest.count) descriptors: \(fewest.joined(separator: " "))"
  }

  /// The kinds of the open descriptors, sorted.
  private static var descriptors: [String] {
    openFiles.filter { !isTimer($0) }.map { String($0.prefix { !$0.isNumber }) }.sorted()
  }

  private func makeSession() throws(LupineError) -> Session {
    var options = ConnectionOptions()
    options.isKeptAlive = keepsConnections
    var builder = Session.Builder().transport(transport).connections(options)
      .clock(clock).timeouts(connect: .seconds(30), idle: .seconds(60))
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

  /// Waits until libdispatch, which the runtime uses, has opened its descriptors on a thread of its own.
  private static func waitForRuntime() async {
    for _ in 0..<10_000 {
      if openFiles.contains(where: isTimer) { return }
      _ = await Task.detached { sched_yield() }.value
    }
  }

  /// Whether an open descriptor is a timer of libdispatch; the transport opens none.
  private static func isTimer(_ name: String) -> Bool { name.contains("timerfd") }

  /// Whether no request uses a connection or its file, each open connection is kept, and the loop sleeps.
  ///
  /// Waits for this within a bounded number of turns.
  private func isSettled() async -> Bool {
    // Without a session the loop does not run.
    if session == nil { return true }
    for _ in 0..<Self.turns {
      guard let pool = await transport.connectionPool() else { return false }
      // Another thread closes the file of an upload, perhaps after the end of the request.
      let isFileOpen = upload.map(Self.openFiles.contains) ?? false
      if pool.open == (keepsConnections ? pool.idle : 0), !isFileOpen { return isAsleep() }
    }
    return false
  }

  /// Whether the loop, which has nothing left to do, falls asleep.
  private func isAsleep() -> Bool {
    for _ in 0..<Self.turns {
      if failing_is_waiting() != 0 { return true }
      sched_yield()
    }
    return false
  }

  private static let turns = 1_000_000

  /// The names of the open descriptors.
  private static var openFiles: [String] {
    (0..<1_024).compactMap { number in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { name in
        guard let start = name.baseAddress else { return nil }
        let length = readlink("/proc/self/fd/\(number)", start, name.count)
        return length < 0 ? nil : String(decoding: name[..<length].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
  }
}
