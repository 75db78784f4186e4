public import LupineFoundation
import LupineSupport
import Synchronization

/// The content of a request.
///
/// It states whether it can be sent again.
///
/// Bytes, files and streams made by a closure can be sent again. A one-shot stream cannot: it is not resent after a
/// 307, a 308 or a challenge, and is retried only if no part of it has been read. Nothing is read before the request is
/// sent.
public struct RequestBody: Sendable {
  /// Makes a reader for one sending.
  ///
  /// It is called on a thread that may wait for disks (`BlockingWork`), or on the thread of a caller of
  /// `makeReader(onReady:)`. The reader calls `onReady` each time bytes become available after it returned `pending`.
  public typealias Opening =
    @Sendable (_ onReady: @escaping @Sendable () -> Void) throws(LupineError) -> any BodyReader

  /// The length in bytes; `nil` if it is not known without opening the source.
  ///
  /// The reader of a file states the file's length.
  public let length: Int64?
  /// The source of the bytes.
  public let source: Source
  private let supply: Supply

  private enum Supply: Sendable {
    case anyNumber(Opening)
    case once(Opening)
    case oneShot(OneShotStream)
    case through([RequestBody], Opening)
  }

  /// Creates a body whose bytes come from the reader that `open` makes.
  ///
  /// - Parameters:
  ///   - length: the length in bytes; `nil` sends the body chunked on HTTP/1.1.
  ///   - isReplayable: whether `open` may be called more than once.
  ///   - source: a description of the bytes for code that shows the request. Default: a stream.
  ///   - open: makes a reader for one sending; `Opening` says where it is called.
  public init(length: Int64?, isReplayable: Bool, source: Source = .stream, open: @escaping Opening) {
    self.length = length
    self.source = source
    supply = isReplayable ? .anyNumber(open) : .once(open)
  }

  /// Creates a body that reads other bodies, such as one that encodes another.
  ///
  /// It can be sent again if each of them can. `Opening` says where `open` is called.
  public init(length: Int64?, through bodies: [RequestBody], source: Source = .stream, open: @escaping Opening) {
    self.length = length
    self.source = source
    supply = .through(bodies, open)
  }

  /// Whether the body can be sent more than once.
  public var isReplayable: Bool {
    switch supply {
    case .anyNumber: true
    case .once, .oneShot: false
    case .through(let bodies, _): bodies.allSatisfy(\.isReplayable)
    }
  }

  /// Whether the body can be sent again after a connection failed.
  ///
  /// A one-shot stream can if no part of it has been read.
  public var isRetryable: Bool {
    switch supply {
    case .anyNumber: true
    case .once: false
    case .oneShot(let stream): stream.isWhole
    case .through(let bodies, _): bodies.allSatisfy(\.isRetryable)
    }
  }

  /// Restores the bytes of a one-shot stream, none of which was sent.
  public func restore(_ data: Data) {
    if case .oneShot(let stream) = supply { stream.restore(data) }
  }

  /// Releases a one-shot stream that has not been read and will not be read.
  public func abandon() {
    switch supply {
    case .anyNumber, .once: break
    case .oneShot(let stream): stream.abandon()
    case .through(let bodies, _): for body in bodies { body.abandon() }
    }
  }

  /// Opens the body for one sending; waits for a disk if the body is a file.
  ///
  /// A transport calls `TransferContext.makeReader(for:…)` instead, which waits on another thread.
  ///
  /// - Parameter onReady: called from any thread each time bytes become available after a read returned `pending`.
  /// - Throws: `LupineError` of kind `bodyFailed`, for example if a file is missing.
  public func makeReader(onReady: @escaping @Sendable () -> Void) throws(LupineError) -> any BodyReader {
    switch supply {
    case .anyNumber(let open), .once(let open), .through(_, let open): try open(onReady)
    case .oneShot(let stream): try stream.makeReader(length: length, onReady: onReady)
    }
  }

  /// The source of a body's bytes.
  public enum Source: Sendable, Hashable {
    /// There is no body.
    case none
    /// Bytes in memory.
    case bytes(Data)
    /// A file, from an offset on.
    case file(path: String, offset: Int64)
    /// A stream that is read while it is sent.
    case stream
    /// Several sources, one after the other.
    case sequence([Section])
  }

  /// One source of a sequence.
  public struct Section: Sendable, Hashable {
    /// The source of the bytes.
    public let source: Source
    /// The number of bytes of a file; `nil` means all.
    public let length: Int64?
    /// The name of the form field whose value the section is, if any.
    ///
    /// If the name is secret, the value is not shown.
    public let name: String?

    /// Describes a section.
    public init(_ source: Source, length: Int64? = nil, name: String? = nil) {
      self.source = source
      self.length = length
      self.name = name
    }
  }
}

extension RequestBody {
  /// No body at all.
  public static let none = RequestBody(length: 0, isReplayable: true, source: .none) { (_) throws(LupineError) in
    BytesReader(Data())
  }

  /// Whether there is no body.
  ///
  /// A body of zero bytes is a body.
  public var isNone: Bool {
    if case .none = source { true } else { false }
  }

  /// Bytes in memory.
  public static func bytes(_ data: Data) -> RequestBody {
    RequestBody(length: Int64(data.count), isReplayable: true, source: .bytes(data)) { (_) throws(LupineError) in
      BytesReader(data)
    }
  }

  /// Bytes of an array in memory.
  public static func bytes(_ bytes: [UInt8]) -> RequestBody { .bytes(Data(bytes)) }

  /// Unavailable: `bytes(_:)` takes the data.
  @available(*, unavailable, renamed: "bytes(_:)")
  public static func data(_ data: Data) -> RequestBody { .bytes(data) }

  /// Text, in UTF-8.
  public static func text(_ text: String) -> RequestBody { .bytes(Data(text.utf8)) }

  /// A file, or a part of it.
  ///
  /// The file is opened when the request is sent. If it shrinks during the sending, the request ends with an error.
  /// Bytes that are appended during the sending are not sent.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - offset: the first byte to send. Default: 0.
  ///   - length: the number of bytes to send; `nil` sends all to the end.
  public static func file(_ path: String, offset: Int64 = 0, length: Int64? = nil) -> RequestBody {
    RequestBody(length: length, isReplayable: true, source: .file(path: path, offset: offset)) {
      (onReady) throws(LupineError) in
      try FileReader(path: path, offset: offset, length: length, onReady: onReady)
    }
  }

  /// The file that a file URL refers to, or a part of it; see `file(_:offset:length:)` for a path.
  ///
  /// If the URL refers to no local file, the request ends with an error of kind `bodyFailed` when it is sent.
  public static func file(_ url: URL, offset: Int64 = 0, length: Int64? = nil) -> RequestBody {
    do throws(LupineError) {
      return .file(try url.localPath(orFailAs: .bodyFailed), offset: offset, length: length)
    } catch {
      return RequestBody(length: length, isReplayable: true) { (_) throws(LupineError) in throw error }
    }
  }

  /// A stream that a closure creates for each sending.
  ///
  /// - Parameters:
  ///   - length: the length in bytes; `nil` sends the body chunked on HTTP/1.1. A stream that yields more or fewer
  ///     bytes fails.
  ///   - make: makes the sequence; called on a thread that waits for disks. The next piece is requested after the
  ///     last one has been read.
  public static func stream<Bytes: AsyncSequence & Sendable>(
    length: Int64? = nil, _ make: @escaping @Sendable () throws -> Bytes
  ) -> RequestBody where Bytes.Element == [UInt8] {
    RequestBody(length: length, isReplayable: true) { (onReady) throws(LupineError) in
      try StreamReader(length: length, make: make, onReady: onReady)
    }
  }

  /// A stream that can be read only once.
  ///
  /// It cannot be sent again after a part of it has been read.
  public static func oneShot<Bytes: AsyncSequence & Sendable>(length: Int64? = nil, _ bytes: Bytes) -> RequestBody
  where Bytes.Element == [UInt8] {
    RequestBody(
      oneShot: OneShotStream { (onReady) throws(LupineError) in
        try StreamReader(length: length, make: { bytes }, onReady: onReady)
      }, length: length)
  }

  /// A stream of pieces of any type, such as `Data`, that can be read only once.
  ///
  /// Each piece is copied into an array and sent as it comes.
  ///
  /// - Parameter length: the length in bytes; another number of bytes fails with kind `bodyFailed`. Default: `nil`, unknown.
  @_disfavoredOverload
  public static func oneShot<Pieces: AsyncSequence & Sendable>(length: Int64? = nil, _ pieces: Pieces) -> RequestBody
  where Pieces.Element: Sequence<UInt8> & Sendable {
    .oneShot(length: length, pieces.map { Array($0) })
  }

  /// A stream of single bytes that can be read only once.
  ///
  /// The bytes are sent in pieces of 16 KiB; the last one is shorter. The bytes of a slow sequence wait until a piece is full.
  ///
  /// - Parameter length: the length in bytes; another number of bytes fails with kind `bodyFailed`. Default: `nil`, unknown.
  @_disfavoredOverload
  public static func oneShot<Bytes: AsyncSequence & Sendable>(length: Int64? = nil, _ bytes: Bytes) -> RequestBody
  where Bytes.Element == UInt8 {
    .oneShot(length: length, CollectedBytes(bytes: bytes))
  }

  private init(oneShot stream: OneShotStream, length: Int64?) {
    self.length = length
    source = .stream
    supply = .oneShot(stream)
  }
}

/// Reads bytes in memory.
final class BytesReader: BodyReader {
  let length: Int64?
  private let data: Data
  private let position = Mutex(0)

  init(_ data: Data) {
    self.data = data
    length = Int64(data.count)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    position.withLock { position in
      let count = min(buffer.count, data.count - position)
      guard count > 0 else { return .end }
      data.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
      }
      position += count
      return .bytes(count)
    }
  }

  func cancel() {}
}

extension RequestBody {
  private static let pieceSize = 128 << 10

  /// Reads the whole body without a transport, piece by piece.
  ///
  /// `take` is called in the calling task, with one piece after another. The pointer is valid only during the call.
  ///
  /// - Throws: the `LupineError` of the body or of `take`, or kind `cancelled` if the task is cancelled.
  public func drain(into take: (UnsafeRawBufferPointer) throws(LupineError) -> Void) async throws(LupineError) {
    let executor = ExecutorPreference.current
    let reader = try await BlockingWork.run { () throws(LupineError) in
      try AsyncBodyReader { (onReady) throws(LupineError) in try opener(on: executor, onReady)().get() }
    }
    // Has no effect after the end.
    defer { reader.cancel() }
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 1)
    defer { space.deallocate() }
    while let count = try await reader.read(into: space) {
      try take(UnsafeRawBufferPointer(rebasing: space[..<count]))
    }
  }
}
