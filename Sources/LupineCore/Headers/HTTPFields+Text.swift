public import HTTPTypes
import LupineSupport

extension HTTPFields {
  /// The value of the field with this name, such as `response.headers["ETag"]`; the values of repeated fields are joined
  /// with commas.
  ///
  /// Setting a value replaces all fields with the name; `nil` removes them. A name that is no token, or a value with a
  /// control byte or with white space at its ends, cannot be sent (RFC 9110 sections 5.1 and 5.5): the request with these
  /// fields then fails with kind `invalidRequest`, before anything is sent. Setting the field to a valid value later does
  /// not remove the error.
  public subscript(name: String) -> String? {
    get { HTTPField.Name(name).flatMap { self[$0] } }
    set {
      switch newValue.map({ RequestHeader(name: name, value: $0).checked() }) {
      case .success(let field): self[field.name] = field.value
      case .failure(let reason):
        self[name] = nil
        append(HTTPField(name: .unsendable, value: reason.message))
      case nil: if let name = HTTPField.Name(name) { self[name] = nil }
      }
    }
  }
}

extension HTTPField.Name {
  /// Stands for a field that cannot be sent; its value is the reason.
  ///
  /// `HTTPFields` cannot contain such a field, and a setter cannot throw.
  static let unsendable = HTTPField.Name(constant: "Lupine-Unsendable-Field")

  /// `Accept-Query`: the media types of the content that a resource takes in a QUERY (RFC 10008 section 3).
  public static let acceptQuery = HTTPField.Name(constant: "Accept-Query")
}
