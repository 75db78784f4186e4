import HTTPTypes

/// What was asked of one request besides its description.
struct RequestSettings: Sendable {
  var validators: [ResponseValidator] = []
  var adapters: [any RequestAdapter] = []
  var retriers: [any Retrier] = []
  var interceptors: [any Interceptor] = []
  var redirector: Redirector?
  var credential: Credential?
  var idempotencyKey: IdempotencyKey?
  var credentialProvider: CredentialProvider?
  /// Who decides at the head whether the response is wanted.
  var responseDeciders: [@Sendable (HTTPResponse) async -> ResponseDisposition] = []
  /// Who hears of interim responses.
  var interimListeners: [InterimListener] = []
}
