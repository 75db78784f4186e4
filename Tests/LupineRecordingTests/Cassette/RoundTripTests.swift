import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineRecording
import Testing

/// A cassette that is written and read again.
@Suite struct RoundTripTests {
  @Test(arguments: UInt64(0)..<150)
  func `a random cassette is read as it was written, and written again with the same bytes`(seed: UInt64) throws {
    var random = SplitMix(seed: Seeds.first &+ seed)
    var cassette = Cassette(header: random.header())
    for _ in 0..<random.number(0...4) { cassette.entries.append(random.entry()) }

    let text = CassetteWriter.text(of: cassette)
    let contents = try CassetteContents(text, path: "users.cassette")
    #expect(contents.cassette == cassette)
    #expect(contents.cassette.reasons == cassette.reasons)
    #expect(CassetteWriter.text(of: contents.cassette) == text)
    let blocks = [contents.headerBytes] + contents.blocks.map(\.bytes)
    #expect(Array(blocks.joined(separator: [0x0A])) == text)
  }

  @Test(arguments: UInt64(0)..<5)
  func `the division of a file into pieces has no effect`(seed: UInt64) throws {
    var random = SplitMix(seed: Seeds.first &+ seed)
    let cassette = Cassette(header: random.header(), entries: [random.entry(), random.entry()])
    let text = CassetteWriter.text(of: cassette)
    let whole = try CassetteContents(text, path: "").blocks
    let places = text.count < 200 ? Array(0...text.count) : (0..<60).map { _ in random.number(0...text.count) }
    for place in places {
      #expect(try blocks([text[..<place], text[place...]]).dropFirst().elementsEqual(whole, by: isEqual))
    }
    let single = text.indices.map { text[$0...$0] }
    #expect(try blocks(single).dropFirst().elementsEqual(whole, by: isEqual))
  }

  @Test func `every byte of a field's value is kept`() throws {
    for byte in UInt8(1)...255 where byte != 0x0A && byte != 0x0D {
      for value in [[byte], [0x41, byte, 0x42], Array("é".utf8) + [byte]] {
        var head = HTTPResponse(status: .ok)
        head.headerFields.append(HTTPField(name: .server, lenientValue: value))
        let response = Cassette.Response(head: head)
        let entry = Cassette.Entry(request: Cassette.Request(url: "https://a.example/"), response: response)
        var reader = CassetteReader(path: "")
        let block = try reader.read(CassetteWriter.text(of: entry) + [0x0A]).first
        #expect(block?.content == .entry(entry), "byte \(byte)")
      }
    }
  }

  private func blocks(_ pieces: [ArraySlice<UInt8>]) throws -> [CassetteBlock] {
    var reader = CassetteReader(path: "")
    var blocks: [CassetteBlock] = []
    for piece in pieces { blocks += try reader.read(piece) }
    if let last = try reader.finish() { blocks.append(last) }
    return blocks
  }

  private func isEqual(_ left: CassetteBlock, _ right: CassetteBlock) -> Bool {
    left.content == right.content && left.bytes == right.bytes && left.line == right.line
  }
}

extension Cassette {
  /// The reason phrases, which do not count when responses are compared.
  fileprivate var reasons: [String?] {
    entries.flatMap { entry in
      entry.interim.map { $0.head.status.reasonPhrase } + [entry.response?.head.status.reasonPhrase]
    }
  }
}
