import Glibc
import LupineCore
import LupineMock

/// Requests a second through the whole pipeline over the mock, one after the other, on one core.
///
/// Each round makes a request, validates it, and takes its bytes. The best of several rounds is the figure, because what
/// disturbs a measurement only ever slows it. CPU time is counted beside, to show that it is one core's.
@main enum MockThroughput {
  static let count = 100_000
  static let rounds = 5

  static func main() async throws {
    for keepsLog in [false, true] {
      var best = (rate: 0.0, load: 0.0)
      for _ in 0..<rounds {
        let figure = try await measure(keepsLog: keepsLog)
        if figure.rate > best.rate { best = figure }
      }
      let name = keepsLog ? "with the exchange log" : "without the exchange log"
      print("\(Int(best.rate)) requests/s \(name), \(Int(best.load * 100)) % of one core")
    }
  }

  private static func measure(keepsLog: Bool) async throws -> (rate: Double, load: Double) {
    let mock = MockTransport(keepsLog: keepsLog)
    mock.stub(.get, "https://api.example.com/v1/users/42", .text("0123456789abcdef"))
    let session = try Session.Builder().transport(mock).build()
    let (start, busy) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
    for number in 1...count {
      let data = try await session.request("https://api.example.com/v1/users/42").validate().serializingData().value
      guard data.count == 16 else { throw LupineError(.other, "A response was not what the stub says.") }
      if number.isMultiple(of: 1_000) { mock.forgetRequests() }
    }
    let elapsed = seconds(CLOCK_MONOTONIC) - start
    return (Double(count) / elapsed, (seconds(CLOCK_PROCESS_CPUTIME_ID) - busy) / elapsed)
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
