#if Terminal
  import FoundationEssentials
  import LupineCore
  import LupineCurl
  import LupineOpenSSL
  import Synchronization

  /// What a server presents, whether it is to be trusted or not.
  struct PresentedChain: Sendable {
    var certificates: [Certificate] = []
    var verificationFailure: String?
    var problem: String?

    /// Makes a handshake and breaks it off, so that no request is sent.
    static func ask(_ server: String) async -> PresentedChain {
      let probe = Probe()
      do throws(LupineError) {
        let session = try Session.Builder().transport(.curl).timeouts(connect: .seconds(10)).trust(
          [:], otherwise: probe
        )
        .build()
        let response = await session.request("https://\(server)/").serializingData().response
        var seen = probe.seen
        if seen.certificates.isEmpty { seen.problem = response.error?.message }
        return seen
      } catch {
        return PresentedChain(problem: error.message)
      }
    }
  }

  /// Remembers what it is shown, and trusts nobody.
  private final class Probe: TrustEvaluator {
    private struct Enough: Error {}
    private let state = Mutex(PresentedChain())

    var replacesVerification: Bool { true }
    var seen: PresentedChain { state.withLock { $0 } }

    func evaluate(_ trust: ServerTrust) throws {
      let chain = trust.verifiedChain ?? trust.presentedChain
      state.withLock {
        $0.certificates = chain.compactMap { try? Certificate(der: $0) }
        $0.verificationFailure = trust.verificationFailure
      }
      throw Enough()
    }
  }
#endif
