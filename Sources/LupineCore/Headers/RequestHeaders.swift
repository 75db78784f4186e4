public import HTTPTypes

/// The header fields of a request, as a program writes them.
///
/// A literal creates the value:
///
/// ```swift
/// let byName: RequestHeaders = ["X-Trace": "42", .accept: "application/json"]
/// let byFactory: RequestHeaders = [.accept("application/json"), .authorization(bearerToken: token)]
/// ```
///
/// A name in a variable is written `[.init(name): "42"]` or `RequestHeaders([name: "42"])`.
///
/// Fields are sent in order, and a name that occurs several times is sent several times (RFC 9110 section 5.3). A name
/// that is no token, a value with a control byte or with white space at its ends, and more than 10,000 fields make the
/// request fail with kind `invalidRequest` before anything is sent. A value is never changed, whereas an `HTTPField` of
/// swift-http-types replaces each control byte with a space.
public struct RequestHeaders: Sendable, Hashable {
  // Has no storage for a request without headers, and keeps a reason only if there is one.
  @usableFromInline
  enum Content: Sendable, Hashable {
    case empty
    case valid(HTTPFields)
    /// The reason of the first invalid field, and the fields before it.
    indirect case invalid(InvalidReason, HTTPFields)
  }

  /// The reason why a field cannot be sent.
  @usableFromInline
  struct InvalidReason: Error, Hashable {
    let message: String
  }

  // `HTTPFields` ends the program at a far greater number of fields.
  private static let maximumCount = 10_000

  @usableFromInline var content: Content

  /// Creates headers without a field.
  @inlinable
  public init() { content = .empty }

  /// Creates headers with the fields of swift-http-types.
  public init(_ fields: HTTPFields) { content = .valid(fields) }

  /// Creates headers with several fields.
  public init(_ headers: some Sequence<RequestHeader>) {
    self.init()
    append(contentsOf: headers)
  }

  /// Creates headers from a dictionary of names and values, in the order of the names.
  ///
  /// The keys of the dictionary may be variables. A literal that is used as headers directly keeps its own order.
  public init(_ dictionary: [String: String]) {
    self.init()
    for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(RequestHeader(name: name, value: value)) }
  }

  /// The fields for a request.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` that names the first field that cannot be sent.
  @inlinable
  public var fields: HTTPFields {
    get throws(LupineError) {
      if case .empty = content { return HTTPFields() }
      return try checkedFields()
    }
  }

  @usableFromInline
  func checkedFields() throws(LupineError) -> HTTPFields {
    if case .invalid(let reason, _) = content { throw LupineError(.invalidRequest, reason.message) }
    return valid
  }

  /// The fields before the first invalid one.
  private var valid: HTTPFields {
    switch content {
    case .empty: HTTPFields()
    case .valid(let fields), .invalid(_, let fields): fields
    }
  }
}

extension RequestHeaders {
  /// Adds a field; it is ignored after an invalid one, which has made the headers invalid.
  public mutating func append(_ header: RequestHeader) {
    if case .invalid = content { return }
    var fields = valid
    content = .empty
    guard fields.count < Self.maximumCount else {
      let message = "The request has more than \(Self.maximumCount) header fields; send fewer."
      content = .invalid(InvalidReason(message: message), fields)
      return
    }
    switch header.checked() {
    case .success(let field):
      fields.append(field)
      content = .valid(fields)
    case .failure(let reason): content = .invalid(reason, fields)
    }
  }

  /// Adds several fields, in order.
  public mutating func append(contentsOf headers: some Sequence<RequestHeader>) {
    for header in headers { append(header) }
  }

  /// Removes all fields with the name.
  public mutating func remove(_ name: RequestHeader.Name) {
    guard case .valid(var fields) = content, let field = name.field else { return }
    content = .empty
    fields[field] = nil
    content = fields.isEmpty ? .empty : .valid(fields)
  }

  /// The value of the field; the values of a name that occurs several times are joined with commas.
  ///
  /// Setting a value replaces all fields with the name; `nil` removes them.
  public subscript(name: RequestHeader.Name) -> String? {
    get { name.field.flatMap { valid[$0] } }
    set {
      remove(name)
      if let newValue { append(RequestHeader(name: name, value: newValue)) }
    }
  }

  /// The value of the field whose name is a text.
  public subscript(name: String) -> String? {
    get { self[RequestHeader.Name(name)] }
    set { self[RequestHeader.Name(name)] = newValue }
  }

  /// Whether there is no field.
  public var isEmpty: Bool {
    switch content {
    case .empty: true
    case .valid(let fields): fields.isEmpty
    case .invalid: false
    }
  }

  /// Compares the fields, in order, and the reason why one of them is invalid.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left.content, right.content) {
    case (.invalid(let left, let before), .invalid(let right, let other)): left == right && before == other
    case (.invalid, _), (_, .invalid): false
    default: left.valid == right.valid
    }
  }

  /// Hashes the fields.
  public func hash(into hasher: inout Hasher) { hasher.combine(valid) }
}

extension RequestHeaders: Sequence {
  /// Iterates over the fields in order, up to the first that is invalid.
  public func makeIterator() -> some IteratorProtocol<RequestHeader> {
    valid.lazy.map { RequestHeader(name: RequestHeader.Name($0.name), value: $0.value) }.makeIterator()
  }
}

extension RequestHeaders: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates headers from fields, such as `[.accept("text/plain")]`.
  public init(arrayLiteral headers: RequestHeader...) { self.init(headers) }

  /// Creates headers from names and values, such as `["X-Trace": "42"]`.
  public init(dictionaryLiteral elements: (RequestHeader.Name, String)...) {
    self.init()
    for (name, value) in elements { append(RequestHeader(name: name, value: value)) }
  }
}

extension RequestHeaders: HidesSecrets {
  /// The names of the fields.
  public var description: String { "[\(valid.map(\.name.rawName).joined(separator: ", "))]" }
}

extension OutgoingRequest {
  /// Describes a request with headers as a program writes them.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` if the URL is invalid, and of kind `invalidRequest` if a header field
  ///   is invalid.
  @_disfavoredOverload
  public init(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, headers: RequestHeaders, body: RequestBody = .none,
    options: Options = Options()
  ) throws {
    try self.init(
      url: try url.asURL(relativeTo: nil), method: method, headers: headers, body: body, options: options)
  }

  /// Describes a request to a URL that is already checked, with headers as a program writes them.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if a header field is invalid.
  @_disfavoredOverload
  public init(
    url: HTTPURL, method: HTTPRequest.Method = .get, headers: RequestHeaders, body: RequestBody = .none,
    options: Options = Options()
  ) throws(LupineError) {
    let fields = try headers.fields
    self.init(url: url, method: method, headers: fields, body: body, options: options)
  }

  /// Sets a field whose name is a text, and replaces all fields with that name.
  ///
  /// An adapter uses it for a field without a constant: `try request.setHeader("X-Trace", "42")`.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if the name or the value is invalid; see `RequestHeaders`.
  public mutating func setHeader(_ name: String, _ value: String) throws(LupineError) {
    switch RequestHeader(name: name, value: value).checked() {
    case .success(let field): headers[field.name] = field.value
    case .failure(let reason): throw LupineError(.invalidRequest, reason.message)
    }
  }
}
