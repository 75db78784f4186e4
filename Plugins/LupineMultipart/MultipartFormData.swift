public import HTTPTypes
public import LupineCore
public import LupineFoundation
import LupineSupport

/// A form with files, encoded as browsers do (RFC 7578, with the escaping of the WHATWG's HTML standard).
///
/// ```swift
/// var form = MultipartFormData()
/// form.append(.file("/data/unicorn.png"), name: "unicorn")
/// form.append("rainbow", name: "title")
/// ```
///
/// A form describes a streaming body; see `Multipart` and `MultipartConvertible`. The parts keep their order.
public struct MultipartFormData: MultipartConvertible {
  /// The form as a multipart of subtype `form-data`.
  public internal(set) var multipart: Multipart
  /// The media types that supply the content type of a file if the caller gives none.
  ///
  /// Default: `MediaTypes.system`.
  public var mediaTypes = MediaTypes.system

  /// Creates an empty form with a boundary of 192 random bits.
  ///
  /// - Parameter random: returns 64 random bits at each call. Default: the system's generator.
  public init(random: @Sendable () -> UInt64 = MultipartBoundary.systemRandom) {
    multipart = Multipart(.formData, random: random)
  }

  /// Creates an empty form with the caller's boundary.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if RFC 2046 does not allow the boundary.
  public init(boundary: String) throws(LupineError) {
    multipart = try Multipart(.formData, boundary: boundary)
  }

  /// The parts, in the order in which they are sent.
  public var parts: [MultipartPart] { multipart.parts }

  /// The delimiter between the parts, without its dashes.
  public var boundary: String { multipart.boundary }

  /// The value of the `Content-Type` field, with the boundary.
  public var contentType: String { multipart.contentType }
}

extension MultipartFormData {
  /// Appends a body: a file, bytes, or a stream.
  ///
  /// The file name of a file defaults to the last component of its path. Other bodies have no file name by default. The
  /// content type of a body with a file name defaults to the type for the file name's extension.
  ///
  /// - Parameters:
  ///   - name: the field's name. `"`, CR and LF are escaped as `%22`, `%0D` and `%0A`, as in browsers. A backslash at
  ///     the end is escaped as `%5C`, because some parsers would take it for an escape of the closing quote. Any other
  ///     control byte except a tab is an error when the form is sent.
  ///   - fileName: the file's name, escaped in the same way.
  ///   - contentType: the content type of the body.
  ///   - headers: other fields of the part, which follow these two.
  public mutating func append(
    _ body: RequestBody, name: String, fileName: String? = nil, contentType: String? = nil, headers: HTTPFields = [:]
  ) {
    var fileName = fileName
    if fileName == nil, case .file(let path, _) = body.source {
      fileName = path.split(separator: "/").last.map(String.init) ?? path
    }
    let guessed = headers[.contentType] == nil ? fileName.map(mediaTypes.type(forFileName:)) : nil
    switch FormFields.make(name: name, fileName: fileName, contentType: contentType ?? guessed, headers: headers) {
    case .success(let fields): multipart.append(MultipartPart(body, headers: fields))
    case .failure(let rejection): multipart.append(MultipartPart(problem: rejection.reason))
    }
  }

  /// Appends text in UTF-8, without a content type by default, as browsers do.
  public mutating func append(
    _ text: String, name: String, fileName: String? = nil, contentType: String? = nil, headers: HTTPFields = [:]
  ) {
    append(.text(text), name: name, fileName: fileName, contentType: contentType, headers: headers)
  }

  /// Appends bytes.
  public mutating func append(
    _ data: Data, name: String, fileName: String? = nil, contentType: String? = nil, headers: HTTPFields = [:]
  ) {
    append(.bytes(data), name: name, fileName: fileName, contentType: contentType, headers: headers)
  }

  /// Appends a value as JSON, with the content type `application/json` by default.
  ///
  /// The value is encoded immediately. If that fails, sending the form fails with an error of kind
  /// `parameterEncodingFailed`.
  public mutating func append(
    json value: some Encodable, name: String, fileName: String? = nil, contentType: String? = nil,
    headers: HTTPFields = [:], encoder: JSONEncoder = JSONEncoder()
  ) {
    let type = contentType ?? (headers[.contentType] == nil ? "application/json" : nil)
    do {
      append(
        .bytes(try encoder.encode(value)), name: name, fileName: fileName, contentType: type, headers: headers)
    } catch {
      append(Data(), name: name, headers: headers)
      multipart.fail(
        LupineError(
          .parameterEncodingFailed,
          "\(PartLabel(number: parts.count, name: name)) of the multipart body could not be encoded as JSON: \(error).",
          underlying: error))
    }
  }

  /// Appends a multipart as one field, the obsolete form of several files under one name (RFC 7578 section 4.3).
  public mutating func append(_ nested: Multipart, name: String, headers: HTTPFields = [:]) {
    switch FormFields.make(name: name, fileName: nil, contentType: nested.contentType, headers: headers) {
    case .success(let fields): multipart.append(MultipartPart(nested, headers: fields))
    case .failure(let rejection): multipart.append(MultipartPart(problem: rejection.reason))
    }
  }
}

/// The fields of a form's part, in the order of browsers and curl.
enum FormFields {
  struct Rejection: Error { let reason: String }

  static func make(
    name: String, fileName: String?, contentType: String?, headers: HTTPFields
  ) -> Result<HTTPFields, Rejection> {
    if let rejection = rejection(name: name, fileName: fileName, contentType: contentType, headers: headers) {
      return .failure(rejection)
    }
    var disposition = "form-data; name=\"\(ContentDisposition.escaped(name))\""
    if let fileName { disposition += "; filename=\"\(ContentDisposition.escaped(fileName))\"" }
    var fields = HTTPFields()
    fields.append(HTTPField(name: .contentDisposition, value: disposition))
    if let contentType { fields.append(HTTPField(name: .contentType, value: contentType)) }
    for field in headers where contentType == nil || field.name != .contentType { fields.append(field) }
    return .success(fields)
  }

  private static func rejection(
    name: String, fileName: String?, contentType: String?, headers: HTTPFields
  ) -> Rejection? {
    let shown = name.escapingControls()
    if !ContentDisposition.isAllowed(name) {
      return Rejection(reason: "the name \"\(shown)\" has a control byte that cannot be escaped.")
    }
    if let fileName, !ContentDisposition.isAllowed(fileName) {
      let shownFile = fileName.escapingControls()
      return Rejection(
        reason: "the file name \"\(shownFile)\" of \"\(shown)\" has a control byte that cannot be escaped.")
    }
    if let contentType, contentType.isEmpty || !FieldRules.isValid(value: contentType) {
      return Rejection(reason: "the content type of \"\(shown)\" is empty or has a control byte.")
    }
    if headers[.contentDisposition] != nil {
      return Rejection(
        reason: "the Content-Disposition of \"\(shown)\" is derived from its name and file name; set only these.")
    }
    return nil
  }
}
