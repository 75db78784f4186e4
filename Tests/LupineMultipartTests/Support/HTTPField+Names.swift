import HTTPTypes

extension HTTPField.Name {
  static var folded: Self { Self("X-Folded") ?? .contentType }
  static var single: Self { Self("A") ?? .contentType }
}
