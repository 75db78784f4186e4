public import FoundationEssentials
public import HTTPTypes
public import LupineCore

/// Judges a response by its head and its body; it accepts the response by returning and refuses it by throwing.
///
/// A `LupineError` is passed on as it is; any other error becomes the `underlying` one of kind `validationFailed`.
public typealias Validation = @Sendable (OutgoingRequest, HTTPResponse, Data) throws -> Void

/// One rule that a response must satisfy before it is serialized.
public struct ResponseValidator: Sendable {
  private let rule: any ValidationRule

  init(_ rule: any ValidationRule) { self.rule = rule }

  /// Returns where the response satisfies the rule.
  ///
  /// - Parameter hasBody: whether there was a body, where `data` does not tell because it went to a file. Default: whether
  ///   `data` holds a byte.
  /// - Throws: `LupineError` of kind `unacceptableStatusCode`, `unacceptableContentType` or `validationFailed`, about the
  ///   request and the response.
  public func validate(_ response: ReceivedResponse, hasBody: Bool? = nil) throws(LupineError) {
    do throws(LupineError) {
      try rule.check(response, hasBody: hasBody ?? response.hasData)
    } catch {
      throw error.about(response.request.summary).about(response.head)
    }
  }
}

extension ResponseValidator {
  /// What `validate()` asks for: a status in `200..<300`, and a media type that the request's `Accept` names.
  public static let standard: [ResponseValidator] = [
    .statusCodes(200..<300), .contentTypes { $0.acceptedContentTypes },
  ]

  /// A status among these.
  ///
  /// A range is asked without being walked through, so it may be as long as it likes; any other sequence is read once.
  public static func statusCodes(_ codes: some Sequence<Int> & Sendable) -> ResponseValidator {
    ResponseValidator(StatusCodeRule(codes))
  }

  /// A media type in one of these ranges, such as `application/json`, `text/*` or `*/*`; parameters are not compared.
  ///
  /// A response without a body, or with status 204, 205 or 304, needs no media type. One without `Content-Type` is
  /// accepted by `*/*` alone.
  public static func contentTypes(_ ranges: some Sequence<String>) -> ResponseValidator {
    let ranges = Array(ranges)
    return contentTypes { _ in ranges }
  }

  /// A media type in one of the ranges that the closure names for the request.
  public static func contentTypes(_ ranges: @escaping @Sendable (OutgoingRequest) -> [String]) -> ResponseValidator {
    ResponseValidator(ContentTypeRule(ranges: ranges))
  }

  /// Whatever the closure accepts.
  public static func custom(_ validation: @escaping Validation) -> ResponseValidator {
    ResponseValidator(CustomRule(validation: validation))
  }
}

extension OutgoingRequest {
  /// The media ranges of every `Accept` field; `*/*` where there is none (RFC 9110 section 12.5.1).
  var acceptedContentTypes: [String] {
    guard fieldFacts.findings.contains(.accept) else { return Self.anyContentType }
    let ranges = headers[values: .accept].flatMap { MediaType.list($0) }.map(\.essence)
    return headers[values: .accept].allSatisfy(\.isEmpty) ? Self.anyContentType : ranges
  }

  static let anyContentType = ["*/*"]
}
