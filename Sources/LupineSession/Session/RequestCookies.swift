import HTTPTypes
import LupineCore
import LupineFoundation

/// The cookies of a session's exchanges: those that go with a request, and those that a response sets.
struct RequestCookies: Sendable {
  /// `nil` if the session stores no cookies.
  let store: (any CookieStore)?
  /// Whether there is a store; a comparison of `store` with `nil` would copy it.
  let hasStore: Bool
  /// The session's date.
  let now: @Sendable () -> Date

  init(store: (any CookieStore)?, now: @escaping @Sendable () -> Date) {
    self.store = store
    hasStore = store != nil
    self.now = now
  }

  /// Adds the cookies that the store has for the request's URL.
  ///
  /// A `Cookie` field of the request comes first, and has precedence if both contain the same name. All cookies go into
  /// one field (RFC 6265 section 5.4), because swift-http-types would split them.
  func add(to request: inout OutgoingRequest) {
    if !hasStore, !request.has(.cookie) { return }
    let values = request.headers[values: .cookie]
    let own = values.joined(separator: "; ")
    let pairs = store?.cookies(for: request.url, now: now()) ?? []
    guard !pairs.isEmpty || values.count > 1 else { return }
    let taken = Set(
      own.split(separator: ";").map { pair in
        String(pair.prefix { $0 != "=" }.drop { $0 == " " })
      })
    let added = pairs.filter { !taken.contains($0.name) }.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
    guard !added.isEmpty || values.count > 1 else { return }
    request.headers[values: .cookie] = [((own.isEmpty ? [] : [own]) + added).joined(separator: "; ")]
  }

  /// Stores the cookies that a server's response sets.
  func keep(_ response: TransportResponse, to request: OutgoingRequest) {
    guard let store, response.source == .origin else { return }
    let fields = response.head.headerFields[values: .setCookie]
    if !fields.isEmpty { store.store(fields, from: request.url, now: now()) }
  }
}
