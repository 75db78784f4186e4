public import HTTPTypes
import LupineSupport

/// A header field of a request: a name and a value.
///
/// Both are checked when the field becomes part of a request; see `RequestHeaders`. The description contains only the
/// name, because the value may be secret.
public struct RequestHeader: Sendable, Hashable, HidesSecrets {
  /// The name.
  public let name: Name
  /// The value, as the program gave it.
  public let value: String
  /// The reason why the username and password that the value encodes cannot be sent; `nil` if they can.
  private let invalidReason: String?

  /// Creates a field.
  public init(name: Name, value: String) { self.init(name, value, invalidReason: nil) }

  /// Creates a field.
  public init(name: String, value: String) { self.init(name: Name(name), value: value) }

  // Disfavoured, so that `.init(name: .accept, …)` is not ambiguous.
  /// Creates a field with a name of swift-http-types.
  @_disfavoredOverload
  public init(name: HTTPField.Name, value: String) { self.init(name: Name(name), value: value) }

  private init(_ name: Name, _ value: String, invalidReason: String?) {
    self.name = name
    self.value = value
    self.invalidReason = invalidReason
  }

  /// The name.
  public var description: String { name.description }
}

extension RequestHeader {
  /// The name of a header field, which a string literal or a constant such as `.accept` creates.
  ///
  /// A text that is no token (RFC 9110 section 5.6.2) makes the request fail with kind `invalidRequest`.
  public struct Name: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Content: Hashable {
      case valid(HTTPField.Name)
      case invalid(String)
    }

    private let content: Content

    /// Creates a name from a text of any content.
    public init(_ text: String) {
      content = HTTPField.Name(text).map(Content.valid) ?? .invalid(text)
    }

    /// Creates a name from a string literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// Creates the name that swift-http-types declares.
    public init(_ name: HTTPField.Name) {
      content = name.rawName.isToken ? .valid(name) : .invalid(name.rawName)
    }

    /// The name for swift-http-types; `nil` if the text is no token.
    var field: HTTPField.Name? {
      if case .valid(let name) = content { name } else { nil }
    }

    /// The name; an invalid one has its control bytes escaped and is cut after 64 characters.
    public var description: String {
      switch content {
      case .valid(let name): name.rawName
      case .invalid(let text): text.escapingControls(limit: 64)
      }
    }
  }

  /// Returns the field for swift-http-types, or the reason why it cannot be sent.
  func checked() -> Result<HTTPField, RequestHeaders.InvalidReason> {
    guard let field = name.field else {
      return .failure(
        RequestHeaders.InvalidReason(
          message: "The header field “\(name)” has a name that is no token (RFC 9110 section 5.6.2); use letters, "
            + "digits and “-”."))
    }
    if let invalidReason { return .failure(RequestHeaders.InvalidReason(message: invalidReason)) }
    guard FieldRules.isValid(value: value) else {
      return .failure(
        RequestHeaders.InvalidReason(
          message: "The value of the header field \(name) has a control byte, or white space at its ends (RFC 9110 "
            + "section 5.5); remove it."))
    }
    return .success(HTTPField(name: field, value: value))
  }
}

extension RequestHeader {
  /// `Accept`: the media types that the client accepts (RFC 9110 section 12.5.1).
  public static func accept(_ value: String) -> RequestHeader { RequestHeader(name: .accept, value: value) }

  /// `Accept-Charset`, which servers should ignore (RFC 9110 section 12.5.2).
  public static func acceptCharset(_ value: String) -> RequestHeader {
    RequestHeader(name: "Accept-Charset", value: value)
  }

  /// `Accept-Encoding`: the content codings that the client accepts (RFC 9110 section 12.5.3).
  ///
  /// By default, the session sends the codings that it can decode.
  public static func acceptEncoding(_ value: String) -> RequestHeader {
    RequestHeader(name: .acceptEncoding, value: value)
  }

  /// `Accept-Language`: the languages that the client prefers (RFC 9110 section 12.5.4).
  public static func acceptLanguage(_ value: String) -> RequestHeader {
    RequestHeader(name: .acceptLanguage, value: value)
  }

  /// `Authorization` with the Basic scheme (RFC 7617), in UTF-8.
  ///
  /// A username with a colon, and a control byte in either part, make the request fail with kind `invalidRequest`,
  /// because Basic cannot transmit them (RFC 7617 section 2).
  public static func authorization(username: String, password: String) -> RequestHeader {
    let isValid = !username.utf8.contains(.colon) && !(username + password).utf8.contains(where: \.isControl)
    let reason =
      "The username of the header field Authorization has a colon, or its username or password has a control byte, "
      + "which Basic cannot transmit (RFC 7617 section 2)."
    let field = HTTPField.authorization(username: username, password: password)
    return RequestHeader(.authorization, field.value, invalidReason: isValid ? nil : reason)
  }

  /// `Authorization` with the Bearer scheme (RFC 6750).
  public static func authorization(bearerToken: String) -> RequestHeader { authorization("Bearer \(bearerToken)") }

  /// `Authorization` with any scheme (RFC 9110 section 11.6.2).
  public static func authorization(_ value: String) -> RequestHeader {
    RequestHeader(name: .authorization, value: value)
  }

  /// `Content-Disposition` (RFC 6266).
  public static func contentDisposition(_ value: String) -> RequestHeader {
    RequestHeader(name: .contentDisposition, value: value)
  }

  /// `Content-Encoding`: the codings of the request's body (RFC 9110 section 8.4).
  public static func contentEncoding(_ value: String) -> RequestHeader {
    RequestHeader(name: .contentEncoding, value: value)
  }

  /// `Content-Type`: the media type of the request's body (RFC 9110 section 8.3).
  public static func contentType(_ value: String) -> RequestHeader { RequestHeader(name: .contentType, value: value) }

  /// `User-Agent`: the program that makes the request (RFC 9110 section 10.1.5).
  public static func userAgent(_ value: String) -> RequestHeader { RequestHeader(name: .userAgent, value: value) }
}
