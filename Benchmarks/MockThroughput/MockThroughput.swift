import HTTPTypes
import LupineSession
import LupineMock
import Row

/// Measures requests through the whole pipeline over the mock, one after the other.
///
///     mock-throughput REQUESTS ROUNDS
///     mock-throughput count REQUESTS [log]
///
/// Each round creates a session, sends REQUESTS requests, validates each response and reads its bytes. The rates are
/// per second of processor time of all threads, so the load of the machine does not change them.
///
/// `count` runs one round on the main thread and prints nothing. `Benchmarks/count` runs it under valgrind.
@main enum MockThroughput {
  /// Starts the measurement.
  ///
  /// This function is not `async`: the main thread would then wait in Dispatch's `sigsuspend`, and valgrind 3.19 writes
  /// to the constant mask of that call.
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.compactMap { Int($0) }.filter { $0 > 0 }) {
    case ("count", let numbers) where numbers.count == 1:
      try Driver().run { _ = try await round(numbers[0], keepsLog: arguments.last == "log") }
    case (_, let numbers) where numbers.count == 2:
      try Driver().run { try await Task.detached { try await measure(requests: numbers[0], rounds: numbers[1]) }.value }
    default: throw WorkError("mock-throughput REQUESTS ROUNDS, or mock-throughput count REQUESTS [log]")
    }
  }

  /// Measures the rounds, without and with the exchange log.
  ///
  /// It runs off the main actor, as the code of a server does. On the main actor, each response would cost two switches
  /// between threads.
  @concurrent
  private static func measure(requests: Int, rounds: Int) async throws {
    for keepsLog in [false, true] {
      var rates = Rates(keepsLog ? "with the exchange log" : "without the exchange log")
      for _ in 0..<rounds { rates.values.append(try await round(requests, keepsLog: keepsLog)) }
      rates.report()
    }
  }

  /// Runs one round; returns the requests per second of processor time.
  private static func round(_ requests: Int, keepsLog: Bool) async throws -> Double {
    let mock = MockTransport(keepsLog: keepsLog)
    mock.stub(.get, "https://api.example.com/v1/users/42", .text("0123456789abcdef"))
    let session = try Session.Builder().transport(mock).build()
    let before = Cost.now
    for number in 1...requests {
      let data = try await session.request("https://api.example.com/v1/users/42").validate().serializingData().value
      guard data.count == 16 else { throw LupineError(.other, "A response was not what the stub says.") }
      if number.isMultiple(of: 1_000) { mock.forgetRequests() }
    }
    return Double(requests) / (Cost.now - before).processor
  }
}
