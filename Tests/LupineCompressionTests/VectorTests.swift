import FoundationEssentials
import LupineCompression
import LupineCore
import Testing

@Suite struct VectorTests {
  @Test(arguments: Vector.allCases, [1, 2, 3, 1_024, Int.max])
  func `data encoded by other programs decode, however the bytes are split`(vector: Vector, pieces: Int) throws {
    let coded = try bytes(vector.base64)
    #expect(try vector.coding.decode(coded, pieces: pieces) == vector.plain)
  }

  @Test(arguments: Vector.allCases)
  func `truncated data of other programs are an error`(vector: Vector) throws {
    let coded = try bytes(vector.base64)
    let firstMember = vector == .gzipTwoMembers ? coded.count / 2 : 0
    for length in 1..<coded.count where length != firstMember {
      #expect(kind { _ = try vector.coding.decode(Array(coded.prefix(length))) } == .contentDecodingFailed)
    }
  }

  @Test func `two zstd frames with a skippable one between them are one body`() throws {
    let frame = try bytes(Vector.zstdProgram.base64)
    let skippable: [UInt8] = [0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
    for pieces in [1, Int.max] {
      let decoded = try Coding.zstd.decode(frame + skippable + frame, pieces: pieces)
      #expect(decoded == Vector.zstdProgram.plain + Vector.zstdProgram.plain)
    }
  }

  @Test func `a zstd window over 8 MiB is an error`() throws {
    // The output of `zstd --ultra -22 --long=27 -c < lupines` (zstd 1.5.4), with a window of 128 MiB.
    let coded = try bytes("KLUv/QSIfAAAOGx1cGluZQoBAPb/yosRRAAAAAEA/f/KCxBFAAAAAQDdEx0AATpB94A=")
    #expect(kind { _ = try Coding.zstd.decode(coded) } == .contentDecodingFailed)
  }

  @Test(arguments: [0x1e, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27] as [UInt8])
  func `a zstd format from before RFC 8878 is an error`(version: UInt8) {
    let error = #expect(throws: LupineError.self) {
      try Coding.zstd.decode([version, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0])
    }
    #expect(error?.message.contains("does not begin with a frame") == true)
  }

  @Test func `zlib data that needs a dictionary is an error`() {
    // A zlib header with FDICT set (RFC 1950 section 2.2), and the dictionary's checksum.
    let error = #expect(throws: LupineError.self) { try Coding.deflate.decode([0x78, 0xbb, 0, 0, 0, 1]) }
    #expect(error?.message.contains("need dictionary") == true)
  }

  @Test func `a wrong checksum is an error`() throws {
    for vector in [Vector.gzipProgram, .zlibOfPython, .zstdProgram] {
      var coded = try bytes(vector.base64)
      let place = coded.count - (vector == .gzipProgram ? 8 : 1)
      coded[place] ^= 1
      #expect(kind { _ = try vector.coding.decode(coded) } == .contentDecodingFailed)
    }
  }

  private func bytes(_ base64: String) throws -> [UInt8] {
    [UInt8](try #require(Data(base64Encoded: base64)))
  }
}
