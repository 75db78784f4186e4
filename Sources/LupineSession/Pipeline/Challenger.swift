import HTTPTypes
import LupineCore
import Synchronization

/// Who may ask for a credential in an exchange, a server or a proxy, and what may be given to it.
struct Challenger: Sendable {
  let recipient: AuthenticationContext.Recipient
  /// The request as the asker sees it.
  let request: OutgoingRequest
  /// The credential that is meant for the asker.
  let own: Credential?
  /// Whom to ask for another.
  let provider: CredentialProvider?

  var hasCredential: Bool { own != nil || provider != nil }
}

extension ExchangeLoop {
  /// The server of a request.
  func server(of request: OutgoingRequest) -> Challenger {
    let (own, provider) = task.state.withLock { ($0.settings.credential, $0.settings.credentialProvider) }
    return Challenger(
      recipient: .origin, request: request, own: own, provider: provider ?? configuration.credentialProvider)
  }

  /// The proxy of a request; it is given what its session names with it, and no server's credential.
  func proxy(of request: OutgoingRequest) -> Challenger? {
    session.passage(to: request.url).map { passage in
      Challenger(
        recipient: passage.recipient, request: passage.request(for: request), own: passage.proxy.credential,
        provider: nil)
    }
  }

  /// Who asks with this head.
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
  /// The way of a request through a proxy; `nil` where no proxy reads anything of it.
  func passage(to url: HTTPURL) -> ProxyPassage? {
    configuration.proxies.isEmpty ? nil : ProxyPassage(configuration.proxies.proxy(for: url), to: url)
  }
}
