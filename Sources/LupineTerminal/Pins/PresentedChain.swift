#if Terminal
  import LupineCore
  import LupineFoundation
  import LupineNative
  import LupineOpenSSL
  import LupineSession
  import Synchronization

  /// The certificates that a server presents, trusted or not.
  struct PresentedChain: Sendable {
    var certificates: [Certificate] = []
    /// The reasons not to trust the server.
    var remarks: [String] = []
    /// The reason why there is no certificate.
    var problem: LupineError?

    /// Performs a handshake and ends it before a request is sent.
    ///
    /// - Parameter server: `HOST`, `HOST:PORT` or a URL with the scheme `https`.
    static func ask(_ server: String) async -> PresentedChain {
      let probe = Probe()
      do throws(LupineError) {
        let session = try Session.Builder().transport(.native).timeouts(connect: .seconds(10)).trust(
          [:], otherwise: probe
        )
        .build()
        let response = await session.request(url(server)).serializingData().response
        await session.shutdown()
        var seen = probe.seen
        if seen.certificates.isEmpty { seen.problem = response.error }
        return seen
      } catch {
        return PresentedChain(problem: error)
      }
    }

    private static func url(_ server: String) -> String {
      server.hasPrefix("https://") ? server : "https://\(server)/"
    }
  }

  /// Stores the presented chain, and rejects every server.
  private final class Probe: TrustEvaluator {
    private struct Enough: Error {}
    private let state = Mutex(PresentedChain())

    var replacesVerification: Bool { true }
    var seen: PresentedChain { state.withLock { $0 } }

    func evaluate(_ trust: ServerTrust) throws {
      let certificates = (trust.verifiedChain ?? trust.presentedChain).compactMap { try? Certificate(der: $0) }
      var remarks = trust.verificationFailure.map { ["not verified: \($0)"] } ?? []
      if certificates.first?.matches(host: trust.host) == false { remarks.append("not for this host: \(trust.host)") }
      state.withLock { $0 = PresentedChain(certificates: certificates, remarks: remarks) }
      throw Enough()
    }
  }
#endif
