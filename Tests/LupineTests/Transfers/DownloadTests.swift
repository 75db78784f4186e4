import Foundation
import Lupine
import LupineFixtures
import LupineMock
import Testing
import TransportSupport

/// Downloads from nginx.
@Suite(.besidePeers, .overEachTransport) struct DownloadTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `a file arrives whole`(peer: Peer) async throws {
    let response = await (try peer.session()).download("big.bin", to: .file(folder.file("a"))).serializingFile()
      .response
    #expect(response.error == nil)
    #expect(try BigFile.isCopied(to: folder.file("a")))
    #expect(folder.names == ["a"])
  }

  @Test func `a cancelled download continues with a range`() async throws {
    let session = try Peer.nginx.session()
    let request = session.download("paced/big.bin", to: .file(folder.file("a")))
    let response = await request.downloadProgress { if $0.completed > 1 << 20 { request.cancel() } }
      .serializingFile().response
    #expect(response.error?.kind == .cancelled)
    #expect(!folder.names.contains("a"))
    let data = try #require(response.resumeData)
    let rest = await session.download(resumingWith: data, otherwise: .fail).serializingFile().response
    #expect(rest.response?.status.code == 206)
    #expect(try BigFile.isCopied(to: folder.file("a")))
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [false, true])
  func `a cancelled download continues in the memory file system`(isDecidedAtHead: Bool) async throws {
    let session = try Peer.nginx.session()
    let other = try TemporaryFolder(in: "/dev/shm")
    let request = session.download("paced/big.bin", to: .file(folder.file("a")))
    let response = await request.downloadProgress { if $0.completed > 1 << 20 { request.cancel() } }
      .serializingFile().response
    let place = other.file("a")
    let data = try #require(response.resumeData)
    let rest = await session.download(
      resumingWith: data, to: isDecidedAtHead ? .custom { _ in (place, []) } : .file(place), otherwise: .fail
    ).serializingFile().response
    #expect(rest.response?.status.code == 206)
    #expect(try BigFile.isCopied(to: place))
    #expect(other.names == ["a"])
    #expect(folder.names.isEmpty)
  }

  @Test func `a body that is cut again and again is put together`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    let response = await session.download("cut/big.bin", to: .file(folder.file("a")))
      .resumesAutomatically(delay: .zero).serializingFile().response
    #expect(response.error == nil)
    #expect(try BigFile.isCopied(to: folder.file("a")))
    #expect(heads.all.first == 200)
    #expect(heads.all.dropFirst().allSatisfy { $0 == 206 })
    #expect(heads.all.count >= 4)
  }

  @Test func `a body that is cut is an error, and nothing is at the destination`() async throws {
    let response = await (try Peer.nginx.session()).download("cut/big.bin", to: .file(folder.file("a")))
      .serializingFile().response
    #expect(response.error?.kind == .connectionLost)
    #expect(response.resumeData != nil)
    #expect(!folder.names.contains("a"))
  }

  @Test func `a body that is too slow ends at the total timeout and can be resumed`() async throws {
    let clock = TestClock()
    let session = try Peer.nginx.session { $0.clock(clock).timeouts(total: .seconds(9)) }
    let response = await session.download("slow", to: .file(folder.file("a")))
      .downloadProgress { _ in clock.advance(by: .seconds(9)) }.serializingFile().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(response.resumeData != nil)
    #expect(!folder.names.contains("a"))
  }

  @Test func `gzip is not requested by default, and decoded if the request asks for it`() async throws {
    let session = try Peer.nginx.session()
    let plain = await session.download("gzip/text.txt", to: .file(folder.file("plain"))).serializingData().response
    #expect(plain.response?.headerFields[.contentEncoding] == nil)
    let coded = await session.download(
      "gzip/text.txt", headers: [.acceptEncoding: "gzip"], to: .file(folder.file("coded"))
    ).serializingData().response
    #expect(coded.response?.headerFields[.contentEncoding] == "gzip")
    #expect(coded.value?.count ?? 0 > 100_000)
    #expect(coded.value == plain.value)
  }

  @Test func `a file has its digest`() async throws {
    let session = try Peer.nginx.session()
    let good = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    let wrong = await session.download("hello", to: .file(folder.file("a"))).expecting(.sha256(good))
      .serializingFile().response
    #expect(wrong.error?.kind == .digestMismatch)
    #expect(folder.names.isEmpty)
    let upload = await session.upload(.text("hello\n"), to: "uploads/digest", method: .put).serializingData().response
    #expect(upload.response.map { [201, 204].contains($0.status.code) } == true)
    _ = try await session.download("uploads/digest", to: .file(folder.file("a"))).expecting(.sha256(good))
      .serializingFile().value
    #expect(folder.names == ["a"])
  }
}
