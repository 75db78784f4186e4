import LupineCore
import LupineEventLoop
import LupineTLS
import LupineX509

/// The TLS handshake with the server, or with an HTTPS proxy.
final class TLSStep: ConnectionStep, HandshakeOwner, TurnTaker {
  enum Peer {
    case server
    case proxy(Proxy)
  }

  let context: TransferContext
  private let peer: Peer
  private weak var establishment: Establishment?
  private var channel: TLSChannel?
  private var handshake: Handshake?
  /// The error that the verification has reported.
  private var failure: LupineError?
  /// Whether the loop continues the handshake in its next turn.
  private var hasYielded = false

  init(with peer: Peer, in context: TransferContext) {
    self.peer = peer
    self.context = context
  }

  func begin(_ establishment: Establishment) {
    self.establishment = establishment
    do throws(LupineError) {
      try establishment.connection.wrapChannel { (inner) throws(LupineError) in
        let (channel, handshake) = try makeChannel(over: inner, establishment)
        self.channel = channel
        self.handshake = handshake
        return channel
      }
    } catch {
      return establishment.stepFailed(error)
    }
    proceed()
  }

  private func makeChannel(
    over inner: any Channel, _ establishment: Establishment
  ) throws(LupineError) -> (TLSChannel, Handshake) {
    let (client, route) = (establishment.loop.tls, establishment.route)
    switch peer {
    case .server:
      let protocols = establishment.offeredVersions.map { $0 == .http2 ? Self.http2 : "http/1.1" }
      return try client.makeChannel(over: inner, toServerOf: route, offering: protocols, for: self)
    case .proxy(let proxy): return try client.makeChannel(over: inner, to: proxy, route.connectionKey, for: self)
    }
  }

  func connectionIsReady(_ connection: Connection) { if !hasYielded { proceed() } }

  /// Continues in a new turn, after the handshake has used its share of an earlier one, or the turn had none left.
  func resumeAfterYield() {
    hasYielded = false
    proceed()
  }

  func handshakeFailed(_ error: LupineError) { failure = error }

  private func proceed() {
    guard let channel, let establishment else { return }
    guard establishment.loop.admitsHandshake() else { return yield(establishment) }
    switch channel.shakeHands() {
    case .pending: break
    case .interrupted: yield(establishment)
    case .failed(let reason): establishment.stepFailed(failure ?? error(reason, channel))
    case .finished where handshake?.isTrusted == true || channel.isResumed: finish(channel, establishment)
    case .finished:
      establishment.stepFailed(
        failure ?? LupineError(.certificateRejected, "The \(peerName)'s certificate was not verified."))
    }
  }

  private func yield(_ establishment: Establishment) {
    hasYielded = true
    establishment.loop.resumeNextTurn(self)
  }

  private func finish(_ channel: TLSChannel, _ establishment: Establishment) {
    if case .server = peer {
      let details = channel.details
      establishment.connection.tls = details
      if details.applicationProtocol == Self.http2 { establishment.connection.version = .http2 }
      establishment.loop.readClock()
      establishment.exchange.times.secured = establishment.loop.now
    }
    establishment.stepFinished()
  }

  private var peerName: String { if case .server = peer { "server" } else { "proxy" } }

  private func error(_ reason: String, _ channel: TLSChannel) -> LupineError {
    let verification = channel.verificationFailure
    let detail = "(\(verification.map(OpenSSLText.verification) ?? reason))"
    let kind = verification == nil ? LupineError.Kind.tlsFailed : .certificateRejected
    return switch peer {
    case .proxy(let proxy):
      LupineError(kind, "The TLS connection to the proxy \(proxy) could not be made. \(detail)")
    case .server where verification != nil: LupineError(kind, "The server's certificate is not trusted. \(detail)")
    case .server: LupineError(kind, "The TLS handshake failed. \(detail)")
    }
  }

  /// The name of HTTP/2 over TLS (RFC 9113 section 3.2).
  private static let http2 = "h2"
}
