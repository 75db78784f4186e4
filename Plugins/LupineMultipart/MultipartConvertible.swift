public import LupineCore
public import LupineFoundation
import LupineSupport

/// A value that can be sent as a multipart.
public protocol MultipartConvertible: Sendable {
  /// The multipart to send.
  var multipart: Multipart { get }
}

extension Multipart: MultipartConvertible {
  /// The value itself.
  public var multipart: Multipart { self }
}

extension MultipartConvertible {
  /// Returns a request body that reads each part while it is sent.
  ///
  /// The body can be sent again unless a part is a one-shot stream. The length of the body is known if the length of
  /// each part is. The length of a file is taken when sending begins; if the file becomes shorter or longer during
  /// sending, the request ends with an error.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if a part or the boundary is invalid.
  public func asBody() throws(LupineError) -> RequestBody {
    let pieces = try PieceList(multipart).pieces
    return RequestBody(
      length: Piece.knownLength(of: pieces), through: pieces.compactMap(\.body),
      source: .sequence(pieces.map(\.section))
    ) { (onReady) throws(LupineError) in
      try MultipartReader(pieces, onReady: onReady)
    }
  }

  /// Returns the length of the encoded multipart in bytes; `nil` if it contains a stream of unknown length.
  ///
  /// - Throws: `LupineError` if a part is invalid or a file cannot be read.
  public func contentLength() throws(LupineError) -> Int64? {
    Piece.knownLength(of: try Piece.measured(try PieceList(multipart).pieces))
  }

  /// Returns the whole encoded multipart in memory, whatever its size.
  ///
  /// Sending does not need this.
  ///
  /// - Throws: `LupineError` whose message names the part that could not be read.
  @concurrent public func encode() async throws(LupineError) -> Data {
    var data = Data()
    if let length = try contentLength() { data.reserveCapacity(Int(clamping: length)) }
    try await asBody().drain { (bytes) throws(LupineError) in data.append(contentsOf: bytes) }
    return data
  }

  /// Writes the encoded multipart to a new file, in constant memory.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the file exists already or cannot be written, or an error that
  ///   names the part that could not be read. After an error the file is removed.
  @concurrent public func writeEncodedData(to path: String) async throws(LupineError) {
    let body = try asBody()
    let file = try NewFile.create(at: path)
    do throws(LupineError) {
      try await body.drain { (bytes) throws(LupineError) in try file.write(bytes, at: path) }
    } catch {
      file.remove()
      throw error
    }
  }
}

extension RequestBody {
  /// A multipart body that reads each part while it is sent.
  ///
  /// The request's `Content-Type` must be the multipart's `contentType`.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if a part or the boundary is invalid.
  public static func multipart(_ multipart: some MultipartConvertible) throws(LupineError) -> RequestBody {
    try multipart.asBody()
  }
}

extension NewFile {
  fileprivate static func create(at path: String) throws(LupineError) -> NewFile {
    do throws(Failure) { return try NewFile(path) } catch {
      throw LupineError.file("cannot be written", path, code: error.code)
    }
  }

  fileprivate func write(_ bytes: UnsafeRawBufferPointer, at path: String) throws(LupineError) {
    if let error = bytes.write(to: descriptor) { throw LupineError.file("cannot be written", path, code: error) }
  }
}
