public import HTTPTypes
public import LupineCore
public import LupineFoundation
public import LupineMultipart
public import LupineSession

// Names of Alamofire, unavailable here; the compiler's message names the replacement.

/// Unavailable: the functions of the module `Lupine` use the default session.
@available(*, unavailable, message: "Use Lupine, as in Lupine.request(url), or Session.default.")
public var AF: Session { .default }

/// Unavailable: headers as a program writes them are `RequestHeaders`.
@available(*, unavailable, renamed: "RequestHeaders")
public typealias HTTPHeaders = RequestHeaders

/// Unavailable: a header field is a `RequestHeader`.
@available(*, unavailable, renamed: "RequestHeader")
public typealias HTTPHeader = RequestHeader

/// Unavailable: the method is a type of swift-http-types.
@available(*, unavailable, message: "Use HTTPRequest.Method of HTTPTypes; .get and .post need no name.")
public typealias HTTPMethod = HTTPRequest.Method

/// Unavailable: errors are of one type.
@available(*, unavailable, renamed: "LupineError")
public typealias AFError = LupineError

/// Unavailable: parameters are encoded by a `ParameterEncoder`.
@available(*, unavailable, message: "Use encoder: .json, or encoder: .urlEncodedForm.")
public enum JSONEncoding {
  /// Unavailable: see the type.
  public static var `default`: Self.Type { Self.self }
}

/// Unavailable: parameters are encoded by a `ParameterEncoder`.
@available(*, unavailable, message: "Use encoder: .urlEncodedForm, or .urlEncodedForm(destination:).")
public enum URLEncoding {
  /// Unavailable: see the type.
  public static var `default`: Self.Type { Self.self }
}

extension LupineError {
  /// Unavailable: the error carries the response.
  @available(*, unavailable, message: "Use response?.status.code.")
  public var responseCode: Int? { nil }

  /// Unavailable: a cancellation has one name.
  @available(*, unavailable, renamed: "isCancelled")
  public var isExplicitlyCancelledError: Bool { isCancelled }

  /// Unavailable: the error that caused this one has another name.
  @available(*, unavailable, renamed: "underlying")
  public var underlyingError: (any Error)? { underlying }
}

extension Error {
  /// Unavailable: an awaited value throws a `LupineError` by its type.
  @available(*, unavailable, message: "Use catch within do throws(LupineError) { … }, or error as? LupineError.")
  public var asAFError: LupineError? { self as? LupineError }
}

extension HTTPFields {
  /// Unavailable: a field is set by subscript.
  @available(*, unavailable, message: "Use headers[name] = value.")
  public mutating func add(name: String, value: String) {}

  /// Unavailable: a field is set by subscript.
  @available(*, unavailable, message: "Use headers[name] = value.")
  public mutating func add(_ header: RequestHeader) {}

  /// Unavailable: a field is set by subscript.
  @available(*, unavailable, message: "Use headers[name] = value.")
  public mutating func update(name: String, value: String) {}
}

extension MultipartFormData {
  /// Unavailable: the labels are those of the field's own parameters.
  @available(*, unavailable, message: "Use append(data, name:), or append(data, name:fileName:contentType:).")
  public mutating func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {}

  /// Unavailable: a file is a `RequestBody`.
  @available(*, unavailable, message: "Use append(.file(fileURL), name:).")
  public mutating func append(_ file: URL, withName name: String, fileName: String? = nil, mimeType: String? = nil) {}
}
