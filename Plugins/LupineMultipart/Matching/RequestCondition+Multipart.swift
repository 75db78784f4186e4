public import FoundationEssentials
public import LupineCore

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
