import HTTPTypes
import LupineSupport

/// A line of a head that differs from the template's line in the same place.
struct FieldChange {
  /// The number of fields before the line in its head.
  let index: Int
  let line: FieldLine
}

/// The lines of earlier heads, with which the lines of a new head are compared.
///
/// A place has no line if its line is not cached. Its field then has no value.
struct HeadTemplate {
  private(set) var lines: [FieldLine?] = []
  /// The fields of the lines; a new head with few changes copies them, which is quicker than to append each.
  private var fields = HTTPFields()

  /// Returns the line in a place if it has these bytes.
  func line(_ bytes: UnsafeRawBufferPointer, at index: Int) -> FieldLine? {
    guard index < lines.count, let line = lines[index], line.bytes.isEqual(to: bytes) else { return nil }
    return line
  }

  /// Whether this line has a place.
  func has(_ line: FieldLine, at index: Int) -> Bool { index < lines.count && lines[index] === line }

  /// Returns the fields of a head that equals the template except for the changes.
  func fields(count: Int, _ changes: [FieldChange]) -> HTTPFields {
    guard changes.count < count else { return HTTPFields(changes.lazy.map(\.line.field)) }
    var all = count < fields.count ? HTTPFields(fields.prefix(count)) : fields
    for change in changes {
      if change.index < all.count { all[change.index] = change.line.field } else { all.append(change.line.field) }
    }
    return all
  }

  /// Makes the template equal to a head, as far as its lines are cached.
  mutating func update(count: Int, _ changes: [FieldChange]) {
    if count < lines.count {
      lines.removeLast(lines.count - count)
      fields.removeLast(fields.count - count)
    }
    for change in changes {
      let line = change.line
      if change.index == lines.count {
        lines.append(line.isCached ? line : nil)
        fields.append(line.isCached ? line.field : HTTPField(name: line.field.name, value: ""))
      } else if line.isCached {
        lines[change.index] = line
        fields[change.index] = line.field
      }
    }
  }
}
