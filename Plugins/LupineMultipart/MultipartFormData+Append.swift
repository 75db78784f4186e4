public import FoundationEssentials
public import HTTPTypes
public import LupineCore

extension MultipartFormData {
  /// Adds a body at the end: a file, bytes, or a stream.
  ///
  /// A file brings its name, the last component of its path, and its type, by the name's extension. Other bodies have
  /// neither unless given; a body with a file name but no type gets one by the name's extension.
  ///
  /// - Parameters:
  ///   - name: the field's name. `"`, CR and LF are escaped as browsers do, as `%22`, `%0D` and `%0A`; so is a backslash
  ///     at the end, which would hide the closing quote from some parsers. Other control bytes are refused.
  ///   - fileName: the file's name, escaped in the same way.
  ///   - contentType: the type of the content.
  ///   - headers: fields besides, which come after those two.
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

  /// Adds text at the end, in UTF-8, without a content type, as browsers do.
  public mutating func append(
    _ text: String, name: String, fileName: String? = nil, contentType: String? = nil, headers: HTTPFields = [:]
  ) {
    append(.text(text), name: name, fileName: fileName, contentType: contentType, headers: headers)
  }

  /// Adds bytes at the end.
  public mutating func append(
    _ data: Data, name: String, fileName: String? = nil, contentType: String? = nil, headers: HTTPFields = [:]
  ) {
    append(.bytes(data), name: name, fileName: fileName, contentType: contentType, headers: headers)
  }

  /// Adds a value at the end as JSON, with the content type `application/json` unless given.
  ///
  /// The value is encoded at once; one that does not encode is an error of kind `parameterEncodingFailed` when the form
  /// is sent.
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

  /// Adds a multipart as one field at the end, as a set of files under one name once was (RFC 7578 section 4.3).
  public mutating func append(_ nested: Multipart, name: String, headers: HTTPFields = [:]) {
    switch FormFields.make(name: name, fileName: nil, contentType: nested.contentType, headers: headers) {
    case .success(let fields): multipart.append(MultipartPart(nested, headers: fields))
    case .failure(let refusal): multipart.append(MultipartPart(problem: refusal.reason))
    }
  }
}
