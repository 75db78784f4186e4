import LupineCore
import LupineSession
import Testing

@testable import Lupine

/// The tests are built without the trait `Native`; the package `OverNative` in `Tests/Consumers` has it.
@Suite struct DefaultTransportTests {
  @Test func `curl is the libcurl transport`() async throws {
    let session = try DefaultTransport.set("curl", in: Session.Builder()).build()
    #expect(await session.connectionPool() != nil)
    await session.finishRequests()
  }

  @Test(arguments: ["mock", "Native", "curl "])
  func `an unknown transport is an error that names the known ones`(name: String) throws {
    let error = try #require(throws: LupineError.self) { try DefaultTransport.set(name, in: Session.Builder()) }
    guard case .configuration(let issues) = error.kind else { return #expect(Bool(false), "\(error)") }
    #expect(issues.map(\.part) == ["LUPINE_TRANSPORT"])
    #expect(error.message.contains("no transport is called \"\(name)\""))
    #expect(error.message.contains("\"curl\" and, with the trait Native, \"native\""))
  }

  @Test func `without its trait the native transport is an error that names the trait`() throws {
    let error = try #require(throws: LupineError.self) { try DefaultTransport.set("native", in: Session.Builder()) }
    #expect(error.message.contains("needs the trait Native"))
  }
}
