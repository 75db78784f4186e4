public import FoundationEssentials
public import HTTPTypes
public import LupineCore

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
    case .failure(let refusal): multipart.append(MultipartPart(problem: refusal.reason))
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
    case .failure(let refusal): multipart.append(MultipartPart(problem: refusal.reason))
    }
  }
}
