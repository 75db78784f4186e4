import Dispatch
import HTTPTypes
import LupineCore
import LupineSupport
import LupineTesting
import Synchronization

/// A transport over blocking sockets with at most one defect, which the kit must detect.
///
/// It implements only the features that `PlainTransportTests` needs. Each exchange has a thread, and each upload has
/// another one.
final class PlainTransport: Transport {
  enum Defect: CaseIterable {
    case omitsSent, reportsSentTwice, keepsSurplus, sendsRefusedBody, interimReleasesBody, ignoresExpectField
    case waitsForContinue, keepsAfterEarlyAnswer, waitsAfterRefusal, holdsUploadBack, neverCancelsBody
    case ownError, retainsContext, ignoresShutdown, failsHeldBackBody, resetEndsBody
    case ignoresRequestClose, ignoresResponseClose, sendsInClear, repeatsHost, ignoresVersion
    case omitsNameResolved, omitsRequestSent
  }

  private struct State {
    var idle: [PlainConnection] = []
    var running: [ObjectIdentifier: PlainExchange] = [:]
    var isShutDown = false
    /// The contexts that the defect `retainsContext` keeps.
    var contexts: [TransferContext] = []
    /// The readers that the defect `neverCancelsBody` keeps; a reader is cancelled when it is released.
    var readers: [any BodyReader] = []
  }

  private static let hasShutDown = LupineError(.sessionShutDown, "The transport was shut down.")

  let defect: Defect?
  /// Opened when the defect begins to wait forever.
  let stuck: Gate
  private let state = Mutex(State())
  private let threads = DispatchGroup()

  init(_ defect: Defect? = nil, stuck: Gate = Gate()) {
    self.defect = defect
    self.stuck = stuck
  }

  var capabilities: TransportCapabilities {
    [.networking, .connectionReuse, .streamedUploads, .informationalResponses]
  }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    if let reason = context.control.reason { throw reason }
    if defect != .sendsInClear { try RequestRules.refuseHTTPS(request) }
    guard request.version == nil || request.version == .http1_1 || defect == .ignoresVersion else {
      throw LupineError(.invalidRequest, "The transport speaks HTTP/1.1 only.")
    }
    let exchange = PlainExchange(request, context, self)
    try await exchange.open()
    let isShutDown = state.withLock { state in
      if !state.isShutDown { state.running[ObjectIdentifier(exchange)] = exchange }
      if defect == .retainsContext { state.contexts.append(context) }
      return state.isShutDown
    }
    if isShutDown { throw Self.hasShutDown }
    context.onCancel { [defect, weak exchange, weak control = context.control] in
      let own = LupineError(control?.reason?.kind ?? .cancelled, "The exchange was cancelled.")
      exchange?.end(defect == .ownError ? own : control?.reason ?? own)
    }
    let answer = await withCheckedContinuation { (continuation: CheckedContinuation<PlainExchange.Answer, Never>) in
      startThread { [self] in
        exchange.run { continuation.resume(returning: $0) }
        _ = state.withLock { $0.running.removeValue(forKey: ObjectIdentifier(exchange)) }
      }
    }
    return try answer.get()
  }

  /// Runs work on a thread for which `shutdown` waits.
  func startThread(_ work: @escaping @Sendable () -> Void) {
    threads.enter()
    let thread = try? SystemThread("plain") { [threads] in
      work()
      threads.leave()
    }
    thread?.detach()
  }

  func shutdown() async {
    let running = state.withLock { state in
      state.isShutDown = true
      state.idle = []
      return Array(state.running.values)
    }
    if defect == .ignoresShutdown { return }
    for exchange in running { exchange.end(Self.hasShutDown) }
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
  }

  func takeConnection() -> PlainConnection? {
    state.withLock { state in
      while let connection = state.idle.popLast() {
        if defect == .keepsSurplus || connection.client.isQuiet { return connection }
      }
      return nil
    }
  }

  func retain(_ reader: any BodyReader) { state.withLock { $0.readers.append(reader) } }

  func keep(_ connection: PlainConnection) {
    state.withLock { if !$0.isShutDown { $0.idle.append(connection) } }
  }
}

/// A connection, with the bytes that have arrived and are not used yet.
final class PlainConnection: Sendable {
  let client: RawClient
  private let bytes = Mutex<[UInt8]>([])

  init(port: Int) throws { client = try RawClient(port: port) }

  var input: [UInt8] {
    get { bytes.withLock { $0 } }
    set { bytes.withLock { $0 = newValue } }
  }

  /// Receives more bytes; returns false at the end of the connection.
  func receive() throws -> Bool {
    let more = try client.receive()
    bytes.withLock { $0 += more }
    return !more.isEmpty
  }

  /// Removes a complete head from the received bytes and parses it; `nil` if its end has not arrived.
  func takeHead() -> HTTPResponse? {
    bytes.withLock { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
      var lines = text[..<end.lowerBound].split(separator: "\r\n")
      bytes.removeFirst(text[..<end.upperBound].utf8.count)
      let status = lines.isEmpty ? nil : Int(lines.removeFirst().dropFirst(9).prefix(3))
      var head = HTTPResponse(status: HTTPResponse.Status(code: status ?? 999))
      for line in lines {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
        head.headerFields.append(HTTPField(name: name, value: String(parts[1].drop { $0 == " " })))
      }
      return head
    }
  }
}
