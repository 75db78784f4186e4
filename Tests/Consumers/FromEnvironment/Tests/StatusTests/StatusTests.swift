import Foundation
import Lupine
import LupineTesting
import Testing

/// A test as the guide "Recordings" shows it; `Tests/Consumers/build` records it, and plays it after the server has ended.
@Test(.cassette("status")) func `the status is read`() async throws {
  let url = try #require(ProcessInfo.processInfo.environment["STATUS_URL"])
  let session = try Session.Builder().transport(.native).baseURL(url).build()
  #expect(try await session.request("status").validate().serializingString().value == "up with a network\n")
  await session.shutdown()
}
