/// What was asked of one request besides its description.
struct RequestSettings: Sendable {
  var validators: [ResponseValidator] = []
  var adapters: [any RequestAdapter] = []
  var retriers: [any Retrier] = []
  var interceptors: [any Interceptor] = []
  var redirector: Redirector?
  var credential: Credential?
  var idempotencyKey: IdempotencyKey?
}
