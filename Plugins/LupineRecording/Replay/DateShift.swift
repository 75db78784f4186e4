import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// Moves the dates of a response by the time between its recording and its replay.
struct DateShift: Sendable {
  /// The number of whole seconds.
  private let offset: Double
  private let now: Date

  /// - Parameters:
  ///   - recorded: the date of the exchange when it was recorded.
  ///   - now: the session's date now.
  init(from recorded: Date, to now: Date) {
    offset = now.timeIntervalSince(recorded).rounded(.down)
    self.now = now
  }

  /// Returns the fields with their dates moved.
  func fields(_ fields: HTTPFields) -> HTTPFields {
    guard offset != 0, fields.contains(where: { Self.isDated($0.name) }) else { return fields }
    return HTTPFields(
      fields.map { field in
        guard Self.isDated(field.name), let value = moved(field) else { return field }
        return HTTPField(name: field.name, value: value)
      })
  }

  private static func isDated(_ name: HTTPField.Name) -> Bool {
    name == .date || name == .expires || name == .retryAfter || name == .setCookie
  }

  private func moved(_ field: HTTPField) -> String? {
    field.name == .setCookie ? movedCookie(field.value) : moved(field.value[...])
  }

  /// Returns the moved date; `nil` if the text is no date, such as a number of seconds.
  private func moved(_ text: Substring) -> String? {
    guard let date = HTTPDate.parse(String(text), now: now) else { return nil }
    return HTTPDate.text(date.addingTimeInterval(offset))
  }

  /// Moves the attribute `Expires`; a date in 1970, as servers use it to remove a cookie, remains in the past.
  private func movedCookie(_ value: String) -> String? {
    var parts = value.split(separator: ";", omittingEmptySubsequences: false)
    var isMoved = false
    for index in parts.indices.dropFirst() {
      guard let equals = parts[index].firstIndex(of: "="),
        parts[index][..<equals].trimmingBlanks().lowercased() == "expires",
        let date = moved(parts[index][parts[index].index(after: equals)...].trimmingBlanks())
      else { continue }
      parts[index] = "\(parts[index][...equals])\(date)"
      isMoved = true
    }
    return isMoved ? parts.joined(separator: ";") : nil
  }
}
