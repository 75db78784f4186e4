import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// Yields a recorded body in the pieces in which it arrived, with its content codings applied again.
///
/// A piece has the bytes of all that was recorded for it, so that a receiver can decode them at the same time. The bytes
/// of a coded body may differ from those that the server sent, and so may their number.
struct PlayedBody: Sendable {
  /// Bytes to deliver, and the time since the beginning of the exchange.
  struct Piece: Sendable, Equatable {
    var after: Duration
    /// At least one byte.
    var bytes: [UInt8]
  }

  /// The head of the response with the length that the body has now.
  private(set) var head: HTTPResponse
  private var source: BodySource
  private var encoder: BodyEncoder
  private let isComplete: Bool
  private let chunks: [Cassette.Chunk]
  private var nextChunk = 0
  /// The number of bytes of the current chunk that have been read.
  private var readOfChunk = 0

  /// Opens the body of a response.
  ///
  /// - Parameters:
  ///   - isComplete: whether the exchange ended without an error; the codings then end as well.
  ///   - folder: the folder of the cassette; only a body in a file needs it.
  ///   - codings: the codings of the session.
  /// - Throws: `LupineError` of kind `invalidCassette` if the body's file is missing, or has another length or digest;
  ///   of kind `configuration` if the session lacks a coding.
  init(
    _ response: Cassette.Response, isComplete: Bool, in folder: CassetteFolder?, codings: [any ContentCoding]
  ) async throws(LupineError) {
    head = response.head
    chunks = response.chunks
    self.isComplete = isComplete
    source = try await BodySource(response.body, in: folder)
    encoder = try BodyEncoder(response.codings, codings)
    guard isComplete, !chunks.isEmpty, head.headerFields[.contentLength] != nil else { return }
    var length = response.body.length
    if !response.codings.isEmpty {
      var copy = self
      length = 0
      while let piece = try await copy.next() { length += Int64(piece.bytes.count) }
      // The pass has used the encoders, but not the source, which is read by position.
      encoder = try BodyEncoder(response.codings, codings)
    }
    head.headerFields[.contentLength] = "\(length)"
  }

  /// Returns the next piece; `nil` after the last one.
  ///
  /// A long chunk is several pieces of the same time. A chunk without bytes on the wire is left out.
  ///
  /// - Throws: `LupineError` of kind `invalidCassette` if the file of the body is damaged, before its last bytes have been
  ///   returned.
  mutating func next() async throws(LupineError) -> Piece? {
    while nextChunk < chunks.count {
      let chunk = chunks[nextChunk]
      let bytes = try await source.next(chunk.count - readOfChunk)
      readOfChunk += bytes.count
      let isChunkEnd = readOfChunk >= chunk.count
      let isEnd = isChunkEnd && nextChunk + 1 == chunks.count
      if isChunkEnd {
        nextChunk += 1
        readOfChunk = 0
      }
      let coded = try encoder.encode(bytes, flushing: isChunkEnd, finishing: isEnd && isComplete)
      if !coded.isEmpty { return Piece(after: chunk.after, bytes: coded) }
    }
    return nil
  }
}

/// The encoders of one body.
private struct BodyEncoder: Sendable {
  private let encoders: [any BodyTransformer]

  init(_ names: [String], _ codings: [any ContentCoding]) throws(LupineError) {
    var encoders: [any BodyTransformer] = []
    for name in names {
      guard let coding = codings.named(name) else {
        throw LupineError.unusable(
          "contentCodings",
          "The recorded response has the content coding \(name), which the session lacks; add it to the session.")
      }
      encoders.append(try coding.makeEncoder())
    }
    self.encoders = encoders
  }

  func encode(_ bytes: [UInt8], flushing: Bool, finishing: Bool) throws(LupineError) -> [UInt8] {
    guard !encoders.isEmpty else { return bytes }
    var coded: [UInt8] = []
    let stages = encoders[...]
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in
        if !bytes.isEmpty { try stages.transform(bytes) { coded.append(contentsOf: $0) } }
        if finishing {
          try stages.finish { coded.append(contentsOf: $0) }
        } else if flushing {
          try stages.flush { coded.append(contentsOf: $0) }
        }
      }
    }
    try result.get()
    return coded
  }
}

/// The recorded bytes of a body, read in order.
private struct BodySource: Sendable {
  /// The maximum number of bytes that are read at once.
  private static let size = 64 << 10

  private enum Bytes {
    case data(Data)
    case file(FolderFile, Cassette.FileContent)
  }

  private let bytes: Bytes
  private var position: Int64 = 0
  private var hash = SHA256()

  init(_ content: Cassette.Content, in folder: CassetteFolder?) async throws(LupineError) {
    switch content {
    case .none, .digest: bytes = .data(Data())
    case .inline(let data): bytes = .data(data)
    case .file(let file):
      guard let folder else {
        throw LupineError(.invalidCassette, "The cassette has no folder, but a body is in the file \(file.name).")
      }
      let open = try await BlockingWork.run { () throws(LupineError) in try folder.openBody(file) }
      bytes = .file(open, file)
    }
  }

  /// Returns the next bytes: at most this number, and less if it is large.
  mutating func next(_ count: Int) async throws(LupineError) -> [UInt8] {
    guard count > 0 else { return [] }
    switch bytes {
    case .data(let data):
      let piece = data.dropFirst(Int(position)).prefix(min(count, Self.size))
      position += Int64(piece.count)
      return Array(piece)
    case .file(let open, let file):
      let (start, hash) = (position, self.hash)
      let (piece, next) = try await BlockingWork.run { () throws(LupineError) in
        let piece = try open.read(at: start, count: min(count, Self.size))
        var next = hash
        piece.withUnsafeBytes { next.update($0) }
        return (piece, next)
      }
      position += Int64(piece.count)
      self.hash = next
      var end = next
      guard position < file.length ? !piece.isEmpty : Data(end.finalize()) == file.sha256 else {
        throw .changedFile(open.path)
      }
      return piece
    }
  }
}
