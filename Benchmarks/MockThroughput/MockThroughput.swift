import HTTPTypes
import LupineCache
import LupineSession
import LupineMock
import Row

/// Measures requests through the whole pipeline over the mock, one after the other.
///
///     mock-throughput REQUESTS ROUNDS
///     mock-throughput count REQUESTS [log|hit|miss]
///
/// Each round creates a session, sends REQUESTS requests, validates each response and reads its bytes. The rates are
/// per second of processor time of all threads, so the load of the machine does not change them.
///
/// `count` runs one round on the main thread and prints nothing. `Benchmarks/count` runs it under valgrind.
@main enum MockThroughput {
  /// What is measured.
  private enum Setting: String, CaseIterable {
    case plain = "without the exchange log"
    case log = "with the exchange log"
    case hit = "a hit of the cache in memory"
    case miss = "a miss of the cache that is not stored"
  }

  /// Starts the measurement.
  ///
  /// This function is not `async`: the main thread would then wait in Dispatch's `sigsuspend`, and valgrind 3.19 writes
  /// to the constant mask of that call.
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.compactMap { Int($0) }.filter { $0 > 0 }) {
    case ("count", let numbers) where numbers.count == 1:
      let settings: [String: Setting] = ["log": .log, "hit": .hit, "miss": .miss]
      let setting = arguments.last.flatMap { settings[$0] } ?? .plain
      try Driver().run { _ = try await round(numbers[0], setting) }
    case (_, let numbers) where numbers.count == 2:
      try Driver().run { try await Task.detached { try await measure(requests: numbers[0], rounds: numbers[1]) }.value }
    default: throw WorkError("mock-throughput REQUESTS ROUNDS, or mock-throughput count REQUESTS [log|hit|miss]")
    }
  }

  /// Measures the rounds of each setting.
  ///
  /// It runs off the main actor, as the code of a server does. On the main actor, each response would cost two switches
  /// between threads.
  @concurrent
  private static func measure(requests: Int, rounds: Int) async throws {
    for setting in Setting.allCases {
      var rates = Rates(setting.rawValue)
      for _ in 0..<rounds { rates.values.append(try await round(requests, setting)) }
      rates.report()
    }
  }

  /// Runs one round; returns the requests per second of processor time.
  private static func round(_ requests: Int, _ setting: Setting) async throws -> Double {
    let mock = MockTransport(keepsLog: setting == .log)
    let reply = MockReply.text("0123456789abcdef")
    mock.stub(
      .get, "https://api.example.com/v1/users/42", setting == .hit ? reply.field(.cacheControl, "max-age=86400") : reply
    )
    var builder = Session.Builder().transport(mock)
    if setting == .hit || setting == .miss { builder = builder.install(.cache(HTTPCache(memory: .megabytes(8)))) }
    let session = try builder.build()
    let before = Cost.now
    for number in 1...requests {
      let data = try await session.request("https://api.example.com/v1/users/42").validate().serializingData().value
      guard data.count == 16 else { throw LupineError(.other, "A response was not what the stub says.") }
      if number.isMultiple(of: 1_000) { mock.forgetRequests() }
    }
    let cost = Cost.now - before
    guard setting != .hit || mock.requests.count <= 1 else { throw WorkError("a response was not stored") }
    return Double(requests) / cost.processor
  }
}
