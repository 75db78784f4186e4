import Foundation
import Glibc
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Testing

@Suite struct ExpectedDigestTests {
  enum End: CaseIterable { case cancellation, totalTimeout }

  /// The test extends the file to 64 GiB before its digest begins, because that digest takes minutes.
  @Test(.timeLimit(.minutes(1)), arguments: End.allCases)
  func `a cancellation and the total timeout end a digest, and the file is kept`(end: End) async throws {
    let folder = try TemporaryFolder()
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/a", .resource(Data("abc".utf8), etag: "v1"))
    let clock = TestClock()
    let validated = Flag()
    let monitor = ClosureEventMonitor { event in
      guard case .validated = event.kind else { return }
      for name in folder.names { truncate(folder.file(name), 64 << 30) }
      validated.raise()
    }
    let session = try Session.Builder().transport(mock).clock(clock).timeouts(idle: nil, total: .seconds(5))
      .monitor(monitor).build()
    let request = session.download("https://example.com/a", to: .file(folder.file("a")))
      .expecting(.sha256(DownloadOptionsTests.abc))
    async let response = request.serializingFile().response
    await validated.raised()
    if end == .cancellation { request.cancel() } else { clock.advance(by: .seconds(6)) }
    #expect(await response.error?.kind == (end == .cancellation ? .cancelled : .timedOut(.total)))
    #expect(await response.resumeData != nil)
    #expect(folder.names.map { $0.hasPrefix(".a.") } == [true])
  }

  @Test func `a digest is compared with a file that is there`() async throws {
    let folder = try TemporaryFolder()
    try Data("abc".utf8).write(to: URL(fileURLWithPath: folder.file("a")))
    #expect(try await ExpectedDigest.sha256(DownloadOptionsTests.abc.uppercased()).matches(fileAt: folder.file("a")))
    #expect(try await !ExpectedDigest.sha256(String(repeating: "0", count: 64)).matches(fileAt: folder.file("a")))
    await #expect(throws: LupineError.self) {
      try await ExpectedDigest.sha256("abc").matches(fileAt: folder.file("a"))
    }
    await #expect(throws: LupineError.self) {
      try await ExpectedDigest.sha256(DownloadOptionsTests.abc).matches(fileAt: folder.file("b"))
    }
  }

  @Test func `a destination can ask for the name that the server suggests`() throws {
    let url = try HTTPURL("https://example.com/folder/last%2Fpart")
    let head = HTTPResponse(status: .ok, headerFields: [.contentDisposition: "attachment; filename=\"../../a.txt\""])
    #expect(DownloadDestination.suggestedName(for: head, of: url) == "a.txt")
    #expect(DownloadDestination.suggestedName(for: HTTPResponse(status: .ok), of: url) == "part")
  }
}
