public import FoundationEssentials
import Synchronization

/// A request's content, which says whether it can be sent again.
///
/// Bytes, files and streams made by a closure can; a one-shot stream cannot, so it is not resent after a 307, a 308 or a
/// challenge, and retried only while nothing of it has been read. Nothing is read before the request is sent.
public struct RequestBody: Sendable {
  /// Makes a reader for one sending; it calls `onReady` each time bytes are at hand after it said `pending`.
  public typealias Opening =
    @Sendable (_ onReady: @escaping @Sendable () -> Void) throws(LupineError) -> any BodyReader

  /// Bytes in all, where that is known without opening the source; a file's length is its reader's to tell.
  public let length: Int64?
  /// Where the bytes come from.
  public let source: Source
  private let supply: Supply

  private enum Supply: Sendable {
    case anyNumber(Opening)
    case once(Opening)
    case oneShot(OneShotStream)
    case through([RequestBody], Opening)
  }

  /// A body of any other kind, read through what `open` makes.
  ///
  /// - Parameters:
  ///   - length: bytes in all; `nil` sends the body chunked on HTTP/1.1.
  ///   - isReplayable: whether `open` may be called more than once.
  ///   - source: what the reader's bytes are, for whoever shows the request. Default: a stream.
  ///   - open: makes a reader for one sending.
  public init(length: Int64?, isReplayable: Bool, source: Source = .stream, open: @escaping Opening) {
    self.length = length
    self.source = source
    supply = isReplayable ? .anyNumber(open) : .once(open)
  }

  /// A body that is read through others, such as one that codes another; it goes again where each of them does.
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

  /// Whether the body can be sent once more after it came to no connection: a one-shot stream is still whole then.
  package var isRetryable: Bool {
    switch supply {
    case .anyNumber: true
    case .once: false
    case .oneShot(let stream): stream.isWhole
    case .through(let bodies, _): bodies.allSatisfy(\.isRetryable)
    }
  }

  /// Gives a one-shot stream back the bytes that it had, none of which went out.
  public func restore(_ data: Data) {
    if case .oneShot(let stream) = supply { stream.restore(data) }
  }

  /// Lets go of a one-shot stream that nobody has read and nobody will.
  public func discard() {
    switch supply {
    case .anyNumber, .once: break
    case .oneShot(let stream): stream.discard()
    case .through(let bodies, _): for body in bodies { body.discard() }
    }
  }

  /// Opens the body for one sending.
  ///
  /// - Parameter onReady: called, from any thread, each time bytes are at hand after a read said `pending`.
  /// - Throws: `LupineError` of kind `bodyFailed`, as for a file that is missing.
  public func makeReader(onReady: @escaping @Sendable () -> Void) throws(LupineError) -> any BodyReader {
    switch supply {
    case .anyNumber(let open), .once(let open), .through(_, let open): try open(onReady)
    case .oneShot(let stream): try stream.lend(length: length, onReady: onReady)
    }
  }

  /// Where a body's bytes come from.
  public enum Source: Sendable, Hashable {
    /// There is no body.
    case none
    /// Bytes in memory.
    case bytes(Data)
    /// A file, from an offset on.
    case file(path: String, offset: Int64)
    /// Anything that is read as it is sent.
    case stream
    /// Several sources, one after the other.
    case sequence([Section])
  }

  /// One source of a sequence.
  public struct Section: Sendable, Hashable {
    /// Where its bytes come from.
    public let source: Source
    /// How many bytes of a file; `nil` takes them all.
    public let length: Int64?
    /// The name of the form's field that it is the value of, where it is one; a secret name keeps the value out of sight.
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

  /// Whether there is no body at all; a body of zero bytes is one.
  public var isNone: Bool {
    if case .none = source { true } else { false }
  }

  /// Bytes in memory.
  public static func bytes(_ data: Data) -> RequestBody {
    RequestBody(length: Int64(data.count), isReplayable: true, source: .bytes(data)) { (_) throws(LupineError) in
      BytesReader(data)
    }
  }

  /// Text, in UTF-8.
  public static func text(_ text: String) -> RequestBody { .bytes(Data(text.utf8)) }

  /// A file, or a part of it.
  ///
  /// The file is opened when the request is sent. One that shrinks meanwhile ends the request with an error; bytes that
  /// are appended meanwhile are not sent.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - offset: where to begin. Default: 0.
  ///   - length: how many bytes to send; `nil` sends all to the end.
  public static func file(_ path: String, offset: Int64 = 0, length: Int64? = nil) -> RequestBody {
    RequestBody(length: length, isReplayable: true, source: .file(path: path, offset: offset)) {
      (_) throws(LupineError) in
      try FileReader(path: path, offset: offset, length: length)
    }
  }

  /// The file that a file URL names, or a part of it, as `file(_:offset:length:)` does with a path.
  ///
  /// A URL that names no file of this machine is an error of kind `bodyFailed` when the request is sent.
  public static func file(_ url: URL, offset: Int64 = 0, length: Int64? = nil) -> RequestBody {
    do throws(LupineError) {
      return .file(try url.localPath(orFailAs: .bodyFailed), offset: offset, length: length)
    } catch {
      return RequestBody(length: length, isReplayable: true) { (_) throws(LupineError) in throw error }
    }
  }

  /// A stream that can be made anew for each sending.
  ///
  /// - Parameters:
  ///   - length: bytes in all; `nil` sends the body chunked on HTTP/1.1. A stream that yields more or fewer fails.
  ///   - make: makes the sequence; it is asked for its next piece only when the last one is on its way.
  public static func stream<Bytes: AsyncSequence & Sendable>(
    length: Int64? = nil, _ make: @escaping @Sendable () throws -> Bytes
  ) -> RequestBody where Bytes.Element == [UInt8] {
    RequestBody(length: length, isReplayable: true) { (onReady) throws(LupineError) in
      try StreamReader(length: length, make: make, onReady: onReady)
    }
  }

  /// A stream that exists once: it can be sent, but not sent again once something of it has been read.
  public static func oneShot<Bytes: AsyncSequence & Sendable>(length: Int64? = nil, _ bytes: Bytes) -> RequestBody
  where Bytes.Element == [UInt8] {
    RequestBody(
      oneShot: OneShotStream { (onReady) throws(LupineError) in
        try StreamReader(length: length, make: { bytes }, onReady: onReady)
      }, length: length)
  }

  private init(oneShot stream: OneShotStream, length: Int64?) {
    self.length = length
    source = .stream
    supply = .oneShot(stream)
  }
}

/// Reads bytes that are in memory.
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
