public import HTTPTypes
public import LupineCore
public import LupineFoundation
import LupineSupport

/// Validates a response by its head and its body; a return accepts the response and an error refuses it.
///
/// A `LupineError` is passed on unchanged. Any other error becomes the `underlying` error of a `LupineError` of kind
/// `validationFailed`.
///
/// The session calls it once for each response that an attempt ends with, in the task that runs the request, off the
/// caller's actor. Calls for different requests may be concurrent. It must not block: the request waits for it.
public typealias Validation = @Sendable (OutgoingRequest, HTTPResponse, Data) throws -> Void

/// One rule that a response must satisfy before it is serialized.
public struct ResponseValidator: Sendable {
  private let rule: any ValidationRule

  init(_ rule: any ValidationRule) { self.rule = rule }

  /// Returns if the response satisfies the rule, and throws otherwise.
  ///
  /// - Parameter hasBody: whether there was a body, if `data` does not show it because the body was written to a file.
  ///   Default: whether `data` has a byte.
  /// - Throws: `LupineError` of kind `unacceptableStatusCode`, `unacceptableContentType` or `validationFailed`, with
  ///   the request and the response.
  public func validate(_ response: ReceivedResponse, hasBody: Bool? = nil) throws(LupineError) {
    do throws(LupineError) {
      try rule.check(response, hasBody: hasBody ?? response.hasData)
    } catch {
      throw error.about(response.request.summary).about(response.head)
    }
  }
}

extension ResponseValidator {
  /// The rules of `validate()`: a status in `200..<300`, and a media type that the request's `Accept` names.
  public static let standard: [ResponseValidator] = [
    .statusCodes(200..<300), .contentTypes { $0.acceptedContentTypes },
  ]

  /// Requires one of these statuses.
  ///
  /// A range is tested without iteration, so it may be of any length. Any other sequence is read once.
  public static func statusCodes(_ codes: some Sequence<Int> & Sendable) -> ResponseValidator {
    ResponseValidator(StatusCodeRule(codes))
  }

  /// Requires a media type in one of these ranges, such as `application/json`, `text/*` or `*/*`; parameters are not
  /// compared.
  ///
  /// A response without a body, or with status 204, 205 or 304, needs no media type. A response without `Content-Type`
  /// is accepted only by `*/*`.
  public static func contentTypes(_ ranges: some Sequence<String>) -> ResponseValidator {
    let ranges = Array(ranges)
    return contentTypes { _ in ranges }
  }

  /// Requires a media type in one of the ranges that the closure returns for the request.
  ///
  /// The closure is called as a `Validation` is, with the request that was sent last.
  public static func contentTypes(_ ranges: @escaping @Sendable (OutgoingRequest) -> [String]) -> ResponseValidator {
    ResponseValidator(ContentTypeRule(ranges: ranges))
  }

  /// Requires that the closure accepts the response; `Validation` says where it is called.
  public static func custom(_ validation: @escaping Validation) -> ResponseValidator {
    ResponseValidator(CustomRule(validation: validation))
  }
}

extension OutgoingRequest {
  /// The media ranges of every `Accept` field; `*/*` if there is none (RFC 9110 section 12.5.1).
  var acceptedContentTypes: [String] {
    // The default value of a session; the list below would give the same, more slowly. The subscript of HTTPFields joins
    // all values, which costs more than a tenth of a request.
    guard has(.accept), headers.first(where: { $0.name == .accept })?.value != "*/*" else { return Self.anyContentType }
    let ranges = headers[values: .accept].flatMap { MediaType.list($0) }.map(\.essence)
    return headers[values: .accept].allSatisfy(\.isEmpty) ? Self.anyContentType : ranges
  }

  static let anyContentType = ["*/*"]
}

/// The rule of a `ResponseValidator`; a class, because each request copies its validators.
protocol ValidationRule: AnyObject, Sendable {
  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError)
}

/// Refuses a status that is not in the given set.
final class StatusCodeRule: ValidationRule {
  private let contains: @Sendable (Int) -> Bool
  /// Describes the acceptable statuses; called only for a refused response.
  private let acceptable: @Sendable () -> String

  init(_ codes: some Sequence<Int> & Sendable) {
    // A range may have no end (`200...`), so it is tested and not iterated; its type is checked here, once.
    switch codes {
    case let range as Range<Int>: contains = { range.contains($0) }
    case let range as ClosedRange<Int>: contains = { range.contains($0) }
    case let range as PartialRangeFrom<Int>: contains = { range.contains($0) }
    default:
      let set = Set(codes)
      contains = { set.contains($0) }
      acceptable = { StatusCodeRule.list(set) }
      return
    }
    acceptable = { "\(codes)" }
  }

  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError) {
    let code = response.statusCode
    if contains(code) { return }
    throw LupineError(.unacceptableStatusCode(code), "The status \(code) is not acceptable; \(acceptable()) would be.")
  }

  private static func list(_ codes: Set<Int>) -> String {
    if codes.isEmpty { return "none" }
    let shown = codes.sorted().prefix(20).map(String.init).joined(separator: ", ")
    return codes.count > 20 ? shown + ", …" : shown
  }
}

/// Refuses a media type that is in none of the given ranges.
final class ContentTypeRule: ValidationRule {
  private let ranges: @Sendable (OutgoingRequest) -> [String]

  init(ranges: @escaping @Sendable (OutgoingRequest) -> [String]) { self.ranges = ranges }

  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError) {
    guard hasBody else { return }
    let names = ranges(response.request)
    if names == OutgoingRequest.anyContentType { return }
    let code = response.statusCode
    guard code != 204, code != 205, code != 304 else { return }
    let acceptable = names.compactMap { MediaType($0) }
    if acceptable.contains(where: { $0.essence == "*/*" }) { return }
    let field = response.head.headerFields.singleton(.contentType) ?? response.head.headerFields[.contentType]
    let mediaType = field.flatMap { MediaType($0) }
    if let mediaType, acceptable.contains(where: mediaType.matches) { return }
    throw Self.error(found: field, mediaType, acceptable: names)
  }

  private static func error(found field: String?, _ mediaType: MediaType?, acceptable: [String]) -> LupineError {
    let list = acceptable.isEmpty ? "none" : acceptable.prefix(20).joined(separator: ", ").escapingControls(limit: 500)
    guard let field else {
      return LupineError(
        .unacceptableContentType(nil), "The response has no Content-Type; acceptable would be \(list).")
    }
    let shown = (mediaType?.essence ?? field).escapingControls(limit: 200)
    let fault = mediaType == nil ? "is malformed" : "is not acceptable"
    return LupineError(
      .unacceptableContentType(shown), "The Content-Type \(shown) \(fault); acceptable would be \(list).")
  }
}

/// Refuses a response that the program's closure refuses.
final class CustomRule: ValidationRule {
  private let validation: Validation

  init(validation: @escaping Validation) { self.validation = validation }

  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError) {
    do {
      try validation(response.request, response.head, response.data)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.validationFailed, "A validation closure refused the response: \(error).", underlying: error)
    }
  }
}
