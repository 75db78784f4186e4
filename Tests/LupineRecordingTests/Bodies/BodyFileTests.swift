import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineSupport
import Testing

@testable import LupineRecording

/// Bodies in files beside a cassette.
@Suite struct BodyFileTests {
  private let folder: TemporaryFolder
  private let store: BodyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try BodyStore(cassette: folder.file("users.cassette"))
  }

  @Test func `short bodies and texts stand in the cassette, others in files that are named by their digest`() throws {
    let text = Data(repeating: 0x61, count: 64 << 10)
    #expect(try store.content(Data()) == .none)
    #expect(try store.content(text) == .inline(text))
    #expect(try store.content(Data([0xFF])) == .inline(Data([0xFF])))
    #expect(folder.names == [])
    guard case .file(let file) = try store.content(text + [0x61]) else {
      Issue.record("A long text stands in the cassette.")
      return
    }
    // As sha256sum computes it.
    #expect(file.name == "users-008ffc88d3c96a9f.bin")
    #expect(file.length == 65_537)
    guard case .file(let other) = try store.content(Data(repeating: 0xFF, count: 1_025)) else {
      Issue.record("Bytes that are no text stand in the cassette.")
      return
    }
    #expect(folder.names == [file.name, other.name].sorted())
    #expect(try Data(contentsOf: URL(filePath: folder.file(other.name))) == Data(repeating: 0xFF, count: 1_025))
  }

  @Test func `a cassette is written with its long bodies beside it, and read again`() async throws {
    let body = Data(repeating: 0xFF, count: 3_000)
    let request = Cassette.Request(method: .post, url: "https://a.example/", body: .inline(body))
    let response = Cassette.Response(
      head: HTTPResponse(status: .ok), body: .inline(body), chunks: [Cassette.Chunk(after: .zero, count: 3_000)])
    let header = Cassette.Header(date: Date(timeIntervalSince1970: 0), capabilities: .http2)
    let cassette = Cassette(header: header, entries: [Cassette.Entry(request: request, response: response)])
    let path = try folder.write("old", to: "users.cassette")
    try cassette.write(to: path)
    let read = try Cassette(contentsOf: path)
    guard case .file(let file) = read.entries.first?.response?.body else {
      Issue.record("The body is not in a file.")
      return
    }
    #expect(read.entries.first?.request.body == .file(file))
    #expect(folder.names == [file.name, "users.cassette"].sorted())
    // The bodies are in files already.
    try read.write(to: path)
    #expect(try Cassette(contentsOf: path) == read)
  }

  @Test func `equal bodies share one file`() throws {
    let data = Data(repeating: 0xFE, count: 2_000)
    #expect(try store.content(data) == store.content(data))
    #expect(folder.names.count == 1)
  }

  @Test func `a file has no name until it is kept`() throws {
    var file: PendingFile? = try store.begin()
    try file?.append(Data([1, 2, 3]))
    #expect(folder.names == [])
    let kept = try store.keep(try #require(file))
    #expect(folder.names == [kept.name])
    file = try store.begin()
    file = nil
    #expect(folder.names == [kept.name])
  }

  @Test func `a name that a killed process left is not used again`() throws {
    try folder.write("old", to: ".users-1.part")
    let file = try store.begin()
    try file.append(Data([1]))
    let kept = try store.keep(file)
    #expect(folder.names == [".users-1.part", kept.name])
    #expect(try folder.text(".users-1.part") == "old")
  }

  @Test(arguments: ["", ".cassette", "..", "a..b", "a\u{1}", #"a\b"#, String(repeating: "a", count: 240)])
  func `a name that names no file of the folder is refused`(name: String) throws {
    #expect(throws: LupineError.self) { try BodyStore(cassette: folder.file(name)) }
  }

  /// Bodies by kind, and whether they are kept in memory.
  private static let bodies: [(prefix: [UInt8], count: Int, isData: Bool)] = [
    ([], 1, true), ([], 100_000, true), ([0xFF], 1_023, true), ([0xFF], 1_024, false), ([0x00], 100_000, false),
  ]

  @Test(arguments: bodies, [1, 1_000, 65_536])
  func `a text is kept in memory, other bytes go to a file`(
    body: (prefix: [UInt8], count: Int, isData: Bool), size: Int
  ) throws {
    let bytes = body.prefix + [UInt8](repeating: 0x61, count: body.count)
    var collector = BodyCollector(store)
    var rest = bytes[...]
    while !rest.isEmpty {
      try Array(rest.prefix(size)).withUnsafeBytes { (piece) throws in try collector.append(piece) }
      rest = rest.dropFirst(size)
    }
    switch try collector.finish() {
    case .data(let data):
      #expect(body.isData)
      #expect(Array(data) == bytes)
    case .file(let file):
      #expect(!body.isData)
      let kept = try store.keep(file)
      #expect(try Array(Data(contentsOf: URL(filePath: folder.file(kept.name)))) == bytes)
    default: Issue.record("The body is lost.")
    }
  }

  @Test func `a text is recognized however its characters are cut`() {
    let text = Array("aé€😀".utf8)
    for place in 0...text.count {
      var check = TextCheck()
      Array(text[..<place]).withUnsafeBytes { check.add($0) }
      #expect(check.isText)
      Array(text[place...]).withUnsafeBytes { check.add($0) }
      #expect(check.isCompleteText)
    }
    let others: [[UInt8]] = [
      [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x80], [0xC3, 0x28], [0xFF, 0x61], [0x61, 0x00],
    ]
    for bytes in others {
      var check = TextCheck()
      for byte in bytes { [byte].withUnsafeBytes { check.add($0) } }
      #expect(!check.isCompleteText, "\(bytes)")
    }
  }

  @Test func `a long body is not held in memory`() throws {
    let bytes = [0xFF] + [UInt8](repeating: 0x61, count: 1 << 20)
    var collector = BodyCollector(store)
    try bytes.withUnsafeBytes { (piece) throws in try collector.append(piece) }
    #expect(collector.memoryCount == 0)
    guard case .file(let file) = try collector.finish() else {
      Issue.record("The body is in no file.")
      return
    }
    #expect(file.length == 1_048_577)
  }
}
