package import FoundationEssentials
import HTTPTypes
package import LupineCore
import LupineMock
package import LupineOpenSSL
import LupineSession

/// A request over the mock, which presents certificates to a real evaluator at a date that the test sets.
package struct Offline {
  package var host = "localhost"
  package var chain: [Data] = []
  package var staple: Data?
  package var verified: [Data]?
  package var failure: String?
  package var roots: String? = Pki.root
  package var additionalRoots: String?
  package var now = Pki.day
  package let monitor = WarningLog()

  package init(_ name: String? = nil, host: String = "localhost", staple: String? = nil, roots: String? = Pki.root)
    throws
  {
    self.host = host
    self.roots = roots
    if let name { chain = try Pki.chain(name) }
    self.staple = try staple.map(Pki.staple)
  }

  /// Sends the request; the error is `nil` if the session trusts the server.
  package func error(_ evaluator: any TrustEvaluator) async throws -> LupineError? {
    let mock = MockTransport()
    mock.stub(.get, "/", .empty)
    mock.presents(
      chain: chain, for: host, verifiedChain: verified, verificationFailure: failure, stapledOCSPResponse: staple)
    var builder = Session.Builder().transport(mock).clock(ImmediateClock()).now { [now] in now }.monitor(monitor)
      .trust([:], otherwise: evaluator)
    if let roots { builder = builder.certificateAuthorities(roots) }
    if let additionalRoots { builder = builder.additionalCertificateAuthorities(additionalRoots) }
    let name = host.contains(":") ? "[\(host)]" : host
    return await (try builder.build()).request("https://\(name)/").serializingData().response.error
  }

  /// The check that the server fails; `nil` if the session trusts the server.
  package func check(_ evaluator: any TrustEvaluator) async throws -> TrustFailure.Check? {
    guard let error = try await error(evaluator) else { return nil }
    guard error.kind == .certificateRejected, let failure = error.underlying as? TrustFailure else { throw error }
    return failure.check
  }
}
