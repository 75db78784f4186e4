import HTTPTypes
public import LupineCore
import LupineFoundation
public import LupineSession

/// Encodes the bodies of requests, and names the coding in `Content-Encoding`.
///
/// Use it only for servers that are known to accept the coding; servers rarely announce that. A body in memory of at
/// most 1 MiB is encoded before sending and keeps a known length. Any other body is encoded while it is sent, in
/// constant memory; its length is unknown, so it is sent chunked on HTTP/1.1.
public struct RequestCompression: RequestAdapter {
  /// The treatment of a request that would be encoded and already has a `Content-Encoding`.
  public enum ExistingCoding: Sendable, Hashable {
    /// The request fails with kind `invalidRequest`.
    case fail
    /// The field is removed, and the body is encoded as if the field had been absent.
    case replace
    /// The request is sent unchanged.
    case skip
  }

  private let coding: any ContentCoding
  private let minimumSize: Int64
  private let existing: ExistingCoding
  private let isEligible: Predicate

  /// Decides whether a request's body is encoded; `false` leaves the request unchanged.
  ///
  /// It is called once for each attempt of a request with a body that is not smaller than `minimumSize`, on the
  /// session's executor; calls may be concurrent.
  public typealias Predicate = @Sendable (OutgoingRequest) -> Bool

  /// Creates the adapter with a coding.
  ///
  /// - Parameters:
  ///   - minimumSize: the size in bytes below which a body of known length is not encoded. Default: 1 KiB.
  ///   - existing: the treatment of a request that already has a `Content-Encoding`. Default: the request fails.
  ///   - isEligible: decides by the request and its body whether the body is encoded; see `Predicate`. Default: every
  ///     body is.
  public init(
    _ coding: some ContentCoding, minimumSize: Int64 = 1 << 10, existing: ExistingCoding = .fail,
    where isEligible: @escaping Predicate = { _ in true }
  ) {
    self.coding = coding
    self.minimumSize = minimumSize
    self.existing = existing
    self.isEligible = isEligible
  }

  /// Encodes the body, unless it is small or the predicate refuses it.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if the body would be encoded, the request has a
  ///   `Content-Encoding`, and `existing` is `fail`.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard !request.body.isNone else { return request }
    if let length = request.body.length, length < minimumSize { return request }
    guard isEligible(request) else { return request }
    var request = request
    if let field = request.headers[.contentEncoding] {
      switch existing {
      case .skip: return request
      case .replace: request.headers[.contentEncoding] = nil
      case .fail:
        throw LupineError(
          .invalidRequest,
          "The request has a Content-Encoding, \(field), and would be encoded with \(coding.name) again; choose whether to replace or skip it with `existing`."
        )
      }
    }
    request.body = try coded(request.body)
    request.headers[.contentEncoding] = coding.name
    return request
  }

  /// The size in bytes above which a body is encoded while it is sent, so that the caller does not wait for it.
  private static let inMemoryLimit = 1 << 20

  private func coded(_ body: RequestBody) throws(LupineError) -> RequestBody {
    if case .bytes(let data) = body.source, data.count <= Self.inMemoryLimit {
      let reader = EncodingBodyReader(try body.makeReader {}, try coding.makeEncoder())
      return .bytes(try reader.readAll())
    }
    return RequestBody(length: nil, through: [body]) { [coding] (onReady) throws(LupineError) in
      EncodingBodyReader(try body.makeReader(onReady: onReady), try coding.makeEncoder())
    }
  }
}

extension RequestAdapter where Self == RequestCompression {
  /// Encodes the bodies of requests; see `RequestCompression`.
  public static func compression(
    _ coding: some ContentCoding = GzipCoding(), minimumSize: Int64 = 1 << 10,
    existing: RequestCompression.ExistingCoding = .fail,
    where isEligible: @escaping RequestCompression.Predicate = { _ in true }
  ) -> RequestCompression {
    RequestCompression(coding, minimumSize: minimumSize, existing: existing, where: isEligible)
  }
}

/// Reads a body through an encoder, piece by piece.
final class EncodingBodyReader: BodyReader {
  fileprivate struct State {
    /// The encoded bytes; those before `position` have been read.
    var output: [UInt8] = []
    var position = 0
    var input = [UInt8](repeating: 0, count: 64 << 10)
    var hasEnded = false
  }

  private let base: any BodyReader
  private let encoder: any BodyTransformer
  private let state = ExclusiveState(State())

  init(_ base: any BodyReader, _ encoder: any BodyTransformer) {
    self.base = base
    self.encoder = encoder
  }

  var length: Int64? { nil }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    try state.withState { (state) throws(LupineError) -> BodyRead in
      while state.position == state.output.count {
        if state.hasEnded { return .end }
        state.position = 0
        state.output.removeAll(keepingCapacity: true)
        switch try base.read(into: &state.input) {
        case .pending: return .pending
        case .bytes(let count): try encode(count, &state)
        case .end:
          state.hasEnded = true
          try encoder.finish { state.output += $0 }
        }
      }
      return .bytes(state.moveOutput(into: buffer))
    }
  }

  func cancel() { base.cancel() }

  /// Reads a body in memory to its end.
  func readAll() throws(LupineError) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while case .bytes(let count) = try read(into: &buffer) { data += buffer.prefix(count) }
    return data
  }

  private func encode(_ count: Int, _ state: inout State) throws(LupineError) {
    // The output is moved out of the state while the input is borrowed; its capacity is reused.
    var output: [UInt8] = []
    swap(&output, &state.output)
    defer { swap(&output, &state.output) }
    let result = state.input.withUnsafeBytes { bytes -> Result<Void, LupineError> in
      do throws(LupineError) {
        try encoder.transform(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { output += $0 }
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
  }
}

extension EncodingBodyReader.State {
  fileprivate mutating func moveOutput(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, output.count - position)
    output.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }
    position += count
    return count
  }
}
