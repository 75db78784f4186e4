import Lupine
import LupineMock
import Testing

@Suite struct BuilderTests {
  @Test func `everything that does not fit stands in one error`() throws {
    let error = #expect(throws: LupineError.self) {
      try Session.Builder().baseURL("no URL").timeouts(idle: .zero).build()
    }
    guard case .configuration(let mismatches)? = error?.kind else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(mismatches.map(\.part).sorted() == ["baseURL", "timeouts", "transport"])
  }

  @Test func `a builder is a value`() throws {
    let base = Session.Builder().transport(MockTransport()).baseURL("https://example.com/v1")
    let other = base.baseURL("https://example.com/v2")
    #expect(try base.build().baseURL?.string == "https://example.com/v1")
    #expect(try other.build().baseURL?.string == "https://example.com/v2")
  }
}
