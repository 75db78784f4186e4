public import HTTPTypes
import LupineCore

extension Session.Builder {
  /// Adds a field to every request that does not have a field of that name.
  ///
  /// By default, a secret field, such as `Authorization`, is sent only to the base URL's origin; `scope` changes this.
  public func header(_ name: HTTPField.Name, _ value: String, to scope: CredentialScope = .baseURL) -> Self {
    changed { builder in
      builder.configuration.defaultFields.removeAll { $0.field.name == name }
      builder.add(name, value, scope)
    }
  }

  /// Adds several fields, as `header` does one; sends all values of a repeated name.
  public func headers(_ fields: HTTPFields, to scope: CredentialScope = .baseURL) -> Self {
    changed { builder in
      builder.configuration.defaultFields.removeAll { fields[$0.field.name] != nil }
      for field in fields { builder.add(field.name, field.value, scope) }
    }
  }

  private mutating func add(_ name: HTTPField.Name, _ value: String, _ scope: CredentialScope) {
    guard FieldRules.isValid(value: value) else {
      issues.append(
        ConfigurationIssue(part: "header", reason: "the value of \(name) has a control byte, or spaces at its ends"))
      return
    }
    configuration.defaultFields.append(DefaultField(field: HTTPField(name: name, value: value), scope: scope))
  }

  /// Marks a field as secret, in addition to the standard secret fields.
  public func secretField(_ name: HTTPField.Name) -> Self {
    changed { $0.configuration.secretFields.insert(name) }
  }
}
