import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineCurl
import LupineFixtures
import LupineResumableUpload
import LupineSession
import LupineTransfers
import Synchronization
import Testing
import TransportSupport

/// Uploads to hypercorn, over HTTP/1.1 and HTTP/2: by the draft, with an application of these tests that cuts the appends,
/// and by tus, with the package resumable-upload.
@Suite(.overEachTransport, .enabled(if: Peers.hypercorn != nil || Peers.areRequired)) struct UploadPeerTests {
  private static let content = Data.pattern(300_000)

  private static func session(_ version: ProtocolVersion) throws -> Session {
    try Session.Builder().transport(.curl).baseURL(try #require(Peers.hypercorn)).httpVersion(version).build()
  }

  @Test(arguments: [ProtocolVersion.http1_1, .http2], [UploadDialect.draft(8), .draft(6), .final])
  func `an upload that the server cuts arrives whole`(version: ProtocolVersion, dialect: UploadDialect) async throws {
    let session = try Self.session(version)
    let response =
      await session
      .upload(.bytes(Self.content), to: "uploads", method: .post, headers: ["cuts": "0,1,70000,100000,17"])
      .resumable(dialect, .careful).resumesAutomatically(delay: .zero).serializingData().response
    #expect(try response.result.get() == Self.content)
    #expect(response.metrics.version == version)
    await session.shutdown()
  }

  @Test(arguments: [ProtocolVersion.http1_1, .http2])
  func `a server of tus has the upload, with its checksum`(version: ProtocolVersion) async throws {
    let session = try Self.session(version)
    let response =
      await session
      .upload(.bytes(Self.content), to: "tus", method: .post, headers: [.contentType("video/mp4")])
      .validate().resumable(.tus).sendingDigest().serializingData().response
    #expect(response.error == nil)
    #expect(response.response?.headerFields["Upload-Offset"] == "300000")
    let location = try #require(response.request?.url)
    #expect(try await session.request(location).validate().serializingData().value == Self.content)
    await session.shutdown()
  }

  @Test(arguments: [ProtocolVersion.http1_1, .http2])
  func `an upload to a server of tus is given up`(version: ProtocolVersion) async throws {
    let session = try Self.session(version)
    let folder = try TemporaryFolder()
    let checkpoint = "\(folder.path)/upload"
    // The append is lost, so the server has the upload without its content.
    let file = "\(folder.path)/file"
    try Self.content.write(to: URL(filePath: file))
    let place = Mutex<HTTPURL?>(nil)
    let upload = session.upload(.file(file), to: "tus", method: .post).resumable(.tus).checkpoint(checkpoint)
      .interceptor { request, _, next in
        guard request.method == .patch else { return try await next(request) }
        place.withLock { $0 = request.url }
        throw LupineError(.connectionLost, "lost")
      }
    #expect(await upload.serializingData().response.error?.kind == .connectionLost)
    #expect(FileManager.default.fileExists(atPath: checkpoint))
    let location = try #require(place.withLock { $0 })
    #expect(try await Self.status(of: location, session) == 200)
    try await session.discardUpload(checkpoint: checkpoint)
    #expect([404, 410].contains(try await Self.status(of: location, session)))
    #expect(!FileManager.default.fileExists(atPath: checkpoint))
    await session.shutdown()
  }

  /// The status of the answer to a request for the offset.
  private static func status(of location: HTTPURL, _ session: Session) async throws -> Int? {
    await session.request(location, method: .head, headers: ["Tus-Resumable": "1.0.0"]).serializingData().response
      .response?.status.code
  }
}
