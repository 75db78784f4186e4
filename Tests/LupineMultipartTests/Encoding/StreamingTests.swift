import FoundationEssentials
import Glibc
import LupineCore
import LupineFixtures
import LupineMultipart
import Testing

@Suite struct StreamingTests {
  @Test func `files and streams arrive in order among the other parts`() async throws {
    let folder = try TemporaryFolder()
    var form = try MultipartFormData(boundary: "b")
    form.append("1", name: "a")
    form.append(.stream { Pieces(["2", "", "3"]) }, name: "b")
    form.append(.file(try folder.write("4", to: "c")), name: "c")
    form.append(.stream { Pieces([String]()) }, name: "d")
    form.append(.oneShot(Pieces(["5"])), name: "e")
    let parts = try ReceivedPart.parts(of: await form.encode(), contentType: form.contentType)
    #expect(parts.map(\.text) == ["1", "23", "4", "", "5"])
    #expect(parts.map(\.name) == ["a", "b", "c", "d", "e"])
  }

  @Test func `a reader takes no more memory than its transport gives it`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "sparse")
    let handle = try #require(fopen(path, "w"))
    #expect(ftruncate(fileno(handle), 128 << 20) == 0)
    fclose(handle)
    var form = MultipartFormData()
    form.append(.file(path), name: "file")
    let reader = try AsyncBodyReader(form.asBody().makeReader)
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
    defer { space.deallocate() }
    let before = try residentBytes()
    var count: Int64 = 0
    while let more = try await reader.read(into: space) { count += Int64(more) }
    #expect(count == reader.length)
    #expect(count > 128 << 20)
    #expect(try residentBytes() - before < 32 << 20)
  }

  /// The resident memory of the process, in bytes.
  ///
  /// The second number of `/proc/self/statm` is the number of resident pages, of 4 KiB each.
  private func residentBytes() throws -> Int {
    let statistics = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/statm")), as: UTF8.self)
    return try #require(Int(statistics.split(separator: " ")[1])) * 4_096
  }
}
