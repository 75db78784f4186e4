public import FoundationEssentials
public import LupineCore

extension RequestCondition {
  /// The body is a multipart with a part of this name, and of what else is given.
  ///
  /// - Parameters:
  ///   - name: the form's name of the part; `nil` for a part of any name or of none.
  ///   - fileName: the part's file name.
  ///   - contentType: the part's content type, as its field says it, in any case.
  public static func multipart(
    name: String?, fileName: String? = nil, contentType: String? = nil
  ) -> RequestCondition {
    RequestCondition(MultipartMatcher(name: name, fileName: fileName, contentType: contentType, content: nil))
  }

  /// The body is a multipart with a part of this name and this text, and of what else is given.
  public static func multipart(
    name: String?, _ text: String, fileName: String? = nil, contentType: String? = nil
  ) -> RequestCondition {
    .multipart(name: name, Data(text.utf8), fileName: fileName, contentType: contentType)
  }

  /// The body is a multipart with a part of this name and these bytes, and of what else is given.
  public static func multipart(
    name: String?, _ data: Data, fileName: String? = nil, contentType: String? = nil
  ) -> RequestCondition {
    RequestCondition(MultipartMatcher(name: name, fileName: fileName, contentType: contentType, content: data))
  }
}
