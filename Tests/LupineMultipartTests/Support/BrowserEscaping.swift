/// A name as browsers escape it, with the backslash at its end that we escape besides; written anew for the tests.
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
