public import FoundationEssentials
public import LupineCore

/// Anything that can be sent as a multipart.
public protocol MultipartConvertible: Sendable {
  /// The multipart.
  var multipart: Multipart { get }
}

extension Multipart: MultipartConvertible {
  /// The multipart itself.
  public var multipart: Multipart { self }
}

extension MultipartConvertible {
  /// The multipart as a request's body, which reads each part as it is sent.
  ///
  /// It can be sent again unless a part is a one-shot stream. Its length is exact where each part's is known; a file's
  /// is taken when the sending begins. A file that becomes shorter or longer meanwhile ends the request with an error.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` where a part, or the boundary, cannot be sent.
  public func asBody() throws(LupineError) -> RequestBody {
    let pieces = try PieceList(multipart).pieces
    return RequestBody(
      length: Piece.knownLength(of: pieces), through: pieces.compactMap(\.body),
      source: .sequence(pieces.map(\.section))
    ) { (onReady) throws(LupineError) in
      try MultipartReader(pieces, onReady: onReady)
    }
  }

  /// The length of the encoded multipart in bytes; `nil` where a stream's is unknown.
  ///
  /// - Throws: `LupineError` where a part cannot be sent, or a file not be read.
  public func contentLength() throws(LupineError) -> Int64? {
    Piece.knownLength(of: try Piece.measured(try PieceList(multipart).pieces))
  }

  /// The encoded multipart in memory, all of it, whatever its size; sending does not need this.
  ///
  /// - Throws: `LupineError`, which names the part that could not be read.
  @concurrent public func encode() async throws(LupineError) -> Data {
    var data = Data()
    if let length = try contentLength() { data.reserveCapacity(Int(clamping: length)) }
    try await asBody().drain { (bytes) throws(LupineError) in data.append(contentsOf: bytes) }
    return data
  }

  /// Writes the encoded multipart to a new file, in constant memory.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` where the file exists already or cannot be written, or the error that
  ///   names the part that could not be read. Nothing of the file is left then.
  @concurrent public func writeEncodedData(to path: String) async throws(LupineError) {
    let body = try asBody()
    let file = try NewFile(path)
    do throws(LupineError) {
      try await body.drain { (bytes) throws(LupineError) in try file.write(bytes) }
    } catch {
      file.remove()
      throw error
    }
  }
}

extension RequestBody {
  /// A multipart, read part by part as it is sent; the request's `Content-Type` is to be its `contentType`.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` where a part, or the boundary, cannot be sent.
  public static func multipart(_ multipart: some MultipartConvertible) throws(LupineError) -> RequestBody {
    try multipart.asBody()
  }
}
