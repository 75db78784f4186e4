import HTTPTypes
import LupineCore
import LupineEventLoop

/// A step between the connection of the socket and the request, such as a TLS handshake or the tunnel of a proxy.
///
/// The step is the connection's user from `begin` until it calls `stepFinished` or `stepFailed` of the establishment,
/// once. It may call them within `begin`. It is released when the exchange is cancelled or its connect timeout passes.
protocol ConnectionStep: ConnectionUser {
  func begin(_ establishment: Establishment)
}

/// Takes a connected socket through the steps of its route, for the exchange that made it.
///
/// The connect timeout, cancellation and shutdown of the exchange end it.
final class Establishment {
  let connection: Connection
  private var steps: ArraySlice<any ConnectionStep> = []
  /// The setup closes the establishment before it is released.
  private unowned let setup: ConnectionSetup

  init(_ connection: Connection, for setup: ConnectionSetup) {
    self.connection = connection
    self.setup = setup
  }

  var exchange: Exchange { setup.exchange }

  var route: Route { exchange.route }
  var context: TransferContext { exchange.context }
  var loop: Loop { exchange.loop }

  /// Returns the steps to the server of the route, in order.
  private func makeSteps() throws(LupineError) -> [any ConnectionStep] {
    var steps: [any ConnectionStep] = []
    if let proxy = route.proxy {
      if proxy.kind == .https { steps.append(TLSStep(with: .proxy(proxy), in: context)) }
      if let negotiation = try setup.proxyNegotiation() { steps.append(ProxyStep(negotiation, with: proxy)) }
    }
    if route.origin.scheme == .https { steps.append(TLSStep(with: .server, in: context)) }
    return steps
  }

  /// The versions of HTTP that TLS offers to the server, the preferred one first (RFC 7301).
  var offeredVersions: [ProtocolVersion] {
    exchange.mayUseHTTP2 ? [.http2, .http1_1] : [.http1_1]
  }

  /// Begins the first step.
  func begin() {
    do throws(LupineError) {
      steps = try makeSteps()[...]
      stepFinished()
    } catch {
      stepFailed(error)
    }
  }

  /// Begins the next step; after the last one the exchange has its connection.
  func stepFinished() {
    guard let step = steps.popFirst() else { return setup.establishmentFinished(connection) }
    connection.user = step
    step.begin(self)
  }

  /// Ends the exchange, whose request has not been sent.
  func stepFailed(_ error: LupineError) { exchange.fail(error) }

  /// Ends the exchange with the response of a proxy that opens no tunnel.
  func tunnelRefused(_ response: HTTPResponse) { exchange.finish(refused: response) }

  /// Tries the server's next address, because the proxy cannot connect to the present one.
  func targetRefused(_ error: LupineError) { setup.targetRefused(error) }

  /// Closes the connection.
  func close() {
    steps = []
    loop.connections.close(connection)
  }
}
