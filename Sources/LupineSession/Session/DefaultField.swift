import HTTPTypes
import LupineCore

/// A field that a session adds where a request has none of that name.
struct DefaultField: Sendable, HidesSecrets {
  var field: HTTPField
  /// Where the field may go if it is secret; `build()` takes it from one that is not.
  var scope: CredentialScope?

  var description: String { "DefaultField(\(field.name))" }
}
