import FoundationEssentials
import HTTPTypes
import LupineCore

/// The stubs of a mock, arranged so that the first that fits is the one to answer.
struct StubTable: Sendable {
  /// All stubs, in the order they were added.
  private(set) var all: [Stub] = []
  /// All that say which requests they are for, in the order in which they are asked.
  private var ordered: [Stub] = []
  /// Whether some answer before the request's body has been read.
  private(set) var hasEarlyStubs = false
  /// Whether some have a fault that keeps requests from the server.
  private(set) var hasRefusals = false
  private var exact = ExactStubs()
  private var templates: [Stub] = []

  mutating func add(_ stub: Stub) {
    all.append(stub)
    if stub.isEarly { hasEarlyStubs = true }
    if stub.mayRefuse { hasRefusals = true }
    guard let template = stub.template else { return }
    ordered.insert(sorted: stub)
    if let key = template.exactKey {
      exact.insert(stub, at: key)
    } else {
      templates.insert(sorted: stub)
    }
  }

  /// Finds the stub that answers, and counts the answer.
  ///
  /// - Parameter areEarly: whether those alone are asked that answer before the request's body has been read, or those
  ///   alone that do not. Default: all are.
  func take(_ request: RequestSnapshot, areEarly: Bool? = nil) -> (stub: Stub, use: Int)? {
    if let areEarly {
      let asked = ordered.lazy.filter { $0.isEarly == areEarly }
      return Self.first(in: asked, for: request, parts: SplitURL(request.url))
    }
    let exact = exactStubs(for: request.url)
    if templates.isEmpty { return Self.first(in: exact, for: request, parts: nil) }
    let bar = templates.first?.asked.priority ?? .min
    let favoured = exact.prefix { $0.asked.priority >= bar }
    if let found = Self.first(in: favoured, for: request, parts: nil) { return found }
    let rest = exact.dropFirst(favoured.count)
    if rest.isEmpty { return Self.first(in: templates, for: request, parts: SplitURL(request.url)) }
    var merged = templates
    for stub in rest { merged.insert(sorted: stub) }
    return Self.first(in: merged, for: request, parts: SplitURL(request.url))
  }

  /// Finds the stub whose answer keeps the request from the server, and counts the answer.
  ///
  /// Nil where the first that may fit answers something else, or has conditions, which may want the request's body.
  func takeRefusal(_ request: RequestSnapshot) -> (stub: Stub, use: Int)? {
    let parts = SplitURL(request.url)
    let first = ordered.first { stub in
      stub.asked.methods.contains(request.method) && !stub.isUsedUp && stub.fitsURL(of: request, parts: parts)
    }
    guard let first, first.asked.conditions.isEmpty,
      first.refuses(first.uses), let use = first.use()
    else { return nil }
    return (first, use)
  }

  /// What the head of a request says of the stub that answers it.
  enum HeadSearch {
    case found(stub: Stub, use: Int)
    /// The first that may fit has conditions that may want the body.
    case needsBody
    case nothing
  }

  /// Finds the stub that answers by the request's head alone, among those that take its whole body, and counts the answer.
  func takeByHead(_ request: RequestSnapshot) -> HeadSearch {
    let parts = SplitURL(request.url)
    for stub in ordered where !stub.isEarly && !stub.isUsedUp && stub.fitsHead(of: request, parts: parts) {
      if stub.asked.conditions.contains(where: \.readsBody) { return .needsBody }
      if let use = stub.use() { return .found(stub: stub, use: use) }
    }
    return .nothing
  }

  /// Those whose template leaves nothing open and fits the URL.
  private func exactStubs(for url: HTTPURL) -> [Stub] {
    if exact.isEmpty { return [] }
    let key = URLTemplate.key(of: url)
    let found = exact[key]
    if !found.isEmpty || !key.utf8.contains(UInt8(ascii: "%")) { return found }
    return exact[URLTemplate.plainKey(of: url)]
  }

  /// - Parameter parts: the URL's parts, or nil where the stubs are known to have the request's URL.
  private static func first(
    in stubs: some Sequence<Stub>, for request: RequestSnapshot, parts: SplitURL?
  ) -> (stub: Stub, use: Int)? {
    for stub in stubs where stub.asked.methods.contains(request.method) {
      guard stub.fits(request, parts: parts), let use = stub.use() else { continue }
      return (stub, use)
    }
    return nil
  }
}

extension Stub {
  fileprivate func fits(_ request: RequestSnapshot, parts: SplitURL?) -> Bool {
    fitsURL(of: request, parts: parts) && asked.conditions.allSatisfy { $0.difference(from: request) == nil }
  }

  /// Whether everything fits that can be told without the body.
  fileprivate func fitsHead(of request: RequestSnapshot, parts: SplitURL) -> Bool {
    asked.methods.contains(request.method) && fitsURL(of: request, parts: parts)
      && asked.conditions.allSatisfy { $0.readsBody || $0.difference(from: request) == nil }
  }

  fileprivate func fitsURL(of request: RequestSnapshot, parts: SplitURL?) -> Bool {
    guard let template else { return false }
    if let parts, !template.matches(parts) { return false }
    return template.hasQuery(of: request.url)
  }

  /// Whether this stub is asked before the other; equal ones keep their order.
  func precedes(_ other: Stub) -> Bool {
    guard let template, let otherTemplate = other.template else { return false }
    if asked.priority != other.asked.priority { return asked.priority > other.asked.priority }
    if template.vagueness != otherTemplate.vagueness { return template.vagueness < otherTemplate.vagueness }
    if template.isAbsolute != otherTemplate.isAbsolute { return template.isAbsolute }
    return weight > other.weight
  }

  private var weight: Int { asked.conditions.count + (template?.query.count ?? 0) }
}

extension [Stub] {
  /// Puts a stub where it is asked, among others that are in that order.
  mutating func insert(sorted stub: Stub) {
    var (first, end) = (startIndex, endIndex)
    while first < end {
      let middle = first + (end - first) / 2
      if stub.precedes(self[middle]) { end = middle } else { first = middle + 1 }
    }
    insert(stub, at: first)
  }
}
