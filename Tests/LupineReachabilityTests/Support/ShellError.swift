/// Why a program did not do what it was run for.
struct ShellError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
