import HTTPTypes
public import LupineCore
public import LupineFoundation
import LupineSupport

/// Matches a request whose multipart body contains a certain part.
struct MultipartMatcher: RequestMatcher {
  let name: String?
  let fileName: String?
  let contentType: String?
  let content: Data?

  var expectation: String {
    var words = ["multipart part"]
    if let name { words.append("\"\(name.escapingControls())\"") }
    if let fileName { words.append("with file name \"\(fileName.escapingControls())\"") }
    if let contentType { words.append("of type \(contentType.escapingControls())") }
    if let content { words.append("with \(Self.shown(content))") }
    return words.joined(separator: " ")
  }

  func difference(from request: RequestSnapshot) -> String? {
    let parts: [ReceivedPart]
    do throws(LupineError) {
      parts = try ReceivedPart.parts(of: request.body, contentType: request.headers[.contentType])
    } catch {
      return "\(expectation): the body cannot be read as a multipart. \(error.message)"
    }
    let named = name.map { name in parts.filter { $0.name == name } } ?? parts
    if named.contains(where: { difference(from: $0) == nil }) { return nil }
    guard let nearest = named.first else {
      let names = parts.map { $0.name.map { "\"\($0.escapingControls())\"" } ?? "a part without a name" }
      return
        "\(expectation): it is missing; the body has only \(names.isEmpty ? "an empty multipart" : names.joined(separator: ", "))"
    }
    return difference(from: nearest).map { "\(expectation): \($0)" }
  }

  private func difference(from part: ReceivedPart) -> String? {
    if let fileName, part.fileName != fileName {
      return "its file name is \(part.fileName.map { "\"\($0.escapingControls())\"" } ?? "missing")"
    }
    if let contentType, part.headers[.contentType]?.lowercased() != contentType.lowercased() {
      return "its type is \(part.headers[.contentType]?.escapingControls() ?? "missing")"
    }
    if let content, part.data != content { return "it has \(Self.shown(part.data))" }
    return nil
  }

  /// Returns the start of the content as text, or its size if it is not text.
  private static func shown(_ data: Data) -> String {
    let isText = data.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [9, 10, 13].contains($0) }
    guard isText, !data.isEmpty else { return "\(data.count) bytes" }
    let text = String(decoding: data.prefix(100), as: UTF8.self).escapingControls()
    return "\"\(text)\"" + (data.count > 100 ? "… (\(data.count) bytes)" : "")
  }
}

extension RequestCondition {
  /// Matches a multipart body with a part that has this name and the other given values.
  ///
  /// - Parameters:
  ///   - name: the form field's name; `nil` matches a part with any name or without one.
  ///   - fileName: the part's file name; `nil` matches any.
  ///   - contentType: the value of the part's `Content-Type`, compared without regard to case; `nil` matches any.
  public static func multipart(
    name: String?, fileName: String? = nil, contentType: String? = nil
  ) -> RequestCondition {
    RequestCondition(MultipartMatcher(name: name, fileName: fileName, contentType: contentType, content: nil))
  }

  /// Matches a multipart body with a part that has this name, this text and the other given values.
  public static func multipart(
    name: String?, _ text: String, fileName: String? = nil, contentType: String? = nil
  ) -> RequestCondition {
    .multipart(name: name, Data(text.utf8), fileName: fileName, contentType: contentType)
  }

  /// Matches a multipart body with a part that has this name, these bytes and the other given values.
  public static func multipart(
    name: String?, _ data: Data, fileName: String? = nil, contentType: String? = nil
  ) -> RequestCondition {
    RequestCondition(MultipartMatcher(name: name, fileName: fileName, contentType: contentType, content: data))
  }
}
