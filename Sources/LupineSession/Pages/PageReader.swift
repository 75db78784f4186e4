import HTTPTypes
import LupineCoding
import LupineCore

/// Requests one page after the other and finds the link to the next one.
struct PageReader<Value: Decodable & Sendable> {
  /// The fields that are sent for the first page only, because they concern one representation (RFC 9110 sections 13.1
  /// and 14.2).
  private static var fieldsOfFirstPage: [HTTPField.Name] {
    [.range, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange]
  }

  private let pages: PageSequence<Value>
  /// The request for the next page, or the reason why there is none; `nil` at the end.
  private var nextRequest: Result<OutgoingRequest, LupineError>?
  private var hasBegun = false
  private var count = 0
  /// The URLs of the pages so far without fragments, before and after redirects.
  private var visited: Set<String> = []

  init(_ pages: PageSequence<Value>) { self.pages = pages }

  /// Returns the next page; `nil` at the end and after an error.
  mutating func next(
    isolation: isolated (any Actor)?
  ) async throws(LupineError) -> (value: Value, response: DataResponse<Value>)? {
    if !hasBegun {
      hasBegun = true
      nextRequest = pages.first
    }
    guard let request = try nextRequest.take()?.get() else { return nil }
    try beginPage(request)
    let response = await pages.makeTask(pages.session.request(request)).response
    let value = try response.result.get()
    // The next call throws an error of the link, so that this page is still returned.
    do throws(LupineError) {
      nextRequest = try requestForNextPage(after: request, response).map { .success($0) }
    } catch {
      nextRequest = .failure(error)
    }
    return (value, response)
  }

  /// Counts the page and records its URL; throws if there are more pages than the limit.
  private mutating func beginPage(_ request: OutgoingRequest) throws(LupineError) {
    guard count < pages.limit else {
      let message =
        pages.limit < 1
        ? "The limit of this sequence is \(pages.limit) pages; use a limit of at least 1."
        : "There are more than \(pages.limit) pages, the limit of this sequence; raise it, or end with prefix(_:)."
      throw LupineError(.limitExceeded(.pages), message).about(request.summary)
    }
    count += 1
    visited.insert(request.url.absoluteTarget)
  }

  /// The request for the page after a response; `nil` if it has no link to one.
  private mutating func requestForNextPage(
    after request: OutgoingRequest, _ response: DataResponse<Value>
  ) throws(LupineError) -> OutgoingRequest? {
    let page = response.request?.url ?? request.url
    visited.insert(page.absoluteTarget)
    guard let link = response.links.first(where: { $0.has(relation: "next") && $0.hasContext(page) }) else {
      return nil
    }
    guard let target = link.url else { throw Self.failure("is no valid http or https URL", request) }
    guard !visited.contains(target.absoluteTarget) else {
      throw Self.failure("leads back to a page that was requested before", request)
    }
    try checkOrigins(of: response, target, request)
    var next = request
    next.url = try beforeMapping(target, page, request)
    for name in Self.fieldsOfFirstPage where next.headers.contains(name) { next.headers[name] = nil }
    return next
  }

  /// The target at the origin before the adapters, if they changed the origin of the page and not its path.
  ///
  /// The adapters map it again. Default fields and credentials have the origin before the adapters as their scope.
  private func beforeMapping(
    _ target: HTTPURL, _ page: HTTPURL, _ request: OutgoingRequest
  ) throws(LupineError) -> HTTPURL {
    let url = request.url
    guard target.origin == page.origin, page.origin != url.origin, page.path == url.path else { return target }
    return try HTTPURL(url.origin.description + target.requestTarget)
  }

  /// Throws if a redirect or the link leads to another origin.
  ///
  /// The session adds its credentials to the request of each page, so another origin must not choose its URL. An
  /// adapter may map the origin: the origin of the request before the adapters and the origin that it was sent to are
  /// both origins of the page.
  private func checkOrigins(
    of response: DataResponse<Value>, _ target: HTTPURL, _ request: OutgoingRequest
  ) throws(LupineError) {
    let urls = response.redirects.map(\.request.url) + [response.request?.url ?? request.url]
    let origins = [request.url.origin] + urls.prefix(1).map(\.origin)
    if let redirected = urls.first(where: { !origins.contains($0.origin) }) {
      throw Self.failure(
        "comes from \(redirected.origin), another origin that a redirect leads to; request the first page there",
        request)
    }
    guard origins.contains(target.origin) else {
      throw Self.failure(
        "leads to \(target.origin), another origin than that of the page; request the pages there separately, with "
          + "fields for that origin",
        request)
    }
  }

  private static func failure(_ problem: String, _ request: OutgoingRequest) -> LupineError {
    LupineError(.paginationFailed, "The link to the next page \(problem).").about(request.summary)
  }
}

extension WebLink {
  /// Whether the context of the link is the page, and not a resource that `anchor` names.
  fileprivate func hasContext(_ page: HTTPURL) -> Bool {
    anchor == nil || context?.absoluteTarget == page.absoluteTarget
  }
}
