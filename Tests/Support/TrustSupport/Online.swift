package import LupineCore
import LupineCurl
package import LupineOpenSSL
package import LupineSession

/// Sessions whose evaluator judges the certificates of a server in a real handshake.
///
/// They use the transport that the current test runs over.
package struct Online {
  package var roots: String?
  package let monitor = WarningLog()

  package init(roots: String? = Pki.root) { self.roots = roots }

  package func session(
    _ evaluator: (any TrustEvaluator)?, _ change: (Session.Builder) throws -> Session.Builder = { $0 }
  ) throws -> Session {
    var builder = Session.Builder().transport(.curl).monitor(monitor)
    if let roots { builder = builder.certificateAuthorities(roots) }
    if let evaluator { builder = builder.trust([:], otherwise: evaluator) }
    return try change(builder).build()
  }

  package func error(
    _ server: TLSServer, _ evaluator: (any TrustEvaluator)?, host: String = "localhost"
  ) async throws -> LupineError? {
    await (try session(evaluator)).request(server.url(host)).serializingData().response.error
  }

  /// The check that the server fails; `nil` if the session trusts the server.
  package func check(
    _ server: TLSServer, _ evaluator: any TrustEvaluator, host: String = "localhost"
  ) async throws -> TrustFailure.Check? {
    guard let error = try await error(server, evaluator, host: host) else { return nil }
    guard error.kind == .certificateRejected, let failure = error.underlying as? TrustFailure else { throw error }
    return failure.check
  }
}
