import LupineCore
import LupineMock
import LupineTesting
import Testing

@Suite struct ConformanceKitTests {
  @Test func `no two checks have the same name`() {
    #expect(Set(ConformanceKit.checks.map(\.name)).count == ConformanceKit.checks.count)
    #expect(ConformanceKit.checks.count >= 60)
  }

  @Test func `every check either applies or is skipped with its reason`() {
    let mock = MockTransport()
    let (applying, skipped) = (ConformanceKit.checks(for: mock), ConformanceKit.skipped(for: mock))
    #expect(applying.count + skipped.count == ConformanceKit.checks.count)
    #expect(skipped.allSatisfy { !$0.missing.isEmpty })
    #expect(skipped.contains { $0.description == "Host names the URL's host and port: skipped, it needs networking" })
  }

  /// Checks that the kit detects the defect of each of these transports.
  @Test(arguments: [
    (BrokenTransport.Defect.dropsRepeatedFields, "fields keep their order, their case and their repetitions"),
    (.changesMethod, "Mixed is sent unchanged"),
    (.losesBody, "a body with a stated length is received whole"),
    (.hidesStatus, "a 404 is a response like any other"),
    (.ignoresSink, "a body of stated length over the limit of collect fails"),
    (.allowsBodies, "a GET with a body that it must not have is refused before a byte is sent"),
    (.swallowsErrors, "a connection that is reset before the head is a lost connection"),
  ])
  func `a defect is found`(defect: BrokenTransport.Defect, name: String) async throws {
    let check = try #require(ConformanceKit.checks.first { $0.name == name })
    try await check.run(on: .mock)
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await check.run(on: BrokenTransport.subject(defect))
    }
    #expect(failure?.check == name)
    #expect(failure?.subject == "The broken transport")
  }

  @Test func `two transports that differ are reported line by line`() async throws {
    let checks = ConformanceKit.checks.filter { $0.name == "a 404 is a response like any other" }
    let report = try await ConformanceKit.differences(
      between: .mock, and: BrokenTransport.subject(.losesBody), checks: checks)
    #expect(report.compared == 1)
    #expect(report.differences.map(\.check) == checks.map(\.name))
    #expect(report.differences.first?.lines.first?.hasPrefix("The mock: GET / brought 404") == true)
    let same = try await ConformanceKit.differences(between: .mock, and: .mock, checks: checks)
    #expect(same.differences.isEmpty)
  }

  @Test func `a transport that waits for ever fails when the test is given up`() async throws {
    let called = Gate()
    let check = try #require(ConformanceKit.checks.first { $0.name == "GET is sent unchanged" })
    let running = Task { try await check.run { IdleTransport(called: called) } }
    try await called.opened()
    running.cancel()
    await #expect(throws: ConformanceFailure.self) { try await running.value }
  }
}
