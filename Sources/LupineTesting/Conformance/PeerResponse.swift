/// A response that both a server on loopback and a mock can send.
public struct PeerResponse: Sendable {
  /// The framing of the body.
  public enum Framing: Sendable, Hashable {
    /// By `Content-Length`: the given value, or the length of the steps' content.
    case length(Int? = nil)
    /// By the chunked coding.
    case chunked
    /// By the end of the connection.
    case untilClose
    /// No framing, because the status or the method allows no body.
    case none
  }

  /// One step of a body, or one step before the head.
  public enum Step: Sendable {
    /// Content.
    case bytes([UInt8])
    /// The same content repeatedly.
    case repeated([UInt8], count: Int)
    /// Waits until the gate is open.
    case wait(Gate)
    /// Opens a gate.
    case signal(Gate)
  }

  /// The waits and signals before the head.
  public var before: [Step] = []
  /// The status codes and fields of interim responses.
  public var informational: [(status: Int, fields: RawFields)] = []
  /// The status code.
  public var status = 200
  /// The reason phrase; `nil` means the standard one.
  public var reason: String?
  /// The fields, without those that frame the body.
  public var fields: RawFields = [:]
  /// The framing of the body.
  public var framing = Framing.length()
  /// The steps of the body.
  public var body: [Step] = []
  /// The trailers of a chunked body.
  public var trailers: RawFields = [:]
  /// The way in which the response ends.
  public var ending = PeerEnding.complete

  /// Creates a response of status 200 without content.
  public init() {}

  /// The length of the steps' content in bytes.
  public var byteCount: Int {
    body.reduce(0) { sum, step in
      switch step {
      case .bytes(let bytes): sum + bytes.count
      case .repeated(let bytes, let count): sum + bytes.count * count
      case .wait, .signal: sum
      }
    }
  }
}

extension PeerReply {
  /// A complete response with a text and its `Content-Length`.
  static func text(_ text: String, status: Int = 200, fields: RawFields = [:]) -> PeerReply {
    bytes(Array(text.utf8), status: status, fields: fields)
  }

  static func bytes(_ bytes: [UInt8], status: Int = 200, fields: RawFields = [:]) -> PeerReply {
    make { response in
      response.status = status
      response.fields = fields
      if !bytes.isEmpty { response.body = [.bytes(bytes)] }
    }
  }

  /// A complete chunked response.
  static func chunks(_ steps: [PeerResponse.Step], trailers: RawFields = [:]) -> PeerReply {
    make { response in
      response.framing = .chunked
      response.body = steps
      response.trailers = trailers
    }
  }

  /// A response without a body, such as one of status 204.
  static func bare(status: Int, fields: RawFields = [:]) -> PeerReply {
    make { response in
      response.status = status
      response.fields = fields
      response.framing = .none
    }
  }

  static func make(_ change: (inout PeerResponse) -> Void) -> PeerReply {
    var response = PeerResponse()
    change(&response)
    return .response(response)
  }
}

extension PeerResponse.Step {
  static func text(_ text: String) -> Self { .bytes(Array(text.utf8)) }
}

/// Returns bytes in which adjacent blocks differ, so that a lost or repeated block is detected.
func numberedBytes(_ count: Int) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: index ^ (index >> 8) ^ (index >> 16)) }
    initialized = count
  }
}

/// Yields the content of steps, and performs their waits and signals.
struct StepSequence: AsyncSequence, Sendable {
  private let steps: [PeerResponse.Step]
  private let failure: (any Error)?

  /// - Parameter failure: the error after the last step; `nil` ends the sequence without an error.
  init(_ steps: [PeerResponse.Step], failure: (any Error)? = nil) {
    self.steps = steps
    self.failure = failure
  }

  func makeAsyncIterator() -> Iterator { Iterator(steps: steps[...], failure: failure) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var steps: ArraySlice<PeerResponse.Step>
    fileprivate let failure: (any Error)?

    mutating func next() async throws -> [UInt8]? {
      while let step = steps.popFirst() {
        switch step {
        case .bytes(let bytes): return bytes
        case .repeated(let bytes, let count):
          guard count > 0 else { continue }
          steps = [.repeated(bytes, count: count - 1)] + steps
          return bytes
        case .wait(let gate): try await gate.opened()
        case .signal(let gate): gate.open()
        }
      }
      if let failure { throw failure }
      return nil
    }
  }
}
