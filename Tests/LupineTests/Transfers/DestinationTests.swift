import Foundation
import HTTPTypes
import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// The destinations and the size limits of downloads from nginx and httpbin.
@Suite(.besidePeers, .overEachTransport) struct DestinationTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Downloads a response of httpbin that has this `Content-Disposition`.
  private func download(_ disposition: String, to destination: DownloadDestination) async throws -> DownloadResponse<
    URL
  > {
    await (try Peer.httpbin.session()).download(
      "response-headers", parameters: ["Content-Disposition": .string(disposition)], to: destination
    ).serializingFile().response
  }

  @Test(arguments: [
    (#"attachment; filename="report 12:30.txt""#, "report 12:30.txt"),
    (#"attachment; filename="../../.ssh/authorized_keys""#, "authorized_keys"),
    ("attachment; filename=plain; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt", "grüße.txt"), ("inline", "response-headers"),
  ])
  func `the name that httpbin suggests is made safe`(disposition: String, name: String) async throws {
    let place = folder.file("inner")
    let response = try await download(disposition, to: .folder(place, .createIntermediateDirectories))
    #expect(response.response?.headerFields[.contentDisposition] == disposition)
    #expect(response.value?.path == place + "/" + name)
    #expect(folder.names == ["inner"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [name])
  }

  @Test func `a closure names the place by httpbin's head`() async throws {
    let folder = folder
    let destination = DownloadDestination.custom { head in
      let name = try #require(head.headerFields[.contentDisposition]?.split(separator: "=").last)
      return (folder.file("by/closure/" + name), .createIntermediateDirectories)
    }
    let response = try await download("attachment; filename=data", to: destination)
    #expect(response.value?.path == folder.file("by/closure/data"))
    #expect(try folder.text("by/closure/data").contains("Content-Disposition"))
  }

  @Test func `a closure that refuses httpbin's head leaves nothing`() async throws {
    let response = try await download("attachment", to: .custom { _ in throw CocoaError(.fileNoSuchFile) })
    #expect(response.error?.kind == .fileFailed)
    #expect(response.error?.underlying is CocoaError)
    #expect(folder.names.isEmpty)
  }

  // Sizes

  @Test(arguments: [BigFile.size - 1, BigFile.size])
  func `a file of nginx's is refused at its head if its stated length is over the limit`(limit: Int) async throws {
    let response = await (try Peer.nginx.session()).download("big.bin", to: .file(folder.file("a")))
      .sizeLimit(Int64(limit)).serializingFile().response
    let isWhole = limit == BigFile.size
    #expect(response.error?.kind == (isWhole ? nil : .limitExceeded(.sink)))
    #expect(isWhole || response.error?.message.contains("sizeLimit") == true)
    #expect(folder.names == (isWhole ? ["a"] : []))
  }

  @Test(arguments: [99_999, 100_000])
  func `a file of httpbin's without a stated length is cut off at the limit`(limit: Int64) async throws {
    let response = await (try Peer.httpbin.session()).download(
      "stream-bytes/100000?chunk_size=1000", to: .file(folder.file("a"))
    ).sizeLimit(limit).serializingFile().response
    #expect(response.response?.headerFields[.contentLength] == nil)
    #expect(response.error?.kind == (limit == 100_000 ? nil : .limitExceeded(.sink)))
    #expect(folder.names == (limit == 100_000 ? ["a"] : []))
  }

  @Test func `a coded file of nginx's counts as long as it is decoded`() async throws {
    let response = await (try Peer.nginx.session()).download(
      "gzip/text.txt", headers: [.acceptEncoding: "gzip"], to: .file(folder.file("a"))
    ).sizeLimit(100_000).serializingFile().response
    #expect(response.error?.kind == .limitExceeded(.sink))
    #expect(folder.names.isEmpty)
  }
}
