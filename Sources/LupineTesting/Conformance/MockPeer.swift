import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock
import Synchronization

/// A peer that performs a script with the stubs of a mock, which is the transport under check.
final class MockPeer: ConformancePeer {
  let url = "http://127.0.0.1:80"
  private let mock: MockTransport
  private let script: PeerScript
  private let stubbed = Mutex<Set<HTTPRequest.Method>>([])
  private let record = Mutex<[PeerRequest]>([])

  init(_ mock: MockTransport, _ script: PeerScript) {
    self.mock = mock
    self.script = script
  }

  var requests: [PeerRequest] { record.withLock { $0 } }
  var connectionCount: Int? { nil }

  /// Adds a stub for the request's method, because a stub must name its method.
  ///
  /// The stub is added under the lock, so that no concurrent request with the same method is sent before the stub
  /// exists.
  func prepare(for request: OutgoingRequest) {
    stubbed.withLock { methods in
      if methods.insert(request.method).inserted { stub(request.method) }
    }
  }

  private func stub(_ method: HTTPRequest.Method) {
    if let fault = script.fault {
      mock.stub(
        [method], "/{any...}", count: .optional, MockReply.data(Data("hello".utf8), contentType: nil).fault(fault))
    } else if script.holdsHead {
      mock.stub([method], "/{any...}", count: .optional) { [self] request async throws in
        let reply = answer(request)
        if case .response(let response) = reply { try await response.holdHead() }
        return reply.inMemory
      }
    } else {
      // The mock answers a synchronous closure on its fastest path.
      mock.stub([method], "/{any...}", count: .optional, reading: script.readsBody ? .whole : .first(bytes: 0)) {
        [self] request in answer(request).inMemory
      }
    }
  }

  func waitForOpenConnections(_ count: Int) async throws {}

  func stop() {}

  private func answer(_ request: RecordedRequest) -> PeerReply {
    let seen = record.withLock { record in
      let seen = PeerRequest(
        method: request.method.rawValue, target: request.url.requestTarget, fields: RawFields(request.headers),
        body: [UInt8](request.body), isBodyComplete: request.isBodyComplete, number: record.count)
      record.append(seen)
      return seen
    }
    return script.reply(seen)
  }
}

extension PeerReply {
  fileprivate var inMemory: MockReply {
    switch self {
    case .response(let response): response.inMemory
    case .end, .wire: .reset
    }
  }
}

extension PeerResponse {
  /// Performs the steps before the head.
  func holdHead() async throws {
    for step in before {
      switch step {
      case .wait(let gate): try await gate.opened()
      case .signal(let gate): gate.open()
      case .bytes, .repeated: break
      }
    }
  }

  /// The response as a reply of a mock.
  var inMemory: MockReply {
    var reply = content.fields(fields.httpFields)
    if !informational.isEmpty {
      reply = reply.informational(
        informational.map { interim in
          let phrase = reasonPhrases[interim.status] ?? ""
          return HTTPResponse(
            status: .init(code: interim.status, reasonPhrase: phrase), headerFields: interim.fields.httpFields)
        })
    }
    if !trailers.isEmpty { reply = reply.trailers(trailers.httpFields) }
    return reply
  }

  private var code: HTTPResponse.Status {
    HTTPResponse.Status(code: status, reasonPhrase: reason ?? reasonPhrases[status] ?? "")
  }

  private var content: MockReply {
    switch framing {
    case .none: .status(code)
    case .length(let length): whole(length: length ?? byteCount)
    case .chunked, .untilClose: pieces(length: nil)
    }
  }

  /// Returns a body with a `Content-Length`.
  private func whole(length: Int) -> MockReply {
    guard let plain, length >= byteCount else { return pieces(length: length) }
    var data = Data(capacity: length)
    for piece in plain { data.append(contentsOf: piece) }
    data.append(Data(count: length - byteCount))
    return broken(.data(data, contentType: nil, status: code))
  }

  private func pieces(length: Int?) -> MockReply {
    if let plain, length == nil { return broken(MockReply.status(code).chunked(plain.map { Data($0) })) }
    let failure: LupineError? =
      ending == .complete ? nil : LupineError(.connectionLost, "The connection ended, as the peer's script specifies.")
    let stream = RequestBody.stream(length: length.map { Int64($0) }) { [body] in StepSequence(body, failure: failure) }
    return .body(stream, contentType: nil, status: code)
  }

  private func broken(_ reply: MockReply) -> MockReply {
    switch ending {
    case .complete: reply
    case .close: reply.truncated(afterBytes: byteCount)
    case .reset: reply.reset(afterBytes: byteCount)
    }
  }

  /// The pieces; `nil` if the body has waits or signals, or more than 2 MiB.
  private var plain: [[UInt8]]? {
    guard byteCount <= 2 << 20 else { return nil }
    var pieces: [[UInt8]] = []
    for step in body {
      switch step {
      case .bytes(let bytes): pieces.append(bytes)
      case .repeated(let bytes, let count): pieces += [[UInt8]](repeating: bytes, count: count)
      case .wait, .signal: return nil
      }
    }
    return pieces
  }
}
