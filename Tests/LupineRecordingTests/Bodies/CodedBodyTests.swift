import HTTPTypes
import LupineCompression
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineMock
import LupineSession
import LupineTesting
import Synchronization
import Testing

@testable import LupineRecording

/// Bodies that are recorded from the bytes of the wire and played again.
@Suite struct CodedBodyTests {
  static let codings: [any ContentCoding] = [.gzip, .deflate, .brotli, .zstd]

  private let folder: TemporaryFolder
  private let store: BodyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try BodyStore(cassette: folder.file("users.cassette"))
  }

  @Test(arguments: [[], ["gzip"], ["deflate"], ["br"], ["zstd"], ["deflate", "gzip"], ["br", "zstd", "gzip"]])
  func `each event is decoded at its time again`(names: [String]) async throws {
    let events = (0..<20).map { "data: event \($0)\n\n" } + ["data: the last\n\n"]
    let wire = try Self.coded(events, names)
    // The pieces arrive divided in another way than the consumer takes them.
    let recorded = try record(wire, takenBy: 7, names)
    #expect(recorded.codings == names)
    #expect(recorded.chunks.map(\.count) == events.map(\.utf8.count))
    #expect(recorded.chunks.map(\.after) == events.indices.map { .milliseconds(50 * $0) })

    let played = try await play(recorded, names)
    let decoding = try decoder(names)
    var decoded = ""
    for (index, piece) in played.enumerated() {
      #expect(piece.after == .milliseconds(50 * index))
      try piece.bytes.withUnsafeBytes { bytes in
        try decoding.decode(bytes) { decoded += String(decoding: $0, as: UTF8.self) }
      }
      #expect(decoded == events[...index].joined(), "\(names)")
    }
    try decoding.finish { _ in }
    #expect(played.count == events.count)
  }

  @Test(arguments: UInt64(0)..<20)
  func `random pieces of a coded body are recorded and played`(seed: UInt64) async throws {
    var random = SplitMix(seed: Seeds.first &+ seed)
    let names = random.pick([["gzip"], ["br"], ["zstd", "deflate"]])
    let length = random.number(0...5_000)
    let plain = random.flag() ? random.bytes(length) : [UInt8](repeating: 0x61, count: length)
    let whole = try Self.coded([String(decoding: plain, as: UTF8.self)], names).flatMap { $0 }
    var wire: [[UInt8]] = []
    var rest = whole[...]
    while !rest.isEmpty {
      let count = random.number(1...max(1, min(rest.count, 300)))
      wire.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    let recorded = try record(wire, takenBy: random.number(1...1_000), names)
    #expect(recorded.chunks.count == wire.count)
    let played = try await play(recorded, names)
    let decoding = try decoder(names)
    var decoded: [UInt8] = []
    for bytes in played.map(\.bytes) {
      try bytes.withUnsafeBytes { bytes in try decoding.decode(bytes) { decoded.append(contentsOf: $0) } }
    }
    try decoding.finish { decoded.append(contentsOf: $0) }
    #expect(decoded == Array(String(decoding: plain, as: UTF8.self).utf8))
  }

  @Test(arguments: ["gzip", "br"])
  func `the length is that of the bytes that are played`(name: String) async throws {
    var response = Cassette.Response(
      head: HTTPResponse(status: .ok, headerFields: [.contentLength: "3", .contentEncoding: name]),
      body: .inline(Data("REDACTED-1".utf8)), codings: [name],
      chunks: [Cassette.Chunk(after: .zero, count: 4), Cassette.Chunk(after: .seconds(1), count: 6)])
    var body = try await PlayedBody(response, isComplete: true, in: nil, codings: Self.codings)
    var count = 0
    while let piece = try await body.next() { count += piece.bytes.count }
    #expect(body.head.headerFields[.contentLength] == "\(count)")

    response.codings = []
    let plain = try await PlayedBody(response, isComplete: true, in: nil, codings: [])
    #expect(plain.head.headerFields[.contentLength] == "10")
    // Of a body that was cut off, the length is what the server promised.
    let cut = try await PlayedBody(response, isComplete: false, in: nil, codings: [])
    #expect(cut.head.headerFields[.contentLength] == "3")
    // A response to HEAD has the length of a body that it does not have.
    response.body = .none
    response.chunks = []
    let head = try await PlayedBody(response, isComplete: true, in: nil, codings: [])
    #expect(head.head.headerFields[.contentLength] == "3")
  }

  @Test func `an exact body has the bytes of the wire, if its coding is named as harmless`() async throws {
    // A coder would write another number of the operating system (RFC 1952 section 2.3.1).
    var wire = try Self.coded(["hello"], ["gzip"]).flatMap { $0 }
    wire[9] = 0x42
    let mock = MockTransport()
    mock.stub(.get, "/hello", .data(Data(wire), contentType: "text/plain").field(.contentEncoding, "gzip"))
    var options = RecordingOptions()
    options.bodies = .exact
    await #expect(throws: LupineError.self) { try await Self.record(over: mock, to: folder.file("refused"), options) }
    options.redaction = Redaction().redacting(.harmless(coding: "gzip"))
    let path = folder.file("exact.cassette")
    try await Self.record(over: mock, to: path, options)

    let replay = try await ReplayTransport(contentsOf: path, options: ReplayOptions())
    let session = try Session.Builder().transport(replay).clock(ImmediateClock()).build()
    #expect(try await session.request("https://example.com/hello").serializingData().value == Data(wire))
  }

  /// Records one request of a session that decodes gzip.
  private static func record(
    over mock: MockTransport, to path: String, _ options: RecordingOptions
  ) async throws {
    let recorder = RecordingTransport(around: mock, to: path, options: options)
    let session = try Session.Builder().transport(recorder).clock(ImmediateClock()).contentCoding(.gzip).build()
    #expect(try await session.request("https://example.com/hello").serializingString().value == "hello")
    try await recorder.recording.finish()
  }

  @Test func `a coding that the session lacks is kept, and named`() throws {
    let coded = try BodyDecoding(contentEncoding: "gzip, Sdch", codings: Self.codings, limits: Limits())
    #expect(coded.unknown == "sdch")
    #expect(coded.names == [])
    let part = try BodyDecoding(contentEncoding: "gzip", isPart: true, codings: Self.codings, limits: Limits())
    #expect(part.unknown == "gzip")
    let many = try BodyDecoding(contentEncoding: "gzip,gzip,gzip,gzip", codings: Self.codings, limits: Limits())
    #expect(many.unknown == "gzip")
    let alias = try BodyDecoding(contentEncoding: " X-GZIP , identity", codings: Self.codings, limits: Limits())
    #expect(alias.unknown == nil)
    #expect(alias.names == ["x-gzip"])
  }

  @Test func `a session that lacks the coding of a recording is an error with advice`() async throws {
    let response = Cassette.Response(
      head: HTTPResponse(status: .ok), body: .inline(Data("a".utf8)), codings: ["br"],
      chunks: [Cassette.Chunk(after: .zero, count: 1)])
    let error = await #expect(throws: LupineError.self) {
      try await PlayedBody(response, isComplete: true, in: nil, codings: [.gzip])
    }
    #expect(error?.message.contains("content coding br, which the session lacks") == true)
  }

  @Test func `data that cannot be decoded fail the recording alone`() throws {
    let result = Mutex<Result<RecordedBody, LupineError>?>(nil)
    let recorder = BodyRecorder(try decoder(["gzip"]), to: store, arrivals: ArrivalLog()) { body, _ in
      result.withLock { $0 = body }
    }
    for _ in 0..<3 { Array("no gzip".utf8).withUnsafeBytes { recorder.receive($0) } }
    recorder.end(.success(BodyEnd(byteCount: 21, metrics: TransferMetrics())))
    let error = #expect(throws: LupineError.self) { try result.withLock { try $0?.get() } }
    #expect(error?.kind == .contentDecodingFailed)
  }

  @Test func `many pieces are kept as fewer, with all their bytes`() throws {
    var list = ChunkList()
    for index in 0..<(3 * ChunkList.limit) { list.add(Cassette.Chunk(after: .microseconds(index), count: 1)) }
    #expect(list.chunks.count <= ChunkList.limit)
    #expect(list.chunks.reduce(0) { $0 + $1.count } == 3 * ChunkList.limit)
    #expect(list.chunks.last?.after == .microseconds(3 * ChunkList.limit - 1))
  }

  private func decoder(_ names: [String]) throws -> BodyDecoding {
    try BodyDecoding(contentEncoding: names.joined(separator: ","), codings: Self.codings, limits: Limits())
  }

  /// Codes texts, each of which can be decoded when its piece has arrived.
  static func coded(_ texts: [String], _ names: [String]) throws -> [[UInt8]] {
    let encoders = try names.map { name in try #require(codings.named(name)).makeEncoder() }
    return try texts.enumerated().map { index, text in
      var coded: [UInt8] = []
      try Array(text.utf8).withUnsafeBytes { bytes in
        try encoders[...].transform(bytes) { coded.append(contentsOf: $0) }
      }
      if index + 1 == texts.count {
        try encoders[...].finish { coded.append(contentsOf: $0) }
      } else {
        try encoders[...].flush { coded.append(contentsOf: $0) }
      }
      return coded
    }
  }

  /// Records pieces that arrive every 50 ms.
  private func record(_ wire: [[UInt8]], takenBy count: Int, _ names: [String]) throws -> RecordedBody {
    let arrivals = ArrivalLog()
    let result = Mutex<Result<RecordedBody, LupineError>?>(nil)
    let recorder = BodyRecorder(try decoder(names), to: store, arrivals: arrivals) { body, _ in
      result.withLock { $0 = body }
    }
    for (index, piece) in wire.enumerated() { arrivals.add(piece.count, after: .milliseconds(50 * index)) }
    var rest = wire.flatMap { $0 }[...]
    while !rest.isEmpty {
      Array(rest.prefix(count)).withUnsafeBytes { recorder.receive($0) }
      rest = rest.dropFirst(count)
    }
    recorder.end(.success(BodyEnd(byteCount: 0, metrics: TransferMetrics())))
    return try #require(result.withLock { $0 }).get()
  }

  private func play(_ recorded: RecordedBody, _ names: [String]) async throws -> [PlayedBody.Piece] {
    let content: Cassette.Content
    switch recorded.body {
    case .data(let data): content = .inline(data)
    case .none: content = .none
    case .file(let file): content = .file(try store.keep(file))
    }
    let response = Cassette.Response(
      head: HTTPResponse(status: .ok), body: content, codings: recorded.codings, chunks: recorded.chunks)
    let cassetteFolder = try CassetteFolder(at: folder.path)
    var body = try await PlayedBody(response, isComplete: true, in: cassetteFolder, codings: Self.codings)
    var pieces: [PlayedBody.Piece] = []
    while let piece = try await body.next() { pieces.append(piece) }
    return pieces
  }
}
