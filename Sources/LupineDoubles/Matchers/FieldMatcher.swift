public import HTTPTypes
public import LupineCore

/// Expects a field, or its absence.
struct FieldMatcher: RequestMatcher {
  enum Expectation: Sendable {
    case value(String)
    case present
    case absent
  }

  let name: HTTPField.Name
  let expected: Expectation

  var expectation: String { "field \(name): \(wanted(.standard))" }
  var readsBody: Bool { false }

  func difference(from request: RequestSnapshot) -> String? {
    let values = request.headers[values: name]
    let fits =
      switch expected {
      case .value(let value): values.contains(value) || values.joined(separator: ", ") == value
      case .present: !values.isEmpty
      case .absent: values.isEmpty
      }
    if fits { return nil }
    let secrets = request.secretFields
    let got = values.isEmpty ? "no such field" : shown(values, secrets)
    return "field \(name): expected \(wanted(secrets)), got \(got)"
  }

  private func wanted(_ secrets: SecretFields) -> String {
    switch expected {
    case .value(let value): shown([value], secrets)
    case .present: "any value"
    case .absent: "no such field"
    }
  }

  private func shown(_ values: [String], _ secrets: SecretFields) -> String {
    secrets.contains(name) ? "a secret value, which is not shown" : values.joined(separator: ", ")
  }
}

extension RequestCondition {
  /// The request has this field with this value; with several fields, one of them or all of them joined by commas must
  /// match.
  public static func field(_ name: HTTPField.Name, _ value: String) -> RequestCondition {
    RequestCondition(FieldMatcher(name: name, expected: .value(value)))
  }

  /// The request has this field, whatever its value.
  public static func field(_ name: HTTPField.Name) -> RequestCondition {
    RequestCondition(FieldMatcher(name: name, expected: .present))
  }

  /// The request does not have this field.
  public static func noField(_ name: HTTPField.Name) -> RequestCondition {
    RequestCondition(FieldMatcher(name: name, expected: .absent))
  }
}
