import HTTPTypes
import LupineCore
import Synchronization

/// A server or a proxy that challenges a request, with the credentials that it may receive.
struct Challenger: Sendable {
  let recipient: AuthenticationContext.Recipient
  /// The request as the challenger receives it.
  let request: OutgoingRequest
  /// The credential for this challenger.
  let own: Credential?
  /// The closure that returns another credential.
  let provider: CredentialProvider?

  var hasCredential: Bool { own != nil || provider != nil }
}

extension ExchangeLoop {
  /// The origin server of a request.
  func server(of request: OutgoingRequest) -> Challenger {
    let (own, provider) = task.state.withLock { ($0.settings.credential, $0.settings.credentialProvider) }
    return Challenger(
      recipient: .origin, request: request, own: own, provider: provider ?? configuration.credentialProvider)
  }

  /// The proxy of a request; uses the credential of the `Proxy` value and none of a server's.
  func proxy(of request: OutgoingRequest) -> Challenger? {
    session.passage(to: request.url).map { passage in
      Challenger(
        recipient: passage.recipient, request: passage.request(for: request), own: passage.proxy.credential,
        provider: nil)
    }
  }

  /// The sender of a challenge with this status and source.
  func challenger(
    of status: Int, from source: TransportResponse.Source, to request: OutgoingRequest
  ) -> Challenger? {
    switch (status, source) {
    case (401, .origin): server(of: request)
    case (407, .proxy): proxy(of: request)
    default: nil
    }
  }
}

extension Session {
  /// The route of a request through a proxy; `nil` if no proxy reads any part of the request.
  func passage(to url: HTTPURL) -> ProxyPassage? {
    configuration.proxies.isEmpty ? nil : ProxyPassage(configuration.proxies.proxy(for: url), to: url)
  }
}
