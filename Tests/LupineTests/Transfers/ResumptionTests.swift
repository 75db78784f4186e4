import Foundation
import Glibc
import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// Interrupted downloads from nginx that receive another response than the rest of their file.
@Suite(.besidePeers, .overEachTransport) struct ResumptionTests {
  let folder: TemporaryFolder
  let heads = HeadLog()
  let session: Session

  init() throws {
    folder = try TemporaryFolder()
    session = try Peer.nginx.session { [heads] in $0.monitor(heads) }
  }

  /// Cancels a download after its first MiB; the server takes a second to send the whole file.
  private func interrupt(_ request: DownloadRequest) async throws -> Data {
    let response = await request.downloadProgress { if $0.completed > 1 << 20 { request.cancel() } }
      .serializingFile().response
    #expect(response.error?.kind == .cancelled)
    return try #require(response.resumeData)
  }

  private func interrupted(_ path: String = "paced/big.bin") async throws -> Data {
    try await interrupt(session.download(path, to: .file(folder.file("a"))))
  }

  private func put(_ byte: UInt8, count: Int, to path: String) async throws -> Data {
    let data = Data(repeating: byte, count: count)
    let response = await session.upload(.bytes(data), to: path, method: .put).validate().serializingData().response
    #expect(response.response.map { [201, 204].contains($0.status.code) } == true)
    return data
  }

  @Test(arguments: [ResumePolicy.restart, .fail])
  func `a file that has changed meanwhile restarts the download or is an error, as chosen`(policy: ResumePolicy)
    async throws
  {
    let name = "uploads/changing-\(policy)"
    _ = try await put(1, count: 16 << 20, to: name)
    let data = try await interrupted("paced/" + name)
    let after = try await put(2, count: 3 << 20, to: name)
    let response = await session.download(resumingWith: data, otherwise: policy).serializingFile().response
    #expect(response.response?.status.code == 200)
    if policy == .restart {
      #expect(response.error == nil)
      #expect(try Data(contentsOf: URL(filePath: folder.file("a"))) == after)
      #expect(folder.names == ["a"])
    } else {
      #expect(response.error?.kind == .resumeFailed)
      #expect(response.resumeData != nil)
      #expect(folder.names.count == 1)
      #expect(!folder.names.contains("a"))
    }
  }

  @Test(arguments: [ResumePolicy.restart, .fail])
  func `a partial file that grew beyond the whole meets a 416`(policy: ResumePolicy) async throws {
    func download() -> DownloadRequest {
      session.download("paced/big.bin", to: .file(folder.file("a")))
        .checkpoint(folder.file("resume"), otherwise: policy)
    }
    _ = try await interrupt(download())
    let partial = try #require(folder.names.first { $0 != "resume" })
    #expect(truncate(folder.file(partial), BigFile.size + 10) == 0)
    let response = await download().serializingFile().response
    #expect(heads.all == (policy == .restart ? [200, 416, 200] : [200, 416]))
    #expect(response.error?.kind == (policy == .restart ? nil : .resumeFailed))
    guard policy == .restart else { return }
    #expect(try BigFile.isCopied(to: folder.file("a")))
    #expect(folder.names == ["a"])
  }

  @Test func `a refused response in the place of the file removes nothing that had arrived`() async throws {
    let data = try await interrupted()
    let refused = await session.download(resumingWith: data, url: "hello")
      .validate(contentType: ["application/octet-stream"]).serializingFile().response
    #expect(refused.error?.kind == .unacceptableContentType("text/plain"))
    let rest = try #require(refused.resumeData)
    let response = await session.download(resumingWith: rest, url: "paced/big.bin", otherwise: .fail)
      .serializingFile().response
    #expect(response.error == nil)
    #expect(heads.all == [200, 200, 206])
    #expect(try BigFile.isCopied(to: folder.file("a")))
    #expect(folder.names == ["a"])
  }

  @Test func `any successful response is the file if no validator refuses it`() async throws {
    let data = try await interrupted()
    _ = try await session.download(resumingWith: data, url: "hello").serializingFile().value
    #expect(heads.all == [200, 200])
    #expect(try folder.text("a") == "Hello from nginx\n")
    #expect(folder.names == ["a"])
  }

  @Test func `a 204 replaces no file, and the partial file stays`() async throws {
    let data = try await interrupted()
    let response = await session.download(resumingWith: data, url: "empty").serializingFile().response
    #expect(response.error?.kind == .fileFailed)
    #expect(response.resumeData != nil)
    #expect(!folder.names.contains("a"))
  }

  @Test func `the rest comes from a fresh URL if the old one has expired`() async throws {
    let data = try await interrupted()
    let response = await session.download(resumingWith: data, url: "status/403", otherwise: .fail)
      .refreshingURL { head in
        #expect(head.status.code == 403)
        return "big.bin"
      }
      .serializingFile().response
    #expect(response.error == nil)
    #expect(heads.all == [200, 403, 206])
    #expect(try BigFile.isCopied(to: folder.file("a")))
  }

  @Test func `a fresh URL that has expired as well is an error, and the partial file stays`() async throws {
    let data = try await interrupted()
    let response = await session.download(resumingWith: data, url: "status/403")
      .refreshingURL { _ in "status/410" }.serializingFile().response
    #expect(response.error?.kind == .unacceptableStatusCode(410))
    #expect(response.resumeData != nil)
    #expect(heads.all == [200, 403, 410])
  }
}
