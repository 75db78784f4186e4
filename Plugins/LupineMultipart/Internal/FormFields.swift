import HTTPTypes
import LupineCore
import LupineSupport

/// The fields of a form's part, in the order of browsers and curl.
enum FormFields {
  struct Refusal: Error { let reason: String }

  static func make(
    name: String, fileName: String?, contentType: String?, headers: HTTPFields
  ) -> Result<HTTPFields, Refusal> {
    if let refusal = refusal(name: name, fileName: fileName, contentType: contentType, headers: headers) {
      return .failure(refusal)
    }
    var disposition = "form-data; name=\"\(ContentDisposition.escaped(name))\""
    if let fileName { disposition += "; filename=\"\(ContentDisposition.escaped(fileName))\"" }
    var fields = HTTPFields()
    fields.append(HTTPField(name: .contentDisposition, value: disposition))
    if let contentType { fields.append(HTTPField(name: .contentType, value: contentType)) }
    for field in headers where contentType == nil || field.name != .contentType { fields.append(field) }
    return .success(fields)
  }

  private static func refusal(
    name: String, fileName: String?, contentType: String?, headers: HTTPFields
  ) -> Refusal? {
    let shown = name.escapingControls()
    if !ContentDisposition.isAllowed(name) {
      return Refusal(reason: "the name \"\(shown)\" has a control byte that cannot be escaped.")
    }
    if let fileName, !ContentDisposition.isAllowed(fileName) {
      let shownFile = fileName.escapingControls()
      return Refusal(
        reason: "the file name \"\(shownFile)\" of \"\(shown)\" has a control byte that cannot be escaped.")
    }
    if let contentType, contentType.isEmpty || !FieldRules.isValid(value: contentType) {
      return Refusal(reason: "the content type of \"\(shown)\" is empty or has a control byte.")
    }
    if headers[.contentDisposition] != nil {
      return Refusal(
        reason: "the Content-Disposition of \"\(shown)\" is made of its name and file name; give these alone.")
    }
    return nil
  }
}
