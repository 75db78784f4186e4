import HTTPTypes
import LupineCore
import LupineFoundation

/// The stubs of a mock, ordered so that the first matching stub answers.
struct StubTable: Sendable {
  /// All stubs, in the order of addition.
  private(set) var all: [Stub] = []
  /// All stubs with a valid template and valid conditions, in the order of evaluation.
  private var ordered: [Stub] = []
  /// Whether some stubs answer before the request's body has been read.
  private(set) var hasEarlyStubs = false
  /// Whether some stubs have a fault that occurs before the server has received the whole request.
  private(set) var hasRequestFaults = false
  private var exact = ExactStubs()
  private var templates: [Stub] = []

  mutating func add(_ stub: Stub) {
    all.append(stub)
    if stub.isEarly { hasEarlyStubs = true }
    if stub.mayFailRequest { hasRequestFaults = true }
    guard let template = stub.template else { return }
    ordered.insert(sorted: stub)
    if let key = template.exactKey {
      exact.insert(stub, at: key)
    } else {
      templates.insert(sorted: stub)
    }
  }

  /// Finds the matching stub and counts the answer.
  ///
  /// - Parameter areEarly: true searches only stubs that answer before the request's body has been read, false only the
  ///   others. Default: all stubs.
  func claim(_ request: RequestSnapshot, areEarly: Bool? = nil) -> (stub: Stub, use: Int)? {
    if let areEarly {
      let candidates = ordered.lazy.filter { $0.isEarly == areEarly }
      return Self.first(in: candidates, for: request, parts: SplitURL(request.url))
    }
    let exact = exactStubs(for: request.url)
    if templates.isEmpty { return Self.first(in: exact, for: request, parts: nil) }
    let highestPriority = templates.first?.parameters.priority ?? .min
    let preferred = exact.prefix { $0.parameters.priority >= highestPriority }
    if let found = Self.first(in: preferred, for: request, parts: nil) { return found }
    let rest = exact.dropFirst(preferred.count)
    if rest.isEmpty { return Self.first(in: templates, for: request, parts: SplitURL(request.url)) }
    var merged = templates
    for stub in rest { merged.insert(sorted: stub) }
    return Self.first(in: merged, for: request, parts: SplitURL(request.url))
  }

  /// Finds the stub whose answer is a fault before the server has received the whole request, and counts the answer.
  ///
  /// Returns `nil` if the first stub that may match has another answer, or has conditions, which may need the request's
  /// body.
  func claimRequestFault(_ request: RequestSnapshot) -> (stub: Stub, use: Int)? {
    let parts = SplitURL(request.url)
    let first = ordered.first { stub in
      stub.parameters.methods.contains(request.method) && !stub.isUsedUp && stub.fitsURL(of: request, parts: parts)
    }
    guard let first, first.parameters.conditions.isEmpty,
      first.bodyLimit(forUse: first.uses) < .max, let use = first.use()
    else { return nil }
    return (first, use)
  }

  /// The result of a search by the head of a request.
  enum HeadSearch {
    case found(stub: Stub, use: Int)
    /// The first stub that may match has conditions that may need the body.
    case needsBody
    case nothing
  }

  /// Finds the matching stub by the request's head, among the stubs that take the whole body, and counts the answer.
  func claimByHead(_ request: RequestSnapshot) -> HeadSearch {
    let parts = SplitURL(request.url)
    for stub in ordered where !stub.isEarly && !stub.isUsedUp && stub.fitsHead(of: request, parts: parts) {
      if stub.parameters.conditions.contains(where: \.readsBody) { return .needsBody }
      if let use = stub.use() { return .found(stub: stub, use: use) }
    }
    return .nothing
  }

  /// Returns the stubs whose template has no variable part and matches the URL.
  private func exactStubs(for url: HTTPURL) -> [Stub] {
    if exact.isEmpty { return [] }
    let key = URLTemplate.key(of: url)
    let found = exact[key]
    if !found.isEmpty || !key.utf8.contains(UInt8(ascii: "%")) { return found }
    return exact[URLTemplate.plainKey(of: url)]
  }

  /// - Parameter parts: the URL's parts; `nil` if the stubs are known to match the request's URL.
  private static func first(
    in stubs: some Sequence<Stub>, for request: RequestSnapshot, parts: SplitURL?
  ) -> (stub: Stub, use: Int)? {
    for stub in stubs where stub.parameters.methods.contains(request.method) {
      guard stub.fits(request, parts: parts), let use = stub.use() else { continue }
      return (stub, use)
    }
    return nil
  }
}

extension Stub {
  fileprivate func fits(_ request: RequestSnapshot, parts: SplitURL?) -> Bool {
    fitsURL(of: request, parts: parts) && parameters.conditions.allSatisfy { $0.difference(from: request) == nil }
  }

  /// Whether the stub matches everything except the body.
  fileprivate func fitsHead(of request: RequestSnapshot, parts: SplitURL) -> Bool {
    parameters.methods.contains(request.method) && fitsURL(of: request, parts: parts)
      && parameters.conditions.allSatisfy { $0.readsBody || $0.difference(from: request) == nil }
  }

  fileprivate func fitsURL(of request: RequestSnapshot, parts: SplitURL?) -> Bool {
    guard let template else { return false }
    if let parts, !template.matches(parts) { return false }
    return template.hasQuery(of: request.url)
  }

  /// Whether this stub is evaluated before the other; equal stubs keep their order.
  func precedes(_ other: Stub) -> Bool {
    guard let template, let otherTemplate = other.template else { return false }
    if parameters.priority != other.parameters.priority { return parameters.priority > other.parameters.priority }
    if template.generality != otherTemplate.generality { return template.generality < otherTemplate.generality }
    if template.isAbsolute != otherTemplate.isAbsolute { return template.isAbsolute }
    return weight > other.weight
  }

  private var weight: Int { parameters.conditions.count + (template?.query.count ?? 0) }
}

extension [Stub] {
  /// Inserts a stub into a sorted array, in the order of evaluation.
  mutating func insert(sorted stub: Stub) {
    var (first, end) = (startIndex, endIndex)
    while first < end {
      let middle = first + (end - first) / 2
      if stub.precedes(self[middle]) { end = middle } else { first = middle + 1 }
    }
    insert(stub, at: first)
  }
}

/// The stubs whose template has no variable part, by the URL that they match.
///
/// A small number of stubs is searched by comparison, which is faster than hashing a URL.
struct ExactStubs: Sendable {
  private static let comparisonLimit = 8

  private var entries: [(key: String, stubs: [Stub])] = []
  private var places: [String: Int] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// The stubs of one URL, in the order of evaluation; empty if there are none.
  subscript(_ key: String) -> [Stub] {
    place(of: key).map { entries[$0].stubs } ?? []
  }

  mutating func insert(_ stub: Stub, at key: String) {
    if let place = places[key] { return entries[place].stubs.insert(sorted: stub) }
    places[key] = entries.count
    entries.append((key, [stub]))
  }

  private func place(of key: String) -> Int? {
    entries.count > Self.comparisonLimit ? places[key] : entries.firstIndex { $0.key == key }
  }
}
