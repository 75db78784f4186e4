import Glibc
import HTTPTypes
import LupineCore
import LupineMock

/// Requests a second through the whole pipeline over the mock, one after the other, of one core's time.
///
///     mock-throughput [REQUESTS] [ROUNDS]
///     mock-throughput count REQUESTS [log]
///
/// Each round makes a session and so many requests (100,000), validates each and takes its bytes. Processor time is what
/// counts, of all threads together, so that the figure is one core's whatever else the machine does. The best of the
/// rounds (5) is printed, because what disturbs a measurement only ever slows it.
///
/// `count` makes one round on the main thread alone and prints nothing: it is for `Benchmarks/count`, which runs it under
/// valgrind.
@main enum MockThroughput {
  /// Not async: the main thread would then end in Dispatch's `sigsuspend`, whose constant mask valgrind 3.19 writes to.
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let numbers = arguments.compactMap { Int($0) }.map { max(1, $0) }
    guard arguments.first == "count" else {
      let (requests, rounds) = (numbers.first ?? 100_000, numbers.dropFirst().first ?? 5)
      return try Driver().run {
        try await Task.detached { try await measure(requests: requests, rounds: rounds) }.value
      }
    }
    let (requests, keepsLog) = (numbers.first ?? 1_000, arguments.last == "log")
    try Driver().run { _ = try await round(requests, keepsLog: keepsLog) }
  }

  /// Off the main actor, as a server's code is: there, each response would cost two hops between threads.
  @concurrent
  private static func measure(requests: Int, rounds: Int) async throws {
    for keepsLog in [false, true] {
      var best = Double.infinity
      for _ in 0..<rounds { best = min(best, try await round(requests, keepsLog: keepsLog)) }
      let rate = Int(1 / best)
      let time = Int(best * 1e9)
      print("\(rate) requests/s of one core, \(time) ns each, \(keepsLog ? "with" : "without") the exchange log")
    }
    print("goal: 150000 requests/s")
  }

  /// Seconds of processor time a request.
  private static func round(_ requests: Int, keepsLog: Bool) async throws -> Double {
    let mock = MockTransport(keepsLog: keepsLog)
    mock.stub(.get, "https://api.example.com/v1/users/42", .text("0123456789abcdef"))
    let session = try Session.Builder().transport(mock).build()
    let start = processorTime()
    for number in 1...requests {
      let data = try await session.request("https://api.example.com/v1/users/42").validate().serializingData().value
      guard data.count == 16 else { throw LupineError(.other, "A response was not what the stub says.") }
      if number.isMultiple(of: 1_000) { mock.forgetRequests() }
    }
    return (processorTime() - start) / Double(requests)
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
