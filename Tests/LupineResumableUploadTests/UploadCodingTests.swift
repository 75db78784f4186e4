import FoundationEssentials
import HTTPTypes
import LupineCompression
import LupineCore
import LupineMock
import LupineResumableUpload
import LupineSession
import Synchronization
import Testing

/// Uploads in a content coding: the offsets count encoded bytes.
@Suite struct UploadCodingTests {
  private static func upload(_ body: RequestBody, to server: UploadServer) async throws {
    let session = try Session.Builder().transport(server.mock()).baseURL("https://example.com").clock(ImmediateClock())
      .build()
    let upload = session.upload(body, to: "files", method: .post).adapter(.compression(.gzip)).resumable()
      .resumesAutomatically()
    #expect(try await upload.serializingString().value == "received")
  }

  private static func decoded(_ data: Data) async throws -> Data {
    let mock = MockTransport()
    mock.stub(.get, "/", .data(data, contentType: "text/plain").field(.contentEncoding, "gzip"))
    return try await Session.Builder().transport(mock).install(.compression).build().request("https://example.com/")
      .serializingData().value
  }

  @Test(arguments: [10_000, 2 << 20]) func `the body is encoded once, and cut in encoded bytes`(size: Int) async throws
  {
    let content = Data.pattern(size)
    let server = UploadServer()
    server.lose(.after(bytes: 20), .after(bytes: 30))
    try await Self.upload(.bytes(content), to: server)
    let upload = try #require(server.uploads.first)
    #expect(upload.isComplete)
    #expect(try await Self.decoded(upload.data) == content)
    #expect(server.log.map { $0.split(separator: " ")[0] } == ["POST", "HEAD", "PATCH@20", "HEAD", "PATCH@50"])
    let headers = server.state.withLock { $0.headers }
    #expect(headers.map { $0["Content-Encoding"] } == ["gzip", nil, nil, nil, nil])
    // A long body is encoded while it is sent, so its length is not known.
    #expect(headers[0]["Upload-Length"] == (size > 1 << 20 ? nil : "\(upload.data.count)"))
  }
}
