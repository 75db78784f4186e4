public import HTTPTypes

/// The methods that a stub answers: `.get`, `[.get, .head]`, `.any`, or `[method]` with a variable.
public struct StubMethods: Sendable, Hashable {
  /// `nil` for every method.
  private let listed: [HTTPRequest.Method]?

  /// Every method.
  public static let any = StubMethods(listed: nil)
  /// DELETE.
  public static let delete: StubMethods = [.delete]
  /// GET without HEAD.
  public static let get: StubMethods = [.get]
  /// HEAD.
  public static let head: StubMethods = [.head]
  /// OPTIONS.
  public static let options: StubMethods = [.options]
  /// PATCH.
  public static let patch: StubMethods = [.patch]
  /// POST.
  public static let post: StubMethods = [.post]
  /// PUT.
  public static let put: StubMethods = [.put]
  /// TRACE.
  public static let trace: StubMethods = [.trace]

  /// Whether a request with this method is answered.
  public func contains(_ method: HTTPRequest.Method) -> Bool { listed?.contains(method) ?? true }

  /// The single method; `nil` if there is not exactly one.
  var only: HTTPRequest.Method? { listed?.count == 1 ? listed?.first : nil }
}

extension StubMethods: ExpressibleByArrayLiteral {
  /// Creates a set of the listed methods.
  public init(arrayLiteral methods: HTTPRequest.Method...) { listed = methods }
}

extension StubMethods: CustomStringConvertible {
  /// The methods in readable form.
  public var description: String {
    guard let listed else { return "any method" }
    return listed.isEmpty ? "no method" : listed.map(\.rawValue).joined(separator: " or ")
  }
}
