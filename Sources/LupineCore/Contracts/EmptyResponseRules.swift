public import HTTPTypes

/// Which responses may be without a body although a serializer makes a value of them.
///
/// Any other empty response is an error of kind `emptyResponse`.
public struct EmptyResponseRules: Sendable, Hashable {
  /// The statuses that may be without a body.
  public var codes: Set<Int>
  /// The methods whose responses may be without a body.
  public var methods: Set<HTTPRequest.Method>

  /// The statuses that HTTP itself leaves without a body: 204 and 205.
  public static let defaultCodes: Set<Int> = [204, 205]
  /// The method whose responses have no body: HEAD.
  public static let defaultMethods: Set<HTTPRequest.Method> = [.head]

  /// Names the statuses and methods.
  ///
  /// Default: 204 and 205, and HEAD.
  public init(
    codes: Set<Int> = EmptyResponseRules.defaultCodes,
    methods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    self.codes = codes
    self.methods = methods
  }

  /// Whether this response may be without a body.
  public func allow(_ response: ReceivedResponse) -> Bool {
    codes.contains(response.statusCode) || methods.contains(response.request.method)
  }
}
