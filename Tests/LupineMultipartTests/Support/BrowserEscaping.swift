/// A name with the escapes of browsers, and with an escape for a backslash at its end.
///
/// The tests have an implementation of their own, which does not share errors with the library.
func browserEscaped(_ name: String) -> String {
  let scalars = name.unicodeScalars.map { scalar -> String in
    switch scalar {
    case "\"": "%22"
    case "\r": "%0D"
    case "\n": "%0A"
    default: String(scalar)
    }
  }
  let escaped = scalars.joined()
  return escaped.hasSuffix("\\") ? String(escaped.dropLast()) + "%5C" : escaped
}
